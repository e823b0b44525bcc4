//! Transcripts of the program: every block of a terminal under `tests/cli/` and in the README is run and compared.

#[test]
fn transcripts_are_what_the_program_says() {
    let cases = trycmd::TestCases::new();
    // What a person has set must not change what is tested.
    for variable in
        ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE", "LANG", "PRE_COMMIT", "CI"]
    {
        cases.env(variable, "");
    }
    cases.case("tests/cli/*.md").case("README.md");
}
