#![doc = include_str!("../../policies/rules/sensitive-default.md")]

use super::{ADVICE, Context, Rule};
use crate::finding::Finding;
use crate::graph::{Node, Role};
use crate::policy::Options;
use crate::value::Value;

pub(super) struct SensitiveDefault;

impl Rule for SensitiveDefault {
    const ID: &'static str = "sensitive-default";
    const ROLES: &'static [Role] = ADVICE;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for variable in node.module().variables.values() {
            let (Some(sensitive), Some(default)) = (&variable.sensitive, &variable.default) else { continue };
            if !sensitive.value || !holds_something(&default.value) {
                continue;
            }
            findings.push(
                Self::finding("Sensitive variable with a default")
                    .detail(format!(
                        "`{}` is kept out of what the engine prints, but its default stands in the repository for \
                         everybody to read.",
                        variable.name
                    ))
                    .at(default.span)
                    .label("readable for everybody")
                    .related(sensitive.span, "not to be shown, says this")
                    .help("leave the default out, or write `null`, and replace the secret if it was one")
                    .address(format!("variable.{}", variable.name)),
            );
        }
    }
}

/// Whether there is a text or a number in it: nothing else is a secret. The depth of values is bounded where they are
/// read.
fn holds_something(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(_) => true,
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            elements.iter().any(holds_something)
        }
        Value::Map(_, elements) => elements.values().any(holds_something),
        // Which of the attributes of an object is the secret, nobody can say.
        Value::Object(_) | Value::Bool(_) | Value::Null(_) | Value::Unknown(_) => false,
    }
}
