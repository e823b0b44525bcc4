//! The options that choose the policy.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;

use super::terminal::{Terminal, is_in_github_actions};
use super::{Failure, place, unknown};
use crate::check::{self, Settings, judge};
use crate::finding::Finding;
use crate::limits::Limit;
use crate::policy::{PRESETS, Policy, Preset};
use crate::report::{self, Style};
use crate::text::FileId;
use crate::vfs::{POLICIES, Snapshot};

/// Options that choose the policy.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Policy")]
pub(super) struct Arguments {
    /// Policy file [default: `overrule.hcl` or `.config/overrule.hcl` at the root of the repository]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Preset to use instead of a policy file [default without a policy file: recommended]
    #[arg(long, value_name = "NAME", conflicts_with = "policy", value_parser = preset_names())]
    preset: Option<String>,
    /// Ignore the policy file of the repository and use the preset `recommended`
    #[arg(long, conflicts_with_all = ["policy", "preset"])]
    isolated: bool,
    /// Take the policy from a revision. Comments with `overrule: allow` then suppress findings in `check` only if that policy sets `exceptions "comments" { allowed = true }`
    #[arg(long, value_name = "REV", conflicts_with_all = ["policy", "preset", "isolated"])]
    policy_from: Option<String>,
    /// Set a limit: `file_size`, `nesting`, `mistakes`, `evaluation` or `conditions`, such as `file_size=128MiB`; repeatable; `overrule explain limit-reached` describes them
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit, help_heading = "Limits")]
    limit: Vec<(Limit, u64)>,
}

impl Arguments {
    /// Loads the policy, and then reads the rest of the files within its limits. Returns the policy file too. Mistakes
    /// in the policy are printed, and the command, such as `checked`, is not run.
    pub(super) fn load(
        &self,
        done: &str,
        current: &Path,
        snapshot: &mut Snapshot,
        terminal: &Terminal,
    ) -> Result<(Policy, Option<FileId>), Failure> {
        if let Some(revision) = &self.policy_from {
            snapshot.trust(current, revision)?;
        }
        let file = match &self.policy {
            Some(path) => snapshot.read_policy_at(current, path).map(Some),
            None if self.isolated || self.preset.is_some() => Ok(None),
            None => snapshot.read_policy(),
        };
        let file = file?;
        let preset = self.preset.as_deref().and_then(Policy::preset);
        let policy = preset.map_or_else(|| check::load_policy(snapshot, file), Ok);
        let mut policy = policy.map_err(|mistakes| refuse(done, mistakes, current, snapshot, terminal))?;
        policy.limit(self.limit.iter().copied());
        snapshot.read(&policy.limits());
        Ok((policy, file))
    }

    /// The note about a policy file in the working tree that differs from the state that is checked.
    pub(super) fn left_aside(&self, snapshot: &Snapshot, file: Option<FileId>) -> Option<&'static str> {
        let top = snapshot.top()?;
        let is_of_state =
            self.policy.is_none() && self.preset.is_none() && !self.isolated && self.policy_from.is_none();
        let is_there = |name: &&&str| top.join(name).is_file();
        POLICIES.iter().find(is_there).copied().filter(|_| is_of_state && file.is_none())
    }

    /// The style of a report that suggests options to combine with these.
    pub(super) fn style(&self) -> Style {
        let is_fixed = self.preset.is_some() || self.policy_from.is_some() || self.isolated;
        Style { allows_exceptions: self.policy.is_some() || !is_fixed, ..Style::default() }
    }

    /// The preset that `--preset` names.
    pub(super) fn preset(&self) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| Some(preset.name) == self.preset.as_deref())
    }

    /// Whether the checked code may suppress findings if the policy does not say so.
    pub(super) fn trusts_change(&self) -> bool {
        self.policy_from.is_none()
    }
}

/// The values of `--preset`.
fn preset_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name))
}

/// Parses `nesting=50`.
fn limit(text: &str) -> Result<(Limit, u64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let limit = Limit::of(name).ok_or_else(|| unknown("limit", name, &Limit::ALL.map(Limit::name)))?;
    let value = limit.read(value).map_err(|(why, _)| {
        // A policy has quotes around a size, which a shell would remove.
        let usual = limit.written(limit.entry().default);
        format!("{}; write it as in `--limit {name}={}`", why.trim_end_matches('.'), usual.trim_matches('"'))
    })?;
    Ok((limit, value))
}

/// The error for mistakes in a policy.
pub(super) fn refuse(
    done: &str,
    mistakes: Vec<Finding>,
    current: &Path,
    snapshot: &Snapshot,
    terminal: &Terminal,
) -> Failure {
    let number = mistakes.len();
    let mistakes = mistakes.into_iter().map(|finding| (finding, None)).collect();
    let verdicts = judge(mistakes, snapshot.sources(), &[], &Settings::default());
    let style = Terminal::look_at_errors(terminal.asked).style(place::names(current, snapshot.top()));
    let what = if number == 1 { "an error".to_owned() } else { format!("{number} errors") };
    let annotations = if is_in_github_actions() {
        report::annotations(&verdicts, snapshot.sources())
    } else {
        String::new()
    };
    Failure {
        above: annotations + &report::blocks(&verdicts, snapshot.sources(), &style),
        ..Failure::new(format!("nothing was {done}: the policy has {what}"))
    }
}
