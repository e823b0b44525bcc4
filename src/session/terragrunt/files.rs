//! The files that units read, and the declarations in generated files, each parsed once.

use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;
use smol_str::SmolStr;

use crate::module::terragrunt::{Generated, TerragruntFile};
use crate::text::Source;
use crate::vfs::Snapshot;

/// The files that units read, each parsed once.
pub(super) struct Files<'s> {
    pub(super) snapshot: &'s Snapshot,
    parsed: HashMap<SmolStr, Option<Arc<TerragruntFile>>>,
    texts: HashMap<SmolStr, Option<Arc<Source>>>,
    there: HashMap<String, bool>,
    real: HashMap<SmolStr, SmolStr>,
    /// By content of a generated file.
    generated: HashMap<String, Generated>,
    /// The number of bytes of generated files that can still be parsed.
    to_parse: usize,
    /// The number of bytes that the evaluation of contents can still copy.
    to_copy: usize,
    /// The number of steps that the evaluation of values can still take.
    steps: usize,
}

/// The largest size in bytes of all generated files with different contents.
const MOST_PARSED: usize = 16 << 20;

/// The largest number of bytes that the evaluation of all generated files copies.
const MOST_COPIED: usize = 256 << 20;

/// The largest number of steps for the evaluation of all values.
const MOST_STEPS: usize = 20_000_000;

/// The number of bytes that a declaration of a generated file counts as.
const OF_NAME: usize = 32;

impl<'s> Files<'s> {
    /// Parses the unit files.
    pub(super) fn of_units(snapshot: &'s Snapshot) -> Self {
        let paths = snapshot.unit_files();
        let read = snapshot.read_files(paths).into_par_iter();
        let parsed: Vec<_> =
            read.map(|source| source.as_ref().map(TerragruntFile::read).map(Arc::new)).collect();
        Self {
            snapshot,
            parsed: paths.iter().cloned().zip(parsed).collect(),
            texts: HashMap::new(),
            there: HashMap::new(),
            real: HashMap::new(),
            generated: HashMap::new(),
            to_parse: MOST_PARSED,
            to_copy: MOST_COPIED,
            steps: MOST_STEPS,
        }
    }

    /// Returns a Terragrunt file. `None` if it cannot be read.
    pub(super) fn parsed(&mut self, path: &str) -> Option<Arc<TerragruntFile>> {
        if let Some(known) = self.parsed.get(path) {
            return known.clone();
        }
        let read = self.text(path).map(|source| Arc::new(TerragruntFile::read(&source)));
        self.parsed.insert(path.into(), read.clone());
        read
    }

    /// Returns the content of a file. `None` if it cannot be read.
    pub(super) fn text(&mut self, path: &str) -> Option<Arc<Source>> {
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        let read = self.snapshot.read_files(&[path.into()]).pop().flatten().map(Arc::new);
        self.texts.insert(path.into(), read.clone());
        read
    }

    /// Returns the declarations in a file with this content. They are unknown above a limit.
    pub(super) fn generated(&mut self, text: String) -> Generated {
        if let Some(known) = self.generated.get(&text) {
            let known = known.clone();
            return if self.may_copy(known.names.len() * OF_NAME) { known } else { Generated::unknown() };
        }
        let Some(left) = self.to_parse.checked_sub(text.len()) else { return Generated::unknown() };
        self.to_parse = left;
        self.generated.entry(text).or_insert_with_key(|text| Generated::by(text)).clone()
    }

    /// Whether so many bytes of generated files can be copied.
    pub(super) fn may_copy(&mut self, bytes: usize) -> bool {
        self.to_copy = self.to_copy.saturating_sub(bytes);
        self.to_copy > 0
    }

    /// The number of steps that the evaluation of values can still take.
    pub(super) fn steps_left(&self) -> usize {
        self.steps
    }

    /// Counts steps of an evaluation.
    pub(super) fn take_steps(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// The path without symbolic links of the directory at a path, if there is one.
    pub(super) fn real(&mut self, path: SmolStr) -> SmolStr {
        let snapshot = self.snapshot;
        let real = self.real.entry(path).or_insert_with_key(|path| {
            snapshot.real_directory(path).map_or_else(|| path.clone(), SmolStr::from)
        });
        real.clone()
    }

    /// Whether a file or a directory exists at a path.
    pub(super) fn is_there(&mut self, path: String) -> bool {
        let snapshot = self.snapshot;
        *self.there.entry(path).or_insert_with_key(|path| snapshot.is_there(path))
    }
}
