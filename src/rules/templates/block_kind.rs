//! The block types that a pattern can name.

/// A block type that a pattern can name.
#[derive(Debug)]
pub(super) struct BlockKind {
    /// The block type; for a block in a `terraform` block, with the prefix `terraform.`.
    pub(super) name: &'static str,
    /// The names of its labels.
    pub(super) labels: &'static [&'static str],
    /// Whether the author of the block chooses the last label.
    pub(super) is_named: bool,
}

impl BlockKind {
    const fn new(name: &'static str, labels: &'static [&'static str]) -> Self {
        Self { name, labels, is_named: !labels.is_empty() }
    }

    /// A block type whose labels all refer to something that exists elsewhere.
    const fn without_name(name: &'static str, labels: &'static [&'static str]) -> Self {
        Self { is_named: false, ..Self::new(name, labels) }
    }

    /// A block of this type in native syntax, with this body.
    pub(super) fn around(&self, body: &str) -> String {
        let labels = " \"x\"".repeat(self.labels.len());
        match self.name {
            "provider" => format!("provider \"x\" {{\n{body}\n}}\n"),
            "local" => String::new(),
            name => match name.strip_prefix("terraform.") {
                Some(nested) => format!("terraform {{\n{nested}{labels} {{\n{body}\n}}\n}}\n"),
                None => format!("{name}{labels} {{\n{body}\n}}\n"),
            },
        }
    }
}

/// Every block type, sorted by name. Local values and entries of `required_providers` are included, although they are
/// not blocks.
pub(super) const KINDS: &[BlockKind] = &[
    BlockKind::new("action", &["type", "name"]),
    BlockKind::new("check", &["name"]),
    BlockKind::new("data", &["type", "name"]),
    BlockKind::new("ephemeral", &["type", "name"]),
    BlockKind::new("import", &[]),
    BlockKind::new("local", &["name"]),
    BlockKind::new("module", &["name"]),
    BlockKind::new("moved", &[]),
    BlockKind::new("output", &["name"]),
    BlockKind::new("provider", &["local name", "alias"]),
    BlockKind::new("removed", &[]),
    BlockKind::new("resource", &["type", "name"]),
    BlockKind::new(TERRAFORM, &[]),
    BlockKind::without_name("terraform.backend", &["type"]),
    BlockKind::new("terraform.cloud", &[]),
    BlockKind::new("terraform.encryption", &[]),
    BlockKind::without_name("terraform.provider_meta", &["provider"]),
    BlockKind::without_name(REQUIRED_PROVIDERS, &["local name"]),
    BlockKind::new("variable", &["name"]),
];

/// The block for settings of the module. As a pattern, it matches only this block and none of its nested blocks.
pub(super) const TERRAFORM: &str = "terraform";

/// The entries of `required_providers`.
pub(super) const REQUIRED_PROVIDERS: &str = "terraform.required_providers";
