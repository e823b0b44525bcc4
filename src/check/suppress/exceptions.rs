//! Applies the exceptions of comments and policies to findings, and reports exceptions that have no effect or are
//! invalid.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use hashbrown::{HashMap, HashSet};
use memchr::memmem::Finder;
use smol_str::SmolStr;

use crate::check::load_policy::rule_names_under;
use crate::check::location::places_of;
use crate::check::settings::Settings;
use crate::check::suppress::allow;
use crate::check::suppress::comment_scope::CommentPlaces;
use crate::check::verdict::{AppliedException, Outcome, Suppressed, Verdict};
use crate::engine::Engine;
use crate::finding::{Code, Finding, Related, RuleId, Severity};
use crate::policy::{EXCEPTION_COMMENT, Exception, Setting, Until, can_be_off};
use crate::rules;
use crate::session::parse_cache::ParseCache;
use crate::text::{FileId, Source, Sources, Span, Suggestions};
use crate::vfs::{Snapshot, ancestors};

/// Searches for the start of an exception.
static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(EXCEPTION_COMMENT));

/// The rule for exceptions without effect.
pub const UNUSED_EXCEPTION: RuleId = RuleId::built_in("unused-exception");

/// The rule for expired exceptions.
pub const EXPIRED_EXCEPTION: RuleId = RuleId::built_in("expired-exception");

/// The summary for a comment that a policy does not allow.
const REFUSED: &str = "has no effect: the policy does not allow exceptions in comments";

/// All exceptions of a run.
#[derive(Debug)]
pub(in crate::check) struct Exceptions<'e> {
    settings: &'e Settings,
    sources: &'e Sources,
    comments: Vec<Comment>,
    /// The ranges that each comment applies to.
    places: CommentPlaces,
    blocks: Vec<Block<'e>>,
    covering: Covering,
    ended: Vec<Ended<'e>>,
    covering_ended: Covering,
    /// The names of all rules.
    names: Vec<SmolStr>,
    suggestions: Suggestions,
    /// Whether the run can report a block without effect. It cannot if it reads only a part of the repository.
    judges_blocks: bool,
    /// The findings about the exceptions themselves.
    findings: Vec<Finding>,
}

/// The numbers of the exceptions, by rule.
#[derive(Debug, Default)]
struct Covering {
    /// Those that may cover a path in a directory.
    by_directory: HashMap<SmolStr, HashMap<String, Vec<usize>>>,
    /// Those that cover a path, as far as it was asked.
    by_path: HashMap<String, HashMap<String, Arc<[usize]>>>,
}

impl Covering {
    fn add(&mut self, number: usize, exception: &Exception) {
        let by_directory = self.by_directory.entry(exception.rule.clone()).or_default();
        for directory in exception.directories() {
            by_directory.entry_ref(directory).or_default().push(number);
        }
    }

    /// The numbers of the exceptions that cover a finding.
    fn of<'e>(
        &mut self,
        finding: &Finding,
        sources: &Sources,
        exception: impl Fn(usize) -> &'e Exception,
    ) -> BTreeSet<usize> {
        let rule = finding.rule.as_str();
        let Some(by_directory) = self.by_directory.get(rule) else { return BTreeSet::new() };
        let by_path = self.by_path.entry_ref(rule).or_default();
        let covering = |place: &str| {
            let near = ancestors(place).filter_map(|directory| by_directory.get(directory)).flatten();
            near.copied().filter(|number| exception(*number).covers(rule, place)).collect()
        };
        let places = places_of(finding, sources);
        let numbers = places.map(|place| by_path.entry_ref(place).or_insert_with(|| covering(place)).clone());
        numbers.flat_map(|numbers| numbers.to_vec()).collect()
    }
}

/// One rule in a comment.
#[derive(Debug)]
struct Comment {
    rule: SmolStr,
    reason: SmolStr,
    at: Span,
    about: Span,
    /// The directory of the module.
    module: SmolStr,
    /// Whether that module was understood and reported completely, so that findings would exist.
    complete: bool,
    used: bool,
}

/// An `exception` block.
#[derive(Debug)]
struct Block<'e> {
    exception: &'e Exception,
    used: bool,
}

/// An `exception` block after its last day.
#[derive(Debug)]
struct Ended<'e> {
    exception: &'e Exception,
    until: Until,
    /// The first finding that is reported again.
    reported: Option<Span>,
}

impl<'e> Exceptions<'e> {
    /// Collects the exceptions of the policy, and those of comments in files that one of the engines in `checked_by`
    /// loads.
    pub(in crate::check) fn gather(
        snapshot: &'e Snapshot,
        cache: &ParseCache,
        checked_by: &BTreeMap<SmolStr, Vec<Engine>>,
        settings: &'e Settings,
    ) -> Self {
        let sources = snapshot.sources();
        let mut exceptions = Self {
            settings,
            sources,
            comments: Vec::new(),
            places: CommentPlaces::default(),
            blocks: Vec::new(),
            covering: Covering::default(),
            ended: Vec::new(),
            covering_ended: Covering::default(),
            names: rule_names_under(&settings.policy),
            suggestions: Suggestions::default(),
            judges_blocks: snapshot.is_whole(),
            findings: Vec::new(),
        };
        for exception in settings.policy.exceptions() {
            let until =
                exception.until.filter(|until| settings.today.is_some_and(|today| until.date < today));
            if let Some(until) = until {
                exceptions.covering_ended.add(exceptions.ended.len(), exception);
                exceptions.ended.push(Ended { exception, until, reported: None });
            } else {
                exceptions.covering.add(exceptions.blocks.len(), exception);
                exceptions.blocks.push(Block { exception, used: false });
            }
        }
        let own = snapshot.directories().iter().filter(|found| !snapshot.is_installed(&found.path));
        for directory in own {
            let engines = checked_by.get(&directory.path).into_iter().flatten();
            let mut files: Vec<FileId> = engines
                .flat_map(|engine| directory.module_files(*engine))
                .filter_map(|(file, _)| file.id)
                .collect();
            files.sort_unstable();
            files.dedup();
            let complete = directory.files.iter().all(|file| file.id.is_some_and(|id| cache.is_complete(id)));
            for id in files {
                exceptions.comments(id, cache, &directory.path, complete);
            }
        }
        for (directory, file) in snapshot.companions() {
            if let Some(id) = file.id {
                let module = SmolStr::new(snapshot.owner(directory).unwrap_or(directory));
                exceptions.comments(id, cache, &module, cache.file(id).is_some_and(|file| file.complete));
            }
        }
        for directory in snapshot.directories() {
            if let Some(id) = directory.lock {
                exceptions.comments(id, cache, &directory.path, true);
            }
        }
        exceptions
    }

    /// Adds verdicts to an outcome, as reported or suppressed ones. Returns the findings about the exceptions themselves.
    pub(in crate::check) fn split(mut self, verdicts: Vec<Verdict>, outcome: &mut Outcome) -> Vec<Finding> {
        // Findings that a limit left out may be those that an exception is for.
        let is_left_out = |verdict: &&Verdict| matches!(verdict.finding.code, Some(Code::FindingsLeftOut(_)));
        let incomplete: HashSet<SmolStr> =
            verdicts.iter().filter(is_left_out).map(|verdict| verdict.finding.module.clone()).collect();
        self.comments
            .iter_mut()
            .for_each(|comment| comment.complete &= !incomplete.contains(&comment.module));
        self.places = CommentPlaces::of(self.comments.iter().map(|comment| (&comment.rule, comment.about)));
        for mut verdict in verdicts {
            let can_be_suppressed = can_be_off(&verdict.finding.rule);
            let exception = can_be_suppressed.then(|| self.suppress(&mut verdict.finding)).flatten();
            if let Some(exception) = exception {
                outcome.suppressed.push(Suppressed { verdict, exception });
            } else {
                self.record_expired(&verdict.finding);
                outcome.verdicts.push(verdict);
            }
        }
        self.unused(incomplete.is_empty());
        if self.judges_blocks {
            self.findings.extend(self.ended.iter().map(Ended::finding));
        }
        let policy = &self.settings.policy;
        let is_asked_for =
            |finding: &Finding| policy.settings(finding.rule.as_str()).iter().any(Setting::is_on);
        self.findings.retain(is_asked_for);
        self.findings
    }

    /// The exception that suppresses a finding, the nearest one first. All that match count as used. A comment that
    /// would match but is not allowed is added to the finding.
    fn suppress(&mut self, finding: &mut Finding) -> Option<AppliedException> {
        let rule = finding.rule.as_str();
        let mut exception = None;
        let mut refused = None;
        let comment = finding.primary.and_then(|at| self.places.first_at(rule, at));
        if let Some(comment) = comment.map(|number| &self.comments[number]) {
            if self.settings.allows_comments() {
                exception = Some(AppliedException { reason: comment.reason.clone(), in_source: true });
            } else {
                refused = Some(comment.at);
            }
        }
        let numbers = self.covering.of(finding, self.sources, |number| self.blocks[number].exception);
        for number in numbers {
            let block = &mut self.blocks[number];
            block.used = true;
            exception
                .get_or_insert(AppliedException { reason: block.exception.reason.clone(), in_source: false });
        }
        if let Some(at) = refused.filter(|_| exception.is_none()) {
            finding.related.push(Related { span: at, message: REFUSED.to_owned() });
        }
        exception
    }

    /// Records a finding that an expired exception no longer suppresses.
    fn record_expired(&mut self, finding: &Finding) {
        let numbers = self.covering_ended.of(finding, self.sources, |number| self.ended[number].exception);
        for number in numbers {
            let ended = &mut self.ended[number];
            ended.reported = ended.reported.or(finding.primary);
        }
    }

    fn comments(&mut self, id: FileId, cache: &ParseCache, directory: &SmolStr, complete: bool) {
        // Most files without exceptions are evicted already.
        let (source, Some(file)) = (self.sources.get(id), cache.file(id)) else { return };
        if !may_contain_exceptions(source) {
            return;
        }
        for remark in file.remarks(source, EXCEPTION_COMMENT) {
            let wrong =
                |summary: &str| finding(UNUSED_EXCEPTION, summary).at(remark.span).module(directory.clone());
            let allowed = match allow::read(&remark) {
                Ok(allowed) => allowed,
                Err(help) => {
                    self.findings.push(wrong("Invalid exception").help(help));
                    continue;
                }
            };
            for rule in allowed.rules {
                if !self.names.iter().any(|name| *name == rule) {
                    let finding = wrong("Exception for an unknown rule")
                        .detail(format!("No rule is named `{rule}`."))
                        .help(if rule.contains('*') {
                            "write the whole name of each rule; `overrule rules` lists them"
                        } else {
                            "`overrule rules` lists them all"
                        })
                        .meant(self.suggestions.nearest(&rule, self.names.iter().map(SmolStr::as_str)));
                    self.findings.push(finding);
                    continue;
                }
                let (at, about) = (remark.span, remark.about);
                let (rule, reason, module) =
                    (SmolStr::new(rule), SmolStr::new(&allowed.reason), directory.clone());
                self.comments.push(Comment { rule, reason, at, about, module, complete, used: false });
            }
        }
    }

    /// Finds exceptions without effect, if their rule was on, all their paths were checked, and other runs find no
    /// more. `has_all` says whether no finding of the run was left out.
    fn unused(&mut self, has_all: bool) {
        for number in self.places.used() {
            self.comments[number].used = true;
        }
        let unused = |rule: &str| {
            finding(UNUSED_EXCEPTION, "Exception suppresses nothing")
                .detail(format!("No finding of `{rule}` is reported here."))
                .help("remove the exception")
        };
        for comment in self.comments.iter().filter(|comment| !comment.used && comment.complete) {
            let place = self.sources.get(comment.at.file).name();
            if self.settings.is_on(&comment.rule, place) && is_steady(&comment.rule) {
                self.findings.push(unused(&comment.rule).at(comment.at).module(comment.module.clone()));
            }
        }
        for block in self.blocks.iter().filter(|block| !block.used && self.judges_blocks && has_all) {
            let rule = &block.exception.rule;
            if self.settings.is_on_anywhere(rule) && is_steady(rule) {
                self.findings.push(unused(rule).at(block.exception.header));
            }
        }
    }
}

/// Whether an exception for this rule that has no effect in this run has none in any other run either.
fn is_steady(rule: &str) -> bool {
    rules::entry(rule).is_none_or(|entry| entry.is_steady)
}

impl Ended<'_> {
    fn finding(&self) -> Finding {
        let Self { exception, until, reported } = self;
        finding(EXPIRED_EXCEPTION, "Exception has expired")
            .detail(format!(
                "It was valid until {}, so the findings that it suppressed are reported again. Its reason was: {}",
                until.date, exception.reason
            ))
            .at(until.span)
            .related(exception.header, "this exception")
            .help("remove the exception, or set a new date")
            // With this location, a report on that file alone contains the reason.
            .related(*reported, "is reported again")
    }
}

/// Whether a file may contain exceptions. A fast test that excludes most files.
pub(in crate::check) fn may_contain_exceptions(source: &Source) -> bool {
    FINDER.find(source.text().as_bytes()).is_some()
}

fn finding(rule: RuleId, summary: &str) -> Finding {
    Finding::policy(rule, Severity::Warning, summary)
}
