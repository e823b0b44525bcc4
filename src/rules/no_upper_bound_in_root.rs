#![doc = include_str!("../../policies/rules/no-upper-bound-in-root.md")]

use std::cell::LazyCell;

use super::mend::set_in_entry;
use super::{Context, Rule};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::declaration::RequiredProvider;
use crate::module::lock::Lock;
use crate::policy::Options;
use crate::syntax::quoted;
use crate::tree::{Node, Role};
use crate::value::{Condition, Operator};

pub(super) struct NoUpperBoundInRoot;

impl Rule for NoUpperBoundInRoot {
    const ID: &'static str = "no-upper-bound-in-root";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.role() != Role::Root {
            return;
        }
        let module = node.module();
        let lock = LazyCell::new(|| lock_of(module, context));
        for entry in module.required_providers.values().filter(|entry| !entry.address.is_built_in()) {
            let version = entry.version.as_ref();
            let constraints = version.and_then(|version| version.constraints.as_ref());
            if constraints.is_some_and(|constraints| constraints.for_provider().has_upper_bound()) {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            findings.push(
                Self::finding("No upper bound in a root module")
                    .detail(format!(
                        "The next `init -upgrade` takes the newest {provider}, also one that changes or drops what \
                         is used here."
                    ))
                    .at(version.map_or(entry.span, |version| version.value_span))
                    .help("keep the next major version out, as in \"~> 5.0\"")
                    .fixed_by(bounded(entry, lock.as_ref(), context).map(|edit| Fix::on_request([edit])))
                    .address(format!("required_providers.{}", entry.name)),
            );
        }
    }
}

/// The lock file beside a module.
fn lock_of(module: &Module, context: &Context<'_>) -> Option<Lock> {
    let id = context.folder(&module.folder)?.lock?;
    Lock::read(id, context.sources().get(id), &module.features)
}

/// Keeps out the major version behind the one that the lock file selects. Without one only a person knows which major
/// version the module is for: that an old one would do says little.
fn bounded(entry: &RequiredProvider, lock: Option<&Lock>, context: &Context<'_>) -> Option<Edit> {
    let selected = &lock?.selection(&entry.address)?.version;
    let [major, minor, ..] = selected.segments() else { return None };
    if selected.is_prerelease() {
        return None;
    }
    let Some(version) = &entry.version else {
        return set_in_entry(context, entry, "version", &format!("\"~> {major}.{minor}\""), false);
    };
    let text = match version.constraints.as_ref()?.conditions() {
        // Two numbers of the same major version make it short.
        [Condition { operator: Operator::GreaterOrEqual, version: least }]
            if least.segments()[0] == *major && least.written() < 3 && !least.is_prerelease() =>
        {
            format!("~> {major}.{}", least.segments()[1])
        }
        _ => format!("{}, < {}.0", version.text, major + 1),
    };
    Some(context.editor(version.value_span.file)?.replace(version.value_span, quoted(&text)))
}
