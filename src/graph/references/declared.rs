//! Resolves references to declarations, and reports undeclared names and invalid accesses.

use std::fmt;

use smol_str::{SmolStr, format_smolstr};

use super::sites::{Owner, Site};
use crate::engine::Features;
use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::builtin;
use crate::graph::evaluation::Values;
use crate::graph::similar::Similar;
use crate::module::Module;
use crate::module::address::{InstanceKey, Mode, Reference, ResourceAddress, Subject, reference};
use crate::module::declaration::{Local, ModuleCall, Resource, Variable};
use crate::syntax::{Attribute, Expr, ExprKind, Step, StepKind, Traversal};
use crate::text::Span;
use crate::value::Value;

/// A declaration that can be referenced by name.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph) enum Declared<'m> {
    Variable(&'m Variable),
    Local(&'m Local),
    Resource(&'m Resource),
    Call(&'m ModuleCall),
}

impl<'m> Declared<'m> {
    /// The declaration of `subject` in a module, if there is one.
    pub(in crate::graph) fn of(module: &'m Module, subject: &Subject) -> Option<Self> {
        match subject {
            Subject::Variable(name) => module.variables.get(name).map(|variable| Self::Variable(variable)),
            Subject::Local(name) => module.locals.get(name).map(Self::Local),
            Subject::Resource { address, .. } => {
                module.resources.get(address).map(|resource| Self::Resource(resource))
            }
            Subject::Module { call, .. } => module.calls.get(call).map(|call| Self::Call(call)),
            Subject::Action { .. }
            | Subject::List { .. }
            | Subject::Count(_)
            | Subject::Each(_)
            | Subject::Path(_)
            | Subject::Terraform(_)
            | Subject::Tofu(_)
            | Subject::Itself
            | Subject::TypeName(_) => None,
        }
    }
}

/// The error for a reference to `subject`, which the module does not declare. Returns `None` if the module may declare it
/// in a file that could not be read, or if no module declares such a subject. `inside` is the declaration that contains
/// the reference, which it cannot mean; a test has none.
pub(in crate::graph) fn undeclared(
    module: &Module,
    subject: &Subject,
    at: Span,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Option<Finding> {
    let (what, address) = match subject {
        Subject::Variable(name) => ("input variable", format_smolstr!("var.{name}")),
        Subject::Local(name) => ("local value", format_smolstr!("local.{name}")),
        Subject::Module { call, .. } => ("module", format_smolstr!("module.{call}")),
        Subject::Resource { address, .. } => ("resource", format_smolstr!("{address}")),
        _ => return None,
    };
    if module.may_have(&address) {
        return None;
    }
    let finding =
        Finding::language(EngineRule::UndeclaredReference, format!("Reference to undeclared {what}"))
            .at(at)
            .concerns(Concern::Name(address));
    Some(match subject {
        Subject::Variable(name) => no_variable(finding, module, name, similar, inside),
        Subject::Local(name) => no_local(finding, module, name, similar, inside),
        Subject::Module { call, .. } => no_call(finding, module, call, similar, inside),
        Subject::Resource { address, .. } => no_resource(finding, module, address, similar, inside),
        _ => finding,
    })
}

fn no_variable(
    finding: Finding,
    module: &Module,
    name: &SmolStr,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Finding {
    let finding = finding.detail(format!("This module declares no input variable `{name}`."));
    let is_itself = matches!(inside, Some(Owner::Local(own)) if own.name == *name);
    if let Some(local) = module.locals.get(name).filter(|_| !is_itself) {
        let local = (local.attribute.name_span, format!("local.{name}"));
        return finding.meant_at(Some(local), "a local value with this name");
    }
    let near = similar.nearest(name, module.variables.values(), |variable| &variable.name);
    let near = near.map(|near| (near.origin.header(), format!("var.{}", near.name)));
    let help = if inside.is_none() {
        format!("set `{name}` in a `variables` block of the test")
    } else if module.features.reserved_variable_names.contains(&name.as_str()) {
        format!("declare a variable with another name: `{name}` is reserved for module calls")
    } else {
        format!("declare it: `variable \"{name}\" {{}}`")
    };
    finding.help(help).meant_at(near, "a variable with a similar name")
}

/// Corrects the help of the findings in the condition of a variable that does not refer to the variable, which is an error
/// of its own. A reference to an undeclared variable probably means that variable.
pub(super) fn validated_variable(
    site: &Site<'_>,
    condition: &Expr,
    features: &Features,
    findings: &mut [Finding],
) {
    let (Owner::Variable(variable), Some(validation)) = (&site.owner, site.condition) else { return };
    let is_variable =
        |finding: &Finding| matches!(&finding.concern, Concern::Name(address) if address.starts_with("var."));
    let is_condition = validation.condition.as_ref().is_some_and(|own| own.expr.span == condition.span);
    if !is_condition || !findings.iter().any(is_variable) {
        return;
    }
    let means_it = |traversal: &Traversal| {
        reference(traversal, features)
            .is_ok_and(|found| matches!(&found.subject, Subject::Variable(name) if *name == variable.name))
    };
    if condition.variables().into_iter().any(means_it) {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| is_variable(finding)) {
        finding.related.clear();
        finding.help =
            Some(format!("write `var.{}`: the condition must refer to the variable itself", variable.name));
    }
}

fn no_local(
    finding: Finding,
    module: &Module,
    name: &SmolStr,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Finding {
    let finding = finding.detail(format!("This module declares no local value `{name}`."));
    if let Some(variable) = module.variables.get(name) {
        let variable = (variable.origin.header(), format!("var.{name}"));
        return finding.meant_at(Some(variable), "a variable with this name");
    }
    let is_own = |local: &&Local| matches!(inside, Some(Owner::Local(own)) if own.name == local.name);
    let others = module.locals.values().filter(|local| !is_own(local));
    let near = similar.nearest(name, others, |local| &local.name);
    let near = near.map(|near| (near.attribute.name_span, format!("local.{}", near.name)));
    finding
        .help(format!("declare `{name}` in a `locals` block"))
        .meant_at(near, "a local value with a similar name")
}

fn no_call(
    finding: Finding,
    module: &Module,
    name: &SmolStr,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Finding {
    let others = module.calls.values().filter(
        |call| !matches!(inside, Some(Owner::Call(own) | Owner::Argument(own, _)) if own.name == call.name),
    );
    let near = similar.nearest(name, others, |call| &call.name);
    let near = near.map(|near| (near.origin.header(), format!("module.{}", near.name)));
    finding
        .detail(format!("This module declares no module call `{name}`."))
        .help(format!("add a `module \"{name}\"` block"))
        .meant_at(near, "a module call with a similar name")
}

fn no_resource(
    finding: Finding,
    module: &Module,
    address: &ResourceAddress,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Finding {
    let what = match address.mode {
        Mode::Managed => "resource",
        Mode::Data => "data source",
        Mode::Ephemeral => "ephemeral resource",
    };
    let finding = finding.detail(format!(
        "This module declares no {what} {:?} {:?}.",
        address.kind.as_str(),
        address.name.as_str()
    ));
    let other = (address.mode == Mode::Managed).then(|| other_object(module, address)).flatten();
    let near = nearest(module, address, similar, inside).map(|near| (near.origin.header(), &near.address));
    finding.help_if(other).meant_at(near, "a declaration with a similar name")
}

/// The help for a name such as `locals.a`, which takes the form of a resource but means another declared object.
fn other_object(module: &Module, address: &ResourceAddress) -> Option<String> {
    let ResourceAddress { kind, name, .. } = address;
    let root = match kind.as_str() {
        "locals" if module.locals.contains_key(name) => "local",
        "vars" | "variable" | "variables" if module.variables.contains_key(name) => "var",
        "modules" if module.calls.contains_key(name) => "module",
        "output" | "outputs" if module.outputs.contains_key(name) => {
            return Some(format!(
                "a module cannot read its own output `{name}`; refer to the objects that the output refers to"
            ));
        }
        _ if matches!(name.as_str(), "key" | "value") && !may_be_a_type(module, address) => {
            return Some(format!(
                "`{kind}.{name}` exists only in the `content` of a `dynamic \"{kind}\"` block"
            ));
        }
        _ => return None,
    };
    Some(format!("did you mean `{root}.{name}`?"))
}

/// Whether a type of resources belongs to a provider that the module uses.
fn may_be_a_type(module: &Module, address: &ResourceAddress) -> bool {
    let provider = address.implied_provider();
    let first = ResourceAddress { kind: provider.into(), name: SmolStr::default(), ..address.clone() };
    let next = module.resources.range(first..).next();
    module.required_providers.contains_key(provider)
        || next.is_some_and(|(next, _)| next.implied_provider() == provider)
}

/// A resource of the same type and name in another mode, or else one with a similar name in the same mode.
fn nearest<'m>(
    module: &'m Module,
    address: &ResourceAddress,
    similar: &Similar,
    inside: Option<&Owner<'_>>,
) -> Option<&'m Resource> {
    let others = [Mode::Managed, Mode::Data, Mode::Ephemeral].into_iter();
    let mut others = others.map(|mode| ResourceAddress { mode, ..address.clone() });
    others.find_map(|other| module.resources.get(&other).map(|resource| &**resource)).or_else(|| {
        let first = ResourceAddress { name: SmolStr::default(), ..address.clone() };
        let is_alike =
            |peer: &&Resource| (peer.address.mode, &peer.address.kind) == (address.mode, &address.kind);
        let peers = module.resources.range(first..).map(|(_, resource)| &**resource).take_while(is_alike);
        let is_own =
            |peer: &&Resource| matches!(inside, Some(Owner::Resource(own)) if own.address == peer.address);
        let peers = peers.filter(|peer| !is_own(peer));
        similar.nearest(&address.name, peers, |peer| &peer.address.name)
    })
}

/// A data source in a `check` block can be referenced only in that block.
pub(super) fn scope(resource: &Resource, check: Option<&SmolStr>, at: Span, findings: &mut Vec<Finding>) {
    if let Some(own) = &resource.check
        && check != Some(own)
    {
        Finding::language(EngineRule::UndeclaredReference, "Reference to scoped resource")
            .detail(format!(
                "{} belongs to the check `{own}`, and only the assertions of that check can refer to it.",
                resource.address
            ))
            .at(at)
            .related(resource.origin.header(), "declared here, inside the check")
            .concerns(Concern::Name(format_smolstr!("{}", resource.address)))
            .help("move the data source out of the `check` block")
            .push_to(findings);
    }
}

/// The help for a reference to an attribute of all instances of `address`, which has this `count`.
pub(in crate::graph) fn help_for_counted(
    address: &dyn fmt::Display,
    count: &Attribute,
    index: &str,
    name: Option<&SmolStr>,
) -> String {
    let step = name.map(|name| format!(".{name}")).unwrap_or_default();
    let help = format!("name an instance: `{address}[{index}]{step}`, or all: `{address}[*]{step}`");
    if name.is_some() && index == "0" && matches!(count.expr.kind, ExprKind::Conditional(_)) {
        return format!("{help}; where there may be no instance, `one({address}[*]{step})` is null");
    }
    help
}

/// The help for a reference to the resource that contains it.
fn help_inside(site: &Site<'_>, reference: &Reference<'_>) -> String {
    match reference.remaining.first().and_then(Step::name) {
        Some(name) if site.symbols.itself => format!("write `self.{name}`"),
        _ => "remove the reference: a resource cannot refer to its own attributes here".to_owned(),
    }
}

/// A reference to an attribute of a resource with `count` or `for_each` needs an instance key; for others, a key is
/// an error.
pub(super) fn instance(
    resource: &Resource,
    key: Option<&InstanceKey>,
    site: &Site<'_>,
    reference: &Reference<'_>,
    findings: &mut Vec<Finding>,
) {
    let address = &resource.address;
    let broken =
        [&resource.count, &resource.for_each].into_iter().flatten().any(|attribute| attribute.is_broken);
    if broken {
        return;
    }
    let (has_count, has_each) = site.repetition();
    let counted = resource.count.as_ref().map(|attribute| {
        let index = if has_count { "count.index" } else { "0" };
        let name = reference.remaining.first().and_then(Step::name);
        (attribute, help_for_counted(address, attribute, index, name))
    });
    let keyed = || {
        let for_each = resource.for_each.as_ref()?;
        let instance = if has_each {
            format!("name an instance: `{address}[each.key]`")
        } else {
            format!("name an instance by its key in brackets after `{address}`")
        };
        Some((for_each, format!("{instance}, or all: `values({address})[*]`")))
    };
    match (key, counted.or_else(keyed)) {
        (None, Some((attribute, help))) if !reference.remaining.is_empty() => {
            Finding::language(EngineRule::InvalidReference, "Missing resource instance key")
                .detail(format!(
                    "`{address}` has `{}`, so it is a collection, and only its instances have attributes.",
                    attribute.name
                ))
                .at(reference.span)
                .related(attribute.name_span, "this makes it a collection")
                .help(match &site.owner {
                    _ if reads_count(reference) => length(resource),
                    Owner::Resource(own) if own.address == *address => help_inside(site, reference),
                    _ => help,
                })
                .push_to(findings);
        }
        (Some(_), None) if resource.enabled.is_none() => {
            Finding::language(EngineRule::InvalidReference, "Unexpected resource instance key")
                .detail(format!(
                    "`{address}` has neither `count` nor `for_each`, so it has no instance keys."
                ))
                .at(reference.span)
                .related(resource.origin.header(), "declared here")
                .help("remove the key in brackets")
                .push_to(findings);
        }
        (None | Some(_), None | Some(_)) => {}
    }
}

/// Checks the attributes of a referenced resource, as far as its schema is known.
pub(super) fn attribute(resource: &Resource, reference: &Reference<'_>, findings: &mut Vec<Finding>) {
    if reads_count(reference) {
        Finding::language(EngineRule::InvalidReference, "Invalid resource count attribute")
            .detail("A resource has no attribute `count` since version 0.12.")
            .at(reference.span)
            .help(length(resource))
            .push_to(findings);
        return;
    }
    builtin::steps(resource, reference.remaining, findings);
}

/// Whether the reference is to the attribute `count`, which was the number of instances before version 0.12. No
/// instance has it.
fn reads_count(reference: &Reference<'_>) -> bool {
    let first = reference.remaining.first();
    first.is_some_and(|step| matches!(&step.kind, StepKind::Attribute(name) if name == "count"))
}

/// The help for the attribute `count`.
fn length(resource: &Resource) -> String {
    format!("write `length({})`", resource.address)
}

/// A resource that refers to itself, which only a plan finds. A reference to an instance that may not exist can be
/// valid, and without an instance nothing but `count` or `for_each` is evaluated. `is_planned` tells whether a plan
/// certainly evaluates the block that contains the reference, if the resource has instances.
pub(super) fn of_itself<'v>(
    resource: &Resource,
    reference: &Reference<'_>,
    site: &Site<'_>,
    is_planned: impl Fn() -> bool,
    values: &dyn Fn() -> &'v Values<'v>,
) -> Option<Finding> {
    let is_argument = site.condition.is_none() && !site.symbols.itself;
    let is_owner = matches!(site.owner, Owner::Resource(owner) if owner.address == resource.address);
    if !is_argument || !is_owner {
        return None;
    }
    let is_own = match &reference.subject {
        Subject::Resource { key: None, .. } => true,
        // If there are instances, one of them has this key.
        Subject::Resource { key: Some(InstanceKey::Number(0)), .. } if resource.count.is_some() => true,
        Subject::Resource { key, .. } => {
            values().have_instance(resource.repeated(), key.as_ref()) == Some(true)
        }
        _ => false,
    };
    if !is_own {
        return None;
    }
    let is_certain = has_needed_instances(resource, reference.span, values) && is_planned();
    let severity = if is_certain { Severity::Error } else { Severity::Warning };
    Some(
        Finding::language(EngineRule::ReferenceCycle, "Self-referential block")
            .severity(severity)
            .detail(format!(
                "The arguments of {} cannot refer to the resource itself. `validate` does not report this, but every \
                 plan that has an instance of it fails.",
                resource.address
            ))
            .at(reference.span)
            .address(site.to_string())
            .at_plan(),
    )
}

/// Whether a resource certainly has instances, or needs none to evaluate the reference at `at`.
pub(super) fn has_needed_instances<'v>(
    resource: &Resource,
    at: Span,
    values: &dyn Fn() -> &'v Values<'v>,
) -> bool {
    let (count, for_each) = resource.repeated();
    let Some(repeated) = count.or(for_each) else { return resource.enabled.is_none() };
    repeated.expr.span.encloses(at)
        || match values().of(&repeated.expr) {
            Value::Number(number) => number.index().is_some_and(|count| count > 0),
            Value::Set(_, elements) => !elements.is_empty(),
            Value::Map(_, elements) | Value::Object(elements) => !elements.is_empty(),
            _ => false,
        }
}

/// The `id` of an import cannot refer to the resource that is imported.
pub(super) fn import_of_itself(resource: &Resource, site: &Site<'_>, at: Span, findings: &mut Vec<Finding>) {
    let Owner::Import(import) = &site.owner else { return };
    let is_id = import.for_each.is_none() || site.symbols.each;
    let target = import.target.as_ref().filter(|target| target.path.is_empty());
    if is_id && target.is_some_and(|target| target.resource.resource == resource.address) {
        Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import id argument")
            .detail(format!("The import of {} cannot refer to that resource.", resource.address))
            .at(at)
            .push_to(findings);
    }
}
