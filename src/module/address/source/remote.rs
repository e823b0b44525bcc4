//! Parses remote module sources, which are URLs or their shorthands, as go-getter does.

use std::fmt;

use smol_str::SmolStr;

use super::url::{Url, escape, unescape};
use super::{clean, find_in_short, split_subdir};

/// A remote package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteModule {
    /// The full package address: `git::https://github.com/owner/name.git?ref=v1`.
    pub package: SmolStr,
    /// The subdirectory in the package; empty for its root.
    pub subdir: SmolStr,
}

/// Why a source is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// No getter accepts it. It may be meant as a local path.
    Undetected(String),
    /// A getter recognizes it, but it is malformed.
    Unreadable(String),
}

impl From<&str> for Problem {
    fn from(reason: &str) -> Self {
        Self::Unreadable(reason.into())
    }
}

impl RemoteModule {
    /// Parses a remote source.
    pub(super) fn parse(raw: &str) -> Result<Self, Problem> {
        let (package, given) = split_subdir(raw);
        let outside = |directory: &str| {
            Problem::Unreadable(format!("the directory \"{directory}\" is outside the package"))
        };
        if given.starts_with("../") {
            return Err(outside(&given));
        }
        let package = in_full(&package)?;
        let (package, detected) = split_subdir(&package);
        let subdir = match (detected.as_str(), given.as_str()) {
            ("", given) => given.into(),
            (detected, "") => clean(detected),
            (detected, given) => clean(&format!("{detected}/{given}")),
        };
        if !detected.is_empty() && subdir.starts_with("../") {
            return Err(outside(&subdir));
        }
        Ok(Self { package: package.into(), subdir: subdir.into() })
    }

    /// The getter: `git`, `hg`, `oci`, `s3`, `https` and so on.
    pub fn getter(&self) -> &str {
        let (forced, address) = forced_getter(&self.package);
        forced.unwrap_or_else(|| address.split_once("://").map_or("", |(scheme, _)| scheme))
    }

    /// The query as written, without its `?`; empty if there is none.
    pub fn query(&self) -> &str {
        self.package.split_once('?').map_or("", |(_, query)| query)
    }

    /// The sign before a further query parameter.
    pub fn separator(&self) -> char {
        if self.query().is_empty() { '?' } else { '&' }
    }

    /// The value of a query parameter. Returns `None` if it is missing or empty.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        let pairs = self.query().split('&').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == key).map(|(_, value)| value);
        // The engine reads the first value, and treats an empty one as missing.
        values.next().filter(|value| !value.is_empty())
    }
}

/// The full form, with the subdirectory before the query.
impl fmt::Display for RemoteModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.subdir.is_empty() {
            return self.package.fmt(f);
        }
        match self.package.split_once('?') {
            Some((package, query)) => write!(f, "{package}//{}?{query}", self.subdir),
            None => write!(f, "{}//{}", self.package, self.subdir),
        }
    }
}

/// A detector of one shorthand: returns the full address, `None` if the source is not this shorthand, or the error.
type Detector = fn(&str) -> Result<Option<String>, Problem>;

/// The detectors in order; the first match counts.
const DETECTORS: [Detector; 6] = [github, git_over_ssh, bitbucket, gcs, s3, absolute_path];

/// `package` with the parts that its shorthand omits.
fn in_full(package: &str) -> Result<String, Problem> {
    let (forced, address) = forced_getter(package);
    let (address, given) = split_subdir(address);
    if address.contains(':') && Url::parse(&address).is_ok_and(|url| !url.scheme.is_empty()) {
        return Ok(package.into());
    }
    for detector in DETECTORS {
        let Some(found) = detector(&address)? else { continue };
        let (detected_getter, found) = forced_getter(&found);
        let (mut found, detected) = split_subdir(found);
        let directory = match (detected.as_str(), given.as_str()) {
            (detected, "") => detected.into(),
            ("", given) => given.into(),
            (detected, given) => clean(&format!("{detected}/{given}")),
        };
        if !directory.is_empty() {
            let mut url = Url::parse(&found)?;
            url.push_subdir(&directory);
            found = url.to_string().into();
        }
        return Ok(match forced.or(detected_getter) {
            Some(getter) => format!("{getter}::{found}"),
            None => found.into_owned(),
        });
    }
    Err(Problem::Unreadable("it is empty".into()))
}

/// The getter before `::`, if there is one, and the rest.
fn forced_getter(address: &str) -> (Option<&str>, &str) {
    match find_in_short(address, "::").map(|at| (&address[..at], &address[at + 2..])) {
        Some((getter, rest))
            if !getter.is_empty()
                && getter.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && !rest.is_empty()
                && !rest.contains('\n') =>
        {
            (Some(getter), rest)
        }
        _ => (None, address),
    }
}

/// `github.com/owner/name/directory?query`.
fn github(address: &str) -> Result<Option<String>, Problem> {
    if !address.starts_with("github.com/") {
        return Ok(None);
    }
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let parts: Vec<&str> = address.split('/').collect();
    let [host, owner, name, directory @ ..] = parts.as_slice() else {
        return Err("on GitHub it must be `github.com/owner/name`".into());
    };
    if parts.iter().all(|part| part.bytes().all(is_plain)) {
        let git = if name.as_bytes().ends_with(b".git") { "" } else { ".git" };
        let directory =
            if directory.is_empty() { String::new() } else { format!("//{}", directory.join("/")) };
        let mark = if query.is_empty() { "" } else { "?" };
        return Ok(Some(
            ["git::https://", host, "/", owner, "/", name, git, &directory, mark, query].concat(),
        ));
    }
    let mut url = Url::parse(&format!("https://{host}/{owner}/{name}"))?;
    url.set_query(query);
    url.add_git();
    if !directory.is_empty() {
        url.path.extend_from_slice(format!("//{}", directory.join("/")).as_bytes());
    }
    Ok(Some(format!("git::{url}")))
}

/// Whether a byte has no special meaning anywhere in a URL.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// `git@host:path?query`.
fn git_over_ssh(address: &str) -> Result<Option<String>, Problem> {
    let Some((user, host, path)) = scp_parts(address) else { return Ok(None) };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query = sorted_query(query)?;
    if user != "git" {
        return Ok(None);
    }
    Ok(Some(format!("git::{}", Url::ssh(user, host, path, &query))))
}

/// User, host and path of `user@host:path`. The user is optional.
fn scp_parts(address: &str) -> Option<(&str, &str, &str)> {
    let host_and_path = |rest: &'_ str| -> Option<(usize, usize)> {
        let colon = rest.find(':').filter(|colon| *colon > 0)?;
        let behind = &rest[colon + 1..];
        let path = behind.strip_prefix('/').filter(|path| !path.is_empty()).unwrap_or(behind);
        (!path.is_empty() && !path.contains('\n')).then(|| (colon, rest.len() - path.len()))
    };
    let with_user = address.split_once('@').filter(|(user, _)| !user.is_empty());
    // If the address is not valid with a user, the `@` may belong to the host.
    with_user.into_iter().chain([("", address)]).find_map(|(user, rest)| {
        let (colon, path) = host_and_path(rest)?;
        Some((user, &rest[..colon], &rest[path..]))
    })
}

/// The query with sorted keys, as the engine writes it.
fn sorted_query(query: &str) -> Result<String, Problem> {
    let mut pairs = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if pair.contains(';') {
            return Err("its query contains a semicolon".into());
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        pairs.push((query_part(key)?, query_part(value)?));
    }
    // The sort is stable: values of one key keep their order.
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
    let written: Vec<String> =
        pairs.iter().map(|(key, value)| format!("{}={}", in_query(key), in_query(value))).collect();
    Ok(written.join("&"))
}

fn query_part(text: &str) -> Result<Vec<u8>, Problem> {
    Ok(unescape(&text.replace('+', " "))?)
}

fn in_query(bytes: &[u8]) -> String {
    // Spaces stay unescaped here and become `+` below.
    escape(bytes, |byte| byte == b' ' || byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
        .replace(' ', "+")
}

/// `bitbucket.org/owner/name`.
fn bitbucket(address: &str) -> Result<Option<String>, Problem> {
    if !address.starts_with("bitbucket.org/") {
        return Ok(None);
    }
    let mut url = Url::parse(&format!("https://{address}"))?;
    url.add_git();
    Ok(Some(format!("git::{url}")))
}

/// `www.googleapis.com/storage/v1/bucket/object`.
fn gcs(address: &str) -> Result<Option<String>, Problem> {
    if !address.contains("googleapis.com/") {
        return Ok(None);
    }
    let parts: Vec<&str> = address.split('/').collect();
    let [_, _, version, bucket, object @ ..] = parts.as_slice() else {
        return Err(GCS.into());
    };
    if object.is_empty() {
        return Err(GCS.into());
    }
    let object = object.join("/");
    let url = Url::parse(&format!("https://www.googleapis.com/storage/{version}/{bucket}/{object}"))?;
    Ok(Some(format!("gcs::{url}")))
}

const GCS: &str = "in Google Cloud Storage it must be `www.googleapis.com/storage/v1/bucket/object`";

/// `s3-region.amazonaws.com/bucket/object` and its two newer forms.
fn s3(address: &str) -> Result<Option<String>, Problem> {
    if !address.contains(".amazonaws.com/") {
        return Ok(None);
    }
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let labels: Vec<&str> = host.split('.').collect();
    let url = match labels.as_slice() {
        [region, _, _] => format!("https://{region}.amazonaws.com/{path}"),
        [bucket, region, _, _] => format!("https://{region}.amazonaws.com/{bucket}/{path}"),
        [bucket, "s3", region, _, _] => format!("https://s3.{region}.amazonaws.com/{bucket}/{path}"),
        _ => return Err("it is not the address of an S3 object".into()),
    };
    Ok(Some(format!("s3::{}", Url::parse(&url)?)))
}

/// `/an/absolute/path`. Any other source that reaches this detector may be meant as a local path.
fn absolute_path(address: &str) -> Result<Option<String>, Problem> {
    match address.strip_prefix('/') {
        Some(path) => Ok(Some(format!("file:///{path}"))),
        None if address.is_empty() => Ok(None),
        None => Err(Problem::Undetected(address.into())),
    }
}

impl Url {
    /// Adds `.git` to the path if it is missing.
    fn add_git(&mut self) {
        if !self.path.ends_with(b".git") {
            self.path.extend_from_slice(b".git");
        }
    }
}
