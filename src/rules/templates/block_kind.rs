//! The kinds of block that a pattern can name.

/// A kind of block that a pattern can name.
#[derive(Debug)]
pub(super) struct BlockKind {
    /// Its first word; for a block in a `terraform` block that word too.
    pub(super) name: &'static str,
    /// What its labels are.
    pub(super) labels: &'static [&'static str],
    /// Whether its author chooses the last label.
    pub(super) is_named: bool,
}

impl BlockKind {
    const fn new(name: &'static str, labels: &'static [&'static str]) -> Self {
        Self { name, labels, is_named: !labels.is_empty() }
    }

    /// A kind whose labels name something that exists elsewhere.
    const fn without_name(name: &'static str, labels: &'static [&'static str]) -> Self {
        Self { is_named: false, ..Self::new(name, labels) }
    }

    /// A block of this kind, as native syntax writes it, around a body.
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

/// Every kind, by name. A local value is one of them, though it is no block, and so is an entry of
/// `required_providers`.
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

/// The block for settings of the module. As a pattern it means that block, and none of those in it.
pub(super) const TERRAFORM: &str = "terraform";

/// The entries of `required_providers`.
pub(super) const REQUIRED_PROVIDERS: &str = "terraform.required_providers";
