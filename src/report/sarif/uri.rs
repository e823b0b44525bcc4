//! Paths as URI references (RFC 3986).

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::text::file_name::encode;

/// Characters that are not escaped: the unreserved ones, and `/`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The reference, and whether it is relative to the top of the repository.
pub(super) fn of(name: &str) -> (String, bool) {
    // A path outside is absolute.
    if Path::new(name).is_absolute() { (of_absolute(name), false) } else { (encoded(name), true) }
}

fn encoded(name: &str) -> String {
    percent_encode(&encode(name), ENCODED).to_string()
}

/// On Windows, an absolute path starts with a drive or a host.
fn of_absolute(name: &str) -> String {
    if let Some(share) = name.strip_prefix("//") {
        return format!("file://{}", encoded(share));
    }
    let slash = if name.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", encoded(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::file_name::decode;

    #[test]
    fn a_name_is_encoded_such_that_it_can_be_taken_back() {
        let relative = |name: &str| {
            let (uri, is_relative) = of(name);
            assert!(is_relative, "{uri}");
            uri
        };
        assert_eq!(relative("live/a-b_c~1/main.tf"), "live/a-b_c~1/main.tf");
        assert_eq!(relative("a:b/é %.tf"), "a%3Ab/%C3%A9%20%25.tf");
        assert_eq!(relative("a\nb#?[]\\\u{fffd}.tf"), "a%0Ab%23%3F%5B%5D%5C%EF%BF%BD.tf");
    }

    #[test]
    fn a_byte_that_is_not_text_is_encoded_as_it_is() {
        assert_eq!(of(&decode(b"d\xfe/main.tf")), ("d%FE/main.tf".to_owned(), true));
    }

    #[test]
    fn a_name_on_windows_keeps_its_drive_or_its_host() {
        assert_eq!(of_absolute("C:/my policy.hcl"), "file:///C%3A/my%20policy.hcl");
        assert_eq!(of_absolute("//server/share/policy.hcl"), "file://server/share/policy.hcl");
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_outside_is_named_from_the_root() {
        assert_eq!(of("/etc/my policy.hcl"), ("file:///etc/my%20policy.hcl".to_owned(), false));
    }
}
