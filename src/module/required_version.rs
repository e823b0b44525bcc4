//! Checks `required_version` constraints against the engine.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::{self, Engine, Features, FileKind, Product, RequiredVersion};
use crate::finding::{EngineRule, Finding, Severity};
use crate::module::declaration::VersionConstraint;
use crate::module::{Module, ModuleFile, is_tofu_file};
use crate::syntax::{Attribute, BlockSchema, Body, Schema};
use crate::value::{self, Constraints, Version};

/// Required versions of an engine that overrule does not model, such as Terraform 0.11.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmodelled {
    product: Product,
    constraints: Constraints,
}

/// Why a version constraint is not met.
enum Unmet {
    /// It is invalid.
    Unusable(Finding),
    /// It excludes the version of the engine.
    Excludes(Finding),
}

impl Module {
    /// Whether `required_version` admits the engine that checks the module.
    pub(crate) fn admits_engine(&self) -> bool {
        self.admits(self.features.engine.version)
    }

    fn admits(&self, release: engine::Version) -> bool {
        let mut constraints =
            self.required_versions.iter().filter_map(|version| version.constraints.as_ref());
        constraints.all(|constraints| matches(constraints, release))
    }

    /// The engine that checks the module, or the newest release before it that `required_version` admits.
    pub(crate) fn newest_engine(&self) -> Engine {
        let find = || {
            let engine = self.features.engine;
            if engine.pinned || self.admits_engine() {
                return engine;
            }
            let is_older = |release| release < engine.version && self.admits(release);
            let newest = engine.product.newest_release_where(is_older);
            newest.map_or(engine, |version| Engine { version, ..engine })
        };
        *self.newest_engine.get_or_init(find)
    }

    /// The findings about `required_version`, for an engine that checks it after loading the configuration.
    pub fn unmet_versions(&self) -> impl Iterator<Item = Finding> {
        let late = !self.features.version_mismatch_hides_rest;
        let constraints = self.required_versions.iter().filter(move |_| late);
        constraints.filter_map(|constraint| match unmet(&self.features, constraint)? {
            Unmet::Unusable(finding) | Unmet::Excludes(finding) => Some(finding.at_validate()),
        })
    }

    /// Checks `required_version` for an engine that does so before loading the configuration. Other findings are
    /// dropped if it excludes the engine, because the module may use syntax that this version does not know.
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

    /// The notice about an engine that is not modelled, if a version file selects it. `required_version` has a notice of
    /// its own.
    pub fn unmodelled_engine(&self) -> Option<Finding> {
        let Engine { product, version, pinned } = self.features.engine;
        let (name, oldest, newest) = (product.name(), product.oldest_modelled(), product.newest_release());
        if pinned || version >= oldest || Unknown::of(product, &self.required_versions).is_some() {
            return None;
        }
        let summary = self.features.summaries.version_mismatch;
        let finding = Finding::language(EngineRule::UnsupportedEngineVersion, summary)
            .severity(Severity::Notice)
            .detail(format!(
                "A file such as `.terraform-version` selects {name} {version}, and overrule knows {name} {oldest} to \
                 {newest}. In this module and those that it calls, it reports only errors that every version reports."
            ));
        Some(finding.help(format!(
            "if the module works with {name} {oldest} or later, select such a version in that file"
        )))
    }

    /// Marks the module as one for versions that are not modelled: only findings that hold in all of them stay.
    pub fn bind(&mut self, versions: Unmodelled, findings: &mut Vec<Finding>) {
        findings.retain(|finding| versions.confirms(finding));
        self.unmodelled = Some(versions);
        self.excluded = true;
        self.complete = false;
    }

    /// Reports constraints that no known release meets. Patch releases do not change the language, so that a module for
    /// a later patch is checked in full. In one for versions that are not modelled, such as Terraform 0.11, findings
    /// that hold in every version stay. A pinned engine version is never replaced this way.
    pub(super) fn unknown_version(&mut self, files: &[ModuleFile<'_>], findings: &mut Vec<Finding>) {
        let engine = self.features.engine;
        if engine.pinned || self.excluded {
            return;
        }
        let required = Unknown::of(engine.product, &self.required_versions);
        // A constraint that OpenTofu ignores shows the language of the module, unless a release of OpenTofu meets it.
        let written = || {
            let ignored = self.features.required_version == RequiredVersion::TofuFiles;
            let written = if ignored { written_for_terraform(files) } else { Vec::new() };
            Unknown::of(engine.product, &written)?;
            Unknown::of(Product::Terraform, &written)
        };
        let Some(unknown) = required.or_else(written) else {
            if engine.version < engine.product.oldest_modelled()
                && let Ok(constraints) = Constraints::parse(&engine.version.to_string())
            {
                self.bind(Unmodelled { product: engine.product, constraints }, findings);
            }
            return;
        };
        if unknown.follows.is_none() {
            self.bind(
                Unmodelled { product: unknown.product, constraints: unknown.constraints.clone() },
                findings,
            );
        }
        findings.push(unknown.finding());
    }
}

/// A constraint that no known release meets.
struct Unknown {
    product: Product,
    /// As it is written.
    written: VersionConstraint,
    constraints: Constraints,
    /// The known release before the patch releases that would meet it.
    follows: Option<engine::Version>,
}

impl Unknown {
    /// One of the constraints, if no modelled release meets all of them and another version could.
    fn of(product: Product, required: &[VersionConstraint]) -> Option<Self> {
        let required: Vec<(&VersionConstraint, &Constraints)> =
            required.iter().filter_map(|written| Some((written, written.constraints.as_ref()?))).collect();
        let conditions = required.iter().flat_map(|(_, constraints)| constraints.conditions());
        let all = Constraints::of(conditions.cloned().collect());
        let oldest = product.oldest_modelled();
        let is_met = |constraints: &Constraints| {
            let is_met = |release| release >= oldest && matches(constraints, release);
            product.newest_release_where(is_met).is_some()
        };
        if all.names_prerelease() || !all.can_be_met() || is_met(&all) {
            return None;
        }
        let alone = required.iter().find(|(_, constraints)| !is_met(constraints));
        let (written, constraints) = *alone.or(required.first())?;
        let mut modelled = product.last_patches().filter(|last| *last >= oldest);
        let follows = modelled.find(|last| admits_later_patch(&all, *last));
        Some(Self { product, written: written.clone(), constraints: constraints.clone(), follows })
    }

    fn finding(&self) -> Finding {
        let product = self.product;
        let (name, oldest, newest) = (product.name(), product.oldest_modelled(), product.newest_release());
        let required = format!("This module requires {name} {}", self.written.text);
        let detail = match self.follows {
            Some(last) => format!(
                "{required}, and the last version of {}.{} that overrule knows is {last}. Patch releases do not change \
                 the language, so the module is checked as usual.",
                last.major, last.minor
            ),
            None => format!(
                "{required}, and no version that overrule knows, from {oldest} to {newest}, meets that. In this module, \
                 it reports only errors that every version reports."
            ),
        };
        let help = if admits_since(&self.constraints, oldest) {
            "correct the constraint, or upgrade overrule if this version exists".to_owned()
        } else {
            format!(
                "if the module works with {name} {oldest} or later, change `required_version` to admit such a version"
            )
        };
        let summaries = Engine::newest(product).features().summaries;
        Finding::language(EngineRule::UnsupportedEngineVersion, summaries.version_mismatch)
            .severity(Severity::Notice)
            .detail(detail)
            .at(self.written.span)
            .help(help)
    }
}

impl Unmodelled {
    /// The versions for a child module whose callers require `self`: those that its own `required_version` allows,
    /// too. Returns `None` if it allows none of them.
    pub fn of_callee(&self, callee: &Module) -> Option<Self> {
        let own = callee.required_versions.iter().filter_map(|constraint| constraint.constraints.as_ref());
        let all = std::iter::once(&self.constraints).chain(own).flat_map(Constraints::conditions);
        let constraints = Constraints::of(all.cloned().collect());
        constraints.can_be_met().then_some(Self { constraints, ..*self })
    }

    /// Whether some of these versions read HCL 2, the language since Terraform 0.12.
    pub fn is_hcl2(&self) -> bool {
        admits_since(&self.constraints, self.product.oldest_release())
    }

    /// Whether a finding holds in all of these versions. Nothing is known about versions before Terraform 0.12.
    fn confirms(&self, finding: &Finding) -> bool {
        self.is_hcl2() && is_wrong_in_every_version(finding)
    }
}

fn matches(constraints: &Constraints, release: engine::Version) -> bool {
    Version::parse(&release.to_string()).is_some_and(|version| constraints.matches(&version))
}

/// Whether a release or a later version, known or not, meets the constraints.
fn admits_since(constraints: &Constraints, release: engine::Version) -> bool {
    Constraints::parse(&format!(">= {release}")).is_ok_and(|since| constraints.agree_with(&since))
}

/// Whether a release of the same minor version after `last` would meet the constraints.
fn admits_later_patch(constraints: &Constraints, last: engine::Version) -> bool {
    let later = Constraints::parse(&format!("> {last}, < {}.{}.0", last.major, last.minor + 1));
    later.is_ok_and(|later| constraints.agree_with(&later))
}

/// Whether a finding holds in every version since Terraform 0.12.
fn is_wrong_in_every_version(finding: &Finding) -> bool {
    [EngineRule::SyntaxError, EngineRule::DuplicateDeclaration].iter().any(|rule| rule.id() == finding.rule)
}

/// The `required_version` constraints that the engine ignores in these files. Those in an override file replace all
/// others.
fn written_for_terraform(files: &[ModuleFile<'_>]) -> Vec<VersionConstraint> {
    let is_read = |file: &&ModuleFile<'_>| !is_tofu_file(file.name);
    let of = |kind: FileKind| {
        let files = files.iter().filter(is_read).filter(move |file| file.kind == kind);
        files.flat_map(|file| written(file.body)).collect::<Vec<_>>()
    };
    let over = of(FileKind::Override);
    if over.is_empty() { of(FileKind::Primary) } else { over }
}

fn written(body: &Body) -> Vec<VersionConstraint> {
    let blocks = &[BlockSchema::new("terraform", &[])];
    let (content, _) = body.partial_content(&Schema { attributes: &[], blocks }, &mut Vec::new());
    let required = content.blocks.iter().filter_map(|block| block.attribute("required_version"));
    let constraint = |attribute: Arc<Attribute>| {
        let value = value::constant(&attribute.expr, &mut Vec::new());
        let text = SmolStr::new(value.as_str()?);
        let constraints = Some(Constraints::parse(&text).ok()?);
        Some(VersionConstraint { constraints, text, span: attribute.span, value_span: attribute.expr.span })
    };
    required.filter_map(constraint).collect()
}

/// Whether the engine fails the constraint. Without a pinned version, no version is wrong.
fn unmet(features: &Features, constraint: &VersionConstraint) -> Option<Unmet> {
    let constraints: &Constraints = constraint.constraints.as_ref()?;
    let engine = features.engine;
    let name = engine.product.name();
    if constraints.names_prerelease() {
        let finding =
            Finding::language(EngineRule::UnsupportedEngineVersion, "Invalid required_version constraint")
                .detail(format!(
                    "`required_version` cannot select a prerelease: {name} compares its version without the prerelease part."
                ))
                .at(constraint.span)
                .help(format!("write {:?}", without_prereleases(&constraint.text)));
        return Some(Unmet::Unusable(finding));
    }
    let version = Version::parse(&engine.version.to_string())?;
    if !engine.pinned || constraints.matches(&version) {
        return None;
    }
    let finding =
        Finding::language(EngineRule::UnsupportedEngineVersion, features.summaries.version_mismatch)
            .detail(format!("This module requires {name} {}, but the version is {version}.", constraint.text))
            .at(constraint.span);
    Some(Unmet::Excludes(finding))
}

/// The constraint without prerelease suffixes.
fn without_prereleases(text: &str) -> String {
    let release = |condition: &str| condition.split(['-', '+']).next().unwrap_or_default().trim().to_owned();
    text.split(',').map(release).collect::<Vec<_>>().join(", ")
}
