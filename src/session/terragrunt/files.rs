//! The files that units read, and the declarations in generated files, each parsed once.

use std::sync::Arc;

use hashbrown::HashMap;
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
    /// By content of a generated file.
    generated: HashMap<String, Generated>,
}

impl<'s> Files<'s> {
    /// Adds files that are already parsed.
    pub(super) fn new(
        snapshot: &'s Snapshot,
        parsed: impl Iterator<Item = (SmolStr, Option<Arc<TerragruntFile>>)>,
    ) -> Self {
        let (texts, there, generated) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { snapshot, parsed: parsed.collect(), texts, there, generated }
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

    /// Returns the declarations in a file with this content.
    pub(super) fn generated(&mut self, text: String) -> Generated {
        self.generated.entry(text).or_insert_with_key(|text| Generated::by(text)).clone()
    }

    /// Whether a file or a directory exists at a path.
    pub(super) fn is_there(&mut self, path: String) -> bool {
        let snapshot = self.snapshot;
        *self.there.entry(path).or_insert_with_key(|path| snapshot.is_there(path))
    }
}
