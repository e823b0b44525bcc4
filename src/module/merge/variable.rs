//! Merges a `variable` block of an override file and checks the result; the same for local values.

use crate::finding::{EngineRule, Finding, Related, address_text};
use crate::limits::Limits;
use crate::module::declaration::{Local, Spanned, Variable};
use crate::module::dropped::{Dropped, Why};
use crate::module::merge::Merger;
use crate::module::merge::overlay::Overlay;
use crate::value::{self, Budget, Mismatch, Value};

impl Merger<'_> {
    pub(super) fn override_variable(&mut self, over: Variable) {
        let Some(base) = self.module.variables.get_mut(&over.name) else {
            self.without_base(&over.origin.base);
            return;
        };
        let wrote = (over.constraint.is_some(), over.default.is_some());
        let header = over.origin.header();
        let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
        overlay.replace("description", &mut base.description, over.description);
        overlay.replace("sensitive", &mut base.sensitive, over.sensitive);
        overlay.replace("ephemeral", &mut base.ephemeral, over.ephemeral);
        overlay.replace("const", &mut base.constant, over.constant);
        overlay.replace("nullable", &mut base.nullable, over.nullable);
        overlay.replace("default", &mut base.default, over.default);
        overlay.deprecated(&mut base.deprecated, over.deprecated, &self.features);
        // Neither Terraform nor OpenTofu replaces the defaults of optional attributes.
        let defaults = base.constraint.as_ref().and_then(|base| base.value.defaults.clone());
        overlay.replace("type", &mut base.constraint, over.constraint);
        if let Some(constraint) = base.constraint.as_mut().filter(|_| wrote.0) {
            constraint.value.defaults = defaults;
        }
        overlay.refuse_rest(&[]);
        base.origin.overrides.push(over.origin.base);
        let base_header = base.origin.header();
        let findings = recheck(base, wrote, &self.work, &self.module.limits)
            .into_iter()
            .map(|finding| finding.at(header).related(base_header, "the variable that is overridden"));
        self.findings.extend(findings);
    }

    pub(super) fn override_local(&mut self, over: Local) {
        let Some(base) = self.module.locals.get_mut(&over.name) else {
            let (what, address) = (format!("local value `{}`", over.name), format!("local.{}", over.name));
            let dropped = Dropped::argument(&over.attribute, &address, Why::NoBase);
            self.missing_base("Missing base local value definition to override", &what, address, dropped);
            return;
        };
        let (declared, overridden) = (base.attribute.span, over.attribute.span);
        let replaced = std::mem::replace(&mut base.attribute, over.attribute);
        match &base.base {
            Some(_) => base.superseded.push(replaced),
            None => base.base = Some(replaced),
        }
        // The engine does not copy the range of a local value, so an override also moves the position of a duplicate
        // error.
        let (rule, address) =
            (EngineRule::DuplicateDeclaration.id(), address_text(format!("local.{}", over.name)));
        let twice = self.findings.iter_mut().filter(|finding| finding.primary == Some(declared));
        for finding in twice.filter(|finding| finding.rule == rule && finding.address == address) {
            finding.primary = Some(overridden);
            finding.related.push(Related { span: declared, message: "declared here again".to_owned() });
        }
    }
}

/// Converts the default to the merged type. The input is the already converted default, not the written one: a `null`
/// of one type does not become a `null` of another. The engine adds the defaults of optional attributes when it uses the
/// default, but does not check it then.
fn recheck(
    variable: &mut Variable,
    (wrote_type, wrote_default): (bool, bool),
    work: &Budget,
    limits: &Limits,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let refuses_null = variable.refuses_null();
    let Some(default) = &mut variable.default else { return findings };
    if let Some(Spanned { value: constraint, span: type_span }) = &variable.constraint {
        match value::convert(&default.value, &constraint.ty) {
            Ok(converted) if constraint.defaults.is_none() => default.value = converted,
            Ok(converted) => {
                default.value = match constraint.pay(&converted, work, default.span, limits) {
                    Ok(()) => constraint.accept(&converted).unwrap_or(Value::UNKNOWN),
                    Err(limit) => {
                        findings.extend(limit);
                        Value::UNKNOWN
                    }
                };
            }
            Err(mismatch) => {
                let finding =
                    Finding::language(EngineRule::InvalidDefaultValue, "Invalid default value for variable")
                        .detail(detail(&mismatch, wrote_type, wrote_default))
                        .related(default.span, "the default")
                        .related(*type_span, "the type");
                findings.push(finding);
            }
        }
    }
    if default.value.is_null() && refuses_null {
        Finding::language(EngineRule::InvalidDefaultValue, "Invalid default value for variable")
            .detail("With this override the default is null, but the variable sets `nullable = false`.")
            .related(default.span, "the default")
            .push_to(&mut findings);
    }
    findings
}

fn detail(mismatch: &Mismatch, wrote_type: bool, wrote_default: bool) -> String {
    let mismatch = &mismatch.message;
    match (wrote_type, wrote_default) {
        (true, false) => {
            format!("The type in this override makes the default invalid: {mismatch}.")
        }
        (false, true) => {
            format!("The default in this override does not match the type of the variable: {mismatch}.")
        }
        (true, true) | (false, false) => {
            format!("The default of this variable does not match its type: {mismatch}.")
        }
    }
}
