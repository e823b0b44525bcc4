//! Writes reports to standard output and to files.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf, is_separator};

use crate::check::Outcome;
use crate::cli::stream::{file_by, out_by};
use crate::cli::terminal::{Terminal, is_in_github_actions};
use crate::cli::{Failure, place, unknown};
use crate::engine::{Companion, LOCK_FILE, is_module_file};
use crate::report::{Format, PathBase, PathStyle, Style};
use crate::vfs::Snapshot;

/// Options for reports.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Output")]
pub(super) struct Arguments {
    /// Output format [default: `human`, in GitHub Actions `github`]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write one more report to a file, such as `json=report.json`; repeatable
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output)]
    output: Vec<(Format, PathBuf)>,
    /// Leave suppressed findings out of `sarif`, because GitHub shows them as open
    #[arg(long)]
    hide_suppressed: bool,
    /// Print counts per rule instead of findings; `json` contains both; not with `sarif`, `gitlab`, `junit` and `checkstyle`
    #[arg(long)]
    statistics: bool,
    /// Print nothing when there are no findings
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The data of reports.
pub(super) struct Run<'r> {
    pub(super) outcome: &'r Outcome,
    pub(super) snapshot: &'r Snapshot,
    pub(super) current: &'r Path,
    pub(super) paths: &'r [PathBuf],
}

impl Arguments {
    /// Writes all reports. `style` describes standard output.
    pub(super) fn write(&self, run: &Run<'_>, style: Style, terminal: &Terminal) -> Result<(), Failure> {
        let style = Style { statistics: self.statistics, shows_suppressed: !self.hide_suppressed, ..style };
        let elapsed = style.elapsed;
        let in_file = Style { elapsed: None, ..style };
        for (format, file) in &self.output {
            file_by(file, |stream| run.report(*format, &in_file, stream))
                .map_err(|error| Failure::cannot("write", file, &error))?;
        }
        let format = self.format.unwrap_or_else(usual_format);
        if self.quiet && format.is_prose && run.outcome.verdicts.is_empty() {
            return Ok(());
        }
        let Terminal { color, unicode, width, height, .. } = *terminal;
        let style = Style { color, unicode, width, height, elapsed, ..in_file };
        out_by(|stream| run.report(format, &style, stream))
    }

    /// Checks that all files can be written, and that no file is named twice. `list` is the baseline file.
    pub(super) fn validate(&self, current: &Path, list: Option<&Path>) -> Result<(), Failure> {
        let format = self.format.unwrap_or_else(usual_format);
        let mut formats = std::iter::once(format).chain(self.output.iter().map(|(format, _)| *format));
        if let Some(format) = formats.find(|format| self.statistics && !format.has_statistics) {
            return Err(Failure::new(format!(
                "the format `{}` does not support `--statistics`",
                format.name
            ))
            .help("use `human`, `concise`, `json`, `markdown` or `github`"));
        }
        let mut formats = std::iter::once(format).chain(self.output.iter().map(|(format, _)| *format));
        if self.hide_suppressed && formats.all(|format| format.name != "sarif") {
            return Err(Failure::new("`--hide-suppressed` has no effect without a `sarif` report")
                .help("remove it, or add `--output sarif=FILE`"));
        }
        let mut taken = Vec::new();
        for file in list.into_iter().chain(self.output.iter().map(|(_, file)| file.as_path())) {
            let place = writable(file, &current.join(file))?;
            if taken.contains(&place) {
                let what = if list.is_some() && taken.first() == Some(&place) {
                    "a baseline and a report"
                } else {
                    "two reports"
                };
                return Err(Failure::new(format!("{what} would both be written to `{}`", file.display()))
                    .help("use different files"));
            }
            taken.push(place);
        }
        Ok(())
    }
}

/// Whether a file with this name is one that overrule checks, which an output would replace.
fn is_input(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    is_module_file(name) || Companion::of(name).is_some() || name == LOCK_FILE
}

/// The real path of a file if it can be written. `file` is its name in errors.
fn writable(file: &Path, at: &Path) -> Result<PathBuf, Failure> {
    let cannot = |why: &str| Failure::new(format!("cannot write `{}`: {why}", file.display()));
    let last = file.as_os_str().as_encoded_bytes().last();
    if at.is_dir() || last.is_some_and(|byte| is_separator(char::from(*byte))) {
        return Err(cannot("it names a directory; add the name of a file"));
    }
    if is_input(file) {
        return Err(cannot("modules have files of this name"));
    }
    if at.is_file() {
        // The file keeps its content until the report is written.
        OpenOptions::new().write(true).open(at).map_err(|error| Failure::cannot("write", file, &error))?;
    }
    if let Ok(real) = at.canonicalize() {
        return Ok(real);
    }
    let (Some(directory), Some(name)) = (at.parent(), at.file_name()) else {
        return Err(cannot("it is not a file name"));
    };
    match directory.canonicalize() {
        Ok(directory) if directory.is_dir() => Ok(directory.join(name)),
        Ok(_) => Err(cannot("its parent is not a directory")),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(cannot("there is no such directory")),
        Err(error) => Err(Failure::cannot("write", file, &error)),
    }
}

impl Run<'_> {
    fn report(&self, format: Format, style: &Style, stream: &mut dyn Write) -> io::Result<()> {
        let top = self.snapshot.top();
        let names = match format.paths {
            PathBase::Top if self.snapshot.is_repository() => PathStyle::default(),
            PathBase::Top | PathBase::Current => place::names(self.current, top),
            PathBase::Asked => place::asked_names(self.current, self.paths, top),
        };
        format.write_to(self.outcome, self.snapshot.sources(), &Style { names, ..style.clone() }, stream)
    }
}

/// The default format for standard output.
fn usual_format() -> Format {
    if is_in_github_actions() { Format::GITHUB } else { Format::HUMAN }
}

/// Parses `json=report.json`.
fn output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').unwrap_or((text, ""));
    let known = Format::ALL.iter().find(|known| known.name == format);
    let format = known.ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name).collect();
        unknown("format", format, &names)
    })?;
    if file.is_empty() {
        return Err(format!("add a file name, as in `{}=FILE`", format.name));
    }
    if file == "-" {
        return Err(format!("`-` is not a file; use `--format {}` to write to standard output", format.name));
    }
    Ok((*format, PathBuf::from(file)))
}
