//! Decodes arguments that several block types share.

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, Severity, has_errors};
use crate::module::address::legal_part;
use crate::module::config::Config;
use crate::module::declaration::{Dependency, ProviderRef, Spanned, names_value, one_block_each};
use crate::module::decode::Decoder;
use crate::syntax::{
    Attribute, Block, Body, Content, Expr, ExprKind, Label, Part, Step, StepKind, Template, TemplateKind,
    Traversal, parse_expression,
};
use crate::text::{Span, is_identifier};
use crate::value;

impl Decoder<'_> {
    /// A constant string argument. Like the engine, it keeps the part of a template before an error.
    pub(super) fn text(&mut self, content: &Content, name: &str) -> Option<Spanned<SmolStr>> {
        let attribute = content.attribute(name)?;
        let value = value::partial_text(&attribute.expr, self.limits, self.findings).unwrap_or_default();
        Some(Spanned { value, span: attribute.expr.span })
    }

    /// A constant boolean argument.
    pub(super) fn flag(&mut self, content: &Content, name: &str) -> Option<Spanned<bool>> {
        let attribute = content.attribute(name)?;
        let value = value::flag(&attribute.expr, self.limits, self.findings).unwrap_or_default();
        Some(Spanned { value, span: attribute.expr.span })
    }

    /// Reports a label that is not a valid identifier.
    pub(super) fn name(&mut self, label: &Label, summary: &str) {
        if !is_identifier(&label.text) {
            Finding::language(EngineRule::InvalidName, summary)
                .detail(format!(
                    "{}: a name starts with a letter or underscore, and contains only letters, digits, underscores and \
                     hyphens.",
                    match label.text.as_str() {
                        "" => "The name is empty".to_owned(),
                        name => format!("`{name}` is not a valid name"),
                    }
                ))
                .at(label.span)
                .push_to(self.findings);
        }
    }

    /// `count` and `for_each` (and `enabled`), which exclude each other.
    pub(super) fn repetition(
        &mut self,
        content: &Content,
        enabled: Option<&Arc<Attribute>>,
    ) -> (Option<Arc<Attribute>>, Option<Arc<Attribute>>) {
        let count = content.attribute("count").cloned();
        let for_each = content.attribute("for_each").cloned();
        let mut given: Vec<&Arc<Attribute>> =
            [count.as_ref(), for_each.as_ref(), enabled].into_iter().flatten().collect();
        given.sort_by_key(|attribute| attribute.name_span);
        if let [first, .., last] = given.as_slice() {
            let at = match &for_each {
                Some(for_each) if !self.features.combination_at_all_names => for_each.name_span,
                _ => first.name_span.to(last.name_span),
            };
            let mut names: Vec<_> =
                given.iter().map(|attribute| format!("{:?}", attribute.name.as_str())).collect();
            names.sort();
            let names = match names.as_slice() {
                [one, two, three] => format!("{one}, {two}, and {three}"),
                names => names.join(" and "),
            };
            Finding::language(EngineRule::InvalidValue, format!("Invalid combination of {names}"))
                .detail("Each of these sets the number of instances, so only one of them is allowed.")
                .at(at)
                .related(first.name_span, "set here")
                .help("keep one of them")
                .push_to(self.findings);
        }
        (count, for_each)
    }

    /// `depends_on`.
    pub(super) fn depends_on(&mut self, content: &Content) -> Vec<Dependency> {
        let mut dependencies = self.references(content, "depends_on");
        let is_action =
            |dependency: &Dependency| self.features.grammar.action && dependency.traversal.root == "action";
        for action in dependencies.extract_if(.., |dependency| is_action(dependency)) {
            Finding::language(EngineRule::InvalidReference, "Invalid depends_on Action Reference")
                .detail("`depends_on` cannot contain an action, because resources run it through triggers.")
                .at(action.span)
                .push_to(self.findings);
        }
        dependencies.shrink_to_fit();
        dependencies
    }

    /// An argument with a list of references.
    pub(super) fn references(&mut self, content: &Content, name: &str) -> Vec<Dependency> {
        let Some(attribute) = content.attribute(name) else { return Vec::new() };
        let Some(elements) = attribute.expr.static_list(self.findings) else { return Vec::new() };
        elements.iter().filter_map(|element| self.reference_in_list(element)).collect()
    }

    /// An element of `depends_on` or `ignore_changes`.
    pub(super) fn reference_in_list(&mut self, element: &Expr) -> Option<Dependency> {
        let traversal = match self.unquoted(element, Quoted::Reference) {
            Unquoted::NotQuoted => element.static_traversal(self.findings)?.into_owned(),
            Unquoted::Reference(traversal) => traversal,
            Unquoted::Unreadable => {
                Finding::language(EngineRule::InvalidReference, "Invalid expression")
                    .detail("A reference is required here.")
                    .at(element.span)
                    .push_to(self.findings);
                return None;
            }
        };
        let span = if element.is_native_quoted_string() { element.span } else { traversal.span() };
        Some(Dependency { traversal, span })
    }

    /// Parses a quoted reference, the syntax before Terraform 0.12, and adds a deprecation warning.
    pub(super) fn unquoted(&mut self, expr: &Expr, what: Quoted) -> Unquoted {
        if !expr.is_native_quoted_string() {
            return Unquoted::NotQuoted;
        }
        let value = value::constant(expr, &mut Vec::new());
        let Some(text) = value.as_str() else { return Unquoted::NotQuoted };
        let (traversal, wrong) = Traversal::parse(text, Span { start: expr.span.start + 1, ..expr.span });
        self.findings.extend(wrong);
        let (summary, help) = match what {
            Quoted::Reference => {
                ("Quoted references are deprecated", "remove the quotes around this reference")
            }
            Quoted::Keyword => ("Quoted keywords are deprecated", "remove the quotes around this keyword"),
        };
        Finding::language(EngineRule::DeprecatedQuoting, summary)
            .severity(Severity::Warning)
            .detail(
                "Terraform 0.11 and earlier required quotes here. Quotes are still accepted, but are deprecated.",
            )
            .at(expr.span)
            .help(help)
            .push_to(self.findings);
        traversal.map_or(Unquoted::Unreadable, Unquoted::Reference)
    }

    /// A keyword argument, quoted or not.
    pub(super) fn keyword(&mut self, expr: &Expr) -> Option<SmolStr> {
        match self.unquoted(expr, Quoted::Keyword) {
            Unquoted::NotQuoted => expr.keyword(),
            Unquoted::Reference(word) => word.steps.is_empty().then_some(word.root),
            Unquoted::Unreadable => None,
        }
    }

    /// `provider = name.alias`, or one side of an entry of `providers`.
    pub(super) fn provider_ref(&mut self, expr: &Expr, argument: &str) -> Option<ProviderRef> {
        let before = self.findings.len();
        let (name, key) = self.provider_key(expr);
        let traversal = match self.unquoted(&name, Quoted::Reference) {
            // The engine's own error about the reference is replaced by the one below.
            Unquoted::NotQuoted => name.as_traversal().map(Cow::into_owned),
            Unquoted::Reference(traversal) => Some(traversal),
            Unquoted::Unreadable => None,
        };
        let Some(traversal) = traversal.filter(|traversal| traversal.steps.len() < 2) else {
            let detail = format!(
                "`{argument}` must be the local name of a provider, optionally followed by a dot and an alias."
            );
            let mut finding = wrong_provider_ref(expr.span, detail);
            if depends_on_value(expr) {
                finding.help = Some(one_block_each(argument, self.features));
            }
            self.findings.push(finding);
            return None;
        };
        self.local_name(&traversal.root, traversal.root_span);
        if self.failed_since(before) {
            return None;
        }
        let step = traversal.steps.first();
        let alias = step.and_then(Step::name).cloned();
        if let Some(step) = step.filter(|_| alias.is_none()) {
            let detail = "A provider reference is a local name, optionally followed by a dot and an alias.";
            self.findings.push(wrong_provider_ref(step.span, detail));
        }
        Some(ProviderRef { name: traversal.root, name_span: traversal.root_span, alias, key })
    }

    /// Splits `name.alias[key]` (OpenTofu) into the reference and the key.
    fn provider_key<'e>(&self, expr: &'e Expr) -> (Cow<'e, Expr>, Option<Box<Expr>>) {
        let known = &self.features.grammar;
        let split = match &expr.kind {
            ExprKind::JsonString(string) if known.provider_for_each_json => {
                parse_expression(&string.text).ok().and_then(|inner| split_key(&inner, expr.span)).map(
                    |(mut name, key)| {
                        // Positions in the string are counted from its quote.
                        let end = expr.span.start + u32::try_from(name.root.len()).unwrap_or_default();
                        name.root_span = Span { end, ..expr.span };
                        name.steps.iter_mut().for_each(|step| step.span = expr.span);
                        (name, Expr { span: expr.span, ..key })
                    },
                )
            }
            _ if known.provider_for_each => split_key(expr, expr.span),
            _ => None,
        };
        match split {
            None => (Cow::Borrowed(expr), None),
            Some((name, key)) => (
                Cow::Owned(Expr { span: expr.span, kind: ExprKind::Traversal(Box::new(name)) }),
                Some(Box::new(key)),
            ),
        }
    }

    /// Reports a local provider name that is invalid or not in lower case. Returns whether it is valid.
    pub(super) fn local_name(&mut self, name: &str, at: Span) -> bool {
        let detail = match legal_part(name) {
            Ok(normal) if normal == name => return true,
            Ok(normal) => {
                format!("The local name of a provider is written in lower case: `{normal}`, not `{name}`.")
            }
            Err(reason) => format!("`{name}` cannot be the local name of a provider: {reason}."),
        };
        Finding::language(EngineRule::InvalidProviderConfiguration, "Invalid provider local name")
            .detail(detail)
            .at(at)
            .push_to(self.findings);
        false
    }

    /// Combines the rest of a block with its `_` block. A block can have only one.
    pub(super) fn escaping(&mut self, content: &Content, body: Body) -> Config {
        match self.only(content, "_", EngineRule::DuplicateDeclaration) {
            Some(escaping) => Config::Escaped(body, escaping.body.clone()),
            None => Config::Plain(body),
        }
    }

    /// The first block of a type that may occur once. Reports all others.
    pub(super) fn only<'c>(
        &mut self,
        content: &'c Content,
        kind: &str,
        rule: EngineRule,
    ) -> Option<&'c Arc<Block>> {
        let name = if kind == "_" { "escaping" } else { kind };
        let blocks = content.blocks.iter().filter(|block| block.kind == kind);
        self.first_of(blocks, &format!("Duplicate {name} block"), rule)
    }

    /// The first of blocks of which only one is allowed. Reports all others.
    pub(super) fn first_of<'b>(
        &mut self,
        mut blocks: impl Iterator<Item = &'b Arc<Block>>,
        summary: &str,
        rule: EngineRule,
    ) -> Option<&'b Arc<Block>> {
        let first = blocks.next()?;
        for other in blocks {
            Finding::language(rule, summary)
                .detail(format!("Only one `{}` block is allowed here.", other.kind))
                .at(other.header)
                .related(first.header, "first one here")
                .push_to(self.findings);
        }
        Some(first)
    }

    /// Reports a reserved block type.
    pub(super) fn reserved(&mut self, block: &Block, inside: &str) {
        Finding::language(
            EngineRule::UnsupportedBlockOrArgument,
            format!("Reserved block type name in {inside} block"),
        )
        .detail(format!("`{}` blocks are reserved for a future version of the language.", block.kind))
        .at(block.kind_span)
        .push_to(self.findings);
    }

    /// Whether an error was added after the first `before` findings. Earlier ones are not searched, because a file
    /// may have one in every block.
    pub(super) fn failed_since(&self, before: usize) -> bool {
        has_errors(&self.findings[before..])
    }
}

/// What a quoted reference refers to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quoted {
    Reference,
    Keyword,
}

/// The result of [`Decoder::unquoted`].
#[derive(Debug)]
pub(super) enum Unquoted {
    /// Not a quoted string: decode the expression as usual.
    NotQuoted,
    /// The reference in the string. After an error, the part before it.
    Reference(Traversal),
    /// Not even the start of a reference. The error is reported already.
    Unreadable,
}

/// Splits `name.alias[key]`. If the key is a literal, the engine reports the whole expression, whose span is `at`.
fn split_key(expr: &Expr, at: Span) -> Option<(Traversal, Expr)> {
    match &expr.kind {
        ExprKind::Index { collection, key, .. } => {
            let name = collection.as_traversal()?.into_owned();
            (name.steps.len() == 1).then(|| (name, (**key).clone()))
        }
        ExprKind::Traversal(traversal) => {
            let [_, last] = traversal.steps.as_slice() else { return None };
            let kind = match &last.kind {
                StepKind::Key(text) => ExprKind::Template(literal(text, last.span)),
                StepKind::Number(digits) => ExprKind::Number(digits.clone()),
                StepKind::Word(word) => word.map_or(ExprKind::Null, ExprKind::Bool),
                StepKind::Attribute(_) => return None,
            };
            let mut name = traversal.clone();
            name.steps.pop();
            Some((*name, Expr { span: at, kind }))
        }
        _ => None,
    }
}

fn literal(text: &SmolStr, span: Span) -> Template {
    Template { kind: TemplateKind::Quoted, parts: Box::from([Part::Literal { text: text.clone(), span }]) }
}

/// Whether an expression depends on a value, so that it is not a fixed name.
fn depends_on_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Traversal(traversal) => names_value(&traversal.root),
        ExprKind::JsonString(string) => {
            parse_expression(&string.text).is_ok_and(|inner| depends_on_value(&inner))
        }
        _ => !expr.variables().is_empty(),
    }
}

fn wrong_provider_ref(at: Span, detail: impl Into<String>) -> Finding {
    Finding::language(EngineRule::InvalidProviderConfiguration, "Invalid provider configuration reference")
        .detail(detail)
        .at(at)
        .help("write `name` or `name.alias`")
}
