//! Measures the time of each layer, in a generated repository with 1,000 modules: `cargo bench --bench phases`.

#[path = "monorepo/generator.rs"]
mod generator;

use std::fs;
use std::path::Path;
use std::process::Command;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use generator::Shape;
use overrule::check::{self, Analysis, Settings};
use overrule::engine::{Choice, Engine, Loaded, Product};
use overrule::graph::Validation;
use overrule::limits::Limits;
use overrule::module::{Module, ModuleFile};
use overrule::policy::Policy;
use overrule::report::{Format, Style};
use overrule::syntax;
use overrule::vfs::{Directory, File, Snapshot};
use tempfile::TempDir;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn in_memory() -> Snapshot {
    let files = generator::files(&Shape::USUAL);
    Snapshot::of_files(files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
}

fn on_disk() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary directory");
    for (path, text) in generator::files(&Shape::USUAL) {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, text).expect("a file");
    }
    place
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git").args(arguments).current_dir(directory).status().expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

fn open(place: &Path) -> Snapshot {
    let none: [&Path; 0] = [];
    Snapshot::open(place, &none).expect("a directory that exists")
}

fn bytes(snapshot: &Snapshot) -> usize {
    snapshot.sources().iter().map(|(_, source)| source.text().len()).sum()
}

/// `vfs`: listing and reading a directory outside a repository.
#[divan::bench(min_time = 1)]
fn read_directory(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// The same in a repository whose index has all files.
#[divan::bench(min_time = 1)]
fn read_tracked(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "."]);
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// The same in a repository with an empty index, so that the ignore rules are evaluated for every directory.
#[divan::bench(min_time = 1)]
fn read_untracked(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    fs::write(place.path().join(".gitignore"), "*_private.tf\n*.tfstate\n.terraform/\n").expect("a file");
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// Only the parser library that `syntax` uses.
#[divan::bench(min_time = 1)]
fn parse_alone(bencher: Bencher<'_, '_>) {
    let snapshot = in_memory();
    let native = || snapshot.sources().iter().filter(|(_, source)| !source.name().contains(".json"));
    bencher
        .counter(BytesCount::new(bytes(&snapshot)))
        .bench(|| native().filter(|(_, source)| hcl_edit::parser::parse_body(source.text()).is_ok()).count());
}

/// The parsed files of a module, in the order in which an engine loads them.
type Parsed<'a> = Vec<(&'a File, Loaded, syntax::File)>;

fn parsed(snapshot: &Snapshot, engine: Engine) -> Vec<(&Directory, Parsed<'_>)> {
    let modules = snapshot.directories().iter().map(|directory| {
        let files = directory.module_files(engine).into_iter().filter_map(|(file, loaded)| {
            let id = file.id?;
            Some((
                file,
                loaded,
                syntax::parse(id, snapshot.sources().get(id), loaded.notation, &Limits::default()).0,
            ))
        });
        (directory, files.collect())
    });
    modules.collect()
}

/// `syntax`: parsing every file, in one thread.
#[divan::bench(min_time = 1)]
fn parse(bencher: Bencher<'_, '_>) {
    let snapshot = in_memory();
    let engine = Engine::newest(Product::Terraform);
    bencher.counter(BytesCount::new(bytes(&snapshot))).bench(|| parsed(&snapshot, engine).len());
}

/// `module`: decoding every file and merging override files, in one thread.
#[divan::bench(min_time = 1)]
fn build(bencher: Bencher<'_, '_>) {
    let snapshot = in_memory();
    let engine = Engine::newest(Product::Terraform);
    let (modules, features) = (parsed(&snapshot, engine), engine.features());
    bencher.counter(ItemsCount::new(modules.len())).bench(|| {
        for (directory, files) in &modules {
            let files: Vec<ModuleFile<'_>> = files
                .iter()
                .map(|(file, loaded, read)| ModuleFile {
                    name: &file.name,
                    body: &read.body,
                    kind: loaded.kind,
                    complete: read.complete,
                })
                .collect();
            divan::black_box(Module::build(
                directory.path.clone(),
                &files,
                &features,
                &Limits::default(),
                &mut Vec::new(),
            ));
        }
    });
}

/// `graph`: the diagnostics of linked modules, in one thread.
#[divan::bench(min_time = 1)]
fn link(bencher: Bencher<'_, '_>) {
    let mut snapshot = in_memory();
    let policy = Policy::preset("language").expect("a preset");
    let analysis = Analysis::of(&mut snapshot, Choice::parse("terraform").ok().as_ref(), &policy);
    let view = analysis.views().next().expect("an engine");
    bencher.bench(|| {
        let validation = Validation::of(view.graph, view.roots);
        let of_module = |id: &_| validation.of_module(*id, None, snapshot.sources()).findings.len();
        validation.modules().iter().map(of_module).sum::<usize>() + validation.of_ways().len()
    });
}

/// A whole check from memory, for one engine, in all threads, with the engine rules alone or with the rules of a
/// preset.
#[divan::bench(args = ["language", "recommended", "strict"], min_time = 1)]
fn whole_with_rules(bencher: Bencher<'_, '_>, preset: &str) {
    let policy = Policy::preset(preset).expect("a preset");
    let settings = Settings { engines: Choice::parse("terraform").ok(), policy, ..Settings::default() };
    bencher.with_inputs(in_memory).bench_values(|mut snapshot| check::run(&mut snapshot, &settings).modules);
}

/// `report`: writing the findings of the preset `strict`.
#[divan::bench(args = ["human", "json", "sarif", "github"], min_time = 1)]
fn report(bencher: Bencher<'_, '_>, format: &str) {
    let mut snapshot = in_memory();
    let policy = Policy::preset("strict").expect("a preset");
    let outcome = check::run(&mut snapshot, &Settings { policy, ..Settings::default() });
    let format = *Format::ALL.iter().find(|known| known.name == format).expect("a format");
    bencher
        .counter(ItemsCount::new(outcome.verdicts.len()))
        .bench(|| format.write(&outcome, snapshot.sources(), &Style::default()));
}

/// A whole check from disk, for both engines, in a repository whose index has all files.
#[divan::bench(min_time = 1)]
fn whole_for_both(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "."]);
    bencher.bench(|| check::run(&mut open(place.path()), &Settings::default()).modules);
}
