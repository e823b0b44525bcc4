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

/// A part of an address. Unlike in a traversal, the root is a part like all others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) span: Span,
    pub(super) kind: PartKind<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PartKind<'a> {
    Name(&'a SmolStr),
    Key(&'a SmolStr),
    Number(&'a str),
    /// `[true]` or `[null]`, which is never a valid key.
    Word,
}

/// The parts of `traversal`, never empty.
pub(super) fn parts(traversal: &Traversal) -> Vec<Part<'_>> {
    let root = Part { span: traversal.root_span, kind: PartKind::Name(&traversal.root) };
    std::iter::once(root).chain(traversal.steps.iter().map(Part::of)).collect()
}

impl<'a> Part<'a> {
    pub(super) fn of(step: &'a Step) -> Self {
        let kind = match &step.kind {
            StepKind::Attribute(name) => PartKind::Name(name),
            StepKind::Key(text) => PartKind::Key(text),
            StepKind::Number(digits) => PartKind::Number(digits),
            StepKind::Word(_) => PartKind::Word,
        };
        Self { span: step.span, kind }
    }

    fn name(&self) -> Option<&'a SmolStr> {
        match self.kind {
            PartKind::Name(name) => Some(name),
            PartKind::Key(_) | PartKind::Number(_) | PartKind::Word => None,
        }
    }

    /// The instance key of this part: `None` for a name, an error for an invalid number.
    fn key(&self) -> Option<Result<InstanceKey, ()>> {
        match self.kind {
            PartKind::Name(_) => None,
            PartKind::Key(text) => Some(Ok(InstanceKey::Text(text.clone()))),
            PartKind::Number(digits) => Some(InstanceKey::number(digits).ok_or(())),
            PartKind::Word => Some(Err(())),
        }
    }
}

/// From the first part to the last one. Returns `None` if there is no part.
pub(super) fn whole(parts: &[Part<'_>]) -> Option<Span> {
    Some(parts.first()?.span.to(parts.last()?.span))
}

/// A finding about an address in one of these blocks.
pub(super) fn wrong(summary: &'static str, at: Option<Span>, detail: impl Into<String>) -> Box<Finding> {
    let finding = Finding::language(EngineRule::InvalidMovedRemovedImport, summary).detail(detail);
    Box::new(Finding { primary: at, ..finding })
}

/// The `module.name` at the start of `parts`, and the rest. Returns `None` if the parts start differently.
pub(super) fn module_name<'a, 'p>(
    parts: &'p [Part<'a>],
) -> Result<Option<(&'a SmolStr, &'p [Part<'a>])>, Box<Finding>> {
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
pub(super) fn module_path<'a, 'p>(
    parts: &'p [Part<'a>],
) -> Result<(Vec<ModuleStep>, &'p [Part<'a>]), Vec<Finding>> {
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
        let mut key = None;
        if let Some((first, behind)) = rest.split_first()
            && let Some(found) = first.key()
        {
            rest = behind;
            // The engine continues after an invalid key, and reports the next one too.
            match found {
                Ok(found) => key = Some(found),
                Err(()) => findings.push(*wrong(
                    INVALID_OPERATOR,
                    Some(first.span),
                    format!("This is not a valid module instance key: {NOT_WHOLE}."),
                )),
            }
        }
        path.push(ModuleStep { name: name.clone(), key });
    }
    if findings.is_empty() { Ok((path, rest)) } else { Err(findings) }
}

/// The resource at the start of `parts`, and the rest.
pub(super) fn resource<'a, 'p>(
    mode: Mode,
    parts: &'p [Part<'a>],
) -> Result<(ResourceAddress, &'p [Part<'a>]), Box<Finding>> {
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
    parts: &[Part<'_>],
    features: &Features,
) -> Result<ResourceInstance, Box<Finding>> {
    let (mode, behind) = mode(parts, features)?;
    let (resource, rest) = resource(mode, behind)?;
    match rest {
        [] => Ok(ResourceInstance { resource, key: None }),
        [only] => match only.key() {
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
fn mode<'a, 'p>(parts: &'p [Part<'a>], features: &Features) -> Result<(Mode, &'p [Part<'a>]), Box<Finding>> {
    let grammar = &features.grammar;
    let Some((Part { kind: PartKind::Name(word), .. }, rest)) = parts.split_first() else {
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
