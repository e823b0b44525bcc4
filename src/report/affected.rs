//! Formats the modules that a change can affect: for people, for shells, as JSON, and for the matrix of a CI job.

use std::collections::BTreeMap;

use serde::Serialize;
use smol_str::SmolStr;

use super::sanitize::path_at_line_start;
use super::tally::counts;
use super::{PathStyle, Style, escape, from_top, one_line};
use crate::check::{Affected, AffectedUnit};
use crate::text::counted;

/// For people: a line for each module and unit, with the chain of reasons.
pub fn human(affected: &Affected, style: &Style) -> String {
    let arrow = if style.unicode { " ← " } else { " <- " };
    let start = |path: &str| path_at_line_start(path, &style.names);
    let step = |path: &SmolStr| one_line(&style.names.of(path)).into_owned();
    let chain = |chain: &[SmolStr]| {
        let steps = std::iter::once(String::new()).chain(chain.iter().map(step));
        steps.collect::<Vec<_>>().join(arrow)
    };
    let mut text = String::new();
    for module in &affected.modules {
        let deleted = if module.is_deleted { " (deleted)" } else { "" };
        text.push_str(&format!("{}{deleted}{}\n", start(&module.directory), chain(&module.chain)));
    }
    for unit in &affected.units {
        text.push_str(&format!("{} (Terragrunt){}\n", start(&unit.path), chain(&unit.chain)));
    }
    for test in &affected.tests {
        text.push_str(&format!("{} (test)\n", start(test)));
    }
    let counts = counts(&[
        (affected.modules.len(), "root module"),
        (affected.units.len(), "Terragrunt unit"),
        (affected.tests.len(), "test file"),
    ]);
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(" and ") };
    text.push_str(&format!("{counts} affected\n"));
    text.extend(left_out(affected));
    text
}

/// The line about affected modules that are left out, if there are any.
pub fn left_out(affected: &Affected) -> Option<String> {
    (affected.in_library > 0).then(|| {
        format!(
            "{} left out: no directory looks like a root module, so overrule assumes a library of \
             shared modules; a `role \"root\"` block in the policy sets the role\n",
            counted(affected.in_library, "affected module")
        )
    })
}

/// For shells: one path per line, relative to the top of the repository, without deleted modules and units. A unit is
/// named by its directory.
pub fn paths(affected: &Affected) -> String {
    let mut text = String::new();
    for path in there(affected).into_keys() {
        text.push_str(&format!("{}\n", on_a_line(&path)));
    }
    for test in &affected.tests {
        text.push_str(&format!("{}\n", on_a_line(test)));
    }
    text
}

/// As JSON.
pub fn json(affected: &Affected) -> String {
    let module = |module: &crate::check::AffectedModule| Module {
        path: from_top(&module.directory),
        role: module.role.word(),
        deleted: module.is_deleted,
        chain: module.chain.iter().map(|step| from_top(step)).collect(),
    };
    let unit = |unit: &AffectedUnit| Unit {
        path: unit.path.to_string(),
        chain: unit.chain.iter().map(|step| from_top(step)).collect(),
    };
    escape::to_string(&Document {
        format_version: "1.0",
        modules: affected.modules.iter().map(module).collect(),
        terragrunt_units: affected.units.iter().map(unit).collect(),
        tests: affected.tests.iter().map(ToString::to_string).collect(),
    })
}

/// For the `matrix` of a job in GitHub Actions, on one line: `{"include":[{"path":"live/a","tool":"terraform"}]}`.
pub fn github_matrix(affected: &Affected) -> String {
    let include = there(affected).into_iter().map(|(path, tool)| Entry { path, tool }).collect();
    let text = escape::to_string(&Matrix { include });
    // With this layout, no string contains a line break, so lines can be joined.
    let line = text.lines().map(str::trim_start).collect::<String>().replace("\",\"", "\", \"");
    format!("{line}\n")
}

/// The directories that can be planned, each with the program that plans it: modules and units that the change does not
/// delete.
fn there(affected: &Affected) -> BTreeMap<String, &'static str> {
    let modules = affected.modules.iter().filter(|module| !module.is_deleted);
    let modules = modules.map(|module| (from_top(&module.directory), module.product.command()));
    let directory = |unit: &AffectedUnit| from_top(crate::vfs::parent(&unit.path).unwrap_or_default());
    let units = affected.units.iter().map(|unit| (directory(unit), "terragrunt"));
    modules.chain(units).collect()
}

/// A path on a separate line.
fn on_a_line(path: &str) -> String {
    path_at_line_start(path, &PathStyle::default())
}

#[derive(Debug, Serialize)]
struct Document {
    format_version: &'static str,
    modules: Vec<Module>,
    terragrunt_units: Vec<Unit>,
    tests: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Module {
    path: String,
    role: &'static str,
    deleted: bool,
    chain: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Unit {
    path: String,
    chain: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Matrix {
    include: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    path: String,
    tool: &'static str,
}
