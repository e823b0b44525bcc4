//! Finds attributes of object literals that the object type of their target does not declare. Conversion drops them.
//!
//! OpenTofu warns about them in native syntax. Terraform drops them silently, and so does OpenTofu in JSON; there
//! overrule reports them under the same rule.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{EngineRule, Finding, Severity};
use crate::syntax::{Expr, ExprKind};
use crate::text::{Span, nearest};
use crate::value::{Attribute, Type, constant_key};

/// Limit of name comparisons per value when searching the nearest declared attribute.
const MOST_COMPARED: usize = 10_000;

/// Compares an object literal with the type that it is converted to, at every depth. `target` is the name of the
/// variable in messages.
pub(crate) fn attributes(
    expr: &Expr,
    ty: &Type,
    target: &str,
    features: &Features,
    findings: &mut Vec<Finding>,
) {
    let warns = features.ignored_object_attribute_warns;
    Search { target, warns, compared: 0, findings }.value(expr, ty);
}

struct Search<'s> {
    target: &'s str,
    /// Whether the engine itself warns about it in native syntax.
    warns: bool,
    compared: usize,
    findings: &'s mut Vec<Finding>,
}

impl Search<'_> {
    fn value(&mut self, expr: &Expr, ty: &Type) {
        match (&expr.kind, ty) {
            (ExprKind::Object(items), Type::Object(attributes)) => {
                let named: Vec<_> = items.iter().map(|item| (constant_key(&item.key), &item.value)).collect();
                self.object(&named, attributes, false);
            }
            (ExprKind::JsonObject(properties), Type::Object(attributes)) => {
                let named: Vec<_> = properties
                    .iter()
                    .map(|property| {
                        let is_constant = !property.name.text.contains(['$', '%']);
                        let name = is_constant.then(|| (property.name.text.clone(), property.name_span));
                        (name, &property.value)
                    })
                    .collect();
                self.object(&named, attributes, true);
            }
            (ExprKind::Object(items), Type::Map(element)) => {
                for item in items.iter().filter(|item| constant_key(&item.key).is_some()) {
                    self.value(&item.value, element);
                }
            }
            (ExprKind::JsonObject(properties), Type::Map(element)) => {
                for property in properties {
                    self.value(&property.value, element);
                }
            }
            (ExprKind::For(each), Type::Map(element)) if each.key.is_some() => {
                self.value(&each.value, element);
            }
            (ExprKind::For(each), Type::List(element) | Type::Set(element)) if each.key.is_none() => {
                self.value(&each.value, element);
            }
            (ExprKind::Tuple(elements), Type::List(element) | Type::Set(element)) => {
                for inner in elements {
                    self.value(inner, element);
                }
            }
            (ExprKind::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
                for (inner, ty) in elements.iter().zip(types.iter()) {
                    self.value(inner, ty);
                }
            }
            _ => {}
        }
    }

    fn object(
        &mut self,
        items: &[(Option<(SmolStr, Span)>, &Expr)],
        known: &BTreeMap<SmolStr, Attribute>,
        is_json: bool,
    ) {
        let set: BTreeSet<&SmolStr> = items.iter().filter_map(|(name, _)| Some(&name.as_ref()?.0)).collect();
        for (name, value) in items {
            let Some((name, at)) = name else { continue };
            if let Some(attribute) = known.get(name) {
                self.value(value, &attribute.ty);
                continue;
            }
            self.compared = self.compared.saturating_add(known.len());
            let affordable = if self.compared <= MOST_COMPARED { known.len() } else { 0 };
            let free = known.keys().take(affordable).filter(|other| !set.contains(other));
            self.ignored(name, *at, nearest(name, free.map(SmolStr::as_str)), is_json);
        }
    }

    fn ignored(&mut self, name: &str, at: Span, near: Option<&str>, is_json: bool) {
        let finding = Finding::language(EngineRule::IgnoredObjectAttribute, "Object attribute is ignored")
            .severity(Severity::Warning)
            .detail(format!(
                "The object type for {} does not include an attribute named {name:?}, so this definition is unused.",
                self.target
            ))
            .at(at);
        let finding = if self.warns && !is_json { finding } else { finding.of_ours() };
        finding
            .help(format!("remove `{name}`, or add it to the type of the variable"))
            .meant(near)
            .push_to(self.findings);
    }
}
