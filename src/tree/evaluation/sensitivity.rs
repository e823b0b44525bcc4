//! Turns expressions into whether their values are sensitive, as far as that is sure.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::module::Module;
use crate::module::declaration::Variable;
use crate::syntax::{Expr, ExprKind, ObjectKey, Part, StepKind, Template, Traversal};

/// Functions that give a sensitive value when they are given one, wherever in their arguments.
const HANDING_ON: &[&str] = &[
    "base64decode",
    "base64encode",
    "chomp",
    "indent",
    "jsonencode",
    "lower",
    "md5",
    "replace",
    "sha1",
    "sha256",
    "sha512",
    "strrev",
    "substr",
    "title",
    "trim",
    "trimprefix",
    "trimspace",
    "trimsuffix",
    "upper",
    "yamlencode",
];

/// How a value is sensitive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sensitive<'t> {
    /// All of it, rather than some part of a collection or object.
    whole: bool,
    /// Where it comes from; none where the expression itself says so.
    pub(super) from: Option<&'t Variable>,
}

/// The sensitive local values of a module.
#[derive(Debug, Default)]
pub(super) struct SensitiveLocals<'t>(BTreeMap<&'t SmolStr, Sensitive<'t>>);

impl<'t> SensitiveLocals<'t> {
    /// Looks at a local value; those that it is made from were looked at before.
    pub(super) fn look_at(&mut self, name: &'t SmolStr, expr: &Expr, module: &'t Module) {
        if let Some(sensitive) = self.of(expr, module) {
            self.0.insert(name, sensitive);
        }
    }

    /// How the value of an expression is sensitive, if it surely is. The depth of expressions is bounded where they are
    /// read.
    pub(super) fn of(&self, expr: &Expr, module: &'t Module) -> Option<Sensitive<'t>> {
        let within = |expr: &Expr| self.of(expr, module).map(|found| Sensitive { whole: false, ..found });
        let whole = |expr: &Expr| self.of(expr, module).filter(|found| found.whole);
        match &expr.kind {
            ExprKind::Traversal(traversal) => self.reference(traversal, module),
            ExprKind::Parens(inner) => self.of(inner, module),
            ExprKind::Relative { from: inner, .. }
            | ExprKind::Unary(_, inner)
            | ExprKind::Splat { source: inner, .. } => whole(inner),
            ExprKind::Index { collection, key, .. } => whole(collection).or_else(|| whole(key)),
            ExprKind::Binary(_, operands) => operands.iter().find_map(whole),
            ExprKind::Conditional(parts) => parts.iter().find_map(whole),
            ExprKind::For(inner) => whole(&inner.collection),
            ExprKind::Tuple(elements) => elements.iter().find_map(within),
            ExprKind::Object(items) => items.iter().find_map(|item| {
                let key = match &item.key {
                    ObjectKey::Name(..) => None,
                    ObjectKey::Expr(key) => whole(key),
                };
                key.or_else(|| within(&item.value))
            }),
            ExprKind::JsonObject(properties) => {
                properties.iter().find_map(|property| within(&property.value))
            }
            ExprKind::Template(template) => self.template(template, module),
            ExprKind::JsonString(string) => {
                string.template.as_ref().ok().and_then(|template| self.template(template, module))
            }
            ExprKind::Call(call) if call.name == "sensitive" => Some(Sensitive { whole: true, from: None }),
            ExprKind::Call(call) if HANDING_ON.contains(&call.name.as_str()) => call
                .arguments
                .iter()
                .find_map(|argument| self.of(argument, module))
                .map(|found| Sensitive { whole: true, ..found }),
            ExprKind::Call(_)
            | ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Element
            | ExprKind::Invalid => None,
        }
    }

    fn template(&self, template: &Template, module: &'t Module) -> Option<Sensitive<'t>> {
        template.parts.iter().find_map(|part| match part {
            Part::Interpolation(expr) => self.of(expr, module),
            Part::Literal { .. } | Part::If(_) | Part::For(_) => None,
        })
    }

    fn reference(&self, traversal: &Traversal, module: &'t Module) -> Option<Sensitive<'t>> {
        let StepKind::Attribute(name) = &traversal.steps.first()?.kind else { return None };
        match traversal.root.as_str() {
            "var" => {
                let variable = module.variables.get(name)?;
                let is_sensitive = variable.sensitive.as_ref().is_some_and(|sensitive| sensitive.value);
                is_sensitive.then_some(Sensitive { whole: true, from: Some(variable) })
            }
            "local" => {
                let local = self.0.get(name).copied()?;
                // Which part of it is sensitive is not kept.
                (local.whole || traversal.steps.len() == 1).then_some(local)
            }
            _ => None,
        }
    }
}
