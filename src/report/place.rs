//! Locations of findings for formats in which each finding needs a file.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::PathStyle;
use crate::check::Verdict;
use crate::text::{Position, Sources, Span};
use crate::vfs::parent;

/// Finds the location of a verdict.
pub(super) struct Places<'a> {
    sources: &'a Sources,
    names: &'a PathStyle,
    /// For each directory a file of its module.
    heads: OnceCell<BTreeMap<&'a str, &'a str>>,
}

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The path as shown.
    pub(super) file: String,
    /// The range. `None` for the whole file.
    pub(super) region: Option<Region>,
}

/// A range in lines and characters, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: Position,
    /// The last character, exclusive.
    pub(super) end: Position,
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a Sources, names: &'a PathStyle) -> Self {
        Self { sources, names, heads: OnceCell::new() }
    }

    /// The location of a verdict: its primary one, else its first related one, else the file that it is about, else a
    /// file of its module.
    pub(super) fn of(&self, verdict: &Verdict) -> Place {
        let finding = &verdict.finding;
        if let Some(span) = finding.primary.or_else(|| finding.related.first().map(|other| other.span)) {
            return self.at(span);
        }
        if let Some(file) = &finding.file {
            return Place { file: self.names.of(file), region: None };
        }
        let module = finding.module.as_str();
        let head = self.heads.get_or_init(|| heads(self.sources)).get(module);
        Place { file: self.names.of(head.copied().unwrap_or(module)), region: None }
    }

    /// The location of a span.
    pub(super) fn at(&self, span: Span) -> Place {
        let source = self.sources.get(span.file);
        let (start, end) =
            (source.position_in_characters(span.start), source.position_in_characters(span.end));
        Place { file: self.names.of(source.name()), region: Some(Region { start, end }) }
    }
}

impl Place {
    /// The first line, from 1. It is 1 for a whole file.
    pub(super) fn line(&self) -> usize {
        self.region.map_or(1, |region| region.start.line)
    }

    /// The location as compilers print it: `file:line:column`, or only the file.
    pub(super) fn words(&self) -> String {
        match self.region {
            Some(Region { start, .. }) => format!("{}:{}:{}", self.file, start.line, start.column),
            None => self.file.clone(),
        }
    }
}

impl Region {
    /// The last line with a part of the range.
    pub(super) fn last_line(&self) -> usize {
        let ends_before = self.end.line > self.start.line && self.end.column == 1;
        self.end.line - usize::from(ends_before)
    }
}

/// For each directory `main.tf`, else the first of its files.
fn heads(sources: &Sources) -> BTreeMap<&str, &str> {
    let mut heads = BTreeMap::new();
    for (_, source) in sources.iter() {
        let name = source.name();
        let directory = parent(name).unwrap_or_default();
        let rank = |name: &str| (name.rsplit('/').next() != Some("main.tf"), name.to_owned());
        let head = heads.entry(directory).or_insert(name);
        if rank(name) < rank(head) {
            *head = name;
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Settings, judge};
    use crate::finding::{EngineRule, Finding};
    use crate::text::{FileId, Source};

    fn place(finding: Finding) -> Place {
        let names = ["net/a.tf", "net/main.tf", "net/sub/x.tf", "top.tf"];
        let source = |name: &&str| Source::new(*name, "a {\né = 1\n}\n".into());
        let sources = Sources::new(names.iter().map(source).collect());
        let verdicts = judge(vec![(finding, None)], &sources, &[], &Settings::default());
        Places::new(&sources, &PathStyle::default()).of(&verdicts[0])
    }

    fn cycle() -> Finding {
        Finding::language(EngineRule::ReferenceCycle, "Cycle")
    }

    #[test]
    fn what_has_no_place_is_shown_at_a_file_of_its_module() {
        assert_eq!(place(cycle().module("net")).words(), "net/main.tf");
        assert_eq!(place(cycle().module("net/sub")).words(), "net/sub/x.tf");
        assert_eq!(place(cycle()).words(), "top.tf");
        assert_eq!(place(cycle().module("gone")).words(), "gone");
    }

    #[test]
    fn what_is_about_a_file_is_shown_there() {
        assert_eq!(place(cycle().module("net").about("net/unreadable.tf")).words(), "net/unreadable.tf");
    }

    #[test]
    fn another_place_comes_before_that() {
        let related = cycle().related(Span::new(FileId::new(2), 7..8), "this one");
        assert_eq!(place(related).words(), "net/sub/x.tf:2:3");
    }

    #[test]
    fn a_range_that_ends_with_a_line_break_ends_on_the_line_of_that() {
        let last = |range| {
            let region = place(cycle().at(Span::new(FileId::new(0), range))).region;
            region.map(|region| region.last_line())
        };
        assert_eq!(last(0..4), Some(1));
        assert_eq!(last(0..6), Some(2));
        assert_eq!(last(4..4), Some(2));
    }
}
