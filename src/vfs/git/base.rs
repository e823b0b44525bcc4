//! Resolves the base of a change.

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::{Git, one_line};
use crate::text::nearest;
use crate::vfs::Error;

impl Git {
    /// The newest common ancestor of two revisions.
    pub(in crate::vfs) fn merge_base(&self, revision: &str, with: &str) -> Result<ObjectId, Error> {
        let base = self.known_commit(revision)?;
        let tip = self.known_commit(with)?;
        match self.repository.merge_base(base, tip) {
            Ok(Some(shared)) => Ok(shared.detach()),
            // In a shallow clone, the common ancestor may be missing.
            Ok(None) | Err(_) if self.is_shallow() => Err(Error::git(format!(
                "this clone is too shallow to contain the merge base of `{revision}` and `{with}`"
            ))
            .help(UNSHALLOW)),
            Ok(None) => Err(Error::git(format!("`{revision}` and `{with}` have no merge base"))
                .help("use a revision that the change is based on")),
            Err(error) => Err(Error::git(format!("the history cannot be read: {}", one_line(&error)))),
        }
    }

    /// Resolves a revision. The error has the command that fetches it.
    pub(in crate::vfs) fn known_commit(&self, revision: &str) -> Result<ObjectId, Error> {
        self.commit(revision).map_err(|error| match self.way_to(revision) {
            Some(order) if error.order().is_none() => error.help(order),
            Some(_) | None => error,
        })
    }

    /// How to get a revision that is missing: a similar name, the command that fetches it, or what else to name.
    fn way_to(&self, revision: &str) -> Option<String> {
        if revision.len() >= 40 && revision.bytes().all(|byte| byte == b'0') {
            let what = "`github.event.before` is all zeros for the first push of a branch; name the branch that it starts from";
            return Some(what.to_owned());
        }
        let remotes = self.repository.remote_names();
        let of_remote = remotes.iter().find_map(|remote| {
            let remote = remote.to_str().ok()?;
            Some((remote, revision.strip_prefix(remote)?.strip_prefix('/')?))
        });
        let is_branch = |name: &&str| !name.is_empty() && !name.contains(['~', '^', ':', '@', ' ']);
        match of_remote.filter(|(_, branch)| is_branch(branch)) {
            Some((remote, branch)) => {
                let (whole, in_ci) = if self.is_shallow() {
                    (
                        " --unshallow",
                        ". In GitHub Actions, set `fetch-depth: 0` in the `actions/checkout` step",
                    )
                } else {
                    ("", "")
                };
                Some(format!(
                    "run `git fetch{whole} {remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}`{in_ci}"
                ))
            }
            None if self.is_shallow() && is_branch(&revision) && revision != "HEAD" => {
                let remote = remotes.first().map_or("origin".into(), |remote| remote.to_str_lossy());
                Some(format!(
                    "run `git fetch --unshallow --tags {remote} '+refs/heads/*:refs/remotes/{remote}/*'`, and name a \
                     branch of the remote as in `{remote}/main`. In GitHub Actions, set `fetch-depth: 0` in the \
                     `actions/checkout` step"
                ))
            }
            None if self.is_shallow() => Some(UNSHALLOW.to_owned()),
            None => {
                let names = self.branches();
                let of_remote = names.iter().find(|name| name.ends_with(&format!("/{revision}")));
                let meant = of_remote.map(String::as_str);
                let meant = meant.or_else(|| nearest(revision, names.iter().map(String::as_str)));
                let meant = meant.map(|name| format!("did you mean `{name}`?"));
                let usual =
                    || "name a branch, tag or commit; `git branch --all` lists the branches".to_owned();
                let fetched = || {
                    let remote = remotes.first()?.to_str().ok().filter(|_| is_branch(&revision))?;
                    if revision.len() >= 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                        return Some(format!(
                            "run `git fetch {remote} {revision}`; after a forced push, the commit may be gone"
                        ));
                    }
                    Some(format!(
                        "run `git fetch {remote} +refs/heads/{revision}:refs/remotes/{remote}/{revision}`, then name \
                         `{remote}/{revision}`; for a tag, run `git fetch --tags {remote}`"
                    ))
                };
                meant.or_else(|| unfetched(revision)).or_else(fetched).or_else(|| Some(usual()))
            }
        }
    }

    /// The names of branches and tags.
    fn branches(&self) -> Vec<String> {
        let Ok(references) = self.repository.references() else { return Vec::new() };
        let Ok(all) = references.all() else { return Vec::new() };
        all.flatten().map(|reference| reference.name().shorten().to_str_lossy().into_owned()).collect()
    }

    fn is_shallow(&self) -> bool {
        self.repository.is_shallow().unwrap_or_default()
    }
}

/// The help for a branch of a remote that the repository does not have.
fn unfetched(revision: &str) -> Option<String> {
    let (remote, _) = revision.split_once('/')?;
    USUAL_REMOTES.contains(&remote).then(|| {
        format!("add the remote and fetch it: `git remote add {remote} URL`, then `git fetch {remote}`")
    })
}

/// The usual names of remotes.
const USUAL_REMOTES: [&str; 2] = ["origin", "upstream"];

/// The command that fetches the rest of the history. For a pull request on GitHub, two commits are enough.
const UNSHALLOW: &str = "run `git fetch --unshallow`. In GitHub Actions, set `fetch-depth: 0` in the `actions/checkout` step, or \
                         `fetch-depth: 2` for `--base HEAD^1`; in GitLab CI, set `GIT_DEPTH: 0`";
