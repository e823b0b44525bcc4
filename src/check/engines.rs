//! Decides which engines look at which modules, and puts together what they say.
//!
//! A root module is for the engines that were asked for, else for those that it shows evidence of, else for both; what it
//! calls is for the same ones. What both engines say is said once. What one alone says of a module that is for both is
//! doubtful, so it is a warning that names the engine, unless there is evidence that both are used.

use std::collections::{BTreeMap, BTreeSet};

use super::forest::{self, Sight};
use super::library::Library;
use super::rulebook::Rulebook;
use crate::engine::{Choice, Engine, Product};
use crate::finding::{Finding, Language, Severity};
use crate::rules::Context;
use crate::source::Worktree;
use crate::text::Span;
use crate::tree::NodeId;

/// What all engines together say.
#[derive(Debug)]
pub(super) struct Seen {
    /// The engines that looked, Terraform first.
    pub(super) engines: Vec<Engine>,
    /// What was found, with the engine where only one of two says so.
    pub(super) findings: Vec<(Finding, Option<Product>)>,
}

/// Looks at every module with the engines that it is for.
pub(super) fn look(worktree: &mut Worktree, choice: Option<&Choice>, rulebook: &Rulebook<'_>) -> Seen {
    let mut library = Library::default();
    let mut positive = None;
    let views: Vec<View> = match choice {
        Some(choice) => {
            let views = choice.engines().iter().map(|engine| {
                let sight = forest::look(worktree, &mut library, *engine);
                let roots = sight.tree.roots().iter().map(|root| root.id()).collect();
                View { engine: *engine, sight, roots }
            });
            views.collect()
        }
        None => by_evidence(worktree, &mut library, positive.insert(BTreeSet::new())),
    };
    let context = Context::new(worktree, library.files());
    let say = |view: &View| {
        let mut findings = view.sight.findings(&view.roots, worktree.sources());
        findings.extend(rulebook.findings(&view.sight.tree, &view.roots, &context));
        findings
    };
    together(&views, &say, &|folder| positive.as_ref().is_none_or(|folders| folders.contains(folder)))
}

/// The modules that are for one engine.
struct View {
    engine: Engine,
    sight: Sight,
    roots: Vec<NodeId>,
}

/// Which engines a root module is for.
struct Wanted {
    engines: Vec<Engine>,
    positive: bool,
}

/// Adds to `positive` the folders of roots that show for sure what they are for.
fn by_evidence(worktree: &mut Worktree, library: &mut Library, positive: &mut BTreeSet<String>) -> Vec<View> {
    let newest = Product::ALL.map(Engine::newest);
    let mut sights: BTreeMap<Engine, Sight> =
        newest.iter().map(|engine| (*engine, forest::look(worktree, library, *engine))).collect();
    // Which modules are roots may differ between the engines, so each is asked.
    let mut wanted: BTreeMap<Engine, BTreeSet<String>> = BTreeMap::new();
    for engine in newest {
        for root in sights[&engine].tree.roots() {
            let folder = root.module().folder.to_string();
            let Wanted { engines, positive: sure } = wanted_by(worktree, &folder, &newest);
            for chosen in engines.into_iter().filter(|chosen| chosen.product == engine.product) {
                wanted.entry(chosen).or_default().insert(folder.clone());
            }
            if sure {
                positive.insert(folder);
            }
        }
    }
    wanted
        .into_iter()
        .map(|(engine, folders)| {
            let sight = sights.remove(&engine).unwrap_or_else(|| forest::look(worktree, library, engine));
            let roots = sight.tree.roots();
            let roots = roots.iter().filter(|root| folders.contains(root.module().folder.as_str()));
            let roots = roots.map(|root| root.id()).collect();
            View { engine, sight, roots }
        })
        .collect()
}

/// The engines that the evidence beside a root module speaks for; both where there is none.
fn wanted_by(worktree: &Worktree, folder: &str, newest: &[Engine; 2]) -> Wanted {
    let evidence = worktree.evidence(folder);
    if evidence.engines.is_empty() {
        return Wanted { engines: newest.to_vec(), positive: false };
    }
    Wanted { engines: evidence.engines, positive: evidence.positive }
}

/// Puts together what is to be said of the modules that are for each engine.
fn together(views: &[View], say: &dyn Fn(&View) -> Vec<Finding>, positive: &dyn Fn(&str) -> bool) -> Seen {
    let engines: Vec<Engine> = views.iter().map(|view| view.engine).collect();
    if let [view] = views {
        let findings = say(view).into_iter().map(|finding| (finding, None));
        return Seen { engines, findings: findings.collect() };
    }
    // The folders that each product looks at, and what it says.
    let mut looked: BTreeMap<Product, BTreeSet<&str>> = BTreeMap::new();
    let mut said: BTreeMap<Place, BTreeMap<Product, Vec<Finding>>> = BTreeMap::new();
    for view in views {
        let product = view.engine.product;
        looked.entry(product).or_default().extend(view.sight.folders(&view.roots));
        for finding in say(view) {
            let place = (finding.module.to_string(), finding.rule.as_str().to_owned(), finding.primary);
            let findings = said.entry(place).or_default().entry(product).or_default();
            // Two versions of one engine say much the same.
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    let mut findings = Vec::new();
    // By module and rule: what one of the engines alone says at its place.
    let mut left: BTreeMap<(String, String), [Vec<Finding>; 2]> = BTreeMap::new();
    for ((folder, rule, _), mut by_product) in said {
        let both = looked.len() > 1 && looked.values().all(|folders| folders.contains(folder.as_str()));
        let [terraform, opentofu] =
            Product::ALL.map(|product| by_product.remove(&product).unwrap_or_default());
        if both {
            let (agreed, alone) = compare(terraform, opentofu, |_, _| true);
            findings.extend(agreed.into_iter().map(|finding| (finding, None)));
            let left = left.entry((folder, rule)).or_default();
            for (left, alone) in left.iter_mut().zip(alone) {
                left.extend(alone);
            }
        } else {
            findings.extend(terraform.into_iter().chain(opentofu).map(|finding| (finding, None)));
        }
    }
    for ((folder, _), [terraform, opentofu]) in left {
        let (agreed, alone) = compare(terraform, opentofu, is_same_matter);
        findings.extend(agreed.into_iter().map(|finding| (finding, None)));
        for (product, finding) in Product::ALL.into_iter().zip(alone).flat_map(by_each) {
            if is_syntax_of_the_other(&finding) {
                continue;
            }
            let doubtful = finding.severity == Severity::Error && !positive(&folder);
            let severity = if doubtful { Severity::Warning } else { finding.severity };
            findings.push((finding.severity(severity), Some(product)));
        }
    }
    Seen { engines, findings }
}

/// Module, rule and primary place.
type Place = (String, String, Option<Span>);

/// Of what Terraform and OpenTofu say of one rule: what they agree on, in Terraform's words, and what each says alone.
/// They may word it differently, so what is left on both sides is taken for the same where `may_be_same` says so.
fn compare(
    terraform: Vec<Finding>,
    mut opentofu: Vec<Finding>,
    may_be_same: impl Fn(&Finding, &Finding) -> bool,
) -> (Vec<Finding>, [Vec<Finding>; 2]) {
    let mut agreed = Vec::new();
    let mut alone = terraform;
    let in_same_words = |ours: &Finding, theirs: &Finding| ours.summary == theirs.summary;
    for in_words in [true, false] {
        for finding in std::mem::take(&mut alone) {
            let twin = opentofu.iter().position(|other| {
                may_be_same(&finding, other) && (!in_words || in_same_words(&finding, other))
            });
            match twin {
                Some(twin) => {
                    opentofu.remove(twin);
                    agreed.push(finding);
                }
                None => alone.push(finding),
            }
        }
    }
    (agreed, [alone, opentofu])
}

/// Whether two findings of one rule at different places are about one thing: the engines do not always point at the
/// same part of it.
fn is_same_matter(ours: &Finding, theirs: &Finding) -> bool {
    let overlap = |ours: Span, theirs: Span| {
        ours.file == theirs.file && ours.start < theirs.end && theirs.start < ours.end
    };
    let places = ours.primary.zip(theirs.primary);
    (!ours.address.is_empty() && ours.address == theirs.address)
        || places.is_some_and(|(ours, theirs)| overlap(ours, theirs))
}

fn by_each((product, findings): (Product, Vec<Finding>)) -> impl Iterator<Item = (Product, Finding)> {
    findings.into_iter().map(move |finding| (product, finding))
}

/// Whether an engine only says that it does not know what belongs to the other one.
fn is_syntax_of_the_other(finding: &Finding) -> bool {
    finding.rule == Language::UnsupportedBlockOrArgument.id()
}
