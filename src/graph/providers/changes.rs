//! Compares the provider configurations of resources before and after a change. Resources are matched by their
//! addresses through all module calls.

mod cause;
mod consumers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use self::cause::{Cause, cause};
use self::consumers::{Consumer, Consumers, Places, User};
use super::change::{Effect, ProviderChange, ProviderChanges};
use super::configuration::Configuration;
use super::identity::{Identity, Likeness};
use super::resolve::{Found, in_root};
use crate::finding::{EngineRule, Finding};
use crate::graph::{ModuleGraph, Node};
use crate::limits::Steps;
use crate::module::Module;
use crate::module::address::{ConfigAddress, ProviderAddress};
use crate::module::declaration::{ProviderConfiguration, compact_name};
use crate::text::{Sources, Span, grouped, module_at};
use crate::value::Budget;

/// A state of the repository.
#[derive(Debug, Clone, Copy)]
pub struct State<'s> {
    /// The modules.
    pub graph: &'s ModuleGraph,
    /// The texts of the files.
    pub sources: &'s Sources,
}

impl ModuleGraph {
    /// The changes since an earlier state. The result is cached, so all calls must pass the same state.
    pub fn provider_changes(&self, earlier: State<'_>, sources: &Sources) -> &ProviderChanges {
        self.derived.provider_changes.get_or_init(|| changes(earlier, State { graph: self, sources }))
    }
}

/// The provider blocks of a state with their identities, each computed once.
struct Identities<'s> {
    state: State<'s>,
    /// The evaluation steps that are left for all of them.
    work: Rc<Budget>,
    /// By the header of the block.
    known: RefCell<HashMap<Span, Rc<Identity>>>,
}

impl<'s> Identities<'s> {
    fn of(state: State<'s>) -> Self {
        let steps = state.graph.nodes().map(|node| node.module().evaluation_steps()).sum();
        Self { state, work: Rc::new(Budget::of(steps)), known: RefCell::default() }
    }

    fn get(&self, node: Node<'_>, block: &ProviderConfiguration) -> Rc<Identity> {
        let new = || Rc::new(Identity::of(node, block, self.state.sources, &self.work));
        Rc::clone(self.known.borrow_mut().entry(block.origin.header()).or_insert_with(new))
    }
}

/// Limit of resources and modules to compare, each once per path of calls.
const MOST_PLACES: usize = 300_000;

/// The finding that some module instances below a root module were not compared.
pub fn too_many_instances(module: &Module) -> Finding {
    Finding::language(EngineRule::LimitReached, "Too many resources to compare")
        .detail(format!(
            "overrule compares at most {} resources and modules, each once per path of calls. It did not check whether \
             the change moves the others to another provider configuration.",
            grouped(MOST_PLACES as u64)
        ))
        .module(module.directory.clone())
}

fn changes(earlier: State<'_>, now: State<'_>) -> ProviderChanges {
    let tops = earlier.graph.nodes().filter(|node| node.callers().next().is_none());
    let tops: BTreeMap<&SmolStr, Node<'_>> = tops.map(|node| (&node.module().directory, node)).collect();
    let mut changes: BTreeMap<_, ProviderChange> = BTreeMap::new();
    let mut places = Places { left: Steps::of(MOST_PLACES), exhausted: false };
    let mut incomplete_from = None;
    let (blocks_before, blocks_now) = (Identities::of(earlier), Identities::of(now));
    for top in now.graph.nodes().filter(|node| node.callers().next().is_none()) {
        let Some(was) = tops.get(&top.module().directory) else { continue };
        let before = Consumers::of(*was, &mut places);
        let after = Consumers::of(top, &mut places);
        if places.exhausted {
            incomplete_from.get_or_insert(top.id());
        }
        let mut add = |address: &ConfigAddress, old: &Consumer<'_>, new: &Consumer<'_>| {
            if old.has_no_instances() {
                return;
            }
            let pair = Pair { old, new, earlier: &blocks_before, now: &blocks_now };
            let Some((cause, effect)) = pair.effect().and_then(|effect| Some((pair.cause()?, effect))) else {
                return;
            };
            let is_certain = effect != Effect::MayDiffer;
            let change =
                changes.entry((cause.key(), is_certain)).or_insert_with(|| pair.change(&cause, effect));
            let addresses = match new.user {
                User::Resource(_) => &mut change.resources,
                User::Call(..) => &mut change.modules,
            };
            let address = (top.module().directory.clone(), address.to_string());
            if addresses.last() != Some(&address) {
                addresses.push(address);
            }
        };
        for (address, consumer) in &after.resources {
            if let Some(old) = after.earlier(&before.resources, address) {
                add(address, old, consumer);
            }
        }
        for (address, outside) in &after.outside_calls {
            let Some(old) = after.earlier(&before.outside_calls, address) else { continue };
            for (old, new) in old.pairs(outside) {
                add(address, &old, &new);
            }
        }
    }
    ProviderChanges { changes: changes.into_values().collect(), incomplete_from }
}

/// A resource before and after a change.
#[derive(Clone, Copy)]
struct Pair<'s> {
    old: &'s Consumer<'s>,
    new: &'s Consumer<'s>,
    earlier: &'s Identities<'s>,
    now: &'s Identities<'s>,
}

/// The provider configuration that a resource uses.
enum Used<'s> {
    Block { level: usize, node: Node<'s>, block: &'s ProviderConfiguration },
    Empty { level: usize },
    Random,
    FromCaller,
    Missing,
    Unknown,
}

impl<'s> Used<'s> {
    fn of(consumer: &'s Consumer<'s>) -> Self {
        let top = consumer.levels[0].node;
        match &consumer.trace.found {
            Found::Blocks(_, own) if own.is_random() => Self::Random,
            Found::Blocks(level, own) => match own.attached() {
                Some(block) if !block.config.is_empty() => {
                    Self::Block { level: *level, node: consumer.levels[*level].node, block }
                }
                Some(_) | None => Self::Empty { level: *level },
            },
            Found::Implicit => Self::Empty { level: 0 },
            // A tool generates the provider blocks.
            Found::FromCaller if top.module().has_generated_files => Self::Unknown,
            Found::FromCaller => Self::FromCaller,
            Found::Missing => Self::Missing,
        }
    }
}

impl<'s> Pair<'s> {
    fn cause(&self) -> Option<Cause<'s>> {
        cause(self.old, self.new)
    }

    /// The effect of the change on the resource. Returns `None` without an effect, or if Terraform refuses the result.
    fn effect(&self) -> Option<Effect> {
        let (old, new) = (self.old, self.new);
        let (before, after) = (&old.trace.effective, &new.trace.effective);
        let (was, is) = (Used::of(old), Used::of(new));
        if matches!(was, Used::Missing | Used::Unknown) || matches!(is, Used::Unknown) {
            return None;
        }
        if before.provider != after.provider && !is_beta_of(&before.provider, &after.provider) {
            let is_refused = matches!(is, Used::Missing);
            return (!is_refused)
                .then(|| Effect::OtherProvider(before.provider.clone(), after.provider.clone()));
        }
        let is_same_key = before == after;
        match (was, is) {
            (Used::Block { level, node, block }, Used::Block { level: to, node: there, block: other }) => {
                let likeness = self.earlier.get(node, block).compare(&self.now.get(there, other));
                let is_same = is_same_key && old.path(level) == new.path(to);
                match likeness {
                    Likeness::Different(differences) if is_same => Some(Effect::OtherArguments(differences)),
                    Likeness::Different(differences) => Some(Effect::OtherBlock(differences)),
                    Likeness::Unknown if !is_same => Some(Effect::MayDiffer),
                    Likeness::Unknown | Likeness::Same => None,
                }
            }
            (Used::Block { .. } | Used::Empty { .. } | Used::FromCaller, Used::Random) => {
                Some(Effect::Random)
            }
            (Used::Block { .. }, Used::Empty { .. }) => Some(Effect::Empty),
            // A root module that was only recognized by its provider block.
            (Used::Block { level: 0, .. }, Used::FromCaller | Used::Missing)
                if in_root(old.levels[0].node) =>
            {
                (!new.is_refused()).then_some(Effect::Empty)
            }
            // The change adds a configuration where there was none.
            (Used::Empty { level: 0 } | Used::FromCaller, Used::Block { level: 0, .. }) if is_same_key => {
                None
            }
            (Used::FromCaller, Used::FromCaller) => (!is_same_key).then_some(Effect::MayDiffer),
            (Used::Block { .. } | Used::Empty { level: 1.. }, Used::FromCaller)
            | (Used::Empty { .. } | Used::FromCaller, Used::Block { .. })
            | (Used::FromCaller, Used::Empty { level: 1.. }) => Some(Effect::MayDiffer),
            (Used::Empty { .. }, Used::Empty { .. } | Used::FromCaller)
            | (Used::FromCaller, Used::Empty { .. })
            | (Used::Random | Used::Missing | Used::Unknown, _)
            | (_, Used::Missing | Used::Unknown) => None,
        }
    }

    fn change(&self, cause: &Cause<'s>, effect: Effect) -> ProviderChange {
        let words = |consumer: &Consumer<'s>, blocks: &Identities<'_>| {
            let key = &consumer.trace.effective;
            match Used::of(consumer) {
                Used::Block { node, block, .. } => {
                    let place = if node.module().directory == cause.node.module().directory {
                        String::new()
                    } else {
                        format!(" of {}", module_at(&node.module().directory))
                    };
                    let arguments = blocks.get(node, block).shown();
                    let arguments = arguments.map(|shown| format!(" ({shown})")).unwrap_or_default();
                    format!("`{}`{place}{arguments}", block.compact())
                }
                Used::Empty { .. } | Used::Missing | Used::Unknown => "an empty configuration".to_owned(),
                Used::Random => "one of several blocks at random".to_owned(),
                Used::FromCaller => {
                    format!("`{}` of its callers", compact(consumer.levels[0].node, key))
                }
            }
        };
        let block = match Used::of(self.new) {
            Used::Block { block, .. } => Some(block.origin.header()),
            Used::Empty { .. } | Used::Random | Used::FromCaller | Used::Missing | Used::Unknown => None,
        };
        ProviderChange {
            node: cause.node.id(),
            at: cause.at,
            file: cause.was.map(|span| self.earlier.state.sources.get(span.file).name().to_owned()),
            effect,
            name: compact(cause.node, &cause.key),
            before: words(self.old, self.earlier),
            after: words(self.new, self.now),
            block,
            resources: Vec::new(),
            modules: Vec::new(),
        }
    }
}

fn compact(node: Node<'_>, key: &Configuration) -> SmolStr {
    compact_name(&node.local_name(key), key.alias.as_deref())
}

/// Whether one provider is the beta of the other, which manages the same objects.
fn is_beta_of(one: &ProviderAddress, other: &ProviderAddress) -> bool {
    let is_beta = |long: &str, short: &str| long.strip_suffix("-beta") == Some(short);
    (&one.host, &one.namespace) == (&other.host, &other.namespace)
        && (is_beta(&one.name, &other.name) || is_beta(&other.name, &one.name))
}
