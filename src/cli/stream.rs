//! Turns text into bytes on the standard streams and in files: the one place where the program writes to those streams.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use super::Failure;
use crate::report::sanitize;
use crate::vfs::cause;

/// Writes a text to standard output.
pub(super) fn out(text: &str) -> Result<(), Failure> {
    out_by(|stream| stream.write_all(text.as_bytes()))
}

/// Has something written to standard output. A reader that has seen enough, as `head` has, is no failure.
pub(super) fn out_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stream = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match write(&mut stream).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {}", cause(&error))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Has something written to a file, in the place of what it held.
pub(super) fn file_by(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stream = BufWriter::with_capacity(BUFFER, File::create(file)?);
    write(&mut stream).and_then(|()| stream.flush())
}

/// Reports are written in many small pieces.
const BUFFER: usize = 1 << 16;

/// Writes to standard error what a terminal only shows, whoever chose the names in it. There is nobody to tell if that
/// fails.
pub(super) fn err(text: &str) {
    err_painted(&sanitize(text));
}

/// The same with escapes of our own, in a text that holds no others.
pub(super) fn err_painted(text: &str) {
    io::stderr().lock().write_all(text.as_bytes()).ok();
}
