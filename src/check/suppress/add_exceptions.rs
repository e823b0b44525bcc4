//! Writes the exceptions that suppress all findings of a run: comments where possible, and blocks of a policy for the
//! rest.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use crate::check::Verdict;
use crate::check::fix::apply;
use crate::check::location::place_of;
use crate::check::suppress::exceptions::{EXPIRED_EXCEPTION, UNUSED_EXCEPTION};
use crate::engine::{Companion, is_module_file};
use crate::finding::Edit;
use crate::limits::Limits;
use crate::policy::{EXCEPTION_COMMENT, can_be_off};
use crate::syntax::{self, File, Notation, quoted};
use crate::text::{FileId, Source, Sources, Span};
use crate::vfs::last_name;

/// The exceptions to write.
#[derive(Debug, Default)]
pub struct Additions {
    /// The module files with their new content.
    pub files: Vec<(FileId, String)>,
    /// The number of new comments.
    pub comments: usize,
    /// The blocks for a policy. Empty if none is needed.
    pub blocks: String,
    /// Files that cannot have a comment, each with the reason. Blocks suppress their findings.
    pub refused: BTreeMap<FileId, String>,
    /// The findings that cannot be suppressed.
    pub left: Vec<Verdict>,
}

/// For each file and offset of a line the rules that a comment above the line suppresses.
type Comments<'v> = BTreeMap<FileId, BTreeMap<usize, BTreeSet<&'v str>>>;

impl Additions {
    /// Creates exceptions for all verdicts with one reason. `refusal` returns why a file may not be changed, if so. There
    /// are no comments unless the policy `allows_comments`.
    pub fn for_verdicts(
        verdicts: &[Verdict],
        sources: &Sources,
        allows_comments: bool,
        reason: &str,
        refusal: &mut dyn FnMut(FileId) -> Option<String>,
    ) -> Self {
        let mut additions = Self::default();
        let mut comments: Comments<'_> = BTreeMap::new();
        let mut blocks: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut read = BTreeMap::new();
        let mut may_change: BTreeMap<FileId, bool> = BTreeMap::new();
        for verdict in verdicts {
            let rule = &verdict.finding.rule;
            if !can_be_off(rule) || *rule == UNUSED_EXCEPTION || *rule == EXPIRED_EXCEPTION {
                additions.left.push(verdict.clone());
                continue;
            }
            let line = if allows_comments { line_of(verdict, sources, &mut read) } else { None };
            let line = line.filter(|(file, _)| {
                *may_change.entry(*file).or_insert_with(|| match refusal(*file) {
                    Some(why) => {
                        additions.refused.insert(*file, why);
                        false
                    }
                    None => true,
                })
            });
            if let Some((file, line)) = line {
                comments.entry(file).or_default().entry(line).or_default().insert(rule.as_str());
            } else {
                blocks.entry(rule.as_str()).or_default().insert(place_of(&verdict.finding, sources));
            }
        }
        for (file, lines) in &comments {
            additions.comments += lines.len();
            additions.files.push((*file, commented(*file, sources.get(*file).text(), lines, reason)));
        }
        for (rule, paths) in blocks {
            additions.blocks.push_str(&block(rule, &paths, reason));
        }
        additions
    }
}

/// A file in which comments may be written.
struct Commentable {
    file: File,
    /// By start of an argument or block: the start of its line, if nothing is before it there.
    lines: HashMap<usize, Option<usize>>,
}

/// The start of the line above which a comment suppresses a verdict. `None` if a comment is not possible there.
fn line_of(
    verdict: &Verdict,
    sources: &Sources,
    read: &mut BTreeMap<FileId, Option<Commentable>>,
) -> Option<(FileId, usize)> {
    let at = verdict.finding.primary?;
    let source = sources.get(at.file);
    let Commentable { file, lines } =
        read.entry(at.file).or_insert_with(|| native(at.file, source)).as_mut()?;
    let mut line = None;
    let mut next = file.body.item_at(at.start);
    while let Some(item) = next {
        let start = item.span.range().start;
        let of_item = lines.entry(start).or_insert_with(|| {
            let from = source.text()[..start].rfind('\n').map_or(0, |end| end + 1);
            source.text()[from..start].chars().all(|c| c == ' ' || c == '\t').then_some(from)
        });
        line = of_item.map(|from| (at.file, from)).or(line);
        next = item.body.and_then(|body| body.item_at(at.start));
    }
    line
}

/// The file, if it has native syntax and is valid UTF-8. The engines write lock files anew, without comments.
fn native(id: FileId, source: &Source) -> Option<Commentable> {
    let name = last_name(source.name());
    let is_native =
        name.strip_suffix(".json").is_none() && (is_module_file(name) || Companion::of(name).is_some());
    (is_native && source.invalid().is_empty()).then(|| {
        let (file, _) = syntax::parse(id, source, Notation::Native, &Limits::default());
        Commentable { file, lines: HashMap::new() }
    })
}

/// Adds a comment above each of these lines. Lines that a comment separates are aligned again, as `terraform fmt` does.
fn commented(file: FileId, text: &str, lines: &BTreeMap<usize, BTreeSet<&str>>, reason: &str) -> String {
    let edits: Vec<Edit> = lines
        .iter()
        .map(|(line, rules)| {
            let rest = &text[*line..];
            let indent = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
            let rules = rules.iter().copied().collect::<Vec<_>>().join(", ");
            let comment = format!("{indent}# {EXCEPTION_COMMENT} allow({rules}) {reason}\n");
            Edit { span: Span::new(file, *line..*line), text: comment }
        })
        .collect();
    apply(text, &edits.iter().collect::<Vec<_>>())
}

fn block(rule: &str, paths: &BTreeSet<&str>, reason: &str) -> String {
    let of_top =
        if paths.contains("") { "  # \"/\" is the module at the root of the repository.\n" } else { "" };
    let paths: Vec<String> = paths.iter().map(|path| quoted(&as_pattern(path))).collect();
    let paths = match paths.as_slice() {
        [path] => format!("[{path}]"),
        paths => format!("[\n    {},\n  ]", paths.join(",\n    ")),
    };
    format!("\nexception \"{rule}\" {{\n{of_top}  paths  = {paths}\n  reason = {}\n}}\n", quoted(reason))
}

/// The pattern that matches only this path.
fn as_pattern(path: &str) -> String {
    if path.is_empty() {
        return "/".to_owned();
    }
    let mut pattern = String::new();
    for c in path.chars() {
        if "*?[]{}\\!".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::check::{Settings, load_policy, run};
    use crate::policy::Globs;
    use crate::vfs::Snapshot;

    const REASON: &str = "was here before";

    /// The content that is added to these files, which then have no findings.
    fn added(files: &[(&str, &str)]) -> Additions {
        let texts = |files: &[(&str, &str)]| {
            files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let mut snapshot = Snapshot::of_files(texts(files));
        let file = snapshot.read_policy().expect("one policy");
        let policy = load_policy(&mut snapshot, file).expect("a policy without a mistake");
        let settings = Settings { policy, ..Settings::default() };
        let outcome = run(&mut snapshot, &settings);
        assert!(!outcome.verdicts.is_empty(), "something is found");
        let (found, sources, allows) = (&outcome.verdicts, snapshot.sources(), settings.allows_comments());
        let additions = Additions::for_verdicts(found, sources, allows, REASON, &mut |_| None);
        let given = files.iter().find(|(name, _)| *name == "overrule.hcl").map_or("", |(_, text)| text);
        let policy = format!("{given}{}", additions.blocks);
        let mut after: Vec<(&str, &str)> = vec![("overrule.hcl", &policy)];
        let modules = snapshot.sources().iter().filter(|(_, source)| source.name() != "overrule.hcl");
        for (id, source) in modules {
            let new = additions.files.iter().find(|(file, _)| *file == id);
            after.push((source.name(), new.map_or(source.text(), |(_, text)| text)));
        }
        let mut snapshot = Snapshot::of_files(texts(&after));
        let file = snapshot.read_policy().expect("one policy");
        let policy = load_policy(&mut snapshot, file).expect("a policy without a mistake");
        let outcome = run(&mut snapshot, &Settings { policy, ..Settings::default() });
        assert_eq!(outcome.verdicts.len(), additions.left.len(), "{:#?}", outcome.verdicts);
        additions
    }

    #[test]
    fn a_comment_stands_above_the_smallest_part_that_starts_its_line() {
        let additions = added(&[(
            "main.tf",
            "variable \"a\" {}\r\nvariable \"a\" {}\r\n\r\nresource \"x_y\" \"z\" {\r\n  lifecycle {\r\n    ignore_changes = [\r\n      \"${a}\",\r\n    ]\r\n  }\r\n}\r\n",
        )]);
        let [(_, text)] = additions.files.as_slice() else { panic!("one file") };
        assert!(
            text.contains("\r\n# overrule: allow(duplicate-declaration) was here before\r\nvariable"),
            "{text}"
        );
        assert!(text.contains("\r\n    # overrule: allow("), "{text}");
        assert!(additions.blocks.is_empty() && additions.left.is_empty());
    }

    #[test]
    fn what_a_comment_parts_is_aligned_anew() {
        let text = indoc! {r#"
            variable "a" {
              type        = string
              x           = 1
              description = "A"
            }
        "#};
        let additions = added(&[("main.tf", text)]);
        let [(_, text)] = additions.files.as_slice() else { panic!("one file") };
        let parted = "  type = string\n  # overrule: allow(unsupported-block-or-argument) was here before\n  x           = 1\n";
        assert!(text.contains(parted), "{text}");
    }

    #[test]
    fn an_exception_is_no_reason_for_a_dependency() {
        let policy = "policy {\n  extends = [\"strict\"]\n}\n";
        let call = indoc! {r#"
            module "a" {
              source     = "./a"
              depends_on = [terraform_data.b]
            }
            resource "terraform_data" "b" {}
        "#};
        let files = [("main.tf", call), ("a/main.tf", "locals {}\n"), ("overrule.hcl", policy)];
        let additions = added(&files);
        let commented =
            additions.files.iter().any(|(_, text)| text.contains("allow(depends-on-uncommented)"));
        assert!(commented, "{:?}", additions.files);
    }

    #[test]
    fn what_has_no_line_of_its_own_gets_an_exception_in_the_policy() {
        let json = r#"{"variable": {"a b": {}}}"#;
        let additions = added(&[("odd [1]/main.tf.json", json), ("main.tf.json", json)]);
        assert_eq!(
            additions.blocks,
            indoc! {r#"

                exception "invalid-name" {
                  paths  = [
                    "main.tf.json",
                    "odd \\[1\\]/main.tf.json",
                  ]
                  reason = "was here before"
                }
            "#}
        );
    }

    #[test]
    fn a_policy_without_comments_gets_all_exceptions() {
        let policy = "exceptions \"comments\" {\n  allowed = false\n}\n";
        let additions = added(&[("main.tf", "variable \"a b\" {}\n"), ("overrule.hcl", policy)]);
        assert_eq!((additions.comments, additions.files.len()), (0, 0));
        assert!(additions.blocks.contains("exception \"invalid-name\""), "{}", additions.blocks);
    }

    #[test]
    fn values_and_tests_have_comments_too() {
        let variable = "variable \"a\" {\n  type = number\n}\n";
        let test = "run \"a\" {\n  command = plan\n  variables {\n    a = \"x\"\n  }\n}\n";
        let additions =
            added(&[("main.tf", variable), ("terraform.tfvars", "a = \"x\"\n"), ("a.tftest.hcl", test)]);
        assert_eq!((additions.comments, additions.blocks.as_str()), (2, ""));
    }

    #[test]
    fn what_has_no_place_at_the_top_gets_an_exception_there_alone() {
        let written = block("x", &BTreeSet::from([""]), "why");
        assert_eq!(
            written,
            indoc! {r#"

                exception "x" {
                  # "/" is the module at the root of the repository.
                  paths  = ["/"]
                  reason = "why"
                }
            "#}
        );
        let top = Globs::new([as_pattern("").as_str()]).expect("what is written can be read");
        assert!(top.has("") && !top.has("main.tf") && !top.has("net"));
    }

    #[test]
    fn what_cannot_have_an_exception_is_left() {
        let additions = added(&[("main.tf", "variable \"a\" {\n")]);
        assert_eq!((additions.left.len(), additions.files.len()), (1, 0));
    }
}
