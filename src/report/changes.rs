//! Formats interface changes: for people, for release notes, and as JSON.

use serde::Serialize;

use super::sanitize::path_at_line_start;
use super::{Style, escape, from_top, markdown, one_line};
use crate::check::ModuleChange;
use crate::module::interface::Impact;
use crate::text::counted;

/// The strongest impact of all changes, or `None` without changes.
pub fn impact(changes: &[ModuleChange]) -> Option<Impact> {
    changes.iter().map(ModuleChange::impact).max()
}

/// For people: each module with its changes, and the total impact.
pub fn human(changes: &[ModuleChange], style: &Style) -> String {
    let mut text = String::new();
    for module in changes {
        let name = path_at_line_start(&module.directory, &style.names);
        let from = module.moved_from.as_ref().map(|from| format!(", moved from {from}")).unwrap_or_default();
        text.push_str(&format!("{name} ({}{})\n", module.role.word(), one_line(&from)));
        for change in &module.changes {
            text.push_str(&format!("  {:<8}  {}\n", change.impact.name(), one_line(&change.to_string())));
        }
        text.push('\n');
    }
    let counts = counted(changes.len(), "module");
    match impact(changes) {
        Some(impact) => text.push_str(&format!("{counts} changed: {}\n", impact.name())),
        None => text.push_str("no module changed\n"),
    }
    text
}

/// For release notes and comments on pull requests, in Markdown.
pub fn markdown(changes: &[ModuleChange]) -> String {
    let mut text = String::new();
    for module in changes {
        text.push_str(&format!("### {}\n\n", markdown::code(&from_top(&module.directory))));
        for impact in Impact::ALL.into_iter().rev() {
            let of_impact: Vec<_> = module.changes.iter().filter(|change| change.impact == impact).collect();
            if of_impact.is_empty() {
                continue;
            }
            let title = match impact {
                Impact::Breaking => "Breaking changes",
                Impact::Feature => "Features",
                Impact::Fix => "Fixes",
            };
            text.push_str(&format!("**{title}**\n\n"));
            for change in of_impact {
                let (subject, what) = (markdown::code(&change.subject), markdown::literal(&change.what));
                text.push_str(&format!("- {subject} {what}\n"));
            }
            text.push('\n');
        }
    }
    if changes.is_empty() {
        text.push_str("No module changed.\n");
    }
    text
}

/// As JSON.
pub fn json(changes: &[ModuleChange]) -> String {
    let module = |module: &ModuleChange| Module {
        path: from_top(&module.directory),
        moved_from: module.moved_from.as_ref().map(ToString::to_string),
        role: module.role.word(),
        impact: module.impact().name(),
        changes: module
            .changes
            .iter()
            .map(|change| Change {
                impact: change.impact.name(),
                part: change.part.name(),
                subject: change.subject.to_string(),
                message: change.what.clone(),
            })
            .collect(),
    };
    escape::to_string(&Document {
        format_version: "1.0",
        impact: impact(changes).map(Impact::name),
        modules: changes.iter().map(module).collect(),
    })
}

#[derive(Debug, Serialize)]
struct Document {
    format_version: &'static str,
    impact: Option<&'static str>,
    modules: Vec<Module>,
}

#[derive(Debug, Serialize)]
struct Module {
    path: String,
    moved_from: Option<String>,
    role: &'static str,
    impact: &'static str,
    changes: Vec<Change>,
}

#[derive(Debug, Serialize)]
struct Change {
    impact: &'static str,
    part: &'static str,
    subject: String,
    message: String,
}
