//! The options `--changed` and `--base`.

use std::env;
use std::path::Path;

use super::Failure;
use crate::vfs::Change;

/// Options for what to compare. One of them is required.
#[derive(Debug, clap::Args)]
#[group(id = "what to compare", required = true, multiple = false)]
pub(super) struct Arguments {
    /// Compare staged content with the last commit
    #[arg(long)]
    changed: bool,
    /// Compare staged content with the merge base of HEAD and REV; `auto` takes REV from a pull request in GitHub Actions, a merge request in GitLab CI or `PRE_COMMIT_FROM_REF`
    #[arg(long, value_name = "REV")]
    base: Option<String>,
}

impl Arguments {
    /// The change between both states.
    pub(super) fn change(&self, current: &Path) -> Result<Change, Failure> {
        self.base.as_ref().map_or_else(|| Ok(Change::staged(current)?), |base| since(current, base))
    }
}

/// The change since the merge base with a revision, which `auto` takes from the CI system.
pub(super) fn since(current: &Path, base: &str) -> Result<Change, Failure> {
    let base = if base == "auto" { base_of_ci(&variable)? } else { base.to_owned() };
    Ok(Change::since(current, &base)?)
}

/// An environment variable that is not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The target branch of a pull or merge request, from the environment of the CI system.
fn base_of_ci(variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Failure> {
    let branch = |name| variable(name).map(|branch| format!("origin/{branch}"));
    branch("GITHUB_BASE_REF")
        .or_else(|| variable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"))
        .or_else(|| variable("CI_MERGE_REQUEST_DIFF_BASE_SHA"))
        .or_else(|| branch("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"))
        .or_else(|| variable("PRE_COMMIT_FROM_REF"))
        .ok_or_else(|| {
            let known = "a pull request in GitHub Actions, a merge request in GitLab CI, and `pre-commit run --from-ref`";
            Failure::new(format!("`--base auto` found no base: it works only in {known}"))
                .help("name a revision, such as `--base origin/main`")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let set = variables.iter().find(|(other, _)| *other == name);
            set.map(|(_, value)| (*value).to_owned())
        };
        base_of_ci(&variable).map_err(|failure| failure.help.unwrap_or_default())
    }

    #[test]
    fn the_base_of_a_pull_request_is_what_it_is_merged_into() {
        assert_eq!(base(&[("GITHUB_BASE_REF", "main")]).as_deref(), Ok("origin/main"));
        let gitlab =
            [("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"), ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "1a2b")];
        assert_eq!(base(&gitlab).as_deref(), Ok("1a2b"), "it is there without another fetch");
        assert_eq!(base(&gitlab[..1]).as_deref(), Ok("origin/main"));
        assert_eq!(base(&[("PRE_COMMIT_FROM_REF", "3c4d")]).as_deref(), Ok("3c4d"));
        assert_eq!(base(&[]), Err("name a revision, such as `--base origin/main`".to_owned()));
    }
}
