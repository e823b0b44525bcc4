//! Compares reports on handmade findings in every format, byte for byte.

use indoc::indoc;
use std::path::Path;

use overrule::check::{Outcome, SetBy, Settings, judge};
use overrule::engine::{Choice, Product};
use overrule::finding::{Category, Concern, EngineRule, Finding, RuleId, Severity};
use overrule::report::{Format, PathStyle, Style};
use overrule::text::{FileId, Source, Sources, Span};

/// A small repository: a root module that repeats a module with its own provider block, and other errors.
fn sources() -> Sources {
    let files = [
        (
            "live/a/main.tf",
            indoc! {r#"












                module "net" {
                  count  = 2
                  source = "../../modules/net"
                }
            "#},
        ),
        ("live/a/vars.tf", "variable \"x\" {}\n\nvariable \"x\" {\n\tdéfault = \"é\"\n}\n"),
        ("modules/net/main.tf", "provider \"aws\" {\n  region = \"x\"\n}\n"),
        ("modules/net/hostile.tf", "# \u{1b}[31mred\u{202e}\na = \"\u{1b}]0;title\u{7}\" # \u{9b}0m\rover\n"),
        ("modules/net/broken.tf", "locals {\n  a = 1\n}"),
    ];
    Sources::new(files.iter().map(|(name, text)| Source::new(*name, (*text).into())).collect())
}

/// The span of the nth occurrence of `words` in a file.
fn place(sources: &Sources, file: &str, words: &str, nth: usize) -> Span {
    let (id, source) = sources.iter().find(|(_, source)| source.name() == file).expect("the file");
    let (at, _) = source.text().match_indices(words).nth(nth).expect("the words");
    Span::new(id, at..at + words.len())
}

fn findings(sources: &Sources) -> Vec<Finding> {
    let at = |file, words, nth| place(sources, file, words, nth);
    vec![
        Finding::language(
            EngineRule::ProviderBlockInRepeatedModule,
            "Module is incompatible with count, for_each, and depends_on",
        )
        .at(at("live/a/main.tf", "2", 0))
        .label("repeats a module that configures its own provider")
        .related(at("modules/net/main.tf", "provider \"aws\"", 0), "configured here")
        .help("remove this provider block, declare it under required_providers, and let callers pass one:\nproviders = { aws = aws }")
        .module("live/a")
        .address("module.net"),
        Finding::language(EngineRule::DuplicateDeclaration, "Duplicate variable declaration")
            .at(at("live/a/vars.tf", "variable \"x\"", 1))
            .label("declared again")
            .related(at("live/a/vars.tf", "variable \"x\"", 0), "first declared here")
            .detail("A variable named \"x\" is declared twice in this module, and the names of variables have to be unique, so only one of the two can stay.")
            .module("live/a")
            .address("variable.x"),
        Finding::language(EngineRule::UnsupportedBlockOrArgument, "Unsupported argument")
            .at(at("live/a/vars.tf", "défault", 0))
            .severity(Severity::Warning)
            .help("did you mean `default`?")
            .module("live/a")
            .address("variable.x"),
        Finding::policy(RuleId::named("override-unannounced"), Severity::Notice, "Overridden without a word")
            .at(at("modules/net/hostile.tf", "a = \"\u{1b}]0;title\u{7}\"", 0))
            .label("here \u{1b}[2J")
            .detail("Text of a file: \u{1b}[31m and \u{9b}.")
            .module("modules/net"),
        Finding::language(EngineRule::SyntaxError, "Invalid expression")
            .at(Span::new(FileId::new(4), 16..17))
            .module("modules/net"),
        Finding::language(EngineRule::ReferenceCycle, "Cycle: local.a, local.b").at_validate().module("modules/net"),
    ]
}

fn outcome(sources: &Sources) -> Outcome {
    let mut verdicts = judge(by_both(findings(sources)), sources, &[], &Settings::default());
    for verdict in &mut verdicts {
        if verdict.finding.category == Category::Policy {
            verdict.set_by = SetBy::Policy { file: "overrule.hcl".into(), line: 9 };
            verdict.product = Some(Product::Terraform);
        }
    }
    let engines = Choice::parse("terraform@1.11.4").expect("an engine").engines().iter().copied().collect();
    Outcome { verdicts, modules: 212, files: 1480, engines, ..Outcome::default() }
}

/// Compares a report with the stored one. With `UPDATE_REPORTS` set, stores it.
fn assert_kept(name: &str, report: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report").join(name);
    if std::env::var_os("UPDATE_REPORTS").is_some() {
        std::fs::write(&path, report).expect("the report is kept");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == report, "{name} differs; UPDATE_REPORTS=1 keeps the new one:\n{report}");
}

#[test]
fn the_human_report_shows_every_place_in_one_frame() {
    let sources = sources();
    let outcome = outcome(&sources);
    assert_kept("human.txt", &Format::HUMAN.write(&outcome, &sources, &Style::default()));
    let ascii = Style { unicode: false, ..Style::default() };
    assert_kept("human-ascii.txt", &Format::HUMAN.write(&outcome, &sources, &ascii));
}

#[test]
fn the_human_report_folds_repeats_of_one_cause() {
    let text: String = std::iter::repeat_n("a = var.cluster\n", 22).chain(["b = var.zone\n"]).collect();
    let sources = Sources::new(vec![
        Source::new("live/main.tf", text.clone().into()),
        Source::new("next/main.tf", text.into()),
    ]);
    let of = |file: &str, words: &str, nth: usize| {
        Finding::language(EngineRule::UndeclaredReference, "Reference to undeclared input variable")
            .at(place(&sources, file, words, nth))
            .detail(format!("This module does not declare `{words}`."))
            .concerns(Concern::Name(words.into()))
            .address(format!("a_b.{nth}"))
            .module(file.split('/').next().unwrap_or_default())
    };
    let mut findings: Vec<Finding> = (0..22).map(|nth| of("live/main.tf", "var.cluster", nth)).collect();
    findings.push(of("live/main.tf", "var.zone", 0));
    findings.push(of("next/main.tf", "var.cluster", 0).severity(Severity::Notice));
    findings.push(of("next/main.tf", "var.cluster", 1).severity(Severity::Warning));
    let verdicts = judge(by_both(findings), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 2, files: 2, ..Outcome::default() };
    assert_kept("human-repeats.txt", &Format::HUMAN.write(&outcome, &sources, &Style::default()));
    let concise = Format::CONCISE.write(&outcome, &sources, &Style::default());
    assert_eq!(concise.lines().filter(|line| !line.starts_with(' ')).count(), 25, "{concise}");
}

#[test]
fn the_human_report_folds_notices_of_all_directories() {
    let text = "terraform {}\n";
    let sources =
        Sources::new(vec![Source::new("a/main.tf", text.into()), Source::new("b/main.tf", text.into())]);
    let of = |directory: &str, level: Severity| {
        Finding::language(EngineRule::UnsupportedEngineVersion, "Summary")
            .severity(level)
            .at(place(&sources, &format!("{directory}/main.tf"), "terraform", 0))
            .concerns(Concern::RequiredVersion)
            .module(directory)
    };
    let levels = [Severity::Notice, Severity::Warning];
    let mut findings: Vec<Finding> =
        levels.iter().flat_map(|level| ["a", "b"].map(|directory| of(directory, *level))).collect();
    let of_version_file = Finding::language(EngineRule::UnsupportedEngineVersion, "Without a place");
    findings.extend(["a", "b"].map(|name| of_version_file.clone().severity(Severity::Notice).module(name)));
    let verdicts = judge(by_both(findings), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 2, files: 2, ..Outcome::default() };
    let report = Format::HUMAN.write(&outcome, &sources, &Style::default());
    assert_eq!(report.matches("notice  Summary").count(), 1, "{report}");
    assert!(report.contains("  The same notice also occurs at b/main.tf:1:1.\n"), "{report}");
    assert_eq!(report.matches("warning  Summary").count(), 2, "{report}");
    assert!(report.contains("  directory: a\n  The same notice also occurs in b.\n"), "{report}");
}

#[test]
fn the_human_report_folds_syntax_errors_that_follow_from_one() {
    let text = "a = \"open\nb = \"1\"\nc = \"2\"\n";
    let sources =
        Sources::new(vec![Source::new("a/main.tf", text.into()), Source::new("a/b.tf", text.into())]);
    let at_line_end = |file: &str, nth: usize| {
        Finding::language(EngineRule::SyntaxError, "Invalid multi-line string")
            .at(place(&sources, file, "\n", nth))
            .detail("A quoted string cannot contain a line break.")
            .module("a")
    };
    let findings = vec![at_line_end("a/main.tf", 0), at_line_end("a/main.tf", 1), at_line_end("a/b.tf", 0)];
    let verdicts = judge(by_both(findings), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 1, files: 2, ..Outcome::default() };
    let report = Format::HUMAN.write(&outcome, &sources, &Style::default());
    assert_eq!(report.matches("error  Invalid multi-line string").count(), 2, "{report}");
    assert!(report.contains("  The same error also occurs at a/main.tf:2:"), "{report}");
}

#[test]
fn colours_change_nothing_but_colours() {
    let sources = sources();
    let outcome = outcome(&sources);
    let plain = Format::HUMAN.write(&outcome, &sources, &Style::default());
    let painted = Format::HUMAN.write(&outcome, &sources, &Style { color: true, ..Style::default() });
    assert_ne!(plain, painted);
    let mut stripped = String::new();
    for (number, part) in painted.split("\u{1b}[").enumerate() {
        stripped.push_str(if number == 0 { part } else { part.split_once('m').expect("a colour").1 });
    }
    // The addresses of links are left out, as colors are.
    let parts =
        stripped.split("\u{1b}]8;;").map(|part| part.split_once("\u{1b}\\").map_or(part, |(_, text)| text));
    assert_eq!(plain, parts.collect::<String>());
}

#[test]
fn the_concise_report_is_a_line_a_place() {
    let sources = sources();
    assert_kept("concise.txt", &Format::CONCISE.write(&outcome(&sources), &sources, &Style::default()));
}

#[test]
fn the_json_report_is_the_engines_document_and_more() {
    let sources = sources();
    let style = Style { names: PathStyle::Inside("live".to_owned()), ..Style::default() };
    let report = Format::JSON.write(&outcome(&sources), &sources, &style);
    assert_kept("report.json", &report);
    let document: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(document["error_count"], 4);
    assert_eq!(document["warning_count"], 1, "a notice is counted as none");
}

#[test]
fn reports_for_hosts_are_kept() {
    let sources = sources();
    let outcome = outcome(&sources);
    let report = |format: Format| format.write(&outcome, &sources, &Style::default());
    assert_kept("github.txt", &report(Format::GITHUB));
    assert_kept("gitlab.json", &report(Format::GITLAB));
    assert_kept("junit.xml", &report(Format::JUNIT));
    assert_kept("checkstyle.xml", &report(Format::CHECKSTYLE));
    assert_kept("summary.md", &report(Format::MARKDOWN));
    // The report contains the rule pages, which are tested elsewhere.
    let log: serde_json::Value = serde_json::from_str(&report(Format::SARIF)).expect("JSON");
    let results = serde_json::to_string_pretty(&log["runs"][0]["results"]).expect("JSON");
    assert_kept("results.sarif.json", &format!("{results}\n"));
}

#[test]
fn statistics_count_by_rule() {
    let sources = sources();
    let style = Style { statistics: true, ..Style::default() };
    assert_kept("statistics.txt", &Format::HUMAN.write(&outcome(&sources), &sources, &style));
}

#[test]
fn the_last_finding_and_the_counts_fit_on_a_screen() {
    let sources = sources();
    let at = place(&sources, "live/a/main.tf", "module \"net\"", 0);
    let of = |number: usize| {
        let rule = RuleId::named(["a", "b", "c", "d", "e", "f", "g", "h"][number % 8]);
        Finding::policy(rule, Severity::Error, format!("Finding {number}")).at(at).help("mend it")
    };
    let verdicts = judge(by_both((0..25).map(of).collect()), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 1, files: 1, ..Outcome::default() };
    for height in 12..40 {
        let style = Style { width: 80, height: Some(height), ..Style::default() };
        let report = Format::HUMAN.write(&outcome, &sources, &style);
        // The prompt of the shell takes one line.
        let screen = report.lines().rev().take(height - 1).collect::<Vec<_>>();
        assert!(screen.iter().any(|line| line.starts_with("error  ")), "{height}: {report}");
        assert!(screen.iter().any(|line| line.starts_with("checked 1 module")), "{height}: {report}");
        let counts =
            report.lines().filter(|line| line.starts_with("3  error") || line.starts_with("4  error"));
        assert_eq!(counts.count(), height.saturating_sub(14).min(6), "{height}: {report}");
    }
}

#[test]
fn the_counts_after_a_long_report_name_six_rules() {
    let sources = Sources::new(vec![Source::new("main.tf", "a = 1\n".into())]);
    let of = |number: usize| {
        let rule = RuleId::named(["a", "b", "c", "d", "e", "f", "g", "h"][number % 8]);
        Finding::policy(rule, Severity::Notice, format!("Finding {number}"))
            .at(place(&sources, "main.tf", "a", 0))
    };
    let verdicts = judge(by_both((0..25).map(of).collect()), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 1, files: 1, ..Outcome::default() };
    let report = Format::HUMAN.write(&outcome, &sources, &Style::default());
    assert!(
        report.contains("\n3  notice   f\n6 findings of 2 more rules; `--statistics` lists all\n"),
        "{report}"
    );
}

#[test]
fn what_is_too_much_to_show_is_cut() {
    let block = format!("resource \"a\" \"b\" {{\n{}}}\n", "  x = 1\n".repeat(50));
    let long = format!("a = \"{0}\" + foo + \"{0}\"\n", "é".repeat(100_000));
    let calls = "module \"m\" {}\n\n\n\n".repeat(20);
    let files = [("block.tf", block.clone()), ("calls.tf", calls), ("long.tf", long)];
    let sources =
        Sources::new(files.into_iter().map(|(name, text)| Source::new(name, text.into())).collect());
    let of = |summary: &str, span: Span| Finding::language(EngineRule::InvalidValue, summary).at(span);
    let many = (1..20).fold(of("Many", place(&sources, "calls.tf", "module", 0)), |finding, nth| {
        finding.related(place(&sources, "calls.tf", "module", nth), "and here")
    });
    let few_lines = place(&sources, "block.tf", "x = 1\n  x = 1\n  x = 1", 0);
    let findings = vec![
        of("Many lines", Span::new(FileId::new(0), 0..block.len())).label("all of it"),
        of("Some lines", few_lines).label("these"),
        of("A long line", place(&sources, "long.tf", "foo", 0)).label("this"),
        many,
    ];
    let verdicts = judge(by_both(findings), &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 1, files: 3, ..Outcome::default() };
    assert_kept("cut.txt", &Format::HUMAN.write(&outcome, &sources, &Style::default()));
}

#[test]
fn nothing_that_a_terminal_obeys_is_written() {
    let sources = sources();
    for format in Format::ALL {
        let report = format.write(&outcome(&sources), &sources, &Style::default());
        let obeyed: Vec<char> =
            report.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
        assert!(obeyed.is_empty(), "{}: {obeyed:?}", format.name);
    }
}

#[test]
fn a_report_without_findings_is_one_line() {
    let outcome = Outcome { modules: 1, files: 3, ..Outcome::default() };
    let report = |format: Format| format.write(&outcome, &Sources::default(), &Style::default());
    assert_eq!(report(Format::HUMAN), "checked 1 module, 3 files: no findings\n");
    assert_eq!(report(Format::CONCISE), "");
}

#[test]
fn any_place_in_any_text_can_be_drawn() {
    let texts =
        ["", "\n", "\u{feff}a\n", "a", "é\r\né", "\r\r\n\n", "{\n\n\n\n\n\n\n\n\n}\n", "\t\u{1b}\t\u{301}\n"];
    for text in texts {
        let sources = Sources::new(vec![Source::new("a.tf", text.into())]);
        for start in 0..=text.len() {
            for end in start..=text.len() + 1 {
                let span = Span::new(FileId::new(0), start..end);
                let finding =
                    Finding::language(EngineRule::InvalidName, "S").at(span).related(span.after(), "end");
                let verdicts = judge(by_both(vec![finding]), &sources, &[], &Settings::default());
                let outcome = Outcome { verdicts, ..Outcome::default() };
                for format in Format::ALL {
                    let report = format.write(&outcome, &sources, &Style::default());
                    assert!(
                        report.contains("a.tf") && !report.contains("Failed"),
                        "{text:?} {start}..{end}: {report}"
                    );
                }
            }
        }
    }
}

fn by_both(findings: Vec<Finding>) -> Vec<(Finding, Option<Product>)> {
    findings.into_iter().map(|finding| (finding, None)).collect()
}
