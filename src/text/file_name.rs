//! Converts file names, which are bytes, to text and back without loss.
//!
//! Most names are UTF-8. Each byte that is not part of a valid character becomes one of 128 characters at the end of
//! Unicode's last private use area, and so does each byte of such a character in a name. Two different names are never
//! the same text.

use std::borrow::Cow;
use std::ffi::OsStr;

/// The character for the byte 0x80. Those for the other 127 bytes follow.
const FIRST: u32 = 0x0010_ff80;

/// The byte that a character of a decoded name stands for, if any.
pub fn raw_byte(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(FIRST)?;
    u8::try_from(byte + 0x80).ok()
}

/// Decodes a name or a path.
pub fn decode(name: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(name)
        && !text.contains(|c| raw_byte(c).is_some())
    {
        return Cow::Borrowed(text);
    }
    let stand_in = |byte: &u8| char::from_u32(FIRST - 0x80 + u32::from(*byte)).expect("the last is U+10FFFF");
    let mut text = String::with_capacity(name.len() * 2);
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match raw_byte(c) {
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(stand_in)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().map(stand_in));
    }
    Cow::Owned(text)
}

/// Encodes a text to a name: the reverse of [`decode`].
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(|c| raw_byte(c).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut name = Vec::with_capacity(text.len());
    for c in text.chars() {
        match raw_byte(c) {
            Some(byte) => name.push(byte),
            None => name.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(name)
}

/// Decodes a name of the operating system.
#[cfg(unix)]
pub fn decode_os(name: &OsStr) -> Cow<'_, str> {
    use std::os::unix::ffi::OsStrExt as _;
    decode(name.as_bytes())
}

/// Decodes a name of the operating system. Git for Windows only supports UTF-8 names.
#[cfg(not(unix))]
pub fn decode_os(name: &OsStr) -> Cow<'_, str> {
    name.to_string_lossy()
}

/// Encodes a text to a name of the operating system.
#[cfg(unix)]
pub fn encode_os(text: &str) -> Cow<'_, OsStr> {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    match encode(text) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::from_bytes(name)),
        Cow::Owned(name) => Cow::Owned(std::ffi::OsString::from_vec(name)),
    }
}

/// Encodes a text to a name of the operating system.
#[cfg(not(unix))]
pub fn encode_os(text: &str) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::new(text))
}

/// A path as people write it, without the prefix `\\?\` that Windows adds and most programs do not accept. No absolute
/// path of another system starts with it.
pub fn without_verbatim_prefix(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix(r"\\?\") else { return Cow::Borrowed(path) };
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Cow::Owned(format!(r"\\{share}"));
    }
    let is_drive =
        rest.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && rest[1..].starts_with(":\\");
    Cow::Borrowed(if is_drive { rest } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_on_windows_is_shown_without_its_prefix() {
        for (path, shown) in [
            (r"\\?\C:\Users\a\infra\main.tf", r"C:\Users\a\infra\main.tf"),
            (r"\\?\UNC\server\share\main.tf", r"\\server\share\main.tf"),
            // Without the prefix, this would not be an absolute path.
            (r"\\?\Volume{b75e2c83}\main.tf", r"\\?\Volume{b75e2c83}\main.tf"),
            (r"C:\main.tf", r"C:\main.tf"),
            ("/infra/main.tf", "/infra/main.tf"),
            (r"\\?\é:\", r"\\?\é:\"),
            (r"\\?\", r"\\?\"),
        ] {
            assert_eq!(without_verbatim_prefix(path), shown);
        }
    }

    #[test]
    fn every_name_has_a_text_of_its_own() {
        let names: &[&[u8]] = &[
            b"main.tf",
            "größe/\u{1f600}".as_bytes(),
            b"d\xfe",
            b"d\xff",
            b"d\xff\xfe/\x80x",
            b"\xc3(",
            "\u{fffd}".as_bytes(),
            "\u{10fffe}".as_bytes(),
            "\u{10ff80}\u{10ffff}\u{10ff7f}".as_bytes(),
            b"\xf4\x8f\xbf",
        ];
        let mut texts: Vec<String> = names.iter().map(|name| decode(name).into_owned()).collect();
        for (name, text) in names.iter().zip(&texts) {
            assert_eq!(encode(text), *name, "{text:?}");
            assert_eq!(decode_os(&encode_os(text)), *text);
        }
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), names.len());
    }

    #[test]
    fn names_in_utf_8_are_their_own_text() {
        assert_eq!(decode("größe/\u{10ff7f}".as_bytes()), "größe/\u{10ff7f}");
        assert_eq!(decode(b"d\xfe"), "d\u{10fffe}");
    }
}
