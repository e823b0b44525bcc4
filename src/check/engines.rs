//! Decides which engines look at which modules.
//!
//! A root module is for the engines that were asked for, else for those that it shows evidence of, else for both; what it
//! calls is for the same ones. Where no file beside it speaks for one of them, what it is written in may.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::forest::{self, Sight};
use super::library::Library;
use super::rulebook::Rulebook;
use super::sayings::Sayings;
use crate::engine::{Choice, Engine, Product};
use crate::finding::Finding;
use crate::policy::Policy;
use crate::rules::{Context, Earlier};
use crate::source::Worktree;
use crate::tree::NodeId;

/// What all engines together say.
#[derive(Debug)]
pub(super) struct Seen {
    /// The engines that looked, Terraform first.
    pub(super) engines: Vec<Engine>,
    /// By folder: the engines that looked at the module there.
    pub(super) looked: BTreeMap<SmolStr, Vec<Engine>>,
    /// What was found, with the engine where only one of two says so.
    pub(super) findings: Vec<(Finding, Option<Product>)>,
    /// By engine: what it saw.
    pub(super) sights: BTreeMap<Engine, Sight>,
}

/// Looks at every module with the engines that it is for.
pub(super) fn look(
    worktree: &mut Worktree,
    library: &mut Library,
    choice: Option<&Choice>,
    rulebook: &Rulebook<'_>,
    earlier: Option<&Earlier>,
) -> Seen {
    let (sights, mut wanted) = sights(worktree, library, choice, rulebook.policy);
    let context = Context::new(worktree, library.files(), earlier);
    let say = |view: &View<'_>| {
        let mut findings = view.sight.findings(&view.roots, worktree.sources());
        findings.extend(rulebook.findings(&view.sight.tree, &view.roots, &context));
        findings
    };
    let mut sayings = Sayings::of(&wanted.views(&sights), &say, worktree);
    if wanted.by_syntax(&sights, &sayings) {
        sayings = Sayings::of(&wanted.views(&sights), &say, worktree);
    }
    let positive = wanted.positive_folders(&sights);
    let findings = sayings.together(&|folder| positive.contains(folder));
    let mut looked: BTreeMap<SmolStr, Vec<Engine>> = BTreeMap::new();
    for view in wanted.views(&sights) {
        for id in view.sight.tree.below(&view.roots) {
            let folder = view.sight.tree.node(id).module().folder.clone();
            looked.entry(folder).or_default().push(view.engine);
        }
    }
    Seen { engines: wanted.roots.keys().copied().collect(), looked, findings, sights }
}

/// Every module with the eyes of the engines that were asked for, or that files speak for.
pub(super) fn sights(
    worktree: &mut Worktree,
    library: &mut Library,
    choice: Option<&Choice>,
    policy: &Policy,
) -> (BTreeMap<Engine, Sight>, Wanted) {
    let asked = choice.map(Choice::engines);
    let engines = asked.map_or_else(|| Product::ALL.map(Engine::newest).to_vec(), <[Engine]>::to_vec);
    let mut sights: BTreeMap<Engine, Sight> =
        engines.iter().map(|engine| (*engine, forest::look(worktree, library, policy, *engine))).collect();
    let wanted = match asked {
        Some(_) => Wanted::all(&sights),
        None => Wanted::by_files(worktree, &sights),
    };
    for engine in wanted.roots.keys() {
        if !sights.contains_key(engine) {
            sights.insert(*engine, forest::look(worktree, library, policy, *engine));
        }
    }
    (sights, wanted)
}

/// The modules that are for one engine.
pub(super) struct View<'s> {
    pub(super) engine: Engine,
    pub(super) sight: &'s Sight,
    pub(super) roots: Vec<NodeId>,
}

/// Which engines the root modules are for.
pub(super) struct Wanted {
    /// By engine: the folders of its root modules.
    roots: BTreeMap<Engine, BTreeSet<String>>,
    /// Of these, the folders of which it is certain.
    positive: BTreeSet<String>,
}

impl Wanted {
    /// Every root module is for every engine, because somebody said so.
    fn all(sights: &BTreeMap<Engine, Sight>) -> Self {
        let folders = |sight: &Sight| -> BTreeSet<String> {
            sight.tree.roots().iter().map(|root| root.module().folder.to_string()).collect()
        };
        let roots: BTreeMap<_, _> = sights.iter().map(|(engine, sight)| (*engine, folders(sight))).collect();
        let positive = roots.values().flatten().cloned().collect();
        Self { roots, positive }
    }

    /// What the files beside the root modules and above them say; both engines where they say nothing.
    fn by_files(worktree: &Worktree, newest: &BTreeMap<Engine, Sight>) -> Self {
        let mut wanted = Self { roots: BTreeMap::new(), positive: BTreeSet::new() };
        // Which modules are roots may differ between the engines, so each is asked.
        for (engine, sight) in newest {
            for root in sight.tree.roots() {
                let folder = root.module().folder.to_string();
                let evidence = worktree.evidence(&folder);
                for chosen in evidence.engines.into_iter().filter(|chosen| chosen.product == engine.product) {
                    wanted.roots.entry(chosen).or_default().insert(folder.clone());
                }
                if evidence.positive {
                    wanted.positive.insert(folder);
                }
            }
        }
        wanted
    }

    /// Leaves a root module to one engine where it, or what it calls, is written in what only that one understands.
    /// Gives whether anything has changed.
    fn by_syntax(&mut self, sights: &BTreeMap<Engine, Sight>, sayings: &Sayings) -> bool {
        let own = sayings.in_own_syntax();
        let mut leaves: Vec<(Engine, String)> = Vec::new();
        if own.is_empty() {
            return false;
        }
        for view in self.views(sights) {
            for root in &view.roots {
                let folder = view.sight.tree.node(*root).module().folder.to_string();
                let below = view.sight.folders(&[*root]);
                let is_for =
                    |engine: &Engine| self.roots.get(engine).is_some_and(|roots| roots.contains(&folder));
                let mut of_other = false;
                let mut of_own = false;
                for own in below.iter().filter_map(|folder| own.get(*folder)).flatten() {
                    of_other |= own.owner != view.engine.product && own.strangers.contains(&view.engine);
                    of_own |= own.owner == view.engine.product && own.strangers.iter().any(is_for);
                }
                if of_other && !of_own && !self.positive.contains(&folder) {
                    leaves.push((view.engine, folder));
                }
            }
        }
        for (engine, folder) in &leaves {
            if let Some(roots) = self.roots.get_mut(engine) {
                roots.remove(folder);
            }
        }
        self.roots.retain(|_, roots| !roots.is_empty());
        !leaves.is_empty()
    }

    /// The folders that roots lead to of which it is certain what they are for.
    fn positive_folders<'s>(&self, sights: &'s BTreeMap<Engine, Sight>) -> BTreeSet<&'s str> {
        let folders = self.views(sights).into_iter().flat_map(|view| {
            let is_positive = |root: &&NodeId| {
                self.positive.contains(view.sight.tree.node(**root).module().folder.as_str())
            };
            let roots: Vec<NodeId> = view.roots.iter().filter(is_positive).copied().collect();
            view.sight.folders(&roots)
        });
        folders.collect()
    }

    pub(super) fn views<'s>(&self, sights: &'s BTreeMap<Engine, Sight>) -> Vec<View<'s>> {
        let views = self.roots.iter().map(|(engine, folders)| {
            let sight = &sights[engine];
            let roots = sight.tree.roots();
            let roots = roots.iter().filter(|root| folders.contains(root.module().folder.as_str()));
            View { engine: *engine, sight, roots: roots.map(|root| root.id()).collect() }
        });
        views.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::check::{Settings, run};
    use crate::policy::Policy;
    use crate::source::Worktree;

    fn told(files: &[(&str, &str)], policy: &str) -> Vec<String> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let policy = Policy::preset(policy).expect("a preset");
        let outcome =
            run(&mut Worktree::of_files(files.collect()), &Settings { policy, ..Settings::default() });
        let line = |verdict: &crate::check::Verdict| {
            format!("{} {}", verdict.finding.module, verdict.finding.rule.as_str())
        };
        outcome.verdicts.iter().map(line).collect()
    }

    const ASKS: &str = "terraform {\n  required_providers {\n    x = {\n      source = \"y/x\"\n      configuration_aliases = [x.a]\n    }\n  }\n}\n";
    const CALLS: &str = "module \"m\" {\n  source = \"../net\"\n}\n";

    #[test]
    fn an_engine_says_nothing_of_calls_in_modules_that_are_for_the_other_one() {
        // This one has errors of its own, so that its engine does not get to the call.
        let of_tofu = format!("terraform {{\n  encryption {{}}\n}}\nvariable \"a b\" {{}}\n{CALLS}");
        let files = [("net/main.tf", ASKS), ("tofu/main.tf", &of_tofu), ("both/main.tf", CALLS)];
        assert_eq!(told(&files, "language"), ["both missing-provider-configuration", "tofu invalid-name"]);
    }

    #[test]
    fn an_exception_in_a_file_that_no_engine_loads_there_is_left_alone() {
        let called =
            "terraform {\n  required_version = \">= 1.5\"\n}\nmodule \"m\" {\n  source = \"../net\"\n}\n";
        let comment = "# overrule: allow(invalid-name) nothing is wrong\nlocals {}\n";
        let files = [
            ("net/main.tf", comment),
            ("net/main.tofu", ""),
            ("tofu/main.tf", called),
            ("tofu/.opentofu-version", "1.9.0\n"),
            ("terraform/.terraform-version", "1.9.0\n"),
            ("terraform/main.tf", comment),
        ];
        assert_eq!(told(&files, "recommended"), ["terraform unused-exception"]);
    }

    #[test]
    fn what_an_old_version_does_not_know_is_no_syntax_of_the_other_engine() {
        let shared = "variable \"a\" {\n  ephemeral = true\n}\nvariable \"b c\" {}\n";
        let files = [
            ("net/main.tf", shared),
            ("old/main.tf", CALLS),
            ("old/.terraform-version", "1.5.7\n"),
            ("new/main.tf", CALLS),
        ];
        // Only Terraform asks for a version where there are `.tf` files.
        let told = told(&files, "recommended");
        assert!(told.contains(&"new required-version-missing".to_owned()), "{told:?}");
    }

    #[test]
    fn two_versions_that_say_the_same_at_different_times_say_it_once() {
        let calls = "module \"m\" {\n  source = \"../net\"\n  none   = 1\n}\n";
        let shared = "terraform {\n  required_version = \">= 1.5\"\n}\n";
        let root = "module \"m\" {\n  source = \"../app\"\n}\n";
        let files = [
            ("net/main.tf", shared),
            ("app/main.tf", calls),
            ("old/main.tf", root),
            ("old/.terraform-version", "1.9.8\n"),
            ("new/main.tf", root),
        ];
        assert_eq!(told(&files, "language"), ["app unknown-module-argument"]);
    }

    #[test]
    fn a_ring_that_another_one_leads_to_is_for_the_engines_of_that() {
        let ring = |own: &str, other: &str| {
            format!(
                "module \"own\" {{\n  source = \"../{own}\"\n}}\nmodule \"other\" {{\n  source = \"../{other}\"\n}}\n"
            )
        };
        let (inner, outer) = (ring("a", "a"), ring("b", "a"));
        let files = [
            ("a/main.tf", inner.as_str()),
            ("a/.terraform-version", "1.9.8\n"),
            ("b/main.tf", &outer),
            ("b/.opentofu-version", "1.9.0\n"),
        ];
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let outcome = run(&mut Worktree::of_files(texts.collect()), &Settings::default());
        assert_eq!(outcome.engine, "opentofu@1.9.0");
    }
}
