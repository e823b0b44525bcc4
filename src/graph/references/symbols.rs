//! Reports `count`, `each`, `self`, `path`, `terraform` and `tofu` where they are not valid.

use super::sites::{Site, Symbols};
use crate::finding::{EngineRule, Finding};
use crate::module::Module;
use crate::module::address::{Subject, reference};
use crate::syntax::Expr;
use crate::text::{Span, similar};

/// The summary of the error for an attribute of `count` outside of a block with `count`.
pub(in crate::graph) fn unavailable_count(name: &str) -> &'static str {
    match name {
        "index" => "Reference to \"count\" in non-counted context",
        _ => "Invalid \"count\" attribute",
    }
}

/// The summary of the error for an attribute of `each` outside of a block with `for_each`.
pub(in crate::graph) fn unavailable_each(name: &str) -> &'static str {
    match name {
        "key" => "Reference to \"each\" in context without for_each",
        "value" => "each.value cannot be used in this context",
        _ => "Invalid \"each\" attribute",
    }
}

pub(super) fn count(name: &str, site: &Site<'_>, at: Span, findings: &mut Vec<Finding>) {
    let summary = unavailable_count(name);
    if name != "index" {
        misplaced(summary, at)
            .detail(format!("`count` has no attribute `{name}`, only `count.index`."))
            .help("write `count.index`")
            .push_to(findings);
    } else if !site.symbols.count {
        misplaced(summary, at)
            .detail("`count.index` is available only in a block with `count`.")
            .help_if(help(site, "count.index", "count"))
            .push_to(findings);
    }
}

pub(super) fn each(name: &str, site: &Site<'_>, at: Span, findings: &mut Vec<Finding>) {
    let summary = unavailable_each(name);
    if !matches!(name, "key" | "value") {
        misplaced(summary, at)
            .detail(format!("`each` has no attribute `{name}`, only `each.key` and `each.value`."))
            .help("write `each.key` or `each.value`")
            .push_to(findings);
        return;
    }
    if site.symbols.each {
        return;
    }
    findings.push(match site.count_beside_for_each() {
        Some(count) => misplaced(summary, at)
            .detail(format!(
                "This block has both `count` and `for_each`. `count` applies and `for_each` has no effect, so `each.{name}` is \
                 not available."
            ))
            .related(count, "`count` is set here")
            .help("remove `count`, or remove `for_each` and write `count.index`"),
        None => misplaced(summary, at)
            .detail(format!("`each.{name}` is available only in a block with `for_each`."))
            .help_if(help(site, &format!("each.{name}"), "for_each")),
    });
}

/// The errors for `count` and `each` in an argument of a module call that has no such instances. Only a plan reports
/// them.
pub(in crate::graph) fn of_argument(module: &Module, site: &Site<'_>, expr: &Expr) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (count, each) = site.repetition();
    let site = Site { symbols: Symbols { count, each, itself: false }, ..site.clone() };
    for traversal in expr.variables() {
        match reference(traversal, &module.features).map(|it| (it.subject, it.span)) {
            Ok((Subject::Count(name), at)) => self::count(&name, &site, at, &mut findings),
            Ok((Subject::Each(name), at)) => self::each(&name, &site, at, &mut findings),
            _ => {}
        }
    }
    findings
}

/// The help for a symbol that requires an argument of the enclosing block, if the block can have it.
fn help(site: &Site<'_>, symbol: &str, argument: &str) -> Option<String> {
    Some(match (site.repetition(), site.can_have_instances()) {
        ((false, false), true) => format!("set `{argument}` in this block, or replace `{symbol}`"),
        ((true, _), _) => "write `count.index`, or replace `count` with `for_each`".to_owned(),
        ((_, true), _) => "write `each.key`, or replace `for_each` with `count`".to_owned(),
        ((false, false), false) => return None,
    })
}

pub(super) fn itself(at: Span, findings: &mut Vec<Finding>) {
    misplaced("Invalid \"self\" reference", at)
        .detail("`self` is available only in provisioners, connections and postconditions.")
        .push_to(findings);
}

/// The attributes of `path`.
pub(in crate::graph) const PATHS: [&str; 3] = ["cwd", "module", "root"];

pub(super) fn path(name: &str, at: Span, findings: &mut Vec<Finding>) {
    if !PATHS.contains(&name) {
        misplaced("Invalid \"path\" attribute", at)
            .detail(format!(
                "`path` has no attribute `{name}`, only `path.module`, `path.root` and `path.cwd`."
            ))
            .meant(similar(name, PATHS).map(|meant| format!("path.{meant}")))
            .push_to(findings);
    }
}

/// Checks an attribute of `terraform`, or of its alias `tofu`.
pub(super) fn engine(root: &str, name: &str, module: &Module, at: Span, findings: &mut Vec<Finding>) {
    let applying = module.features.grammar.applying;
    if name == "workspace" || (name == "applying" && applying) {
        return;
    }
    let known = if applying { "`workspace` and `applying`" } else { "`workspace`" };
    let names = ["workspace", "applying"].into_iter().take(1 + usize::from(applying));
    let meant = if name == "env" { Some("workspace") } else { similar(name, names) };
    misplaced(format!("Invalid \"{root}\" attribute"), at)
        .detail(format!("`{root}` has no attribute `{name}`, only {known}."))
        .meant(meant.map(|meant| format!("{root}.{meant}")))
        .push_to(findings);
}

fn misplaced(summary: impl Into<String>, at: Span) -> Finding {
    Finding::language(EngineRule::MisplacedSymbol, summary).at(at)
}
