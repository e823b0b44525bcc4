//! Policies: each error is reported once at its position, and no policy hides a file that was not read.

use overrule::check::{self, Settings, load_policy};
use overrule::finding::EngineRule;
use overrule::policy::{INVALID_POLICY, Policy};
use overrule::vfs::Snapshot;

use super::check::{outcome_holds, reports_hold};
use super::place::lie_in_one_of;

/// A file that no policy may hide, and some files for the rules.
const FILES: &[(&str, &str)] = &[
    ("broken.tf", "variable \"a\" {\n"),
    (
        "live/main.tf",
        "module \"net\" {\n  source = \"../net\"\n  count  = 1\n}\n\n# overrule: allow(invalid-name) so it is\nvariable \"b c\" {}\n",
    ),
    (
        "net/main.tf",
        "variable \"name\" {}\n\nprovider \"aws\" {}\n\nresource \"aws_instance\" \"a\" {\n  ami = 1\n}\n",
    ),
    ("net/net_override.tf", "resource \"aws_instance\" \"a\" {\n  ami = 2\n}\n"),
];

/// Panics if a policy violates a property.
pub fn holds(bytes: &[u8]) {
    let files = || {
        let policy = std::iter::once(("overrule.hcl".to_owned(), bytes.to_vec()));
        let others = FILES.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Snapshot::of_files(policy.chain(others).collect())
    };
    let mut snapshot = files();
    let file = snapshot.read_policy().expect("there is one policy");
    let policy = match load_policy(&mut snapshot, file) {
        Ok(policy) => policy,
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a policy is refused for a reason");
            assert!(mistakes.iter().all(|mistake| mistake.rule == INVALID_POLICY), "{mistakes:?}");
            lie_in_one_of(&mistakes, snapshot.sources());
            let mut again = files();
            let file = again.read_policy().expect("there is one policy");
            assert_eq!(load_policy(&mut again, file).expect_err("the same mistakes"), mistakes);
            return;
        }
    };
    let settings = Settings { policy: policy.clone(), ..Settings::default() };
    let outcome = check::run(&mut snapshot, &settings);
    outcome_holds(&outcome, snapshot.sources());
    reports_hold(&outcome, snapshot.sources());
    nothing_hides(&policy, &outcome);
}

fn nothing_hides(policy: &Policy, outcome: &check::Outcome) {
    let is_told = outcome.verdicts.iter().any(|verdict| verdict.finding.rule == EngineRule::SyntaxError.id());
    assert!(is_told || policy.excludes("broken.tf"), "a file that was not read is told");
}
