//! Custom rules that can never work: each is an error of the policy, at its line, with a help.

use overrule::check::load_policy;
use overrule::vfs::Snapshot;

/// The errors of a custom rule: line and column, summary, detail and help.
fn wrong(template: &str, options: &str) -> Vec<String> {
    let text = format!("rule \"{template}\" \"own\" {{\n{options}\n}}\n");
    let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), text.into_bytes())]);
    let file = snapshot.read_policy().expect("one policy");
    let findings = load_policy(&mut snapshot, file).err().unwrap_or_default();
    let told = findings.iter().map(|finding| {
        let place = finding.primary.map(|span| snapshot.sources().place(span)).unwrap_or_default();
        let help = finding.help.as_deref().unwrap_or_default();
        format!(
            "{}: {}: {} ({help})",
            place.trim_start_matches("overrule.hcl:"),
            finding.summary,
            finding.detail
        )
    });
    told.collect()
}

fn one(template: &str, options: &str) -> String {
    let mut found = wrong(template, options);
    assert_eq!(found.len(), 1, "{template}: {options}: {found:?}");
    found.remove(0)
}

#[test]
fn an_argument_that_blocks_cannot_have_is_refused() {
    for template in ["required-argument", "forbidden-argument", "forbidden-value", "allowed-value"] {
        let values = if template.ends_with("value") { "values = [\"x\"]" } else { "" };
        let found = |blocks: &str, argument: &str| {
            one(template, &format!("blocks = [\"{blocks}\"]\nargument = \"{argument}\"\n{values}"))
        };
        for (blocks, argument, name, within) in [
            ("variable", "tags", "tags", "variable"),
            ("variable", "tags.Owner", "tags", "variable"),
            ("output.*", "default", "default", "output"),
            ("terraform", "tags", "tags", "terraform"),
            ("terraform.required_providers", "tags", "tags", "required_providers"),
            ("moved", "id", "id", "moved"),
            ("removed", "to", "to", "removed"),
            ("check", "condition", "condition", "check"),
            ("resource", "lifecycle.tags", "tags", "lifecycle"),
            ("data.*", "lifecycle.tags", "tags", "lifecycle"),
            ("variable", "validation.message", "message", "validation"),
            ("{variable,output}", "tags", "tags", "output"),
        ] {
            let found = found(blocks, argument);
            let article = if within == "output" { "an" } else { "a" };
            let start =
                format!("3,12: Invalid `argument`: `{name}` is not expected in {article} `{within}` block");
            assert!(found.starts_with(&start), "{template}: {blocks} {argument}: {found}");
        }
        let found = found("variable", "descripton");
        assert!(found.ends_with("(did you mean `description`?)"), "{found}");
    }
}

#[test]
fn an_argument_without_a_value_is_not_compared() {
    for template in ["forbidden-value", "allowed-value"] {
        for (blocks, argument, what) in [
            ("variable", "type", "a type, a reference or a keyword"),
            ("resource", "provider", "a type, a reference or a keyword"),
            ("resource", "lifecycle.ignore_changes", "a type, a reference or a keyword"),
            ("module", "providers", "a type, a reference or a keyword"),
            ("module", "providers.aws", "a type, a reference or a keyword"),
            ("output", "depends_on", "a type, a reference or a keyword"),
            ("moved", "from", "a type, a reference or a keyword"),
            ("import", "to", "a type, a reference or a keyword"),
            ("terraform.required_providers", "configuration_aliases", "a type, a reference or a keyword"),
            ("resource", "lifecycle", "a nested block"),
            ("variable", "validation", "a nested block"),
            ("resource", "provisioner.local-exec", "a nested block"),
            ("terraform", "required_providers", "a nested block"),
        ] {
            let found = one(
                template,
                &format!("blocks = [\"{blocks}\"]\nargument = \"{argument}\"\nvalues = [\"x\"]"),
            );
            assert!(found.starts_with("3,12: Invalid `argument`: "), "{found}");
            assert!(found.contains(what), "{blocks} {argument}: {found}");
            assert!(found.contains("`required-argument`"), "{blocks} {argument}: {found}");
        }
    }
}

#[test]
fn arguments_that_can_be_there_are_taken() {
    for (blocks, argument) in [
        ("variable", "default.key"),
        ("variable", "sensitive"),
        ("variable", "validation.error_message"),
        ("output", "description"),
        ("resource", "tags.Owner"),
        ("resource", "lifecycle.prevent_destroy"),
        ("resource", "lifecycle.postcondition.error_message"),
        ("resource.aws_*", "provisioner.local-exec.command"),
        ("resource", "count"),
        ("data", "filter.name"),
        ("provider.*", "default_tags.tags.Owner"),
        ("module", "version"),
        ("module.*", "cidr"),
        ("terraform", "required_version"),
        ("terraform.backend.*", "encrypt"),
        ("terraform.cloud", "workspaces.name"),
        ("terraform.required_providers.*", "version"),
        ("check", "assert.error_message"),
        ("removed", "lifecycle.destroy"),
        ("action", "config.url"),
        ("*", "description"),
        ("*", "tags.Owner"),
    ] {
        for (template, values) in [("required-argument", ""), ("forbidden-value", "\nvalues = [\"x\"]")] {
            let options = format!("blocks = [\"{blocks}\"]\nargument = \"{argument}\"{values}");
            assert_eq!(wrong(template, &options), [""; 0], "{template}: {blocks} {argument}");
        }
    }
    for (blocks, argument) in
        [("variable", "type"), ("resource", "lifecycle.ignore_changes"), ("variable", "validation")]
    {
        let options = format!("blocks = [\"{blocks}\"]\nargument = \"{argument}\"");
        assert_eq!(wrong("required-argument", &options), [""; 0], "{blocks} {argument}");
    }
}

#[test]
fn patterns_that_no_block_can_match_are_refused() {
    let of = |template: &str, options: &str| {
        let rest = match template {
            "naming" => "style = \"snake_case\"",
            "required-argument" => "argument = \"tags\"",
            "allowed-file" => "files = [\"main.tf\"]",
            "block-order" => "order = [\"name\"]",
            _ => "",
        };
        one(template, &format!("{options}\n{rest}"))
    };
    for template in ["naming", "required-argument", "forbidden-block", "allowed-file", "block-order"] {
        for (blocks, found) in [
            (
                "resource.a_b.c.d",
                "2,11: Invalid pattern: `resource.a_b.c.d` cannot match a block: a `resource` block has 2 labels, type and name. ()",
            ),
            (
                "variable.a.b",
                "2,11: Invalid pattern: `variable.a.b` cannot match a block: a `variable` block has one label, its name. ()",
            ),
            (
                "!resource",
                "2,11: Invalid pattern: `!resource` cannot match a block: `!` is not allowed in a list of blocks. \
                 (`except` lists the blocks to leave out)",
            ),
            (
                "resource..x",
                "2,11: Invalid pattern: `resource..x` cannot match a block: a name is missing before or after a dot. \
                 ()",
            ),
        ] {
            assert_eq!(of(template, &format!("blocks = [\"{blocks}\"]")), found, "{template}");
        }
        let found = of(template, "blocks = []");
        assert!(found.starts_with("2,10: Invalid `blocks`: Without patterns"), "{found}");
        let found = of(template, "blocks = [\"resorce\"]");
        assert!(found.ends_with("(did you mean `resource`?)"), "{found}");
        let found = of(template, "blocks = [\"aws_instance.web\"]");
        assert!(found.ends_with("(write `resource.aws_instance.web`)"), "{found}");
        let found = of(template, "blocks = [\"resource.aws_*\"]\nexcept = [\"resource\"]");
        assert!(found.starts_with("3,11: Invalid `except`: `resource` excludes all blocks"), "{found}");
        let found = of(template, "blocks = [\"resource\"]\nexcept = [\"data.x\"]");
        assert!(found.starts_with("3,11: Invalid `except`: `data.x` excludes none"), "{found}");
    }
    let found = of("forbidden-block", "blocks = [\"backend.s3\"]");
    assert!(found.ends_with("(write `terraform.backend.s3`)"), "{found}");
    let found = of("naming", "blocks = [\"terraform.backend\"]");
    assert!(found.contains("such blocks have no name"), "{found}");
    let found = of("block-order", "blocks = [\"moved\"]");
    assert!(found.contains("such blocks have no labels"), "{found}");
    let found = of("required-argument", "blocks = [\"local\"]");
    assert!(found.contains("a local value has no arguments"), "{found}");
}

#[test]
fn values_names_files_and_sources_that_decide_nothing_are_refused() {
    let region = "blocks = [\"provider.aws\"]\nargument = \"region\"";
    let resource = "blocks = [\"resource\"]";
    for (template, options, start) in [
        ("forbidden-value", format!("{region}\nvalues = []"), "4,10: Invalid `values`: "),
        ("allowed-value", format!("{region}\nvalues = []"), "4,10: Invalid `values`: "),
        (
            "allowed-value",
            format!("{region}\nvalues = [\"eu-*\", \"*\"]"),
            "4,10: Invalid `values`: `*` allows every",
        ),
        (
            "forbidden-value",
            format!("{region}\nvalues = [\"!eu-*\"]"),
            "4,11: Invalid pattern: `!eu-*` cannot be used",
        ),
        (
            "naming",
            format!("{resource}\npattern = \".*\""),
            "3,11: Invalid `pattern`: It matches every name.",
        ),
        (
            "naming",
            format!("{resource}\npattern = \"\""),
            "3,11: Invalid `pattern`: It matches only an empty name.",
        ),
        ("required-file", "file = \"*\"".into(), "2,8: Invalid `file`: Every module has a file"),
        ("required-file", "file = \"../README.md\"".into(), "2,8: Invalid `file`: "),
        ("required-file", "file = \"!README.md\"".into(), "2,8: Invalid `file`: "),
        ("allowed-file", format!("{resource}\nfiles = []"), "3,9: Invalid `files`: "),
        (
            "allowed-file",
            format!("{resource}\nfiles = [\"*.tf\"]"),
            "3,10: Invalid `files`: `*.tf` matches every file",
        ),
        (
            "allowed-file",
            format!("{resource}\nfiles = [\"README.md\"]"),
            "3,10: Invalid `files`: `README.md` is not a config",
        ),
        (
            "allowed-file",
            format!("{resource}\nfiles = [\"a_override.tf\"]"),
            "3,10: Invalid `files`: `a_override.tf` is an over",
        ),
        (
            "allowed-file",
            format!("{resource}\nfiles = [\"net/a.tf\"]"),
            "3,10: Invalid `files`: `net/a.tf` is not in the",
        ),
        ("block-order", format!("{resource}\norder = []"), "3,9: Invalid `order`: "),
        (
            "block-order",
            format!("{resource}\norder = [\"required\"]"),
            "3,9: Invalid `order`: Only variables",
        ),
        ("allowed-source", "modules = [\"**\"]".into(), "2,12: Invalid pattern: `**` allows all modules"),
        (
            "allowed-source",
            "modules = [\"acme/**\", \"./x/**\"]".into(),
            "2,23: Invalid pattern: `./x/**` has no effect",
        ),
        (
            "allowed-source",
            "providers = [\"!acme/*\", \"**\"]".into(),
            "2,14: Invalid pattern: `!acme/*` cannot be used",
        ),
        (
            "forbidden-block",
            format!("{resource}\npaths = [\"!live\"]"),
            "3,10: Invalid pattern: `!live` cannot be used",
        ),
        ("forbidden-block", format!("{resource}\npaths = []"), "3,9: Invalid `paths`: "),
        ("forbidden-block", format!("{resource}\nroles = []"), "3,9: Invalid `roles`: "),
    ] {
        let found = one(template, &options);
        assert!(found.starts_with(start), "{template}: {options}: {found}");
    }
}

/// Every list of patterns and every single pattern of a policy, with `!` where the list allows it.
#[test]
fn patterns_mean_the_same_everywhere() {
    let sound = |text: &str| {
        let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), text.as_bytes().to_vec())]);
        let file = snapshot.read_policy().expect("one policy");
        load_policy(&mut snapshot, file).is_ok()
    };
    let paths: [&dyn Fn(&str) -> String; 5] = [
        &|list| format!("policy {{\n  exclude = [{list}]\n}}\n"),
        &|list| format!("role \"root\" {{\n  paths = [{list}]\n}}\n"),
        &|list| {
            format!(
                "rule \"naming\" \"own\" {{\n  blocks = [\"resource\"]\n  style = \"snake_case\"\n  paths = [{list}]\n}}\n"
            )
        },
        &|list| format!("exception \"invalid-name\" {{\n  reason = \"x\"\n  paths = [{list}]\n}}\n"),
        &|list| format!("rule \"override-committed\" {{\n  allow = [{list}]\n}}\n"),
    ];
    for policy in paths {
        for list in [
            "\"live\"",
            "\"live/*/a.tf\"",
            "\"**/live\"",
            "\"live\", \"!live/old/**\"",
            "\".\"",
            "\"./live/\"",
        ] {
            assert!(sound(&policy(list)), "{}", policy(list));
        }
        for list in [
            "\"!live\"",
            "\"../live\"",
            "\"live/../x\"",
            "\"\"",
            "\"li[ve\"",
            "\"live\", \"!!x\"",
            "\"a//b\"",
            "1",
        ] {
            assert!(!sound(&policy(list)), "{}", policy(list));
        }
    }
    for pattern in ["live", "**/x", "live/*"] {
        assert!(sound(&format!("paths \"{pattern}\" {{}}\n")), "{pattern}");
    }
    for pattern in ["!live", "../x", ""] {
        assert!(!sound(&format!("paths \"{pattern}\" {{}}\n")), "{pattern}");
    }
    for rule in ["module-source-unpinned", "module-version-missing"] {
        assert!(sound(&format!(
            "rule \"{rule}\" {{\n  allow = [\"git::**\", \"!git::https://bad/**\"]\n}}\n"
        )));
        assert!(!sound(&format!("rule \"{rule}\" {{\n  allow = [\"!git::https://bad/**\"]\n}}\n")));
    }
}
