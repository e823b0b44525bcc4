//! Checks that pages, messages and help use the terms of the field, without the phrases of `tests/writing/banned.txt`,
//! and comments without those of `tests/writing/banned_in_comments.txt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages that have neither the extension `md` nor a place in `policies`.
const PAGES: [&str; 3] = ["action.yml", "examples/overrule.hcl", ".pre-commit-hooks.yaml"];

/// Phrases that comments do not use, in addition to those that are wrong everywhere.
const IN_COMMENTS: &str = include_str!("writing/banned_in_comments.txt");

/// A line of a source file that is not a comment. It separates the phrases of two comments.
const NO_COMMENT: &str = "|";

#[test]
fn pages_use_the_terms_of_the_field() {
    let mut pages: Vec<PathBuf> = PAGES.iter().map(PathBuf::from).collect();
    pages.extend(files_below("", "md"));
    pages.extend(files_below("policies", "hcl"));
    assert!(pages.len() > 100, "the pages of all rules are read");
    let mut wrong = String::new();
    for page in pages {
        wrong += &report(&page.display().to_string(), &read(&page), 1);
    }
    assert!(wrong.is_empty(), "see tests/writing/banned.txt:\n{wrong}");
}

#[test]
fn messages_use_the_terms_of_the_field() {
    let mut wrong = String::new();
    let mut number = 0;
    for file in files_below("src", "rs") {
        let text = read(&file);
        for (line, literal) in literals(&text) {
            number += 1;
            wrong += &report(&file.display().to_string(), &without_placeholders(&literal), line);
        }
    }
    assert!(number > 3_000, "{number} strings are read");
    assert!(wrong.is_empty(), "see tests/writing/banned.txt:\n{wrong}");
}

#[test]
fn comments_use_the_terms_of_the_field() {
    let mut wrong = String::new();
    let mut number = 0;
    for file in files_below("src", "rs") {
        let comments = comments(&read(&file));
        number += comments.lines().filter(|line| *line != NO_COMMENT).count();
        wrong += &matches(&file.display().to_string(), &comments, 1, IN_COMMENTS);
    }
    assert!(number > 5_000, "{number} lines of comments are read");
    assert!(wrong.is_empty(), "see tests/writing/banned_in_comments.txt:\n{wrong}");
}

#[test]
fn help_uses_the_terms_of_the_field() {
    let top = help(&[]);
    let commands = top.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter_map(|line| {
        line.strip_prefix("  ")?
            .split_whitespace()
            .next()
            .filter(|name| !line.starts_with("   ") && *name != "help")
    });
    let mut wrong = report("overrule --help", &top, 1);
    let mut number = 0;
    for command in commands {
        number += 1;
        wrong += &report(&format!("overrule {command} --help"), &help(&[command]), 1);
    }
    assert!(number > 8, "{number} commands have a help:\n{top}");
    assert!(wrong.is_empty(), "see tests/writing/banned.txt:\n{wrong}");
}

#[test]
fn phrases_are_found_across_lines_and_as_whole_words() {
    let found = |text: &str| report("x", text, 1);
    assert_eq!(found("is a\nfolder here"), "x:2: folder\n");
    assert_eq!(found("the Circles"), "x:1: circle\n", "any continuation of a phrase with a star");
    assert_eq!(found("Nobody is\n  told."), "x:1: is told\nx:2: told\n");
    assert_eq!(found("retold, and in context"), "");
    let literals =
        literals("let a = \"one\\\n  two\"; // \"no\"\nlet b = '\"'; x.expect(\"no\"); r#\"a \"b\" c\"#");
    assert_eq!(literals, [(1, "onetwo".to_owned()), (3, "a \"b\" c".to_owned())]);
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &Path) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The files below a directory that have an extension, except for those of tests and builds, sorted and relative to
/// the root of the package.
fn files_below(directory: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let directory = directory.as_ref();
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join(directory)).expect("a directory") {
        let file = directory.join(entry.expect("an entry").file_name());
        let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let path = root().join(&file);
        // Cargo puts this file into the directories of builds.
        let is_of_build = path.join("CACHEDIR.TAG").exists();
        if is_of_build || name.starts_with('.') || ["tests", "test_expressions"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(&file, extension));
        } else if file.extension().is_some_and(|found| found == extension) {
            files.push(file);
        }
    }
    files.sort();
    files
}

fn help(command: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_overrule")).args(command).arg("--help").output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A line for each phrase of `banned.txt` in a text that starts at `line`.
fn report(name: &str, text: &str, line: usize) -> String {
    matches(name, text, line, include_str!("writing/banned.txt"))
}

/// A line for each banned phrase in a text that starts at `line`.
fn matches(name: &str, text: &str, line: usize, banned: &str) -> String {
    let (words, lines) = in_one_line(text, line);
    let mut found = Vec::new();
    for phrase in banned.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (phrase, is_start) = match phrase.strip_suffix('*') {
            Some(start) => (start, true),
            None => (phrase, false),
        };
        for (at, _) in words.match_indices(phrase) {
            let is_word =
                |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            let before = words[..at].chars().next_back();
            let after = words[at + phrase.len()..].chars().next();
            if !is_word(before) && before != Some('-') && (is_start || !is_word(after)) {
                found.push(format!("{name}:{}: {phrase}\n", lines[at]));
            }
        }
    }
    found.sort();
    found.concat()
}

fn before_unit_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The comments of a source file before its unit tests, with [`NO_COMMENT`] in place of all other lines.
fn comments(text: &str) -> String {
    let text = before_unit_tests(text);
    let comment = |line: &str| match line.trim_start().strip_prefix("//") {
        Some(comment) => comment.trim_start_matches(['/', '!']).to_owned(),
        None => NO_COMMENT.to_owned(),
    };
    text.lines().map(|line| comment(line) + "\n").collect()
}

/// A text in lower case with single spaces, and the line of each of its bytes.
fn in_one_line(text: &str, first: usize) -> (String, Vec<usize>) {
    let (mut words, mut lines, mut line) = (String::new(), Vec::new(), first);
    for letter in text.chars() {
        line += usize::from(letter == '\n');
        if !letter.is_whitespace() {
            words.extend(letter.to_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
        lines.resize(words.len(), line);
    }
    (words, lines)
}

/// The text of a format string without placeholders.
fn without_placeholders(literal: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_u32;
    for letter in literal.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}

/// The string literals of a source file before its unit tests, each with its line, except for messages of `expect`.
fn literals(text: &str) -> Vec<(usize, String)> {
    let text = before_unit_tests(text);
    let letters: Vec<char> = text.chars().collect();
    let (mut literals, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(letter) = letters.get(at) {
        line += usize::from(*letter == '\n');
        let rest = &letters[at..];
        match rest {
            ['/', '/', ..] => at += rest.iter().take_while(|letter| **letter != '\n').count() - 1,
            ['\'', '\\', _, ..] => {
                at += 1 + rest[2..].iter().take_while(|letter| **letter != '\'').count().max(1) + 1;
            }
            ['\'', _, '\'', ..] => at += 2,
            ['r', '#', '"', ..] => {
                let end =
                    (3..rest.len()).find(|end| rest[*end..].starts_with(&['"', '#'])).unwrap_or(rest.len());
                literals.push((line, rest[3..end].iter().collect()));
                line += rest[3..end].iter().filter(|letter| **letter == '\n').count();
                at += end + 1;
            }
            ['"', ..] => {
                let start = line;
                let mut literal = String::new();
                let mut inside = rest[1..].iter().enumerate().peekable();
                let mut length = rest.len();
                while let Some((index, letter)) = inside.next() {
                    match letter {
                        '"' => {
                            length = index + 1;
                            break;
                        }
                        '\\' => match inside.next() {
                            Some((_, '\n')) => {
                                line += 1;
                                while let Some((_, space)) =
                                    inside.next_if(|(_, letter)| letter.is_whitespace())
                                {
                                    line += usize::from(*space == '\n');
                                }
                            }
                            Some((_, 'n' | 't' | 'r')) => literal.push(' '),
                            Some((_, escaped)) => literal.push(*escaped),
                            None => {}
                        },
                        letter => {
                            line += usize::from(*letter == '\n');
                            literal.push(*letter);
                        }
                    }
                }
                let before: String = letters[at.saturating_sub(7)..at].iter().collect();
                if before != "expect(" {
                    literals.push((start, literal));
                }
                at += length;
            }
            _ => {}
        }
        at += 1;
    }
    literals
}
