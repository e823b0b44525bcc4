//! Looks at all modules, batch by batch, with the engines that each is for, and brings together what they say.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::account::Account;
use super::alike;
use super::batches::{Batch, Crossing, Obstacle};
use super::exceptions::may_excuse;
use super::forest::{self, Sight};
use super::library::Library;
use super::rulebook::Rulebook;
use super::sayings::Sayings;
use super::threads::one_in_each;
use super::wanted::Wanted;
use crate::engine::{Choice, Engine, Product};
use crate::finding::Finding;
use crate::policy::Policy;
use crate::rules::{Context, Earlier};
use crate::source::Worktree;
use crate::tree::{NodeId, Tree};

/// What all engines together say.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The engines that looked, Terraform first.
    pub(super) engines: BTreeSet<Engine>,
    /// By folder: the engines that looked at the module there.
    pub(super) looked: BTreeMap<SmolStr, Vec<Engine>>,
    /// What was found, with the engine where only one of two says so.
    pub(super) findings: Vec<(Finding, Option<Product>)>,
    /// By engine: the modules as it saw them, if they were to be kept.
    pub(super) trees: BTreeMap<Engine, Tree>,
}

/// What is asked of the engines.
pub(super) struct Question<'q> {
    /// Those that were asked for.
    pub(super) choice: Option<&'q Choice>,
    /// The rules, and the policy that has them on.
    pub(super) rulebook: &'q Rulebook<'q>,
    /// What it all was before a change.
    pub(super) earlier: Option<&'q Earlier>,
    /// Whether the modules are to be kept.
    pub(super) keep: bool,
    /// How many bytes of files are looked at at a time.
    pub(super) batch: usize,
}

/// Looks at every module with the engines that it is for.
pub(super) fn look(worktree: &mut Worktree, library: &mut Library, question: &Question<'_>) -> Seen {
    // What is to be kept is small, and has to be one tree.
    let batches =
        if question.keep { vec![Batch::whole(worktree)] } else { Batch::all(worktree, question.batch) };
    in_batches(worktree, library, batches, question).unwrap_or_else(|Crossing| {
        let whole = vec![Batch::whole(worktree)];
        in_batches(worktree, library, whole, question).expect("what is whole has nowhere else to lead to")
    })
}

fn in_batches(
    worktree: &mut Worktree,
    library: &mut Library,
    batches: Vec<Batch>,
    question: &Question<'_>,
) -> Result<Seen, Crossing> {
    let mut seen = Seen::default();
    let first =
        if batches.len() > 1 { side_by_side(worktree, library, &batches, question) } else { Vec::new() };
    let mut first = first.into_iter();
    for mut batch in batches {
        let (of_batch, read) = match first.next() {
            Some(Ok(looked)) => looked,
            Some(Err(Obstacle::Crossing)) => return Err(Crossing),
            // By itself, it may have read what it asks for.
            Some(Err(Obstacle::Unread(_))) | None => {
                let mut read = library.another();
                let look = |worktree: &Worktree, batch: &Batch| look_at(worktree, &mut read, batch, question);
                (batch.look(worktree, look)?, read)
            }
        };
        seen.add(of_batch);
        library.take(read);
    }
    Ok(seen)
}

/// Looks at batches, as far as nothing more has to be read for that.
fn side_by_side(
    worktree: &Worktree,
    library: &Library,
    batches: &[Batch],
    question: &Question<'_>,
) -> Vec<Result<(Seen, Library), Obstacle>> {
    one_in_each(batches, |batch| {
        let mut read = library.another();
        Ok((look_at(worktree, &mut read, batch, question)?, read))
    })
}

/// Looks at a batch of modules with the engines that each is for, and keeps of the files what is asked for at the end.
///
/// One engine looks after the other, and what it has built goes when it is done: modules are the largest thing that a
/// run holds.
fn look_at(
    worktree: &Worktree,
    library: &mut Library,
    batch: &Batch,
    question: &Question<'_>,
) -> Result<Seen, Obstacle> {
    let policy = question.rulebook.policy;
    let mut heard = Heard { question, accounts: Vec::new(), trees: BTreeMap::new() };
    let mut wanted = ask(worktree, library, batch, question.choice, policy, &mut |library, sight, roots| {
        heard.add(worktree, library, sight, &roots)
    })?;
    let mut sayings = Sayings::of(&mut heard.accounts, worktree);
    if wanted.by_syntax(&heard.accounts, &sayings) {
        heard = Heard { question, accounts: Vec::new(), trees: BTreeMap::new() };
        for engine in wanted.roots.keys() {
            let sight = forest::look(worktree, library, batch, policy, *engine)?;
            let roots = wanted.roots_in(&sight.tree);
            heard.add(worktree, library, sight, &roots);
        }
        sayings = Sayings::of(&mut heard.accounts, worktree);
    }
    let Heard { accounts, trees, .. } = heard;
    library.put_away(|id| may_excuse(worktree.sources().get(id)));
    let positive = wanted.positive_folders(&accounts);
    let findings = sayings.together(&|folder| positive.contains(folder));
    let mut looked: BTreeMap<SmolStr, Vec<Engine>> = BTreeMap::new();
    for account in &accounts {
        for folder in account.folders() {
            looked.entry(folder.clone()).or_default().push(account.engine);
        }
    }
    for (engine, folders) in wanted.spared {
        for folder in folders {
            let engines = looked.entry(folder).or_default();
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
    }
    Ok(Seen { engines: wanted.roots.keys().copied().collect(), looked, findings, trees })
}

impl Seen {
    /// Adds what is said of other modules.
    fn add(&mut self, other: Self) {
        self.engines.extend(other.engines);
        self.looked.extend(other.looked);
        self.findings.extend(other.findings);
        self.trees.extend(other.trees);
    }
}

/// What was heard so far.
struct Heard<'q> {
    question: &'q Question<'q>,
    accounts: Vec<Account>,
    trees: BTreeMap<Engine, Tree>,
}

impl Heard<'_> {
    /// Listens to what is to be said of the modules that an engine sees, as far as those roots lead to them. Gives the
    /// folders of which the next engine would say the same: nothing.
    fn add(
        &mut self,
        worktree: &Worktree,
        library: &Library,
        sight: Sight,
        roots: &[NodeId],
    ) -> BTreeSet<SmolStr> {
        let context = Context::new(worktree, library.files(), self.question.earlier);
        let mut surveyed = sight.survey(roots, worktree.sources());
        let mut findings = std::mem::take(&mut surveyed.findings);
        findings.extend(self.question.rulebook.findings(&sight.tree, roots, &context));
        // Who keeps the modules wants to have them of every engine, and who was asked for is asked.
        let is_free =
            !self.question.keep && self.question.earlier.is_none() && self.question.choice.is_none();
        let alike = if is_free {
            alike::folders(&sight.tree, roots, &surveyed, &findings, worktree)
        } else {
            BTreeSet::new()
        };
        self.accounts.push(Account::new(&sight.tree, roots, findings, worktree));
        if self.question.keep {
            self.trees.insert(sight.tree.engine(), sight.tree);
        } else {
            sight.discard();
        }
        alike
    }
}

/// Every module with the eyes of the engines that were asked for, or that files speak for, and by engine the root modules
/// that are for it.
pub(super) fn sights(
    worktree: &mut Worktree,
    library: &mut Library,
    choice: Option<&Choice>,
    policy: &Policy,
) -> BTreeMap<Engine, (Sight, Vec<NodeId>)> {
    let look = |worktree: &Worktree, batch: &Batch| {
        let mut sights = BTreeMap::new();
        ask(worktree, library, batch, choice, policy, &mut |_, sight, roots| {
            sights.insert(sight.tree.engine(), (sight, roots));
            BTreeSet::new()
        })?;
        Ok(sights)
    };
    Batch::whole(worktree).look(worktree, look).expect("what is whole has nowhere else to lead to")
}

/// Who is told what an engine sees, and which of the root modules are for it, and gives the folders at which the next one
/// need not look.
type Listener<'l> = &'l mut dyn FnMut(&Library, Sight, Vec<NodeId>) -> BTreeSet<SmolStr>;

/// Looks with every engine that was asked for, or that files speak for, one after the other.
fn ask(
    worktree: &Worktree,
    library: &mut Library,
    batch: &Batch,
    choice: Option<&Choice>,
    policy: &Policy,
    listen: Listener<'_>,
) -> Result<Wanted, Obstacle> {
    let mut wanted = Wanted::default();
    let asked = choice.map(Choice::engines);
    let engines = asked.map_or_else(|| Product::ALL.map(Engine::newest).to_vec(), <[Engine]>::to_vec);
    let mut spared = BTreeSet::new();
    for engine in engines {
        let batch = &batch.sparing(&spared, worktree);
        let sight = forest::look(worktree, library, batch, policy, engine)?;
        if asked.is_some() {
            wanted.all(&sight.tree);
        } else {
            wanted.by_files(worktree, &sight.tree);
            wanted.spare(engine, &spared);
        }
        let is_meant = |other: &Engine| match asked {
            Some(_) => *other == engine,
            None => other.product == engine.product,
        };
        let mut first = Some(sight);
        for meant in wanted.roots.keys().filter(|other| is_meant(other)) {
            let sight = match first.take_if(|sight| sight.tree.engine() == *meant) {
                Some(sight) => sight,
                None => forest::look(worktree, library, batch, policy, *meant)?,
            };
            let roots = wanted.roots_in(&sight.tree);
            spared.extend(listen(library, sight, roots));
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::example::examples;
    use crate::check::{Settings, run};
    use crate::finding::RuleId;
    use crate::rules::page::PAGES;

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

    /// What is seen, as text in an order of its own. Where the modules are kept, no engine is left out.
    fn seen(files: &[(String, String)], select: &[RuleId], keep: bool, batch: usize) -> Vec<String> {
        let files = files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
        let policy = Policy::preset("strict").expect("a preset");
        let rulebook = Rulebook::new(&policy, select, &mut Vec::new());
        let question = Question { choice: None, rulebook: &rulebook, earlier: None, keep, batch };
        let seen = look(&mut Worktree::of_files(files.collect()), &mut Library::default(), &question);
        let mut told: Vec<String> = seen.findings.iter().map(|finding| format!("{finding:?}")).collect();
        told.sort();
        told.push(format!("{:?} {:?}", seen.engines, seen.looked));
        told
    }

    #[test]
    fn what_is_said_does_not_depend_on_the_batches() {
        let mut files = Vec::new();
        for number in 0..8 {
            // The last of them calls the first in words that do not show it before they are read.
            let source = if number == 7 { "..\\/net0".to_owned() } else { format!("../net{}", number / 2) };
            let call = format!(
                "{{\"module\": {{\"m\": {{\"source\": \"{source}\", \"count\": 2, \"n{number}\": 1}}}}}}"
            );
            files.push((format!("live{number}/main.tf.json"), call));
            files.push((
                format!("net{number}/main.tf"),
                "provider \"aws\" {}\nvariable \"n\" {}\n".to_owned(),
            ));
            files.push((format!("net{number}/a_override.tf"), "variable \"m\" {}\n".to_owned()));
            files.push((format!("tofu{number}/main.tofu"), "locals {\n  a = tofu.b\n}\n".to_owned()));
        }
        // A folder without files of its own is known once somebody calls it.
        let odd = "module \"m\" {\n  source = \"../none\"\n}\nmodule \"n\" {\n  source = \"../nothing\"\n}\n";
        files.push(("odd/main.tf".to_owned(), odd.to_owned()));
        files.push(("none/below/main.tf".to_owned(), "locals {}\n".to_owned()));
        let whole = seen(&files, &[], true, usize::MAX);
        assert!(whole.len() > 30, "{}", whole.len());
        assert_eq!(seen(&files, &[], false, 1), whole);
        files.retain(|(path, _)| !path.starts_with("live7/"));
        assert_eq!(seen(&files, &[], false, 1), seen(&files, &[], true, usize::MAX));
    }

    #[test]
    fn what_is_said_does_not_depend_on_who_need_not_look() {
        for page in PAGES {
            let rule = [RuleId::named(page.rule)];
            for example in examples(page.text).expect("a page is well-formed") {
                let files: Vec<(String, String)> =
                    example.files.into_iter().map(|file| (file.name, file.text)).collect();
                let whole = seen(&files, &rule, true, usize::MAX);
                assert_eq!(seen(&files, &rule, false, usize::MAX), whole, "{}: {}", page.rule, example.claim);
            }
        }
    }

    #[test]
    fn opentofu_need_not_look_where_it_would_find_nothing() {
        let looks = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
            let worktree = Worktree::of_files(files.collect());
            let policy = Policy::preset("language").expect("a preset");
            let rulebook = Rulebook::new(&policy, &[], &mut Vec::new());
            let question =
                Question { choice: None, rulebook: &rulebook, earlier: None, keep: false, batch: usize::MAX };
            let batch = Batch::whole(&worktree);
            let mut heard = Heard { question: &question, accounts: Vec::new(), trees: BTreeMap::new() };
            ask(&worktree, &mut Library::default(), &batch, None, &policy, &mut |library, sight, roots| {
                heard.add(&worktree, library, sight, &roots)
            })
            .expect("all of it");
            let folders = |account: &Account| account.folders().into_iter().cloned().collect::<Vec<_>>();
            heard
                .accounts
                .iter()
                .filter(|account| account.engine.product == Product::OpenTofu)
                .flat_map(folders)
                .collect::<Vec<_>>()
        };
        let quiet = ("a/main.tf", CALLS);
        let called = ("net/main.tf", "variable \"a\" {}\n");
        assert_eq!(looks(&[quiet, ("net/main.tf", "")]), [""; 0]);
        assert_eq!(looks(&[quiet, called, ("b/main.tf", "locals {}\n")]), ["a", "net"]);
        for text in [
            "locals {\n  a = true && true\n}\n",
            "locals {\n  a = string\n}\n",
            "variable \"a\" {\n  type    = object({})\n  default = { b = 1 }\n}\n",
            "output \"a\" {\n  type  = string\n  value = \"\"\n}\n",
            "terraform {\n  required_providers {\n    x = { source = \"registry.terraform.io/a/x\" }\n  }\n}\n",
            "locals {\n  a = local.none\n}\n",
        ] {
            assert_eq!(looks(&[("a/main.tf", text), ("b/main.tf", "locals {}\n")]), ["a"], "{text}");
        }
        assert_eq!(looks(&[("a/main.tf", ""), ("a/main.tofu", "locals {}\n")]), ["a"]);
        assert_eq!(looks(&[("a/main.tf", ""), ("a/.opentofu-version", "1.12.0\n")]), ["a"]);
    }
}
