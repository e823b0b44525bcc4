//! Selects the storage of the state: there may be one `backend` or `cloud` block, and that of an override file
//! replaces it.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::declaration::Storage;
use crate::module::merge::Merger;
use crate::module::merge::primary::duplicate;
use crate::syntax::Block;

impl Merger<'_> {
    pub(super) fn append_storage(
        &mut self,
        backends: Vec<Storage>,
        clouds: Vec<Storage>,
        encryptions: Vec<Arc<Block>>,
    ) {
        let (module, summaries) = (&mut *self.module, &self.features.summaries);
        keep_first(&mut module.backend, backends, of_storage, summaries.duplicate_backend, self.findings);
        keep_first(&mut module.cloud, clouds, of_storage, summaries.duplicate_cloud, self.findings);
        if let (Some(backend), Some(cloud)) = (&module.backend, &module.cloud) {
            Finding::language(EngineRule::DuplicateDeclaration, summaries.backend_and_cloud)
                .detail("A module can have either a `backend` or a `cloud` block.")
                .at(backend.block.header)
                .related(cloud.block.header, "the `cloud` block is here")
                .help("remove one of the two")
                .push_to(self.findings);
        }
        keep_first(&mut module.encryption, encryptions, Arc::as_ref, DUPLICATE_ENCRYPTION, self.findings);
    }

    pub(super) fn override_storage(
        &mut self,
        backends: Vec<Storage>,
        clouds: Vec<Storage>,
        encryptions: Vec<Arc<Block>>,
    ) {
        let summary = "Duplicate backend configuration";
        if let Some(backend) = only(backends, of_storage, summary, self.findings) {
            self.module.backend = Some(Storage { replaced: self.replaced_storage(), ..backend });
        }
        let summary = self.features.summaries.duplicate_cloud;
        if let Some(cloud) = only(clouds, of_storage, summary, self.findings) {
            self.module.cloud = Some(Storage { replaced: self.replaced_storage(), ..cloud });
        }
        if let Some(encryption) = only(encryptions, Arc::as_ref, DUPLICATE_ENCRYPTION, self.findings) {
            // The engine merges it at every depth. Its content is for key providers and is not checked here.
            self.module.encryption.get_or_insert(encryption);
        }
    }

    fn replaced_storage(&mut self) -> Option<Box<Storage>> {
        let replaced = self.module.backend.take();
        let cloud = self.module.cloud.take();
        cloud.or(replaced).map(Box::new)
    }
}

const DUPLICATE_ENCRYPTION: &str = "Duplicate encryption configuration";

fn of_storage(storage: &Storage) -> &Block {
    &storage.block
}

/// Keeps the first block of base files, and reports the others.
fn keep_first<T>(
    kept: &mut Option<T>,
    found: Vec<T>,
    block: fn(&T) -> &Block,
    summary: &str,
    findings: &mut Vec<Finding>,
) {
    for one in found {
        match kept.as_ref().map(block) {
            Some(first) => duplicate(summary, block(&one).header, first.header)
                .detail(format!("A module can have only one `{}` block.", first.kind))
                .push_to(findings),
            None => *kept = Some(one),
        }
    }
}

/// The block of an override file. If there are several, none counts.
fn only<T>(found: Vec<T>, block: fn(&T) -> &Block, summary: &str, findings: &mut Vec<Finding>) -> Option<T> {
    if let [first, second, ..] = found.as_slice() {
        duplicate(summary, block(second).header, block(first).header)
            .detail(format!("An override file can have only one `{}` block.", block(first).kind))
            .push_to(findings);
        return None;
    }
    found.into_iter().next()
}
