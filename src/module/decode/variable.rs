//! Decodes `variable` and `locals` blocks.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{self, Subject};
use crate::module::declaration::{Condition, Local, Origin, Spanned, Variable};
use crate::module::decode::{Decoder, arguments};
use crate::module::undeclared_attributes;
use crate::syntax::{Block, BlockSchema, Content, Label, Schema};
use crate::text::is_identifier;
use crate::value::{self, TypeConstraint, Value};

impl Decoder<'_> {
    pub(super) fn variable(&mut self, block: &Arc<Block>) -> Variable {
        let known = &self.features.grammar;
        let newer = [
            (known.nullable, "nullable"),
            (known.ephemeral, "ephemeral"),
            (known.deprecated, "deprecated"),
            (known.const_variable, "const"),
        ];
        let attributes = arguments(&["description", "default", "type", "sensitive"], &newer);
        let schema = Schema { attributes: &attributes, blocks: &[BlockSchema::new("validation", &[])] };
        let content = block.body.content(&schema, self.findings);
        let name = self.variable_name(&block.labels[0]);
        let description = self.text(&content, "description");
        let constraint = content.attribute("type").map(|attribute| Spanned {
            value: value::type_constraint(&attribute.expr, self.findings),
            span: attribute.expr.span,
        });
        let sensitive = self.flag(&content, "sensitive");
        let ephemeral = self.flag(&content, "ephemeral");
        let constant = self.flag(&content, "const");
        let nullable = self.flag(&content, "nullable");
        let default = self.default(&content, constraint.as_ref(), nullable.as_ref());
        let deprecated = self.text(&content, "deprecated");
        self.deprecation(deprecated.as_ref(), block.labels[0].span, "Invalid `deprecated` value");
        self.const_excludes(constant.as_ref(), sensitive.as_ref(), "sensitive", block);
        self.const_excludes(constant.as_ref(), ephemeral.as_ref(), "ephemeral", block);
        let validations = content.blocks.iter().map(|block| self.validation(block, &name)).collect();
        Variable {
            name,
            origin: Origin::of(block),
            description,
            constraint,
            default,
            sensitive,
            ephemeral,
            nullable,
            deprecated,
            constant,
            validations,
        }
    }

    fn variable_name(&mut self, label: &Label) -> SmolStr {
        self.name(label, "Invalid variable name");
        if self.features.reserved_variable_names.contains(&label.text.as_str()) {
            Finding::language(EngineRule::InvalidName, "Invalid variable name")
                .detail(format!(
                    "`{}` is a reserved name in module calls, so a variable cannot have it.",
                    label.text
                ))
                .at(label.span)
                .help("choose another name")
                .push_to(self.findings);
        }
        label.text.clone()
    }

    /// The default, converted to the type in this block. In an override block without a type, it is converted after
    /// merging.
    fn default(
        &mut self,
        content: &Content,
        constraint: Option<&Spanned<TypeConstraint>>,
        nullable: Option<&Spanned<bool>>,
    ) -> Option<Spanned<Value>> {
        let attribute = content.attribute("default")?;
        let span = attribute.expr.span;
        let mut value = value::constant_within(self.limits, &attribute.expr, self.findings);
        if let Some(Spanned { value: constraint, .. }) = constraint {
            let too_large = self.work.and_then(|work| constraint.pay(&value, work, span, self.limits).err());
            if let Some(limit) = too_large {
                self.findings.extend(limit);
                value = Value::UNKNOWN;
            }
            value = match constraint.accept(&value) {
                Ok(converted) => converted,
                Err(mismatch) => {
                    Finding::language(EngineRule::InvalidDefaultValue, "Invalid default value for variable")
                        .detail(format!("The default does not match the type of this variable: {mismatch}."))
                        .at(span)
                        .push_to(self.findings);
                    Value::UNKNOWN
                }
            };
            undeclared_attributes::attributes(
                &attribute.expr,
                &constraint.ty,
                "this variable",
                self.features,
                self.findings,
            );
        }
        if value.is_null() && nullable.is_some_and(|nullable| !nullable.value) {
            Finding::language(EngineRule::InvalidDefaultValue, "Invalid default value for variable")
                .detail("The default is null, but the variable sets `nullable = false`.")
                .at(span)
                .push_to(self.findings);
        }
        Some(Spanned { value, span })
    }

    fn validation(&mut self, block: &Arc<Block>, variable: &str) -> Condition {
        let condition = self.condition(block);
        if let Some(attribute) = condition.condition.as_ref().filter(|attribute| !attribute.is_broken) {
            let mut own = false;
            let mut others = false;
            for traversal in attribute.expr.variables() {
                match address::reference(traversal, self.features) {
                    Ok(reference) if matches!(&reference.subject, Subject::Variable(name) if name == variable) =>
                    {
                        own = true;
                    }
                    _ => others = true,
                }
            }
            if others && !self.features.validation_refers_to_others {
                Finding::language(
                    EngineRule::InvalidCheckOrCondition,
                    "Invalid reference in variable validation",
                )
                .detail(format!(
                    "In {}, a condition can refer only to its own variable, `var.{variable}`; newer versions also \
                     accept other references.",
                    self.features.engine
                ))
                .at(attribute.expr.span)
                .push_to(self.findings);
            } else if !own {
                Finding::language(
                    EngineRule::InvalidCheckOrCondition,
                    "Invalid variable validation condition",
                )
                .detail(format!("The condition must refer to the variable itself, as in `var.{variable}`."))
                .at(attribute.expr.span)
                .push_to(self.findings);
            }
        }
        condition
    }

    fn const_excludes(
        &mut self,
        constant: Option<&Spanned<bool>>,
        other: Option<&Spanned<bool>>,
        word: &str,
        block: &Block,
    ) {
        let both = constant.is_some_and(|given| given.value) && other.is_some_and(|given| given.value);
        if both && self.features.const_excludes_sensitive {
            Finding::language(EngineRule::InvalidValue, format!("Const variable cannot be {word}"))
                .detail(format!("A `const` variable cannot be {word}."))
                .at(block.header)
                .push_to(self.findings);
        }
    }

    pub(super) fn locals(&mut self, block: &Arc<Block>) -> Vec<Local> {
        let attributes = block.body.just_attributes(self.findings);
        for attribute in &attributes {
            if !is_identifier(&attribute.name) {
                self.name(
                    &Label { text: attribute.name.clone(), span: attribute.name_span },
                    "Invalid local value name",
                );
            }
        }
        attributes
            .into_iter()
            .map(|attribute| Local {
                name: attribute.name.clone(),
                attribute,
                base: None,
                superseded: Vec::new(),
            })
            .collect()
    }
}
