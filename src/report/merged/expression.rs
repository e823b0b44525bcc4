//! Converts expressions of JSON files to native syntax.
//!
//! A string becomes a template or, where an address, a type or a keyword is expected, its content without quotes.

use crate::module::merged::Strings;
use crate::syntax::{
    Expr, ExprKind, ForDirective, IfDirective, JsonProperty, JsonString, Part, Template, escaped, key,
    parse_expression, quoted,
};

/// The expression, with long lists and objects split over several lines, which are indented by `indent`.
pub(super) fn native(expr: &Expr, strings: Strings, indent: &str) -> String {
    let inner = format!("{indent}  ");
    match &expr.kind {
        ExprKind::Parens(inside) => native(inside, strings, indent),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Number(digits) => digits.to_string(),
        ExprKind::JsonString(text) => string(text, expr, strings),
        ExprKind::Tuple(elements) => {
            let strings = match strings {
                Strings::AddressesInLists => Strings::Addresses,
                Strings::Templates | Strings::Literals | Strings::Addresses => strings,
            };
            let one_line: Vec<_> = elements.iter().map(|element| native(element, strings, &inner)).collect();
            let width: usize = one_line.iter().map(|element| element.len() + 2).sum();
            if width < WIDE && one_line.iter().all(|element| !element.contains('\n')) {
                return format!("[{}]", one_line.join(", "));
            }
            let lines = one_line.iter().map(|element| format!("{inner}{element},\n"));
            format!("[\n{}{indent}]", lines.collect::<String>())
        }
        ExprKind::JsonObject(properties) if properties.is_empty() => "{}".to_owned(),
        ExprKind::JsonObject(properties) => {
            let line = |property: &JsonProperty| {
                let value = native(&property.value, strings, &inner);
                format!("{inner}{} = {value}\n", name(property, strings))
            };
            format!("{{\n{}{indent}}}", properties.iter().map(line).collect::<String>())
        }
        // Apart from `null`, JSON has no other literals.
        _ => "null".to_owned(),
    }
}

/// A list with more columns than this gets a line for each element.
const WIDE: usize = 80;

/// The key of an object.
fn name(property: &JsonProperty, strings: Strings) -> String {
    let name = &property.name;
    match &name.template {
        _ if strings == Strings::Addresses && is_expression(&name.text) => name.text.to_string(),
        _ if strings != Strings::Templates => key(&name.text),
        Ok(template) => match &template.parts[..] {
            [Part::Literal { text, .. }] => key(text),
            [Part::Interpolation(_)] => {
                format!("(\"{}\")", parts(template, name, property.name_span.start + 1))
            }
            _ => format!("\"{}\"", parts(template, name, property.name_span.start + 1)),
        },
        Err(_) => quoted(&name.text),
    }
}

fn string(string: &JsonString, expr: &Expr, strings: Strings) -> String {
    if strings == Strings::Addresses && is_expression(&string.text) {
        return string.text.to_string();
    }
    if strings != Strings::Templates {
        return quoted(&string.text);
    }
    let Ok(template) = &string.template else { return quoted(&string.text) };
    let start = expr.span.start + 1;
    match &template.parts[..] {
        // Such a string has the value of its interpolation, of any type.
        [Part::Interpolation(inner)] => {
            let text = slice(string, inner, start);
            if text.contains(['\n', '\r']) { format!("({text})") } else { text.to_owned() }
        }
        _ => format!("\"{}\"", parts(template, string, start)),
    }
}

/// Whether a text is valid without quotes. If not, the engine refuses it in either form.
fn is_expression(text: &str) -> bool {
    parse_expression(text).is_ok()
}

/// The content of a quoted string with the same value as the template.
fn parts(template: &Template, string: &JsonString, start: u32) -> String {
    let part = |part: &Part| match part {
        Part::Literal { text, .. } => escaped(text),
        Part::Interpolation(expr) => format!("${{{}}}", slice(string, expr, start)),
        Part::If(directive) => {
            let IfDirective { condition, then, otherwise, .. } = &**directive;
            let condition = slice(string, condition, start);
            let otherwise =
                otherwise.as_ref().map(|inner| format!("%{{ else }}{}", parts(inner, string, start)));
            let (then, otherwise) = (parts(then, string, start), otherwise.unwrap_or_default());
            format!("%{{ if {condition} }}{then}{otherwise}%{{ endif }}")
        }
        Part::For(directive) => {
            let ForDirective { key, value, collection, body, .. } = &**directive;
            let key = key.as_ref().map(|key| format!("{key}, ")).unwrap_or_default();
            let collection = slice(string, collection, start);
            format!("%{{ for {key}{value} in {collection} }}{}%{{ endfor }}", parts(body, string, start))
        }
    };
    template.parts.iter().map(part).collect()
}

/// The text of an expression in the template of a string. Its span is relative to `start`, as if the string had no
/// escapes.
fn slice<'s>(string: &'s JsonString, expr: &Expr, start: u32) -> &'s str {
    let offset = |at: u32| (at.saturating_sub(start)) as usize;
    string.text.get(offset(expr.span.start)..offset(expr.span.end)).unwrap_or_default()
}
