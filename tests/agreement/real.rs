//! Realistic valid modules, for which nothing may be reported.
//!
//! `AGREEMENT_SEEDS='real 5000 7000'` compares others with Terraform, and `AGREEMENT_SEEDS='mistaken 5000 7000'`
//! those with one error each. `AGREEMENT_WRITE='real 0 40 DIRECTORY' cargo test --test agreement written` writes some
//! of them to a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{generated, generated_cases, program};

#[test]
fn valid_modules_have_no_findings() {
    let is_valid = |name: &str| name.starts_with("real") || name.starts_with("dynamic");
    let mut cases = generated_cases(true);
    cases.retain(|case| {
        is_valid(&case.name) && case.answers.iter().all(|answer| answer.diagnostics.is_empty())
    });
    assert!(cases.len() > 130, "{} are valid", cases.len());
    for arguments in [&["--engine", "terraform@1.11"][..], &[]] {
        let counts = program::count(&cases, arguments);
        let wrong: Vec<&str> = cases
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(case, _)| case.name.as_str())
            .collect();
        assert!(wrong.is_empty(), "{arguments:?} reports something: {wrong:?}");
    }
}

/// Two thousand modules contain each function at least twenty times.
#[test]
fn valid_modules_use_every_function() {
    let Ok(output) = Command::new("terraform").args(["metadata", "functions", "-json"]).output() else {
        return;
    };
    let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else { return };
    let signatures = answer["function_signatures"].as_object().expect("functions by name");
    let mut counts: BTreeMap<&str, usize> = signatures
        .keys()
        // These functions no longer exist, and the other names are only valid in provider modules.
        .filter(|name| !["list", "map"].contains(&name.as_str()) && !name.contains("::"))
        .map(|name| (name.as_str(), 0))
        .collect();
    for seed in 0..2000 {
        let tree = generated::case("real", seed).tree();
        for before in tree.split('(').filter(|before| !before.is_empty()) {
            let start = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
            if let Some(count) = counts.get_mut(&before[start..]) {
                *count += 1;
            }
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 20).collect();
    assert!(rare.is_empty(), "rare in 2000 modules: {rare:?}");
}

#[test]
fn some_can_be_written() {
    let Ok(seeds) = std::env::var("AGREEMENT_WRITE") else { return };
    let [kind, from, to, directory] = seeds.split(' ').collect::<Vec<_>>()[..] else {
        panic!("KIND FROM TO DIRECTORY")
    };
    let seed = |text: &str| text.parse::<u64>().expect("a number");
    for seed in seed(from)..seed(to) {
        let root = Path::new(directory).join(format!("{kind}{seed:05}"));
        fs::create_dir_all(&root).expect("a new directory");
        generated::case(kind, seed).lay_out(&root);
    }
}
