#![doc = include_str!("../../../policies/rules/required-file.md")]

use smol_str::SmolStr;

use crate::finding::{Concern, Finding};
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Node, Page, Rule, page};

pub(super) struct RequiredFile {
    /// The patterns for each directory of the path and for the file.
    names: Vec<Patterns>,
    /// The pattern as written.
    written: SmolStr,
}

impl Configure for RequiredFile {
    const OPTIONS: &'static [&'static str] = &["file"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let written = options.required("file", options.string("file")?)?;
        let is_way = |name: &str| !["", ".", "..", "**"].contains(&name);
        if !written.split('/').all(is_way) {
            return Err(options
                .refuse("file", format!("`{written}` is not a path to a file in the directory of a module."))
                .help("write a path such as \"README.md\" or \"tests/*.tftest.hcl\""));
        }
        if written == "*" {
            let why = "Every module has a file, so the rule can never report anything.";
            return Err(options.refuse("file", why).help("write a path such as \"README.md\""));
        }
        let name = |name| Patterns::new([name]).map_err(|invalid| options.refuse("file", invalid.why));
        Ok(Self { names: written.split('/').map(name).collect::<Result<_, _>>()?, written })
    }
}

impl Rule for RequiredFile {
    const PAGE: Page = page!("required-file");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if is_there(&self.names, &module.directory, context) {
            return;
        }
        let name = if module.directory.is_empty() { "This module" } else { "The module" };
        let finding = Self::finding("Required file is missing")
            .detail(format!("{name} has no file `{}`.", self.written))
            .help(format!("add `{}`", self.written))
            .concerns(Concern::Whole);
        // The finding is at the start of the first file, so that a comment there or a path in a policy can make an
        // exception.
        findings.push(finding.at(context.first_block(module, None)));
    }
}

/// Whether a file in or below a directory matches.
fn is_there(names: &[Patterns], directory: &str, context: &Context<'_>) -> bool {
    let Some((name, rest)) = names.split_first() else { return false };
    let found = context.names(directory);
    if rest.is_empty() {
        return found.files.iter().any(|file| name.has(file));
    }
    let below =
        |inside: &String| if directory.is_empty() { inside.clone() } else { format!("{directory}/{inside}") };
    found
        .directories
        .iter()
        .filter(|inside| name.has(inside))
        .any(|inside| is_there(rest, &below(inside), context))
}
