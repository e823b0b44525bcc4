//! To be written.

use std::process::ExitCode;

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
