//! Turns elements into an XML document that any reader accepts, whatever text is in it.

use std::borrow::Cow;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{one_line, visible};

/// What elements are written into.
pub(super) type Document = Writer<Vec<u8>>;

/// The document that `write` fills, indented by two, with a line break at its end.
pub(super) fn document(write: impl FnOnce(&mut Document) -> io::Result<()>) -> String {
    let mut document = Writer::new_with_indent(Vec::new(), b' ', 2);
    let start = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
    let written = document.write_event(start).and_then(|()| write(&mut document));
    written.expect("memory takes whatever is written into it");
    let mut text = String::from_utf8(document.into_inner()).expect("text is written in UTF-8");
    text.push('\n');
    text
}

/// The value of an attribute, on one line.
pub(super) fn attribute(text: &str) -> String {
    allowed(&one_line(text)).into_owned()
}

/// Text between elements.
pub(super) fn text(text: &str) -> BytesText<'static> {
    BytesText::new(&allowed(&visible(text))).into_owned()
}

/// XML has no way to write these two characters, not even by their numbers; controls are gone already.
fn allowed(text: &str) -> Cow<'_, str> {
    const FORBIDDEN: [char; 2] = ['\u{fffe}', '\u{ffff}'];
    if !text.contains(FORBIDDEN) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(FORBIDDEN, "\u{fffd}"))
}
