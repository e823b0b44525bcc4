//! Shows the page of a rule in a terminal.

use super::{fold, with_code};

/// A page in Markdown, folded to the width of a terminal, and with colors if they are wanted.
pub fn shown(markdown: &str, width: usize, with_colors: bool) -> String {
    let text = folded(&listed(&annotated(&without_paths(markdown)), width), width);
    if with_colors { painted(&text) } else { text }
}

/// Replaces each link to a file of this repository by its text: an installed overrule has no such file.
fn without_paths(markdown: &str) -> String {
    let (mut text, mut rest) = (String::new(), markdown);
    while let Some((before, after)) = rest.split_once("](") {
        let link = before.rsplit_once('[').zip(after.split_once(')'));
        let parts;
        (parts, rest) = match link {
            Some(((outside, label), (path, behind))) if !path.contains("://") => ([outside, label], behind),
            _ => ([before, "]("], after),
        };
        text.extend(parts);
    }
    text + rest
}

/// Replaces the carets that the tests of a page need by comments at the end of the lines above them.
fn annotated(markdown: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in markdown.lines() {
        in_code ^= line.starts_with("```");
        match (message_of_carets(line).filter(|_| in_code), lines.last_mut()) {
            // Two rows of carets below a line can have the same message.
            (Some(message), Some(code)) if code.ends_with(message) => {}
            (Some(message), Some(code)) => code.push_str(&format!("  # {message}")),
            (Some(_), None) | (None, _) => lines.push(line.to_owned()),
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The `message` of a line such as `# ^^^^ message`.
fn message_of_carets(line: &str) -> Option<&str> {
    let mark = line.trim_start();
    let mark = mark.strip_prefix("//").or_else(|| mark.strip_prefix('#')).unwrap_or(mark).trim_start();
    let message = mark.trim_start_matches('^');
    (message.len() < mark.len()).then(|| message.trim_start())
}

/// Replaces each table that is wider than the terminal by a list, with one item for each row.
fn listed(markdown: &str, width: usize) -> String {
    let (mut text, mut in_code) = (String::new(), false);
    let lines: Vec<&str> = markdown.split_inclusive('\n').collect();
    for chunk in lines.chunk_by(|a, b| a.starts_with('|') && b.starts_with('|')) {
        in_code ^= chunk[0].starts_with("```");
        let is_wide = |line: &&str| line.starts_with('|') && line.trim_end().chars().count() > width;
        match chunk {
            [header, _, rows @ ..] if !in_code && chunk.iter().any(is_wide) => {
                text.extend(rows.iter().map(|row| item(&cells(header), &cells(row))));
            }
            _ => text.extend(chunk.iter().copied()),
        }
    }
    text
}

/// A row of a table as `- first cell: second title and cell; third title and cell`.
fn item(titles: &[&str], row: &[&str]) -> String {
    let parts: Vec<String> =
        titles.iter().zip(row).skip(1).map(|(title, cell)| format!("{title} {cell}")).collect();
    format!("- {}: {}\n", row.first().copied().unwrap_or_default(), parts.join("; "))
}

fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// Folds paragraphs and list items to a width. Code, tables and headings keep their lines.
fn folded(markdown: &str, width: usize) -> String {
    let (mut text, mut paragraph, mut in_code) = (String::new(), String::new(), false);
    for line in markdown.lines().chain([""]) {
        let is_fence = line.starts_with("```");
        let is_kept = in_code || is_fence || line.is_empty() || line.starts_with(['#', '|', '<']);
        let is_item = line.starts_with("- ") || line.starts_with(|first: char| first.is_ascii_digit());
        let is_field =
            line.contains(": ") && paragraph.split_once(": ").is_some_and(|(name, _)| FIELDS.contains(&name));
        if (is_kept || is_item || is_field) && !paragraph.is_empty() {
            let indent = if paragraph.starts_with("- ") { "  " } else { "" };
            for (number, piece) in fold(&std::mem::take(&mut paragraph), width - 2).iter().enumerate() {
                text.push_str(&format!("{}{piece}\n", if number == 0 { "" } else { indent }));
            }
        }
        in_code ^= is_fence;
        if is_kept {
            text.push_str(&format!("{line}\n"));
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim());
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The names of lines such as `Fixed by: …`, which start a paragraph.
const FIELDS: [&str; 5] =
    ["Reported by", "Reported by Terraform", "Reported by OpenTofu", "Fixed by", "Not reported"];

/// Headings in bold, code blocks dim and indented, inline code in color.
fn painted(markdown: &str) -> String {
    let (mut text, mut in_code) = (String::new(), false);
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let shown = if in_code {
            format!("    \u{1b}[2m{line}\u{1b}[0m")
        } else if let Some(heading) = line.strip_prefix('#') {
            format!("\u{1b}[1m{}\u{1b}[0m", heading.trim_start_matches('#').trim())
        } else {
            with_code(line, |code| format!("\u{1b}[36m{code}\u{1b}[0m"), str::to_owned)
        };
        text.push_str(&shown);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    #[test]
    fn only_links_to_addresses_keep_their_targets() {
        assert_eq!(
            without_paths("as for [every\nrule](../README.md#rule) and <https://a.b>, [c](https://d.e/f)"),
            "as for every\nrule and <https://a.b>, [c](https://d.e/f)"
        );
    }

    #[test]
    fn examples_show_messages_as_comments() {
        let page = indoc! {"
            ```hcl
            a = 1
              # ^^^ Not so
            b = 2
            // ^ Nor so
            ```
            # ^ a heading
        "};
        assert_eq!(
            annotated(page),
            indoc! {"
                ```hcl
                a = 1  # Not so
                b = 2  # Nor so
                ```
                # ^ a heading
            "}
        );
    }

    #[test]
    fn paragraphs_are_folded_and_code_is_not() {
        let page = indoc! {"
            # a

            one two
            three

            - four five six seven
            - b

            ```
            a long line of code
            ```
        "};
        let folded = folded(page, 13);
        assert_eq!(
            folded,
            indoc! {"
                # a

                one two
                three

                - four five
                  six seven
                - b

                ```
                a long line of code
                ```
            "}
        );
    }

    #[test]
    fn a_wide_table_becomes_a_list() {
        let page = indoc! {"
            a

            | limit | applies to | default |
            |---|---|---|
            | `size` | a file | 64 MiB |
            | `depth` | a block | 100 |

            b
        "};
        assert_eq!(listed(page, 40), page);
        assert_eq!(
            listed(page, 20),
            indoc! {"
                a

                - `size`: applies to a file; default 64 MiB
                - `depth`: applies to a block; default 100

                b
            "}
        );
    }

    #[test]
    fn marks_become_colors() {
        let page = indoc! {"
            # a-rule

            Says `b`.

            ```hcl
            a = `1`
            ```
        "};
        let shown =
            "\u{1b}[1ma-rule\u{1b}[0m\n\nSays \u{1b}[36mb\u{1b}[0m.\n\n    \u{1b}[2ma = `1`\u{1b}[0m\n";
        assert_eq!(painted(page), shown);
        assert_eq!(painted("a ` alone"), "a ` alone\n");
    }
}
