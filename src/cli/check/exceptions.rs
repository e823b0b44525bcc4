//! `--add-exceptions`.

use std::collections::BTreeMap;
use std::path::Path;

use super::rewrite::{Rewrite, refusal, tell_refused};
use crate::check::{Additions, Verdict};
use crate::cli::Failure;
use crate::cli::stream::err;
use crate::report::{PathStyle, one_line};
use crate::text::{FileId, counted};
use crate::vfs::{POLICIES, Snapshot};

/// Creates exceptions for all findings with one reason. Nothing is written yet.
pub(super) fn additions(
    snapshot: &Snapshot,
    reported: &[Verdict],
    allows_comments: bool,
    reason: &str,
) -> Additions {
    let mut refusal = |id: FileId| refusal(snapshot, id);
    Additions::for_verdicts(reported, snapshot.sources(), allows_comments, reason, &mut refusal)
}

/// Writes comments to module files, and blocks to the policy file or a new one. Returns the number of files.
pub(super) fn write(
    additions: &Additions,
    snapshot: &Snapshot,
    policy: Option<FileId>,
    names: &PathStyle,
) -> Result<usize, Failure> {
    let top = snapshot.top().unwrap_or(Path::new(""));
    let mut rewrite = Rewrite::of(snapshot);
    for (file, text) in &additions.files {
        rewrite.change(snapshot, *file, text)?;
    }
    if !additions.blocks.is_empty() {
        match policy.map(|policy| snapshot.sources().get(policy)) {
            Some(policy) => {
                let text = format!("{}{}", policy.text(), additions.blocks);
                // The path of a policy outside the repository is absolute.
                rewrite.change_at(&top.join(policy.name()), policy.text(), text.trim_start_matches('\n'))?;
            }
            None => {
                rewrite.create(top.join(POLICIES[0]), additions.blocks.trim_start_matches('\n').to_owned());
            }
        }
    }
    let files = rewrite.finish()?;
    let blocks = additions.blocks.matches("\nexception \"").count();
    err(&format!(
        "added {} to {}, and {} to the policy\n",
        counted(additions.comments, "comment"),
        counted(additions.files.len(), "file"),
        counted(blocks, "exception")
    ));
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, why) in &additions.refused {
        let name = names.of(snapshot.sources().get(*file).name());
        by_reason.entry(why).or_default().push(one_line(&name).into_owned());
    }
    tell_refused("excepted in the policy, without a comment", by_reason);
    Ok(files)
}
