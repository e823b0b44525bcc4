//! The output of `overrule modules` for each way in which a provider configuration reaches a module, or does not.
//!
//! `UPDATE_LINES=1 cargo test --test modules lines` writes the output into `lines.txt`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use overrule::report::Style;
use serde_json::Value;

use crate::show;

/// A module tree, its files, and what is shown of it.
struct Case {
    name: String,
    files: Vec<(String, String)>,
    shown: String,
}

fn parse(text: &str) -> Vec<Case> {
    let of = |case: &str| {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (tree, shown) = rest.split_once(">>> modules\n").expect("what is shown");
        let file = |file: &str| {
            let (path, text) = file.split_once('\n').expect("a path");
            (path.to_owned(), text.to_owned())
        };
        let files = tree.split("--- ").skip(1).map(file).collect();
        Case { name: name.to_owned(), files, shown: shown.trim_end().to_owned() + "\n" }
    };
    text.split("=== ").skip(1).map(of).collect()
}

/// The human view, then the kind of each configuration in JSON.
fn shown(case: &Case) -> String {
    let files: Vec<(&str, &str)> =
        case.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let shown = show(&files, &Style { width: 120, ..Style::default() });
    let mut text = shown.outline;
    let document: Value = serde_json::from_str(&shown.document).expect("a document");
    let instances = document["roots"]
        .as_array()
        .expect("roots")
        .iter()
        .flat_map(|root| root["instances"].as_array().expect("instances"));
    for instance in instances {
        for provider in instance["providers"].as_array().expect("providers") {
            let part = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let line = provider["range"]["start"]["line"]
                .as_u64()
                .map_or_else(String::new, |line| format!(":{line}"));
            let place = part(&provider["range"]["filename"]) + &line;
            let address = part(&instance["address"]);
            let address = if address.is_empty() { "root module" } else { address.as_str() };
            let (name, kind) = (part(&provider["name"]), part(&provider["kind"]));
            let _ = writeln!(text, "{address}: {name} {kind} {place}");
        }
    }
    text
}

#[test]
fn each_way_of_a_configuration_has_its_line() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules/lines.txt");
    let text = fs::read_to_string(&file).expect("the cases");
    let mut cases = parse(&text);
    for case in &mut cases {
        let now = shown(case);
        if std::env::var_os("UPDATE_LINES").is_some() {
            case.shown = now;
        } else {
            assert_eq!(now, case.shown, "{}", case.name);
        }
    }
    let mut again = String::new();
    for Case { name, files, shown } in &cases {
        let _ = writeln!(again, "=== {name}");
        for (path, text) in files {
            let _ = write!(again, "--- {path}\n{text}");
        }
        let _ = write!(again, ">>> modules\n{shown}\n");
    }
    let again = again.trim_end().to_owned() + "\n";
    if std::env::var_os("UPDATE_LINES").is_some() {
        fs::write(&file, again).expect("the cases");
    } else {
        assert_eq!(again, text);
    }
}
