//! The rules that a policy turns on, and their findings in a graph of modules.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use rayon::prelude::*;
use smol_str::SmolStr;

use crate::check::engines::capped::{cap, skipped};
use crate::finding::{Finding, RuleId, Severity};
use crate::graph::{ModuleGraph, Node, NodeId, Reason, Role};
use crate::policy::{Level, Policy};
use crate::rules::{self, Check, Context, Shared, Template};
use crate::text::Sources;
use crate::vfs::parent;

/// The rules that are on, each configured.
pub(super) struct ActiveRules<'p> {
    pub(super) policy: &'p Policy,
    ready: Vec<Ready>,
}

/// A rule with its options.
struct Ready {
    rule: SmolStr,
    /// The indexes of the settings of the policy with these options.
    settings: BTreeSet<usize>,
    /// The level of its findings.
    level: Option<Severity>,
    /// The roles of the modules that it checks.
    roles: &'static [Role],
    /// Whether it applies only at some paths.
    is_limited: bool,
    check: Check,
}

/// The steps of a rule that applies only at some paths. There may be many such settings of each rule.
const STEPS_OF_RULE: usize = 4;

impl<'p> ActiveRules<'p> {
    /// Configures the rules that a policy turns on, or of these only the selected ones, if any are. Mistakes in their
    /// options are added to the findings.
    pub(super) fn new(policy: &'p Policy, select: &[RuleId], findings: &mut Vec<Finding>) -> Self {
        let mut active_rules = Self { policy, ready: Vec::new() };
        let is_selected = |rule: &str| select.is_empty() || select.iter().any(|id| id.as_str() == rule);
        for rule in policy.rules().filter(|rule| is_selected(rule)) {
            active_rules.configure(rule, findings);
        }
        // If a module has too many findings, the last rules are skipped.
        active_rules.ready.sort_by_key(|ready| ready.level);
        active_rules
    }

    /// Configures a rule once for all settings with the same options.
    fn configure(&mut self, rule: &str, findings: &mut Vec<Finding>) {
        let entry = rules::entry(rule);
        let settings = self.policy.settings(rule);
        let replaced = settings.len() - self.policy.effective(rule).len();
        let mut known: HashMap<_, usize> = HashMap::new();
        for (number, setting) in settings.iter().enumerate() {
            let check = match (entry, &setting.definition) {
                // A policy that gives a custom rule the name of a built-in one is refused.
                (Some(_), Some(_)) => continue,
                (Some(entry), None) => entry.configure(setting.options()).map(Some),
                (None, Some(definition)) => {
                    // A policy with an unknown template is refused.
                    let Some(template) = Template::named(&definition.template) else { continue };
                    template.configure(rule, setting.options()).map(Some)
                }
                // So is one with an unknown rule.
                (None, None) if rules::page::Page::of(rule).is_none() => continue,
                // Engine rules have no options.
                (None, None) => setting.options().known(&[]).map(|_| None),
            };
            let check = match check {
                Ok(Some(check)) if setting.is_on() && number >= replaced => check,
                Ok(_) => continue,
                Err(mistakes) => {
                    findings.extend(mistakes);
                    continue;
                }
            };
            // Roles in the policy replace those of a rule that gives advice.
            let of_rule = entry.map_or(&Role::ALL[..], |entry| entry.roles);
            let is_asked = of_rule == rules::ADVICE && setting.common.roles.is_some();
            let roles = if is_asked { &Role::ALL[..] } else { of_rule };
            let level = setting.level.and_then(Level::severity);
            let ready = *known.entry((setting.identity(), roles)).or_insert_with(|| {
                let (rule, settings) = (rule.into(), BTreeSet::new());
                self.ready.push(Ready { rule, settings, level, roles, is_limited: true, check });
                self.ready.len() - 1
            });
            let ready = &mut self.ready[ready];
            ready.settings.insert(number);
            ready.level = ready.level.min(level);
            ready.is_limited &= setting.is_limited();
        }
    }

    /// Whether a rule needs to know which dependency lock files a `.gitignore` excludes.
    pub(super) fn asks_for_excluded_locks(&self) -> bool {
        let asks =
            |rule: &SmolStr| rules::entry(rule.as_str()).is_some_and(|entry| entry.asks_for_excluded_locks);
        self.ready.iter().any(|ready| asks(&ready.rule))
    }

    /// Checks the modules that these roots call, directly or not, except `not_modules`. Returns the findings with the
    /// checked module, which may be another one than that of the finding.
    pub(super) fn findings(
        &self,
        graph: &ModuleGraph,
        roots: &[NodeId],
        not_modules: &BTreeSet<NodeId>,
        context: &Context<'_>,
    ) -> Vec<(NodeId, Finding)> {
        if self.ready.is_empty() {
            return Vec::new();
        }
        let mut below = graph.below(roots);
        below.retain(|id| {
            let node = graph.node(*id);
            !node.module().excluded && !node.is_installed() && !not_modules.contains(id)
        });
        let found: Vec<Vec<Finding>> = below.par_iter().map(|id| self.of(graph.node(*id), context)).collect();
        let of_module = |(id, found): (_, Vec<Finding>)| found.into_iter().map(move |finding| (id, finding));
        below.into_iter().zip(found).flat_map(of_module).collect()
    }

    fn of(&self, node: Node<'_>, context: &Context<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let (role, reason) = node.role_with_reason();
        let (limits, bytes) = (&node.module().limits, node.module().bytes);
        let (most, most_steps) = (limits.findings_of_rules(bytes), limits.steps_of_rules(bytes));
        let shared = Shared::of(node.module());
        let (context, steps) = (&context.sharing(&shared), &shared.steps);
        let mut of_role = self.ready.iter().filter(|ready| ready.roles.contains(&role));
        while let Some(ready) = of_role.next() {
            let mut found = Vec::new();
            (ready.check)(node, context, &mut found);
            let is_assumed = reason.is_assumption() && ready.roles.len() == 1;
            for finding in &mut found {
                if is_assumed {
                    finding.add_sentence(&assumption(role, reason));
                }
                if finding.module.is_empty() {
                    let other = finding.primary.filter(|at| context.file(at.file).is_none());
                    let file = other.map(|at| context.sources().get(at.file).name());
                    finding.module = match file {
                        Some(file) => parent(file).unwrap_or_default().into(),
                        None => node.module().directory.clone(),
                    };
                }
            }
            found.retain(|finding| self.is_asked_for(ready, finding, context.sources()));
            cap(&mut found);
            findings.append(&mut found);
            if ready.is_limited {
                steps.fetch_add(STEPS_OF_RULE, Ordering::Relaxed);
            }
            let has_too_many = findings.len() > most;
            if has_too_many || steps.load(Ordering::Relaxed) > most_steps {
                let rest = of_role.count();
                let most = has_too_many.then_some(most);
                findings
                    .extend((rest > 0).then(|| skipped(rest, most).module(node.module().directory.clone())));
                break;
            }
        }
        findings
    }

    /// Whether this is the setting that applies at the path of a finding.
    fn is_asked_for(&self, ready: &Ready, finding: &Finding, sources: &Sources) -> bool {
        let place = crate::check::location::place_of(finding, sources);
        self.policy.setting(&ready.rule, place).is_some_and(|(setting, _)| ready.settings.contains(&setting))
    }
}

/// The sentence about a role without evidence, for rules that check only modules of this role.
fn assumption(role: Role, reason: Reason) -> String {
    let role = if role == Role::Root { "a root module" } else { "a shared module" };
    format!(
        "overrule treats this module as {role}, because {}; a `role` block in the policy changes that.",
        reason.clause()
    )
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use crate::check::{SetBy, Settings, run};
    use crate::finding::RuleId;
    use crate::policy::Policy;
    use crate::vfs::Snapshot;

    const FILES: &[(&str, &str)] = &[
        (
            "net/main.tf",
            indoc! {r#"
                terraform {
                  required_providers {
                    x = { source = "y/x" }
                  }
                }
            "#},
        ),
        ("net/terraform.tfvars", ""),
        (
            "net/override.tf",
            indoc! {r#"
                terraform {
                  required_providers {
                    x = { version = "1.0" }
                  }
                }
            "#},
        ),
    ];

    fn reported(settings: &Settings) -> Vec<String> {
        let files = FILES.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let verdicts = run(&mut Snapshot::of_files(files.collect()), settings).verdicts;
        let asker = |set_by: &SetBy| match set_by {
            SetBy::Engine => "engine".to_owned(),
            SetBy::Policy { file, .. } | SetBy::Preset { file, .. } => file.to_string(),
        };
        let one = verdicts.iter().map(|v| {
            format!(
                "{} {} {} {}",
                v.finding.module,
                v.finding.rule.as_str(),
                v.level.name(),
                asker(&v.set_by)
            )
        });
        one.collect()
    }

    #[test]
    fn findings_of_both_engines_are_reported_once_at_the_level_of_the_policy() {
        let reported = reported(&Settings::default());
        assert_eq!(reported, ["net override-drops-provider-source error recommended.hcl"]);
    }

    #[test]
    fn a_rule_is_off_by_default() {
        let policy = Policy::preset("language").expect("a preset");
        let settings = Settings { policy, ..Settings::default() };
        assert!(reported(&settings).is_empty());
        let select = vec![RuleId::named("override-drops-provider-source")];
        assert_eq!(reported(&Settings { select, ..settings }).len(), 1, "asked for by name");
    }

    #[test]
    fn a_finding_states_a_role_without_evidence() {
        let details = |files: &[(&str, &str)]| -> Vec<String> {
            let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
            let select = vec![RuleId::named("upper-bound-in-shared-module")];
            let settings = Settings { select, ..Settings::default() };
            let verdicts = run(&mut Snapshot::of_files(files.collect()), &settings).verdicts;
            verdicts.into_iter().map(|verdict| verdict.finding.detail).collect()
        };
        let bounded = "terraform {\n  required_version = \"~> 1.5\"\n}\n";
        let assumed = details(&[("main.tf", bounded), ("modules/net/main.tf", "locals {}\n")]);
        assert!(
            assumed[0].ends_with(
                " overrule treats this module as a shared module, because no directory looks like a root \
                 module; a `role` block in the policy changes that."
            ),
            "{assumed:?}"
        );
        let known = details(&[("modules/net/main.tf", bounded)]);
        assert!(!known[0].contains("overrule"), "{known:?}");
    }

    #[test]
    fn a_rule_can_be_left_out() {
        let ignore = vec![RuleId::named("override-drops-provider-source")];
        assert!(reported(&Settings { ignore, ..Settings::default() }).is_empty());
    }
}
