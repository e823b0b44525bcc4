//! Checks modules for both engines: blocks that Terraform and OpenTofu refuse separately are refused together, and an
//! error reported for both is an error of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use overrule::check::doctest::example::examples;
use overrule::check::{self, Settings};
use overrule::engine::{Choice, Companion, Engine, Product};
use overrule::finding::Severity;
use overrule::limits::Limits;
use overrule::module::top_blocks;
use overrule::policy::Policy;
use overrule::rules::page::PAGES;
use overrule::syntax::{self, Notation};
use overrule::text::{FileId, Span};
use overrule::vfs::{Snapshot, last_name};

use crate::case::{Case, Cases};

/// The position of an error: the file and the start of the top-level block. An error outside of every block belongs
/// to the directory.
type Place = (String, Option<u32>);

/// One in this many generated cases is checked.
const GENERATED: usize = 5;

type Files = Vec<(String, Vec<u8>)>;

#[test]
fn what_each_engine_refuses_is_refused_for_both() {
    let mut files = Files::new();
    let mut modules = modules();
    // Where a version file selects an old Terraform, most of what current versions report is left out.
    let is_old =
        |(path, bytes): &(String, Vec<u8>)| path.ends_with(".terraform-version") && bytes.starts_with(b"0.");
    modules.retain(|(_, of_module)| !of_module.iter().any(is_old));
    for (number, (_, of_module)) in modules.iter().enumerate() {
        let inside = |(path, bytes): &(String, Vec<u8>)| (format!("{number}/{path}"), bytes.clone());
        files.extend(of_module.iter().map(inside));
    }
    let [terraform, opentofu, both, unsaid] =
        [Some("terraform"), Some("opentofu"), Some("both"), None].map(|engine| errors(&files, engine));
    let name = |(path, block): &Place| {
        let number = path.split('/').next().and_then(|number| number.parse::<usize>().ok());
        format!("{}: {path} {block:?}", modules[number.expect("a number")].0)
    };
    let of_each: BTreeSet<&Place> = terraform.keys().filter(|place| opentofu.contains_key(*place)).collect();
    let mut wrong = String::new();
    for place in of_each.iter().filter(|place| [&both, &unsaid].iter().any(|of| !of.contains_key(**place))) {
        let _ = writeln!(wrong, "{}: nothing is reported of both", name(place));
    }
    // Only OpenTofu loads `.tofu` files.
    let is_loaded = |(path, _): &&Place| !path.contains(".tofu");
    let of_both = both.iter().filter(|(_, of_all)| **of_all).map(|(place, _)| place).filter(is_loaded);
    // An error that one engine reports without a place has one for the other engine.
    let has_place_elsewhere = |(path, block): &Place| {
        let is_inside = |(other, _): &Place| other.starts_with(&format!("{path}/"));
        block.is_none()
            && [&terraform, &opentofu]
                .iter()
                .all(|of| of.contains_key(&(path.clone(), None)) || of.keys().any(is_inside))
    };
    for place in of_both.filter(|place| !of_each.contains(place) && !has_place_elsewhere(place)) {
        let _ = writeln!(wrong, "{}: an error of one engine is reported of both", name(place));
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let (cases, blocks) = (modules.len(), of_each.len());
    assert!(cases > 1_500 && blocks > 900, "the cases were looked at: {cases} with {blocks} blocks");
}

/// The positions with errors, and whether one of the errors there is common to all engines of the run.
fn errors(files: &Files, engine: Option<&str>) -> BTreeMap<Place, bool> {
    let engines = engine.map(|engine| Choice::parse(engine).expect("an engine"));
    let mut snapshot = Snapshot::of_files(files.clone());
    let policy = Policy::preset("language").expect("a preset");
    let outcome = check::run(&mut snapshot, &Settings { policy, engines, ..Settings::default() });
    let mut errors = BTreeMap::new();
    let mut starts = BTreeMap::new();
    for verdict in outcome.verdicts.iter().filter(|verdict| verdict.level == Severity::Error) {
        let place = match verdict.finding.primary {
            Some(span) => {
                let source = snapshot.sources().get(span.file);
                let blocks = starts
                    .entry(span.file)
                    .or_insert_with(|| blocks(span.file, source.name(), source.text()));
                let block = blocks.iter().find(|block| block.overlaps(span));
                (source.name().to_owned(), block.map(|block| block.start))
            }
            None => (verdict.finding.module.to_string(), None),
        };
        *errors.entry(place).or_insert(false) |= verdict.product.is_none();
    }
    errors
}

/// The top-level blocks of a file that either engine knows.
fn blocks(id: FileId, name: &str, text: &str) -> Vec<Span> {
    let source = overrule::text::Source::new(name, text.into());
    let (file, _) = syntax::parse(id, &source, Notation::of(name), &Limits::default());
    let of = |product| top_blocks(&file.body, &Engine::newest(product).features());
    let blocks = Product::ALL.into_iter().flat_map(of);
    // Test files have blocks of their own.
    let of_test = Companion::of(last_name(name)).map(|_| file.body.any_blocks()).into_iter().flatten();
    blocks.chain(of_test).map(|block| block.header.to(block.body.span())).collect()
}

/// Every case in this repository, with its files.
fn modules() -> Vec<(String, Files)> {
    let of_case = |case: Case| {
        let files = case.entries.iter().filter_map(|entry| Some((entry.path.clone(), entry.bytes()?)));
        (case.name.clone(), files.collect())
    };
    let generated = super::generated_cases(false).into_iter().step_by(GENERATED);
    let recorded = super::recorded_cases().chain(generated).chain(of_engines());
    let mut modules: Vec<(String, Files)> = recorded.map(of_case).collect();
    for page in PAGES.iter() {
        for example in examples(page.text).expect("a page is well-formed") {
            let files = example.files.into_iter().map(|file| (file.name, file.text.into_bytes()));
            modules.push((format!("{}: {}", page.rule, example.claim), files.collect()));
        }
    }
    modules
}

/// The cases of `tests/engines`, whose answers have another form.
fn of_engines() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/cases");
    let files = fs::read_dir(directory).expect("the directory of cases");
    let mut files: Vec<_> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a case file");
        let mut is_answer = false;
        let mut without_answers = String::new();
        for line in text.lines() {
            is_answer = (is_answer || line.starts_with(">>> ")) && !line.starts_with("=== ");
            if !is_answer {
                without_answers += line;
                without_answers.push('\n');
            }
        }
        cases.extend(Cases::parse(&without_answers).cases);
    }
    cases
}
