//! Draws the call paths to a module as a tree.

use hashbrown::HashSet;

use super::{DEEPEST, Picture};
use crate::graph::{Node, NodeId};
use crate::report::one_line;

/// The callers of a module, each with its own callers below it.
pub(super) fn write(picture: &Picture<'_>, of: Node<'_>) -> String {
    let mut upward =
        Upward { picture, text: String::new(), seen: HashSet::new(), left: picture.most_parts() };
    upward.text.push_str(&format!("{}\n", picture.name_at_line_start(of)));
    upward.above(of, "", &mut vec![of.id()]);
    upward.text
}

struct Upward<'p> {
    picture: &'p Picture<'p>,
    text: String,
    seen: HashSet<NodeId>,
    /// The lines that are left.
    left: usize,
}

impl Upward<'_> {
    fn above(&mut self, node: Node<'_>, prefix: &str, path: &mut Vec<NodeId>) {
        self.seen.insert(node.id());
        let callers: Vec<_> = node.callers().collect();
        let units = &node.run_by_units().units;
        let last = (callers.len() + units.len()).saturating_sub(1);
        let unicode = self.picture.style.unicode;
        let lines = |number: usize| match (number == last, unicode) {
            (true, true) => ("└─ ", "   "),
            (true, false) => ("`- ", "   "),
            (false, true) => ("├─ ", "│  "),
            (false, false) => ("|- ", "|  "),
        };
        for (number, unit) in units.iter().enumerate() {
            if self.left > 0 {
                let (name, (branch, _)) = (self.picture.style.names.of(unit), lines(number));
                self.line(&format!("{prefix}{branch}{} (Terragrunt)", one_line(&name)));
            }
        }
        for (number, (caller, call)) in (units.len()..).zip(callers) {
            let (branch, bar) = lines(number);
            let is_cycle = path.contains(&caller.id());
            let is_seen = caller.is_called() && self.seen.contains(&caller.id());
            let is_too_much = path.len() >= DEEPEST || self.left == 0;
            let (role, reason) = caller.role_with_reason();
            let remark = if is_cycle {
                "  (cycle)".to_owned()
            } else if is_seen {
                "  (seen above)".to_owned()
            } else if is_too_much {
                "  (further modules are not shown)".to_owned()
            } else if caller.is_called() {
                String::new()
            } else {
                format!("  {}: {}", role.word(), reason.clause())
            };
            let line =
                format!("{prefix}{branch}{} (module.{})", self.picture.name(caller), one_line(&call.name));
            let taken = line.chars().count() + remark.chars().count();
            let left = self.picture.style.width.saturating_sub(taken);
            self.line(&format!("{line}{}{remark}", self.picture.fitting_repetition(call, left)));
            if !is_cycle && !is_seen && !is_too_much {
                path.push(caller.id());
                self.above(caller, &format!("{prefix}{bar}"), path);
                path.pop();
            }
        }
    }

    fn line(&mut self, line: &str) {
        let width = self.picture.style.width;
        self.left = self.left.saturating_sub(1);
        if line.chars().count() <= width {
            self.text.push_str(line);
        } else {
            let cut = if self.picture.style.unicode { "…" } else { "..." };
            self.text.extend(line.chars().take(width.saturating_sub(cut.chars().count())));
            self.text.push_str(cut);
        }
        self.text.push('\n');
    }
}
