//! A whole check: it terminates, gives the same result twice, and its reports contain valid positions and no control
//! characters.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use overrule::check::{self, Analysis, Outcome, Settings, load_policy};
use overrule::policy::Policy;
use overrule::report::merged::{MergeStyle, text};
use overrule::report::modules::Picture;
use overrule::report::{Drawing, Format, PathStyle, Style, blocks};
use overrule::text::{Sources, commands, is_obeyed};
use overrule::vfs::Snapshot;
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use super::place::lie_in_one_of;
use super::tree;

/// Panics if a check of the tree violates a property.
pub fn holds(bytes: &[u8]) {
    let files = tree::files(bytes);
    let (snapshot, outcome) = checked(&files);
    outcome_holds(&outcome, snapshot.sources());
    let reports = reports_hold(&outcome, snapshot.sources());
    let (snapshot, again) = checked(&files);
    assert!(reports == reports_hold(&again, snapshot.sources()), "the same bytes, twice");
    shown_in_other_ways(&files);
}

/// Checks only some properties per input, so that the fuzzer tries ten times as many inputs. The first input of a
/// process gets all checks, so that a single failing input fails again.
pub fn holds_in_turn(bytes: &[u8]) {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    if turn == 0 {
        return holds(bytes);
    }
    let files = tree::files(bytes);
    let (snapshot, outcome) = checked(&files);
    outcome_holds(&outcome, snapshot.sources());
    let format = Format::ALL[turn % Format::ALL.len()];
    let report = report_holds(format, &outcome, snapshot.sources());
    // No number divides another one or the number of formats, so every combination occurs.
    if turn.is_multiple_of(11) {
        let (snapshot, again) = checked(&files);
        assert!(
            report == format.write(&again, snapshot.sources(), &Style::default()),
            "the same bytes, twice"
        );
    }
    if turn.is_multiple_of(7) {
        paint_holds(&outcome, snapshot.sources());
    }
    if turn.is_multiple_of(5) {
        shown_in_other_ways(&files);
    }
}

fn checked(files: &[(String, Vec<u8>)]) -> (Snapshot, Outcome) {
    // Reading a policy is fast, but slower than checking a small tree.
    static STRICT: LazyLock<Settings> = LazyLock::new(|| Settings {
        policy: Policy::preset("strict").expect("a preset"),
        ..Settings::default()
    });
    let mut snapshot = Snapshot::of_files(files.to_vec());
    let settings = match policy(&mut snapshot) {
        Some(policy) => &Settings { policy, ..STRICT.clone() },
        None => &*STRICT,
    };
    let outcome = check::run(&mut snapshot, settings);
    (snapshot, outcome)
}

/// The policy among the files, if there is one without errors; else one with all rules.
fn policy(snapshot: &mut Snapshot) -> Option<Policy> {
    let file = snapshot.read_policy().ok().flatten()?;
    load_policy(snapshot, Some(file)).ok()
}

/// Every finding has a position in a file.
pub fn outcome_holds(outcome: &Outcome, sources: &Sources) {
    lie_in_one_of(outcome.verdicts.iter().map(|verdict| &verdict.finding), sources);
    lie_in_one_of(outcome.suppressed.iter().map(|suppressed| &suppressed.verdict.finding), sources);
    for verdict in &outcome.verdicts {
        assert!(!verdict.finding.summary.is_empty(), "{verdict:?}");
        let edits = verdict.finding.fix.iter().flat_map(|fix| fix.edits.windows(2));
        for (edit, next) in edits.map(|pair| (&pair[0], &pair[1])) {
            let is_behind = edit.span.file != next.span.file || edit.span.end <= next.span.start;
            assert!(edit < next && is_behind, "sorted and without overlaps: {verdict:?}");
        }
    }
    let fingerprints: BTreeSet<&str> =
        outcome.verdicts.iter().map(|verdict| verdict.fingerprint.as_str()).collect();
    assert_eq!(fingerprints.len(), outcome.verdicts.len(), "each has a fingerprint of its own");
}

/// Every report can be written, is valid, and contains no control characters.
pub fn reports_hold(outcome: &Outcome, sources: &Sources) -> Vec<String> {
    let reports = Format::ALL.iter().map(|format| report_holds(*format, outcome, sources)).collect();
    paint_holds(outcome, sources);
    reports
}

fn report_holds(format: Format, outcome: &Outcome, sources: &Sources) -> String {
    let report = format.write(outcome, sources, &Style::default());
    only_shows(format.name, &report);
    match format.name {
        "json" | "sarif" | "gitlab" => is_json(&report),
        "junit" | "checkstyle" => is_xml(&report),
        _ => {}
    }
    report
}

/// Colors add nothing but escape sequences for colors.
fn paint_holds(outcome: &Outcome, sources: &Sources) {
    let painted = Style { color: true, unicode: false, width: 40, ..Style::default() };
    let painted = blocks(&outcome.verdicts, sources, &painted);
    let plain: String = without_links(&painted)
        .split("\u{1b}[")
        .enumerate()
        .map(|(at, part)| without_colour(at, part))
        .collect();
    only_shows("with colours", &plain);
}

/// The text without escape sequences of links.
fn without_links(painted: &str) -> String {
    let mut parts = painted.split("\u{1b}]8;;");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (url, rest) = part.split_once("\u{1b}\\").expect("the end of a link");
        assert!(url.is_empty() || url.starts_with("https://"), "{url:?} is no page");
        text + rest
    })
}

/// The text after an escape sequence. Only sequences for colors occur.
fn without_colour(at: usize, part: &str) -> &str {
    if at == 0 {
        return part;
    }
    let (numbers, rest) = part.split_once('m').expect("the end of a colour");
    assert!(numbers.chars().all(|c| c.is_ascii_digit() || c == ';'), "{numbers:?} is no colour");
    rest
}

/// The text has no control characters for a terminal and, except in the report that consists of them, no commands of
/// a CI runner.
fn only_shows(name: &str, report: &str) {
    assert!(!report.contains(is_obeyed), "{name} writes what a terminal obeys: {report}");
    assert_eq!(commands(report).count(), 0, "{name} writes a command: {report}");
    assert!(report.is_empty() || report.ends_with('\n'), "{name} ends with a line break: {report}");
    for line in report.lines().filter(|line| line.trim_start().starts_with("::")) {
        let is_ours = ["::error ", "::warning ", "::notice "].iter().any(|command| line.starts_with(command));
        assert!(name == Format::GITHUB.name && is_ours, "{name} writes a command: {line}");
    }
}

fn is_json(report: &str) {
    if let Err(why) = serde_json::from_str::<Value>(report) {
        panic!("{why}: {report}");
    }
}

fn is_xml(report: &str) {
    let mut reader = Reader::from_str(report);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return,
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                assert!(
                    tag.attributes().all(|attribute| attribute
                        .is_ok_and(|attribute| attribute.normalized_value(XmlVersion::Explicit1_0).is_ok())),
                    "{report}"
                );
            }
            Ok(_) => {}
            Err(why) => panic!("{why}: {report}"),
        }
    }
}

/// The output of other commands for the same files.
fn shown_in_other_ways(files: &[(String, Vec<u8>)]) {
    let mut snapshot = Snapshot::of_files(files.to_vec());
    let analysis = Analysis::of(&mut snapshot, None, &Policy::default());
    let sources = snapshot.sources();
    let style = Style::default();
    let tops =
        analysis.views().flat_map(|view| view.modules().map(move |node| (view.engine, node))).collect();
    let picture =
        Picture { tops, kept: None, changed: BTreeSet::new(), resources: true, sources, style: &style };
    only_shows("modules", &picture.outline());
    is_json(&picture.document());
    only_shows("a drawing", &picture.drawing(Drawing::Dot));
    only_shows("a drawing", &picture.drawing(Drawing::Mermaid));
    let style =
        MergeStyle { comments: true, color: false, unicode: true, only: None, names: PathStyle::default() };
    for view in analysis.views() {
        for node in view.modules() {
            let text = text(node.module(), &view.merged(node, &snapshot), sources, &style);
            let is_obeyed = |c: char| is_obeyed(c) && c != '\r';
            assert!(!text.contains(is_obeyed), "merging writes what a terminal obeys: {text}");
        }
    }
}
