//! Checks that the console blocks of README.md and docs, and the picture of a report, are the output of the program.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Variables that change the output of a terminal.
const VARIABLES: [&str; 8] =
    ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE", "LANG", "CI", "GITHUB_ACTIONS"];

#[test]
fn console_blocks_show_what_the_program_prints() {
    let cases = trycmd::TestCases::new();
    for variable in VARIABLES {
        cases.env(variable, "");
    }
    cases.case("README.md").case("docs/*.md");
}

#[test]
fn the_picture_in_the_readme_shows_a_real_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_overrule"));
    command.current_dir(root).args(["check", "--color", "always", "examples/shop"]);
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    let report = String::from_utf8(command.output().expect("the program runs").stdout).expect("UTF-8");
    let picture = anstyle_svg::Term::new().render_svg(&format!("$ overrule check examples/shop\n{report}"));
    let path = root.join("docs/report.svg");
    if std::env::var_os("UPDATE_REPORTS").is_some() {
        fs::write(&path, &picture).expect("the picture is kept");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "UPDATE_REPORTS=1 cargo test --test transcripts renews docs/report.svg");
}
