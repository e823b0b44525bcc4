//! Checks what a release builds and publishes, and that every file names its publisher and its packages.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

use super::{read, yaml};

#[test]
fn a_wheel_is_built_with_the_lock_file_and_without_python() {
    let project = read("packaging/wheel/pyproject.toml");
    for line in ["build-backend = \"maturin\"", "bindings = \"bin\"", "locked = true"] {
        assert!(project.lines().any(|other| other == line), "{line}");
    }
}

#[test]
fn the_hook_installs_the_wheel_of_this_version_and_nothing_else() {
    let wheel = read("packaging/wheel/pyproject.toml");
    let name = wheel.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name").trim_matches('"');
    let project = read("pyproject.toml");
    let pin = format!("dependencies = [\"{name}=={}\"]", env!("CARGO_PKG_VERSION"));
    assert!(project.lines().any(|line| line == pin), "{pin}");
    assert!(project.contains("\npy-modules = []\n"), "it has no code of its own");
    let command =
        Regex::new(r"\bpipx? install (?:--\S+ (?:dist )?)*(overrule[\w-]*)").expect("an expression");
    let pages = ["README.md", "docs/ci.md", "packaging/wheel/README.md", ".github/workflows/release.yml"];
    for (page, text) in pages.map(|page| (page, read(page).replace("bin/pip\"", "bin/pip"))) {
        let named: Vec<_> = command.captures_iter(&text).map(|found| found[1].to_owned()).collect();
        assert!(!named.is_empty() && named.iter().all(|other| other == name), "{page}: {named:?}");
    }
}

#[test]
fn the_crate_and_the_source_distribution_have_every_source_file() {
    let top = env!("CARGO_MANIFEST_DIR");
    let output = std::process::Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(top)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{output:?}");
    let list = String::from_utf8(output.stdout).expect("UTF-8").replace('\\', "/");
    let mut open = vec![Path::new(top).join("src"), Path::new(top).join("policies")];
    let mut files = 0;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(top).expect("inside").to_string_lossy().replace('\\', "/");
            assert!(list.lines().any(|line| line == name), "`exclude` in Cargo.toml leaves out {name}");
            files += 1;
        }
    }
    assert!(files > 500, "{files} files");
}

/// The targets of a release.
const TARGETS: [&str; 5] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-musl",
];

#[test]
fn every_target_of_a_release_is_built_and_found_by_the_action() {
    let workflow = yaml(&read(".github/workflows/release.yml"));
    let matrix = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().expect("a matrix");
    let mut built: Vec<_> = matrix.iter().map(|entry| entry["target"].as_str().expect("text")).collect();
    built.sort_unstable();
    assert_eq!(built, TARGETS);
    let (script, action) = (read(".ci/release"), read(".github/action/run.sh"));
    for target in TARGETS {
        assert!(script.contains(&format!("    \"{target}\",\n")), "{target}");
        assert!(action.contains(&format!(" target={target} ;;\n")), "{target}");
    }
    assert!(read("Cargo.toml").contains("/releases/download/v{ version }/overrule-{ target }.tar.gz\""));
}

#[test]
fn a_release_is_published_by_a_tag_alone_and_shown_last() {
    let workflow = yaml(&read(".github/workflows/release.yml"));
    assert_eq!(workflow["permissions"], serde_json::json!({"contents": "read"}));
    let jobs = workflow["jobs"].as_object().expect("jobs");
    let needs = |name: &str| -> Vec<String> {
        let needs = &jobs[name]["needs"];
        let list = needs.as_array().cloned().unwrap_or_else(|| vec![needs.clone()]);
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // A job is skipped if a job that it needs is skipped, so on pull requests nothing after `draft` runs.
    assert_eq!(jobs["draft"]["if"], "github.event_name == 'push'");
    for (name, job) in jobs {
        let mut open = vec![name.clone()];
        let mut before = Vec::new();
        while let Some(job) = open.pop() {
            open.extend(needs(&job));
            before.push(job);
        }
        let after_draft = before.contains(&"draft".to_owned());
        assert!(job["permissions"].is_null() || after_draft, "{name} may do more than read");
        let text = job.to_string();
        let publishes =
            ["gh release upload", "uv", "crates-io-auth", "buildah manifest push", "--draft=false"];
        assert!(after_draft || !publishes.iter().any(|word| text.contains(word)), "{name} publishes");
        assert!(job["timeout-minutes"].is_u64(), "{name}");
        for uses in text.split("\"uses\":\"").skip(1) {
            let pin = uses.split('"').next().and_then(|uses| uses.split_once('@')).expect("a revision").1;
            assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}: {pin}");
        }
    }
    assert_eq!(needs("publish"), ["image", "wheels", "crate"]);
}

/// The account in the address of the repository; the only place that names it.
fn owner() -> &'static str {
    let owner = env!("CARGO_PKG_REPOSITORY")
        .strip_prefix("https://github.com/")
        .and_then(|path| path.strip_suffix("/overrule"));
    owner.expect("a repository on GitHub with the name of the program")
}

#[test]
fn every_address_of_the_repository_names_its_owner() {
    let address = Regex::new(
        r"(github\.com/|githubusercontent\.com/|gitlab\.com/|ghcr\.io/|uses: )([\w.-]+)/overrule\b",
    );
    let address = address.expect("an expression");
    let mut found = 0;
    for path in [
        "README.md",
        "docs/affected.md",
        "docs/ci.md",
        "Cargo.toml",
        "packaging/wheel/README.md",
        "templates/check.yml",
        "tests/report/report.json",
    ] {
        for part in address.captures_iter(&read(path)) {
            let expected = if &part[1] == "ghcr.io/" { owner().to_lowercase() } else { owner().to_owned() };
            assert_eq!(part[2], expected, "{path}: {}; `.ci/owner NAME` sets all of them", &part[0]);
            found += 1;
        }
    }
    assert!(found >= 5, "{found} addresses");
}

#[cfg(unix)]
#[test]
fn the_owner_is_set_everywhere_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |path: &str| directory.path().join(path);
    fs::create_dir(at(".ci")).expect("a directory");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/owner"), at(".ci/owner")).expect("a copy");
    fs::write(at("Cargo.toml"), "repository = \"https://github.com/Old/overrule\"\n").expect("a file");
    let text = |owner: &str, image: &str, other: &str| {
        format!(
            "uses: {owner}/overrule@v1, ghcr.io/{image}/overrule:1, {other}/overrule, {owner}/overrules\n"
        )
    };
    fs::write(at("README.md"), text("Old", "old", "Very-Old")).expect("a file");
    let sh = |script: &str| {
        let mut sh = std::process::Command::new("sh");
        sh.args(["-euc", script]).current_dir(directory.path()).output().expect("sh runs")
    };
    let output = sh("git init -q . && git add . && .ci/owner New-1");
    assert!(output.status.success(), "{output:?}");
    let readme = fs::read_to_string(at("README.md")).expect("a file");
    assert_eq!(readme, text("New-1", "new-1", "Very-Old").replace("New-1/overrules", "Old/overrules"));
    assert!(fs::read_to_string(at("Cargo.toml")).expect("a file").contains("github.com/New-1/overrule\""));
    let output = sh(".ci/owner a/b");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
