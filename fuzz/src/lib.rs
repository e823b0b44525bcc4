//! What holds for every input, and where inputs start from: for the fuzzer here, and for `tests/fuzz.rs` of the
//! project.

pub mod companions;
pub mod check;
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

/// A way into the program that text of strangers takes.
pub struct Target {
    /// As `cargo fuzz run` knows it.
    pub name: &'static str,
    /// Panics where something does not hold that should.
    pub holds: fn(&[u8]),
    /// What inputs start from.
    pub seeds: fn() -> Vec<String>,
}

/// All of them, the quickest first.
pub const TARGETS: &[Target] = &[
    Target { name: "native", holds: native::holds, seeds: seeds::native },
    Target { name: "json", holds: json::holds, seeds: seeds::json },
    Target { name: "companions", holds: companions::holds, seeds: seeds::companions },
    Target { name: "policy", holds: policy::holds, seeds: seeds::policy },
    Target { name: "value", holds: value::holds, seeds: seeds::value },
    Target { name: "test_file", holds: test_file::holds, seeds: seeds::tests },
    Target { name: "decode", holds: decode::holds, seeds: seeds::decode },
    Target { name: "merge", holds: merge::holds, seeds: seeds::trees },
    Target { name: "check", holds: check::holds, seeds: seeds::trees },
];
