//! The built-in functions: what each is called, takes and gives.

use super::{Type, Value};
use Kind::{Any, Bool, ListOf, MapOf, Number, SetOf, String};

mod arithmetic;
mod characters;
mod collection;
mod decoding;
mod encoding;
mod format;
mod map;
mod network;
mod pattern;
mod result;
mod sequence;
mod set;
mod time;

pub(super) use result::{FunctionError, result};

/// A built-in function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// How it is called.
    pub name: &'static str,
    /// What it takes, in order.
    pub parameters: &'static [Parameter],
    /// What it takes any number of behind those.
    pub variadic: Option<Parameter>,
    /// What it gives.
    pub gives: Kind,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// What messages call it.
    pub name: &'static str,
    /// What is asked for.
    pub kind: Kind,
    /// Whether null can be given.
    pub nullable: bool,
}

/// A type, as far as a table can hold one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any type, or one that depends on what is given.
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

/// A whole number, where a value is one that is not too large for what it is needed for.
fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) if number.is_whole() => number.to_string().parse().ok(),
        _ => None,
    }
}

impl Kind {
    /// The type that it stands for.
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

impl Function {
    /// The function of that name, without `core::`; of any engine.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.binary_search_by(|function| function.name.cmp(name)).ok().map(|at| &ALL[at])
    }

    /// The parameter that an argument is given for.
    pub fn parameter(&self, argument: usize) -> Option<&Parameter> {
        self.parameters.get(argument).or(self.variadic.as_ref())
    }
}

const fn function(
    name: &'static str,
    parameters: &'static [Parameter],
    variadic: Option<Parameter>,
    gives: Kind,
) -> Function {
    Function { name, parameters, variadic, gives }
}

const fn given(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, nullable: false }
}

const fn nullable(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, kind, nullable: true }
}

/// Every function that some engine has, by name. `terraform metadata functions -json` tells these things.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    function("abs", &[given("num", Number)], None, Number),
    function("abspath", &[given("path", String)], None, String),
    function("alltrue", &[given("list", ListOf(&Bool))], None, Bool),
    function("anytrue", &[given("list", ListOf(&Bool))], None, Bool),
    function("base64decode", &[given("str", String)], None, String),
    function("base64encode", &[given("str", String)], None, String),
    function("base64gunzip", &[given("str", String)], None, String),
    function("base64gzip", &[given("str", String)], None, String),
    function("base64sha256", &[given("str", String)], None, String),
    function("base64sha512", &[given("str", String)], None, String),
    function("basename", &[given("path", String)], None, String),
    function("bcrypt", &[given("str", String)], Some(given("cost", Number)), String),
    function("can", &[given("expression", Any)], None, Bool),
    function("ceil", &[given("num", Number)], None, Number),
    function("chomp", &[given("str", String)], None, String),
    function("chunklist", &[given("list", ListOf(&Any)), given("size", Number)], None, ListOf(&ListOf(&Any))),
    function("cidrcontains", &[given("containing_prefix", String), given("contained_ip_or_prefix", String)], None, Bool),
    function("cidrhost", &[given("prefix", String), given("hostnum", Number)], None, String),
    function("cidrnetmask", &[given("prefix", String)], None, String),
    function("cidrsubnet", &[given("prefix", String), given("newbits", Number), given("netnum", Number)], None, String),
    function("cidrsubnets", &[given("prefix", String)], Some(given("newbits", Number)), ListOf(&String)),
    function("coalesce", &[], Some(nullable("vals", Any)), Any),
    function("coalescelist", &[], Some(nullable("vals", Any)), Any),
    function("compact", &[given("list", ListOf(&String))], None, ListOf(&String)),
    function("concat", &[], Some(given("seqs", Any)), Any),
    function("contains", &[given("list", Any), given("value", Any)], None, Any),
    function("convert", &[given("value", Any), given("type", Any)], None, Any),
    function("csvdecode", &[given("str", String)], None, Any),
    function("dirname", &[given("path", String)], None, String),
    function("distinct", &[given("list", ListOf(&Any))], None, ListOf(&Any)),
    function("element", &[given("list", Any), given("index", Number)], None, Any),
    function("endswith", &[given("str", String), given("suffix", String)], None, Bool),
    function("ephemeralasnull", &[nullable("value", Any)], None, Any),
    function("file", &[given("path", String)], None, String),
    function("filebase64", &[given("path", String)], None, String),
    function("filebase64sha256", &[given("path", String)], None, String),
    function("filebase64sha512", &[given("path", String)], None, String),
    function("fileexists", &[given("path", String)], None, Bool),
    function("filemd5", &[given("path", String)], None, String),
    function("fileset", &[given("path", String), given("pattern", String)], None, SetOf(&String)),
    function("filesha1", &[given("path", String)], None, String),
    function("filesha256", &[given("path", String)], None, String),
    function("filesha512", &[given("path", String)], None, String),
    function("flatten", &[given("list", Any)], None, Any),
    function("floor", &[given("num", Number)], None, Number),
    function("format", &[given("format", String)], Some(nullable("args", Any)), Any),
    function("formatdate", &[given("format", String), given("time", String)], None, String),
    function("formatlist", &[given("format", String)], Some(nullable("args", Any)), Any),
    function("indent", &[given("spaces", Number), given("str", String)], None, String),
    function("index", &[given("list", Any), given("value", Any)], None, Any),
    function("issensitive", &[nullable("value", Any)], None, Bool),
    function("join", &[given("separator", String)], Some(given("lists", ListOf(&String))), String),
    function("jsondecode", &[given("str", String)], None, Any),
    function("jsonencode", &[nullable("val", Any)], None, String),
    function("keys", &[given("inputMap", Any)], None, Any),
    function("length", &[given("value", Any)], None, Number),
    function("list", &[], Some(nullable("vals", Any)), Any),
    function("log", &[given("num", Number), given("base", Number)], None, Number),
    function("lookup", &[given("inputMap", Any), given("key", String)], Some(nullable("default", Any)), Any),
    function("lower", &[given("str", String)], None, String),
    function("map", &[], Some(nullable("vals", Any)), Any),
    function("matchkeys", &[given("values", ListOf(&Any)), given("keys", ListOf(&Any)), given("searchset", ListOf(&Any))], None, ListOf(&Any)),
    function("max", &[], Some(given("numbers", Number)), Number),
    function("md5", &[given("str", String)], None, String),
    function("merge", &[], Some(nullable("maps", Any)), Any),
    function("min", &[], Some(given("numbers", Number)), Number),
    function("nonsensitive", &[nullable("value", Any)], None, Any),
    function("one", &[given("list", Any)], None, Any),
    function("parseint", &[given("number", Any), given("base", Number)], None, Any),
    function("pathexpand", &[given("path", String)], None, String),
    function("plantimestamp", &[], None, String),
    function("pow", &[given("num", Number), given("power", Number)], None, Number),
    function("range", &[], Some(given("params", Number)), ListOf(&Number)),
    function("regex", &[given("pattern", String), given("string", String)], None, Any),
    function("regexall", &[given("pattern", String), given("string", String)], None, ListOf(&Any)),
    function("replace", &[given("str", String), given("substr", String), given("replace", String)], None, String),
    function("reverse", &[given("list", Any)], None, Any),
    function("rsadecrypt", &[given("ciphertext", String), given("privatekey", String)], None, String),
    function("sensitive", &[nullable("value", Any)], None, Any),
    function("setintersection", &[given("first_set", SetOf(&Any))], Some(given("other_sets", SetOf(&Any))), SetOf(&Any)),
    function("setproduct", &[], Some(given("sets", Any)), Any),
    function("setsubtract", &[given("a", SetOf(&Any)), given("b", SetOf(&Any))], None, SetOf(&Any)),
    function("setunion", &[given("first_set", SetOf(&Any))], Some(given("other_sets", SetOf(&Any))), SetOf(&Any)),
    function("sha1", &[given("str", String)], None, String),
    function("sha256", &[given("str", String)], None, String),
    function("sha512", &[given("str", String)], None, String),
    function("signum", &[given("num", Number)], None, Number),
    function("slice", &[given("list", Any), given("start_index", Number), given("end_index", Number)], None, Any),
    function("sort", &[given("list", ListOf(&String))], None, ListOf(&String)),
    function("split", &[given("separator", String), given("str", String)], None, ListOf(&String)),
    function("startswith", &[given("str", String), given("prefix", String)], None, Bool),
    function("strcontains", &[given("str", String), given("substr", String)], None, Bool),
    function("strrev", &[given("str", String)], None, String),
    function("substr", &[given("str", String), given("offset", Number), given("length", Number)], None, String),
    function("sum", &[given("list", Any)], None, Any),
    function("templatefile", &[given("path", String), given("vars", Any)], None, Any),
    function("templatestring", &[given("template", Any), given("vars", Any)], None, String),
    function("textdecodebase64", &[given("source", String), given("encoding", String)], None, String),
    function("textencodebase64", &[given("string", String), given("encoding", String)], None, String),
    function("timeadd", &[given("timestamp", String), given("duration", String)], None, String),
    function("timecmp", &[given("timestamp_a", String), given("timestamp_b", String)], None, Number),
    function("timestamp", &[], None, String),
    function("title", &[given("str", String)], None, String),
    function("tobool", &[nullable("v", Any)], None, Bool),
    function("tolist", &[nullable("v", Any)], None, ListOf(&Any)),
    function("tomap", &[nullable("v", Any)], None, MapOf(&Any)),
    function("tonumber", &[nullable("v", Any)], None, Number),
    function("toset", &[nullable("v", Any)], None, SetOf(&Any)),
    function("tostring", &[nullable("v", Any)], None, String),
    function("transpose", &[given("values", MapOf(&ListOf(&String)))], None, MapOf(&ListOf(&String))),
    function("trim", &[given("str", String), given("cutset", String)], None, String),
    function("trimprefix", &[given("str", String), given("prefix", String)], None, String),
    function("trimspace", &[given("str", String)], None, String),
    function("trimsuffix", &[given("str", String), given("suffix", String)], None, String),
    function("try", &[], Some(given("expressions", Any)), Any),
    function("upper", &[given("str", String)], None, String),
    function("urldecode", &[given("str", String)], None, String),
    function("urlencode", &[given("str", String)], None, String),
    function("uuid", &[], None, String),
    function("uuidv5", &[given("namespace", String), given("name", String)], None, String),
    function("values", &[given("mapping", Any)], None, Any),
    function("yamldecode", &[given("src", String)], None, Any),
    function("yamlencode", &[nullable("value", Any)], None, String),
    function("zipmap", &[given("keys", ListOf(&String)), given("values", Any)], None, Any),
];

#[cfg(test)]
mod tests {
    use super::{ALL, Function};

    #[test]
    fn the_table_is_sorted() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        for function in ALL {
            assert_eq!(Function::named(function.name).map(|found| found.name), Some(function.name));
        }
        assert!(Function::named("nothing").is_none());
    }
}
