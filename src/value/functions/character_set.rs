//! `textencodebase64` and `textdecodebase64`: checks the names of character sets, and the text as far as the set is
//! modelled.

use super::decoding::base64;
use super::signature::{FunctionError, Outcome, shown, text};
use crate::value::Value;

/// The character sets that the engines can encode, by each name and alias that IANA registers, in lowercase and sorted.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "437", "850", "852", "855", "860", "862", "863", "865", "866", "ansi_x3.4-1968", "ansi_x3.4-1986", "arabic",
    "asmo-708", "big5", "ccsid00858", "ccsid01140", "cp00858", "cp01140", "cp037", "cp367", "cp437", "cp819",
    "cp850", "cp852", "cp855", "cp860", "cp862", "cp863", "cp865", "cp866", "cp936", "csascii", "csbig5", "cseuckr",
    "cseucpkdfmtjapanese", "csgb18030", "csgbk", "csibm00858", "csibm01140", "csibm037", "csibm1047", "csibm855",
    "csibm860", "csibm863", "csibm865", "csibm866", "csiso2022jp", "csiso885913", "csiso885914", "csiso885915",
    "csiso885916", "csiso88596e", "csiso88596i", "csiso88598e", "csiso88598i", "csisolatin1", "csisolatin2",
    "csisolatin3", "csisolatin4", "csisolatin5", "csisolatin6", "csisolatinarabic", "csisolatincyrillic",
    "csisolatingreek", "csisolatinhebrew", "cskoi8r", "cskoi8u", "csmacintosh", "cspc850multilingual",
    "cspc862latinhebrew", "cspc8codepage437", "cspcp852", "csshiftjis", "csutf16", "csutf16be", "csutf16le",
    "csutf8", "cswindows1250", "cswindows1251", "cswindows1252", "cswindows1253", "cswindows1254", "cswindows1255",
    "cswindows1256", "cswindows1257", "cswindows1258", "cswindows874", "cyrillic", "ebcdic-cp-ca", "ebcdic-cp-nl",
    "ebcdic-cp-us", "ebcdic-cp-wt", "ebcdic-us-37+euro", "ecma-114", "ecma-118", "elot_928", "euc-jp", "euc-kr",
    "extended_unix_code_packed_format_for_japanese", "gb18030", "gbk", "greek", "greek8", "hebrew", "hz-gb-2312",
    "ibm-1047", "ibm00858", "ibm01140", "ibm037", "ibm1047", "ibm367", "ibm437", "ibm819", "ibm850", "ibm852",
    "ibm855", "ibm860", "ibm862", "ibm863", "ibm865", "ibm866", "iso-2022-jp", "iso-8859-1", "iso-8859-10",
    "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "iso-8859-2", "iso-8859-3", "iso-8859-4",
    "iso-8859-5", "iso-8859-6", "iso-8859-6-e", "iso-8859-6-i", "iso-8859-7", "iso-8859-8", "iso-8859-8-e",
    "iso-8859-8-i", "iso-8859-9", "iso-celtic", "iso-ir-100", "iso-ir-101", "iso-ir-109", "iso-ir-110",
    "iso-ir-126", "iso-ir-127", "iso-ir-138", "iso-ir-144", "iso-ir-148", "iso-ir-157", "iso-ir-199", "iso-ir-226",
    "iso-ir-6", "iso646-us", "iso_646.irv:1991", "iso_8859-1", "iso_8859-10:1992", "iso_8859-14",
    "iso_8859-14:1998", "iso_8859-15", "iso_8859-16", "iso_8859-16:2001", "iso_8859-1:1987", "iso_8859-2",
    "iso_8859-2:1987", "iso_8859-3", "iso_8859-3:1988", "iso_8859-4", "iso_8859-4:1988", "iso_8859-5",
    "iso_8859-5:1988", "iso_8859-6", "iso_8859-6-e", "iso_8859-6-i", "iso_8859-6:1987", "iso_8859-7",
    "iso_8859-7:1987", "iso_8859-8", "iso_8859-8-e", "iso_8859-8-i", "iso_8859-8:1988", "iso_8859-9",
    "iso_8859-9:1989", "koi8-r", "koi8-u", "l1", "l10", "l2", "l3", "l4", "l5", "l6", "l8", "latin-9", "latin1",
    "latin10", "latin2", "latin3", "latin4", "latin5", "latin6", "latin8", "mac", "macintosh", "ms936", "ms_kanji",
    "pc-multilingual-850+euro", "shift_jis", "us", "us-ascii", "utf-16", "utf-16be", "utf-16le", "utf-8",
    "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "windows-874", "windows-936",
];

/// Whether this is a name of UTF-8.
fn is_utf8(name: &str) -> bool {
    matches!(name, "utf-8" | "csutf8")
}

/// The last character of US-ASCII or Latin-1, which have all characters before it.
fn last_character(name: &str) -> Option<char> {
    match name {
        "ansi_x3.4-1968" | "ansi_x3.4-1986" | "cp367" | "csascii" | "ibm367" | "iso-ir-6" | "iso646-us"
        | "iso_646.irv:1991" | "us" | "us-ascii" => Some('\u{7f}'),
        "cp819" | "csisolatin1" | "ibm819" | "iso-8859-1" | "iso-ir-100" | "iso_8859-1"
        | "iso_8859-1:1987" | "l1" | "latin1" => Some('\u{ff}'),
        _ => None,
    }
}

/// The name of the character set in the second argument, in lowercase.
fn character_set(arguments: &[Value]) -> Result<String, FunctionError> {
    let given = text(arguments, 1)?;
    let name = given.trim().to_ascii_lowercase();
    if NAMES.binary_search(&name.as_str()).is_ok() {
        return Ok(name);
    }
    Err(FunctionError::of_argument(1, format!("{} is not a supported character encoding", shown(given))))
}

/// `textencodebase64`: only checks the arguments.
pub(super) fn textencodebase64(arguments: &[Value]) -> Outcome {
    let name = character_set(arguments)?;
    let text = text(arguments, 0)?;
    match last_character(&name).and_then(|last| text.chars().find(|sign| *sign > last)) {
        Some(sign) => Err(FunctionError::of_argument(0, format!("{name} has no character {sign:?}"))),
        None => Err(FunctionError::Unknown),
    }
}

pub(super) fn textdecodebase64(arguments: &[Value]) -> Outcome {
    let name = character_set(arguments)?;
    let Some(bytes) = base64(text(arguments, 0)?) else {
        return Err(FunctionError::of_argument(0, "it is not valid Base64"));
    };
    if last_character(&name) == Some('\u{7f}') && !bytes.is_ascii() {
        return Err(FunctionError::of_argument(0, format!("{name} does not define all of these characters")));
    }
    if !is_utf8(&name) {
        return Err(FunctionError::Unknown);
    }
    let text = String::from_utf8(bytes);
    text.map(Value::string).map_err(|_| FunctionError::of_argument(0, "the result is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_names_are_sorted() {
        assert!(NAMES.is_sorted_by(|a, b| a < b));
        assert!(NAMES.iter().all(|name| *name == name.to_ascii_lowercase()));
    }
}
