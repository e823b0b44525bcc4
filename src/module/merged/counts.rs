//! Turns a merged declaration into which of several arguments of one name counts in it.

use crate::engine::InOverride;
use crate::module::Module;
use crate::module::declaration::{
    Action, ModuleCall, Origin, Output, ProviderConfiguration, Resource, Spanned, Variable,
};
use crate::module::merged::Why;
use crate::syntax::{Attribute, Expr};
use crate::text::Span;
use crate::value;

/// What a block with overrides declares.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'m> {
    Provider(&'m ProviderConfiguration),
    Variable(&'m Variable),
    Output(&'m Output),
    Call(&'m ModuleCall),
    Resource(&'m Resource),
    Action(&'m Action),
    /// The `lifecycle` block of a resource.
    Lifecycle(&'m Resource),
    /// The `lifecycle` block of a call, or another one in which nothing is merged.
    Fixed,
    /// Means something to a provider: arguments replace arguments, and blocks all blocks of their kind.
    Free,
    /// The same, but blocks are merged with those of the same kind and labels (`encryption`).
    Deep,
}

/// Which of several arguments of one name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// The last one.
    Last,
    /// The last one that is `true`; where none is, the last one.
    LastTrue,
    /// The one that stands around this span; where there is none, that of the base.
    At(Option<Span>),
    /// That of the base, whatever override files say.
    Base(Why),
}

/// What becomes of the blocks of one kind in a block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Nesting<'m> {
    /// Those of an override replace all of the base.
    Replaced,
    /// They are merged, each with the one that has its labels.
    Merged(Subject<'m>),
    /// Those of the base stay, whatever override files have.
    Base(Why),
}

/// Everything in a module that override blocks can be merged into, with the blocks it comes from.
pub(super) fn subjects(module: &Module) -> impl Iterator<Item = (Subject<'_>, &Origin)> {
    let providers = module.providers.values().map(|one| (Subject::Provider(one), &one.origin));
    providers
        .chain(module.variables.values().map(|one| (Subject::Variable(one), &one.origin)))
        .chain(module.outputs.values().map(|one| (Subject::Output(one), &one.origin)))
        .chain(module.calls.values().map(|one| (Subject::Call(one), &one.origin)))
        .chain(module.resources.values().map(|one| (Subject::Resource(one), &one.origin)))
        .chain(module.actions.values().map(|one| (Subject::Action(one), &one.origin)))
}

/// Whether an argument of a call is the engine's own, and none for the module that is called.
pub(super) fn is_of_call(name: &str, module: &Module) -> bool {
    let own = ["source", "version", "count", "for_each", "depends_on", "providers"].contains(&name);
    own || (module.features.grammar.ignore_nested_deprecations && name == "ignore_nested_deprecations")
}

impl<'m> Subject<'m> {
    /// Which of several arguments of that name counts.
    pub(super) fn argument(self, name: &str, module: &Module) -> Counts {
        match self {
            Self::Provider(_) => match name {
                "for_each" | "count" | "depends_on" | "source" => Counts::Base(Why::Ignored),
                _ => Counts::Last,
            },
            Self::Variable(variable) => of_variable(variable, name),
            Self::Output(output) => of_output(output, name),
            Self::Call(call) => match name {
                "source" => at(call.address.source.as_deref()),
                "version" => at(call.address.version.as_deref()),
                "count" => at(call.count.as_deref()),
                "for_each" => at(call.for_each.as_deref()),
                "providers" => Counts::At(call.providers_span),
                "depends_on" => Counts::Base(Why::Refused),
                _ if is_of_call(name, module) => Counts::Base(Why::Ignored),
                _ => Counts::Last,
            },
            Self::Resource(resource) => match name {
                "count" => at(resource.count.as_deref()),
                "for_each" => at(resource.for_each.as_deref()),
                "provider" => Counts::At(resource.provider_ref.as_ref().map(|provider| provider.name_span)),
                "depends_on" => Counts::Base(Why::Refused),
                _ => Counts::Last,
            },
            Self::Action(action) => match name {
                "count" => at(action.count.as_deref()),
                "for_each" => at(action.for_each.as_deref()),
                "provider" => Counts::At(action.provider_ref.as_ref().map(|provider| provider.name_span)),
                _ => Counts::Base(Why::Refused),
            },
            Self::Lifecycle(resource) => of_lifecycle(resource, name, module),
            Self::Fixed => Counts::Base(Why::Ignored),
            Self::Deep if name == "enforced" => Counts::LastTrue,
            Self::Free | Self::Deep => Counts::Last,
        }
    }

    /// What becomes of the blocks of that kind.
    pub(super) fn nested(self, kind: &str) -> Nesting<'m> {
        match self {
            Self::Provider(_) | Self::Free => match kind {
                "_" => Nesting::Merged(Self::Free),
                _ => Nesting::Replaced,
            },
            Self::Resource(resource) => match kind {
                "_" => Nesting::Merged(Self::Free),
                "lifecycle" => Nesting::Merged(Self::Lifecycle(resource)),
                _ => Nesting::Replaced,
            },
            Self::Call(_) => match kind {
                "_" => Nesting::Merged(Self::Free),
                "lifecycle" => Nesting::Merged(Self::Fixed),
                _ => Nesting::Base(Why::Refused),
            },
            Self::Action(_) => match kind {
                "config" => Nesting::Merged(Self::Free),
                _ => Nesting::Base(Why::Refused),
            },
            Self::Lifecycle(_) => match kind {
                "action_trigger" => Nesting::Replaced,
                _ => Nesting::Base(Why::Refused),
            },
            Self::Variable(_) | Self::Output(_) | Self::Fixed => Nesting::Base(Why::Refused),
            Self::Deep => Nesting::Merged(Self::Deep),
        }
    }
}

fn of_variable(variable: &Variable, name: &str) -> Counts {
    match name {
        "description" => given(variable.description.as_ref()),
        "type" => given(variable.constraint.as_ref()),
        "default" => given(variable.default.as_ref()),
        "sensitive" => given(variable.sensitive.as_ref()),
        "ephemeral" => given(variable.ephemeral.as_ref()),
        "nullable" => given(variable.nullable.as_ref()),
        "deprecated" => given(variable.deprecated.as_ref()),
        "const" => given(variable.constant.as_ref()),
        _ => Counts::Base(Why::Refused),
    }
}

fn of_output(output: &Output, name: &str) -> Counts {
    match name {
        "description" => given(output.description.as_ref()),
        "value" => at(output.value.as_deref()),
        "sensitive" => given(output.sensitive.as_ref()),
        "ephemeral" => given(output.ephemeral.as_ref()),
        "deprecated" => given(output.deprecated.as_ref()),
        "type" => given(output.constraint.as_ref()),
        _ => Counts::Base(Why::Refused),
    }
}

fn of_lifecycle(resource: &Resource, name: &str, module: &Module) -> Counts {
    let managed = &resource.managed;
    match name {
        "create_before_destroy" => given(managed.create_before_destroy.as_ref()),
        "prevent_destroy" => given(managed.prevent_destroy.as_ref()),
        "destroy" if module.features.override_destroy == InOverride::Merged => {
            given(managed.destroy.as_ref())
        }
        "ignore_changes" => {
            let first = managed.ignore_changes.first().map(|one| one.span);
            Counts::At(managed.ignore_all_changes.or(first))
        }
        "replace_triggered_by" | "destroy" | "enabled" => Counts::Base(Why::Ignored),
        _ => Counts::Base(Why::Refused),
    }
}

fn at(attribute: Option<&Attribute>) -> Counts {
    Counts::At(attribute.map(|attribute| attribute.span))
}

fn given<T>(given: Option<&Spanned<T>>) -> Counts {
    Counts::At(given.map(|given| given.span))
}

/// Why an argument in an override file does not count, that comes behind the one that does.
pub(super) fn why(attribute: &Attribute, counts: Counts) -> Why {
    if is_empty(&attribute.expr) {
        return Why::Empty;
    }
    match counts {
        Counts::Base(why) => why,
        Counts::At(Some(_)) if attribute.name == "ignore_changes" => Why::AllStays,
        Counts::LastTrue => Why::TrueStays,
        Counts::At(Some(_)) | Counts::Last => Why::Ignored,
        // It could not be read.
        Counts::At(None) => Why::Refused,
    }
}

fn is_empty(expr: &Expr) -> bool {
    expr.as_list().is_some_and(<[Expr]>::is_empty)
        || expr.as_map().is_some_and(|map| map.is_empty())
        || value::constant(expr, &mut Vec::new()).as_str() == Some("")
}
