//! The known gaps: what the checker reports differently from the engine, each difference with its reason.
//!
//! ```text
//! === Why overrule differs here,
//!     in as many lines as that takes.
//! --- the name of a case
//! - validate error -: a diagnostic that only the engine has
//! + validate error main.tf:4: a diagnostic that only overrule has
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The maximal number of reasons for differences.
const MOST: usize = 10;

/// A diagnostic of one case that only one of the two reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gap {
    pub(crate) case: String,
    /// `-` or `+`, and the diagnostic.
    pub(crate) line: String,
}

/// Reads the list beside this file.
///
/// # Panics
/// On a list that does not follow the format, is too long, or lists a difference twice.
pub(crate) fn known() -> BTreeSet<Gap> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/gaps.txt");
    let text = fs::read_to_string(file).expect("the list of known gaps");
    let mut gaps = BTreeSet::new();
    let (mut reasons, mut case) = (0, None);
    for line in text.lines().skip_while(|line| !line.starts_with("=== ")).filter(|line| !line.is_empty()) {
        if line.starts_with("=== ") {
            (reasons, case) = (reasons + 1, None);
        } else if line.starts_with("    ") {
            assert!(case.is_none(), "more of a reason: {line}");
        } else if let Some(name) = line.strip_prefix("--- ") {
            case = Some(name.to_owned());
        } else {
            assert!(line.starts_with("- ") || line.starts_with("+ "), "a difference: {line}");
            let case = case.clone().unwrap_or_else(|| panic!("the case of a difference: {line}"));
            let gap = Gap { case, line: line.to_owned() };
            assert!(gaps.insert(gap), "a difference that is listed twice: {line}");
        }
    }
    assert!(reasons <= MOST, "{reasons} reasons to differ from the engine, at most {MOST}");
    gaps
}
