//! Unified diffs.

use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, group_diff_ops};

use super::sanitize::at_line_start;
use super::{painted, sanitize};
use crate::text::lines;

/// The number of context lines.
const CONTEXT: usize = 3;

/// A byte order mark, which some editors on Windows write.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the difference as `diff -u` prints it, or an empty text. Control characters are made visible.
pub fn unified(from: &str, to: &str, before: &str, after: &str, color: bool) -> String {
    let painted = |line: &str, code: &str| painted(color, code, line) + "\n";
    let (before, after) = (lines::split(before), lines::split(after));
    let mut written = String::new();
    for (number, hunk) in group_diff_ops(lines::difference(&before, &after), CONTEXT).into_iter().enumerate()
    {
        if number == 0 {
            written.push_str(&painted(&format!("--- {from}"), "1"));
            written.push_str(&painted(&format!("+++ {to}"), "1"));
        }
        written.push_str(&painted(&UnifiedHunkHeader::new(&hunk).to_string(), "36"));
        for change in hunk.iter().flat_map(|step| step.iter_changes(&*before, &*after)) {
            let line = change.value().strip_suffix('\n').unwrap_or(change.value());
            let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "\r"));
            // A byte order mark is part of the first line. A patch without it does not apply.
            let is_first = change.old_index() == Some(0) || change.new_index() == Some(0);
            let (mark, line) = line
                .strip_prefix(BYTE_ORDER_MARK)
                .filter(|_| is_first)
                .map_or(("", line), |rest| (BYTE_ORDER_MARK, rest));
            let line = format!("{mark}{}{end}", sanitize(line));
            written.push_str(&match change.tag() {
                ChangeTag::Equal => format!("{}\n", at_line_start(&format!(" {line}"))),
                ChangeTag::Delete => painted(&format!("-{line}"), "31"),
                ChangeTag::Insert => painted(&format!("+{line}"), "32"),
            });
            if change.missing_newline() {
                written.push_str("\\ No newline at end of file\n");
            }
        }
    }
    written
}
