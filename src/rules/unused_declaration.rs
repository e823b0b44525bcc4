#![doc = include_str!("../../policies/rules/unused-declaration.md")]

use std::cell::LazyCell;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::support::edits::{LocalsEditor, remove_all};
use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::address::{Mode, Subject, reference};
use crate::module::declaration::{Local, Resource, Variable};
use crate::syntax::Expr;
use crate::text::{FileId, Span};

pub(super) struct UnusedDeclaration;

/// Data sources with side effects.
const WITH_EFFECTS: [&str; 3] = ["archive_file", "external", "http"];

impl Rule for UnusedDeclaration {
    const PAGE: Page = page!("unused-declaration");
    const FIXES: &'static [Safety] = &[Safety::Safe, Safety::Unsafe];
    const REVEALS: &'static [&'static str] = &[Self::ID, "unused-required-provider"];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // A generated `provider` block may refer to anything.
        if !module.is_whole() || context.may_have_other_references(module) {
            return;
        }
        let Some(mut used) = used(node, context) else { return };
        used.extend(node.named_by_tests());
        let ignored = LazyCell::new(|| ignored(node, context));
        let named_below = LazyCell::new(|| node.named_below());
        // A file that other directories load through symbolic links may be there for these.
        let is_linked = |at: Span| !context.sources().links(at.file).is_empty();
        let mut unused = variables(node, context, &used);
        unused.extend(locals(node, context, &used));
        unused.extend(data_sources(node, context, &used));
        for Unused { what, name, at, address, help, fix } in unused {
            if is_linked(at)
                || named_below.contains(name.as_str())
                || ignored.contains(&(at.file, None))
                || ignored.contains(&(at.file, Some(line(at, context))))
            {
                continue;
            }
            Self::finding(format!("{what} is not used"))
                .detail(format!("This module does not refer to `{name}`."))
                .at(at)
                .help(help)
                .fixed_by(fix)
                .address(address)
                .push_to(findings);
        }
    }
}

/// A declaration that nothing refers to.
struct Unused {
    what: &'static str,
    /// What an expression would refer to it by.
    name: String,
    at: Span,
    address: String,
    help: &'static str,
    fix: Option<Fix>,
}

fn variables(node: Node<'_>, context: &Context<'_>, used: &HashSet<Subject>) -> Vec<Unused> {
    // Terragrunt units share their inputs, so a variable may be there to accept one of them.
    if node.run_by_units().may_be_run {
        return Vec::new();
    }
    let variables = node.module().variables.values().filter(|variable| !is_kept(variable));
    let unused = variables.filter(|variable| !used.contains(&Subject::Variable(variable.name.clone())));
    let set = LazyCell::new(|| set_by_callers(node));
    // An undeclared variable may be a misspelled reference to this one.
    let is_declared = |subject: &Subject| !matches!(subject, Subject::Variable(name) if !node.module().variables.contains_key(name));
    let is_removable = !context.may_have_other_callers() && used.iter().all(is_declared);
    let report = |variable: &Variable| {
        let set = set.get(&variable.name).map_or(&[][..], Vec::as_slice);
        Unused {
            what: "Variable",
            name: format!("var.{}", variable.name),
            at: variable.origin.header(),
            address: format!("variable.{}", variable.name),
            help: how_to_remove(set, node, context),
            fix: without(variable, set, context).filter(|_| is_removable).map(Fix::on_request),
        }
    };
    unused.map(|variable| report(variable)).collect()
}

/// The arguments of all calls of a module, by name.
fn set_by_callers(node: Node<'_>) -> HashMap<SmolStr, Vec<Span>> {
    let mut set: HashMap<SmolStr, Vec<Span>> = HashMap::new();
    for block in node.callers().flat_map(|(_, call)| call.origin.blocks()) {
        for argument in block.body.just_attributes(&mut Vec::new()) {
            set.entry(argument.name.clone()).or_default().push(argument.span);
        }
    }
    set
}

fn locals(node: Node<'_>, context: &Context<'_>, used: &HashSet<Subject>) -> Vec<Unused> {
    let module = node.module();
    let is_tested = LazyCell::new(|| context.is_tested(module));
    let is_unused = |name: &SmolStr| !used.contains(&Subject::Local(name.clone()));
    // The engines evaluate unused local values too, so one that may fail can be a check of the input.
    let values = LazyCell::new(|| node.values());
    let cannot_fail = |name: &SmolStr| {
        module.locals.get(name).is_some_and(|local| values.cannot_fail(&local.attribute.expr))
    };
    let (mut safe_editor, mut editor) = (LocalsEditor::new(context), LocalsEditor::new(context));
    let local = |local: &Local| {
        // The references of tests are not known.
        let is_safe = !*is_tested && cannot_fail(&local.name);
        let fix = if is_safe {
            safe_editor.remove(local, &|name| is_unused(name) && cannot_fail(name)).map(Fix::safe)
        } else {
            editor.remove(local, &is_unused).map(Fix::on_request)
        };
        let help = if cannot_fail(&local.name) {
            "remove it"
        } else {
            "remove it, unless it is there to check something: every plan evaluates it, and it can fail"
        };
        let (name, at) = (format!("local.{}", local.name), local.attribute.name_span);
        Unused { what: "Local value", address: name.clone(), name, at, help, fix }
    };
    module.locals.values().filter(|local| is_unused(&local.name)).map(local).collect()
}

fn data_sources(node: Node<'_>, context: &Context<'_>, used: &HashSet<Subject>) -> Vec<Unused> {
    let is_unused = |resource: &Resource| {
        !used.contains(&Subject::Resource { address: resource.address.clone(), key: None })
    };
    let report = |resource: &Resource| {
        let (name, at) = (resource.address.to_string(), resource.origin.header());
        let fix = remove_all(&resource.origin, context).map(Fix::on_request);
        Unused { what: "Data source", address: name.clone(), name, at, help: "remove it", fix }
    };
    let resources = node.module().resources.values().filter(|resource| is_only_read(resource));
    resources.filter(|resource| is_unused(resource)).map(|resource| report(resource)).collect()
}

/// The tflint rule with the same purpose.
const OF_TFLINT: &str = "terraform_unused_declarations";

/// Lines and files in which a comment for tflint ignores unused declarations.
fn ignored(node: Node<'_>, context: &Context<'_>) -> HashSet<(FileId, Option<usize>)> {
    let mut ignored = HashSet::new();
    for (id, _) in context.module_files(node.module()) {
        let Some(file) = context.file(id) else { continue };
        let source = context.sources().get(id);
        for (start, is_line) in [("tflint-ignore:", true), ("tflint-ignore-file:", false)] {
            for remark in file.remarks(source, start) {
                let rules = remark.text[start.len()..].split(['#', '/']).next().unwrap_or_default();
                if rules.split(',').any(|rule| [OF_TFLINT, "all"].contains(&rule.trim())) {
                    ignored.insert((id, is_line.then(|| line(remark.about, context))));
                }
            }
        }
    }
    ignored
}

/// The number of the line in which a span starts.
fn line(at: Span, context: &Context<'_>) -> usize {
    context.sources().get(at.file).line_starts().partition_point(|start| *start <= at.start)
}

/// Removes a variable, with the arguments of callers that set it.
fn without(variable: &Variable, set: &[Span], context: &Context<'_>) -> Option<Vec<Edit>> {
    let mut edits = remove_all(&variable.origin, context)?;
    for argument in set {
        edits.push(context.editor(argument.file)?.remove(*argument));
    }
    Some(edits)
}

/// What must be removed together with a variable.
fn how_to_remove(set: &[Span], node: Node<'_>, context: &Context<'_>) -> &'static str {
    let has_values =
        context.directory(&node.module().directory).is_some_and(|directory| directory.has_values);
    match (!set.is_empty(), has_values) {
        (false, _) if context.may_have_other_callers() => {
            "remove it, and the input from every component of a stack that sets it"
        }
        (true, _) => "remove it, and the argument from every call that sets it",
        (false, true) => "remove it, and the value from every `.tfvars` file that sets it",
        (false, false) => "remove it",
    }
}

/// Every subject that an expression in a file of the module refers to, without instance keys. Returns `None` if a
/// file is not available.
fn used(node: Node<'_>, context: &Context<'_>) -> Option<HashSet<Subject>> {
    let module = node.module();
    let mut used = HashSet::new();
    for (file, _) in context.directory(&module.directory)?.module_files(node.graph().engine()) {
        context.file(file.id?)?.body.for_each_expression(&mut |expr| {
            expr.walk(&mut |inner, _| mark(inner, module, &mut used));
        });
    }
    Some(used)
}

fn mark(expr: &Expr, module: &Module, used: &mut HashSet<Subject>) {
    // It is unknown whether a string in JSON is an address, as in `depends_on`.
    if let Some(traversal) = expr.as_traversal()
        && let Ok(reference) = reference(&traversal, &module.features)
    {
        used.insert(match reference.subject {
            Subject::Resource { address, .. } => Subject::Resource { address, key: None },
            subject => subject,
        });
    }
}

/// Whether a variable exists only so that old callers do not fail.
fn is_kept(variable: &Variable) -> bool {
    let says_so = |text: &str| text.to_lowercase().contains("deprecated");
    variable.deprecated.is_some() || variable.description.as_ref().is_some_and(|text| says_so(&text.value))
}

/// Whether it is a data source without side effects.
fn is_only_read(resource: &Resource) -> bool {
    resource.address.mode == Mode::Data
        && resource.check.is_none()
        && resource.preconditions.is_empty()
        && resource.postconditions.is_empty()
        && !WITH_EFFECTS.contains(&resource.address.kind.as_str())
}
