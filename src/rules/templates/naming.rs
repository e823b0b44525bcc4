#![doc = include_str!("../../../policies/rules/naming.md")]

use std::cell::LazyCell;

use hashbrown::HashSet;
use regex::{Regex, RegexBuilder};
use smol_str::SmolStr;

use super::blocks::{Among, Blocks};
use super::parts::Part;
use crate::rules::{Configure, Context, Finding, Node, Options, Page, Rule, page};

/// The maximal size of a compiled pattern in bytes.
const LARGEST: usize = 1 << 20;

pub(super) struct Naming {
    blocks: Blocks,
    wanted: Wanted,
}

/// The required form of names.
enum Wanted {
    /// The whole name matches; with the pattern as written.
    Pattern(Regex, SmolStr),
    Style(&'static Style),
}

/// A naming style for several words.
struct Style {
    name: &'static str,
    /// The separator between words.
    between: char,
}

const STYLES: [Style; 2] =
    [Style { name: "kebab-case", between: '-' }, Style { name: "snake_case", between: '_' }];

impl Configure for Naming {
    const OPTIONS: &'static [&'static str] = &["blocks", "except", "pattern", "style"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let blocks = Blocks::configure(options, Among::Named)?;
        let pattern = options.string("pattern")?;
        let style = options.one_of("style", &STYLES.map(|style| style.name))?;
        let style = style.and_then(|name| STYLES.iter().find(|style| style.name == name));
        let wanted = match (pattern, style) {
            (Some(_), Some(_)) => {
                return Err(options.refuse("style", "`style` and `pattern` exclude each other."));
            }
            (Some(pattern), None) if ["", ".*", ".+"].contains(&pattern.as_str()) => {
                let why = if pattern.is_empty() {
                    "It matches only an empty name."
                } else {
                    "It matches every name."
                };
                return Err(options
                    .refuse("pattern", why)
                    .help("write a pattern, as in \"[a-z][a-z0-9_]*\""));
            }
            (Some(pattern), None) => {
                // The pattern is compiled alone first: an unmatched closing parenthesis would have another meaning
                // inside the group.
                let compiled = |pattern: &str| RegexBuilder::new(pattern).size_limit(LARGEST).build();
                let whole = compiled(&pattern).and_then(|_| compiled(&format!("^(?:{pattern})$")));
                let refused = |error| {
                    options.refuse(
                        "pattern",
                        format!("The regular expression is not valid: {}.", reason(&error)),
                    )
                };
                Wanted::Pattern(whole.map_err(refused)?, pattern)
            }
            (None, style) => Wanted::Style(options.either(["style", "pattern"], style)?),
        };
        Ok(Self { blocks, wanted })
    }
}

impl Rule for Naming {
    const PAGE: Page = page!("naming");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let parts = self.blocks.of(node.module(), context);
        let addresses = LazyCell::new(|| parts.iter().map(Part::address).collect::<HashSet<_>>());
        for part in &parts {
            let Some((name, at)) = part.chosen() else { continue };
            let (wanted, help) = match &self.wanted {
                Wanted::Pattern(pattern, written) if !pattern.is_match(name) => {
                    (format!("does not match `{written}`"), "choose another name".to_owned())
                }
                Wanted::Style(style) if !style.is_met_by(name) => {
                    let rewritten = style.rewrite(name);
                    let address = part.address();
                    let renamed =
                        address.strip_suffix(name.as_str()).map(|start| format!("{start}{rewritten}"));
                    let is_free = renamed.is_some_and(|renamed| !addresses.contains(&renamed));
                    let help = if is_free && style.is_met_by(&rewritten) {
                        format!("rename it to `{rewritten}`")
                    } else {
                        "choose another name".to_owned()
                    };
                    (format!("is not in {}", style.name), help)
                }
                Wanted::Pattern(..) | Wanted::Style(_) => continue,
            };
            let moves = matches!(part.kind(), "resource" | "module");
            Self::finding("Name does not follow the convention")
                .detail(format!("The name `{name}` of `{}` {wanted}.", part.address()))
                .at(at)
                .help(if moves { format!("{help}, and add a `moved` block for the old name") } else { help })
                .address(part.address())
                .push_to(findings);
        }
    }
}

/// The last line of the error of the crate; the lines before it show the pattern.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

impl Style {
    /// Whether a name consists of words of lowercase letters and digits, and starts with a letter.
    fn is_met_by(&self, name: &str) -> bool {
        let is_small =
            |letter: char| letter.is_ascii_digit() || (letter.is_alphabetic() && !letter.is_uppercase());
        name.starts_with(char::is_alphabetic)
            && name.split(self.between).all(|word| !word.is_empty() && word.chars().all(is_small))
    }

    fn rewrite(&self, name: &str) -> String {
        let mut rewritten = String::new();
        let mut before_is_small = false;
        let mut letters = name.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_word = letter.is_alphanumeric();
            let ends_acronym = letters.peek().is_some_and(|next| next.is_lowercase());
            let starts_word = letter.is_uppercase() && (before_is_small || ends_acronym);
            if (starts_word || !is_word) && !rewritten.is_empty() && !rewritten.ends_with(self.between) {
                rewritten.push(self.between);
            }
            if is_word {
                rewritten.extend(letter.to_lowercase());
            }
            before_is_small = is_word && !letter.is_uppercase();
        }
        rewritten.trim_end_matches(self.between).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_rewritten_in_a_style() {
        let [kebab, snake] = &STYLES;
        for (name, rewritten) in [
            ("MyBucket", "my_bucket"),
            ("my-bucket", "my_bucket"),
            ("my__bucket_", "my_bucket"),
            ("logsS3", "logs_s3"),
            ("AWS", "aws"),
            ("HTTPServer2Name", "http_server2_name"),
            ("größe", "größe"),
        ] {
            assert_eq!(snake.rewrite(name), rewritten);
            assert!(snake.is_met_by(rewritten), "{rewritten}");
        }
        assert_eq!(kebab.rewrite("my_Bucket"), "my-bucket");
        assert!(kebab.is_met_by("a-1") && !kebab.is_met_by("a_1") && !snake.is_met_by("_a"));
    }
}
