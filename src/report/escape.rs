//! Writes JSON without characters or commands that a terminal or CI agent would interpret.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;

use crate::text::{commands, is_obeyed};

/// Writes the document, indented by two as the engines do, with a line break at its end.
pub(in crate::report) fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    document.serialize(&mut Serializer::pretty(Escaping(&mut *out)))?;
    out.write_all(b"\n")
}

/// Returns a small document as text.
pub(in crate::report) fn to_string(document: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    write(document, &mut bytes).expect("the document holds only values that JSON can express");
    String::from_utf8(bytes).expect("JSON is written in UTF-8")
}

/// A list whose elements are created while they are written, because there may be many.
pub(in crate::report) fn each<I: Iterator<Item: Serialize>>(elements: impl Fn() -> I) -> impl Serialize {
    Each(elements)
}

struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Escapes such characters in what is written. A line cannot start with `::`, because lines start with a quote, a bracket
/// or a digit.
struct Escaping<'o>(&'o mut dyn Write);

impl Write for Escaping<'_> {
    /// The serializer writes each fragment of a string at once, and nothing else has such characters.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Most fragments have no such character and no start of a command.
        if bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'Z' | b'\\'..=b'~')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let fragment = str::from_utf8(bytes).map_err(io::Error::other)?;
        let mut written = 0;
        let mut commands = commands(fragment).peekable();
        let mut is_command = |at| commands.next_if_eq(&at).is_some();
        for (at, c) in fragment.char_indices().filter(|(at, c)| is_command(*at) || is_obeyed(*c)) {
            self.0.write_all(&bytes[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        self.0.write_all(&bytes[written..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_by_its_number() {
        let hostile = "a\u{1b}[31m\u{9b}\u{202e}\u{7f}é\u{e0041}\r\n##[error]";
        let text = to_string(&hostile);
        assert_eq!(text, "\"a\\u001b[31m\\u009b\\u202e\\u007fé\\udb40\\udc41\\r\\n#\\u0023[error]\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).expect("JSON"), hostile);
    }
}
