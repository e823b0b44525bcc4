//! Draws the tree of module calls with lines, within the width of the terminal. Repeated subtrees are shown once.

use hashbrown::{HashMap, HashSet};

use super::provider_lines::{self, Names, Placed};
use super::{DEEPEST, Picture};
use crate::graph::{Callee, Node, Role};
use crate::module::declaration::ModuleCall;
use crate::report::{one_line, painted};
use crate::text::counted;

/// The tree of each starting module, and a summary line.
pub(super) fn write(picture: &Picture<'_>) -> String {
    let names = Names::of(picture);
    let left = picture.most_parts();
    let mut outline = Outline { picture, names, text: String::new(), seen: HashSet::new(), left };
    for (engine, top) in &picture.tops {
        let (role, reason) = top.role_with_reason();
        let only = if picture.tops.iter().any(|(other, _)| other.product != engine.product) {
            format!(" ({} only)", engine.product.name())
        } else {
            String::new()
        };
        let described = format!("{}: {}{only}", role.word(), reason.clause());
        outline.line(&[
            ("", Paint::Plain),
            (&picture.name_at_line_start(*top), Paint::Bold),
            ("  ", Paint::Plain),
            (&described, Paint::Dim),
            (outline.mark(*top), Paint::Bad),
        ]);
        outline.below(&Placed::top(*top), "");
        outline.text.push('\n');
    }
    outline.count();
    outline.text
}

/// The style of a part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
}

/// The calls that one line shows.
struct Line<'p> {
    /// The first call.
    call: &'p ModuleCall,
    /// The number of further calls.
    others: usize,
    leads_to: Callee,
    called: Option<Placed<'p>>,
}

/// Calls of one module with equal subtrees.
#[derive(Default)]
struct Alike {
    number: usize,
    is_shown: bool,
    /// The line for all of them after the first.
    line: Option<usize>,
}

/// From this number of equal calls on, one line shows all but the first.
const MANY: usize = 4;

struct Outline<'p> {
    picture: &'p Picture<'p>,
    names: Names,
    text: String,
    /// The subtrees that were already shown.
    seen: HashSet<u64>,
    /// The parts about call paths that are left.
    left: usize,
}

impl<'p> Outline<'p> {
    /// The lines below a module: the provider configurations that reach it, and its calls.
    fn below(&mut self, placed: &Placed<'p>, prefix: &str) {
        self.seen.insert(placed.likeness());
        let calls = self.picture.calls(placed.node);
        let bar = if calls.is_empty() { "   " } else { self.glyph("│  ", "|  ") };
        self.providers(placed, &format!("{prefix}{bar}"));
        let lines = self.together(placed, calls);
        let last = lines.len().saturating_sub(1);
        for (number, line) in lines.into_iter().enumerate() {
            let (branch, bar) = if number == last {
                (self.glyph("└─ ", "`- "), "   ")
            } else {
                (self.glyph("├─ ", "|- "), self.glyph("│  ", "|  "))
            };
            self.call(placed, line, &format!("{prefix}{branch}"), &format!("{prefix}{bar}"));
        }
    }

    /// One line per call, except that equal calls share a line after the first one.
    fn together(&mut self, placed: &Placed<'p>, calls: Vec<(&'p ModuleCall, Callee)>) -> Vec<Line<'p>> {
        let mut lines: Vec<Line<'p>> = Vec::with_capacity(calls.len());
        let mut alike: HashMap<u64, Alike> = HashMap::new();
        let key = |line: &Line<'_>| {
            let called = line.called.as_ref().filter(|_| self.picture.repetition(line.call).is_empty())?;
            Some(called.likeness())
        };
        for (call, leads_to) in calls {
            let is_too_much = placed.levels.len() >= DEEPEST || self.left == 0;
            let called = if is_too_much { None } else { placed.called(call) };
            let parts = called.as_ref().map_or(0, Placed::parts);
            self.left = self.left.saturating_sub(parts);
            let line = Line { call, others: 0, leads_to, called };
            if let Some(key) = key(&line) {
                alike.entry(key).or_default().number += 1;
            }
            lines.push(line);
        }
        let mut together: Vec<Line<'p>> = Vec::with_capacity(lines.len());
        for line in lines {
            let group = key(&line).and_then(|key| Some((key, alike.get_mut(&key)?)));
            match group.filter(|(_, group)| group.number >= MANY) {
                // The first one shows the subtree, unless it was shown before.
                Some((key, group)) if !group.is_shown && !self.seen.contains(&key) => group.is_shown = true,
                Some((_, Alike { line: Some(at), .. })) => {
                    together[*at].others += 1;
                    continue;
                }
                Some((_, group)) => group.line = Some(together.len()),
                None => {}
            }
            together.push(line);
        }
        together
    }

    fn call(&mut self, placed: &Placed<'p>, line: Line<'p>, branch: &str, prefix: &str) {
        let Line { call, others, leads_to, called } = line;
        let target = self.picture.target(placed.node, call, leads_to);
        let arrow = self.glyph(" → ", " -> ");
        let is_too_much = called.is_none();
        let is_ring = called.as_ref().is_some_and(|called| placed.leads_through(called.node));
        let is_seen = called.as_ref().is_some_and(|called| {
            let is_leaf = called.configurations.is_empty() && !self.picture.has_calls(called.node);
            !is_leaf && self.seen.contains(&called.likeness())
        });
        let remark = match leads_to {
            Callee::Module(_) if is_too_much => "  (further modules are not shown)",
            Callee::Module(_) if is_ring => "  (cycle: one of its child modules calls it)",
            Callee::Module(_) if is_seen => "  (seen above)",
            Callee::Module(_) | Callee::Opaque => "",
            Callee::Missing if self.picture.is_gone(placed.node, call) => "  (gone)",
            Callee::Missing => "  (no such directory)",
            Callee::Outside => "  (outside the repository)",
        };
        let is_bad = matches!(leads_to, Callee::Missing | Callee::Outside) || is_ring;
        let role = called.as_ref().map(|called| called.node.role());
        let role = match role {
            Some(role) if role != Role::Shared && role != placed.node.role() => {
                format!("  {}", role.word())
            }
            Some(_) | None => String::new(),
        };
        let mark = called.as_ref().map_or("", |called| self.mark(called.node));
        let mut name = one_line(&call.name).into_owned();
        if others > 0 {
            name.push_str(&format!(" and {others} more"));
        }
        let taken = [branch, &name, arrow, &target, &role, mark, remark].map(|part| part.chars().count());
        let left = self.picture.style.width.saturating_sub(taken.iter().sum());
        self.line(&[
            (branch, Paint::Dim),
            (&name, Paint::Plain),
            (arrow, Paint::Dim),
            (&target, if leads_to == Callee::Opaque { Paint::Plain } else { Paint::Bold }),
            (&self.picture.fitting_repetition(call, left), Paint::Good),
            (&role, Paint::Dim),
            (mark, Paint::Bad),
            (remark, if is_bad { Paint::Bad } else { Paint::Dim }),
        ]);
        if let Some(called) = called.filter(|_| !is_ring && !is_seen) {
            self.below(&called, prefix);
        }
    }

    /// One line per provider configuration of a module.
    fn providers(&mut self, placed: &Placed<'p>, prefix: &str) {
        for line in self.picture.provider_lines(placed, &self.names) {
            let paint = match line {
                provider_lines::Line::Configuration(_) => Paint::Dim,
                provider_lines::Line::Problem(_) => Paint::Bad,
                provider_lines::Line::Users(_) => Paint::Plain,
            };
            self.wrapped(prefix, line.text(), paint);
        }
    }

    /// Text after a prefix, wrapped to as many lines as necessary.
    fn wrapped(&mut self, prefix: &str, text: &str, paint: Paint) {
        let blanks = text.len() - text.trim_start().len();
        let indent = " ".repeat(blanks + 2);
        let room = self.picture.style.width.saturating_sub(prefix.chars().count());
        let mut line = " ".repeat(blanks);
        for (number, word) in text.split_whitespace().enumerate() {
            let width = line.chars().count() + word.chars().count();
            if number > 0 && width > room && !line.trim().is_empty() {
                self.line(&[(prefix, Paint::Dim), (line.trim_end(), paint)]);
                line.clone_from(&indent);
            }
            line.push_str(word);
            line.push(' ');
        }
        self.line(&[(prefix, Paint::Dim), (line.trim_end(), paint)]);
    }

    /// A line of several parts, cut off at the width of the terminal.
    fn line(&mut self, parts: &[(&str, Paint)]) {
        let width: usize = parts.iter().map(|(text, _)| text.chars().count()).sum();
        let cut = self.glyph("…", "...");
        let is_cut = width > self.picture.style.width;
        let mut left = self.picture.style.width.saturating_sub(if is_cut { cut.chars().count() } else { 0 });
        for (text, paint) in parts {
            let shown: String = text.chars().take(left).collect();
            left -= shown.chars().count();
            self.text.push_str(&self.painted(&shown, *paint));
        }
        self.text.push_str(if is_cut { cut } else { "" });
        self.text.push('\n');
    }

    fn painted(&self, text: &str, paint: Paint) -> String {
        let code = match paint {
            Paint::Plain => return text.to_owned(),
            Paint::Bold => "1",
            Paint::Dim => "2",
            Paint::Good => "36",
            Paint::Bad => "31",
        };
        painted(self.picture.style.color, code, text)
    }

    fn mark(&self, node: Node<'_>) -> &'static str {
        if self.picture.changed.contains(&node.module().directory) { "  (changed)" } else { "" }
    }

    fn glyph(&self, drawn: &'static str, plain: &'static str) -> &'static str {
        if self.picture.style.unicode { drawn } else { plain }
    }

    /// The summary line.
    fn count(&mut self) {
        let modules = self.picture.reached(|node| &node.module().directory);
        let calls: Vec<_> = modules.iter().flat_map(|node| self.picture.calls(*node)).collect();
        let elsewhere = calls.iter().filter(|(_, leads_to)| *leads_to == Callee::Opaque).count();
        let elsewhere = if elsewhere == 0 {
            String::new()
        } else {
            format!(", {elsewhere} of them to modules outside the repository")
        };
        self.text.push_str(&format!(
            "{}, {}{elsewhere}\n",
            counted(modules.len(), "module"),
            counted(calls.len(), "call")
        ));
    }
}
