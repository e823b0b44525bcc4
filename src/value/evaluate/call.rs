//! Function calls: `f(a, b...)`.

use std::borrow::Cow;

use crate::engine::{Engine, Product};
use crate::finding::{Code, Concern, EngineRule, Finding, has_errors};
use crate::syntax::Call;
use crate::text::{Span, distance};
use crate::value::convert::convert;
use crate::value::functions::{ALL, FunctionError, OF_TERRAFORM};
use crate::value::{Function, Scope, Type, Value};

use super::argument::Argument;
use super::template_file::{RENDERING, Rendering};
use super::{Evaluator, Inside};

/// The steps for a finding about an unknown function, which compares its name with all functions.
const OF_UNKNOWN_FUNCTION: usize = 1_000;

/// The names of the functions of the built-in provider.
pub const TERRAFORM_FUNCTIONS: [&str; 3] = [OF_TERRAFORM[0].name, OF_TERRAFORM[1].name, OF_TERRAFORM[2].name];

/// The steps to create or search one byte of a string.
const STEPS_PER_BYTE: usize = 16;

impl Evaluator<'_> {
    pub(super) fn call(&mut self, call: &Call, at: Span, inside: Inside<'_>) -> Value {
        let Some(scope) = self.scope else {
            let detail = "A constant is required here, so function calls are not allowed.";
            return self.error(EngineRule::InvalidFunctionCall, "Function calls not allowed", detail, at);
        };
        if scope.computes(&call.name) {
            return self.call_of_scope(scope, call, at, inside);
        }
        let function = match self.called(scope, call) {
            Ok(function) => function,
            Err(result) => return result,
        };
        let Some(arguments) = self.arguments(call, inside) else { return Value::UNKNOWN };
        if !self.right_number(function, call, &arguments) {
            return Value::UNKNOWN;
        }
        match function.name {
            "try" => return self.call_try(call, &arguments, inside),
            "can" => return self.call_can(&arguments, inside),
            _ => {}
        }
        let Some(values) = self.argument_values(function, &arguments, inside) else { return Value::UNKNOWN };
        if !self.may_go_on(function.work(&values), at) {
            return Value::UNKNOWN;
        }
        if RENDERING.contains(&function.name) {
            let rendering = Rendering { scope, function, call, at, arguments: &arguments };
            return self.template_function(&rendering, &values);
        }
        let of_element = function.work_of_element(&values);
        let most = self.limits.evaluation() / STEPS_PER_BYTE;
        let open: Vec<bool> = if self.knows_types() {
            values.iter().map(|value| value.ty().has_any()).collect()
        } else {
            Vec::new()
        };
        let outcome = function.call(values, most, scope);
        if !self.may_go_on(scope.work().searched().take(), at) {
            return Value::UNKNOWN;
        }
        match outcome {
            Ok(value)
                if self.may_hold(&value, at) && self.may_go_on(value.parts().count() * of_element, at) =>
            {
                value
            }
            Ok(_) | Err(FunctionError::Unknown) => Value::UNKNOWN,
            Err(FunctionError::Argument(place, _)) if open.get(place) == Some(&true) => self.undecided(),
            Err(FunctionError::Argument(place, why)) if place < arguments.len() => {
                self.invalid_argument(function, place, &arguments[place], &why)
            }
            Err(FunctionError::Argument(_, why) | FunctionError::Call(why)) => self.call_failed(call, &why),
            Err(FunctionError::Expensive) => {
                self.left = self.left.saturating_sub(most);
                self.too_expensive(at)
            }
        }
    }

    /// The function that a call names. If none is known, the result of the call.
    fn called(&mut self, scope: &dyn Scope, call: &Call) -> Result<&'static Function, Value> {
        let engine = scope.engine();
        if !scope.is_planned() && (call.name == "plantimestamp" || call.name.contains("::")) {
            return Err(self.call_without_plan(call));
        }
        let name = if engine.has_namespaces() {
            call.name.strip_prefix("core::").unwrap_or(&call.name)
        } else {
            &call.name
        };
        let of_provider = name.strip_prefix("provider::").filter(|_| !scope.lacks_function(name));
        let function = match of_provider.and_then(|function| function.split_once("::")) {
            Some((provider, function)) if scope.is_built_in_provider(provider) => {
                OF_TERRAFORM.iter().find(|known| known.name == function)
            }
            // Only the provider knows the result.
            Some(_) => return Err(Value::UNKNOWN),
            None => Function::named(name).filter(|function| function.is_in(engine)),
        };
        function.ok_or_else(|| self.unknown_function(call, name, engine))
    }

    /// The result of a function that renders a template.
    fn template_function(&mut self, rendering: &Rendering<'_>, values: &[Value]) -> Value {
        if rendering.scope.is_in_template() {
            return match rendering.scope.engine().product {
                Product::Terraform => {
                    self.call_failed(rendering.call, "a template cannot render another template")
                }
                // It renders it, up to a depth that the environment sets.
                Product::OpenTofu => Value::UNKNOWN,
            };
        }
        match rendering.function.name {
            "templatefile" => self.template_file(rendering, values),
            _ => self.template_string(rendering, values),
        }
    }

    /// The result of a function that the scope computes.
    fn call_of_scope(&mut self, scope: &dyn Scope, call: &Call, at: Span, inside: Inside<'_>) -> Value {
        let Some(arguments) = self.arguments(call, inside) else { return Value::UNKNOWN };
        let value = |argument: Argument<'_>| match argument.value {
            Some(value) => value,
            None => self.value(argument.expr, inside),
        };
        let values: Vec<Value> = arguments.into_iter().map(value).collect();
        let result = scope.call(&call.name, &values);
        if self.may_hold(&result, at) { result } else { Value::UNKNOWN }
    }

    /// The error for a function that the variables of a test cannot call.
    fn call_without_plan(&mut self, call: &Call) -> Value {
        let detail = format!(
            "The values in `variables` of a test are computed before a plan. `{}` does not exist there.",
            call.name
        );
        let summary = "Call to unknown function";
        self.error(EngineRule::InvalidFunctionCall, summary, detail, call.name_span)
    }

    fn unknown_function(&mut self, call: &Call, name: &str, engine: Engine) -> Value {
        let mut known = ALL.iter().filter(|function| function.is_in(engine));
        // With two other letters, a word of four is another word.
        let most = if name.len() > 4 { 2 } else { 1 };
        let near = known.find(|known| distance(name, known.name, most).is_some());
        let (removed, near) = near.map_or((None, None), |near| match near.replacement() {
            Some(instead) => (Some(format!("write `{instead}`")), None),
            None => (None, Some(near.name)),
        });
        // For the engine, every function with a namespace belongs to a provider.
        let is_namespaced = engine.has_namespaces() && call.name.contains("::");
        let summary = if is_namespaced { "Unknown provider function" } else { "Call to unknown function" };
        let of_provider = call.name.strip_prefix("provider::").filter(|_| is_namespaced);
        let is_elsewhere = is_namespaced || Function::named(name).is_some();
        let detail = if is_elsewhere {
            format!("{engine} has no function named {:?}.", call.name)
        } else {
            format!("There is no function named {:?}.", call.name)
        };
        let mut finding = Finding::language(EngineRule::InvalidFunctionCall, summary)
            .detail(detail)
            .at(call.name_span)
            .concerns(Concern::Name(call.name.as_str().into()))
            .help_if(of_provider.map(|function| self.provider_help(function)).or(removed))
            .meant(near);
        finding.code = is_namespaced.then_some(Code::UnknownProviderFunction);
        self.findings.push(finding);
        self.left = self.left.saturating_sub(OF_UNKNOWN_FUNCTION);
        Value::UNKNOWN
    }

    /// The help for an unknown function of a provider, from its name after `provider::`.
    fn provider_help(&self, function: &str) -> String {
        let ("terraform", name) = function.split_once("::").unwrap_or((function, "")) else {
            let provider = function.split("::").next().unwrap_or_default();
            return format!("declare the provider `{provider}` in `required_providers`");
        };
        let [first, rest @ ..] = TERRAFORM_FUNCTIONS.map(|known| format!("provider::terraform::{known}"));
        let is_declared = self.scope.is_some_and(|scope| !scope.lacks_function(&first));
        let declare =
            "declare `terraform = { source = \"terraform.io/builtin/terraform\" }` in `required_providers`";
        match (TERRAFORM_FUNCTIONS.contains(&name), is_declared) {
            (true, _) => declare.to_owned(),
            (false, true) => format!("call `{first}`, `{}`", rest.join("` or `")),
            (false, false) => format!("call `{first}`, `{}`, and {declare}", rest.join("` or `")),
        }
    }

    /// The values of the arguments, converted to the types of the parameters. Returns `None` after an error.
    fn argument_values(
        &mut self,
        function: &Function,
        arguments: &[Argument<'_>],
        inside: Inside<'_>,
    ) -> Option<Vec<Value>> {
        let before = self.findings.len();
        let read = |argument: &Argument<'_>| match &argument.value {
            Some(value) => Cow::Owned(value.clone()),
            None => self.read(argument.expr, inside),
        };
        let mut read: Vec<Cow<'_, Value>> = arguments.iter().map(read).collect();
        if let Some(part) = function.needed_part(&read) {
            self.may_hold(&part, arguments[0].expr.span);
            read[0] = Cow::Owned(part);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (place, (argument, value)) in arguments.iter().zip(read).enumerate() {
            let value = self.owned(value, argument.expr.span);
            let ty = function.parameter(place).map_or(Type::Any, |parameter| parameter.kind.ty());
            let is_suitable = ty == Type::Any || value.is(&ty);
            if !is_suitable && !self.may_convert(&value, argument.expr.span) {
                values.push(Value::Unknown(ty));
                continue;
            }
            if is_suitable {
                values.push(value);
                continue;
            }
            values.push(convert(&value, &ty).unwrap_or_else(|mismatch| {
                if self.has_open_type(&value) {
                    self.undecided();
                } else {
                    self.invalid_argument(function, place, argument, &mismatch.to_string());
                }
                Value::Unknown(ty)
            }));
        }
        if self.failed_since(before) {
            return None;
        }
        for (place, (value, argument)) in values.iter().zip(arguments).enumerate() {
            // The engine does not look at the arguments after one of unknown type.
            if *value == Value::UNKNOWN {
                break;
            }
            if value.is_null() && function.parameter(place).is_some_and(|parameter| !parameter.nullable) {
                self.invalid_argument(function, place, argument, "it must not be null");
                return None;
            }
        }
        Some(values)
    }

    /// The arguments, with an expanded one split into its elements. Returns `None` if these are unknown, or after an
    /// error.
    fn arguments<'c>(&mut self, call: &'c Call, inside: Inside<'_>) -> Option<Vec<Argument<'c>>> {
        let plain = |expr| Argument { expr, value: None };
        let (last, others) = match call.arguments.split_last() {
            Some(split) if call.expands_last => split,
            Some(_) | None => return Some(call.arguments.iter().map(plain).collect()),
        };
        let before = self.findings.len();
        let mut value = self.value(last, inside);
        if self.failed_since(before) {
            return None;
        }
        let marks = value.take_marks();
        let why = match value {
            Value::Set(..) if !value.has_known_order() => return None,
            Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
                let part = |value: Value| Argument { expr: last, value: Some(value.mark(marks)) };
                let parts = elements.into_iter().map(part);
                return Some(others.iter().map(plain).chain(parts).collect());
            }
            Value::Null(Type::Any | Type::List(_) | Type::Set(_) | Type::Tuple(_)) => "this is null",
            Value::Unknown(Type::Any | Type::List(_) | Type::Set(_) | Type::Tuple(_)) => return None,
            _ => "this is another type",
        };
        let detail = format!("An argument followed by `...` must be a list, a set or a tuple, and {why}.");
        self.error(EngineRule::InvalidFunctionCall, "Invalid expanding argument value", detail, last.span);
        None
    }

    fn right_number(&mut self, function: &Function, call: &Call, arguments: &[Argument<'_>]) -> bool {
        let wanted = function.parameters.len();
        if let Some(missing) = function.parameters.get(arguments.len()) {
            let least = if function.variadic.is_some() { "at least " } else { "" };
            let detail =
                format!("{:?} takes {least}{}. {:?} is missing.", call.name, counted(wanted), missing.name);
            self.error(EngineRule::InvalidFunctionCall, "Not enough function arguments", detail, call.close);
            return false;
        }
        if let (None, Some(extra)) = (function.variadic, arguments.get(wanted)) {
            let only = if wanted == 0 { "" } else { "only " };
            let detail = format!("{:?} takes {only}{}.", call.name, counted(wanted));
            self.error(EngineRule::InvalidFunctionCall, "Too many function arguments", detail, extra.start());
            return false;
        }
        true
    }

    /// The first argument that evaluates without an error.
    fn call_try(&mut self, call: &Call, arguments: &[Argument<'_>], inside: Inside<'_>) -> Value {
        for argument in arguments {
            let (value, findings) = self.tried(argument, inside);
            if has_errors(&findings) {
                continue;
            }
            return value.filter(Value::is_wholly_known).unwrap_or(Value::UNKNOWN);
        }
        let why = if arguments.is_empty() { "no argument is given" } else { "every argument has an error" };
        self.call_failed(call, why)
    }

    fn call_can(&mut self, arguments: &[Argument<'_>], inside: Inside<'_>) -> Value {
        let Some(argument) = arguments.first() else { return Value::Unknown(Type::Bool) };
        let (value, findings) = self.tried(argument, inside);
        match (has_errors(&findings), value.is_some_and(|value| value.is_wholly_known())) {
            (true, _) => Value::Bool(false),
            (false, true) => Value::Bool(true),
            (false, false) => Value::Unknown(Type::Bool),
        }
    }

    /// The value of an argument and its findings. `None` if the evaluation of the engine may differ.
    fn tried(&mut self, argument: &Argument<'_>, inside: Inside<'_>) -> (Option<Value>, Vec<Finding>) {
        if let Some(value) = &argument.value {
            return (Some(value.clone()), Vec::new());
        }
        let outer = self.is_open.replace(false);
        let (value, findings) = self.apart(|this| this.value(argument.expr, inside));
        let is_open = self.is_open == Some(true);
        self.is_open = outer.map(|outer| outer || is_open);
        (Some(value).filter(|_| !is_open), findings)
    }

    pub(super) fn invalid_argument(
        &mut self,
        function: &Function,
        place: usize,
        argument: &Argument<'_>,
        why: &str,
    ) -> Value {
        let name = function.parameter(place).map_or("value", |parameter| parameter.name);
        let detail = format!(
            "The function {:?} does not accept this value for its parameter {name:?}: {why}.",
            function.name
        );
        self.error(EngineRule::InvalidFunctionCall, "Invalid function argument", detail, argument.start())
    }

    pub(super) fn call_failed(&mut self, call: &Call, why: &str) -> Value {
        let (detail, at) = (format!("{:?} fails here: {why}.", call.name), call.name_span.to(call.open));
        self.error(EngineRule::InvalidFunctionCall, "Error in function call", detail, at)
    }
}

fn counted(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    }
}
