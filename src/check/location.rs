//! The file or directory of a finding, by its real path and by the links that lead there.

use smol_str::SmolStr;

use crate::finding::{Concern, Finding};
use crate::text::{FileId, Sources};
use crate::vfs::{is_under, parent};

/// The path of the file of a finding, or else the directory of its module.
pub(super) fn place_of<'a>(finding: &'a Finding, sources: &'a Sources) -> &'a str {
    match (finding.primary, &finding.file) {
        (Some(span), _) => sources.get(span.file).name(),
        (None, Some(file)) => file,
        (None, None) => &finding.module,
    }
}

/// Returns [`place_of`] and the path by which the module loads that file, if that is a symbolic link.
pub(super) fn places_of<'a>(finding: &'a Finding, sources: &'a Sources) -> impl Iterator<Item = &'a str> {
    let link = finding.primary.and_then(|at| link_of(&finding.module, at.file, sources));
    std::iter::once(place_of(finding, sources)).chain(link)
}

/// The real path of a file, and the path by which a module loads it, if that is a symbolic link.
pub(super) fn paths_of<'a>(
    module: &'a str,
    file: FileId,
    sources: &'a Sources,
) -> impl Iterator<Item = &'a str> {
    std::iter::once(sources.get(file).name()).chain(link_of(module, file, sources))
}

/// The symbolic link by which a module loads a file.
fn link_of<'a>(module: &str, file: FileId, sources: &'a Sources) -> Option<&'a str> {
    let links = sources.links(file).iter().map(SmolStr::as_str);
    links.into_iter().find(|link| parent(link).unwrap_or_default() == module)
}

/// The real directory of a finding in a file that symbolic links lead to. A finding about a module belongs to that
/// module, wherever its range is.
pub(super) fn real_directory<'a>(finding: &Finding, sources: &'a Sources) -> Option<&'a str> {
    let is_about_module = finding.address.is_empty() && finding.concern != Concern::Unstated;
    let linked =
        finding.primary.filter(|_| !is_about_module).filter(|at| !sources.links(at.file).is_empty())?;
    Some(parent(sources.get(linked.file).name()).unwrap_or_default())
}

/// Whether a file or directory is in scope. All are if the scope is empty.
pub(super) fn in_scope(name: &str, scope: &[String]) -> bool {
    scope.is_empty() || scope.iter().any(|path| is_under(name, path))
}
