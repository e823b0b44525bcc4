//! Runs the transcripts under `tests/cli/` and compares their output.

use indoc::indoc;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in a directory, without the user's environment.
fn overrule(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overrule"));
    command.current_dir(directory).args(arguments).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE", "LANG", "GITHUB_ACTIONS"]
    {
        command.env_remove(variable);
    }
    command
}

fn output(directory: &Path, arguments: &[&str]) -> Output {
    overrule(directory, arguments).output().expect("the program runs")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// A directory outside any repository, with many modules that have an error each.
fn broken_modules() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for number in 0..40 {
        let module = directory.path().join(format!("m{number}"));
        fs::create_dir(&module).expect("a module");
        fs::write(module.join("main.tf.json"), "{}]").expect("a file");
    }
    directory
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let directory = broken_modules();
    for format in ["human", "concise", "json", "sarif", "gitlab", "junit", "checkstyle"] {
        let with = |threads: &str| {
            let output = output(directory.path(), &["check", "--format", format, "--threads", threads]);
            assert_eq!(output.status.code(), Some(1));
            text(output.stdout)
        };
        let one = with("1");
        assert!((0..40).all(|number| one.contains(&format!("m{number}/main.tf.json"))), "{one}");
        assert_eq!(one, with("4"));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let directory = broken_modules();
    let mut command = overrule(directory.path(), &["check"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), text(output.stderr)), (Some(1), String::new()));
}

#[test]
fn a_fix_of_several_findings_is_shown_once() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("main.tf"), "locals {\n  a = 1\n  b = 2\n}\n").expect("a file");
    let arguments = ["check", "--select", "unused-declaration"];
    let report = text(output(directory.path(), &arguments).stdout);
    assert_eq!(report.matches("-   a = 1").count(), 1, "{report}");
    assert_eq!(report.matches("  fix (--fix): the same as above\n").count(), 1, "{report}");
}

#[test]
fn calls_of_directories_that_are_not_read_are_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    for (module, text) in [("live", "module \"n\" {\n  source = \"../net\"\n}\n"), ("net", "locals {}\n")] {
        fs::create_dir(directory.path().join(module)).expect("a module");
        fs::write(directory.path().join(module).join("main.tf"), text).expect("a file");
    }
    let notes = |arguments: &[&str]| text(output(directory.path(), arguments).stderr);
    assert_eq!(
        notes(&["check", "live"]),
        "note: 1 module call that leads to another directory was not checked: outside a git repository, overrule \
         reads only the given directories\n"
    );
    assert_eq!(notes(&["check", "live", "net"]), "");
    assert_eq!(notes(&["check"]), "");
    assert_eq!(notes(&["check", "live", "--quiet"]), "");
}

#[test]
fn one_run_writes_several_reports() {
    let directory = broken_modules();
    let arguments = ["check", "m0", "--output", "json=out.json", "--output", "concise=out.txt", "--quiet"];
    let human = text(output(directory.path(), &arguments).stdout);
    assert!(human.starts_with("error  Extraneous"), "{human}");
    let concise = fs::read_to_string(directory.path().join("out.txt")).expect("a report");
    assert_eq!(concise, "m0/main.tf.json:1:3: error: Extraneous data after value [syntax-error]\n");
    let json = fs::read_to_string(directory.path().join("out.json")).expect("a report");
    assert!(json.contains("\"filename\": \"main.tf.json\""), "{json}");
    let refused = output(directory.path(), &["check", "--output", "json=none/out.json"]);
    assert_eq!((refused.status.code(), refused.stdout), (Some(2), Vec::new()));
}

#[test]
fn in_github_actions_the_report_is_annotations_by_default() {
    let directory = broken_modules();
    let report = |value: &str, arguments: &[&str]| {
        let arguments = [&["check", "m0"], arguments].concat();
        let mut command = overrule(directory.path(), &arguments);
        text(command.env("GITHUB_ACTIONS", value).output().expect("the program runs").stdout)
    };
    assert!(report("true", &[]).starts_with("::error file=m0/main.tf.json,line=1,endLine=1,col=3,"));
    assert!(report("true", &["--format", "human"]).starts_with("error  Extraneous"));
    assert!(report("false", &[]).starts_with("error  Extraneous"));
}

#[test]
fn in_github_actions_errors_in_a_policy_are_annotations_too() {
    let directory = faulty_modules();
    fs::write(directory.path().join("wrong.hcl"), "role \"rot\" {}\n").expect("a file");
    let mut command = overrule(directory.path(), &["check", "--policy", "wrong.hcl"]);
    let refused = command.env("GITHUB_ACTIONS", "true").output().expect("the program runs");
    let told = text(refused.stderr);
    assert!(told.starts_with("::error file=wrong.hcl,line=1,endLine=1,col=6,endColumn=11,"), "{told}");
    assert!(told.contains("\nerror  Unknown role\n"), "{told}");
    assert_eq!((refused.status.code(), refused.stdout), (Some(2), Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_in_every_report() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().expect("a directory");
    let name = OsStr::from_bytes(b"a\xff\n::error::x.tf");
    fs::write(directory.path().join(name), "variable \"a\" {}\nvariable \"a\" {}\n").expect("a file");
    for format in overrule::report::Format::ALL {
        let output = output(directory.path(), &["check", "--format", format.name]);
        assert_eq!(output.status.code(), Some(1), "{}", format.name);
        let report = text(output.stdout);
        let names = [r"a\xff", r"a\\xff", "a%FF", r"a\udbff\udfff", r"a&#92;xff"];
        assert!(names.iter().any(|name| report.contains(name)), "{}: {report}", format.name);
        assert!(!report.contains("\n::error::"), "{}: {report}", format.name);
    }
}

#[test]
fn files_are_called_as_from_the_current_directory() {
    let directory = broken_modules();
    let concise = |from: &str, path: &str| {
        text(output(&directory.path().join(from), &["check", "--format", "concise", path]).stdout)
    };
    assert!(concise("m1", "../m2").starts_with("../m2/main.tf.json:1:3: "));
    assert!(concise("m1", ".").starts_with("main.tf.json:1:3: "));
}

#[test]
fn colours_and_drawing_follow_the_customs() {
    let directory = broken_modules();
    let report = |variables: &[(&str, &str)], arguments: &[&str]| {
        let arguments = [&["check", "m0"], arguments].concat();
        let mut command = overrule(directory.path(), &arguments);
        text(command.envs(variables.iter().copied()).output().expect("the program runs").stdout)
    };
    let is_painted = |report: &str| report.contains("\u{1b}[");
    assert!(!is_painted(&report(&[], &[])), "a pipe shows no colours");
    assert!(is_painted(&report(&[("CLICOLOR_FORCE", "1")], &[])));
    assert!(is_painted(&report(&[("NO_COLOR", "1")], &["--color", "always"])), "what is asked for wins");
    assert!(!is_painted(&report(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[])));
    assert!(report(&[], &[]).contains('╭'));
    assert!(report(&[("LC_ALL", "C")], &[]).is_ascii());
}

#[test]
fn the_policy_of_a_repository_is_found_and_each_rule_has_its_origin() {
    let directory = tempfile::tempdir().expect("a directory");
    let policy = indoc! {r#"
        policy {
          extends = ["language"]
        }
        rule "invalid-name" { level = "notice" }
    "#};
    fs::create_dir(directory.path().join(".config")).expect("a directory");
    fs::write(directory.path().join(".config/overrule.hcl"), policy).expect("a policy");
    let listed = |arguments: &[&str]| {
        let list = text(output(directory.path(), &[&["rules"], arguments].concat()).stdout);
        let line = list.lines().find(|line| line.starts_with("invalid-name ")).expect("the rule");
        line.split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed(&[]), "notice .config/overrule.hcl:4");
    assert!(listed(&["--isolated"]).starts_with("error preset"));
    fs::write(directory.path().join("overrule.hcl"), "").expect("a policy");
    let two = output(directory.path(), &["check"]);
    let told = "error: both `overrule.hcl` and `.config/overrule.hcl` exist; keep one of them\n";
    assert_eq!((two.status.code(), text(two.stderr)), (Some(2), told.to_owned()));
}

/// A directory with two errors, one of them in JSON.
fn faulty_modules() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("main.tf"), "variable \"a\" {}\nvariable \"a\" {}\n").expect("a file");
    fs::create_dir(directory.path().join("b")).expect("a directory");
    fs::write(directory.path().join("b/main.tf.json"), "{\"variable\": {\"a b\": {}}}").expect("a file");
    directory
}

#[test]
fn an_old_repository_can_start_green() {
    let directory = faulty_modules();
    let arguments = ["check", "--add-exceptions", "--reason", "see OPS-311"];
    let added = output(directory.path(), &arguments);
    assert_eq!(added.status.code(), Some(0));
    assert_eq!(text(added.stderr), "added 1 comment to 1 file, and 1 exception to the policy\n");
    let module = fs::read_to_string(directory.path().join("main.tf")).expect("a file");
    assert!(module.contains("\n# overrule: allow(duplicate-declaration) see OPS-311\nvariable"), "{module}");
    let policy = fs::read_to_string(directory.path().join("overrule.hcl")).expect("a policy");
    assert!(
        policy.starts_with("exception \"invalid-name\" {\n  paths  = [\"b/main.tf.json\"]\n"),
        "{policy}"
    );
    let after = output(directory.path(), &["check"]);
    let told = "checked 2 modules, 2 files: no findings (2 suppressed)\n";
    assert_eq!((after.status.code(), text(after.stdout)), (Some(0), told.to_owned()));
    let again = output(directory.path(), &arguments);
    assert_eq!(text(again.stderr), "added 0 comments to 0 files, and 0 exceptions to the policy\n");
}

#[test]
fn a_baseline_leaves_out_what_was_there_before() {
    let directory = faulty_modules();
    let written = output(directory.path(), &["check", "--write-baseline", "known.txt"]);
    assert_eq!(written.status.code(), Some(0), "what is written down is known");
    let main = directory.path().join("main.tf");
    let before = fs::read_to_string(&main).expect("a file");
    fs::write(&main, format!("locals {{}}\n{before}variable \"n\" {{}}\nvariable \"n\" {{}}\n"))
        .expect("a file");
    let after = output(directory.path(), &["check", "--baseline", "known.txt", "--format", "concise"]);
    let told = text(after.stdout);
    assert_eq!((after.status.code(), told.lines().count()), (Some(1), 2), "{told}");
    assert!(told.starts_with("main.tf:5:1: "), "{told}");
    let list = directory.path().join("known.txt");
    let head = fs::read_to_string(&list).expect("a list").lines().next().map(str::to_owned);
    fs::write(&list, format!("{}\nno\n", head.expect("a line"))).expect("a file");
    let refused = output(directory.path(), &["check", "--baseline", "known.txt"]);
    let anew = "to write a new baseline, run `overrule check --write-baseline known.txt`\n";
    let told = "error: cannot read `known.txt`: line 2 does not start with a fingerprint\n";
    let told = format!("{told}  help: remove this line; {anew}");
    assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told));
    fs::remove_file(directory.path().join("known.txt")).expect("the file");
    let refused = output(directory.path(), &["check", "--baseline", "known.txt"]);
    let told = format!("error: cannot read `known.txt`: no such file or directory\n  help: {anew}");
    assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told));
}

#[test]
fn an_update_of_a_baseline_covers_everything() {
    let directory = faulty_modules();
    output(directory.path(), &["check", "--write-baseline", "known.txt"]);
    let partial: [(&str, &[&str]); 2] = [("the paths", &["b"]), ("`--select`", &["--select", "language"])];
    for (given, arguments) in partial {
        let update = ["check", "--baseline", "known.txt", "--write-baseline", "known.txt"];
        let refused = output(directory.path(), &[&update[..], arguments].concat());
        let told = format!(
            "error: a run of only some paths or rules would remove all other findings from the baseline\n  \
             help: remove {given}, or write a new baseline without `--baseline`\n"
        );
        assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told));
    }
}

#[test]
fn a_report_replaces_no_file_of_a_module() {
    let directory = faulty_modules();
    for name in ["main.tf", "a.auto.tfvars.json", ".terraform.lock.hcl"] {
        let refused = output(directory.path(), &["check", "--output", &format!("json={name}")]);
        let told = format!("error: cannot write `{name}`: modules have files of this name\n");
        assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told));
    }
}

#[test]
fn a_baseline_replaces_no_other_file() {
    let directory = faulty_modules();
    let main = directory.path().join("main.tf");
    let before = fs::read_to_string(&main).expect("a file");
    let refused = output(directory.path(), &["check", "--write-baseline", "main.tf"]);
    let told = "error: cannot write `main.tf`: modules have files of this name\n";
    assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told.to_owned()));
    fs::write(directory.path().join("notes.txt"), "a\n").expect("a file");
    let refused = output(directory.path(), &["check", "--write-baseline", "notes.txt"]);
    let told =
        "error: `notes.txt` exists and is not a baseline\n  help: name another file, or remove this one\n";
    assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told.to_owned()));
    assert_eq!(fs::read_to_string(&main).expect("a file"), before);
}

#[test]
fn an_option_for_a_report_that_is_not_written_is_refused() {
    let directory = faulty_modules();
    let refused = output(directory.path(), &["check", "--hide-suppressed"]);
    let told = "error: `--hide-suppressed` has no effect without a `sarif` report\n  \
                help: remove it, or add `--output sarif=FILE`\n";
    assert_eq!((refused.status.code(), text(refused.stderr)), (Some(2), told.to_owned()));
    let written = output(directory.path(), &["check", "--hide-suppressed", "--output", "sarif=r.sarif"]);
    assert_eq!(written.status.code(), Some(1));
}

#[test]
fn a_baseline_can_be_written_anew() {
    let directory = faulty_modules();
    let list = || fs::read_to_string(directory.path().join("known.txt")).expect("a list");
    output(directory.path(), &["check", "--write-baseline", "known.txt"]);
    let first = list();
    let again = ["check", "--baseline", "known.txt", "--write-baseline", "known.txt"];
    assert_eq!(output(directory.path(), &again).status.code(), Some(0));
    assert_eq!(list(), first, "what is known stays");
    fs::write(directory.path().join("b/main.tf.json"), "{}").expect("a file");
    fs::create_dir(directory.path().join("c")).expect("a directory");
    fs::write(directory.path().join("c/main.tf.json"), "{\"variable\": {\"c d\": {}}}").expect("a file");
    assert_eq!(output(directory.path(), &again).status.code(), Some(0));
    let second = list();
    let is_listed = |file: &str| second.lines().any(|line| line.ends_with(file));
    assert!(
        is_listed(" main.tf") && is_listed(" c/main.tf.json") && !is_listed(" b/main.tf.json"),
        "{second}"
    );
    let after = output(directory.path(), &["check", "--baseline", "known.txt"]);
    assert_eq!(after.status.code(), Some(0));
}

#[test]
fn the_pages_that_come_with_the_program_can_be_tested_where_they_lie() {
    let tested = output(Path::new(env!("CARGO_MANIFEST_DIR")), &["test", "policies"]);
    let told = text(tested.stdout);
    assert_eq!(tested.status.code(), Some(0), "{told}");
    assert!(told.contains("policies/rules/invalid-policy.md: "), "{told}");
    // For an unknown page, the most similar rule is suggested.
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(
        directory.path().join("invalid-polcy.md"),
        indoc! {"
            ## Examples

            ### A

            ```hcl
            ```
        "},
    )
    .expect("a page");
    let wrong = text(output(directory.path(), &["test", "."]).stdout);
    assert!(wrong.contains("no rule is named `invalid-polcy`; did you mean `invalid-policy`?\n"), "{wrong}");
}

#[test]
fn arguments_that_are_refused_paint_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let refused = |format: &str| {
        let mut command = overrule(directory.path(), &["check", "--format", format]);
        text(command.env("CLICOLOR_FORCE", "1").output().expect("the program runs").stderr)
    };
    assert!(refused("jsn").contains("\u{1b}[31m"), "colours of our own stay");
    let said = refused("\u{1b}[31mjsn\u{1b}]0;title\u{7}");
    assert!(said.contains("jsn") && !said.contains(['\u{1b}', '\u{7}']), "{said:?}");
}

#[test]
fn transcripts_are_the_output_of_the_program() {
    let cases = trycmd::TestCases::new();
    // The user's settings must not change the result.
    for variable in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "LC_ALL",
        "LC_CTYPE",
        "LANG",
        "PRE_COMMIT",
        "CI",
        "GITHUB_ACTIONS",
    ] {
        cases.env(variable, "");
    }
    cases.case("tests/cli/*.md");
}

#[test]
fn the_list_of_rules_marks_fixable_ones() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = output(directory.path(), &["rules", "--isolated", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rule = |name: &str| {
        let rules = document["rules"].as_array().expect("rules");
        rules.iter().find(|rule| rule["rule"] == name).expect("the rule").clone()
    };
    assert_eq!(rule("unused-declaration")["fixes"], serde_json::json!(["safe", "unsafe"]));
    assert_eq!(rule("syntax-error")["fixes"], serde_json::json!([]));
    let missing = rule("provider-source-missing");
    assert_eq!((&missing["level"], &missing["template"]), (&"notice".into(), &false.into()));
    assert!(missing["set_by"].as_str().is_some_and(|line| line == "preset recommended"));
    let template = rule("required-argument");
    assert_eq!((&template["level"], &template["template"]), (&serde_json::Value::Null, &true.into()));
}

#[test]
fn init_writes_a_policy_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = output(directory.path(), &["init"]);
    assert_eq!((first.status.code(), first.stdout), (Some(0), Vec::new()));
    let said = text(first.stderr);
    assert!(said.starts_with("wrote overrule.hcl\n") && said.contains("overrule hook install"), "{said}");
    let policy = fs::read(directory.path().join("overrule.hcl")).expect("a policy");
    assert_eq!(output(directory.path(), &["check", "--quiet"]).status.code(), Some(0));
    let second = output(directory.path(), &["init"]);
    assert_eq!(second.status.code(), Some(2));
    assert_eq!(fs::read(directory.path().join("overrule.hcl")).expect("a policy"), policy);
    assert!(text(second.stderr).contains("help: edit this file"));
}

#[test]
fn rules_are_selected_by_name_glob_and_preset() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("main.tf"), "variable \"A\" {}\nvariable \"A\" {}\n").expect("a file");
    let rules = |arguments: &[&str]| {
        let output = output(directory.path(), &[&["check", "--format", "concise"], arguments].concat());
        let report = text(output.stdout);
        let names =
            report.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split('[').nth(1));
        let mut names: Vec<String> =
            names.map(|name| name.split(']').next().unwrap_or_default().into()).collect();
        names.dedup();
        names.join(" ")
    };
    assert_eq!(rules(&["--select", "variable-*"]), "variable-description-missing variable-type-missing");
    assert_eq!(rules(&["--select", "language"]), "duplicate-declaration");
    assert_eq!(
        rules(&["--preset", "strict", "--ignore", "variable-*,unused-*,required-*"]),
        "duplicate-declaration"
    );
    let none = output(directory.path(), &["check", "--select", "no-such-*"]);
    assert_eq!(
        (none.status.code(), text(none.stderr).lines().next().unwrap_or_default().to_owned()),
        (Some(2), "error: no rule matches `no-such-*`".to_owned())
    );
}

#[test]
fn a_preset_and_the_version_are_printed() {
    let directory = tempfile::tempdir().expect("a directory");
    let preset = text(output(directory.path(), &["rules", "--preset", "strict"]).stdout);
    assert!(preset.contains("extends = [\"recommended\"]"), "{preset}");
    let version = text(output(directory.path(), &["version"]).stdout);
    assert_eq!(version, text(output(directory.path(), &["--version"]).stdout));
    let help = text(output(directory.path(), &["help", "check"]).stdout);
    assert_eq!(help, text(output(directory.path(), &["check", "--help"]).stdout));
}

#[test]
fn counts_are_refused_in_formats_that_cannot_carry_them() {
    let directory = broken_modules();
    for format in ["sarif", "gitlab", "junit", "checkstyle"] {
        let refused = output(directory.path(), &["check", "--statistics", "--format", format]);
        assert_eq!((refused.status.code(), refused.stdout), (Some(2), Vec::new()), "{format}");
    }
    let json = text(output(directory.path(), &["check", "--statistics", "--format", "json"]).stdout);
    assert!(json.contains("\"statistics\": ["), "{json}");
}

#[test]
fn completions_know_rules_and_presets() {
    for shell in ["bash", "fish", "zsh"] {
        let completions = text(output(Path::new("."), &["completions", shell]).stdout);
        for name in ["provider-type-mismatch", "recommended"] {
            assert!(completions.contains(name), "{shell}: {name}");
        }
        // Templates only have a page, and completions for fish support no positional arguments.
        assert_eq!(completions.contains("required-argument"), shell != "fish", "{shell}");
    }
    let help = text(output(Path::new("."), &["explain", "--help"]).stdout);
    assert!(!help.contains("provider-type-mismatch"), "the help does not list every rule:\n{help}");
}

#[test]
fn a_diff_without_changes_has_a_message() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("main.tf"), "variable \"a\" {}\n").expect("a file");
    let said = |arguments: &[&str]| {
        let Output { status, stdout, stderr } = output(directory.path(), arguments);
        (status.code(), text(stdout), text(stderr))
    };
    let nothing = |line: &str| (Some(0), String::new(), line.to_owned());
    assert_eq!(said(&["check", "--diff"]), nothing("no finding has a safe fix\n"));
    assert_eq!(said(&["check", "--diff", "--fix=unsafe"]), nothing("no finding has a fix\n"));
    assert_eq!(said(&["check", "--diff", "--quiet"]), nothing(""));
}
