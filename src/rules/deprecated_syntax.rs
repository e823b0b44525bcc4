#![doc = include_str!("../../policies/rules/deprecated-syntax.md")]

use hashbrown::HashSet;

use super::support::expressions::{self, Written};
use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::syntax::{
    Call, Editor, Expr, ExprKind, ObjectKey, Part, Scope, Step, StepKind, Template, TemplateKind, Traversal,
    reindented,
};
use crate::text::Span;

pub(super) struct DeprecatedSyntax;

impl Rule for DeprecatedSyntax {
    const PAGE: Page = page!("deprecated-syntax");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        expressions::for_each(node, context, &mut |expr, written| {
            let mut search =
                Search { context, written, apart: HashSet::new(), keys: HashSet::new(), findings };
            // `terraform fmt` itself unwraps an interpolation that is a whole argument.
            search.apart.insert(expr.span);
            expr.walk(&mut |inner, scope| search.look(inner, scope));
        });
    }
}

struct Search<'s> {
    context: &'s Context<'s>,
    written: Written<'s>,
    /// Expressions that would have another meaning in another position.
    apart: HashSet<Span>,
    /// Keys of objects, where a bare name would be a literal.
    keys: HashSet<Span>,
    findings: &'s mut Vec<Finding>,
}

impl Search<'_> {
    /// Checks an expression, after the expressions around it.
    fn look(&mut self, expr: &Expr, scope: &Scope<'_>) {
        match &expr.kind {
            ExprKind::Object(items) => {
                self.keys.extend(items.iter().filter_map(|item| match &item.key {
                    ObjectKey::Name(..) => None,
                    ObjectKey::Expr(key) => Some(key.span),
                }));
            }
            ExprKind::Splat { source, each, .. } => {
                // `.0` after a star belongs to each element, and `[0]` may belong to the result.
                self.apart.extend([source.span, each.span]);
            }
            ExprKind::Index { collection, .. } => {
                self.apart.insert(collection.span);
            }
            ExprKind::Relative(relative) => {
                self.apart.insert(relative.from.span);
                if !self.apart.contains(&expr.span) {
                    self.steps(&relative.steps);
                }
            }
            ExprKind::Traversal(traversal) => self.steps(&traversal.steps),
            ExprKind::Template(template) => self.template(template, expr),
            ExprKind::Call(call) => self.lookup(call, expr, scope),
            _ => {}
        }
    }

    fn template(&mut self, template: &Template, expr: &Expr) {
        let [Part::Interpolation(inner)] = &*template.parts else { return };
        if template.kind != TemplateKind::Quoted || self.written.is_json || self.apart.contains(&expr.span) {
            return;
        }
        let is_key = self.keys.contains(&expr.span);
        let edit = self.editor(expr.span).and_then(|editor| unwrapped(editor, inner, expr, is_key));
        let instead = edit.as_ref().filter(|edit| !edit.text.contains('\n'));
        let help = match instead {
            Some(edit) => format!("write `{}`", edit.text),
            None => "write the expression without the quotes, `${` and `}`".to_owned(),
        };
        self.report(
            "Interpolation-only string",
            "The string contains a single interpolation and nothing else, so it has the value and the type of that \
             expression.",
            expr.span,
            help,
            edit,
        );
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            let StepKind::Number(number) = &step.kind else { continue };
            if self.written.is_json || !self.context.sources().slice(step.span).starts_with('.') {
                continue;
            }
            let text = format!("[{number}]");
            let edit = self.editor(step.span).map(|editor| editor.replace(step.span, text.clone()));
            self.report(
                "Legacy index",
                "Since Terraform 0.12, list elements are selected with brackets. The form with a dot exists only for \
                 compatibility.",
                step.span,
                format!("write `{text}`"),
                edit,
            );
        }
    }

    fn lookup(&mut self, call: &Call, expr: &Expr, scope: &Scope<'_>) {
        let [collection, _] = &*call.arguments else { return };
        if call.name != "lookup" || call.expands_last {
            return;
        }
        let edit = self
            .editor(expr.span)
            .and_then(|editor| indexed(editor, call, expr, self.takes_index(collection, scope)));
        let help = match &edit {
            Some(edit) if !edit.text.contains('\n') => format!("write `{}`", edit.text),
            Some(_) | None => "replace the call with the map, followed by the key in brackets".to_owned(),
        };
        self.report(
            "Lookup without a default",
            "With two arguments, `lookup` does the same as an index. The documentation deprecates this form.",
            call.name_span,
            help,
            edit,
        );
    }

    /// Whether an index after the expression accesses its value.
    fn takes_index(&self, expr: &Expr, scope: &Scope<'_>) -> bool {
        match &expr.kind {
            ExprKind::Traversal(traversal) => {
                let root = &traversal.root;
                scope.has(root)
                    || self.written.iterators.contains(root)
                    || traversal.steps.len() >= steps_to_value(traversal)
            }
            ExprKind::Call(_) | ExprKind::Parens(_) | ExprKind::Relative(_) | ExprKind::Index { .. } => true,
            _ => false,
        }
    }

    fn editor(&self, at: Span) -> Option<Editor<'_>> {
        self.context.editor(at.file)
    }

    fn report(&mut self, summary: &str, detail: &str, at: Span, help: String, edit: Option<Edit>) {
        DeprecatedSyntax::finding(summary)
            .detail(detail)
            .at(at)
            .help(help)
            .fixed_by(edit.map(|edit| Fix::safe([edit])))
            .address(self.written.address())
            .push_to(self.findings);
    }
}

/// The replacement for a string with one interpolation. Returns `None` if a comment would be lost.
fn unwrapped(editor: Editor<'_>, inner: &Expr, string: &Expr, is_key: bool) -> Option<Edit> {
    let text = editor.slice(inner.span);
    let around = [string.span.start..inner.span.start, inner.span.end..string.span.end];
    let is_bare = around.into_iter().all(|part| {
        let part = editor.slice(Span { start: part.start, end: part.end, ..string.span });
        part.chars().all(|c| c.is_whitespace() || "\"${}~".contains(c))
    });
    let stands_alone = !is_key && is_operand(inner);
    is_bare.then(|| {
        editor.replace(string.span, if stands_alone { text.to_owned() } else { format!("({text})") })
    })
}

/// The replacement for `lookup` with two arguments. The first is put in parentheses if it cannot be indexed as it is.
/// Returns `None` if a comment would be lost.
fn indexed(editor: Editor<'_>, call: &Call, expr: &Expr, takes_index: bool) -> Option<Edit> {
    let [collection, key] = &*call.arguments else { return None };
    let around = [
        call.name_span.end..collection.span.start,
        collection.span.end..key.span.start,
        key.span.end..expr.span.end,
    ];
    let is_bare = around.into_iter().all(|part| {
        let part = editor.slice(Span { start: part.start, end: part.end, ..expr.span });
        part.chars().all(|c| c.is_whitespace() || "(,)".contains(c))
    });
    let (from, to) = (editor.indent(collection.span), editor.indent(expr.span));
    let map = reindented(editor.slice(collection.span), from, to);
    let key = editor.slice(key.span);
    let text = if takes_index { format!("{map}[{key}]") } else { format!("({map})[{key}]") };
    is_bare.then(|| editor.replace(expr.span, text))
}

/// Whether an expression has a higher precedence than every operator.
fn is_operand(expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::Conditional(_) | ExprKind::Unary(..) | ExprKind::Binary(..))
}

/// The number of steps from the root to a value. After fewer steps, an index would select an instance of a resource
/// or module.
fn steps_to_value(traversal: &Traversal) -> usize {
    let names = match traversal.root.as_str() {
        "var" | "local" | "each" => return 1,
        "data" | "ephemeral" => 3,
        _ => 2,
    };
    // There may be an instance key.
    let is_attribute = |step: &Step| matches!(step.kind, StepKind::Attribute(_));
    names + usize::from(!traversal.steps.get(names - 1).is_some_and(is_attribute))
}
