//! Turns paths and options into a report and an exit code.

mod exceptions;
mod selection;

use std::env;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::progress::Progress;
use super::stream::{err, out};
use super::terminal::Terminal;
use super::{Failure, place, policy};
use crate::check::{self, Additions, Baseline, Settings};
use crate::engine::Choice;
use crate::policy::{Date, FailOn, Globs, can_be_off};
use crate::report::{Format, Names, Style};
use crate::source::Worktree;
use crate::text::nearest;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files or folders to report on [default: the whole repository, or the current folder outside of one]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How the report on standard output is written
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Writes one more report into a file, such as `json=report.json`
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output)]
    output: Vec<(Format, PathBuf)>,
    /// What the modules are for: `terraform`, `opentofu`, one of them in a version (`terraform@1.11`), or `both`
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse)]
    engine: Option<Choice>,
    /// Reports these rules only
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Leaves out these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Leaves out what is found under these paths, from the top of the repository; they are read nevertheless
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    #[command(flatten)]
    policy: policy::Arguments,
    /// From which level on a finding makes the exit code 1 [default: what the policy says, else `error`]
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<FailOn>,
    /// The day on which exceptions that end are looked at, such as `2027-03-31` [default: today]
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<Date>,
    /// Leaves out what is listed in a file that `--write-baseline` wrote
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Lists all findings in a file, so that `--baseline` can leave them out from now on
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Writes an exception for every finding: a comment above it, or else a block in the policy
    #[arg(long, conflicts_with_all = ["write_baseline", "isolated"])]
    add_exceptions: bool,
    /// What the exceptions of `--add-exceptions` give as their reason
    #[arg(long, value_name = "TEXT", default_value = "was here before this rule", value_parser = reason, requires = "add_exceptions")]
    reason: String,
    /// Counts findings by rule, in the place of showing them
    #[arg(long)]
    statistics: bool,
    /// Says nothing where nothing was found
    #[arg(long, short)]
    quiet: bool,
    /// How many threads to use [default: one for each processor]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZeroUsize>,
}

const FOUND: u8 = 1;

/// Checks, reports, and says with the exit code whether something was found.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let exclude = Globs::new(arguments.exclude.iter().map(String::as_str)).map_err(Failure::new)?;
    let current = env::current_dir()
        .map_err(|error| Failure::new(format!("the current folder cannot be read: {error}")))?;
    let progress = Progress::start(arguments.quiet);
    let checked = check::in_threads(arguments.threads, || {
        let opened = Worktree::open(&current, &arguments.paths);
        let mut worktree = opened.map_err(|error| Failure::new(error.to_string()))?;
        let (policy, file) = arguments.policy.load(&current, &mut worktree, terminal)?;
        let settings = Settings {
            engines: arguments.engine.clone(),
            select: selection::select(&arguments.select)?,
            ignore: selection::ignore(&arguments.ignore)?,
            exclude,
            today: Some(arguments.today.unwrap_or_else(Date::today)),
            baseline: arguments.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default(),
            policy,
        };
        let outcome = check::run(&mut worktree, &settings);
        Ok::<_, Failure>((worktree, outcome, settings.policy.fail_on(), file))
    });
    drop(progress);
    let (worktree, mut outcome, fail_on, policy) = checked?;
    if outcome.modules == 0 && !arguments.quiet {
        err("note: no Terraform or OpenTofu module was found\n");
    }
    if let Some(file) = &arguments.write_baseline {
        let list = Baseline::write(&outcome.verdicts, worktree.sources());
        fs::write(file, list)
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))?;
        outcome.known += outcome.verdicts.len();
        outcome.verdicts.retain(|verdict| !can_be_off(&verdict.finding.rule));
        outcome.known -= outcome.verdicts.len();
    }
    if arguments.add_exceptions {
        let additions = Additions::excuse(&outcome.verdicts, worktree.sources(), &arguments.reason);
        exceptions::write(&additions, &worktree, policy)?;
        outcome.verdicts = additions.left;
    }
    let report = |format: Format, style: Style| {
        let names = match format {
            Format::Human | Format::Concise => place::names(&current, worktree.top()),
            Format::Json => place::asked_names(&current, &arguments.paths, worktree.top()),
        };
        let style = Style { names, statistics: arguments.statistics, ..style };
        format.write(&outcome, worktree.sources(), &style)
    };
    for (format, file) in &arguments.output {
        fs::write(file, report(*format, Style::default()))
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))?;
    }
    let silent = arguments.quiet && outcome.verdicts.is_empty() && arguments.format == Format::Human;
    if !silent {
        let elapsed = terminal.is_one.then(|| started.elapsed());
        let Terminal { color, unicode, width, .. } = *terminal;
        let style = Style { color, unicode, width, elapsed, names: Names::default(), statistics: false };
        out(&report(arguments.format, style))?;
    }
    let fail_on = arguments.fail_on.unwrap_or(fail_on);
    let fails = outcome.verdicts.iter().any(|verdict| fail_on.is_met_by(verdict.level));
    Ok(if fails { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "write year, month and day, as in `2027-03-31`".to_owned())
}

fn reason(text: &str) -> Result<String, String> {
    let is_one_line = !text.contains(char::is_control) && text.contains(char::is_alphanumeric);
    is_one_line.then(|| text.trim().to_owned()).ok_or_else(|| "write a reason, in one line".to_owned())
}

fn baseline(file: &Path) -> Result<Baseline, Failure> {
    let wrong = |why: String| Failure::new(format!("cannot read `{}`: {why}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    Baseline::parse(&text).map_err(wrong)
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FailOn; 4] = FailOn::ALL;
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()))
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// Reads `json=report.json`.
fn output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').unwrap_or((text, ""));
    let names = || Format::ALL.iter().map(|format| format.name());
    let Some(format) = Format::ALL.iter().find(|known| known.name() == format) else {
        let hint = match nearest(format, names()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(format!("no format is called `{format}`; {hint}"));
    };
    if file.is_empty() {
        return Err(format!("write where the report goes, as in `{}=report.txt`", format.name()));
    }
    Ok((*format, PathBuf::from(file)))
}
