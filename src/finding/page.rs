//! Rule pages, `policies/rules/<rule>.md`, which are part of the binary.

/// The documentation of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The name of the rule.
    pub rule: &'static str,
    /// The Markdown text. Its first line is the summary.
    pub text: &'static str,
}

/// The page of the rule with this name. It does not compile without the file.
macro_rules! page {
    ($rule:literal) => {
        $crate::finding::Page {
            rule: $rule,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/policies/rules/", $rule, ".md")),
        }
    };
}

pub(crate) use page;

impl Page {
    /// The URL of the documentation that the rule refers to; the first one if there are several.
    pub fn documentation(&self) -> Option<&'static str> {
        let (_, list) = self.text.split_once("\nDocumentation:")?;
        let (_, first) = list.split_once('<')?;
        Some(first.split_once('>')?.0)
    }

    /// The summary of the rule in one line.
    pub fn finds(&self) -> &'static str {
        self.text.lines().next().unwrap_or("")
    }
}
