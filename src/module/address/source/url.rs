//! Parses and formats URLs as Go's `net/url` does, with the same errors.

/// The parts of a URL. The path is unescaped, because parts are added to it.
#[derive(Debug, Default)]
pub(super) struct Url {
    pub(super) scheme: String,
    /// The part after the scheme, if no `/` follows it.
    opaque: String,
    /// The user info with its `@`.
    user: String,
    host: String,
    /// Whether `//` precedes the host, which may be empty.
    has_authority: bool,
    pub(super) path: Vec<u8>,
    /// The path as written, if that differs from the default escaping.
    written_path: String,
    /// The query with its `?`.
    query: String,
    /// The fragment with its `#`.
    fragment: String,
}

impl Url {
    /// Parses an absolute or relative URL, or explains why it is invalid.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (text, fragment) = cut_before(text, '#');
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return Err("it contains a control character");
        }
        unescape(fragment)?;
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) = cut_before(rest, '?');
        let mut url = Self {
            scheme: scheme.to_ascii_lowercase(),
            query: query.into(),
            fragment: fragment.into(),
            ..Self::default()
        };
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                url.opaque = rest.into();
                return Ok(url);
            }
            if rest.split('/').next().is_some_and(|first| first.contains(':')) {
                return Err("the part before its first `/` contains a colon");
            }
        }
        let mut path = rest;
        if let Some(behind) = rest.strip_prefix("//")
            && (!scheme.is_empty() || !behind.starts_with('/'))
        {
            let (authority, after) = cut_before(behind, '/');
            let at = authority.rfind('@').map_or(0, |at| at + 1);
            (url.user, url.host) = (authority[..at].into(), authority[at..].into());
            url.has_authority = true;
            check_user(&authority[..at])?;
            check_host(&authority[at..])?;
            path = after;
        }
        url.set_path(path)?;
        Ok(url)
    }

    /// `ssh://user@host/path?query`.
    pub(super) fn ssh(user: &str, host: &str, path: &str, query: &str) -> Self {
        Self {
            scheme: "ssh".into(),
            user: format!("{user}@"),
            host: escape(host.as_bytes(), is_plain_in_host),
            has_authority: true,
            path: path.into(),
            query: if query.is_empty() { String::new() } else { format!("?{query}") },
            ..Self::default()
        }
    }

    /// Replaces the query, given without its `?`.
    pub(super) fn set_query(&mut self, query: &str) {
        self.query = if query.is_empty() { String::new() } else { format!("?{query}") };
    }

    /// Appends `//directory` to the path. Characters are escaped only if a URL requires it, because they may be
    /// wildcards.
    pub(super) fn push_subdir(&mut self, directory: &str) {
        self.path.extend_from_slice(b"//");
        self.path.extend_from_slice(directory.as_bytes());
        self.written_path = String::from_utf8(self.path.clone()).unwrap_or_default();
    }

    fn set_path(&mut self, written: &str) -> Result<(), &'static str> {
        self.path = unescape(written)?;
        self.written_path = written.into();
        Ok(())
    }

    fn escaped_path(&self) -> String {
        let written = &self.written_path;
        let as_written = written.bytes().all(|byte| {
            is_plain(byte) || matches!(byte, b'%' | b'!' | b'\'' | b'(' | b')' | b'*' | b'[' | b']')
        }) && unescape(written).is_ok_and(|path| path == self.path);
        if as_written { written.clone() } else { escape(&self.path, is_plain) }
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        f.write_str(&self.opaque)?;
        let path = self.escaped_path();
        if self.has_authority && !(self.host.is_empty() && self.user.is_empty() && path.is_empty()) {
            write!(f, "//{}{}", self.user, self.host)?;
        }
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            f.write_str("/")?;
        }
        write!(f, "{path}{}{}", self.query, self.fragment)
    }
}

/// Splits the text before the first `mark`, which belongs to the second part.
fn cut_before(text: &str, mark: char) -> (&str, &str) {
    text.split_at(text.find(mark).unwrap_or(text.len()))
}

/// Splits off the scheme, if there is a valid one.
fn split_scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("a scheme is missing before its colon"),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_user(user: &str) -> Result<(), &'static str> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(legal) {
        return Err("the part before the `@` contains an invalid character");
    }
    unescape(user).map(drop)
}

fn check_host(host: &str) -> Result<(), &'static str> {
    let port = if host.starts_with('[') {
        let end = host.rfind(']').ok_or("a `]` is missing in its host")?;
        &host[end + 1..]
    } else {
        host.rfind(':').map_or("", |at| &host[at..])
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if (!port.is_empty() && !port.starts_with(':')) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("its port is not a number");
    }
    let legal =
        |byte: u8| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte);
    if !host.bytes().all(legal) {
        return Err("its host contains an invalid character");
    }
    unescape(host)?;
    // In a host, only `%` and characters beyond ASCII may be escaped.
    let foreign = |at: usize| host.as_bytes()[at + 1] >= b'8' || host[at..].starts_with("%25");
    if host.match_indices('%').all(|(at, _)| foreign(at)) {
        Ok(())
    } else {
        Err("its host contains an invalid escape")
    }
}

/// The bytes of an escaped text.
pub(in crate::module::address) fn unescape(text: &str) -> Result<Vec<u8>, &'static str> {
    // Few addresses contain escapes.
    if !text.contains('%') {
        return Ok(text.into());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err("it contains a `%` without two hexadecimal digits");
        };
        out.push(u8::try_from(high * 16 + low).unwrap_or_default());
    }
    Ok(out)
}

/// Escapes all bytes for which `stands_for_itself` is false.
pub(super) fn escape(bytes: &[u8], stands_for_itself: fn(u8) -> bool) -> String {
    // Few addresses need escapes.
    if let Ok(text) = str::from_utf8(bytes)
        && bytes.iter().all(|byte| stands_for_itself(*byte))
    {
        return text.to_owned();
    }
    let mut written = String::with_capacity(bytes.len());
    for byte in bytes {
        if stands_for_itself(*byte) {
            written.push(char::from(*byte));
        } else {
            written.push_str(&format!("%{byte:02X}"));
        }
    }
    written
}

/// Whether a byte is not escaped in a path.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_' | b'.' | b'~' | b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@'
        )
}

/// Whether a byte is not escaped in a host.
fn is_plain_in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}
