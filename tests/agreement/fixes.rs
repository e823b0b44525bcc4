//! Checks safe fixes that concern providers: no resource gets another provider configuration, and an accepted tree
//! stays accepted. The trees in `providers/fixes.txt` begin with the rule, and with `fixed` or `kept`: whether
//! `--fix` changes the tree.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::case::{Case, Cases, Entry};
use crate::terraform::Terraform;

#[test]
fn safe_fixes_change_no_provider_configuration() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/providers/fixes.txt");
    let cases = Cases::parse(&fs::read_to_string(file).expect("a case file")).cases;
    assert!(cases.len() >= 12, "{} trees", cases.len());
    let terraform = Terraform::find();
    for case in &cases {
        let mut words = case.name.splitn(3, ' ');
        let (rule, fate) = (words.next().expect("a rule"), words.next().expect("`fixed` or `kept`"));
        let fixed = fixed(case, rule);
        let is_changed = fixed.tree() != case.tree();
        assert_eq!(is_changed, fate == "fixed", "{}\n{}", case.name, fixed.tree());
        if let Some(terraform) = terraform.as_ref().filter(|_| is_changed) {
            assert_eq!(
                terraform.configurations(&fixed).to_string(),
                terraform.configurations(case).to_string(),
                "{}",
                case.name
            );
        }
    }
}

/// The tree after `--fix`.
fn fixed(case: &Case, rule: &str) -> Case {
    let place = tempfile::tempdir().expect("a temporary directory");
    case.lay_out(place.path());
    let output = Command::new(env!("CARGO_BIN_EXE_overrule"))
        .args(["check", "--fix", "--preset", "strict", "--select", rule, "--engine", "terraform@1.11"])
        .current_dir(place.path())
        .env_clear()
        .output()
        .expect("the program runs");
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = case.entries.iter().map(|entry| {
        let text = fs::read_to_string(place.path().join(&entry.path)).expect("a file");
        Entry::plain(&entry.path, text)
    });
    Case::new(&case.name, entries.collect())
}
