//! The rows of the function table: parameters, result, and the handling of marks and unknown values.

use crate::engine::{Engine, Product};
use crate::finding::shortened;
use crate::value::{Marks, Number, Scope, Type, Value};

/// A built-in function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// The name, without `core::`.
    pub name: &'static str,
    /// The required parameters.
    pub parameters: &'static [Parameter],
    /// The parameter for any number of further arguments.
    pub variadic: Option<Parameter>,
    /// The result type.
    pub return_type: Kind,
    pub(super) evaluation: Evaluation,
    /// Whether an unknown result has the marks of arguments of `lifted` parameters.
    pub(super) marks_unknown: bool,
    /// Whether a result of any type is never null.
    never_null: bool,
    /// Whether a call with arguments of the right types cannot fail.
    total: bool,
    pub(super) since: Since,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name in messages.
    pub name: &'static str,
    /// The type that arguments are converted to.
    pub kind: Kind,
    /// Whether null is allowed.
    pub nullable: bool,
    marks: Marking,
}

/// The handling of the marks of an argument.
#[derive(Debug, Clone, Copy)]
enum Marking {
    /// All marks, including those of elements, move to the result.
    Moved,
    /// The marks of the argument itself move to the result, unless that is unknown. Elements keep theirs.
    Lifted,
    /// The function gets the marked argument.
    Left,
}

/// A type in a constant table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any type, or one that depends on the arguments.
    Any,
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    String,
    /// `list(…)`.
    ListOf(&'static Kind),
    /// `set(…)`.
    SetOf(&'static Kind),
    /// `map(…)`.
    MapOf(&'static Kind),
}

/// How a call is evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) enum Evaluation {
    /// The body handles all arguments.
    Always(Body),
    /// The body requires the type of each argument.
    Typed(Body),
    /// The body requires each argument to be wholly known.
    Known(Body),
    /// The result is always unknown, and the call never fails.
    Unknown,
    /// The call may fail, so that even the type of the result is unknown.
    Unmodelled,
    /// Every call fails, because Terraform 0.12 replaced the function by this syntax.
    Removed(&'static str),
}

/// The implementation of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    Plain(fn(&[Value]) -> Outcome),
    /// Creates and searches strings of at most the given number of bytes.
    Bounded(fn(&[Value], usize) -> Outcome),
    /// Reads files, or depends on the engine.
    InScope(fn(&[Value], &dyn Scope) -> Outcome),
}

/// The first minor versions with a function; `None` for an engine without it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since {
    terraform: Option<u16>,
    opentofu: Option<u16>,
}

/// The result of a call.
pub(super) type Outcome = Result<Value, FunctionError>;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::value) enum FunctionError {
    /// An argument is invalid.
    Argument(usize, String),
    /// The call is invalid.
    Call(String),
    /// The call exceeds a limit.
    Expensive,
    /// The result is unknown to overrule, but of the type in the table. This is not an error.
    Unknown,
}

/// A string in an error, in quotes.
pub(super) fn shown(text: &str) -> String {
    format!("{:?}", shortened::sentence(text))
}

impl FunctionError {
    pub(super) fn of_argument(argument: usize, why: impl Into<String>) -> Self {
        Self::Argument(argument, why.into())
    }

    pub(super) fn of_call(why: impl Into<String>) -> Self {
        Self::Call(why.into())
    }
}

/// A function that all supported releases have. The builder methods add all other properties.
pub(super) const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    variadic: Option<Parameter>,
    return_type: Kind,
) -> Function {
    let since = Since { terraform: Some(0), opentofu: Some(0) };
    let evaluation = Evaluation::Unmodelled;
    let (marks_unknown, never_null, total) = (false, false, false);
    Function { name, parameters, variadic, return_type, evaluation, marks_unknown, never_null, total, since }
}

pub(super) const fn given(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, nullable: false, marks: Marking::Moved }
}

pub(super) const fn nullable(name: &'static str, kind: Kind) -> Parameter {
    Parameter { nullable: true, ..given(name, kind) }
}

impl Parameter {
    pub(super) const fn lifted(self) -> Self {
        Self { marks: Marking::Lifted, ..self }
    }

    pub(super) const fn left(self) -> Self {
        Self { marks: Marking::Left, ..self }
    }
}

impl Function {
    pub(super) const fn since(self, terraform: Option<u16>, opentofu: Option<u16>) -> Self {
        Self { since: Since { terraform, opentofu }, ..self }
    }

    pub(super) const fn always(self, body: fn(&[Value]) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Always(Body::Plain(body)), ..self }
    }

    pub(super) const fn typed(self, body: fn(&[Value]) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Typed(Body::Plain(body)), ..self }
    }

    pub(super) const fn known(self, body: fn(&[Value]) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Known(Body::Plain(body)), ..self }
    }

    pub(super) const fn always_within(self, body: fn(&[Value], usize) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Always(Body::Bounded(body)), ..self }
    }

    pub(super) const fn typed_within(self, body: fn(&[Value], usize) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Typed(Body::Bounded(body)), ..self }
    }

    pub(super) const fn known_within(self, body: fn(&[Value], usize) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Known(Body::Bounded(body)), ..self }
    }

    /// A function that depends on the engine.
    pub(super) const fn typed_in(self, body: fn(&[Value], &dyn Scope) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Typed(Body::InScope(body)), ..self }
    }

    /// A function that reads files.
    pub(super) const fn reading(self, body: fn(&[Value], &dyn Scope) -> Outcome) -> Self {
        Self { evaluation: Evaluation::Known(Body::InScope(body)), ..self }
    }

    pub(super) const fn is_reading(&self) -> bool {
        matches!(self.evaluation, Evaluation::Known(Body::InScope(_)))
    }

    /// A function that never fails, with an unknown result.
    pub(super) const fn unknown(self) -> Self {
        Self { evaluation: Evaluation::Unknown, ..self }
    }

    /// A function that Terraform 0.12 replaced by the syntax `instead`.
    pub(super) const fn removed(self, instead: &'static str) -> Self {
        Self { evaluation: Evaluation::Removed(instead), ..self }
    }

    /// Whether the result follows from the arguments: not from files, the time or chance.
    pub fn is_pure(&self) -> bool {
        !matches!(self.evaluation, Evaluation::Unknown) && !self.is_reading()
    }

    /// The syntax that replaced the function, if every call of it fails.
    pub fn replacement(&self) -> Option<&'static str> {
        match self.evaluation {
            Evaluation::Removed(instead) => Some(instead),
            _ => None,
        }
    }

    pub(super) const fn marks_unknown(self) -> Self {
        Self { marks_unknown: true, ..self }
    }

    pub(super) const fn never_null(self) -> Self {
        Self { never_null: true, ..self }
    }

    pub(super) const fn total(self) -> Self {
        Self { total: true, ..self }
    }

    /// Whether every string, other than null, is valid for every parameter. A regular expression may be invalid.
    pub fn takes_any_strings(&self) -> bool {
        self.total && self.parameters.iter().all(|parameter| parameter.kind == Kind::String)
    }

    /// Whether every value is valid for the only parameter.
    pub fn takes_any_value(&self) -> bool {
        self.total && matches!(self.parameters, [Parameter { kind: Kind::Any, .. }])
    }

    /// Whether the result is never null. Only functions with a result of any type can return null.
    pub fn is_never_null(&self) -> bool {
        self.never_null || self.return_type != Kind::Any
    }

    /// Whether an engine has the function.
    pub fn is_in(&self, engine: Engine) -> bool {
        let since = match engine.product {
            Product::Terraform => self.since.terraform,
            Product::OpenTofu => self.since.opentofu,
        };
        // Terraform 0.12 has the functions of every Terraform 1 release.
        since.is_some_and(|minor| minor == 0 || engine.terraform(minor) || engine.opentofu(minor))
    }

    /// The parameter for an argument.
    pub fn parameter(&self, argument: usize) -> Option<&Parameter> {
        self.parameters.get(argument).or(self.variadic.as_ref())
    }

    /// Calls the function with converted arguments. The body creates and searches strings of at most `longest` bytes.
    pub(in crate::value) fn call(
        &self,
        mut arguments: Vec<Value>,
        longest: usize,
        scope: &dyn Scope,
    ) -> Outcome {
        if let Some(instead) = self.replacement() {
            return Err(removed(self.name, instead));
        }
        let (mut moved, mut lifted, mut is_dynamic) = (Marks::NONE, Marks::NONE, false);
        for (place, argument) in arguments.iter_mut().enumerate() {
            match self.parameter(place).map_or(Marking::Moved, |parameter| parameter.marks) {
                Marking::Moved => moved = moved.and(argument.take_deep_marks()),
                Marking::Lifted => lifted = lifted.and(argument.take_marks()),
                Marking::Left => continue,
            }
            is_dynamic |= *argument == Value::UNKNOWN;
        }
        let body = match self.evaluation {
            Evaluation::Always(body) => Some(body),
            _ if is_dynamic => None,
            Evaluation::Typed(body) => Some(body),
            _ if !arguments.iter().all(Value::is_wholly_known) => None,
            Evaluation::Known(body) => Some(body),
            Evaluation::Unknown => None,
            Evaluation::Unmodelled | Evaluation::Removed(_) => return Ok(Value::UNKNOWN.mark(moved)),
        };
        let result = match body.map(|body| body.run(&arguments, longest, scope)) {
            None | Some(Err(FunctionError::Unknown)) => Value::Unknown(self.return_type.ty()),
            Some(result) => result?,
        };
        let are_lost = !self.marks_unknown && !arguments.iter().all(Value::is_known)
            || is_dynamic && !matches!(self.evaluation, Evaluation::Always(_));
        Ok(result.mark(if are_lost { moved } else { moved.and(lifted) }))
    }
}

/// The error for a function that Terraform 0.12 removed, as in Terraform and OpenTofu.
fn removed(name: &str, instead: &str) -> FunctionError {
    FunctionError::of_call(format!(
        "the {name:?} function was deprecated in Terraform v0.12 and is no longer available; use {instead} syntax to \
         write a literal {name}"
    ))
}

impl Body {
    fn run(self, arguments: &[Value], longest: usize, scope: &dyn Scope) -> Outcome {
        match self {
            Self::Plain(body) => body(arguments),
            Self::Bounded(body) => body(arguments, longest),
            Self::InScope(body) => body(arguments, scope),
        }
    }
}

impl Kind {
    /// The type.
    pub fn ty(self) -> Type {
        match self {
            Self::Any => Type::Any,
            Self::Bool => Type::Bool,
            Self::Number => Type::Number,
            Self::String => Type::String,
            Self::ListOf(element) => Type::list(element.ty()),
            Self::SetOf(element) => Type::set(element.ty()),
            Self::MapOf(element) => Type::map(element.ty()),
        }
    }
}

/// A known string among the arguments.
pub(super) fn text(arguments: &[Value], place: usize) -> Result<&str, FunctionError> {
    arguments.get(place).and_then(Value::as_str).ok_or(FunctionError::Unknown)
}

/// A known number among the arguments.
pub(super) fn number(arguments: &[Value], place: usize) -> Result<&Number, FunctionError> {
    match arguments.get(place) {
        Some(Value::Number(number)) => Ok(number),
        _ => Err(FunctionError::Unknown),
    }
}

/// A whole number. Returns `None` for one larger than any function needs.
pub(super) fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) if number.is_whole() => number.to_string().parse().ok(),
        _ => None,
    }
}
