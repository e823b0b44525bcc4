#![doc = include_str!("../../../policies/rules/allowed-file.md")]

use smol_str::SmolStr;

use super::blocks::{Among, Blocks};
use crate::engine::{Engine, FileKind, Product};
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Finding, Node, Page, Rule, page};

pub(super) struct AllowedFile {
    blocks: Blocks,
    files: Patterns,
    /// The patterns as written.
    written: Vec<SmolStr>,
}

impl Configure for AllowedFile {
    const OPTIONS: &'static [&'static str] = &["blocks", "except", "files"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let blocks = Blocks::configure(options, Among::All)?;
        let files = options.required("files", options.patterns("files")?)?;
        let order = "name files, as in [\"variables.tf\"], or use the template `forbidden-block`";
        options.refuse_empty("files", "Without files, no block would be allowed anywhere.", order)?;
        for (name, span) in options.texts("files")?.unwrap_or_default() {
            if let Some((why, order)) = wrong_file(&name) {
                let why = format!("`{name}` {why}.");
                return Err(options.mistake("Invalid `files`", span).detail(why).help(order));
            }
        }
        Ok(Self { blocks, files, written: options.strings("files")?.unwrap_or_default() })
    }
}

impl Rule for AllowedFile {
    const PAGE: Page = page!("allowed-file");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for part in self.blocks.of(node.module(), context) {
            for header in part.headers() {
                let name = context.file_name(node.module(), header.file);
                if self.files.has(name) || self.files.has(&native(name)) {
                    continue;
                }
                Self::finding("Declaration in another file")
                    .detail(format!("`{}` is declared in `{name}`.", part.address()))
                    .at(header)
                    .help(format!("move it to {}", self.wanted(name)))
                    .address(part.address())
                    .push_to(findings);
            }
        }
    }
}

impl AllowedFile {
    /// The allowed files, in the syntax of the file that is not allowed.
    fn wanted(&self, instead: &str) -> String {
        let end = instead.strip_suffix(".json").map_or("", |_| ".json");
        let names = self.written.iter().map(|name| match name.strip_suffix(".json") {
            Some(_) => format!("`{name}`"),
            None => format!("`{name}{end}`"),
        });
        names.collect::<Vec<_>>().join(" or ")
    }
}

/// The name of the corresponding file in native syntax for Terraform.
fn native(name: &str) -> String {
    let plain = name.strip_suffix(".json").unwrap_or(name);
    plain.strip_suffix(".tofu").map_or_else(|| plain.to_owned(), |stem| format!("{stem}.tf"))
}

/// Why a file pattern can never match, and the right pattern.
fn wrong_file(name: &str) -> Option<(&'static str, &'static str)> {
    if name.contains('/') {
        return Some(("is not in the directory of the module", "write only the file name"));
    }
    if ["*", "**", "*.tf", "*.*"].contains(&name) {
        return Some((
            "matches every file, so the rule can never report anything",
            "name the files in which these blocks belong",
        ));
    }
    if name.contains(['*', '?', '[', '{']) {
        return None;
    }
    let loaded = Product::ALL.map(|product| Engine::newest(product).loads(name));
    match loaded.into_iter().flatten().next() {
        None => Some(("is not a configuration file", "write a name that ends in `.tf`")),
        Some(loaded) if loaded.kind == FileKind::Override => Some((
            "is an override file, which declares nothing",
            "name the file in which these blocks belong",
        )),
        Some(_) => None,
    }
}
