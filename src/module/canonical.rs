//! Turns the files of a module into texts that stay the same while no plan can change.

use super::ModuleFile;
use crate::engine::FileKind;
use crate::syntax::LeftOut;
use crate::text::Sources;

/// Arguments that only people read.
const FOR_PEOPLE: LeftOut<'_> = &[("variable", "description"), ("output", "description")];

/// The same, and the defaults of variables, which only callers get that do not set them.
const FOR_SOME_CALLERS: LeftOut<'_> =
    &[("variable", "description"), ("output", "description"), ("variable", "default")];

/// What the files of a module say: two modules that say the same differ in comments, layout, descriptions, and in the
/// files that hold their blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The blocks of primary files, sorted.
    primary: Vec<String>,
    /// The blocks of override files in their order, which matters.
    overriding: Vec<String>,
}

impl Meaning {
    /// Of the files of a module, in the order in which the engine loads them. Nothing where one was not understood
    /// whole.
    pub(crate) fn of(files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        Self::without(FOR_PEOPLE, files, sources)
    }

    /// The same without the defaults of variables.
    pub(crate) fn without_defaults(files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        Self::without(FOR_SOME_CALLERS, files, sources)
    }

    fn without(left_out: LeftOut<'_>, files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        let mut meaning = Self { primary: Vec::new(), overriding: Vec::new() };
        for file in files {
            if !file.complete {
                return None;
            }
            let texts = file.body.canonical(sources.get(file.body.span().file), left_out);
            match file.kind {
                FileKind::Primary => meaning.primary.extend(texts),
                FileKind::Override => meaning.overriding.extend(texts),
            }
        }
        meaning.primary.sort_unstable();
        Some(meaning)
    }
}
