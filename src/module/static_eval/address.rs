//! Evaluates `source` and `version` of merged module calls.

use smol_str::SmolStr;

use super::refusal::{self, static_error, upper};
use super::{Outcome, Purpose, StaticEvaluator, as_text};
use crate::engine::ModuleAddress;
use crate::finding::{Concern, EngineRule, Finding, set_address};
use crate::module::address::{ModuleSource, Subject};
use crate::module::declaration::{ModuleCall, Source, VersionConstraint};
use crate::syntax::{Attribute, Expr};
use crate::value::{Constraints, Marks, Value};

/// The resolved address of a call.
pub(in crate::module) struct Resolved {
    pub(in crate::module) source: Option<Source>,
    pub(in crate::module) version: Option<VersionConstraint>,
}

/// The `version` of a call.
enum Version {
    /// Missing or null.
    None,
    /// A valid constraint.
    Known(VersionConstraint),
    /// Perhaps set: it depends on unknown values.
    Open,
    /// Set, but empty.
    Empty,
    /// Set, with an error.
    Failed,
}

impl StaticEvaluator<'_> {
    /// Resolves the module of a call. Returns `None` if the decoder did so already.
    pub(in crate::module) fn call(&mut self, call: &ModuleCall) -> Option<Resolved> {
        if !self.after_merge() {
            return None;
        }
        let before = self.findings.len();
        let resolved = self.resolved(call);
        set_address(&mut self.findings[before..], &format!("module.{}", call.name));
        Some(resolved)
    }

    fn resolved(&mut self, call: &ModuleCall) -> Resolved {
        let version = match &call.address.version {
            None => Version::None,
            Some(attribute) => self.version(call, attribute),
        };
        let stops = self.module.features.module_address == ModuleAddress::ConstAfterMerge
            && matches!(version, Version::Failed);
        let source = call.address.source.as_ref().map(|attribute| {
            let span = attribute.expr.span;
            let nothing = Source { raw: SmolStr::default(), address: None, span };
            // Terraform reports one error per call at a time.
            if stops { nothing } else { self.source(call, &attribute.expr, &version).unwrap_or(nothing) }
        });
        let version = match version {
            Version::Known(constraint) => Some(constraint),
            Version::None | Version::Empty | Version::Open | Version::Failed => None,
        };
        Resolved { source, version }
    }

    fn version(&mut self, call: &ModuleCall, attribute: &Attribute) -> Version {
        let purpose = Purpose {
            what: format!("the version of `module.{}`", call.name),
            at: attribute.span,
            rule: EngineRule::InvalidVersionConstraint,
        };
        let at = attribute.expr.span;
        let Some(outcome) = self.outcome(&attribute.expr, &purpose, "Invalid module version") else {
            return Version::Failed;
        };
        let constant = self.module.features.module_address == ModuleAddress::ConstAfterMerge;
        if outcome.value.unmarked().1 != Marks::NONE {
            let summary = if constant { "Unknown module version" } else { "Invalid version constraint" };
            self.findings.push(static_error(&purpose, summary, at).detail(format!(
                "{} cannot depend on sensitive or ephemeral values, because `init` shows it.",
                upper(&purpose.what)
            )));
            return Version::Failed;
        }
        let text = match as_text(&outcome.value) {
            Ok(Value::Null(_)) if self.module.features.module_version_null => return Version::None,
            Ok(Value::Null(_)) => return Version::Empty,
            Ok(Value::String(text)) => text,
            Ok(_) if outcome.sure && constant => {
                self.findings.push(unknown(&purpose, "Unknown module version", at));
                return Version::Failed;
            }
            Ok(_) => return Version::Open,
            Err(ty) => {
                let summary = if constant { "Incorrect value type" } else { "Invalid version constraint" };
                static_error(&purpose, summary, at)
                    .detail(format!("`version` must be a string, not {ty}."))
                    .push_to(&mut self.findings);
                return Version::Failed;
            }
        };
        match Constraints::parse(&text) {
            Ok(constraints) => Version::Known(VersionConstraint {
                constraints: Some(constraints),
                text,
                span: attribute.span,
                value_span: at,
            }),
            Err(reason) => {
                static_error(&purpose, "Invalid version constraint", at)
                    .detail(format!("{reason}."))
                    .help(Constraints::help(&text))
                    // The same placeholder in many calls of a directory is one cause.
                    .concerns(Concern::Name(text.clone()))
                    .push_to(&mut self.findings);
                Version::Failed
            }
        }
    }

    fn source(&mut self, call: &ModuleCall, expr: &Expr, version: &Version) -> Option<Source> {
        let purpose = Purpose {
            what: format!("the source of `module.{}`", call.name),
            at: expr.span,
            rule: EngineRule::InvalidModuleSource,
        };
        let outcome = self.outcome(expr, &purpose, "Invalid module source")?;
        let marks = outcome.value.unmarked().1;
        if marks != Marks::NONE {
            let finding = refusal::confidential(marks, &purpose, expr.span);
            match self.module.features.module_address {
                ModuleAddress::ConstAfterMerge => {
                    self.findings.push(Finding { summary: "Unknown module source".to_owned(), ..finding });
                }
                ModuleAddress::StaticAfterMerge if self.module.features.static_confidential_refused => {
                    self.findings.push(finding);
                }
                ModuleAddress::StaticAfterMerge | ModuleAddress::LiteralPerBlock => {}
            }
            return None;
        }
        let raw = self.source_text(&outcome, &purpose, expr)?;
        let features = &self.module.features;
        let parsed = match version {
            Version::None => ModuleSource::parse(&raw, false, features),
            Version::Known(_) | Version::Empty | Version::Failed => ModuleSource::parse(&raw, true, features),
            Version::Open => {
                let plain = ModuleSource::parse(&raw, false, features);
                // It could be invalid with a version and valid without one, or the other way round.
                let registry = ModuleSource::parse(&raw, true, features);
                let address = registry.or(plain).ok();
                return Some(Source { raw, address, span: expr.span });
            }
        };
        let address = match parsed {
            Ok(address) => Some(address),
            Err(error) => {
                let finding = Finding {
                    help: error.help,
                    ..static_error(&purpose, error.summary, expr.span).detail(error.detail)
                };
                self.findings.push(match &call.address.version {
                    Some(attribute) if !matches!(version, Version::None) => {
                        finding.related(attribute.span, "only a module from a registry has a version")
                    }
                    _ => finding,
                });
                None
            }
        };
        Some(Source { raw, address, span: expr.span })
    }

    fn source_text(&mut self, outcome: &Outcome, purpose: &Purpose, expr: &Expr) -> Option<SmolStr> {
        let constant = self.module.features.module_address == ModuleAddress::ConstAfterMerge;
        let (summary, at, detail) = match (as_text(&outcome.value), constant) {
            (Ok(Value::String(text)), _) => return Some(text),
            (Ok(Value::Null(_)), true) => {
                ("Unsuitable module source", expr.span, "This must not be null.".to_owned())
            }
            (Ok(Value::Null(_)), false) => {
                ("Unsuitable value type", expr.start_span(), "This must not be null.".to_owned())
            }
            (Ok(_), true) if outcome.sure => {
                self.findings.push(unknown(purpose, "Unknown module source", expr.span));
                return None;
            }
            (Ok(_), _) => return None,
            (Err(ty), true) => {
                ("Incorrect value type", expr.span, format!("`source` must be a string, not {ty}."))
            }
            (Err(ty), false) => {
                ("Unsuitable value type", expr.start_span(), format!("`source` must be a string, not {ty}."))
            }
        };
        // A value of the wrong type is an invalid value, not an invalid address.
        self.findings.push(Finding::language(EngineRule::InvalidValue, summary).detail(detail).at(at));
        None
    }

    /// The result for one of the two arguments. Returns `None` after an error.
    fn outcome(&mut self, expr: &Expr, purpose: &Purpose, refusal: &str) -> Option<Outcome> {
        let outcome = match self.module.features.module_address {
            ModuleAddress::LiteralPerBlock | ModuleAddress::StaticAfterMerge => {
                self.static_value(expr, purpose)
            }
            ModuleAddress::ConstAfterMerge => {
                let before = self.findings.len();
                let with_path = purpose.rule == EngineRule::InvalidModuleSource;
                let references = self.references(expr);
                let wrong = references.iter().find(|reference| match &reference.subject {
                    Subject::Variable(_) | Subject::Local(_) => false,
                    Subject::Path(_) => !with_path,
                    _ => true,
                });
                if self.findings.len() > before {
                    return None;
                }
                if let Some(wrong) = wrong {
                    self.findings.push(static_error(purpose, refusal, wrong.span).detail(format!(
                        "{} must be known before plan, so it can refer only to `const` variables and local values.",
                        upper(&purpose.what)
                    )));
                    return None;
                }
                self.constant_value(expr)
            }
        };
        (!outcome.failed).then_some(outcome)
    }
}

fn unknown(purpose: &Purpose, summary: &str, at: crate::text::Span) -> Finding {
    static_error(purpose, summary, at)
        .detail(format!(
            "{} must be known when `init` runs, but this expression has a value only later.",
            upper(&purpose.what)
        ))
        .help("write a literal string, or use a variable with `const = true` (since Terraform 1.15)")
}
