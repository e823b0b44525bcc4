//! Finds override files that override nothing, which may be named so by mistake, and suggests another file name.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};

use crate::engine::FileKind;
use crate::finding::{EngineRule, Finding};
use crate::module::address::block_address;
use crate::module::decode::top_blocks;
use crate::module::merge::WITHOUT_BASE;
use crate::module::{Module, ModuleFile};
use crate::syntax::Block;
use crate::text::{FileId, Suggestions, nearest};

/// Suggests a new name for each override file without any base, in the help of its findings. Under the new name, it
/// must be a base file without duplicate declarations.
pub(in crate::module) fn suggest_names(module: &Module, files: &[ModuleFile<'_>], findings: &mut [Finding]) {
    let is_orphan = |finding: &&mut Finding| {
        finding.rule == EngineRule::OverrideWithoutBase.id() && finding.primary.is_some()
    };
    let orphans: Vec<&mut Finding> = findings.iter_mut().filter(is_orphan).collect();
    if orphans.is_empty() {
        return;
    }
    let overriding = files.iter().filter(|file| file.kind == FileKind::Override);
    let declared: Vec<(&ModuleFile<'_>, Vec<String>, bool)> = overriding
        .map(|file| {
            let blocks = top_blocks(file.body, &module.features);
            let is_all = blocks.iter().all(|block| is_without_base(block, module));
            (file, blocks.iter().flat_map(|block| addresses(block)).collect(), is_all)
        })
        .collect();
    let mut number: BTreeMap<&str, usize> = BTreeMap::new();
    for address in declared.iter().flat_map(|(_, addresses, _)| addresses) {
        *number.entry(address).or_default() += 1;
    }
    let (known, suggestions) = (known(module), Suggestions::default());
    let stems: HashSet<&str> = files.iter().filter_map(|file| file.name.split('.').next()).collect();
    let mut by_file: HashMap<FileId, Vec<&mut Finding>> = HashMap::new();
    for finding in orphans {
        if let Some(meant) = meant(&finding.address.replacen("variable.", "var.", 1), &known, &suggestions) {
            finding.help = Some(format!("did you mean `{}`?", declaration(meant)));
        }
        if let Some(at) = finding.primary {
            by_file.entry(at.file).or_default().push(finding);
        }
    }
    for (file, addresses, is_all) in &declared {
        if addresses.iter().any(|address| meant(address, &known, &suggestions).is_some()) {
            continue;
        }
        let is_alone = addresses.iter().all(|address| number.get(address.as_str()) == Some(&1));
        let Some(name) = base_name(file.name, &stems).filter(|_| *is_all && is_alone) else { continue };
        let id = file.body.span().file;
        for finding in by_file.entry(id).or_default() {
            finding.help = Some(format!(
                "{WITHOUT_BASE}; if the file is not meant to override anything, rename it to `{name}`"
            ));
        }
    }
}

/// The addresses that base files declare.
fn known(module: &Module) -> BTreeSet<String> {
    let variables = module.variables.keys().map(|name| format!("var.{name}"));
    let locals = module.locals.keys().map(|name| format!("local.{name}"));
    let outputs = module.outputs.keys().map(|name| format!("output.{name}"));
    let calls = module.calls.keys().map(|name| format!("module.{name}"));
    let resources = module.resources.keys().map(ToString::to_string);
    variables.chain(locals).chain(outputs).chain(calls).chain(resources).collect()
}

/// What declares an address, as in `variable "name"`.
fn declaration(address: &str) -> String {
    let parts: Vec<&str> = address.split('.').collect();
    match parts[..] {
        ["var", name] => format!("variable {name:?}"),
        ["local", name] => name.to_owned(),
        [kind @ ("output" | "module"), name] => format!("{kind} {name:?}"),
        ["data", kind, name] => format!("data {kind:?} {name:?}"),
        [kind, name] => format!("resource {kind:?} {name:?}"),
        _ => address.to_owned(),
    }
}

/// The known address of the same type whose name is most similar.
fn meant<'k>(address: &str, known: &'k BTreeSet<String>, suggestions: &Suggestions) -> Option<&'k String> {
    let (kind, name) = address.rsplit_once('.')?;
    let known_here = known.iter().take_while(|_| suggestions.may_compare());
    let alike = known_here.filter_map(|other| other.rsplit_once('.')).filter(|(other, _)| *other == kind);
    let name = nearest(name, alike.map(|(_, name)| name))?;
    known.get(&format!("{kind}.{name}"))
}

/// Whether no declaration of a block is in a base file.
fn is_without_base(block: &Block, module: &Module) -> bool {
    let needs_base =
        matches!(block.kind.as_str(), "variable" | "locals" | "output" | "module" | "resource" | "data");
    needs_base && addresses(block).iter().all(|address| module.declared_elsewhere.contains(address))
}

/// The addresses that a block declares, in the form of [`Module::declared_elsewhere`].
fn addresses(block: &Block) -> Vec<String> {
    match block.kind.as_str() {
        "locals" => block
            .body
            .names()
            .iter()
            .filter(|name| *name != "//")
            .map(|name| format!("local.{name}"))
            .collect(),
        "variable" => block.labels.first().map(|label| format!("var.{}", label.text)).into_iter().collect(),
        _ => vec![block_address(block)],
    }
}

/// The file name without its override suffix. Returns `None` if the module already has a file with that stem, one of
/// `stems`.
fn base_name(name: &str, stems: &HashSet<&str>) -> Option<String> {
    let (stem, extension) = name.split_once('.')?;
    let stem = stem.strip_suffix("_override").filter(|stem| !stem.is_empty() && *stem != "override")?;
    (!stems.contains(stem) && !stem.ends_with("_override")).then(|| format!("{stem}.{extension}"))
}
