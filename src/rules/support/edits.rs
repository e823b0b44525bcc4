//! Edits and helps that several rules use: for entries of `required_providers`, `providers` maps, and blocks.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::engine::FileKind;
use crate::finding::{Concern, Edit, Finding};
use crate::graph::Node;
use crate::module::Module;
use crate::module::declaration::{Local, ModuleCall, Origin, RequiredProvider};
use crate::rules::Context;
use crate::syntax::{Attribute, Block, ExprKind, MapKey, StepKind, add_moved_to_json};
use crate::text::{FileId, Span, joined};

/// From the block type to the closing brace.
pub(in crate::rules) fn whole(block: &Block) -> Span {
    block.kind_span.to(block.body.span())
}

/// An argument with its value, in the syntax of the file.
pub(in crate::rules) fn argument(context: &Context<'_>, file: FileId, name: &str, value: &str) -> String {
    let is_json = context.file(file).is_some_and(|file| file.body.is_json());
    if is_json { format!("`\"{name}\": {value}`") } else { format!("`{name} = {value}`") }
}

/// The help for setting arguments in an entry of `required_providers`, in the syntax of the file.
pub(in crate::rules) fn help_to_set(
    context: &Context<'_>,
    entry: &RequiredProvider,
    missing: &[(&str, String)],
) -> String {
    let file = entry.span.file;
    let text = context.sources().slice(entry.value_span);
    if !text.starts_with('"') {
        let missing: Vec<String> =
            missing.iter().map(|(name, value)| argument(context, file, name, value)).collect();
        return format!("set {} in the entry", joined(&missing));
    }
    // A version constraint alone becomes an object.
    let is_json = context.file(file).is_some_and(|file| file.body.is_json());
    let version = [("version", text.to_owned())];
    let arguments = missing.iter().chain(&version);
    let arguments: Vec<String> = arguments
        .map(
            |(name, value)| {
                if is_json { format!("\"{name}\": {value}") } else { format!("{name} = {value}") }
            },
        )
        .collect();
    let object = format!("{{ {} }}", arguments.join(", "));
    format!("write {}", argument(context, file, &entry.name, &object))
}

/// Moves a finding about an entry of `required_providers` to the entry in an override file.
pub(in crate::rules) fn replaced_entry(finding: Finding, entry: &RequiredProvider) -> Finding {
    finding
        .at(entry.span)
        .label("replaces the whole entry")
        .related(entry.first().span, "the entry that is replaced")
        .concerns(Concern::Provider(entry.name.clone()))
}

/// Up to three names, each in backticks, and the number of further ones.
pub(in crate::rules) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    joined(&names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

/// Adds `moved` blocks below a block, in the syntax of its file.
pub(in crate::rules) fn add_moved(
    context: &Context<'_>,
    below: &Block,
    moves: &[(String, String)],
) -> Option<Edit> {
    let file = below.header.file;
    if let Some(editor) = context.editor(file) {
        let block = |(from, to): &(String, String)| format!("moved {{\n  from = {from}\n  to   = {to}\n}}");
        let blocks: Vec<String> = moves.iter().map(block).collect();
        return Some(editor.add_below(whole(below), &blocks.join("\n\n")));
    }
    let read = context.file(file).filter(|file| file.complete)?;
    add_moved_to_json(&read.body, context.sources().get(file), moves)
}

/// Removes a declaration and all its overrides. Returns `None` if one of them cannot be edited.
pub(in crate::rules) fn remove_all(origin: &Origin, context: &Context<'_>) -> Option<Vec<Edit>> {
    origin.blocks().map(|block| Some(context.editor(block.header.file)?.remove(whole(block)))).collect()
}

/// Removes unused local values.
pub(in crate::rules) struct LocalsEditor<'c> {
    context: &'c Context<'c>,
    /// The bodies of the `locals` blocks of each file, in source order, each with the whole block if nothing in it is
    /// used.
    blocks: HashMap<FileId, Vec<(Span, Option<Span>)>>,
}

impl<'c> LocalsEditor<'c> {
    pub(in crate::rules) fn new(context: &'c Context<'c>) -> Self {
        Self { context, blocks: HashMap::new() }
    }

    /// Removes a local value from all files, and blocks that would become empty.
    pub(in crate::rules) fn remove(
        &mut self,
        local: &Local,
        is_unused: &dyn Fn(&SmolStr) -> bool,
    ) -> Option<Vec<Edit>> {
        let written = local.base.iter().chain([&local.attribute]).chain(&local.superseded);
        written.map(|attribute| self.remove_at(attribute.span, is_unused)).collect()
    }

    fn remove_at(&mut self, at: Span, is_unused: &dyn Fn(&SmolStr) -> bool) -> Option<Edit> {
        let context = self.context;
        let blocks = self.blocks.entry(at.file).or_insert_with(|| {
            let blocks = context.file(at.file).map(|file| file.body.any_blocks()).unwrap_or_default();
            let locals = blocks.into_iter().filter(|block| block.kind == "locals");
            let all_unused = |block: &Block| block.body.names().iter().all(is_unused).then(|| whole(block));
            locals.map(|block| (block.body.span(), all_unused(&block))).collect()
        });
        let number = blocks.partition_point(|(body, _)| body.end < at.end);
        let (body, unused) = blocks.get(number)?;
        let editor = (body.start <= at.start).then(|| context.editor(at.file)).flatten()?;
        Some(editor.remove(unused.unwrap_or(at)))
    }
}

/// The `required_providers` block that contains an entry, and the `terraform` block around it.
pub(in crate::rules) fn requirements(context: &Context<'_>, entry: Span) -> Option<(Arc<Block>, Arc<Block>)> {
    let file = context.file(entry.file)?;
    let around = |block: &Arc<Block>| block.body.span().encloses(entry);
    let outer = file.body.any_blocks().into_iter().find(around)?;
    let inner = outer.body.any_blocks().into_iter().find(around)?;
    Some((outer, inner))
}

/// The attribute of an entry of `required_providers`.
pub(in crate::rules) fn entry(context: &Context<'_>, entry: &RequiredProvider) -> Option<Arc<Attribute>> {
    let (_, requirements) = requirements(context, entry.span)?;
    let written = requirements.attribute(&entry.name)?;
    (written.span == entry.span).then_some(written)
}

/// Sets arguments in an entry of `required_providers`, one before and one after those that are set. A version constraint
/// alone becomes an object.
pub(in crate::rules) fn set_in_entry(
    context: &Context<'_>,
    required: &RequiredProvider,
    first: Option<(&str, &str)>,
    last: Option<(&str, &str)>,
) -> Option<Vec<Edit>> {
    let editor = context.editor(required.span.file)?;
    let entry = entry(context, required)?;
    let version = match &entry.expr.kind {
        ExprKind::Object(items) if !items.is_empty() => {
            let item = |(name, value): (&str, &str)| format!("{name} = {value}");
            let first = first.map(|first| editor.add_item(&entry.expr, &item(first), true));
            let last = last.map(|last| editor.add_item(&entry.expr, &item(last), false));
            return first.into_iter().chain(last).collect();
        }
        ExprKind::Object(_) => None,
        _ => Some(editor.slice(required.version.as_ref()?.value_span)),
    };
    let arguments = first.into_iter().chain(version.map(|version| ("version", version))).chain(last);
    let inside: Vec<String> = arguments.map(|(name, value)| format!("  {name} = {value}\n")).collect();
    let lines = format!("{} = {{\n{}}}", required.name, inside.concat());
    Some(vec![editor.replace_by_lines(entry.span, &lines)])
}

/// The lines, with an indentation before all but the first.
fn indented(lines: &str) -> String {
    lines.replace('\n', "\n  ")
}

/// The files that usually contain the requirements of a module, in order of preference.
const USUAL_FILES: [&str; 5] = ["versions", "terraform", "providers", "main", ""];

/// Adds entries to `required_providers` where the others are, or where they usually are.
pub(in crate::rules) fn require(module: &Module, entries: &str, context: &Context<'_>) -> Option<Edit> {
    let files = context.module_files(module).into_iter();
    let files: Vec<FileId> = files
        .filter(|(id, loaded)| loaded.kind != FileKind::Override && context.editor(*id).is_some())
        .map(|(id, _)| id)
        .collect();
    let requirements = format!("required_providers {{\n  {}\n}}", indented(entries));
    let settings = |id: &FileId| {
        let blocks = context.file(*id).map(|file| file.body.any_blocks()).unwrap_or_default();
        let settings = blocks.into_iter().filter(|block| block.kind == "terraform");
        settings.map(|block| (*id, block)).collect::<Vec<_>>()
    };
    let settings: Vec<_> = files.iter().flat_map(settings).collect();
    for (id, block) in &settings {
        if let Some(inner) = block.blocks("required_providers", &[]).first() {
            return Some(context.editor(*id)?.add_argument(&inner.body, None, entries));
        }
    }
    if let Some((id, block)) = settings.first() {
        return Some(context.editor(*id)?.add_block(&block.body, &requirements));
    }
    let is_called = |id: &&FileId, stem: &str| {
        stem.is_empty() || context.file_name(module, **id).split('.').next() == Some(stem)
    };
    let file = USUAL_FILES.iter().find_map(|stem| files.iter().find(|id| is_called(id, stem)))?;
    let block = format!("terraform {{\n  {}\n}}", indented(&requirements));
    Some(context.editor(*file)?.add_at_start(&block))
}

/// The key of an entry of a `providers` map, as `name` or `name.alias`.
pub(in crate::rules) fn passed_name(key: &MapKey<'_>) -> Option<SmolStr> {
    let address = key.as_traversal()?;
    match address.steps.first().map(|step| &step.kind) {
        None => Some(address.root.clone()),
        Some(StepKind::Attribute(alias)) => Some(format_smolstr!("{}.{alias}", address.root)),
        Some(StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_)) => None,
    }
}

/// Adds an entry to the `providers` map of a call.
pub(in crate::rules) fn pass(
    context: &Context<'_>,
    call: &ModuleCall,
    theirs: &str,
    ours: &str,
) -> Option<Edit> {
    let item = format!("{theirs} = {ours}");
    // Of several maps, the last one counts.
    if let Some(map) = call.origin.written("providers").pop() {
        return context.editor(map.span.file)?.add_item(&map.expr, &item, false);
    }
    let base = &call.origin.base;
    let address = base.attribute("version").or_else(|| base.attribute("source"));
    let lines = format!("\nproviders = {{\n  {item}\n}}");
    let editor = context.editor(base.header.file)?;
    Some(editor.add_argument(&base.body, address.map(|argument| argument.span), &lines))
}

/// The edits that remove the entries for a configuration of a module from the `providers` maps of all its calls, by the
/// name of the configuration. `None` if a map cannot be edited; an entry is `None` if it cannot be removed.
pub(in crate::rules) fn removals_in_calls(
    context: &Context<'_>,
    node: Node<'_>,
) -> Option<HashMap<SmolStr, Option<Vec<Edit>>>> {
    let mut removals: HashMap<SmolStr, Option<Vec<Edit>>> = HashMap::new();
    for map in node.callers().flat_map(|(_, call)| call.origin.written("providers")) {
        let editor = context.editor(map.span.file)?;
        let entries = map.expr.as_map()?;
        let items = editor.items(&map.expr);
        let mut seen = HashSet::new();
        for (key, value) in &entries {
            let Some(name) = passed_name(key).filter(|name| seen.insert(name.clone())) else { continue };
            let edit = if entries.len() == 1 {
                Some(editor.remove(map.span))
            } else {
                items.as_ref().and_then(|items| items.remove(key.span().to(value.span)))
            };
            let edits = removals.entry(name).or_insert_with(|| Some(Vec::new()));
            match (edits.as_mut(), edit) {
                (Some(edits), Some(edit)) => edits.push(edit),
                _ => *edits = None,
            }
        }
    }
    Some(removals)
}
