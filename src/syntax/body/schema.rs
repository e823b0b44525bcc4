//! The arguments and block types that a body may hold.

use hashbrown::HashSet;

/// The arguments and block types that a body may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema<'a> {
    /// The arguments.
    pub attributes: &'a [AttributeSchema<'a>],
    /// The block types.
    pub blocks: &'a [BlockSchema<'a>],
}

impl Schema<'_> {
    /// Whether the schema has this argument.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.attributes.iter().any(|expected| expected.name == name)
    }

    /// The set of argument names, for many lookups.
    pub(super) fn attribute_names(&self) -> ArgumentNames<'_> {
        if self.attributes.len() <= FEW {
            return ArgumentNames::Few(self.attributes);
        }
        ArgumentNames::Many(self.attributes.iter().map(|expected| expected.name).collect())
    }

    /// The schema of this block type, if it is expected.
    pub(super) fn block(&self, kind: &str) -> Option<&BlockSchema<'_>> {
        self.blocks.iter().find(|expected| expected.kind == kind)
    }
}

/// Up to this many names, comparing one by one is faster than a set.
const FEW: usize = 16;

/// The argument names of a schema. The schema of a module call has an argument per variable of the module.
pub(super) enum ArgumentNames<'a> {
    Few(&'a [AttributeSchema<'a>]),
    Many(HashSet<&'a str>),
}

impl ArgumentNames<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Few(attributes) => attributes.iter().any(|expected| expected.name == name),
            Self::Many(names) => names.contains(name),
        }
    }
}

/// The schema of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeSchema<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether the argument is required.
    pub required: bool,
}

impl<'a> AttributeSchema<'a> {
    /// The schema of a required argument.
    pub const fn required(name: &'a str) -> Self {
        Self { name, required: true }
    }

    /// The schema of an optional argument.
    pub const fn optional(name: &'a str) -> Self {
        Self { name, required: false }
    }
}

/// The schema of a block type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSchema<'a> {
    /// The block type.
    pub kind: &'a str,
    /// The name of each label, for diagnostics.
    pub labels: &'a [&'a str],
    /// Names of further optional labels. Ignored in JSON, where the nesting depth gives the number of labels.
    pub optional_labels: &'a [&'a str],
}

impl<'a> BlockSchema<'a> {
    /// A block type with these label names.
    pub const fn new(kind: &'a str, labels: &'a [&'a str]) -> Self {
        Self { kind, labels, optional_labels: &[] }
    }

    /// The same block type with further optional labels.
    #[must_use]
    pub const fn and_maybe(self, optional_labels: &'a [&'a str]) -> Self {
        Self { optional_labels, ..self }
    }
}
