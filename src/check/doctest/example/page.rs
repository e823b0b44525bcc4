//! Reads the examples of a rule page.

use super::Example;
use crate::engine::Choice;

/// An error in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageError {
    /// The line on the page, counted from 1.
    pub line: usize,
    /// The error, in one lower-case line.
    pub message: String,
}

/// The examples of a page, in source order.
pub fn examples(page: &str) -> Result<Vec<Example>, PageError> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines().enumerate().skip_while(|(_, line)| *line != "## Examples").skip(1);
    let (mut name, mut state) = (None, State::Checked);
    while let Some((at, line)) = lines.next() {
        let wrong = |message: String| PageError { line: at + 1, message };
        if line.starts_with("## ") {
            break;
        }
        if let Some(claim) = line.strip_prefix("### ") {
            examples.push(Example::new(claim, at + 1));
            (name, state) = (None, State::Checked);
        } else if let Some(engine) = line.strip_prefix("engine: ") {
            let choice = Choice::parse(engine).map_err(|error| wrong(error.to_string()))?;
            last(&mut examples).map_err(wrong)?.engines = Some(choice);
        } else if line == "before:" {
            state = State::Before;
        } else if line == "fixed:" {
            state = State::Fixed;
        } else if let Some(named) = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:")) {
            name = Some(named.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().take_while(|(_, line)| *line != "```");
            let text: Vec<(usize, &str)> = inside.map(|(at, line)| (at + 1, line)).collect();
            if let Some(name) = name.take().or_else(|| default_name(language)) {
                let add = |example: &mut Example| match std::mem::take(&mut state) {
                    State::Before => add_plain(&mut example.before, name, &text),
                    State::Fixed => add_plain(&mut example.fixed, name, &text),
                    State::Checked => example.add(name, &text, 0),
                };
                last(&mut examples).and_then(add).map_err(wrong)?;
            }
        }
    }
    for example in &mut examples {
        example.marks.sort();
    }
    Ok(examples)
}

/// Whether a page has examples.
pub fn has_examples(page: &str) -> bool {
    page.lines().any(|line| line == "## Examples")
}

/// The state of a file in a code block.
#[derive(Default)]
enum State {
    /// The file to check.
    #[default]
    Checked,
    /// The file before a change.
    Before,
    /// The file after fixing.
    Fixed,
}

/// Adds a file without marks.
fn add_plain(files: &mut Vec<(String, String)>, name: String, lines: &[(usize, &str)]) -> Result<(), String> {
    if files.iter().any(|(other, _)| *other == name) {
        return Err(format!("`{name}` already exists; write the name of another file above the block"));
    }
    let text = lines.iter().flat_map(|(_, line)| [*line, "\n"]).collect();
    files.push((name, text));
    Ok(())
}

fn last(examples: &mut [Example]) -> Result<&mut Example, String> {
    examples
        .last_mut()
        .ok_or_else(|| "an example begins with a heading: `### ` and what the example shows".to_owned())
}

fn default_name(language: &str) -> Option<String> {
    match language {
        "hcl" => Some("main.tf".to_owned()),
        "json" => Some("main.tf.json".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::check::doctest::example::OnPage;
    use crate::finding::EngineRule;
    use crate::policy::Policy;

    const PAGE: &str = r#"Two of one.

## Examples

### The second is one too many

```hcl
locals {
  a = 1
  #^^^^ first declared here
}

locals {
  a = 2
# ^^^^^ Duplicate local value definition
}
```

### In another directory

engine: opentofu@1.8

```text
No file.
```

`modules/net/main.tf`:
```hcl
locals {}
```

```json
{
  "locals": {}
// no place: Nothing
//^^^ Here
}
```

## After
"#;

    fn read(page: &str) -> Vec<Example> {
        examples(page).expect("a page without a mistake")
    }

    #[test]
    fn headings_are_claims_and_blocks_are_files() {
        let examples = read(PAGE);
        let reported: Vec<String> = examples
            .iter()
            .map(|example| {
                let files: Vec<&str> = example.files.iter().map(|file| file.name.as_str()).collect();
                format!("{} {}: {}", example.line, example.claim, files.join(" "))
            })
            .collect();
        assert_eq!(
            reported,
            [
                "5 The second is one too many: main.tf",
                "19 In another directory: modules/net/main.tf main.tf.json"
            ]
        );
        let engines = examples[1].engines.as_ref().expect("an engine is named");
        assert_eq!(engines.engines()[0].word().to_string(), "opentofu@1.8.11");
        assert_eq!(examples[1].files[1].text, "{\n  \"locals\": {}\n}\n", "JSON has no comments");
    }

    #[test]
    fn a_block_may_show_what_was_there_before() {
        let page = indoc! {"
            ## Examples
            ### A
            before:
            ```hcl
            a
            ```

            ```hcl
            b
            ```
        "};
        let examples = read(page);
        assert_eq!(examples[0].before, [("main.tf".to_owned(), "a\n".to_owned())]);
        assert_eq!(examples[0].files.len(), 1);
        assert_eq!(examples[0].files[0].text, "b\n");
    }

    #[test]
    fn a_block_may_show_what_it_is_like_once_it_is_fixed() {
        let page = indoc! {"
            ## Examples
            ### A
            ```hcl
            a
            ```

            fixed:
            ```hcl
            b
            ```
        "};
        let examples = read(page);
        assert_eq!(examples[0].fixed, [("main.tf".to_owned(), "b\n".to_owned())]);
        assert_eq!(examples[0].files.len(), 1);
    }

    #[test]
    fn carets_mark_columns_of_the_line_above() {
        let examples = read(PAGE);
        let marks = |example: &Example| example.marks.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            marks(&examples[0]),
            [
                "main.tf:2, columns 3 to 7: first declared here",
                "main.tf:7, columns 3 to 7: Duplicate local value definition"
            ]
        );
        assert_eq!(marks(&examples[1]), ["no place: Nothing", "main.tf.json:2, columns 1 to 5: Here"]);
        let lines: Vec<_> = examples.iter().map(|example| example.on_page(&example.marks[1])).collect();
        assert_eq!(
            lines,
            [Some(OnPage { line: 14, from: 3, to: 8 }), Some(OnPage { line: 34, from: 1, to: 6 })],
            "of the line that is marked"
        );
    }

    #[test]
    fn a_page_can_quote_a_help() {
        let page = |help: &str| {
            format!(
                "## Examples\n### A\n```hcl\noutput \"a\" {{\n  valeu = 1\n# ^^^^^ Unsupported argument\n\
                 # help: {help}\n}}\n```\n"
            )
        };
        let rule = EngineRule::UnsupportedBlockOrArgument.id();
        let differences = |help: &str| -> Vec<_> {
            read(&page(help))[0]
                .differences(&Policy::recommended(), &rule)
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(differences("did you mean `value`?"), Vec::<String>::new());
        assert_eq!(differences("remove it"), ["only on the page:  help: remove it"]);
    }

    #[test]
    fn differences_are_reported_in_both_directions() {
        let rule = EngineRule::DuplicateDeclaration.id();
        let examples = read(&PAGE.replace("# ^^^^^ Dup", "# ^^^ Dup").replace("#^^^^ first", "no words"));
        let differences: Vec<String> =
            examples[0].differences(&Policy::recommended(), &rule).iter().map(ToString::to_string).collect();
        assert!(
            differences.contains(
                &"only on the page:  main.tf:7, columns 3 to 5: Duplicate local value definition".to_owned()
            ) && differences.contains(
                &"only in the check: main.tf:7, columns 3 to 7: Duplicate local value definition".to_owned()
            ),
            "{differences:#?}"
        );
    }

    #[test]
    fn an_invalid_page_is_reported_with_its_line() {
        let wrong = |page: &str| examples(page).map_err(|error| (error.line, error.message)).unwrap_err();
        assert_eq!(wrong("## Examples\n```hcl\n```\n").0, 2);
        assert_eq!(
            wrong(indoc! {"
                ## Examples
                ### A
                ```hcl
                ```
                ```hcl
                ```
            "})
            .0,
            5
        );
        assert!(wrong("## Examples\n### A\nengine: tofu\n").1.contains("did you mean `opentofu`?"));
    }
}
