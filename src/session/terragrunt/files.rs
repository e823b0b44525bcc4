//! The files that units read, and what generated files declare, each looked at once.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::terragrunt::{Generated, TerragruntFile};
use crate::text::Source;
use crate::vfs::Snapshot;

/// The files that units read, each once.
pub(super) struct Files<'s> {
    pub(super) snapshot: &'s Snapshot,
    parsed: HashMap<SmolStr, Option<Arc<TerragruntFile>>>,
    texts: HashMap<SmolStr, Option<Arc<Source>>>,
    there: HashMap<String, bool>,
    /// By text of a file that is generated.
    generated: HashMap<String, Generated>,
}

impl<'s> Files<'s> {
    /// With files that were read already.
    pub(super) fn new(
        snapshot: &'s Snapshot,
        parsed: impl Iterator<Item = (SmolStr, Option<Arc<TerragruntFile>>)>,
    ) -> Self {
        let (texts, there, generated) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { snapshot, parsed: parsed.collect(), texts, there, generated }
    }

    /// A file of Terragrunt; none where it cannot be read.
    pub(super) fn parsed(&mut self, path: &str) -> Option<Arc<TerragruntFile>> {
        if let Some(known) = self.parsed.get(path) {
            return known.clone();
        }
        let read = self.text(path).map(|source| Arc::new(TerragruntFile::read(&source)));
        self.parsed.insert(path.into(), read.clone());
        read
    }

    /// A file; none where it cannot be read.
    pub(super) fn text(&mut self, path: &str) -> Option<Arc<Source>> {
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        let read = self.snapshot.read_files(&[path.into()]).pop().flatten().map(Arc::new);
        self.texts.insert(path.into(), read.clone());
        read
    }

    /// What a file with this text declares.
    pub(super) fn generated(&mut self, text: String) -> Generated {
        self.generated.entry(text).or_insert_with_key(|text| Generated::by(text)).clone()
    }

    /// Whether a file or a directory lies at a path.
    pub(super) fn is_there(&mut self, path: String) -> bool {
        let snapshot = self.snapshot;
        *self.there.entry(path).or_insert_with_key(|path| snapshot.is_there(path))
    }
}
