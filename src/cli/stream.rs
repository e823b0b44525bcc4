//! Standard output and standard error. No other code writes to them.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use super::Failure;
use crate::report::sanitize;
use crate::vfs::cause;

/// Prints text to standard output.
pub(super) fn out(text: &str) -> Result<(), Failure> {
    out_by(|stream| stream.write_all(text.as_bytes()))
}

/// Calls a function that writes to standard output. A closed pipe, as with `head`, is not an error.
pub(super) fn out_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stream = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match write(&mut stream).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {}", cause(&error))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Calls a function that writes the content of a file.
pub(super) fn file_by(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stream = BufWriter::with_capacity(BUFFER, File::create(file)?);
    write(&mut stream).and_then(|()| stream.flush())
}

/// Writes a file that does not exist yet.
pub(super) fn create(file: &Path, text: &str) -> io::Result<()> {
    File::create_new(file)?.write_all(text.as_bytes())
}

/// The size of the buffer: reports are written in many small pieces.
const BUFFER: usize = 1 << 16;

/// Prints text to standard error, without characters that a terminal would interpret. Errors are ignored.
pub(super) fn err(text: &str) {
    err_painted(&sanitize(text));
}

/// Prints text with our own escapes to standard error.
pub(super) fn err_painted(text: &str) {
    io::stderr().lock().write_all(text.as_bytes()).ok();
}
