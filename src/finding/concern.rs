//! What a finding concerns, as one part of its identity.

use smol_str::SmolStr;

use super::shortened;

/// What a finding concerns within its block or, where it names no block, within its module.
///
/// Rule, module, block address and concern identify a finding from one revision to the next. So a concern is made of
/// names that people chose and never of wording, of a position, or of whatever comes first in a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// Not stated: the argument or nested block around the primary range, if the finding names a block and the range
    /// lies in an argument or nested block. For a finding without a block it is the file.
    #[default]
    Unstated,
    /// The block as a whole; without a block, the module as a whole.
    Whole,
    /// An argument or nested block, with the blocks around it: `lifecycle.ignore_changes`.
    Argument(SmolStr),
    /// A file, by its path from the top of the run.
    File(SmolStr),
    /// The version of Terraform or OpenTofu that the module requires.
    RequiredVersion,
    /// A provider that the module requires, by its local name or source address.
    Provider(SmolStr),
    /// Several providers that one finding covers. The finding exists already if it existed for each of them, so that it
    /// stays an existing finding when one of them is removed and becomes new when one is added.
    Providers(Vec<SmolStr>),
    /// Several modules that one finding is about, by their directories, whichever of them it names. Like
    /// [`Self::Providers`], it exists already if it existed for each of them.
    Modules(Vec<SmolStr>),
    /// A module source address, as it is written.
    ModuleSource(SmolStr),
    /// Something that the block refers to or names: `var.region`, the name of a function, an unknown argument.
    Name(SmolStr),
    /// Several blocks that are wrong together, by their addresses: the members of a cycle.
    Names(Vec<SmolStr>),
}

impl Concern {
    /// Whether findings about several blocks of a directory that have this in common have one cause.
    pub const fn is_cause(&self) -> bool {
        match self {
            Self::Unstated | Self::Whole | Self::Argument(_) | Self::File(_) => false,
            Self::RequiredVersion
            | Self::Provider(_)
            | Self::Providers(_)
            | Self::Modules(_)
            | Self::ModuleSource(_)
            | Self::Name(_)
            | Self::Names(_) => true,
        }
    }

    /// The same with long names cut off. Paths stay as they are.
    #[must_use]
    pub(super) fn shortened(self) -> Self {
        let short = |name: SmolStr| shortened::name(&name).map_or(name, SmolStr::new);
        let all = |names: Vec<SmolStr>| names.into_iter().map(short).collect();
        match self {
            Self::Argument(name) => Self::Argument(short(name)),
            Self::Provider(name) => Self::Provider(short(name)),
            Self::Providers(names) => Self::Providers(all(names)),
            Self::ModuleSource(name) => Self::ModuleSource(short(name)),
            Self::Name(name) => Self::Name(short(name)),
            Self::Names(names) => Self::Names(all(names)),
            Self::Unstated | Self::Whole | Self::File(_) | Self::RequiredVersion | Self::Modules(_) => self,
        }
    }

    /// A word for what it is, and the names in it: the same in every release.
    pub fn into_parts(self) -> (&'static str, Vec<SmolStr>) {
        match self {
            Self::Unstated | Self::Whole => ("", Vec::new()),
            Self::Argument(name) => ("argument", vec![name]),
            Self::File(name) => ("file", vec![name]),
            Self::RequiredVersion => ("required_version", Vec::new()),
            Self::Provider(name) => ("provider", vec![name]),
            Self::Providers(names) => ("provider", names),
            Self::Modules(names) => ("module", names),
            Self::ModuleSource(name) => ("source", vec![name]),
            Self::Name(name) => ("name", vec![name]),
            Self::Names(names) => ("name", names),
        }
    }
}
