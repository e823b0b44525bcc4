//! Writes XML that any reader accepts, whatever text it contains.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{one_line, sanitize};

/// The writer.
pub(super) type Document<'o> = Writer<&'o mut dyn Write>;

/// Writes a document with the elements that `write` adds, indented by two, with a line break at its end.
pub(super) fn document(
    out: &mut dyn Write,
    write: impl FnOnce(&mut Document<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut document = Writer::new_with_indent(out, b' ', 2);
    document.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    write(&mut document)?;
    document.into_inner().write_all(b"\n")
}

/// Escapes the value of an attribute, on one line.
pub(super) fn attribute(text: &str) -> String {
    allowed(&one_line(text)).into_owned()
}

/// Escapes text.
pub(super) fn text(text: &str) -> BytesText<'static> {
    BytesText::new(&allowed(&sanitize(text))).into_owned()
}

/// XML cannot contain these two characters, even escaped. Control characters are replaced earlier.
fn allowed(text: &str) -> Cow<'_, str> {
    const FORBIDDEN: [char; 2] = ['\u{fffe}', '\u{ffff}'];
    if !text.contains(FORBIDDEN) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(FORBIDDEN, "\u{fffd}"))
}
