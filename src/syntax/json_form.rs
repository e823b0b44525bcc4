//! Converts short code in native syntax to JSON.

use crate::limits::Limits;
use crate::syntax::{Body, Expr, ExprKind, Notation, ObjectItem, ObjectKey, TemplateKind, parse, quoted};
use crate::text::{FileId, Source};

/// Takes the place of `…`, so that the code can be parsed.
const PLACEHOLDER: &str = "placeholder__";

/// Returns the JSON properties that mean the same as arguments, blocks or object items in native syntax. `None` for any
/// other text. References become plain strings, as `providers`, `depends_on` and similar arguments require.
pub fn json_form(code: &str) -> Option<String> {
    let is_json = code.starts_with('"');
    // Part of an address, such as `ref=v1`.
    let is_word = !code.contains([' ', '{']);
    if is_json || is_word {
        return None;
    }
    let code = code.replace('…', PLACEHOLDER);
    let properties = parsed(&code, |body, source| Some(properties(body, source))).or_else(|| {
        parsed(&format!("items = {{ {code} }}"), |body, source| match &body.attribute("items")?.expr.kind {
            ExprKind::Object(items) => Some(items.iter().map(|item| of_item(item, source)).collect()),
            _ => None,
        })
    })?;
    (!properties.is_empty()).then(|| properties.join(", ").replace(PLACEHOLDER, "…"))
}

fn parsed(code: &str, read: impl FnOnce(&Body, &Source) -> Option<Vec<String>>) -> Option<Vec<String>> {
    let source = Source::new("", code.into());
    let (file, wrong) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    if wrong.is_empty() { read(&file.body, &source) } else { None }
}

fn properties(body: &Body, source: &Source) -> Vec<String> {
    let arguments = body.just_attributes(&mut Vec::new());
    let arguments = arguments.iter().map(|argument| property(&argument.name, &value(&argument.expr, source)));
    let blocks = body.any_blocks();
    let blocks = blocks.iter().map(|block| {
        let inside = object(&properties(&block.body, source));
        let labels = block.labels.iter().rev();
        property(&block.kind, &labels.fold(inside, |inside, label| object(&[property(&label.text, &inside)])))
    });
    arguments.chain(blocks).collect()
}

fn of_item(item: &ObjectItem, source: &Source) -> String {
    let key = match &item.key {
        ObjectKey::Name(name, _) => name.as_str(),
        ObjectKey::Expr(expr) => source.slice(expr.span),
    };
    property(key.trim_matches('"'), &value(&item.value, source))
}

fn value(expr: &Expr, source: &Source) -> String {
    let written = source.slice(expr.span);
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => written.to_owned(),
        ExprKind::Template(template) if template.kind == TemplateKind::Quoted => written.to_owned(),
        ExprKind::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| value(element, source)).collect();
            format!("[{}]", elements.join(", "))
        }
        ExprKind::Object(items) => {
            object(&items.iter().map(|item| of_item(item, source)).collect::<Vec<_>>())
        }
        _ => quoted(written),
    }
}

fn property(name: &str, value: &str) -> String {
    format!("{}: {value}", quoted(name))
}

fn object(properties: &[String]) -> String {
    if properties.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", properties.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::json_form;

    #[test]
    fn code_becomes_properties_and_words_do_not() {
        for (code, json) in [
            (r#"variable "b" {}"#, r#""variable": { "b": {} }"#),
            (r#"output "o" { value = … }"#, r#""output": { "o": { "value": "…" } }"#),
            (r#"terraform { required_version = ">= X" }"#, r#""terraform": { "required_version": ">= X" }"#),
            (r#"aws = { source = "hashicorp/aws" }"#, r#""aws": { "source": "hashicorp/aws" }"#),
            ("providers = { aws.dns = aws.dns }", r#""providers": { "aws.dns": "aws.dns" }"#),
            ("aws.dns = aws.west[0]", r#""aws.dns": "aws.west[0]""#),
            ("configuration_aliases = [aws.dns]", r#""configuration_aliases": ["aws.dns"]"#),
            ("sensitive = true", r#""sensitive": true"#),
        ] {
            assert_eq!(json_form(code).as_deref(), Some(json), "{code}");
        }
        for words in ["var.b", "terraform init", "", "for_each", "object({ … })", r#""source": "x""#, "[…]"]
        {
            assert_eq!(json_form(words), None, "{words}");
        }
    }
}
