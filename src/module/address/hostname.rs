//! Normalizes host names and their labels to the form in which the engine compares them.

use std::borrow::Cow;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use smol_str::{SmolStr, format_smolstr};

use super::source::unescape;

/// The ASCII characters that a label may contain besides letters and digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Hyphens, as in host names.
    Dash,
    /// Hyphens and underscores.
    DashAndUnderscore,
}

/// All ASCII characters except letters, digits, hyphens, dots and underscores.
const DENIED: AsciiDenyList = AsciiDenyList::new(true, "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~");

/// The normal form of a label, in lower case. Returns `None` if the rules for domain names (IDNA) do not allow it.
pub(super) fn normal_label(label: &str, marks: Marks) -> Option<SmolStr> {
    if label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Some(label.into());
    }
    let denied = match marks {
        Marks::Dash => AsciiDenyList::STD3,
        Marks::DashAndUnderscore => DENIED,
    };
    let (normal, legal) = Uts46::new().to_unicode(label.as_bytes(), denied, Hyphens::Check);
    legal.is_ok().then(|| normal.as_ref().into())
}

/// The form in which the engine compares and prints `host`, which may end in a port, or the reason why it is invalid.
///
/// The engine compares hosts in Punycode and prints them in Unicode. The mapping is one to one, so the Unicode form
/// serves for both.
pub(super) fn normal_host(host: &str) -> Result<SmolStr, &'static str> {
    let (name, port) = match host.find(':') {
        Some(colon) => (&host[..colon], normal_port(&host[colon + 1..], &host[..colon])?),
        None => (host, Cow::Borrowed("")),
    };
    if name.is_empty() {
        return Err("an empty string is not a host name");
    }
    let labels = name.strip_suffix('.').unwrap_or(name).split('.');
    for label in labels {
        if label.is_empty() {
            return Err("it contains an empty label (two dots in a row)");
        }
        if label.starts_with("xn--") {
            return Err("it is written in Punycode, and must be given in Unicode");
        }
    }
    let uts46 = Uts46::new();
    let bytes = name.as_bytes();
    let (unicode, legal) = uts46.to_unicode(bytes, AsciiDenyList::STD3, Hyphens::Check);
    if legal.is_err()
        || uts46.to_ascii(bytes, AsciiDenyList::STD3, Hyphens::Check, DnsLength::Ignore).is_err()
    {
        return Err("it must contain only letters, digits, hyphens and dots");
    }
    Ok(format_smolstr!("{unicode}{port}"))
}

/// The names of the host in an authority (`user@host:port`), in Unicode and in Punycode, without a final dot. The user
/// and the port are left out. A name that IDNA does not allow stays as written, in lower case.
pub fn host_names(authority: &str) -> [String; 2] {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let end = match host.find(']') {
        Some(bracket) if host.starts_with('[') => bracket + 1,
        _ => host.find(':').unwrap_or(host.len()),
    };
    let written = unescape(&host[..end]).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let written = written.unwrap_or_else(|| host[..end].to_owned());
    // Programs such as git accept more names than the registries of the engine.
    let (uts46, denied) = (Uts46::new(), AsciiDenyList::URL);
    let ascii = uts46.to_ascii(written.as_bytes(), denied, Hyphens::Allow, DnsLength::Ignore);
    let names = match ascii {
        Ok(ascii) => {
            let (unicode, _) = uts46.to_unicode(written.as_bytes(), denied, Hyphens::Allow);
            [unicode.into_owned(), ascii.into_owned()]
        }
        Err(_) => [written.to_ascii_lowercase(), written.to_ascii_lowercase()],
    };
    names.map(|name| name.strip_suffix('.').unwrap_or(&name).to_owned())
}

/// The port with its colon, or nothing for the default port.
fn normal_port(port: &str, before: &str) -> Result<Cow<'static, str>, &'static str> {
    // The engine accepts a sign before the number.
    let Ok(number) = port.parse::<i64>() else {
        return Err(match before.to_ascii_lowercase().as_str() {
            "http" | "https" => "it must be a host name and an optional port, not a URL",
            _ => "its port is not a number",
        });
    };
    match number {
        443 => Ok(Cow::Borrowed("")),
        65536.. => Err("its port is greater than 65535"),
        number => Ok(Cow::Owned(format!(":{number}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_compared_in_one_form() {
        for (given, normal) in [
            ("registry.terraform.io", "registry.terraform.io"),
            ("Registry.Terraform.IO", "registry.terraform.io"),
            ("example.com:443", "example.com"),
            ("example.com:8443", "example.com:8443"),
            ("localhost:080", "localhost:80"),
            ("example.com.", "example.com."),
            ("Испытание.com", "испытание.com"),
        ] {
            assert_eq!(normal_host(given).as_deref(), Ok(normal), "{given}");
        }
        let wrong = [
            "",
            ":80",
            "a..b",
            ".a",
            "xn--80akhbyknj4f.com",
            "a_b.com",
            "a.com:x",
            "a.com:65536",
            "https://a.com",
        ];
        for given in wrong {
            assert!(normal_host(given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_host_has_the_same_names_however_it_is_written() {
        for (written, unicode, ascii) in [
            ("Example.com", "example.com", "example.com"),
            ("me:secret@example.com:443", "example.com", "example.com"),
            ("example.com.", "example.com", "example.com"),
            ("ｅxample.com", "example.com", "example.com"),
            ("%EF%BD%85xample.com", "example.com", "example.com"),
            ("example。com。", "example.com", "example.com"),
            ("Bücher.example", "bücher.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "bücher.example", "xn--bcher-kva.example"),
            ("a_b.example", "a_b.example", "a_b.example"),
            ("127.0.0.1:80", "127.0.0.1", "127.0.0.1"),
            ("[::1]:80", "[::1]", "[::1]"),
            ("xn--.Example.", "xn--.example", "xn--.example"),
            ("", "", ""),
        ] {
            assert_eq!(host_names(written), [unicode, ascii], "{written}");
        }
    }
}
