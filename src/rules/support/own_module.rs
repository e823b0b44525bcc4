//! Tells calls of modules of this very repository from calls of others, where they go by a public address.
//!
//! An example shows callers elsewhere what to write, so it names the repository that it lies in. The remotes of the
//! repository say how it is called; the name of the directory that it was cloned into says nothing. Where there is no
//! remote, a call is one of a module here if that module declares every argument of the call.

use smol_str::SmolStr;

use crate::graph::{Node, Role};
use crate::module::address::{RegistryModule, RemoteModule};
use crate::module::declaration::ModuleCall;
use crate::rules::Context;

/// Whether a call in an example or a test installs a package from this very repository.
pub(in crate::rules) fn is_own_package(
    node: Node<'_>,
    call: &ModuleCall,
    remote: &RemoteModule,
    context: &Context<'_>,
) -> bool {
    let path = remote.package.split_once('?').map_or(remote.package.as_str(), |(path, _)| path);
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    is_own(node, call, name.strip_suffix(".git").unwrap_or(name), &remote.subdir, context)
}

/// Whether a call in an example or a test names this very repository by its address in a registry, which takes
/// `terraform-SYSTEM-NAME` for the name of a repository.
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

/// Whether there is a module in a directory that declares a variable for each argument of a call. What every module is
/// called with says nothing about the one at the top.
fn declares_all(directory: &str, call: &ModuleCall, context: &Context<'_>) -> bool {
    let Some(variables) = context.variables(directory) else { return false };
    let arguments = call.config.just_attributes(&mut Vec::new());
    let is_declared = |name: &SmolStr| variables.contains(name);
    arguments.iter().all(|argument| is_declared(&argument.name))
        && !(directory.is_empty() && arguments.is_empty())
}
