//! Turns modules into the tree of their calls, drawn with lines, such that it fits a terminal. What was shown once is
//! not shown again.

use std::collections::{HashMap, HashSet};

use super::{DEEPEST, MOST_INSTANCES, Picture, because, likeness};
use crate::graph::{Callee, Instance, Node, NodeId, Role, Way};
use crate::module::declaration::ModuleCall;
use crate::report::one_line;
use crate::text::counted;

/// The tree of every module to start from, and a line that counts.
pub(super) fn write(picture: &Picture<'_>) -> String {
    let mut outline = Outline { picture, text: String::new(), seen: HashSet::new(), instances: 0 };
    for (engine, top) in &picture.tops {
        let (role, reason) = top.role_with_reason();
        let only = if picture.tops.iter().any(|(other, _)| other.product != engine.product) {
            format!(" ({} only)", engine.product.name())
        } else {
            String::new()
        };
        let told = format!("{}: {}{only}", role.word(), because(reason));
        outline.line(&[
            ("", Paint::Plain),
            (&picture.name_at_line_start(*top), Paint::Bold),
            ("  ", Paint::Plain),
            (&told, Paint::Dim),
            (outline.mark(*top), Paint::Bad),
        ]);
        outline.below(&Instance::top(*top), "", &mut vec![top.id()]);
        outline.text.push('\n');
    }
    outline.count();
    outline.text
}

/// How a part of a line is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paint {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
}

/// Calls that one line tells of.
struct Line<'p> {
    /// The first of them.
    call: &'p ModuleCall,
    /// How many there are beside it.
    others: usize,
    leads_to: Callee,
    called: Option<Instance<'p>>,
}

/// Calls of one module that lead to the same in the same way.
#[derive(Default)]
struct Alike {
    number: usize,
    is_shown: bool,
    /// The line that tells of those behind the first.
    line: Option<usize>,
}

/// From so many calls on that lead to the same in the same way, one line tells of all but the first.
const MANY: usize = 4;

struct Outline<'p> {
    picture: &'p Picture<'p>,
    text: String,
    /// What was shown with all that is below it.
    seen: HashSet<u64>,
    instances: usize,
}

impl<'p> Outline<'p> {
    /// What stands below a module: the provider configurations that reach it, and its calls.
    fn below(&mut self, instance: &Instance<'p>, prefix: &str, path: &mut Vec<NodeId>) {
        self.seen.insert(likeness(instance));
        let calls = self.picture.calls(instance.node);
        let bar = if calls.is_empty() { "   " } else { self.glyph("│  ", "|  ") };
        self.providers(instance, &format!("{prefix}{bar}"), path.len() == 1);
        let lines = self.together(instance, calls, path.len());
        let last = lines.len().saturating_sub(1);
        for (number, line) in lines.into_iter().enumerate() {
            let (branch, bar) = if number == last {
                (self.glyph("└─ ", "`- "), "   ")
            } else {
                (self.glyph("├─ ", "|- "), self.glyph("│  ", "|  "))
            };
            self.call(instance, line, &format!("{prefix}{branch}"), &format!("{prefix}{bar}"), path);
        }
    }

    /// The lines for calls, one each; but what many calls lead to alike is one more line after it was shown.
    fn together(
        &self,
        instance: &Instance<'p>,
        calls: Vec<(&'p ModuleCall, Callee)>,
        depth: usize,
    ) -> Vec<Line<'p>> {
        let mut lines: Vec<Line<'p>> = Vec::with_capacity(calls.len());
        let mut alike: HashMap<u64, Alike> = HashMap::new();
        let key = |line: &Line<'_>| {
            let called = line.called.as_ref().filter(|_| self.picture.repetition(line.call).is_empty())?;
            Some(likeness(called))
        };
        for (call, leads_to) in calls {
            let is_too_much = depth >= DEEPEST || self.instances >= MOST_INSTANCES;
            let called = if is_too_much { None } else { instance.called(call) };
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
                // The first shows what is below it, unless that was shown.
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

    fn call(
        &mut self,
        instance: &Instance<'p>,
        line: Line<'p>,
        branch: &str,
        prefix: &str,
        path: &mut Vec<NodeId>,
    ) {
        let Line { call, others, leads_to, called } = line;
        let target = self.picture.target(instance.node, call, leads_to);
        let arrow = self.glyph(" → ", " -> ");
        let is_too_much = path.len() >= DEEPEST || self.instances >= MOST_INSTANCES;
        let called = called.filter(|_| !is_too_much);
        let is_ring = called.as_ref().is_some_and(|called| path.contains(&called.node.id()));
        let is_seen = called.as_ref().is_some_and(|called| {
            let is_leaf = called.configurations.is_empty() && self.picture.calls(called.node).is_empty();
            !is_leaf && self.seen.contains(&likeness(called))
        });
        let remark = match leads_to {
            Callee::Module(_) if is_too_much => "  (more is not shown)",
            Callee::Module(_) if is_ring => "  (a ring: it is called from below itself)",
            Callee::Module(_) if is_seen => "  (seen above)",
            Callee::Module(_) | Callee::Opaque => "",
            Callee::Missing if self.picture.is_gone(instance.node, call) => "  (gone)",
            Callee::Missing => "  (no such directory)",
            Callee::Outside => "  (outside of the repository)",
        };
        let is_bad = matches!(leads_to, Callee::Missing | Callee::Outside) || is_ring;
        let role = called.as_ref().map(|called| called.node.role());
        let role = match role {
            Some(role) if role != Role::Shared && role != instance.node.role() => {
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
        self.instances += 1 + called.as_ref().map_or(0, |called| called.configurations.len());
        if let Some(called) = called.filter(|_| !is_ring && !is_seen) {
            path.push(called.node.id());
            self.below(&called, prefix, path);
            path.pop();
        }
    }

    /// The provider configurations that reach a module, a line for each way in which some of them come.
    fn providers(&mut self, instance: &Instance<'p>, prefix: &str, is_top: bool) {
        let mut missing = Vec::new();
        let mut lines: [(&str, Vec<String>); 5] = [
            ("declared", Vec::new()),
            ("passed", Vec::new()),
            ("inherited", Vec::new()),
            ("from callers", Vec::new()),
            ("without a block", Vec::new()),
        ];
        for reaching in &instance.configurations {
            let name = one_line(&reaching.name).into_owned();
            let (line, told) = match &reaching.way {
                Way::Declared(header) => (0, format!("{name} ({})", self.picture.place(*header))),
                Way::Passed(ours) if *ours == reaching.name => (1, name),
                Way::Passed(ours) => (1, format!("{name} = {}", one_line(ours))),
                Way::FromCallers if is_top => (3, name),
                Way::WithoutBlock if is_top => (4, name),
                // What reaches the top in whichever way is inherited from there on.
                Way::Inherited(_) | Way::FromCallers | Way::WithoutBlock => (2, name),
                Way::Missing => {
                    missing.push(name);
                    continue;
                }
            };
            lines[line].1.push(told);
        }
        for (word, names) in lines.into_iter().filter(|(_, names)| !names.is_empty()) {
            self.list(prefix, word, &names, Paint::Dim);
        }
        if !missing.is_empty() {
            self.list(prefix, "missing", &missing, Paint::Bad);
        }
    }

    /// Names behind a word, on as many lines as they need.
    fn list(&mut self, prefix: &str, word: &str, names: &[String], paint: Paint) {
        let indent = " ".repeat(word.len() + 2);
        let mut line = format!("{word}: ");
        for (number, name) in names.iter().enumerate() {
            let comma = if number + 1 < names.len() { "," } else { "" };
            let width = prefix.chars().count() + line.chars().count() + name.chars().count() + 1;
            if width > self.picture.style.width && line.trim().len() > word.len() + 1 {
                self.line(&[(prefix, Paint::Dim), (line.trim_end(), paint)]);
                line.clone_from(&indent);
            }
            line.push_str(&format!("{name}{comma} "));
        }
        self.line(&[(prefix, Paint::Dim), (line.trim_end(), paint)]);
    }

    /// A line of parts, cut where it is wider than the terminal.
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
        if !self.picture.style.color || text.is_empty() {
            return text.to_owned();
        }
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn mark(&self, node: Node<'_>) -> &'static str {
        if self.picture.changed.contains(&node.module().directory) { "  (changed)" } else { "" }
    }

    fn glyph(&self, drawn: &'static str, plain: &'static str) -> &'static str {
        if self.picture.style.unicode { drawn } else { plain }
    }

    /// How much there is.
    fn count(&mut self) {
        let mut modules = HashSet::new();
        let (mut calls, mut elsewhere) = (0, 0);
        let mut next: Vec<Node<'_>> = self.picture.tops.iter().map(|(_, top)| *top).collect();
        while let Some(node) = next.pop() {
            if !modules.insert(node.module().directory.clone()) {
                continue;
            }
            for (_, leads_to) in self.picture.calls(node) {
                calls += 1;
                match leads_to {
                    Callee::Module(id) => next.push(node.graph().node(id)),
                    Callee::Opaque => elsewhere += 1,
                    Callee::Missing | Callee::Outside => {}
                }
            }
        }
        let elsewhere = if elsewhere == 0 {
            String::new()
        } else {
            format!(", {elsewhere} of them to modules from elsewhere")
        };
        self.text.push_str(&format!(
            "{}, {}{elsewhere}\n",
            counted(modules.len(), "module"),
            counted(calls, "call")
        ));
    }
}
