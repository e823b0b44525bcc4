//! Turns the options that say which policy holds into that policy.

use std::path::{Path, PathBuf};

use super::terminal::Terminal;
use super::{Failure, place, unknown};
use crate::check::{self, Settings, judge};
use crate::finding::Finding;
use crate::limits::Limit;
use crate::policy::Policy;
use crate::report::{self, Style};
use crate::text::FileId;
use crate::vfs::{POLICIES, Snapshot};

/// Options that say which policy holds.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The policy [default: `overrule.hcl` or `.config/overrule.hcl` at the top of the repository, else `recommended`]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Leaves the policy of the repository aside: what holds is `recommended`
    #[arg(long, conflicts_with = "policy")]
    isolated: bool,
    /// Takes the policy from a revision, whatever a change does to it; comments excuse something only if it says so
    #[arg(long, value_name = "REV", conflicts_with_all = ["policy", "isolated"])]
    policy_from: Option<String>,
    /// Moves a limit, whatever the policy says of it, such as `file_size=128MiB`; can be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit)]
    limit: Vec<(Limit, u64)>,
}

impl Arguments {
    /// Reads the policy, and tells the file that it is in; then the rest of the working tree, within the limits that it
    /// sets. A mistake in it is shown like any finding, and nothing is `done`, such as `checked`.
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
            None if self.isolated => Ok(None),
            None => snapshot.read_policy(),
        };
        let file = file?;
        let policy = check::load_policy(snapshot, file);
        let mut policy = policy.map_err(|mistakes| refuse(done, mistakes, current, snapshot, terminal))?;
        policy.limit(self.limit.iter().copied());
        snapshot.read(&policy.limits());
        Ok((policy, file))
    }
}

impl Arguments {
    /// A policy that lies in the working tree, but not in the state that is looked at, where `file` is the one that
    /// holds: who wrote it thinks that it does.
    pub(super) fn left_aside(&self, snapshot: &Snapshot, file: Option<FileId>) -> Option<&'static str> {
        let top = snapshot.top()?;
        let is_of_state = self.policy.is_none() && !self.isolated && self.policy_from.is_none();
        let is_there = |name: &&&str| top.join(name).is_file();
        POLICIES.iter().find(is_there).copied().filter(|_| is_of_state && file.is_none())
    }

    /// Whether what is looked at may say itself what of it is excused, where the policy leaves that open.
    pub(super) fn trusts_change(&self) -> bool {
        self.policy_from.is_none()
    }
}

/// Reads `nesting=50`.
fn limit(text: &str) -> Result<(Limit, u64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let limit = Limit::of(name).ok_or_else(|| unknown("limit", name, &Limit::ALL.map(Limit::name)))?;
    let value = limit.read(value).map_err(|(why, _)| {
        // A policy writes a size between quotes, and a shell would take these away.
        let usual = limit.written(limit.default());
        format!("{}; write it as in `--limit {name}={}`", why.trim_end_matches('.'), usual.trim_matches('"'))
    })?;
    Ok((limit, value))
}

/// What is said of mistakes in policies, because of which nothing is `done`.
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
    let Terminal { color, unicode, width, .. } = Terminal::look_at_errors(terminal.asked);
    let names = place::names(current, snapshot.top());
    let style = Style { color, unicode, width, names, ..Style::default() };
    let what = if number == 1 { "a mistake".to_owned() } else { format!("{number} mistakes") };
    Failure {
        above: report::blocks(&verdicts, snapshot.sources(), &style),
        ..Failure::new(format!("nothing was {done}: the policy has {what}"))
    }
}
