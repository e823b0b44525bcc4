//! Turns paths and options into a report and an exit code.

mod selection;

use std::env;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::progress::Progress;
use super::stream::{err, out};
use super::terminal::Terminal;
use super::{Failure, place, policy};
use crate::check::{self, Settings};
use crate::engine::Choice;
use crate::policy::{FailOn, Globs};
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
        let policy = arguments.policy.load(&current, &mut worktree, terminal)?;
        let settings = Settings {
            engines: arguments.engine.clone(),
            select: selection::select(&arguments.select)?,
            ignore: selection::ignore(&arguments.ignore)?,
            exclude,
            policy,
        };
        let outcome = check::run(&mut worktree, &settings);
        Ok::<_, Failure>((worktree, outcome, settings.policy.fail_on()))
    });
    drop(progress);
    let (worktree, outcome, fail_on) = checked?;
    if outcome.modules == 0 && !arguments.quiet {
        err("note: no Terraform or OpenTofu module was found\n");
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
