//! Finds the files that functions of a module, or of modules that it calls, may read, from the text of its files
//! without an evaluation.
//!
//! The result decides which modules a changed file concerns, so a pattern may match too many files, but must not miss
//! one.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use memchr::memmem;
use smol_str::SmolStr;

use crate::engine::is_module_file;
use crate::value::Function;
use crate::vfs::{join, last_name};

/// The prefix of a pattern that is relative to the directory of the module.
const OF_MODULE: &str = "./";

/// The pattern of all files in the directory of the module.
const ANY_OF_MODULE: &str = "./*";

/// The prefix of a pattern that is relative to the directory of a root module.
const OF_ROOT: &str = "?/";

/// The pattern of all files, for a path about which nothing is known.
const ANY: &str = "?/*";

/// How a string starts that names a path: with the directory of a module, or relative to that of a root module.
const STARTS: &[&str] = &["${path.module}", "${path.root}", "${path.cwd}", "\"../", "\"./"];

/// Of longer arguments and paths, only so many bytes are read. Nothing is known about the rest.
const LONGEST_ARGUMENT: usize = 512;

/// More patterns with an open last component than this count as the pattern of all files, because each is compared
/// with every changed path.
const MOST_OPEN: usize = 256;

/// The largest number of changed paths that are compared with a pattern. Of more, one is assumed to match.
const MOST_COMPARED: usize = 2_000;

/// No function that reads files has a longer name.
const LONGEST_NAME: usize = 32;

/// A longer string without marks is not a path.
const LONGEST_PLAIN_PATH: usize = 256;

/// Adds the patterns of all paths that functions or other strings name: `./x*` is relative to the directory of the
/// module, `?/x*` to that of a root module. A `*` matches any text.
///
/// A path in a string may reach a function through a local value, or through a variable of another module.
pub(crate) fn patterns(text: &str, is_json: bool, patterns: &mut BTreeSet<SmolStr>) {
    let unescaped = is_json.then(|| text.replace("\\\"", "\""));
    let text = unescaped.as_deref().unwrap_or(text);
    let mut arguments = HashSet::new();
    for at in memmem::find_iter(text.as_bytes(), b"file") {
        let Some((name, argument)) = call_at(text, at) else { continue };
        let found = match argument.strip_prefix('"') {
            Some(template) => {
                arguments.insert(text.len() - argument.len());
                arguments.insert(text.len() - template.len());
                pattern(template)
            }
            None if is_root_directory(argument) => OF_ROOT.to_owned(),
            // Whatever the argument is computed from, the string that names a path elsewhere is found below.
            None => {
                if !patterns.contains(ANY) && !is_of_module(argument) {
                    patterns.insert(ANY.into());
                }
                ANY_OF_MODULE.to_owned()
            }
        };
        let found = if name == "fileset" && !found.ends_with('*') { format!("{found}*") } else { found };
        patterns.insert(found.into());
    }
    for start in STARTS {
        for at in memmem::find_iter(text.as_bytes(), start.as_bytes()).filter(|at| !arguments.contains(at)) {
            let found = match text[at..].strip_prefix('"') {
                Some(path) => pattern(path),
                None => pattern(&text[at..]),
            };
            // Only the directory itself, or one around it.
            if found[OF_MODULE.len()..].bytes().all(|byte| matches!(byte, b'.' | b'/')) {
                continue;
            }
            // It may be the start of a longer path, or a directory whose files are read.
            if start.starts_with('$') {
                patterns.insert(format!("{found}*").into());
                continue;
            }
            if !is_source(&text[..at]) {
                patterns.insert(format!("{found}/*").into());
            }
            patterns.insert(found.into());
        }
    }
    let quotes: Vec<usize> = memmem::find_iter(text.as_bytes(), b"\"").collect();
    for pair in quotes.windows(2) {
        let string = &text[pair[0] + 1..pair[1]];
        if !arguments.contains(&pair[0]) && is_plain_path(string) {
            patterns.insert(format!("{OF_ROOT}*{string}").into());
        }
    }
    let has_open_name = |pattern: &SmolStr| last_name(pattern).contains('*');
    if patterns.iter().filter(|pattern| has_open_name(pattern)).count() > MOST_OPEN {
        patterns.retain(|pattern| !has_open_name(pattern));
        patterns.extend([ANY.into(), ANY_OF_MODULE.into()]);
    }
}

/// Whether the text before a string shows that it is the source of a module call.
fn is_source(before: &str) -> bool {
    let name = before.trim_end().strip_suffix(['=', ':']).map(str::trim_end);
    let name = name.map(|name| name.strip_suffix('"').unwrap_or(name));
    let before = name.and_then(|name| name.strip_suffix("source"));
    before.is_some_and(|before| !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_'))
}

/// Whether a string without any marks is the path of a file in a directory: a caller may pass it to a module whose
/// functions read it. It is relative to a root module, so that it counts only near the module.
fn is_plain_path(string: &str) -> bool {
    let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/');
    let Some((_, name)) = string.rsplit_once('/') else { return false };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    string.len() <= LONGEST_PLAIN_PATH
        && string.starts_with(|first: char| first.is_ascii_alphanumeric())
        && string.bytes().all(is_of_path)
        && extension.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Returns the function that is called around an occurrence of `file` in its name, and the text after the parenthesis.
fn call_at(text: &str, at: usize) -> Option<(&str, &str)> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rev().take(LONGEST_NAME);
    let start = at - before.take_while(|byte| is_of_name(byte)).count();
    let end = at + bytes[at..].iter().take(LONGEST_NAME).take_while(|byte| is_of_name(byte)).count();
    let name = text.get(start..end).filter(|name| Function::reads_files(name))?;
    Some((name, text[end..].trim_start().strip_prefix('(')?.trim_start()))
}

/// Whether the first of these arguments is computed from the directory of a module.
fn is_of_module(arguments: &str) -> bool {
    let mut depth = 0;
    let is_end = |byte: &u8| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        depth < 0 || depth == 0 && *byte == b','
    };
    let near = &arguments.as_bytes()[..arguments.len().min(LONGEST_ARGUMENT)];
    let end = near.iter().position(is_end).unwrap_or(near.len());
    memmem::find(&near[..end], b"path.").is_some()
}

fn is_root_directory(argument: &str) -> bool {
    argument.strip_prefix("path.root").is_some_and(|rest| rest.trim_start().starts_with([',', ')']))
}

/// The pattern of a string, up to its closing quote.
fn pattern(template: &str) -> String {
    let (mut prefix, mut pattern) = (OF_ROOT, String::new());
    let mut rest = template;
    while let Some(sign) = rest.chars().next() {
        if template.len() - rest.len() > LONGEST_ARGUMENT {
            pattern.push('*');
            break;
        }
        if let Some(inside) = rest.strip_prefix("${") {
            let Some(end) = end_of_sequence(inside) else {
                pattern.push('*');
                break;
            };
            match inside[..end].trim_matches(['~', ' ']) {
                "path.module" if pattern.is_empty() => prefix = OF_MODULE,
                "path.root" | "path.cwd" if pattern.is_empty() => prefix = OF_ROOT,
                _ => pattern.push('*'),
            }
            rest = &inside[end + 1..];
            continue;
        }
        match sign {
            '"' | '\n' => break,
            '%' if let Some(further) = after_verb(&rest[1..]) => {
                pattern.push('*');
                rest = further;
                continue;
            }
            '%' | '\\' => {
                pattern.push('*');
                break;
            }
            sign => pattern.push(sign),
        }
        rest = &rest[sign.len_utf8()..];
    }
    format!("{prefix}{}", pattern.trim_start_matches('/'))
}

/// The text after a verb of `format`. Elsewhere, a verb is a part of the path, which a `*` matches, too.
fn after_verb(text: &str) -> Option<&str> {
    let is_flag =
        |sign: char| sign.is_ascii_digit() || matches!(sign, '+' | '-' | '#' | ' ' | '.' | '[' | ']');
    let verb = text.trim_start_matches(is_flag);
    verb.strip_prefix(|sign: char| sign.is_ascii_alphabetic() || sign == '%')
}

/// Returns the position of the brace that ends a template sequence, unless it is far.
fn end_of_sequence(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_ARGUMENT) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a pattern is relative to the directory of its module.
pub(crate) fn is_relative_to_module(pattern: &str) -> bool {
    pattern.starts_with(OF_MODULE)
}

/// Whether a pattern matches all files, because nothing is known about the path.
pub(crate) fn is_any(pattern: &str) -> bool {
    pattern == ANY
}

/// Whether nothing is known about the start of the paths that a pattern matches, which is relative to a root module.
pub(crate) fn is_open(pattern: &str) -> bool {
    pattern.strip_prefix(OF_ROOT).is_some_and(|path| path.starts_with('*'))
}

/// Changed paths.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    pub(crate) all: BTreeSet<String>,
    /// By their last components, sorted.
    by_name: HashMap<String, Vec<String>>,
}

impl FromIterator<String> for Paths {
    fn from_iter<I: IntoIterator<Item = String>>(paths: I) -> Self {
        let all: BTreeSet<String> = paths.into_iter().collect();
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        for path in &all {
            by_name.entry_ref(last_name(path)).or_default().push(path.clone());
        }
        Self { all, by_name }
    }
}

impl Paths {
    /// The paths with this last component.
    pub(crate) fn by_name(&self, name: &str) -> &[String] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The first of these paths that a pattern of the module in a directory may match. A path that is not known completely
/// seldom leads to a module file, whose content affects the module anyway.
pub(crate) fn first_match<'p>(pattern: &str, directory: &str, paths: &'p Paths) -> Option<&'p String> {
    if let Some(pattern) = pattern.strip_prefix(OF_MODULE) {
        let full = join(directory, pattern)?;
        let Some((start, _)) = full.split_once('*') else { return paths.all.get(&full) };
        let from = paths.all.range(start.to_owned()..).take_while(|path| path.starts_with(start));
        let is_meant = |path: &str| !is_module_file(last_name(path)) || is_module_file(last_name(&full));
        let pattern = Pattern::of(&full, '*');
        return first_of(from, |path| pattern.matches(path) && is_meant(path));
    }
    first_match_somewhere(pattern, paths)
}

/// The first path that a pattern that is relative to a root module matches from any directory.
fn first_match_somewhere<'p>(pattern: &str, paths: &'p Paths) -> Option<&'p String> {
    let mut names: Vec<&str> = Vec::new();
    for name in pattern.strip_prefix(OF_ROOT).unwrap_or(pattern).split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let full = format!("*/{}", names.join("/"));
    let is_meant = |path: &str| !is_any(pattern) || !is_module_file(last_name(path));
    let (from_top, from_any) = (Pattern::of(&full[2..], '*'), Pattern::of(&full, '*'));
    let is_matched = |path: &str| (from_top.matches(path) || from_any.matches(path)) && is_meant(path);
    match names.last().filter(|name| !name.contains('*')) {
        // Most paths have another name.
        Some(name) => first_of(paths.by_name(name).iter(), is_matched),
        None => first_of(paths.all.iter(), is_matched),
    }
}

/// The first path that matches. If more paths than [`MOST_COMPARED`] are left, the first one stands for them.
fn first_of<'p>(
    mut paths: impl Iterator<Item = &'p String> + Clone,
    is_matched: impl Fn(&str) -> bool,
) -> Option<&'p String> {
    let first = paths.clone().next();
    let found = paths.by_ref().take(MOST_COMPARED).find(|path| is_matched(path));
    found.or_else(|| first.filter(|_| paths.next().is_some()))
}

/// Whether a pattern, in which `any` stands for any text, matches a path.
pub(crate) fn is_match(pattern: &str, path: &str, any: char) -> bool {
    Pattern::of(pattern, any).matches(path)
}

/// A pattern, divided at the places that stand for any text.
struct Pattern<'p> {
    first: &'p str,
    between: Vec<&'p str>,
    /// `None` if no place stands for any text.
    last: Option<&'p str>,
}

impl<'p> Pattern<'p> {
    fn of(pattern: &'p str, any: char) -> Self {
        let mut parts = pattern.split(any);
        let first = parts.next().unwrap_or_default();
        let mut between: Vec<&str> = parts.collect();
        let last = between.pop();
        Self { first, between, last }
    }

    fn matches(&self, path: &str) -> bool {
        let Some(mut rest) = path.strip_prefix(self.first) else { return false };
        let Some(last) = self.last else { return rest.is_empty() };
        // Most paths end otherwise.
        if !rest.ends_with(last) {
            return false;
        }
        for part in &self.between {
            let Some(at) = memmem::find(rest.as_bytes(), part.as_bytes()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut all = BTreeSet::new();
        patterns(text, false, &mut all);
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn of_very_many_paths_one_is_assumed_to_match() {
        let paths = |count: usize| -> Paths { (0..count).map(|number| format!("m/x/f{number}")).collect() };
        assert_eq!(first_match("./x/*z", "m", &paths(MOST_COMPARED)), None);
        assert_eq!(first_match("./x/*z", "m", &paths(MOST_COMPARED + 1)), Some(&"m/x/f0".to_owned()));
        assert_eq!(first_match("./y/*z", "m", &paths(MOST_COMPARED + 1)), None);
    }

    #[test]
    fn paths_in_calls_become_patterns() {
        assert_eq!(found(r#"a = file("${path.module}/x.txt")"#), ["./x.txt"]);
        assert_eq!(
            found(r#"a = templatefile( "../${var.a}/${path.root}.tpl", {})"#),
            ["?/../*/*.tpl", "?/.tpl*"]
        );
        assert_eq!(found(r#"a = fileset(path.module, "*.yaml")"#), ["./*"]);
        assert_eq!(found(r#"a = fileset("${path.module}/x", "*.yaml")"#), ["./x*"]);
        assert_eq!(found(r"a = fileset(var.x, path.module)"), ["./*", "?/*"]);
        assert_eq!(found(r#"a = fileset(join("/", [path.module, var.x]), "*")"#), ["./*"]);
        assert_eq!(found(r#"a = profile("x") # file"#), [""; 0]);
        assert_eq!(found(&format!("a = {}(\"x\")", "file".repeat(9))), [""; 0]);
        let (blanks, word) = (" ".repeat(600), "x".repeat(600));
        assert_eq!(found(&format!("a = file(f(\"{blanks}\", path.module))")), ["./*", "?/*"]);
        assert_eq!(found(&format!("a = file(\"{word}/y\")")), [format!("?/{}*", &word[..513])]);
        let many: Vec<_> = (0..300).map(|number| format!("a = file(\"a{number}/${{b}}\")")).collect();
        assert_eq!(found(&many.join("\n")), ["./*", "?/*"]);
        assert_eq!(found("p = \"${path.module}/../x\"\na = file(local.p)"), ["./*", "./../x*", "?/*"]);
        assert_eq!(found(r#"p = "${path.module}/../x""#), ["./../x*"]);
        assert_eq!(found(r#"p = "${path.module}/..""#), [""; 0]);
        assert_eq!(found(r#"p = "../x/${var.a}.tpl""#), ["?/../x/*.tpl", "?/../x/*.tpl/*"]);
        assert_eq!(found(r#"source = "../x" # "source": "../y""#), ["?/../x", "?/../y"]);
        assert_eq!(found(r#"a = format("./%s/a%%%03d", b)"#), ["?/./*/a**", "?/./*/a**/*"]);
        assert_eq!(found(r#"a = file("x/50%/%[1]s.txt")"#), ["?/x/50*"]);
        assert_eq!(found(r#"a = filemd5("x\ty")"#), ["?/x*"]);
        assert_eq!(found(r#"p = "texts/a.txt" # "b.txt" "x/1.2" "a/b""#), ["?/*texts/a.txt"]);
        assert_eq!(found(r#"a = file("texts/a.txt")"#), ["?/texts/a.txt"]);
        let mut of_json = BTreeSet::new();
        patterns(r#"{"a": "${file(\"${path.module}/x\")}"}"#, true, &mut of_json);
        assert_eq!(of_json.first().map(SmolStr::as_str), Some("./x"));
    }

    #[test]
    fn patterns_match_paths_from_the_top() {
        let paths = ["live/prod/x.txt", "modules/net/t/a.tpl", "only/main.tf"];
        let paths: Paths = paths.map(str::to_owned).into_iter().collect();
        for (pattern, directory, is_there) in [
            ("./x.txt", "live/prod", true),
            ("./x.txt", "live", false),
            ("./t/*.tpl", "modules/net", true),
            ("./t/*.txt", "modules/net", false),
            ("./*", "modules", true),
            ("./*", "other", false),
            ("./../net/t/a.tpl", "modules/other", true),
            ("?/x.txt", "modules/net", true),
            ("?/../../net/t/a.tpl", "live", true),
            ("?/prod/*", "live", true),
            ("?/od/x.txt", "live", false),
            ("./main.tf", "only", true),
            ("./*.tf", "only", true),
            ("./*", "only", false),
        ] {
            assert_eq!(
                first_match(pattern, directory, &paths).is_some(),
                is_there,
                "{pattern} of {directory}"
            );
        }
    }
}
