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
        for backend in backends {
            match &self.module.backend {
                Some(first) => duplicate(
                    self.features.summaries.duplicate_backend,
                    backend.block.header,
                    first.block.header,
                )
                .detail("A module can have only one `backend` block.")
                .push_to(self.findings),
                None => self.module.backend = Some(backend),
            }
        }
        for cloud in clouds {
            match &self.module.cloud {
                Some(first) => {
                    duplicate(
                        self.features.summaries.duplicate_cloud,
                        cloud.block.header,
                        first.block.header,
                    )
                    .detail("A module can have only one `cloud` block.")
                    .push_to(self.findings);
                }
                None => self.module.cloud = Some(cloud),
            }
        }
        if let (Some(backend), Some(cloud)) = (&self.module.backend, &self.module.cloud) {
            Finding::language(EngineRule::DuplicateDeclaration, self.features.summaries.backend_and_cloud)
                .detail("A module can have either a `backend` or a `cloud` block.")
                .at(backend.block.header)
                .related(cloud.block.header, "the `cloud` block is here")
                .help("remove one of the two")
                .push_to(self.findings);
        }
        for encryption in encryptions {
            match &self.module.encryption {
                Some(first) => {
                    duplicate("Duplicate encryption configuration", encryption.header, first.header)
                        .detail("A module can have only one `encryption` block.")
                        .push_to(self.findings);
                }
                None => self.module.encryption = Some(encryption),
            }
        }
    }

    pub(super) fn override_backends(&mut self, backends: Vec<Storage>) {
        if let [first, second, ..] = backends.as_slice() {
            duplicate("Duplicate backend configuration", second.block.header, first.block.header)
                .detail("An override file can have only one `backend` block.")
                .push_to(self.findings);
        } else if let Some(mut backend) = backends.into_iter().next() {
            backend.replaced = self.replaced_storage();
            self.module.backend = Some(backend);
        }
    }

    pub(super) fn override_clouds(&mut self, clouds: Vec<Storage>) {
        if let [first, second, ..] = clouds.as_slice() {
            duplicate(self.override_cloud_summary(), second.block.header, first.block.header)
                .detail("An override file can have only one `cloud` block.")
                .push_to(self.findings);
        } else if let Some(mut cloud) = clouds.into_iter().next() {
            cloud.replaced = self.replaced_storage();
            self.module.cloud = Some(cloud);
        }
    }

    pub(super) fn override_encryption(&mut self, encryptions: Vec<Arc<Block>>) {
        if let [first, second, ..] = encryptions.as_slice() {
            duplicate("Duplicate encryption configuration", second.header, first.header)
                .detail("An override file can have only one `encryption` block.")
                .push_to(self.findings);
        } else if let Some(encryption) = encryptions.into_iter().next() {
            // The engine merges it at every depth. Its content is for key providers and is not checked here.
            self.module.encryption.get_or_insert(encryption);
        }
    }

    fn replaced_storage(&mut self) -> Option<Box<Storage>> {
        let replaced = self.module.backend.take();
        let cloud = self.module.cloud.take();
        cloud.or(replaced).map(Box::new)
    }

    fn override_cloud_summary(&self) -> &'static str {
        self.features.summaries.duplicate_cloud
    }
}
