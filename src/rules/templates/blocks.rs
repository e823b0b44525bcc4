//! Block patterns, such as `resource.aws_*`, and the blocks of a merged module that they match.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use smol_str::SmolStr;

use super::argument::ArgumentPath;
use super::block_kind::{BlockKind, KINDS, TERRAFORM};
use super::grammar::{self, Leads};
use super::parts::{Part, parts};
use crate::finding::Finding;
use crate::module::Module;
use crate::policy::{Globs, Options, Patterns};
use crate::rules::Context;
use crate::text::{Span, nearest, with_article};

/// The block types that a rule can check.
#[derive(Clone, Copy)]
pub(super) enum Among {
    /// All block types.
    All,
    /// Block types with arguments: a local value has none.
    WithArguments,
    /// Block types with labels.
    Labeled,
    /// Block types with a name that the author chooses.
    Named,
}

impl Among {
    fn has(self, kind: &BlockKind) -> bool {
        match self {
            Self::All => true,
            Self::WithArguments => kind.name != "local",
            Self::Labeled => !kind.labels.is_empty(),
            Self::Named => kind.is_named,
        }
    }

    /// Why other block types are excluded.
    const fn why(self) -> &'static str {
        match self {
            Self::All => "there are no such blocks",
            Self::WithArguments => "a local value has no arguments",
            Self::Labeled => "such blocks have no labels",
            Self::Named => "such blocks have no name",
        }
    }
}

/// How a rule uses the arguments of blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// It checks whether an argument or nested block exists.
    Presence,
    /// It compares values.
    Value,
}

/// The number of bytes of a path or value that are matched in one step.
pub(super) const BYTES_PER_STEP: usize = 256;

/// Patterns for block types and labels.
pub(super) struct Blocks {
    wanted: Globs,
    except: Globs,
    kinds: Vec<&'static BlockKind>,
}

/// A pattern, and the block types that it can match.
struct Pattern {
    text: SmolStr,
    span: Span,
    kinds: Vec<&'static BlockKind>,
}

impl Blocks {
    /// Reads the options `blocks` and `except`.
    pub(super) fn configure(options: &Options<'_>, among: Among) -> Result<Self, Finding> {
        let wanted = Self::wanted(options, among)?;
        Self::of_patterns(&wanted, options, among)
    }

    /// Like [`Self::configure`], with the option `argument`. Block types that cannot have the argument are left out.
    /// If a pattern matches no others, that is reported.
    pub(super) fn with_argument(
        options: &Options<'_>,
        wants: Wants,
    ) -> Result<(Self, ArgumentPath), Finding> {
        let among = Among::WithArguments;
        let mut wanted = Self::wanted(options, among)?;
        let (path, at) = ArgumentPath::configure(options)?;
        let mut refusals = BTreeMap::new();
        for pattern in &mut wanted {
            let mut refused = None;
            pattern.kinds.retain(|kind| {
                let refusal =
                    refusals.entry(kind.name).or_insert_with(|| refusal(kind, &path, wants)).clone();
                let is_possible = refusal.is_none();
                refused = refused.take().or(refusal);
                is_possible
            });
            if let (true, Some((why, help))) = (pattern.kinds.is_empty(), refused) {
                return Err(options
                    .mistake("Invalid `argument`", at)
                    .detail(why)
                    .help(help)
                    .related(pattern.span, "for these blocks"));
            }
        }
        Ok((Self::of_patterns(&wanted, options, among)?, path))
    }

    /// The matching blocks of a module, by block type and name.
    pub(super) fn of(&self, module: &Module, context: &Context<'_>) -> Vec<Part> {
        let mut parts = parts(module, context, &|kind| self.has_kind(kind));
        parts.retain(|part| {
            let path = part.path();
            context.step(1 + path.len() / BYTES_PER_STEP);
            self.wanted.has(&path) && !self.except.has(&path)
        });
        parts
    }

    /// Whether blocks of a type can match.
    pub(super) fn has_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| kind.name == name)
    }

    fn wanted(options: &Options<'_>, among: Among) -> Result<Vec<Pattern>, Finding> {
        let wanted = options.required("blocks", options.texts("blocks")?)?;
        let order = "name blocks, as in [\"resource\"], or turn the rule off with `level = \"off\"`";
        options.refuse_empty("blocks", "Without patterns, the rule would check nothing.", order)?;
        patterns(options, wanted, among, "`except` lists the blocks to leave out")
    }

    fn of_patterns(wanted: &[Pattern], options: &Options<'_>, among: Among) -> Result<Self, Finding> {
        let mut kinds: Vec<&BlockKind> = wanted.iter().flat_map(|pattern| pattern.kinds.clone()).collect();
        kinds.sort_by_key(|kind| kind.name);
        kinds.dedup_by_key(|kind| kind.name);
        let given = options.texts("except")?.unwrap_or_default();
        let except = patterns(options, given, among, "write it without `!`")?;
        for pattern in &except {
            if !pattern.kinds.iter().any(|kind| kinds.iter().any(|wanted| wanted.name == kind.name)) {
                return Err(options
                    .mistake("Invalid `except`", pattern.span)
                    .detail(format!("`{}` excludes none of the blocks in `blocks`.", pattern.text))
                    .help("remove the pattern, or add such blocks to `blocks`"));
            }
            if wanted.iter().all(|wanted| covers(&pattern.text, &wanted.text)) {
                return Err(options
                    .mistake("Invalid `except`", pattern.span)
                    .detail(format!("`{}` excludes all blocks in `blocks`.", pattern.text))
                    .help("narrow the pattern, or turn the rule off with `level = \"off\"`"));
            }
        }
        Ok(Self { wanted: globs(options, wanted)?, except: globs(options, &except)?, kinds })
    }
}

/// Why a rule can never work with an argument of a block type, and what to write instead.
fn refusal(kind: &BlockKind, path: &ArgumentPath, wants: Wants) -> Option<(String, String)> {
    let name = kind.name;
    let presence = format!("`required-argument` and `forbidden-argument` check only whether `{path}` is set");
    match grammar::leads(kind, path) {
        Leads::Nowhere { name: wrong, within, suggestion } => Some((
            format!(
                "`{wrong}` is not expected in {} block, so no block can satisfy this rule.",
                with_article(&format!("`{within}`"))
            ),
            suggestion.unwrap_or_else(|| "choose an argument that these blocks have".to_owned()),
        )),
        Leads::Address if wants == Wants::Value => Some((
            format!(
                "`{path}` of a `{name}` block is a type, a reference or a keyword. It has no value to compare."
            ),
            presence,
        )),
        Leads::Block if wants == Wants::Value => Some((
            format!("`{path}` of a `{name}` block is a nested block. It has no value to compare."),
            format!("add the name of an argument in it, or use another template: {presence}"),
        )),
        Leads::Address | Leads::Block | Leads::Anywhere => None,
    }
}

/// Parses block patterns. `negation` is the help for a pattern with `!`.
fn patterns(
    options: &Options<'_>,
    given: Vec<(SmolStr, Span)>,
    among: Among,
    negation: &str,
) -> Result<Vec<Pattern>, Finding> {
    given
        .into_iter()
        .map(|(text, span)| {
            let invalid = |why: &str| {
                options
                    .mistake("Invalid pattern", span)
                    .detail(format!("`{text}` cannot match a block: {why}."))
            };
            if text.starts_with('!') {
                return Err(invalid("`!` is not allowed in a list of blocks").help(negation));
            }
            if text.split('.').any(str::is_empty) {
                return Err(invalid("a name is missing before or after a dot"));
            }
            let steps = steps(&text).map_err(|why| invalid(&why))?;
            let matching: Vec<_> = KINDS.iter().filter(|kind| can_match(&steps, &path(kind))).collect();
            if matching.is_empty() {
                return Err(no_kind(options, &text, span, among));
            }
            let kinds: Vec<_> = matching.into_iter().filter(|kind| among.has(kind)).collect();
            if kinds.is_empty() {
                return Err(invalid(among.why()));
            }
            let kinds = if text == TERRAFORM { kinds.into_iter().take(1).collect() } else { kinds };
            Ok(Pattern { text: text.clone(), span, kinds })
        })
        .collect()
}

/// The finding for a pattern that matches no block type.
fn no_kind(options: &Options<'_>, pattern: &str, span: Span, among: Among) -> Finding {
    let word = pattern.split('.').next().unwrap_or(pattern);
    let of_word = |kind: &&BlockKind| kind.name == word;
    if let Some(kind) = KINDS.iter().find(of_word).filter(|kind| kind.name != TERRAFORM) {
        let labels = match kind.labels {
            [] => "no labels".to_owned(),
            [one] => format!("one label, its {one}"),
            several => format!("{} labels, {}", several.len(), several.join(" and ")),
        };
        let why = format!("`{pattern}` cannot match a block: a `{word}` block has {labels}.");
        return options.mistake("Invalid pattern", span).detail(why);
    }
    let known: Vec<&str> = KINDS.iter().filter(|kind| among.has(kind)).map(|kind| kind.name).collect();
    let in_terraform = format!("{TERRAFORM}.{word}");
    let unknown = match pattern.strip_prefix("terraform.") {
        Some(_) => options.unknown("block type", pattern, &known, span),
        None => options.unknown("block type", word, &known, span),
    };
    let help = if known.contains(&in_terraform.as_str()) {
        format!("write `{TERRAFORM}.{pattern}`")
    } else if word == "locals" {
        "write `local`".to_owned()
    } else if word.contains('_') && nearest(word, known.iter().copied()).is_none() {
        // Without a block type, the address is that of a resource.
        format!("write `resource.{pattern}`")
    } else {
        return unknown;
    };
    Finding { help: Some(help), ..unknown }
}

/// The parsed names of a pattern, with `None` for any number of `**`.
fn steps(pattern: &str) -> Result<Vec<Option<Patterns>>, String> {
    let step = |step: &str| match step {
        "**" => Ok(None),
        step => Patterns::new([step]).map(Some).map_err(|invalid| invalid.why),
    };
    let mut steps: Vec<_> = pattern.split('.').map(step).collect::<Result<_, _>>()?;
    steps.dedup_by(|one, before| one.is_none() && before.is_none());
    Ok(steps)
}

/// The path of a block type in a pattern, with `None` for labels.
fn path(kind: &'static BlockKind) -> Vec<Option<&'static str>> {
    kind.name.split('.').map(Some).chain(kind.labels.iter().map(|_| None)).collect()
}

/// Whether a pattern can match a block. Omitted names match everything.
fn can_match(pattern: &[Option<Patterns>], path: &[Option<&str>]) -> bool {
    let reach = |at: usize, reached: &mut BTreeSet<usize>| {
        reached.insert(at);
        // `**` also matches no name.
        if matches!(pattern.get(at), Some(None)) {
            reached.insert(at + 1);
        }
    };
    let mut reached = BTreeSet::new();
    reach(0, &mut reached);
    for name in path {
        if reached.contains(&pattern.len()) {
            return true;
        }
        for from in mem::take(&mut reached) {
            match &pattern[from] {
                None => reach(from, &mut reached),
                Some(step) if name.is_none_or(|name| step.has(name)) => reach(from + 1, &mut reached),
                Some(_) => {}
            }
        }
    }
    reached.contains(&pattern.len())
}

/// Whether one pattern certainly matches everything that another one matches.
fn covers(pattern: &str, other: &str) -> bool {
    if pattern == TERRAFORM || other == TERRAFORM {
        return pattern == other || pattern == "*" || pattern == "**";
    }
    let mut others = other.split('.');
    for step in pattern.split('.') {
        match (step, others.next()) {
            ("**", _) => return true,
            ("*", None) => {}
            ("*", Some(other)) if other != "**" => {}
            (step, Some(other)) if step == other => {}
            _ => return false,
        }
    }
    true
}

/// The globs for the paths of blocks. Dots separate names, and omitted names match everything.
fn globs(options: &Options<'_>, patterns: &[Pattern]) -> Result<Globs, Finding> {
    let mut written = Vec::new();
    for Pattern { text, span, .. } in patterns {
        let path = text.replace('.', "/");
        let all = format!("{path}/**");
        for glob in if text == TERRAFORM { vec![path] } else { vec![path, all] } {
            written.push((glob, *span));
        }
    }
    let globs = Globs::of_sources(written.iter().map(|(glob, _)| glob.as_str()));
    globs.map_err(|invalid| {
        options.mistake("Invalid pattern", written[invalid.index].1).detail(format!("{}.", invalid.why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted() {
        assert!(KINDS.is_sorted_by_key(|kind| kind.name));
    }

    #[test]
    fn a_pattern_can_match_kinds() {
        let kinds = |pattern: &str| -> Vec<&str> {
            let steps = steps(pattern).expect("a pattern");
            let matching = KINDS.iter().filter(|kind| can_match(&steps, &path(kind)));
            matching.map(|kind| kind.name).collect()
        };
        assert_eq!(kinds("resource.aws_*"), ["resource"]);
        assert_eq!(kinds("{resource,data}.*.x"), ["data", "resource"]);
        assert_eq!(kinds("terraform.backend.s3"), ["terraform.backend"]);
        assert_eq!(kinds("provider.aws.west"), ["provider"]);
        assert_eq!(kinds("*").len(), KINDS.len());
        assert_eq!(kinds(&format!("{}moved.x", "**.".repeat(100_000))), kinds("**.moved.x"));
        assert_eq!(kinds(&format!("{}x", "**.*.".repeat(100_000))), [""; 0]);
        for pattern in ["resource.a.b.c", "variable.a.b", "moved.a", "backend.s3", "terraform.backend.s3.x"] {
            assert_eq!(kinds(pattern), [""; 0], "{pattern}");
        }
    }

    #[test]
    fn a_pattern_covers_another() {
        for (pattern, other) in [
            ("resource", "resource.aws_*"),
            ("resource.*", "resource"),
            ("*", "data.x"),
            ("**", "terraform"),
            ("resource.aws_*", "resource.aws_*"),
        ] {
            assert!(covers(pattern, other), "{pattern} {other}");
        }
        for (pattern, other) in [
            ("resource.aws_?", "resource.aws_*"),
            ("resource.a", "resource"),
            ("terraform", "terraform.cloud"),
        ] {
            assert!(!covers(pattern, other), "{pattern} {other}");
        }
    }
}
