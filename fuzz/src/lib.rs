//! Properties of every input, and seeds: for the fuzzer, and for `tests/fuzz.rs` of the project.

pub mod companions;
pub mod change;
pub mod check;
pub mod connected;
pub mod decode;
pub mod json;
pub mod merge;
pub mod native;
pub mod place;
pub mod policy;
pub mod seeds;
pub mod test_file;
pub mod tree;
pub mod value;

/// An entry point for untrusted text.
pub struct Target {
    /// The name for `cargo fuzz run`.
    pub name: &'static str,
    /// Panics if a property is violated.
    pub holds: fn(&[u8]),
    /// The seeds.
    pub seeds: fn() -> Vec<String>,
}

/// All targets, the fastest first.
pub const TARGETS: &[Target] = &[
    Target { name: "native", holds: native::holds, seeds: seeds::native },
    Target { name: "json", holds: json::holds, seeds: seeds::json },
    Target { name: "companions", holds: companions::holds, seeds: seeds::companions },
    Target { name: "policy", holds: policy::holds, seeds: seeds::policy },
    Target { name: "value", holds: value::holds, seeds: seeds::value },
    Target { name: "test_file", holds: test_file::holds, seeds: seeds::tests },
    Target { name: "decode", holds: decode::holds, seeds: seeds::decode },
    Target { name: "merge", holds: merge::holds, seeds: seeds::trees },
    Target { name: "change", holds: change::holds, seeds: seeds::changes },
    Target { name: "check", holds: check::holds, seeds: seeds::trees },
];
