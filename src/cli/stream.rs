//! Turns text into bytes on the standard streams: the one place where the program writes to them.

use std::io::{self, ErrorKind, Write};

use super::Failure;

/// Writes to standard output. A reader that has seen enough, as `head` has, is no failure.
pub(super) fn out(text: &str) -> Result<(), Failure> {
    let mut stream = io::stdout().lock();
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes to standard error. There is nobody to tell if that fails.
pub(super) fn err(text: &str) {
    io::stderr().lock().write_all(text.as_bytes()).ok();
}
