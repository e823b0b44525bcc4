//! Validates every format against its published schema, with hostile text in the findings.

use std::fs;
use std::path::Path;

use overrule::check::{AppliedException, Outcome, Settings, Suppressed, judge};
use overrule::finding::{Edit, EngineRule, Finding, Fix, RuleId, Severity};
use overrule::policy::FailOn;
use overrule::report::{Format, Style, page_url};
use overrule::text::{FileId, Source, Sources, Span};
use serde_json::Value;

/// Control sequences and commands for terminals, CI runners and readers of the formats.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;t\u{7}\u{9b}0m\u{202e}\u{2066}\r\n::error::x\n ::warning file=a::y\n##[error]z\
    \n##vso[task.setvariable variable=a]b ]]> --> <script>&amp;'\" </failure> | `c` [l](https://e.x) {0} \u{ffff}%0A";

/// A file name with every hostile character that a system allows. Bytes that are not UTF-8 have become U+FFFD.
const NAME: &str = "::error::a/\u{1b}[31m\n::b::,c=d:]]>&<'\"|\u{202e}\u{fffd} %41#[](x)é.tf";

fn sources() -> Sources {
    let text = format!("# {HOSTILE}\na = \"é👩‍👩‍👧\" {{\n}}\n");
    Sources::new(vec![Source::new(NAME, text.into_bytes()), Source::new("net/main.tf", "a {}\n".into())])
}

/// Findings of every severity with hostile text in every part, with and without a position.
fn outcome(sources: &Sources) -> Outcome {
    let line =
        u32::try_from(sources.get(FileId::new(0)).text().find("a = ").expect("the line")).expect("small");
    let at = |from: u32, to: u32| Span { file: FileId::new(0), start: line + from, end: line + to };
    let module = "::error::a";
    let findings = vec![
        Finding::language(EngineRule::InvalidName, HOSTILE)
            .detail(HOSTILE)
            .help(HOSTILE)
            .label(HOSTILE)
            .address(HOSTILE)
            .module(module)
            .at(at(4, 26))
            .related(at(0, 1), HOSTILE)
            .related(Span::new(FileId::new(1), 0..1), "here"),
        Finding::language(EngineRule::InvalidValue, "Many lines")
            .severity(Severity::Warning)
            .module(module)
            .at(at(0, 30)),
        Finding::language(EngineRule::InvalidValue, "Empty")
            .severity(Severity::Notice)
            .module(module)
            .at(at(2, 2)),
        Finding::language(EngineRule::ReferenceCycle, "Cycle: a, b").detail(HOSTILE).module("net"),
        Finding::policy(RuleId::named("of-somebody"), Severity::Warning, "No page").module("gone"),
        Finding::language(EngineRule::DuplicateDeclaration, "Suppressed").module("net"),
    ];
    let settings = Settings::default();
    let verdicts =
        judge(findings.into_iter().map(|finding| (finding, None)).collect(), sources, &[], &settings);
    let (suppressed, verdicts) =
        verdicts.into_iter().partition(|verdict| verdict.finding.summary == "Suppressed");
    let suppress = |verdict| Suppressed {
        verdict,
        exception: AppliedException { reason: HOSTILE.into(), in_source: false },
    };
    let suppressed = Vec::into_iter(suppressed).map(suppress).collect();
    Outcome { verdicts, suppressed, modules: 3, files: 2, ..Outcome::default() }
}

/// The report of a run with many findings, and of one without findings.
fn reports(format: Format) -> [String; 2] {
    let sources = sources();
    let report = |outcome: &Outcome| format.write(outcome, &sources, &Style::default());
    [report(&outcome(&sources)), report(&Outcome::default())]
}

fn schema(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The errors of a JSON document against a schema.
fn faults(schema: &str, document: &Value) -> Vec<String> {
    // A pattern in the schema of SARIF is not a strict ECMA regular expression: its last bracket is unmatched.
    let schema = self::schema(schema).replace("{2}]?$", "{2}\\\\]?$");
    let schema = serde_json::from_str(&schema).expect("a schema in JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    validator.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

/// The same for XML.
fn xml_faults(schema: &str, document: &str) -> Vec<String> {
    let schema = self::schema(schema);
    let schema = uppsala::parse(&schema).expect("a schema in XML");
    let validator = uppsala::XsdValidator::from_schema(&schema).expect("a schema");
    match uppsala::parse(document) {
        Ok(document) => validator.validate(&document).iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn json(report: &str) -> Value {
    serde_json::from_str(report).expect("JSON")
}

#[test]
fn sarif_is_what_the_standard_allows() {
    for report in reports(Format::SARIF) {
        assert_eq!(faults("sarif-2.1.0.json", &json(&report)), Vec::<String>::new(), "{report}");
    }
    let mut wrong = json(&reports(Format::SARIF)[0]);
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert_eq!(faults("sarif-2.1.0.json", &wrong).len(), 1, "the schema is looked at");
}

#[test]
fn sarif_is_what_github_takes() {
    let log = json(&reports(Format::SARIF)[0]);
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 6);
    for result in results {
        let index =
            result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok()).expect("an index");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
        assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{uri}");
        assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        assert!(result["suppressions"].is_array(), "one says so, so all do");
        let text = result["message"]["text"].as_str().expect("a message");
        assert!(!text.contains("]("), "no link: {text}");
    }
    for rule in rules {
        for part in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[part]["text"].as_str().is_some_and(|text| !text.is_empty()), "{part}: {rule}");
        }
    }
    assert!(run["originalUriBaseIds"]["%SRCROOT%"]["uri"].is_null(), "no path of this machine");
}

#[test]
fn sarif_counts_characters_and_names_the_file_as_it_is() {
    let log = json(&reports(Format::SARIF)[0]);
    let results = log["runs"][0]["results"].as_array().expect("results");
    let result = results.iter().find(|result| result["ruleId"] == "invalid-name").expect("the finding");
    let place = &result["locations"][0]["physicalLocation"];
    // A quote, é, a family of three people with two joiners, and a quote: four graphemes, and seven characters more.
    let region = serde_json::json!({"startLine": 6, "startColumn": 5, "endLine": 6, "endColumn": 13});
    assert_eq!(place["region"], region);
    let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
    let name = percent_decoded(uri);
    assert_eq!(name, NAME);
}

fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        let digits: Vec<u8> = if byte == b'%' { rest.by_ref().take(2).collect() } else { Vec::new() };
        let number = std::str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(number.unwrap_or(byte));
    }
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn what_is_suppressed_is_in_sarif_with_its_reason_or_not_at_all() {
    let sources = sources();
    let outcome = outcome(&sources);
    let results = |style: &Style| {
        let log = json(&Format::SARIF.write(&outcome, &sources, style));
        log["runs"][0]["results"].as_array().expect("results").clone()
    };
    let with = results(&Style::default());
    let suppression = &with.last().expect("a result")["suppressions"][0];
    assert_eq!(suppression["kind"], "external");
    assert!(suppression["justification"].as_str().is_some_and(|reason| reason.contains("::error::x")));
    let without = results(&Style { shows_suppressed: false, ..Style::default() });
    assert_eq!(without.len(), with.len() - 1);
    assert!(without.iter().all(|result| result["suppressions"].is_null()));
}

#[test]
fn gitlab_is_what_its_documentation_asks_for() {
    for report in reports(Format::GITLAB) {
        assert_eq!(faults("gitlab-code-quality.json", &json(&report)), Vec::<String>::new(), "{report}");
    }
    let issues = json(&reports(Format::GITLAB)[0]);
    let mut fingerprints: Vec<_> =
        issues.as_array().expect("a list").iter().map(|issue| issue["fingerprint"].to_string()).collect();
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 5, "GitLab shows one issue a fingerprint");
}

#[test]
fn junit_is_what_jenkins_takes() {
    for report in reports(Format::JUNIT) {
        assert_eq!(xml_faults("jenkins-junit.xsd", &report), Vec::<String>::new(), "{report}");
    }
    let wrong = reports(Format::JUNIT)[1].replace("<testcase ", "<testcase lines=\"1\" ");
    assert_eq!(xml_faults("jenkins-junit.xsd", &wrong).len(), 1, "the schema is looked at");
}

#[test]
fn a_case_of_junit_fails_where_the_run_does() {
    let sources = sources();
    let outcome = outcome(&sources);
    let failures = |fail_on: FailOn| {
        let style = Style { fail_on, ..Style::default() };
        let report = Format::JUNIT.write(&outcome, &sources, &style);
        (report.matches("<failure ").count(), report.matches("<skipped>").count())
    };
    assert_eq!(failures(FailOn::Level(Severity::Error)), (2, 3));
    assert_eq!(failures(FailOn::Level(Severity::Notice)), (5, 0));
    assert_eq!(failures(FailOn::Never), (0, 5));
}

#[test]
fn checkstyle_is_what_its_readers_take() {
    for report in reports(Format::CHECKSTYLE) {
        assert_eq!(xml_faults("checkstyle.xsd", &report), Vec::<String>::new(), "{report}");
    }
    let wrong = reports(Format::CHECKSTYLE)[0].replace("severity=\"info\"", "severity=\"note\"");
    assert_eq!(xml_faults("checkstyle.xsd", &wrong).len(), 1, "the schema is looked at");
}

/// How the runner of GitHub Actions parses a line: the name of a command, and the text after it.
fn command(line: &str) -> Option<(&str, &str)> {
    let new = line.trim_start().strip_prefix("::").and_then(|rest| rest.split_once("::"));
    let old = || line.split_once("##[")?.1.split_once(']');
    let (command, data) = new.or_else(old)?;
    Some((command.split(' ').next().unwrap_or(command), data))
}

#[test]
fn no_line_of_a_report_is_a_command_but_those_of_its_own() {
    assert_eq!(command(" ::error file=a::b"), Some(("error", "b")), "this test sees commands");
    assert_eq!(command("1 | # ##[error]z"), Some(("error", "z")));
    for format in Format::ALL {
        let [report, _] = reports(*format);
        let commands: Vec<_> = report.lines().filter_map(command).map(|(command, _)| command).collect();
        let own: &[&str] = if format.name == Format::GITHUB.name {
            &["error", "error", "warning", "warning", "notice"]
        } else {
            &[]
        };
        assert_eq!(commands, own, "{}: {report}", format.name);
        assert!(!report.contains("##vso["), "{}: {report}", format.name);
    }
}

#[test]
fn no_report_holds_what_a_terminal_obeys() {
    for format in Format::ALL {
        let [report, _] = reports(*format);
        let obeyed = |c: char| {
            c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}'
        };
        assert!(!report.contains(obeyed), "{}: {report:?}", format.name);
    }
}

#[test]
fn commands_for_github_are_taken_back_as_they_were_meant() {
    let [report, _] = reports(Format::GITHUB);
    let line =
        report.lines().find(|line| line.contains("title=overrule%3A invalid-name")).expect("the finding");
    let (head, data) = line["::error ".len()..].split_once("::").expect("a command");
    let properties: Vec<(&str, String)> = head
        .split(',')
        .map(|property| property.split_once('=').expect("a property"))
        .map(|(name, value)| (name, percent_decoded(value)))
        .collect();
    let value =
        |name: &str| properties.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_str());
    assert_eq!(value("file"), Some("::error::a/?[31m ::b::,c=d:]]>&<'\"|\u{fffd}\u{fffd} %41#[](x)é.tf"));
    assert_eq!((value("line"), value("endLine")), (Some("6"), Some("6")));
    assert_eq!((value("col"), value("endColumn")), (Some("5"), Some("13")));
    assert!(percent_decoded(data).ends_with("%0A"), "what looks escaped already is escaped too: {data}");
    let many = report.lines().find(|line| line.contains("Many lines")).expect("the finding");
    assert!(many.contains("line=6,endLine=7,title="), "no columns over several lines: {many}");
}

#[test]
fn github_is_given_ten_of_a_kind_and_the_number_of_the_rest() {
    let sources = Sources::new(vec![Source::new("a.tf", "a\n".repeat(40).into())]);
    let finding = |number: usize| {
        let severity = if number < 12 { Severity::Notice } else { Severity::Error };
        let span = Span::new(FileId::new(0), 2 * number..2 * number + 1);
        (Finding::language(EngineRule::InvalidName, "S").severity(severity).at(span), None)
    };
    let verdicts = judge((0..27).map(finding).collect(), &sources, &[], &Settings::default());
    let report =
        Format::GITHUB.write(&Outcome { verdicts, ..Outcome::default() }, &sources, &Style::default());
    let kinds: Vec<_> = report.lines().filter_map(command).map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [["error"; 10], ["notice"; 10]].concat(), "the worst first");
    let rest: Vec<_> = report.lines().skip(20).collect();
    let told = "and 7 more, because GitHub shows only ten annotations per level: 5 errors, 2 notices";
    assert_eq!(rest, [told, "checked 0 modules, 0 files: 15 errors, 12 notices"]);
}

#[test]
fn a_table_in_markdown_has_a_row_a_finding_and_no_markup_of_others() {
    let [report, nothing] = reports(Format::MARKDOWN);
    assert_eq!(nothing, "### overrule: no findings\n\nchecked 0 modules, 0 files: no findings\n");
    let rows: Vec<_> = report.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 7, "a head, a line below it, five findings: {report}");
    let link = |rule: &EngineRule| {
        let page = page_url(&RuleId::named(rule.name())).expect("a page");
        format!(" [<code>{}</code>]({page}) ", rule.name())
    };
    for row in rows {
        assert_eq!(row.matches('|').count(), 5, "{row}");
        let row = EngineRule::ALL.iter().fold(row.to_owned(), |row, rule| row.replace(&link(rule), " "));
        let tags = ["<code>", "</code>", "<br>", "<span>", "</span>"];
        let bare = tags.iter().fold(row.clone(), |row, tag| row.replace(tag, ""));
        assert!(!bare.contains(['<', '>', '`', '[', ']', '@']), "{row}");
    }
}

#[test]
fn what_mends_a_finding_is_in_sarif_and_in_json() {
    let text = "é = 1\na = 2\n";
    let sources = Sources::new(vec![Source::new("main.tf", text.into()), Source::new("b.tf", "b".into())]);
    let edit = |file: usize, from: usize, to: usize| Edit {
        span: Span::new(FileId::new(file), from..to),
        text: "new".to_owned(),
    };
    let finding = Finding::language(EngineRule::InvalidName, "Summary")
        .at(Span::new(FileId::new(0), 0..2))
        .help("mend it")
        .fixed_by(Some(Fix::on_request([edit(0, 0, 2), edit(1, 1, 1), edit(0, 7, 8)])));
    let verdicts = judge(vec![(finding, None)], &sources, &[], &Settings::default());
    let outcome = Outcome { verdicts, modules: 1, files: 2, ..Outcome::default() };
    let report = |format: Format| json(&format.write(&outcome, &sources, &Style::default()));
    let sarif = report(Format::SARIF);
    assert_eq!(faults("sarif-2.1.0.json", &sarif), Vec::<String>::new(), "{sarif}");
    let fix = &sarif["runs"][0]["results"][0]["fixes"][0];
    assert_eq!(fix["description"]["text"], "mend it");
    let changes = fix["artifactChanges"].as_array().expect("changes");
    let files: Vec<&Value> = changes.iter().map(|change| &change["artifactLocation"]["uri"]).collect();
    assert_eq!(files, ["main.tf", "b.tf"]);
    let second = &changes[0]["replacements"][1];
    assert_eq!(
        (&second["deletedRegion"]["startLine"], &second["deletedRegion"]["startColumn"]),
        (&2.into(), &1.into())
    );
    assert_eq!(second["insertedContent"]["text"], "new");
    let fix = &report(Format::JSON)["diagnostics"][0]["fix"];
    assert_eq!((&fix["safety"], &fix["edits"][2]["range"]["filename"]), (&"unsafe".into(), &"b.tf".into()));
    assert_eq!(fix["edits"][2]["range"]["start"], fix["edits"][2]["range"]["end"], "nothing goes");
}
