//! Turns the versions that a module asks for into findings, where the engine at hand is none of them.

use crate::engine::Features;
use crate::finding::{Finding, Language};
use crate::module::Module;
use crate::module::declaration::VersionConstraint;
use crate::value::{Constraints, Version};

/// Why a version constraint on the engine is not met.
enum Unmet {
    /// It cannot be one.
    Unusable(Finding),
    /// It excludes the version at hand.
    Excludes(Finding),
}

impl Module {
    /// What is wrong with `required_version`, where the engine looks at it only once everything is loaded.
    pub fn unmet_versions(&self) -> impl Iterator<Item = Finding> {
        let late = !self.features.version_mismatch_hides_rest;
        let constraints = self.required_versions.iter().filter(move |_| late);
        constraints.filter_map(|constraint| match unmet(&self.features, constraint)? {
            Unmet::Unusable(finding) | Unmet::Excludes(finding) => Some(finding.at_validate()),
        })
    }

    /// The same where the engine looks at it first of all. A version that is excluded may not know what this module
    /// is written in, so nothing else is then told of it.
    pub(super) fn excluded_version(&mut self, findings: &mut Vec<Finding>) {
        if !self.features.version_mismatch_hides_rest {
            return;
        }
        let mut excluded = Vec::new();
        for constraint in &self.required_versions {
            match unmet(&self.features, constraint) {
                None => {}
                Some(Unmet::Unusable(finding)) => findings.push(finding),
                Some(Unmet::Excludes(finding)) => excluded.push(finding),
            }
        }
        if !excluded.is_empty() {
            self.excluded = true;
            self.complete = false;
            *findings = excluded;
        }
    }
}

/// Whether the engine is one that the constraint admits. Where nobody said which version it is, no version is wrong.
fn unmet(features: &Features, constraint: &VersionConstraint) -> Option<Unmet> {
    let constraints: &Constraints = constraint.constraints.as_ref()?;
    let engine = features.engine;
    let name = engine.product.name();
    if constraints.names_prerelease() {
        let finding =
            Finding::language(Language::UnsupportedEngineVersion, "Invalid required_version constraint")
                .detail(format!(
                    "A prerelease cannot be asked for: {name} compares its version without that part."
                ))
                .at(constraint.span)
                .help("remove what stands behind the `-`");
        return Some(Unmet::Unusable(finding));
    }
    let version = Version::parse(&engine.version.to_string())?;
    if !engine.pinned || constraints.matches(&version) {
        return None;
    }
    let finding = Finding::language(Language::UnsupportedEngineVersion, features.summaries.version_mismatch)
        .detail(format!("This module asks for {name} {}, and the version is {version}.", constraint.text))
        .at(constraint.span);
    Some(Unmet::Excludes(finding))
}
