//! What a function gives for what it is given: its value where that is cheap to say exactly, else its type.

use unicode_segmentation::UnicodeSegmentation;

use super::{
    Function, arithmetic, characters, collection, decoding, encoding, format, map, network, pattern,
    sequence, set, time,
};
use crate::value::convert::{Mode, convert, possible};
use crate::value::unify::unify;
use crate::value::{Number, Type, Value};

/// Why a function gives nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::value) enum FunctionError {
    /// What is wrong with an argument.
    Argument(usize, String),
    /// What is wrong with all of it.
    Call(String),
    /// It is more work than may be done.
    Expensive,
}

impl FunctionError {
    pub(super) fn of_argument(argument: usize, why: impl Into<String>) -> Self {
        Self::Argument(argument, why.into())
    }

    pub(super) fn of_call(why: impl Into<String>) -> Self {
        Self::Call(why.into())
    }

    /// The same, with no argument to blame.
    pub(super) fn without_argument(self) -> Self {
        match self {
            Self::Argument(_, why) => Self::Call(why),
            Self::Call(_) | Self::Expensive => self,
        }
    }
}

/// What `function` gives for arguments that are converted to its parameters. No text of more than `longest` bytes is
/// made or searched.
pub(in crate::value) fn result(
    function: &Function,
    arguments: &[Value],
    longest: usize,
) -> Result<Value, FunctionError> {
    match function.name {
        "tostring" => conversion(arguments, &Type::String),
        "tonumber" => conversion(arguments, &Type::Number),
        "tobool" => conversion(arguments, &Type::Bool),
        "tolist" => conversion(arguments, &Type::list(Type::Any)),
        "toset" => conversion(arguments, &Type::set(Type::Any)),
        "tomap" => conversion(arguments, &Type::map(Type::Any)),
        // Marked as sensitive, a null is no longer the one that takes on any type.
        "sensitive" | "nonsensitive" | "ephemeralasnull" => match arguments.first() {
            Some(value) if *value != Value::NULL => Ok(value.clone()),
            Some(_) | None => Ok(Value::UNKNOWN),
        },
        "min" | "max" if arguments.is_empty() => Err(FunctionError::of_call("it takes at least one number")),
        "list" => Err(gone("list", "tolist([ ... ])")),
        "map" => Err(gone("map", "tomap({ ... })")),
        "length" => length(arguments),
        "coalesce" => coalesce(arguments),
        "join" if arguments.len() == 1 && arguments[0].is_known() => {
            Err(FunctionError::of_call("it takes at least one list"))
        }
        "coalescelist" => collection::coalescelist(arguments),
        "join"
            if arguments.iter().skip(1).any(holds_null) && arguments.iter().all(Value::is_wholly_known) =>
        {
            let place = arguments.iter().skip(1).position(holds_null);
            Err(FunctionError::of_argument(place.map_or(1, |place| place + 1), "there is a null in it"))
        }
        "lower" | "upper" | "trimspace" | "join" | "split" | "startswith" | "endswith" | "strcontains" => {
            Ok(text(function.name, arguments).unwrap_or(Value::Unknown(function.gives.ty())))
        }
        "merge" => map::merge(arguments),
        "regex" | "regexall" => pattern::regex(function.name, arguments, longest),
        "parseint" => decoding::parseint(arguments),
        // The others say nothing about what is wholly unknown.
        _ if arguments.contains(&Value::UNKNOWN) => Ok(Value::Unknown(function.gives.ty())),
        "keys" => map::keys(arguments),
        "values" => map::values(arguments),
        "concat" => collection::concat(arguments),
        "lookup" => map::lookup(arguments),
        "element" => collection::element(arguments),
        "flatten" => collection::flatten(arguments),
        "distinct" | "compact" => Ok(collection::reduced(function.name, arguments)),
        "contains" => collection::contains(arguments),
        "one" => collection::one(arguments),
        "reverse" => collection::reverse(arguments),
        "slice" => collection::slice(arguments),
        "zipmap" => map::zipmap(arguments),
        "setunion" | "setintersection" | "setsubtract" => set::operation(function.name, arguments),
        "setproduct" => set::product(arguments),
        // Of a null without a type they say nothing either.
        "format" | "formatlist" if arguments.contains(&Value::NULL) => Ok(Value::UNKNOWN),
        "formatlist" if !arguments.iter().all(Value::is_wholly_known) => {
            Ok(Value::Unknown(Type::list(Type::String)))
        }
        "format" if !arguments.iter().all(Value::is_wholly_known) => Ok(Value::Unknown(Type::String)),
        name if arguments.iter().all(Value::is_wholly_known) => of_known(name, arguments, longest)
            .unwrap_or_else(|| {
                let may_fail = !NEVER_FAILING.contains(&name);
                Ok(if may_fail { Value::UNKNOWN } else { Value::Unknown(function.gives.ty()) })
            }),
        _ => Ok(Value::Unknown(function.gives.ty())),
    }
}

/// Why a function that Terraform 0.12 removed has no result, in the words of the engines.
fn gone(name: &str, instead: &str) -> FunctionError {
    FunctionError::of_call(format!(
        "the {name:?} function was deprecated in Terraform v0.12 and is no longer available; use {instead} syntax to \
         write a literal {name}"
    ))
}

/// What a function gives that gives nothing before it knows all of its arguments; none of those that are not carried
/// out here.
fn of_known(name: &str, arguments: &[Value], longest: usize) -> Option<Result<Value, FunctionError>> {
    Some(match name {
        "abs" | "ceil" | "floor" | "signum" => arithmetic::of_one(name, arguments),
        "alltrue" | "anytrue" => Ok(sequence::truth(name, arguments)),
        "base64decode" => decoding::base64decode(arguments),
        "base64encode" => Ok(encoding::base64encode(arguments)),
        "basename" | "chomp" | "dirname" | "strrev" | "title" | "trim" | "trimprefix" | "trimsuffix" => {
            Ok(characters::of_text(name, arguments))
        }
        "chunklist" => sequence::chunklist(arguments),
        "cidrhost" | "cidrnetmask" | "cidrsubnet" | "cidrsubnets" => network::cidr(name, arguments),
        "format" => format::format(arguments, longest),
        "formatdate" | "timeadd" | "timecmp" => time::time(name, arguments),
        "formatlist" => format::formatlist(arguments, longest),
        "indent" => characters::indent(arguments, longest),
        "index" => sequence::index(arguments),
        "jsondecode" => decoding::jsondecode(arguments),
        "jsonencode" => encoding::jsonencode(arguments),
        "log" => logarithm(arguments),
        "matchkeys" => sequence::matchkeys(arguments),
        "max" | "min" => Ok(arithmetic::outermost(name, arguments)),
        "pow" => arithmetic::power(arguments),
        "range" => sequence::range(arguments),
        "replace" => pattern::replace(arguments, longest),
        "sort" => sequence::sort(arguments),
        "substr" => characters::part(arguments),
        "sum" => sequence::sum(arguments),
        "transpose" => map::transpose(arguments),
        "uuidv5" => decoding::uuidv5(arguments),
        _ => return None,
    })
}

/// Functions that give something for everything that their parameters take. Of any other, not even the type of what
/// it gives is known without calling it: it may be an error, that nobody hears of in a branch that is not taken.
#[rustfmt::skip]
const NEVER_FAILING: &[&str] = &[
    "base64gzip", "base64sha256", "base64sha512", "bcrypt", "issensitive", "lower", "md5", "plantimestamp", "sha1",
    "sha256", "sha512", "timestamp", "trimspace", "upper", "urlencode", "uuid", "yamlencode",
];

/// Of numbers that have none, the engine cannot say it.
fn logarithm(arguments: &[Value]) -> Result<Value, FunctionError> {
    let mut numbers = arguments.iter().map(|argument| match argument {
        Value::Number(number) => number.to_string().parse::<f64>().ok(),
        _ => None,
    });
    let (Some(Some(number)), Some(Some(base))) = (numbers.next(), numbers.next()) else {
        return Ok(Value::Unknown(Type::Number));
    };
    if (number.ln() / base.ln()).is_nan() {
        return Err(FunctionError::of_call("there is no such logarithm"));
    }
    Ok(Value::Unknown(Type::Number))
}

fn conversion(arguments: &[Value], to: &Type) -> Result<Value, FunctionError> {
    let [value] = arguments else { return Ok(Value::Unknown(to.clone())) };
    let refusal = || {
        FunctionError::of_argument(0, format!("{} does not convert to {}", value.ty(), to.required_name()))
    };
    if !value.is(to) && !possible(&value.ty(), to, Mode::Unsafe) {
        return Err(refusal());
    }
    if !value.is_known() {
        // What the elements will be is left open here, unlike where values convert by themselves.
        return Ok(Value::Unknown(to.clone()));
    }
    convert(value, to).map_err(|_| refusal())
}

fn holds_null(list: &Value) -> bool {
    matches!(list, Value::List(_, elements) if elements.iter().any(Value::is_null))
}

fn length(arguments: &[Value]) -> Result<Value, FunctionError> {
    let [value] = arguments else { return Ok(Value::Unknown(Type::Number)) };
    let count = match (value, value.ty()) {
        (_, Type::Bool | Type::Number) => {
            return Err(FunctionError::of_call("its argument is a text, a collection, a tuple or an object"));
        }
        (_, Type::Tuple(elements)) => elements.len(),
        (_, Type::Object(attributes)) => attributes.len(),
        (Value::String(text), _) => text.graphemes(true).count(),
        (Value::List(_, elements), _) => elements.len(),
        (Value::Set(_, elements), _) if elements.len() <= 1 || value.is_wholly_known() => elements.len(),
        (Value::Map(_, elements), _) => elements.len(),
        _ => return Ok(Value::Unknown(Type::Number)),
    };
    Ok(Value::Number(Number::from(count)))
}

/// The first argument that is neither null nor an empty text.
fn coalesce(arguments: &[Value]) -> Result<Value, FunctionError> {
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    let Some(ty) = unify(&types, Mode::Unsafe) else {
        return Err(FunctionError::of_call("its arguments have no type in common"));
    };
    for argument in arguments {
        let Ok(value) = convert(argument, &ty) else { return Ok(Value::Unknown(ty)) };
        match value {
            Value::Unknown(_) => return Ok(Value::Unknown(ty)),
            Value::Null(_) => {}
            Value::String(text) if text.is_empty() => {}
            value => return Ok(value),
        }
    }
    Err(FunctionError::of_call("all of its arguments are null or empty"))
}

/// What functions on texts give; nothing where something is unknown, or not plain enough to be sure.
fn text(name: &str, arguments: &[Value]) -> Option<Value> {
    let first = arguments.first()?.as_str()?;
    let second = || arguments.get(1)?.as_str();
    match name {
        "lower" if first.is_ascii() => Some(Value::string(first.to_ascii_lowercase())),
        "upper" if first.is_ascii() => Some(Value::string(first.to_ascii_uppercase())),
        "trimspace" if first.is_ascii() => Some(Value::string(first.trim())),
        "startswith" => Some(Value::Bool(first.starts_with(second()?))),
        "endswith" => Some(Value::Bool(first.ends_with(second()?))),
        "strcontains" => Some(Value::Bool(first.contains(second()?))),
        "join" => {
            let mut parts = Vec::new();
            for list in &arguments[1..] {
                let Value::List(_, elements) = list else { return None };
                for element in elements {
                    parts.push(element.as_str()?);
                }
            }
            Some(Value::string(parts.join(first)))
        }
        "split" if !first.is_empty() => {
            let parts = second()?.split(first).map(Value::string);
            Some(Value::List(Type::String, parts.collect()))
        }
        _ => None,
    }
}
