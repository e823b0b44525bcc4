//! The modules that lead to a shared module, and what they know of its providers.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::graph::{Configuration, Node};
use crate::module::declaration::ProviderConfiguration;
use crate::text::Span;

/// The modules that lead to a module.
pub(super) struct Above<'t> {
    modules: Vec<Node<'t>>,
    /// The calls of the module, and the calls above it that repeat or delay it; the latter come first.
    pub(super) calls: Vec<Call>,
    /// Whether one of them leads there by several calls.
    pub(super) is_repeated: bool,
    /// Whether a direct caller is called itself.
    pub(super) has_between: bool,
    /// Whether one of the calls has a `providers` map.
    pub(super) has_map: bool,
    /// The configurations that they declare or use; collected on first use.
    configurations: OnceCell<HashSet<Configuration>>,
    /// The result of [`Self::has_generated_files`].
    has_generated_files: OnceCell<bool>,
    /// The results of [`Self::local_name`].
    local_names: RefCell<HashMap<SmolStr, Option<(SmolStr, bool)>>>,
}

/// A call on a path to a module.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    /// The number of calls between them.
    distance: usize,
    pub(super) at: Span,
    /// Whether it repeats the module, or delays it.
    pub(super) repeats: bool,
}

impl<'t> Above<'t> {
    pub(super) fn of(node: Node<'t>) -> Self {
        let has_between = node.callers().any(|(caller, _)| caller.is_called());
        let mut above = Self {
            modules: Vec::new(),
            calls: Vec::new(),
            is_repeated: false,
            has_between,
            has_map: false,
            configurations: OnceCell::new(),
            has_generated_files: OnceCell::new(),
            local_names: RefCell::default(),
        };
        let mut seen = BTreeSet::from([node.id()]);
        let (mut level, mut distance) = (vec![node], 0);
        while !level.is_empty() {
            let mut next = Vec::new();
            for (caller, call) in level.iter().flat_map(|node| node.callers()) {
                let repeats = call.repeated_or_delayed_by(&caller.module().features).is_some();
                above.has_map |= !call.providers.is_empty();
                if distance == 0 || repeats {
                    above.calls.push(Call { distance, at: call.origin.header(), repeats });
                }
                if seen.insert(caller.id()) {
                    above.modules.push(caller);
                    next.push(caller);
                } else {
                    above.is_repeated = true;
                }
            }
            level = next;
            distance += 1;
        }
        above.calls.sort_by(|a, b| b.repeats.cmp(&a.repeats).then_with(|| a.cmp(b)));
        above.calls.dedup_by_key(|call| call.at);
        above
    }

    /// Whether a tool adds files to a root module, which may have a configuration already.
    pub(super) fn has_generated_files(&self) -> bool {
        let is_given_files = |above: &Node<'_>| !above.is_called() && above.module().has_generated_files;
        *self.has_generated_files.get_or_init(|| self.modules.iter().any(is_given_files))
    }

    /// Whether one of them has or uses a configuration of this name, which a block that is moved there would replace.
    pub(super) fn has_another(&self, node: Node<'_>, provider: &ProviderConfiguration) -> bool {
        let Some(configuration) = Configuration::by(node.module(), provider) else { return false };
        let all = || {
            let of_module = |above: &Node<'t>| {
                let used = above.uses().configurations.keys().map(|used| &**used);
                above.declared().chain(used).cloned().collect::<Vec<_>>()
            };
            self.modules.iter().flat_map(of_module).collect()
        };
        self.configurations.get_or_init(all).contains(&configuration)
    }

    /// The local name of a provider in the root modules, and whether it is declared there. Returns `None` if the name of
    /// this module means another provider there: the engine then refuses to pass a configuration.
    pub(super) fn local_name(&self, node: Node<'_>, name: &SmolStr) -> Option<(SmolStr, bool)> {
        let mut known = self.local_names.borrow_mut();
        known.entry_ref(name).or_insert_with(|| self.find_local_name(node, name)).clone()
    }

    fn find_local_name(&self, node: Node<'_>, name: &SmolStr) -> Option<(SmolStr, bool)> {
        let Some(own) = Configuration::of(node.module(), name, None) else {
            return Some((name.clone(), true));
        };
        let mut found = (name.clone(), true);
        for top in self.modules.iter().filter(|above| !above.is_called()) {
            let module = top.module();
            if Configuration::of(module, name, None).as_ref() == Some(&own) {
                continue;
            }
            if module.required_providers.contains_key(name) {
                return None;
            }
            found = match top.requirements_of(&own.provider).next() {
                Some(entry) => (entry.name.clone(), true),
                None => return Some((name.clone(), false)),
            };
        }
        Some(found)
    }
}
