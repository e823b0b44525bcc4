//! The presets: `policies/<name>.hcl`, embedded in the binary.

/// A preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name in `extends`.
    pub name: &'static str,
    /// The file name in reports.
    pub file: &'static str,
    /// The content.
    pub text: &'static str,
}

macro_rules! preset {
    ($name:literal) => {
        Preset {
            name: $name,
            file: concat!($name, ".hcl"),
            text: include_str!(concat!("../../policies/", $name, ".hcl")),
        }
    };
}

/// All presets, each stricter than the one before.
pub const PRESETS: &[Preset] = &[preset!("language"), preset!("recommended"), preset!("strict")];
