//! Parses `overrule: allow(rule) reason`.

use crate::policy::EXCEPTION_COMMENT;
use crate::syntax::Remark;

/// An exception comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Allow {
    /// The names between the parentheses.
    pub(in crate::check) rules: Vec<String>,
    /// The reason after them.
    pub(in crate::check) reason: String,
}

/// Parses a comment that starts with [`EXCEPTION_COMMENT`]. An error is one line.
pub(in crate::check) fn read(remark: &Remark) -> Result<Allow, &'static str> {
    const FORM: &str = "write `overrule: allow(RULE) REASON`";
    let reported = remark.text.strip_prefix(EXCEPTION_COMMENT).unwrap_or(&remark.text).trim_start();
    let inside = reported.strip_prefix("allow").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
    let (rules, reason) = inside.and_then(|inside| inside.split_once(')')).ok_or(FORM)?;
    let rules: Vec<String> = rules.split(',').map(|rule| rule.trim().to_owned()).collect();
    if rules.iter().any(String::is_empty) {
        return Err(FORM);
    }
    if !reason.contains(char::is_alphanumeric) {
        return Err("add a reason after the parenthesis");
    }
    let reason = reason.trim().trim_start_matches([':', '-']).trim_start().to_owned();
    Ok(Allow { rules, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{FileId, Span};

    fn reported(text: &str) -> Result<(Vec<String>, String), &'static str> {
        let span = Span::new(FileId::new(0), 0..0);
        let allow = read(&Remark { text: text.to_owned(), span, about: span })?;
        Ok((allow.rules, allow.reason))
    }

    #[test]
    fn a_remark_names_rules_and_a_reason() {
        let one = (vec!["a-b".to_owned()], "goes away".to_owned());
        assert_eq!(reported("overrule: allow(a-b) goes away"), Ok(one));
        let two = (vec!["a".to_owned(), "b".to_owned()], "see (1)".to_owned());
        assert_eq!(reported("overrule:allow (a, b): see (1)"), Ok(two.clone()));
        assert_eq!(reported("overrule: allow(a,b) -- see (1)"), Ok(two));
        for form in ["overrule: alow(a) b", "overrule: allow a b", "overrule: allow() b", "overrule: allow(a"]
        {
            assert_eq!(reported(form), Err("write `overrule: allow(RULE) REASON`"), "{form}");
        }
        for reason in ["overrule: allow(a)", "overrule: allow(a) -- "] {
            assert!(reported(reason).expect_err("no reason").starts_with("add a reason"), "{reason}");
        }
    }
}
