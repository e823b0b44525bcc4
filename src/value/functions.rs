//! The built-in functions, one row each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use Kind::{Any, Bool, ListOf, MapOf, Number as Num, SetOf, String};
use signature::{function, given, nullable};

use super::weight::weight;
use super::{Number, Type, Value};

mod arithmetic;
mod character_set;
mod characters;
mod collection;
mod conversion;
mod csv;
mod decoding;
mod encoding;
mod file;
mod fileset;
mod format;
mod map;
mod network;
mod pattern;
mod sequence;
mod set;
mod signature;
mod time;
mod yaml;

pub(super) use file::content as read_text;
pub(super) use signature::FunctionError;
pub use signature::{Function, Kind, Parameter};

impl Function {
    /// The function of this name in any engine, without `core::`.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.binary_search_by(|function| function.name.cmp(name)).ok().map(|at| &ALL[at])
    }

    /// Whether this is the name of a function whose first argument is the path of a file or directory.
    pub fn reads_files(name: &str) -> bool {
        // The evaluation of calls reads the files of templates.
        name == "templatefile" || Self::named(name).is_some_and(Self::is_reading)
    }

    /// The approximate number of steps of a call, in addition to one for each part of its arguments and result.
    pub(super) fn work(&self, arguments: &[Value]) -> usize {
        let mut texts = arguments.iter().map(Value::as_str);
        match self.name {
            "regex" | "regexall" => {
                let pattern = texts.next().flatten().map_or(0, pattern::work);
                texts.flatten().map(str::len).fold(pattern, usize::saturating_add)
            }
            "replace" => texts.nth(1).flatten().and_then(pattern::between_slashes).map_or(0, pattern::work),
            // They convert each element to a string, or compare it with others.
            "distinct" | "sort" => parts(arguments).saturating_mul(OF_ELEMENT),
            "formatlist" => parts(arguments).saturating_mul(OF_FORMAT),
            "join" => parts(arguments),
            "matchkeys" => {
                let length = |place| arguments.get(place).map_or(0, |list: &Value| list.parts().count());
                length(1).saturating_mul(length(2))
            }
            // They parse the whole string before they return an error, or compare its grapheme clusters.
            "csvdecode" => bytes(arguments) / PARSED + separators(arguments, b",\n") * OF_FIELD,
            "jsondecode" => bytes(arguments) / PARSED,
            "yamldecode" => bytes(arguments) / PARSED + separators(arguments, b",\n:-[]{}") * OF_NODE,
            "length" | "strrev" | "substr" => bytes(arguments) / SEGMENTED,
            // They compare, unify or rebuild all parts of a value.
            "contains" | "index" | "tolist" | "tomap" | "toset" => {
                arguments.first().map_or(0, |value| weight(value, usize::MAX)).saturating_mul(OF_PART)
            }
            "transpose" => {
                let lists = arguments.iter().flat_map(Value::parts);
                lists.map(|list| OF_LIST + list.parts().count() * OF_ELEMENT).fold(0, usize::saturating_add)
            }
            "log" | "pow" => OF_POWER,
            _ => 0,
        }
    }

    /// A part of the first argument with which a call has the same result, if the argument would have to be copied.
    pub(super) fn needed_part(&self, arguments: &[Cow<'_, Value>]) -> Option<Value> {
        let Some(Cow::Borrowed(argument)) = arguments.first() else { return None };
        let (value, marks) = argument.unmarked();
        let (Value::Map(_, elements) | Value::Object(elements)) = value else { return None };
        let needed: BTreeMap<SmolStr, Value> = match self.name {
            "lookup" => {
                let key = arguments.get(1)?.unmarked().0.as_str()?;
                elements
                    .get_key_value(key)
                    .map(|(key, element)| (key.clone(), element.clone()))
                    .into_iter()
                    .collect()
            }
            "keys" | "length" => elements.keys().map(|key| (key.clone(), Value::NULL)).collect(),
            _ => return None,
        };
        let needed = match value {
            Value::Map(element, _) => Value::Map(element.clone(), needed),
            _ => Value::Object(needed),
        };
        Some(needed.mark(marks))
    }

    /// The approximate number of steps for each element of the result that [`Self::work`] does not contain.
    pub(super) fn work_of_element(&self, arguments: &[Value]) -> usize {
        let text = arguments.get(1).and_then(Value::as_str).filter(|_| self.name == "regexall");
        text.map_or(0, pattern::work_of_match)
    }
}

/// The length of the first argument, if it is a known string.
fn bytes(arguments: &[Value]) -> usize {
    arguments.first().and_then(Value::as_str).map_or(0, str::len)
}

/// The number of elements of all arguments together.
fn parts(arguments: &[Value]) -> usize {
    arguments.iter().map(|argument| argument.parts().count()).fold(0, usize::saturating_add)
}

/// The number of separators in the first argument, if it is a known string.
fn separators(arguments: &[Value], signs: &[u8]) -> usize {
    let text = arguments.first().and_then(Value::as_str).unwrap_or_default();
    text.bytes().filter(|byte| signs.contains(byte)).count()
}

/// The steps to convert an element of a list to a string, or to compare it with others.
const OF_ELEMENT: usize = 4;

/// The steps to format an element of a list.
const OF_FORMAT: usize = 12;

/// The steps to compare a part of a value, or to convert it, in addition to those for a copy.
const OF_PART: usize = 2;

/// The steps to convert and rebuild a list in a map.
const OF_LIST: usize = 16;

/// The steps for a power or a logarithm.
const OF_POWER: usize = 20;

/// The steps to read a field of a CSV table.
const OF_FIELD: usize = 4;

/// The steps to read a node of a YAML document.
const OF_NODE: usize = 6;

/// The bytes of a string that one step parses.
const PARSED: usize = 2;

/// The bytes of a string that one step splits into grapheme clusters.
const SEGMENTED: usize = 4;

/// Every function of every engine, sorted by name; `terraform metadata functions -json` prints the signatures. A row
/// has:
///
/// - the parameters and the result type;
/// - `since`: the minor versions of Terraform 1 and OpenTofu 1 that introduced the function, unless all have it;
/// - when it is evaluated: `always`, once every type is known (`typed`), or once every argument is wholly `known`. An
///   `unknown` function has no body, never fails, and its result is never known. Of all others, nothing is known;
/// - the effect of marks: they move to the result, unless a parameter is `lifted` or `left` (see [`signature`]);
/// - `total`, if no value of the type of a parameter is refused, except for null. A regular expression may be wrong.
#[rustfmt::skip]
pub(super) const ALL: &[Function] = &[
    function("abs", &[given("num", Num).lifted()], None, Num).known(|values| arithmetic::of_one(values, Number::absolute)),
    function("abspath", &[given("path", String)], None, String).unknown(),
    function("alltrue", &[given("list", ListOf(&Bool))], None, Bool).typed(sequence::alltrue),
    function("anytrue", &[given("list", ListOf(&Bool))], None, Bool).typed(sequence::anytrue),
    function("base64decode", &[given("str", String)], None, String).known(decoding::base64decode),
    function("base64encode", &[given("str", String)], None, String).known(|values| characters::of_text(values, encoding::base64encode)).total(),
    function("base64gunzip", &[given("str", String)], None, String).since(None, Some(7)),
    function("base64gzip", &[given("str", String)], None, String).unknown(),
    function("base64sha256", &[given("str", String)], None, String).unknown(),
    function("base64sha512", &[given("str", String)], None, String).unknown(),
    function("basename", &[given("path", String)], None, String).known(|values| characters::of_text(values, characters::basename)),
    function("bcrypt", &[given("str", String)], Some(given("cost", Num)), String).unknown(),
    function("can", &[given("expression", Any)], None, Bool).total(),
    function("ceil", &[given("num", Num)], None, Num).known(|values| arithmetic::of_one(values, Number::ceiling)),
    function("chomp", &[given("str", String)], None, String).known(|values| characters::of_text(values, |text| text.trim_end_matches(['\r', '\n']).to_owned())).total(),
    function("chunklist", &[given("list", ListOf(&Any)).lifted(), given("size", Num).lifted()], None, ListOf(&ListOf(&Any))).typed(sequence::chunklist),
    function("cidrcontains", &[given("containing_prefix", String), given("contained_ip_or_prefix", String)], None, Bool).since(None, Some(7)),
    function("cidrhost", &[given("prefix", String), given("hostnum", Num)], None, String).known(network::cidrhost),
    function("cidrnetmask", &[given("prefix", String)], None, String).known(network::cidrnetmask),
    function("cidrsubnet", &[given("prefix", String), given("newbits", Num), given("netnum", Num)], None, String).known(network::cidrsubnet),
    function("cidrsubnets", &[given("prefix", String)], Some(given("newbits", Num)), ListOf(&String)).known(network::cidrsubnets),
    function("coalesce", &[], Some(nullable("vals", Any)), Any).always(collection::coalesce).never_null(),
    function("coalescelist", &[], Some(nullable("vals", Any)), Any).always(collection::coalescelist).never_null(),
    function("compact", &[given("list", ListOf(&String))], None, ListOf(&String)).typed(|values| Ok(collection::compact(values))),
    function("concat", &[], Some(given("seqs", Any).lifted()), Any).typed(collection::concat).never_null(),
    function("contains", &[given("list", Any), given("value", Any)], None, Any).typed(collection::contains).never_null(),
    function("convert", &[given("value", Any), given("type", Any)], None, Any).since(Some(15), None),
    function("csvdecode", &[given("str", String)], None, Any).known(csv::csvdecode),
    function("dirname", &[given("path", String)], None, String).known(|values| characters::of_text(values, characters::dirname)),
    function("distinct", &[given("list", ListOf(&Any))], None, ListOf(&Any)).typed(|values| Ok(collection::distinct(values))),
    function("element", &[given("list", Any).lifted(), given("index", Num)], None, Any).typed_in(collection::element),
    function("endswith", &[given("str", String), given("suffix", String)], None, Bool).since(Some(3), Some(0)).known(|values| characters::holds(values, |text, suffix| text.ends_with(suffix))).total(),
    function("ephemeralasnull", &[nullable("value", Any).left()], None, Any).since(Some(10), Some(11)).always(|values| Ok(conversion::ephemeralasnull(values))),
    function("file", &[given("path", String)], None, String).reading(file::file),
    function("filebase64", &[given("path", String)], None, String).reading(file::present),
    function("filebase64sha256", &[given("path", String)], None, String).reading(file::hashed),
    function("filebase64sha512", &[given("path", String)], None, String).reading(file::hashed),
    function("fileexists", &[given("path", String)], None, Bool).reading(file::fileexists),
    function("filemd5", &[given("path", String)], None, String).reading(file::hashed),
    function("fileset", &[given("path", String), given("pattern", String)], None, SetOf(&String)).reading(fileset::fileset),
    function("filesha1", &[given("path", String)], None, String).reading(file::hashed),
    function("filesha256", &[given("path", String)], None, String).reading(file::hashed),
    function("filesha512", &[given("path", String)], None, String).reading(file::hashed),
    function("flatten", &[given("list", Any).lifted()], None, Any).typed(collection::flatten).never_null(),
    function("floor", &[given("num", Num)], None, Num).known(|values| arithmetic::of_one(values, Number::floor)),
    function("format", &[given("format", String)], Some(nullable("args", Any)), Any).typed_within(format::format).never_null(),
    function("formatdate", &[given("format", String), given("time", String)], None, String).known(time::formatdate),
    function("formatlist", &[given("format", String)], Some(nullable("args", Any)), Any).typed_within(format::formatlist),
    function("indent", &[given("spaces", Num), given("str", String)], None, String).known_within(characters::indent),
    function("index", &[given("list", Any), given("value", Any)], None, Any).typed(sequence::index),
    function("issensitive", &[nullable("value", Any).left()], None, Bool).since(Some(8), Some(7)).always(|values| Ok(conversion::issensitive(values))),
    function("join", &[given("separator", String)], Some(given("lists", ListOf(&String))), String).known(characters::join),
    function("jsondecode", &[given("str", String)], None, Any).known(decoding::jsondecode),
    function("jsonencode", &[nullable("val", Any)], None, String).known(encoding::jsonencode).total(),
    function("keys", &[given("inputMap", Any).lifted()], None, Any).typed(map::keys).marks_unknown().never_null(),
    function("length", &[given("value", Any).lifted()], None, Num).always(collection::length).marks_unknown(),
    function("list", &[], Some(nullable("vals", Any)), Any).removed("tolist([ ... ])"),
    function("log", &[given("num", Num), given("base", Num)], None, Num).known(arithmetic::log),
    function("lookup", &[given("inputMap", Any).lifted(), given("key", String).lifted()], Some(nullable("default", Any).left()), Any).typed(map::lookup).marks_unknown(),
    function("lower", &[given("str", String)], None, String).known(|values| characters::in_case(values, str::to_ascii_lowercase, char::to_lowercase)).total(),
    function("map", &[], Some(nullable("vals", Any)), Any).removed("tomap({ ... })"),
    function("matchkeys", &[given("values", ListOf(&Any)), given("keys", ListOf(&Any)), given("searchset", ListOf(&Any))], None, ListOf(&Any)).typed(sequence::matchkeys),
    function("max", &[], Some(given("numbers", Num)), Num).known(|values| arithmetic::outermost(values, |values| values.rev().max())),
    function("md5", &[given("str", String)], None, String).unknown().total(),
    function("merge", &[], Some(nullable("maps", Any).lifted()), Any).always(map::merge),
    function("min", &[], Some(given("numbers", Num)), Num).known(|values| arithmetic::outermost(values, |values| values.min())),
    function("nonsensitive", &[nullable("value", Any).left()], None, Any).always(|values| Ok(conversion::nonsensitive(values))).total(),
    function("one", &[given("list", Any)], None, Any).typed(collection::one),
    function("parseint", &[given("number", Any), given("base", Num)], None, Any).always(decoding::parseint),
    function("pathexpand", &[given("path", String)], None, String).known(file::pathexpand),
    function("plantimestamp", &[], None, String).since(Some(5), Some(0)).unknown(),
    function("pow", &[given("num", Num), given("power", Num)], None, Num).known(arithmetic::pow),
    function("range", &[], Some(given("params", Num)), ListOf(&Num)).known(sequence::range),
    function("regex", &[given("pattern", String), given("string", String)], None, Any).always_within(pattern::regex),
    function("regexall", &[given("pattern", String), given("string", String)], None, ListOf(&Any)).always_within(pattern::regexall),
    function("replace", &[given("str", String), given("substr", String), given("replace", String)], None, String).known_within(pattern::replace).total(),
    function("reverse", &[given("list", Any).lifted()], None, Any).typed(collection::reverse).never_null(),
    function("rsadecrypt", &[given("ciphertext", String), given("privatekey", String)], None, String).known(decoding::rsadecrypt),
    function("sensitive", &[nullable("value", Any).left()], None, Any).always(|values| Ok(conversion::sensitive(values))).total(),
    function("setintersection", &[given("first_set", SetOf(&Any))], Some(given("other_sets", SetOf(&Any))), SetOf(&Any)).typed(set::setintersection),
    function("setproduct", &[], Some(given("sets", Any).lifted()), Any).typed(set::setproduct).marks_unknown().never_null(),
    function("setsubtract", &[given("a", SetOf(&Any)), given("b", SetOf(&Any))], None, SetOf(&Any)).typed(set::setsubtract),
    function("setunion", &[given("first_set", SetOf(&Any))], Some(given("other_sets", SetOf(&Any))), SetOf(&Any)).typed(set::setunion),
    function("sha1", &[given("str", String)], None, String).unknown().total(),
    function("sha256", &[given("str", String)], None, String).unknown().total(),
    function("sha512", &[given("str", String)], None, String).unknown().total(),
    function("signum", &[given("num", Num)], None, Num).known(arithmetic::signum),
    function("slice", &[given("list", Any).lifted(), given("start_index", Num), given("end_index", Num)], None, Any).typed(collection::slice).never_null(),
    function("sort", &[given("list", ListOf(&String))], None, ListOf(&String)).known(sequence::sort),
    function("split", &[given("separator", String), given("str", String)], None, ListOf(&String)).known(characters::split).total(),
    function("startswith", &[given("str", String), given("prefix", String)], None, Bool).since(Some(3), Some(0)).known(|values| characters::holds(values, |text, prefix| text.starts_with(prefix))).total(),
    function("strcontains", &[given("str", String), given("substr", String)], None, Bool).since(Some(5), Some(0)).known(|values| characters::holds(values, |text, part| text.contains(part))).total(),
    function("strrev", &[given("str", String)], None, String).known(|values| characters::of_text(values, characters::strrev)).total(),
    function("substr", &[given("str", String), given("offset", Num), given("length", Num)], None, String).known(characters::substr),
    function("sum", &[given("list", Any)], None, Any).typed(sequence::sum).never_null(),
    function("templatefile", &[given("path", String), given("vars", Any)], None, Any),
    function("templatestring", &[given("template", Any).left(), given("vars", Any).left()], None, String).since(Some(9), Some(7)),
    function("textdecodebase64", &[given("source", String), given("encoding", String)], None, String).known(character_set::textdecodebase64),
    function("textencodebase64", &[given("string", String), given("encoding", String)], None, String).known(character_set::textencodebase64),
    function("timeadd", &[given("timestamp", String), given("duration", String)], None, String).known(time::timeadd),
    function("timecmp", &[given("timestamp_a", String), given("timestamp_b", String)], None, Num).since(Some(3), Some(0)).known(time::timecmp),
    function("timestamp", &[], None, String).unknown(),
    function("title", &[given("str", String)], None, String).known(|values| characters::of_ascii(values, characters::title)).total(),
    function("tobool", &[nullable("v", Any).lifted()], None, Bool).always(|values| conversion::to(values, &Type::Bool)).marks_unknown(),
    function("tolist", &[nullable("v", Any).lifted()], None, ListOf(&Any)).always(|values| conversion::to(values, &Type::list(Type::Any))).marks_unknown(),
    function("tomap", &[nullable("v", Any).lifted()], None, MapOf(&Any)).always(|values| conversion::to(values, &Type::map(Type::Any))).marks_unknown(),
    function("tonumber", &[nullable("v", Any).lifted()], None, Num).always(|values| conversion::to(values, &Type::Number)).marks_unknown(),
    function("toset", &[nullable("v", Any).lifted()], None, SetOf(&Any)).always(|values| conversion::to(values, &Type::set(Type::Any))).marks_unknown(),
    function("tostring", &[nullable("v", Any).lifted()], None, String).always(|values| conversion::to(values, &Type::String)).marks_unknown(),
    function("transpose", &[given("values", MapOf(&ListOf(&String)))], None, MapOf(&ListOf(&String))).known(map::transpose),
    function("trim", &[given("str", String), given("cutset", String)], None, String).known(|values| characters::trimmed(values, characters::trim)).total(),
    function("trimprefix", &[given("str", String), given("prefix", String)], None, String).known(|values| characters::trimmed(values, |text, prefix| text.strip_prefix(prefix).unwrap_or(text))).total(),
    function("trimspace", &[given("str", String)], None, String).known(|values| characters::of_ascii(values, |text| text.trim().to_owned())).total(),
    function("trimsuffix", &[given("str", String), given("suffix", String)], None, String).known(|values| characters::trimmed(values, |text, suffix| text.strip_suffix(suffix).unwrap_or(text))).total(),
    function("try", &[], Some(given("expressions", Any)), Any),
    function("upper", &[given("str", String)], None, String).known(|values| characters::in_case(values, str::to_ascii_uppercase, char::to_uppercase)).total(),
    function("urldecode", &[given("str", String)], None, String).since(None, Some(7)),
    function("urlencode", &[given("str", String)], None, String).known(|values| characters::of_text(values, encoding::urlencode)),
    function("uuid", &[], None, String).unknown(),
    function("uuidv5", &[given("namespace", String), given("name", String)], None, String).known(decoding::uuidv5),
    function("values", &[given("mapping", Any).lifted()], None, Any).typed(map::values).never_null(),
    function("yamldecode", &[given("src", String)], None, Any).known(yaml::yamldecode),
    function("yamlencode", &[nullable("value", Any)], None, String).unknown().total(),
    function("zipmap", &[given("keys", ListOf(&String)).lifted(), given("values", Any).lifted()], None, Any).typed(map::zipmap).never_null(),
];

/// The functions of the built-in provider of Terraform.
pub(super) const OF_TERRAFORM: [Function; 3] = [
    function("decode_tfvars", &[given("src", String)], None, Any),
    function("encode_expr", &[given("value", Any)], None, String).unknown(),
    function("encode_tfvars", &[given("value", Any)], None, String).known(encoding::encode_tfvars),
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
