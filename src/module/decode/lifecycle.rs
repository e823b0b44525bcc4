//! Decodes the `lifecycle` block of resources.

use std::borrow::Cow;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{self, Mode, Subject};
use crate::module::declaration::{Resource, Spanned};
use crate::module::decode::{Decoder, arguments, known_items};
use crate::syntax::{Attribute, Block, BlockSchema, Content, Expr, ExprKind, Schema, parse_string};
use crate::text::Span;
use crate::value;

/// The first names of references to values, which `ignore_changes` does not take.
const VALUES: [&str; 7] = ["count", "each", "local", "module", "path", "terraform", "var"];

/// The form of an element of `ignore_changes`.
const IGNORED: &str = "The name of an argument is required here, such as `tags` or `tags[\"Name\"]`.";

impl Decoder<'_> {
    /// The `lifecycle` block of a managed resource.
    pub(super) fn lifecycle(&mut self, block: &Block, resource: &mut Resource) {
        let content = self.lifecycle_content(block);
        resource.enabled = content.attribute("enabled").cloned();
        resource.managed.create_before_destroy = self.flag(&content, "create_before_destroy");
        resource.managed.prevent_destroy = self.flag_or_expression(&content, "prevent_destroy");
        resource.managed.destroy = self.flag_or_expression(&content, "destroy");
        if let Some(attribute) = content.attribute("replace_triggered_by") {
            resource.managed.replace_triggered_by = self.replace_triggered_by(&attribute.expr);
        }
        if let Some(attribute) = content.attribute("ignore_changes") {
            self.ignore_changes(&attribute.expr, resource);
        }
        self.conditions(&content, resource);
        for trigger in content.blocks_of("action_trigger") {
            let actions = self.action_trigger(trigger);
            resource.managed.triggered_actions.extend(actions);
        }
    }

    /// The `lifecycle` block of a data source or ephemeral resource, where only conditions are valid.
    pub(super) fn unmanaged_lifecycle(&mut self, content: &Content, resource: &mut Resource) {
        let Some(block) = self.only(content, "lifecycle", EngineRule::InvalidLifecycle) else { return };
        let mode = resource.address.mode;
        let content = self.lifecycle_content(block);
        resource.enabled = content.attribute("enabled").cloned();
        for attribute in content.attributes.iter().filter(|attribute| attribute.name != "enabled") {
            self.findings.push(self.managed_only(block, attribute, mode));
        }
        for trigger in content.blocks_of("action_trigger") {
            Finding::language(
                EngineRule::InvalidLifecycle,
                format!("Invalid {} resource lifecycle nested block", mode.keyword()),
            )
            .detail("Only managed resources, in `resource` blocks, trigger actions.")
            .at(trigger.kind_span)
            .push_to(self.findings);
        }
        self.conditions(&content, resource);
    }

    fn lifecycle_content(&mut self, block: &Block) -> Content {
        let known = &self.features.grammar;
        let attributes = arguments(
            &["create_before_destroy", "prevent_destroy", "ignore_changes"],
            &[
                (known.replace_triggered_by, "replace_triggered_by"),
                (known.enabled, "enabled"),
                (known.destroy, "destroy"),
            ],
        );
        let newer = [
            (known.conditions, BlockSchema::new("precondition", &[])),
            (known.conditions, BlockSchema::new("postcondition", &[])),
            (known.action, BlockSchema::new("action_trigger", &[])),
        ];
        let blocks = known_items(&[], &newer);
        let before = self.findings.len();
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &blocks }, self.findings);
        self.explain_unknown_conditions(block, before);
        content
    }

    /// Adds a help to the findings since `before` about blocks that only a later version of the engine supports.
    pub(super) fn explain_unknown_conditions(&mut self, block: &Block, before: usize) {
        if self.features.grammar.conditions {
            return;
        }
        for kind in ["precondition", "postcondition"] {
            let places: Vec<Span> =
                block.blocks(kind, &[]).iter().map(|condition| condition.kind_span).collect();
            for finding in &mut self.findings[before..] {
                if finding.primary.is_some_and(|at| places.contains(&at)) {
                    finding.detail = format!(
                        "{} does not support `{kind}` blocks. They exist since Terraform 1.2.",
                        self.features.engine
                    );
                    finding.help =
                        Some("require a newer version: `required_version = \">= 1.2\"`".to_owned());
                }
            }
        }
    }

    fn managed_only(&self, block: &Block, attribute: &Attribute, mode: Mode) -> Finding {
        let (summary, at) = if mode == Mode::Ephemeral && self.features.ephemeral_lifecycle_at_header {
            ("Invalid lifecycle configuration for ephemeral resource".to_owned(), block.header)
        } else {
            (format!("Invalid {} resource lifecycle argument", mode.keyword()), attribute.name_span)
        };
        Finding::language(EngineRule::InvalidLifecycle, summary)
            .detail(format!(
                "`{}` is allowed only for managed resources, in `resource` blocks.",
                attribute.name
            ))
            .at(at)
    }

    fn conditions(&mut self, content: &Content, resource: &mut Resource) {
        for block in &content.blocks {
            let into = match block.kind.as_str() {
                "precondition" => &mut resource.preconditions,
                "postcondition" => &mut resource.postconditions,
                _ => continue,
            };
            let condition = self.condition(block);
            self.refers_to_itself(&condition, &resource.address);
            into.push(condition);
        }
    }

    /// A boolean that OpenTofu evaluates later, and Terraform here: `None` if it is not known.
    fn flag_or_expression(&mut self, content: &Content, name: &str) -> Option<Spanned<Option<bool>>> {
        let attribute = content.attribute(name)?;
        if self.features.grammar.prevent_destroy_expression {
            let value = value::constant(&attribute.expr, &mut Vec::new());
            // A constant of another type is wrong for both products.
            let value = value.as_bool().or_else(|| value.is_wholly_known().then_some(true));
            return Some(Spanned { value, span: attribute.expr.span });
        }
        let given = self.flag(content, name)?;
        Some(Spanned { value: Some(given.value), span: given.span })
    }

    fn ignore_changes(&mut self, expr: &Expr, resource: &mut Resource) {
        if expr.keyword().is_some_and(|word| word == "all") {
            resource.managed.ignore_all_changes = Some(expr.span);
            return;
        }
        let mut star: Option<Span> = None;
        let elements = expr.static_list(self.findings);
        let inner = if let ExprKind::Parens(inner) = &expr.kind { inner } else { expr };
        let is_all = || {
            inner.keyword().is_some_and(|word| word == "all")
                || value::constant(inner, &mut Vec::new()).as_str() == Some("all")
        };
        if elements.is_none()
            && is_all()
            && let Some(finding) = self.findings.last_mut()
        {
            finding.help = Some("write `ignore_changes = all`".to_owned());
        }
        if elements.is_none()
            && expr
                .as_traversal()
                .is_some_and(|name| VALUES.contains(&name.root.as_str()) && !name.steps.is_empty())
            && let Some(finding) = self.findings.last_mut()
        {
            let help = "list the names of arguments, such as `[tags]`, or write `all`; a reference is not allowed here";
            finding.help = Some(help.to_owned());
        }
        for element in elements.unwrap_or_default() {
            if value::constant(element, &mut Vec::new()).as_str() == Some("*") {
                star = Some(element.span);
                resource.managed.ignore_all_changes = Some(element.span);
                Finding::language(EngineRule::InvalidLifecycle, "Invalid ignore_changes wildcard")
                    .detail("The form `[\"*\"]` is no longer valid.")
                    .at(expr.span)
                    .help("write `ignore_changes = all`")
                    .push_to(self.findings);
                continue;
            }
            let from = self.findings.len();
            let dependency = self.reference_in_list(element);
            let is_invalid = |finding: &&mut Finding| finding.rule == EngineRule::InvalidReference.id();
            for finding in self.findings[from..].iter_mut().filter(is_invalid) {
                finding.detail = IGNORED.into();
                if element.variables().iter().any(|name| name.root == "var" || name.root == "local") {
                    finding.help = None;
                }
            }
            resource.managed.ignore_changes.extend(dependency);
        }
        resource.managed.ignore_changes.shrink_to_fit();
        if let Some(star) = star
            && !resource.managed.ignore_changes.is_empty()
        {
            Finding::language(EngineRule::InvalidLifecycle, "Invalid ignore_changes ruleset")
                .detail("`\"*\"` means all arguments, so no other elements are allowed.")
                .at(star)
                .push_to(self.findings);
        }
    }

    fn replace_triggered_by(&mut self, expr: &Expr) -> Vec<Expr> {
        let Some(elements) = expr.static_list(self.findings) else { return Vec::new() };
        self.each_reference(elements, Self::replacement_trigger)
    }

    /// Decodes the elements of a list of references, and returns them.
    pub(super) fn each_reference(&mut self, elements: &[Expr], decode: fn(&mut Self, &Expr)) -> Vec<Expr> {
        // As in the engine, elements after one with an error are not decoded.
        let before = self.findings.len();
        let mut kept = Vec::new();
        for element in elements {
            let element = self.reference_in_json(element);
            if let Some(element) = element.filter(|_| !self.failed_since(before)) {
                decode(self, &element);
                kept.push(element.into_owned());
            }
        }
        kept
    }

    /// Reports what `judge` finds wrong with the objects of the references in an element, and then the references that
    /// cannot be read. Returns whether all can be read.
    pub(super) fn judge_references(
        &mut self,
        element: &Expr,
        judge: &mut dyn FnMut(&Subject) -> Option<Finding>,
    ) -> bool {
        let mut unreadable = Vec::new();
        for traversal in element.variables() {
            match address::reference(traversal, self.features) {
                Ok(reference) => self.findings.extend(judge(&reference.subject)),
                Err(error) => unreadable.push(error.finding().at(element.span)),
            }
        }
        let is_readable = unreadable.is_empty();
        self.findings.append(&mut unreadable);
        is_readable
    }

    fn replacement_trigger(&mut self, element: &Expr) {
        let mut resources = 0;
        let is_readable = self.judge_references(element, &mut |subject| match subject {
            Subject::Resource { .. } => {
                resources += 1;
                None
            }
            subject => not_a_trigger(subject, element.span),
        });
        if is_readable && resources != 1 {
            let detail = if resources == 0 {
                "This is not the address of a resource."
            } else {
                "This names more than one resource. Write a separate element for each."
            };
            self.findings
                .push(trigger("Invalid replace_triggered_by expression", element.span).detail(detail));
        }
    }

    /// The reference in an element that is a JSON string. Returns `None` for any other expression.
    pub(super) fn reference_in_json<'e>(&mut self, element: &'e Expr) -> Option<Cow<'e, Expr>> {
        match &element.kind {
            ExprKind::JsonString(string) => match parse_string(&string.text, element.span) {
                Ok(expr) => Some(Cow::Owned(Expr { span: element.span, ..expr })),
                Err(wrong) => {
                    self.findings.extend(wrong.into_iter().map(|finding| finding.at(element.span)));
                    None
                }
            },
            _ if self.json => {
                Finding::language(EngineRule::InvalidReference, self.features.summaries.json_reference)
                    .detail("A reference in JSON is a single string.")
                    .at(element.span)
                    .push_to(self.findings);
                None
            }
            _ => Some(Cow::Borrowed(element)),
        }
    }
}

/// The finding for a reference to something other than a resource.
fn not_a_trigger(subject: &Subject, at: Span) -> Option<Finding> {
    let (summary, detail) = match subject {
        Subject::Each(name) if name == "key" => return None,
        Subject::Count(name) if name == "index" => return None,
        Subject::Each(_) => {
            ("Invalid each reference in replace_triggered_by expression", "Only `each.key` is allowed here.")
        }
        Subject::Count(_) => (
            "Invalid count reference in replace_triggered_by expression",
            "Only `count.index` is allowed here.",
        ),
        _ => (
            "Invalid reference in replace_triggered_by expression",
            "Only references to resources are allowed here. An instance key can use `count.index` or `each.key`.",
        ),
    };
    Some(trigger(summary, at).detail(detail))
}

fn trigger(summary: &str, at: Span) -> Finding {
    Finding::language(EngineRule::InvalidLifecycle, summary).at(at)
}
