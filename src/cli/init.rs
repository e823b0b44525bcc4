//! `overrule init`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use super::stream::{create, err};
use super::{Failure, place};
use crate::engine::{Engine, Product};
use crate::report::one_line;
use crate::vfs::{POLICIES, Snapshot};

/// The starter policy. A test loads it.
const STARTER: &str = r#"# Policy of overrule, in HCL.
# `overrule rules` lists all rules with their levels, `overrule explain RULE` describes one.

policy {
  # `language` reports what Terraform and OpenTofu report, `recommended` adds what the documentation recommends,
  # `strict` adds style, and checks that not every team needs. `overrule rules --preset strict` prints a preset.
  extends = ["recommended"]

  # The engine: "terraform", "opentofu", "terraform@1.11" or "both". If it is not set, the files of each module decide.
  # engine = "terraform"

  # Directories in which nothing is reported.
  # exclude = ["legacy/**"]

  # The lowest severity that fails a run: "error", "warning", "notice" or "never".
  # fail_on = "error"
}

# Set the level of a rule, or turn it off:
# rule "required-version-missing" { level = "off" }

# Make a rule from a template (`overrule explain required-argument`):
# rule "required-argument" "owner-tag" {
#   blocks   = ["resource.aws_*"]
#   argument = "tags.Owner"
#   message  = "Resource without an owner"
# }

# Accept findings for a reason, until a date:
# exception "provider-block-in-shared-module" {
#   paths  = ["modules/legacy-dns"]
#   reason = "will be replaced"
#   until  = "2027-03-31"
# }
"#;

/// Runs the command: writes the policy to the top of the repository, or to the current directory outside a repository.
pub(super) fn run() -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let snapshot = Snapshot::without_modules(&current)?;
    let top = snapshot.top().unwrap_or(&current);
    if let Some(name) = POLICIES.iter().find(|name| top.join(name).symlink_metadata().is_ok()) {
        return Err(Failure::new(format!("`{name}` already exists"))
            .help("edit this file; `overrule rules` shows the levels that it sets"));
    }
    let product = Snapshot::open(&current, &[] as &[&Path]).ok().and_then(|read| only_product(&read));
    let file = top.join(POLICIES[0]);
    create(&file, &starter(product)).map_err(|error| Failure::cannot("write", &file, &error))?;
    let name = place::names(&current, Some(top)).of(POLICIES[0]);
    err(&format!(
        "wrote {}\n\nNext:\n  overrule check            check the whole repository\n  overrule hook install     \
         check every commit\n",
        one_line(&name)
    ));
    Ok(ExitCode::SUCCESS)
}

/// The product that all lock files and version files name, if they name no version.
fn only_product(snapshot: &Snapshot) -> Option<Product> {
    let evidence = snapshot.directories().iter().map(|directory| snapshot.evidence(&directory.path));
    let engines: BTreeSet<Engine> =
        evidence.filter(|found| found.positive).flat_map(|found| found.engines).collect();
    let mut newest = Product::ALL.into_iter().map(Engine::newest);
    newest.find(|engine| engines.iter().eq([engine])).map(|engine| engine.product)
}

/// The starter policy, with the engine if it is known.
fn starter(product: Option<Product>) -> String {
    match product {
        Some(product) => {
            let engine = format!("  engine = {:?}\n", product.name().to_lowercase());
            STARTER.replace("  # engine = \"terraform\"\n", &engine)
        }
        None => STARTER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::load_policy;

    #[test]
    fn the_engine_is_that_of_all_files() {
        let [terraform, opentofu] =
            ["terraform", "tofu"].map(|program| format!("# Maintained by \"{program} init\".\n"));
        let product = |files: &[(&str, &str)]| {
            let modules = ["a", "b"].map(|name| (format!("{name}/main.tf"), Vec::new()));
            let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
            only_product(&Snapshot::of_files(modules.into_iter().chain(files).collect()))
        };
        let (a, b) = ("a/.terraform.lock.hcl", "b/.terraform.lock.hcl");
        assert_eq!(product(&[]), None);
        assert_eq!(product(&[(a, &terraform)]), Some(Product::Terraform));
        assert_eq!(product(&[(a, &opentofu), (b, &opentofu)]), Some(Product::OpenTofu));
        assert_eq!(product(&[(a, &terraform), (b, &opentofu)]), None);
        assert_eq!(
            product(&[(a, &terraform), (".terraform-version", "1.9.8")]),
            None,
            "a version file decides"
        );
        assert!(starter(Some(Product::Terraform)).contains("\n  engine = \"terraform\"\n"));
    }

    #[test]
    fn the_starter_policy_is_valid_as_written_and_without_its_comment_marks() {
        let is_code = |line: &&str| line.contains(" = ") || line.ends_with('{') || line.trim() == "}";
        let uncommented = |line| str::trim_start(line).strip_prefix("# ").filter(is_code).unwrap_or(line);
        let uncommented: Vec<&str> = STARTER.lines().map(uncommented).collect();
        for text in [STARTER.to_owned(), uncommented.join("\n")] {
            let files = vec![(POLICIES[0].to_owned(), text.clone().into_bytes())];
            let mut snapshot = Snapshot::of_files(files);
            let file = snapshot.read_policy().expect("one policy");
            assert!(load_policy(&mut snapshot, file).is_ok(), "{text}");
        }
    }
}
