//! Test files and mock files: for any content, reported positions are inside a file, and two runs are equal.

use overrule::check::{self, Settings};
use overrule::vfs::Snapshot;

use super::check::outcome_holds;

/// A module with an object of each kind that tests refer to.
const MODULE: &str = r#"
variable "n" {
  type    = number
  default = 1
  validation {
    condition     = var.n > 0
    error_message = "too small"
  }
}

variable "required" {}

output "k" {
  value = var.n
}

resource "terraform_data" "a" {}

module "m" {
  source = "./m"
}
"#;

/// Panics if a file violates a property as a test file or mock file, in both syntaxes.
pub fn holds(bytes: &[u8]) {
    let names = [
        "tests/a.tftest.hcl",
        "b.tftest.json",
        "c.tofutest.hcl",
        "mocks/a.tfmock.hcl",
        "mocks/b.tfmock.json",
    ];
    let with_mocks = "mock_provider \"aa\" {\n  source = \"./mocks\"\n}\nrun \"a\" {\n  module {\n    source = \"./m\"\n  }\n}\n";
    let files = [
        ("main.tf", MODULE),
        ("m/main.tf", "output \"o\" {\n  value = 1\n}\n"),
        ("z.tftest.hcl", with_mocks),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let given = names.map(|path| (path.to_owned(), bytes.to_vec()));
    let all: Vec<_> = files.into_iter().chain(given).collect();
    let run = || {
        let mut snapshot = Snapshot::of_files(all.clone());
        let outcome = check::run(&mut snapshot, &Settings::default());
        (snapshot, outcome)
    };
    let (snapshot, outcome) = run();
    outcome_holds(&outcome, snapshot.sources());
    let findings = |outcome: &check::Outcome| -> Vec<_> {
        outcome.verdicts.iter().map(|verdict| verdict.finding.clone()).collect()
    };
    assert_eq!(findings(&run().1), findings(&outcome), "the same files give the same findings");
}
