//! Parses references in expressions, as `addrs.ParseRef` does.

mod in_test;
#[cfg(test)]
mod tests;

pub use in_test::{TestReference, TestSubject, reference_in_test};

use smol_str::SmolStr;

use super::instance::NOT_WHOLE;
use super::{InstanceKey, Mode, ResourceAddress};
use crate::engine::Features;
use crate::finding::{EngineRule, Finding};
use crate::syntax::{Step, StepKind, Traversal};
use crate::text::Span;

/// A reference at the start of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference<'a> {
    /// The referenced object.
    pub subject: Subject,
    /// From the first name to the last step of the subject.
    pub span: Span,
    /// The remaining steps, which access the value.
    pub remaining: &'a [Step],
}

/// The objects that can be referenced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// `var.name`.
    Variable(SmolStr),
    /// `local.name`.
    Local(SmolStr),
    /// `type.name`, `data.type.name` and so on, with the instance key that follows, if any.
    Resource {
        /// The address of the resource.
        address: ResourceAddress,
        /// `[0]` or `["a"]`.
        key: Option<InstanceKey>,
    },
    /// `module.name`, with the instance key and the output that follow, if any.
    Module {
        /// The name of the module call.
        call: SmolStr,
        /// `[0]` or `["a"]`.
        key: Option<InstanceKey>,
        /// The name of the output.
        output: Option<SmolStr>,
    },
    /// `count.name`.
    Count(SmolStr),
    /// `each.name`.
    Each(SmolStr),
    /// `path.name`.
    Path(SmolStr),
    /// `terraform.name`.
    Terraform(SmolStr),
    /// `tofu.name` (OpenTofu).
    Tofu(SmolStr),
    /// `self`.
    Itself,
    /// `action.type.name` (Terraform 1.14).
    Action {
        /// The first label.
        kind: SmolStr,
        /// The second label.
        name: SmolStr,
        /// `[0]` or `["a"]`.
        key: Option<InstanceKey>,
    },
    /// `list.type.name` (Terraform 1.14).
    List {
        /// The first label.
        kind: SmolStr,
        /// The second label.
        name: SmolStr,
        /// `[0]` or `["a"]`.
        key: Option<InstanceKey>,
    },
    /// A bare `string`, `number`, `bool` or `any` (Terraform 1.15).
    TypeName(SmolStr),
}

/// The error for a traversal that is not a valid reference. It becomes a finding only where a reference is required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceError {
    problem: Problem,
    span: Span,
    root: SmolStr,
    product: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Problem {
    /// `var` alone.
    Alone,
    /// An index instead of a name: `var["a"]`.
    NotAName,
    /// `data.a` without a name, or a single word that is not a resource type.
    TooShort(Series),
    /// An index instead of the name of a resource.
    NoName(Series),
    /// A key that is not a whole number.
    Key,
    /// Something other than an output after a module call.
    Module,
    /// A reserved word.
    Reserved,
}

/// The objects with two labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Series {
    Resource(Mode),
    Action,
    List,
}

/// The reference at the start of `traversal`, for the engine with `features`.
pub fn reference<'a>(traversal: &'a Traversal, features: &Features) -> Result<Reference<'a>, ReferenceError> {
    let reader = Reader { traversal, product: features.engine.product.name() };
    let grammar = &features.grammar;
    let type_symbols = grammar.type_symbols && traversal.steps.is_empty();
    match traversal.root.as_str() {
        "var" => reader.attribute(Subject::Variable),
        "local" => reader.attribute(Subject::Local),
        "module" => reader.module(),
        "each" => reader.attribute(Subject::Each),
        "count" => reader.attribute(Subject::Count),
        "path" => reader.attribute(Subject::Path),
        "terraform" => reader.attribute(Subject::Terraform),
        "tofu" if grammar.tofu_symbol => reader.attribute(Subject::Tofu),
        "self" => {
            Ok(Reference { subject: Subject::Itself, span: traversal.root_span, remaining: &traversal.steps })
        }
        "data" => reader.prefixed(Series::Resource(Mode::Data)),
        "resource" => reader.prefixed(Series::Resource(Mode::Managed)),
        "ephemeral" if grammar.ephemeral => reader.prefixed(Series::Resource(Mode::Ephemeral)),
        "action" if grammar.action_symbol => reader.prefixed(Series::Action),
        "list" if grammar.action_symbol => reader.prefixed(Series::List),
        "template" | "lazy" | "arg" => Err(reader.error(Problem::Reserved, traversal.root_span)),
        "string" | "number" | "bool" | "any" if type_symbols => Ok(Reference {
            subject: Subject::TypeName(traversal.root.clone()),
            span: traversal.root_span,
            remaining: &[],
        }),
        _ => {
            let series = Series::Resource(Mode::Managed);
            if traversal.steps.is_empty() {
                return Err(reader.error(Problem::TooShort(series), traversal.root_span));
            }
            reader.named(series, &traversal.root, &traversal.steps)
        }
    }
}

/// Parses one traversal.
struct Reader<'a> {
    traversal: &'a Traversal,
    product: &'static str,
}

impl<'a> Reader<'a> {
    /// `root.name`.
    fn attribute(&self, subject: impl FnOnce(SmolStr) -> Subject) -> Result<Reference<'a>, ReferenceError> {
        let (name, span, remaining) = self.first_name()?;
        Ok(Reference { subject: subject(name.clone()), span, remaining })
    }

    /// The first name after the root, the span up to it, and the remaining steps.
    fn first_name(&self) -> Result<(&'a SmolStr, Span, &'a [Step]), ReferenceError> {
        let Traversal { root_span, steps, .. } = self.traversal;
        match steps.split_first() {
            None => Err(self.error(Problem::Alone, *root_span)),
            Some((Step { kind: StepKind::Attribute(name), span }, rest)) => {
                Ok((name, root_span.to(*span), rest))
            }
            Some((step, _)) => Err(self.error(Problem::NotAName, step.span)),
        }
    }

    fn module(&self) -> Result<Reference<'a>, ReferenceError> {
        let (call, span, rest) = self.first_name()?;
        let (key, span, rest) = self.key(span, rest)?;
        let module = |output| Subject::Module { call: call.clone(), key: key.clone(), output };
        match rest.split_first() {
            None => Ok(Reference { subject: module(None), span, remaining: rest }),
            Some((Step { kind: StepKind::Attribute(output), span: end }, remaining)) => {
                Ok(Reference { subject: module(Some(output.clone())), span: span.to(*end), remaining })
            }
            Some((step, _)) => Err(self.error(Problem::Module, step.span)),
        }
    }

    /// `root.type.name`.
    fn prefixed(&self, series: Series) -> Result<Reference<'a>, ReferenceError> {
        let traversal = self.traversal;
        match traversal.steps.as_slice() {
            [] => Err(self.error(Problem::TooShort(series), traversal.root_span)),
            [only] => Err(self.error(Problem::TooShort(series), traversal.root_span.to(only.span))),
            [Step { kind: StepKind::Attribute(kind), .. }, rest @ ..] => self.named(series, kind, rest),
            [step, ..] => Err(self.error(Problem::NotAName, step.span)),
        }
    }

    /// The name at the start of `steps`, which is not empty, and the remaining steps.
    fn named(
        &self,
        series: Series,
        kind: &SmolStr,
        steps: &'a [Step],
    ) -> Result<Reference<'a>, ReferenceError> {
        let (name, end, rest) = match steps {
            [Step { kind: StepKind::Attribute(name), span }, rest @ ..] => (name, span, rest),
            [step, ..] => return Err(self.error(Problem::NoName(series), step.span)),
            [] => return Err(self.error(Problem::TooShort(series), self.traversal.root_span)),
        };
        let (key, span, remaining) = self.key(self.traversal.root_span.to(*end), rest)?;
        let (kind, name) = (kind.clone(), name.clone());
        let subject = match series {
            Series::Resource(mode) => {
                Subject::Resource { address: ResourceAddress { mode, kind, name }, key }
            }
            Series::Action => Subject::Action { kind, name, key },
            Series::List => Subject::List { kind, name, key },
        };
        Ok(Reference { subject, span, remaining })
    }

    /// The instance key at the start of `steps`, if any, the span including it, and the remaining steps.
    fn key(
        &self,
        span: Span,
        steps: &'a [Step],
    ) -> Result<(Option<InstanceKey>, Span, &'a [Step]), ReferenceError> {
        let Some((step, rest)) = steps.split_first() else { return Ok((None, span, steps)) };
        let key = match &step.kind {
            StepKind::Attribute(_) => return Ok((None, span, steps)),
            StepKind::Key(text) => InstanceKey::Text(text.clone()),
            StepKind::Number(digits) => {
                InstanceKey::number(digits).ok_or_else(|| self.error(Problem::Key, step.span))?
            }
            StepKind::Word(_) => return Err(self.error(Problem::Key, step.span)),
        };
        Ok((Some(key), span.to(step.span), rest))
    }

    fn error(&self, problem: Problem, span: Span) -> ReferenceError {
        ReferenceError { problem, span, root: self.traversal.root.clone(), product: self.product }
    }
}

impl ReferenceError {
    /// Whether the engine accepts it nevertheless, as a reference to an object without a name.
    pub fn is_to_the_nameless(&self) -> bool {
        let by_one_name =
            matches!(self.root.as_str(), "var" | "local" | "each" | "count" | "path" | "terraform" | "tofu");
        by_one_name && matches!(self.problem, Problem::Alone | Problem::NotAName)
    }

    /// The finding with the text of the engine.
    pub fn finding(&self) -> Finding {
        let root = &self.root;
        let (summary, detail) = match self.problem {
            Problem::Alone => {
                let name = match root.as_str() {
                    "each" => "key",
                    "count" => "index",
                    "path" => "module",
                    "terraform" | "tofu" => "workspace",
                    _ => "name",
                };
                (
                    INVALID_REFERENCE,
                    format!("`{root}` must be followed by `.` and a name, as in `{root}.{name}`."),
                )
            }
            Problem::NotAName => (INVALID_REFERENCE, format!("`{root}` must be followed by `.` and a name.")),
            Problem::TooShort(series) => (INVALID_REFERENCE, too_short(series, root)),
            Problem::NoName(series) => {
                let what = series.what();
                (INVALID_REFERENCE, format!("The type of {what} must be followed by `.` and its name."))
            }
            Problem::Key => ("Invalid index key", format!("This is not a valid instance key: {NOT_WHOLE}.")),
            Problem::Module => {
                (INVALID_REFERENCE, "A module can only be followed by `.` and the name of an output.".into())
            }
            Problem::Reserved => (
                "Reserved symbol name",
                format!(
                    "The name `{root}` is reserved for a future version of {}. If it is the type of a resource, write \
                     `resource.{root}`.",
                    self.product
                ),
            ),
        };
        Finding::language(EngineRule::InvalidReference, summary).at(self.span).detail(detail)
    }
}

const INVALID_REFERENCE: &str = "Invalid reference";

fn too_short(series: Series, root: &str) -> String {
    match series {
        Series::Resource(Mode::Managed) if root != "resource" => format!(
            "A resource type must be followed by `.` and the name of a resource. If `{root}` is not meant as a resource \
             type, a prefix such as `var.` or `local.`, or quotes may be missing."
        ),
        Series::Resource(_) | Series::Action | Series::List => {
            format!("`{root}` must be followed by two names, the type and the name of {}.", series.what())
        }
    }
}

impl Series {
    fn what(self) -> &'static str {
        match self {
            Self::Resource(Mode::Managed) => "a resource",
            Self::Resource(Mode::Data) => "a data source",
            Self::Resource(Mode::Ephemeral) => "an ephemeral resource",
            Self::Action => "an action",
            Self::List => "a list resource",
        }
    }
}
