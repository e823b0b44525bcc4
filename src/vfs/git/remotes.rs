//! The names of a repository on servers, from its remotes.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::vfs::{Origin, Snapshot};

impl Snapshot {
    /// The names of the repository by the URLs of its remotes: `vpc` for `https://git.example.com/net/vpc.git`. Empty
    /// without a remote. The owner is left out, because that of a fork differs.
    pub fn repository_names(&self) -> BTreeSet<SmolStr> {
        match &self.origin {
            Origin::Disk(top) => top.repository_names.clone(),
            Origin::Git { git_tree, .. } => git_tree.repository_names(),
            Origin::Memory { .. } => BTreeSet::new(),
        }
    }
}

/// See [`Snapshot::repository_names`].
pub(in crate::vfs) fn names(git: &gix::Repository) -> BTreeSet<SmolStr> {
    let config = git.config_snapshot();
    let remotes = config.plumbing().sections_by_name("remote").into_iter().flatten();
    let urls = remotes.filter_map(|remote| remote.value("url"));
    urls.filter_map(|url| name(&String::from_utf8_lossy(&url))).collect()
}

/// The last part of a URL or of `user@host:path`.
fn name(url: &str) -> Option<SmolStr> {
    let last = url.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let name = last.strip_suffix(".git").unwrap_or(last);
    (!name.is_empty()).then(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_like_the_end_of_its_url() {
        for url in [
            "https://git.example.com/net/vpc.git",
            "https://git.example.com/net/vpc/",
            "git@git.example.com:net/vpc.git",
            "git.example.com:vpc",
            "ssh://git@git.example.com:2222/vpc.git",
            "../vpc",
        ] {
            assert_eq!(name(url).as_deref(), Some("vpc"), "{url}");
        }
        assert_eq!(name(""), None);
    }
}
