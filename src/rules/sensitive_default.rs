#![doc = include_str!("../../policies/rules/sensitive-default.md")]

use std::collections::{BTreeMap, BTreeSet};

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};
use crate::module::declaration::Variable;
use crate::value::Value;

pub(super) struct SensitiveDefault;

impl Rule for SensitiveDefault {
    const PAGE: Page = page!("sensitive-default");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let variables = &node.module().variables;
        let markers = markers(variables.values().map(|variable| &**variable));
        for variable in variables.values() {
            let (Some(sensitive), Some(default)) = (&variable.sensitive, &variable.default) else { continue };
            let is_marker = default.value.as_str().is_some_and(|text| markers.contains(text));
            if !sensitive.value
                || is_marker
                || names_something(&variable.name)
                || !holds_something(&default.value)
            {
                continue;
            }
            let product = node.module().features.engine.product.name();
            Self::finding("Sensitive variable with a default")
                .detail(format!(
                    "`{}` is sensitive, so {product} does not show its value, but its default is readable in the \
                     repository.",
                    variable.name
                ))
                .at(default.span)
                .label("readable in the repository")
                .related(sensitive.span, "the variable is sensitive")
                .help(help(variable, node))
                .address(format!("variable.{}", variable.name))
                .push_to(findings);
        }
    }
}

/// The replacement for the default.
fn help(variable: &Variable, node: Node<'_>) -> String {
    let relies = node.callers().any(|(_, call)| !call.origin.writes(&variable.name));
    let remove = if relies {
        format!("remove the default and set `{}` in every call", variable.name)
    } else {
        "remove the default".to_owned()
    };
    // A condition may fail for null.
    let null = if !variable.refuses_null() && variable.validations.is_empty() {
        ", or change it to `null`"
    } else {
        ""
    };
    format!("{remove}{null}; if the default is a secret in use, replace that secret")
}

/// An empty object or array in JSON, and the same in base64, in lower case.
const EMPTY_JSON: [&str; 4] = ["{}", "[]", "e30=", "w10="];

/// The defaults that several sensitive variables have in common, such as "changeme": secrets differ.
fn markers<'m>(variables: impl Iterator<Item = &'m Variable>) -> BTreeSet<&'m str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for variable in variables {
        let is_sensitive = variable.is_sensitive();
        if let Some(text) = variable.default.as_ref().and_then(|default| default.value.as_str())
            && is_sensitive
        {
            *counts.entry(text).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= FEWEST_MARKERS).map(|(text, _)| text).collect()
}

/// The number of sensitive variables whose common default is no secret.
const FEWEST_MARKERS: usize = 3;

/// Whether a variable holds a name, such as that of a user, a secret or a file, which is not a secret.
fn names_something(variable: &str) -> bool {
    let is_version = |part: &&str| {
        part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let last = variable.rsplit(['_', '-']).find(|part| !is_version(part));
    matches!(last, Some("name" | "user" | "username" | "login" | "email" | "arn" | "file" | "path"))
}

/// Common placeholders for a secret that is set later.
const PLACEHOLDERS: [&str; 3] = ["", "none", "null"];

/// Words that show that a person has to replace the default.
const TO_REPLACE: [&str; 2] = ["replace_me", "replace-me"];

/// Whether the value contains a string or number that may be a secret. The parser limits the depth of values.
fn holds_something(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let text = text.trim().to_lowercase();
            !PLACEHOLDERS.contains(&text.as_str())
                && !EMPTY_JSON.contains(&text.as_str())
                && !TO_REPLACE.iter().any(|word| text.contains(word))
                && !value.holds_placeholder()
        }
        Value::Number(number) => !number.is_zero(),
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            elements.iter().any(holds_something)
        }
        Value::Map(_, elements) => elements.values().any(holds_something),
        Value::Marked(inner, _) => holds_something(inner),
        // Which attributes of an object are secret is unknown.
        Value::Object(_) | Value::Bool(_) | Value::Null(_) | Value::Unknown(_) => false,
    }
}
