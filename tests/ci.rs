//! Checks that the documented commands are those that the project runs itself, and that the generated CI
//! configuration matches the documentation.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands of `.ci/run`, without the word that announces them.
fn steps() -> Vec<String> {
    read(".ci/run").lines().filter_map(|line| line.strip_prefix("step ")).map(str::to_owned).collect()
}

#[test]
fn the_readme_names_the_test_command_that_ci_runs() {
    let readme = read("README.md");
    let told: Vec<&str> =
        readme.lines().map(str::trim).filter(|line| line.starts_with("cargo test")).collect();
    assert_eq!(told, ["cargo test"], "the README names one command for the tests");
    assert!(steps().iter().any(|step| step == told[0]), ".ci/run runs `{}`: {:#?}", told[0], steps());
}

#[test]
fn every_other_step_of_ci_uses_the_lock_file() {
    for step in steps() {
        let free = ["cargo fmt --check", "cargo test"].contains(&step.as_str());
        assert!(free || step.contains("--locked"), "`{step}` could resolve dependencies anew");
    }
}

#[test]
fn the_workflow_runs_the_same_script() {
    assert!(read(".github/workflows/ci.yml").contains("run: .ci/run"));
}

#[test]
fn the_problem_matcher_takes_the_concise_report_apart() {
    let matcher: Value = serde_json::from_str(&read(".github/overrule-problem-matcher.json")).expect("JSON");
    let pattern = &matcher["problemMatcher"][0]["pattern"][0];
    let expression = Regex::new(pattern["regexp"].as_str().expect("a pattern")).expect("an expression");
    let part = |line: &str, name: &str| {
        let group = usize::try_from(pattern[name].as_u64().expect("a number")).expect("small");
        Some(expression.captures(line)?.get(group)?.as_str().to_owned())
    };
    let parts = |line: &str| {
        ["file", "line", "column", "severity", "message", "code"]
            .map(|name| part(line, name).unwrap_or_default())
    };
    let report = read("tests/report/concise.txt");
    let taken: Vec<[String; 6]> =
        report.lines().filter(|line| expression.is_match(line)).map(parts).collect();
    let placed = report.lines().filter(|line| !line.starts_with(' ') && !line.starts_with("modules/net: "));
    assert_eq!(taken.len(), placed.count(), "a line a finding that has a place: {taken:#?}");
    let first = [
        "live/a/main.tf",
        "14",
        "12",
        "error",
        "Module is incompatible with count, for_each, and depends_on",
    ];
    assert_eq!(taken[0][..5], first);
    let odd = "a:b/c d.tf:3:1: notice: Summary: with [brackets] [a-rule] (only for OpenTofu)";
    assert_eq!(parts(odd), ["a:b/c d.tf", "3", "1", "notice", "Summary: with [brackets]", "a-rule"]);
}

/// Parses a YAML document.
fn yaml(text: &str) -> Value {
    yaml_serde::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_hooks_for_pre_commit_are_given_all_that_a_check_may_depend_on() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().expect("a list");
    let text = |hook: &Value, name: &str| hook[name].as_str().expect("text").to_owned();
    let languages: Vec<_> = hooks.iter().map(|hook| (text(hook, "id"), text(hook, "language"))).collect();
    let expected = [("overrule", "python"), ("overrule-src", "rust"), ("overrule-system", "system")];
    assert_eq!(languages, expected.map(|(id, language)| (id.to_owned(), language.to_owned())));
    for hook in hooks {
        let settings = ["entry", "always_run", "require_serial"].map(|name| &hook[name]);
        assert_eq!(settings, [&"overrule check --hook".into(), &Value::from(true), &Value::from(true)]);
        let files = Regex::new(hook["files"].as_str().expect("a pattern")).expect("an expression");
        let named = [
            "main.tf",
            "live/main.tf.json",
            "a.tofu",
            "a.tofu.json",
            "x/prod.tfvars",
            "prod.auto.tfvars.json",
            "tests/a.tftest.hcl",
            "a.tofutest.hcl",
            "tests/a.tftest.json",
            "mocks/aws.tfmock.hcl",
            "live/terragrunt.hcl",
            ".terraform.lock.hcl",
            "live/.terraform.lock.hcl",
            "overrule.hcl",
            ".config/overrule.hcl",
        ];
        assert!(named.iter().all(|name| files.is_match(name)), "{named:?}");
        let others =
            ["main.tf.bak", "a.tfstate", "README.md", "a.hcl", "x/overrule.hcl", "x.terragrunt.hcl", "atf"];
        assert!(!others.iter().any(|name| files.is_match(name)), "{others:?}");
    }
}

#[test]
fn a_wheel_is_built_with_the_lock_file_and_without_python() {
    let project = read("packaging/wheel/pyproject.toml");
    for line in ["build-backend = \"maturin\"", "bindings = \"bin\"", "locked = true"] {
        assert!(project.lines().any(|other| other == line), "{line}");
    }
}

#[test]
fn the_hook_installs_the_wheel_of_this_version_and_nothing_else() {
    let project = read("pyproject.toml");
    let pin = format!("dependencies = [\"overrule=={}\"]", env!("CARGO_PKG_VERSION"));
    assert!(project.lines().any(|line| line == pin), "{pin}");
    assert!(project.contains("\npy-modules = []\n"), "it has no code of its own");
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

/// The code blocks of the README in a language.
fn blocks(language: &str) -> Vec<String> {
    let readme = read("README.md");
    let opening = format!("```{language}\n");
    readme.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest).to_owned()).collect()
}

#[test]
fn what_the_readme_configures_is_there() {
    let [pre_commit, lefthook, workflow, gitlab] =
        &blocks("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>()[..]
    else {
        panic!("the README has four examples in YAML");
    };
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let ids: Vec<_> = hooks.as_array().expect("a list").iter().map(|hook| &hook["id"]).collect();
    assert!(ids.contains(&&pre_commit["repos"][0]["hooks"][0]["id"]), "{pre_commit}");
    assert_eq!(lefthook["pre-commit"]["jobs"][0]["run"], hooks[0]["entry"], "both run the same");

    let action = yaml(&read("action.yml"));
    let steps = workflow["jobs"]["overrule"]["steps"].as_array().expect("steps");
    let own = steps.iter().find(|step| step["id"] == "overrule").expect("the step of the action");
    for input in own["with"].as_object().into_iter().flat_map(|inputs| inputs.keys()) {
        assert!(action["inputs"][input].is_object(), "{input}");
    }
    let text = workflow.to_string();
    let outputs: Vec<_> = text.split("steps.overrule.outputs.").skip(1).collect();
    assert_eq!(outputs.len(), 2);
    assert!(outputs.iter().all(|rest| rest.starts_with("sarif")), "{text}");
    assert!(action["outputs"]["sarif"].is_object());

    let script = gitlab["overrule"]["script"][0].as_str().expect("a command");
    let report = gitlab["overrule"]["artifacts"]["reports"]["codequality"].as_str().expect("a file");
    assert_eq!(script, format!("overrule check --output gitlab={report}"));
    let template = read("templates/check.yml");
    let (inputs, _) = template.split_once("\n---\n").expect("two documents");
    assert_eq!(yaml(inputs)["spec"]["inputs"]["image"]["default"], gitlab["overrule"]["image"]);
}

/// The code blocks in a language on the page about CI.
fn examples(language: &str) -> Vec<String> {
    let page = read("docs/ci.md");
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest).to_owned()).collect()
}

#[test]
fn the_examples_for_other_systems_are_documents_of_theirs() {
    let [gitlab, azure, atlantis] = &examples("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>()[..]
    else {
        panic!("three examples");
    };
    let (inputs, job) =
        read("templates/check.yml").split_once("\n---\n").map(|(a, b)| (yaml(a), yaml(b))).expect("two");
    for (name, value) in gitlab["include"][0]["inputs"].as_object().expect("inputs") {
        let options = inputs["spec"]["inputs"][name]["options"].as_array().expect("an input with options");
        assert!(options.contains(value), "{name}");
    }
    let job = &job["$[[ inputs.job-name ]]"];
    let report = job["artifacts"]["reports"]["codequality"].as_str().expect("a file");
    assert!(job["script"][0].as_str().is_some_and(|script| script.contains(&format!("gitlab={report} "))));
    let results = azure["steps"][3]["inputs"]["testResultsFiles"].as_str().expect("a file");
    let script = azure["steps"][2]["script"].as_str().expect("a script");
    assert!(script.ends_with(&format!("--output junit={results}")), "{script}");
    let workflow = atlantis["repos"][0]["workflow"].as_str().expect("a name");
    assert!(atlantis["workflows"][workflow]["plan"]["steps"].is_array());
}

#[cfg(unix)]
#[test]
fn every_command_that_a_ci_is_given_runs() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_overrule")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("PATH"));
    let sh = |script: &str| {
        let mut sh = std::process::Command::new("sh");
        sh.args(["-euc", script]).current_dir(directory.path()).env("PATH", &path).env("TARGET", "main");
        sh.output().expect("sh runs")
    };
    let made = sh("git init -q -b main . && echo 'locals {}' >main.tf && git add . && \
         git -c user.name=a -c user.email=a@b commit -qm a && git update-ref refs/remotes/origin/main HEAD");
    assert!(made.status.success(), "{made:?}");
    let template = read("templates/check.yml");
    let template = template.replace("$[[ inputs.fail-on ]]", "error").replace("$[[ inputs.paths ]]", ".");
    let texts = [examples("yaml"), examples("groovy"), blocks("yaml"), vec![template]].concat();
    let command = Regex::new(r"overrule check[^'\n]*").expect("an expression");
    let commands: Vec<_> =
        texts.iter().flat_map(|text| command.find_iter(text)).map(|found| found.as_str()).collect();
    assert_eq!(commands.len(), 6, "{commands:#?}");
    for command in commands {
        let output = sh(command);
        assert!(output.status.success(), "{command}: {output:?}");
    }
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
    for path in ["README.md", "docs/ci.md", "Cargo.toml", "templates/check.yml", "tests/report/report.json"] {
        for part in address.captures_iter(&read(path)) {
            let expected = if &part[1] == "ghcr.io/" { owner().to_lowercase() } else { owner().to_owned() };
            assert_eq!(part[2], expected, "{path}: {}; `.ci/owner NAME` sets all of them", &part[0]);
            found += 1;
        }
    }
    assert!(found >= 5, "{found} addresses");
}

/// Checks that the site has a chapter for every page, and that all links between pages are valid.
#[test]
fn the_site_has_a_chapter_for_every_page() {
    let summary = read("site/SUMMARY.md");
    let link = Regex::new(r"\]\(([^):#]+\.md)").expect("an expression");
    let chapters: Vec<&str> =
        link.captures_iter(&summary).filter_map(|found| found.get(1)?.as_str().strip_prefix("../")).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for directory in ["docs", "policies/rules"] {
        let pages = fs::read_dir(root.join(directory))
            .expect("a directory")
            .map(|entry| format!("{directory}/{}", entry.expect("an entry").file_name().to_string_lossy()));
        let missing: Vec<String> = pages
            .filter(|page| page.strip_suffix(".md").is_some() && !chapters.contains(&page.as_str()))
            .collect();
        assert_eq!(missing, Vec::<String>::new(), "site/SUMMARY.md lists every page");
    }
    for chapter in &chapters {
        let directory = Path::new(chapter).parent().expect("a directory");
        for found in link.captures_iter(&read(chapter)) {
            let page = root.join(directory).join(&found[1]).canonicalize().expect("a page");
            let page = page.strip_prefix(root.canonicalize().expect("a directory")).expect("inside");
            let is_chapter = chapters.iter().any(|chapter| Path::new(chapter) == page);
            assert!(is_chapter, "{chapter} links to {}, which site/SUMMARY.md does not list", page.display());
        }
    }
    assert!(read(".github/workflows/ci.yml").contains("run: .ci/site"));
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
