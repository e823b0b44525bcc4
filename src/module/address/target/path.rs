//! Splits a traversal into a module path and a resource.

use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{EngineRule, Finding};
use crate::module::address::instance::NOT_WHOLE;
use crate::module::address::{InstanceKey, Mode, ModuleStep, ResourceAddress, ResourceInstance};
use crate::syntax::{Step, StepKind, Traversal};
use crate::text::Span;

pub(super) const INVALID_ADDRESS: &str = "Invalid address";
const INVALID_OPERATOR: &str = "Invalid address operator";

/// The parts of `traversal`, never empty. The root is a part like all others.
pub(super) fn parts(traversal: &Traversal) -> Vec<Step> {
    let root = Step { span: traversal.root_span, kind: StepKind::Attribute(traversal.root.clone()) };
    std::iter::once(root).chain(traversal.steps.iter().cloned()).collect()
}

/// The instance key that a part is: `None` for a name, an error for an invalid number.
fn key(part: &Step) -> Option<Result<InstanceKey, ()>> {
    match &part.kind {
        StepKind::Attribute(_) => None,
        StepKind::Key(text) => Some(Ok(InstanceKey::Text(text.clone()))),
        StepKind::Number(digits) => Some(InstanceKey::number(digits).ok_or(())),
        StepKind::Word(_) => Some(Err(())),
    }
}

/// From the first part to the last one. Returns `None` if there is no part.
pub(super) fn whole(parts: &[Step]) -> Option<Span> {
    Some(parts.first()?.span.to(parts.last()?.span))
}

/// A finding about an address in one of these blocks.
pub(super) fn wrong(summary: &'static str, at: Option<Span>, detail: impl Into<String>) -> Box<Finding> {
    let finding = Finding::language(EngineRule::InvalidMovedRemovedImport, summary).detail(detail);
    Box::new(Finding { primary: at, ..finding })
}

/// The `module.name` at the start of `parts`, and the rest. Returns `None` if the parts start differently.
pub(super) fn module_name(parts: &[Step]) -> Result<Option<(&SmolStr, &[Step])>, Box<Finding>> {
    let Some((first, rest)) = parts.split_first() else { return Ok(None) };
    let Some(keyword) = first.name() else {
        let detail = "The module path must be followed by `.` and a name.";
        return Err(wrong(INVALID_OPERATOR, Some(first.span), detail));
    };
    if keyword != "module" {
        return Ok(None);
    }
    let missing =
        |at| wrong(INVALID_OPERATOR, Some(at), "`module.` must be followed by the name of a module.");
    let (second, rest) = rest.split_first().ok_or_else(|| missing(first.span))?;
    let name = second.name().ok_or_else(|| missing(second.span))?;
    Ok(Some((name, rest)))
}

/// The module instance path at the start of `parts`, and the rest.
pub(super) fn module_path(parts: &[Step]) -> Result<(Vec<ModuleStep>, &[Step]), Vec<Finding>> {
    let mut path = Vec::new();
    let mut findings = Vec::new();
    let mut rest = parts;
    loop {
        let (name, behind) = match module_name(rest) {
            Ok(Some(found)) => found,
            Ok(None) => break,
            Err(finding) => {
                findings.push(*finding);
                break;
            }
        };
        rest = behind;
        let mut instance = None;
        if let Some((first, behind)) = rest.split_first()
            && let Some(found) = key(first)
        {
            rest = behind;
            // The engine continues after an invalid key, and reports the next one too.
            match found {
                Ok(found) => instance = Some(found),
                Err(()) => findings.push(*wrong(
                    INVALID_OPERATOR,
                    Some(first.span),
                    format!("This is not a valid module instance key: {NOT_WHOLE}."),
                )),
            }
        }
        path.push(ModuleStep { name: name.clone(), key: instance });
    }
    if findings.is_empty() { Ok((path, rest)) } else { Err(findings) }
}

/// The resource at the start of `parts`, and the rest.
pub(super) fn resource(mode: Mode, parts: &[Step]) -> Result<(ResourceAddress, &[Step]), Box<Finding>> {
    let [kind, name, rest @ ..] = parts else {
        let detail = "The address of a resource must have a type and a name.";
        return Err(wrong(INVALID_ADDRESS, whole(parts), detail));
    };
    let Some(kind) = kind.name() else {
        let detail = match mode {
            Mode::Managed => "A resource type is required here.",
            Mode::Data => "A data source type is required here.",
            Mode::Ephemeral => "An ephemeral resource type is required here.",
        };
        return Err(wrong(INVALID_ADDRESS, Some(kind.span), detail));
    };
    let Some(name) = name.name() else {
        return Err(wrong(INVALID_ADDRESS, Some(name.span), "A resource name is required here."));
    };
    Ok((ResourceAddress { mode, kind: kind.clone(), name: name.clone() }, rest))
}

/// The resource or resource instance that `parts` consist of.
pub(super) fn resource_instance(
    parts: &[Step],
    features: &Features,
) -> Result<ResourceInstance, Box<Finding>> {
    let (mode, behind) = mode(parts, features)?;
    let (resource, rest) = resource(mode, behind)?;
    match rest {
        [] => Ok(ResourceInstance { resource, key: None }),
        [only] => match key(only) {
            Some(Ok(key)) => Ok(ResourceInstance { resource, key: Some(key) }),
            Some(Err(())) => {
                let detail = format!("This is not a valid resource instance key: {NOT_WHOLE}.");
                Err(wrong(INVALID_ADDRESS, Some(only.span), detail))
            }
            None => {
                let detail = "After the name of a resource, only an instance key in brackets is allowed.";
                Err(wrong(INVALID_ADDRESS, Some(only.span), detail))
            }
        },
        [_, second, ..] => {
            Err(wrong(INVALID_ADDRESS, Some(second.span), "The address is already complete before this."))
        }
    }
}

/// The mode of the resource, and the parts after the keyword.
fn mode<'p>(parts: &'p [Step], features: &Features) -> Result<(Mode, &'p [Step]), Box<Finding>> {
    let grammar = &features.grammar;
    let Some((Step { kind: StepKind::Attribute(word), .. }, rest)) = parts.split_first() else {
        return Ok((Mode::Managed, parts));
    };
    match word.as_str() {
        "data" => Ok((Mode::Data, rest)),
        "ephemeral" if grammar.ephemeral => Ok((Mode::Ephemeral, rest)),
        "resource" if grammar.address_keywords => Ok((Mode::Managed, rest)),
        "count" | "each" | "local" | "module" | "path" | "self" | "terraform" | "var" | "template"
        | "lazy" | "arg"
            if grammar.address_keywords =>
        {
            let detail = format!(
                "`{word}` is a keyword, not a resource type. If a resource has that type, write `resource.{word}`."
            );
            Err(wrong(INVALID_ADDRESS, whole(parts), detail))
        }
        _ => Ok((Mode::Managed, parts)),
    }
}
