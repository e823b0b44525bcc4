//! Turns the name of a preset into its text, `policies/<name>.hcl`, which the binary carries.

/// A policy that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What `extends` calls it.
    pub name: &'static str,
    /// The file, as reports call it.
    pub file: &'static str,
    /// The file, as it is written.
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

/// Every preset, from the least to the most.
pub const PRESETS: &[Preset] = &[preset!("language"), preset!("recommended"), preset!("strict")];
