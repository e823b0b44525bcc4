//! Compares the time of `overrule check --changed` with that of `git diff --cached --name-only`, in a generated
//! repository with 10,000 modules and 50,000 files: `cargo bench --bench changed`.
//!
//! The two programs run alternately, so that other load on the machine slows both. The table shows the median and the
//! minimum of each, and the first run, which has no cache. Arguments after `--`: the number of runs, and a directory in
//! which to keep the repository.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of modules that others call.
const SHARED: usize = 1_000;
/// The number of root modules. With the shared ones, there are ten thousand modules.
const ROOTS: usize = 9_000;
/// The number of shared modules that many root modules call.
const POPULAR: usize = 20;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let runs = words.next().and_then(|word| word.parse().ok()).unwrap_or(15);
    let kept = words.next().map(PathBuf::from);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let directory = kept.unwrap_or_else(|| temporary.path().to_owned());
    if !directory.join(".git").exists() {
        write(&directory);
    }
    let whole = least(3, || run(&directory, env!("CARGO_BIN_EXE_overrule"), &["check", "--quiet"]));
    println!("whole check of the working tree: {} ms\n", milliseconds(whole));
    println!(
        "| staged | git, median | least | overrule, median | least | ratio of medians | of least | first run |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let change = |name: &str, stage: &dyn Fn()| {
        stage();
        println!("{}", row(&directory, name, runs));
        git(&directory, &["reset", "--quiet", "--hard"]);
    };
    change("a resource of a root module", &|| append(&directory, &root(4_321), RESOURCE));
    change("an argument in a call of a popular module", &|| {
        replace(&directory, &root(4_321), "name   = \"a\"", "name   = \"b\"");
    });
    change("a new call of a popular module", &|| {
        append(&directory, &root(4_321), &call(root(0).matches('/').count(), 9, 3));
    });
    change("a resource of a module that one calls", &|| append(&directory, &shared(SHARED - 1), RESOURCE));
    change("a new root module", &|| {
        put(&directory, "live/new/main.tf", RESOURCE);
        git(&directory, &["add", "live/new"]);
    });
    change("a resource of a popular module", &|| append(&directory, &shared(3), RESOURCE));
    change("a comment in a popular module", &|| append(&directory, &shared(3), "# A comment.\n"));
    change("a text that is of no module", &|| append(&directory, "README.md", "More.\n"));
}

/// Measures both programs alternately, and formats a row of the table.
fn row(directory: &Path, name: &str, runs: usize) -> String {
    let ours = || run(directory, env!("CARGO_BIN_EXE_overrule"), &["check", "--changed", "--quiet"]);
    let theirs = || run(directory, "git", &["diff", "--cached", "--name-only"]);
    fs::remove_dir_all(directory.join(".git/overrule")).ok();
    let first = ours();
    let (mut our, mut their) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        their.push(theirs());
        our.push(ours());
    }
    our.sort();
    their.sort();
    let middle = runs / 2;
    let ratio = |ours: Duration, theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
    format!(
        "| {name} | {} | {} | {} | {} | {:.2} | {:.2} | {} |",
        milliseconds(their[middle]),
        milliseconds(their[0]),
        milliseconds(our[middle]),
        milliseconds(our[0]),
        ratio(our[middle], their[middle]),
        ratio(our[0], their[0]),
        milliseconds(first),
    )
}

fn least(times: usize, run: impl Fn() -> Duration) -> Duration {
    (0..times).map(|_| run()).min().expect("it is run")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

fn run(directory: &Path, program: &str, arguments: &[&str]) -> Duration {
    let started = Instant::now();
    let mut command = Command::new(program);
    let status =
        command.args(arguments).current_dir(directory).stdout(Stdio::null()).status().expect("it runs");
    let time = started.elapsed();
    assert!(status.code().is_some_and(|code| code < 2), "{program} {arguments:?} took place");
    time
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(directory)
        .status()
        .expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

fn put(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
    fs::write(path, text).expect("a file");
}

fn append(directory: &Path, path: &str, text: &str) {
    let before = fs::read_to_string(directory.join(path)).expect("a file");
    put(directory, path, &format!("{before}\n{text}"));
    git(directory, &["add", path]);
}

fn replace(directory: &Path, path: &str, from: &str, to: &str) {
    let before = fs::read_to_string(directory.join(path)).expect("a file");
    let after = before.replacen(from, to, 1);
    assert_ne!(before, after, "{path} has {from}");
    put(directory, path, &after);
    git(directory, &["add", path]);
}

/// The path of the main file of a root module.
fn root(number: usize) -> String {
    format!("live/team-{:02}/app-{:03}/env-{}/main.tf", number / 450, number / 3 % 150, number % 3)
}

/// The path of the main file of a shared module.
fn shared(number: usize) -> String {
    format!("modules/m{number:04}/main.tf")
}

/// A pseudorandom number generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).expect("a small number")
    }
}

/// Writes the repository. A module has five files. A root module has three to five calls, half of them of popular
/// modules.
fn write(directory: &Path) {
    let mut dice = Dice(2027);
    put(directory, "README.md", "A repository.\n");
    for number in 0..SHARED {
        let main = repeated(RESOURCE, 1 + dice.roll(4));
        // Every fourth shared module calls the next one. Nothing else calls the last one.
        let calls = if number % 4 == 2 { call(2, 0, number + 1) } else { String::new() };
        module(directory, &shared(number), &format!("{main}{calls}"), REQUIRED);
    }
    for number in 0..ROOTS {
        let path = root(number);
        let depth = path.matches('/').count();
        let calls: String = (0..3 + dice.roll(3))
            .map(|n| {
                let popular = dice.roll(2) == 0;
                let to = if popular { dice.roll(POPULAR) } else { POPULAR + dice.roll(SHARED - POPULAR - 1) };
                call(depth, n, to)
            })
            .collect();
        let main = repeated(RESOURCE, 1 + dice.roll(4));
        module(directory, &path, &format!("{main}{calls}"), &format!("{REQUIRED}{PROVIDER}"));
    }
    git(directory, &["init", "--quiet"]);
    git(directory, &["add", "."]);
    git(directory, &["commit", "--quiet", "--message", "all"]);
    git(directory, &["gc", "--quiet"]);
}

fn module(directory: &Path, main: &str, text: &str, versions: &str) {
    put(directory, main, text);
    for (name, text) in
        [("variables", VARIABLES), ("outputs", OUTPUTS), ("locals", LOCALS), ("versions", versions)]
    {
        put(directory, &main.replace("main.tf", &format!("{name}.tf")), text);
    }
}

fn repeated(text: &str, times: usize) -> String {
    (0..times).map(|number| text.replace("\"new\"", &format!("\"r{number}\""))).collect()
}

fn call(depth: usize, number: usize, to: usize) -> String {
    let up = "../".repeat(depth);
    format!(
        "\nmodule \"c{number}\" {{\n  source = \"{up}modules/m{to:04}\"\n  name   = \"a\"\n  tags   = local.tags\n\n  providers = {{\n    aws = aws\n  }}\n}}\n"
    )
}

const RESOURCE: &str = r#"resource "aws_instance" "new" {
  for_each      = toset(["a", "b"])
  ami           = var.name
  instance_type = "t3.${each.key}"
  tags          = merge(local.tags, { Name = format("%s-%s", var.name, each.key) })

  # Somebody else sets them.
  lifecycle {
    ignore_changes = [tags]
  }
}
"#;

const VARIABLES: &str = r#"variable "name" {
  type        = string
  default     = "x"
  description = "What everything here is called."
}

variable "tags" {
  type        = map(string)
  default     = {}
  description = "Tags of everything here."

  validation {
    condition     = length(var.tags) < 50
    error_message = "There are too many tags."
  }
}
"#;

const OUTPUTS: &str = r#"output "name" {
  value       = var.name
  description = "What everything here is called."
}
"#;

const LOCALS: &str = r#"locals {
  tags = merge(var.tags, {
    managed-by = "terraform"
    name       = var.name
  })
}
"#;

const REQUIRED: &str = r#"terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}
"#;

const PROVIDER: &str = r#"
provider "aws" {
  region = "eu-central-1"
}
"#;
