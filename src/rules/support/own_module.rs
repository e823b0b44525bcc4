//! Recognizes calls of modules of this repository by their public addresses.
//!
//! Examples name the repository that contains them, as external callers would. The remotes have the name of the
//! repository; that of its local directory is arbitrary. Without a remote, a call counts as one of this repository if
//! a module here declares every argument of the call.

use smol_str::SmolStr;

use crate::graph::{Node, Role};
use crate::module::address::{RegistryModule, RemoteModule};
use crate::module::declaration::ModuleCall;
use crate::rules::Context;
use crate::vfs::source_between;

/// Whether a call in an example or a test uses a package from this repository.
pub(in crate::rules) fn is_own_package(
    node: Node<'_>,
    call: &ModuleCall,
    remote: &RemoteModule,
    context: &Context<'_>,
) -> bool {
    is_own(node, call, package_name(remote), &remote.subdir, context)
}

/// The name of the repository in the address of a package.
fn package_name(remote: &RemoteModule) -> &str {
    let path = remote.package.split_once('?').map_or(remote.package.as_str(), |(path, _)| path);
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    name.strip_suffix(".git").unwrap_or(name)
}

/// The relative path from a module to the directory of this repository that a call of a package names.
pub(in crate::rules) fn local_path(
    node: Node<'_>,
    call: &ModuleCall,
    remote: &RemoteModule,
    context: &Context<'_>,
) -> Option<String> {
    let (subdir, names) = (remote.subdir.as_str(), context.repository_names());
    let is_own = if names.is_empty() {
        !subdir.is_empty() && declares_all(subdir, call, context)
    } else {
        names.contains(package_name(remote)) && context.variables(subdir).is_some()
    };
    is_own.then(|| source_between(&node.module().directory, subdir))
}

/// Whether a call in an example or a test names this repository by its registry address; the repository is then
/// called `terraform-SYSTEM-NAME`.
pub(in crate::rules) fn is_own_registry_module(
    node: Node<'_>,
    call: &ModuleCall,
    registry: &RegistryModule,
    context: &Context<'_>,
) -> bool {
    let name = format!("terraform-{}-{}", registry.system, registry.name);
    is_own(node, call, &name, &registry.subdir, context)
}

fn is_own(node: Node<'_>, call: &ModuleCall, name: &str, subdir: &str, context: &Context<'_>) -> bool {
    if !matches!(node.role(), Role::Example | Role::Test) {
        return false;
    }
    context.repository_names().contains(name) || declares_all(subdir, call, context)
}

/// Whether a module in the directory declares a variable for each argument of the call. Arguments that every call has
/// are no evidence for the module in the top directory.
fn declares_all(directory: &str, call: &ModuleCall, context: &Context<'_>) -> bool {
    let Some(variables) = context.variables(directory) else { return false };
    let arguments = call.config.just_attributes(&mut Vec::new());
    let is_declared = |name: &SmolStr| variables.contains(name);
    arguments.iter().all(|argument| is_declared(&argument.name))
        && !(directory.is_empty() && arguments.is_empty())
}
