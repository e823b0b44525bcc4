//! Finds attributes written into a default that the object type of its variable does not have: conversion drops them.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::finding::{Finding, Language, Severity};
use crate::syntax::{Expr, ExprKind, ObjectItem, ObjectKey};
use crate::text::{Span, nearest};
use crate::value::{self, Attribute, Type};

/// Compares what is written out with the type it is converted to, as deep as both are known.
pub(super) fn attributes(expr: &Expr, ty: &Type, findings: &mut Vec<Finding>) {
    match (&expr.kind, ty) {
        (ExprKind::Object(items), Type::Object(attributes)) => {
            for item in items {
                let Some((name, span)) = name(item) else { continue };
                match attributes.get(&name) {
                    Some(attribute) => self::attributes(&item.value, &attribute.ty, findings),
                    None => findings.push(ignored(&name, span, attributes)),
                }
            }
        }
        (ExprKind::Object(items), Type::Map(element)) => {
            for item in items.iter().filter(|item| name(item).is_some()) {
                attributes(&item.value, element, findings);
            }
        }
        (ExprKind::For(each), Type::Map(element)) if each.key.is_some() => {
            attributes(&each.value, element, findings);
        }
        (ExprKind::For(each), Type::List(element) | Type::Set(element)) if each.key.is_none() => {
            attributes(&each.value, element, findings);
        }
        (ExprKind::Tuple(elements), Type::List(element) | Type::Set(element)) => {
            for inner in elements {
                attributes(inner, element, findings);
            }
        }
        (ExprKind::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            for (inner, ty) in elements.iter().zip(types.iter()) {
                attributes(inner, ty, findings);
            }
        }
        _ => {}
    }
}

/// The name that an item sets, where it is written out.
fn name(item: &ObjectItem) -> Option<(SmolStr, Span)> {
    match &item.key {
        ObjectKey::Name(name, span) => Some((name.clone(), *span)),
        ObjectKey::Expr(key) => {
            let mut wrong = Vec::new();
            let value = value::constant(key, &mut wrong);
            let text = value::convert(&value, &Type::String).ok().filter(|_| wrong.is_empty())?;
            Some((text.as_str()?.into(), key.span))
        }
    }
}

fn ignored(name: &str, at: Span, known: &BTreeMap<SmolStr, Attribute>) -> Finding {
    let finding = Finding::language(Language::InvalidDefaultValue, "Object attribute is ignored")
        .severity(Severity::Warning)
        .detail(format!("The object type of this variable has no attribute `{name}`, so this is dropped."))
        .at(at);
    match nearest(name, known.keys().map(SmolStr::as_str)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    }
}
