//! How long each phase of a check takes, on a repository that is written here: `cargo bench`.

use std::fs;
use std::path::Path;
use std::process::Command;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use overrule::check::{self, Settings};
use overrule::engine::{Choice, Engine, Loaded, Product};
use overrule::module::{Module, ModuleFile};
use overrule::source::{File, Folder, Worktree};
use overrule::syntax;
use tempfile::TempDir;

/// The one that the program uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Modules that others call.
const SHARED: usize = 400;
/// Modules that call them.
const ROOTS: usize = 600;
/// Calls in each root module.
const CALLS: usize = 5;

fn main() {
    divan::main();
}

const VARIABLE: &str = r#"variable "v<n>" {
  type        = object({ name = string, tags = optional(map(string), {}) })
  default     = { name = "v<n>" }
  description = "A setting of the module."
}

"#;

const RESOURCE: &str = r#"resource "aws_instance" "r<n>" {
  for_each      = toset(["a", "b"])
  ami           = var.v<n>.name
  instance_type = "t3.${each.key}"
  tags          = merge(var.v<n>.tags, { Name = format("%s-%d", var.v<n>.name, <n>) })

  # Somebody else sets them.
  lifecycle {
    ignore_changes = [tags]
  }
}

"#;

const OUTPUT: &str = r#"output "o<n>" {
  value = [for i in aws_instance.r<n> : i.id if i.id != ""]
}

"#;

const VERSIONS: &str = r#"terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}
"#;

const OVERRIDE: &str = r#"variable "v0" {
  default = { name = "other" }
}

resource "aws_instance" "r0" {
  ami = "x"
}
"#;

const ROOT: &str = r#"terraform {
  backend "s3" {
    key = "state"
  }
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  alias  = "west"
  region = "us-west-2"
}
"#;

const CALL: &str = r#"module "c<n>" {
  source    = "../../../modules/m<to>"
  v0        = { name = "c<n>" }
  providers = { aws = aws.west }
}

"#;

/// `text` once for each number, with the number in place of `<n>`.
fn repeated(text: &str, times: usize) -> String {
    (0..times).map(|n| text.replace("<n>", &n.to_string())).collect()
}

/// A module that others call: variables, resources, outputs, and an override file in every fourth.
fn shared(number: usize) -> Vec<(String, String)> {
    let folder = format!("modules/m{number}");
    let mut files = vec![
        (format!("{folder}/variables.tf"), repeated(VARIABLE, 10)),
        (format!("{folder}/main.tf"), repeated(RESOURCE, 10)),
        (format!("{folder}/outputs.tf"), repeated(OUTPUT, 10)),
        (format!("{folder}/versions.tf"), VERSIONS.to_owned()),
    ];
    if number.is_multiple_of(4) {
        files.push((format!("{folder}/dev_override.tf"), OVERRIDE.to_owned()));
    }
    files
}

/// A root module that configures a provider and calls shared modules with it.
fn root(number: usize) -> Vec<(String, String)> {
    let folder = format!("live/team{}/r{number}", number % 20);
    let call = |n: usize| {
        let to = (number * CALLS + n) % SHARED;
        CALL.replace("<n>", &n.to_string()).replace("<to>", &to.to_string())
    };
    let calls = (0..CALLS).map(call).collect();
    vec![(format!("{folder}/main.tf"), ROOT.to_owned()), (format!("{folder}/calls.tf"), calls)]
}

fn files() -> Vec<(String, Vec<u8>)> {
    let all = (0..SHARED).flat_map(shared).chain((0..ROOTS).flat_map(root));
    all.map(|(path, text)| (path, text.into_bytes())).collect()
}

fn on_disk() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (path, content) in files() {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }
    place
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git").args(arguments).current_dir(folder).status().expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

fn open(place: &Path) -> Worktree {
    let none: [&Path; 0] = [];
    Worktree::open(place, &none).expect("a folder that exists")
}

fn bytes(worktree: &Worktree) -> usize {
    worktree.sources().iter().map(|(_, source)| source.text().len()).sum()
}

/// Listing and reading a plain folder.
#[divan::bench(min_time = 1)]
fn read_folder(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// The same in a repository in which everything is tracked.
#[divan::bench(min_time = 1)]
fn read_tracked(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "."]);
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// The same in a repository in which nothing is, so that the ignore rules are asked about every folder.
#[divan::bench(min_time = 1)]
fn read_untracked(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    fs::write(place.path().join(".gitignore"), "*_override.tf\n*.tfstate\n.terraform/\n").expect("a file");
    let count = ItemsCount::new(open(place.path()).sources().len());
    bencher.counter(count).bench(|| open(place.path()));
}

/// The files of a module, parsed, in the order in which an engine loads them.
type Parsed<'a> = Vec<(&'a File, Loaded, syntax::File)>;

fn parsed(worktree: &Worktree, engine: Engine) -> Vec<(&Folder, Parsed<'_>)> {
    let modules = worktree.folders().iter().map(|folder| {
        let files = folder.module_files(engine).into_iter().filter_map(|(file, loaded)| {
            let id = file.id?;
            Some((file, loaded, syntax::parse(id, worktree.sources().get(id), loaded.notation).0))
        });
        (folder, files.collect())
    });
    modules.collect()
}

/// Parsing every file, on one core.
#[divan::bench(min_time = 1)]
fn parse(bencher: Bencher<'_, '_>) {
    let worktree = Worktree::of_files(files());
    let engine = Engine::newest(Product::Terraform);
    bencher.counter(BytesCount::new(bytes(&worktree))).bench(|| parsed(&worktree, engine).len());
}

/// Decoding every module and merging its override files, on one core.
#[divan::bench(min_time = 1)]
fn build(bencher: Bencher<'_, '_>) {
    let worktree = Worktree::of_files(files());
    let engine = Engine::newest(Product::Terraform);
    let (modules, features) = (parsed(&worktree, engine), engine.features());
    bencher.counter(ItemsCount::new(modules.len())).bench(|| {
        for (folder, files) in &modules {
            let files: Vec<ModuleFile<'_>> = files
                .iter()
                .map(|(file, loaded, read)| ModuleFile {
                    name: &file.name,
                    body: &read.body,
                    kind: loaded.kind,
                    complete: read.complete,
                })
                .collect();
            divan::black_box(Module::build(folder.path.clone(), &files, &features, &mut Vec::new()));
        }
    });
}

/// Everything but the disk, for one engine, on all cores: parsing, decoding, merging, calls and providers, verdicts.
#[divan::bench(min_time = 1)]
fn whole_in_memory(bencher: Bencher<'_, '_>) {
    let settings = Settings { engines: Choice::parse("terraform").ok(), ..Settings::default() };
    bencher
        .with_inputs(|| Worktree::of_files(files()))
        .bench_values(|mut worktree| check::run(&mut worktree, &settings).modules);
}

/// The same with the disk, a repository in which everything is tracked, and both engines.
#[divan::bench(min_time = 1)]
fn whole_for_both(bencher: Bencher<'_, '_>) {
    let place = on_disk();
    git(place.path(), &["init", "--quiet"]);
    git(place.path(), &["add", "."]);
    bencher.bench(|| check::run(&mut open(place.path()), &Settings::default()).modules);
}
