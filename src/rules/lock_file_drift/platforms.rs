//! Checks that a lock file has hashes for the platforms that a policy names.

use smol_str::SmolStr;

use super::LockFileDrift;
use crate::finding::Finding;
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::lock::{Lock, Selection};
use crate::policy::Options;
use crate::rules::Rule;

/// Reads the option `platforms`.
pub(super) fn asked_for(options: &Options<'_>) -> Result<Vec<SmolStr>, Finding> {
    let mut platforms: Vec<SmolStr> = Vec::new();
    for (platform, at) in options.texts("platforms")?.unwrap_or_default() {
        if !is_platform(&platform) {
            let finding = options.mistake("Invalid platform", at);
            return Err(finding.help("write the operating system and the architecture: `linux_amd64`"));
        }
        if !platforms.contains(&platform) {
            platforms.push(platform);
        }
    }
    Ok(platforms)
}

/// The finding for a lock file with fewer package hashes than platforms. The file does not record the platform of a
/// hash.
pub(super) fn lacking(lock: &Lock, platforms: &[SmolStr], module: &Module) -> Option<Finding> {
    let lacks_hashes = |(_, selection): &(&ProviderAddress, &Selection)| selection.packages < platforms.len();
    let lacking: Vec<_> = lock.selections().filter(lacks_hashes).collect();
    let (provider, first) = lacking.first()?;
    let name = provider.display(module.features.registry_host);
    let others = match lacking.len() - 1 {
        0 => String::new(),
        1 => " One more provider lacks hashes.".to_owned(),
        more => format!(" {more} more providers lack hashes."),
    };
    let options =
        platforms.iter().fold(String::new(), |options, platform| options + " -platform=" + platform);
    let program = module.features.engine.product.command();
    let hashes = if first.packages == 1 { "hash" } else { "hashes" };
    let finding = LockFileDrift::finding("Lock file without hashes for every platform")
        .detail(format!(
            "The policy names {} platforms, and `{name}` has {} `h1:` {hashes}. Each hash is for the package of one \
             platform.{others}",
            platforms.len(),
            first.packages
        ))
        .at(first.at)
        .help(format!("run `{program} providers lock{options}`, and commit the lock file"))
        .address("terraform");
    let more = lacking.iter().skip(1).take(3);
    Some(finding.related_all(more.map(|(_, selection)| selection.at), "lacks hashes too"))
}

/// Whether a word is a platform, such as `linux_amd64`.
fn is_platform(word: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    word.split_once('_').is_some_and(|(system, architecture)| is_part(system) && is_part(architecture))
}
