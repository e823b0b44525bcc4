//! Seeds: the examples of rule pages, the presets, and the module trees of the project.

use std::fs;
use std::path::{Path, PathBuf};

use overrule::check::doctest::example::{Example, examples};
use overrule::policy::PRESETS;
use overrule::rules::page::PAGES;

use super::tree;

/// Most of the language in a short text.
const LANGUAGE: &str = include_str!("language.txt");

/// Every block of a Terragrunt unit that is read.
const UNIT: &str = include_str!("unit.txt");

/// Every block and argument of test files.
const TESTS: &str = include_str!("tests.txt");

/// The directory of the project.
fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_fuzz = here.ends_with("fuzz");
    if is_fuzz { here.parent().expect("it lies in the project").to_owned() } else { here.to_owned() }
}

/// Files in native syntax.
pub fn native() -> Vec<String> {
    sorted(ending_with(".tf"))
}

/// JSON files.
pub fn json() -> Vec<String> {
    sorted(ending_with(".json"))
}

/// Variable definitions files, lock files, manifests, Terragrunt units, and other files with similar syntax.
pub fn companions() -> Vec<String> {
    let ends = [".tfvars", ".tfvars.json", ".lock.hcl", "modules.json", "terragrunt.hcl"];
    let recorded = recorded_trees().into_iter().flat_map(|tree| files_of(&tree));
    let recorded = recorded.filter(|(name, _)| ends.iter().any(|end| name.ends_with(end)));
    let files = ends.into_iter().flat_map(ending_with).chain(recorded.map(|(_, text)| text));
    sorted(files.chain([UNIT.to_owned()]).chain(ending_with(".tf")).collect())
}

/// Policies, including those on pages.
pub fn policy() -> Vec<String> {
    let presets = PRESETS.iter().map(|preset| preset.text.to_owned());
    let written = ["policies/README.md", "README.md"].map(|page| {
        let text = fs::read_to_string(project().join(page)).expect("a page of the project");
        let blocks: Vec<String> = text
            .split("```hcl\n")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
            .collect();
        blocks
    });
    sorted(presets.chain(ending_with(".hcl")).chain(written.concat()).collect())
}

/// Test files.
pub fn tests() -> Vec<String> {
    let json = r#"{"run": {"a": {"command": "plan", "assert": [{"condition": "${output.k == 1}", "error_message": "x"}]}}}"#;
    let written = [TESTS.to_owned(), json.to_owned()];
    let recorded = recorded_trees().into_iter().flat_map(|tree| files_of(&tree));
    let recorded = recorded.filter(|(name, _)| name.contains("tftest") || name.contains("tfmock"));
    sorted(written.into_iter().chain(recorded.map(|(_, text)| text)).collect())
}

/// The trees of recorded cases about files beside modules and files that functions read.
fn recorded_trees() -> Vec<String> {
    let files = [
        "cases/test-file",
        "cases/function-file",
        "companions/values",
        "companions/lock",
        "companions/installed",
    ];
    let texts = files.map(|file| {
        let path = project().join(format!("tests/agreement/{file}.txt"));
        fs::read_to_string(path).expect("recorded cases")
    });
    let tree = |case: &str| Some(case.split_once("\n--- ")?.1.split("\n>>>").next()?.to_owned());
    let cases = texts.iter().flat_map(|text| text.split("\n=== ").skip(1));
    cases.filter_map(tree).map(|tree| format!("--- {tree}\n")).collect()
}

/// The files of a tree, with their paths.
fn files_of(tree: &str) -> Vec<(String, String)> {
    let files = tree::files(tree.as_bytes()).into_iter();
    files.map(|(path, text)| (path, String::from_utf8_lossy(&text).into_owned())).collect()
}

/// Documents, tables and templates.
pub fn decode() -> Vec<String> {
    [
        "a: &x [1, yes, ~, 2001-12-14, 0x1F, .5]\nb: *x\nc: {<<: {d: 1}, e: |\n  f\n}\n",
        "base: &b\n  x: 1\nderived:\n  <<: *b\n  y: >-\n    folded\n    text\n? key\n: [a, {b: c}]\n",
        "- a\n- - b\n  - 'it''s'\n- \"\\u00e9\\n\"\n---\nmore\n",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: &d [*c, *c]\ne: [*d, *d]\n",
        "%YAML 1.1\n---\n!!map {a: !!int 1}\n...\n",
        "name,size\nfirst,1\n\"a \"\"b\"\"\",2\n\n\"c\nd\",3\r\n",
        "a,b\n1\n2,\"x",
        "{\"a\": [1, 2.5e3, null, true, \"\\ud83d\\ude00\"], \"b\": {\"c\": {}}}",
        "{\"a\": 1, \"a\": \"x\"} ]",
        "hello ${a} %{ for x in b ~} ${x}, %{ endfor ~} %{ if c.d == \"x\" } yes %{ else } no %{ endif }",
        "$${a} %%{ if } ${file(\"x\")} ${templatefile(\"x\", {})}",
        "${a",
        "*.{yaml,yml}",
        "**/[^a-c]?*/[x",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Values and types of the pages, and some that show conversions.
pub fn value() -> Vec<String> {
    let types = [
        "any",
        "list(string)",
        "map(any)",
        "set(number)",
        "tuple([string, bool])",
        "object({ a = string, b = optional(number, 1), c = optional(list(object({ d = any }))) })",
    ];
    let values = [
        "{ a = \"1\", b = 1e3, c = [{ d = null }] }",
        "[true, \"true\", 1, 0.1]",
        "[for k, v in { a = 1, b = -2.5 } : \"${k}-${v}\" if v != 1]",
        "{ for x in [\"a\", \"b\", \"a\"] : x => x... }",
        "\"a %{ if 1 == 1 ~} b %{ else } c %{ endif }\"",
        "[1, [2, \"3\"], { \"4\" = 5 }][1][0] + 6 % 4 * 2 / 3",
        "(true && !false) || 1 >= 2 ? [1, 2, 3][*] : null",
        "1e400 - 123456789012345678901234567890.5",
    ];
    let pairs = types.iter().flat_map(|ty| values.iter().map(move |value| format!("{ty}\n{value}")));
    let arguments = native().into_iter().flat_map(|text| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines
    });
    let written = arguments.filter_map(|line| {
        let (name, value) = line.split_once(" = ")?;
        let value = value.trim();
        Some(if name.trim() == "type" { format!("{value}\nnull") } else { format!("any\n{value}") })
    });
    sorted(pairs.chain(written).collect())
}

/// Whole trees, each as one text.
pub fn trees() -> Vec<String> {
    let of_pages = of_pages()
        .into_iter()
        .map(|example| tree::text(example.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))));
    let of_directories = directories()
        .into_iter()
        .map(|files| tree::text(files.iter().map(|(path, text)| (path.as_str(), text.as_str()))));
    sorted(of_pages.chain(of_directories).chain(recorded_trees()).chain([LANGUAGE.to_owned()]).collect())
}

/// Numbers for connected modules and their edits.
pub fn changes() -> Vec<String> {
    let numbers = |seed: u64| {
        let next = |number: &u64| {
            Some(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        };
        let drawn = std::iter::successors(Some(seed), next).skip(1).take(300);
        drawn.map(|number| char::from(u8::try_from(number >> 57).expect("seven bits"))).collect()
    };
    (0..24).map(numbers).collect()
}

fn of_pages() -> Vec<Example> {
    PAGES.iter().flat_map(|page| examples(page.text).unwrap_or_default()).collect()
}

/// The texts of files with this suffix.
fn ending_with(end: &str) -> Vec<String> {
    files().into_iter().filter(|(path, _)| path.strip_suffix(end).is_some()).map(|(_, text)| text).collect()
}

/// All files of examples and directories, with their paths.
fn files() -> Vec<(String, String)> {
    let of_pages =
        of_pages().into_iter().flat_map(|example| example.files).map(|file| (file.name, file.text));
    of_pages.chain(directories().concat()).collect()
}

/// The trees in the project: examples, and the directories of transcripts.
fn directories() -> Vec<Vec<(String, String)>> {
    let project = project();
    let mut trees = vec![read(&project.join("examples"))];
    for directory in sorted_entries(&project.join("tests/cli")) {
        if directory.is_dir() {
            trees.push(read(&directory));
        }
    }
    trees
}

/// The text files below a directory, with their relative paths.
fn read(top: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        for path in sorted_entries(&directory) {
            if path.is_dir() {
                open.push(path);
            } else if let (Ok(text), Ok(inside)) = (fs::read_to_string(&path), path.strip_prefix(top)) {
                files.push((inside.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    files.sort();
    files
}

fn sorted_entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn sorted(mut seeds: Vec<String>) -> Vec<String> {
    seeds.sort();
    seeds.dedup();
    seeds
}
