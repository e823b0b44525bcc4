//! Finds the outputs of called modules that an expression reads.

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::module::Module;
use crate::syntax::{Expr, ExprKind, For, Part, Step, Traversal};
use crate::text::Span;

/// Calls `visit` with each reference in an expression of `module` to a called module: the name of the call, and the
/// output. The call is `None` if its name is not constant, the output if the expression uses the whole module.
pub(crate) fn for_each_read_output(
    expr: &Expr,
    module: &Module,
    visit: &mut dyn FnMut(Option<&SmolStr>, Option<&SmolStr>),
) {
    // The elements of a `for` expression over the module of such a call are its instances.
    let is_repeated = |call: &SmolStr| module.calls.get(call).is_some_and(|call| call.is_repeated());
    // References whose output an enclosing expression selects.
    let mut done: HashSet<Span> = HashSet::new();
    let mut select = |from: &Expr, step: Option<&Step>, done: &mut HashSet<Span>| {
        if let ExprKind::Traversal(traversal) = &from.kind
            && traversal.root == "module"
            && traversal.steps.len() == 1
            && let Some(output) = attribute(step)
        {
            visit(attribute(traversal.steps.first()), Some(output));
            done.insert(from.span);
        }
    };
    let mut others = Vec::new();
    expr.walk(&mut |inner, _| {
        if let ExprKind::For(it) = &inner.kind
            && let ExprKind::Traversal(traversal) = &it.collection.kind
            && attribute(traversal.steps.first()).is_some_and(is_repeated)
            && let Some(steps) = steps_of_elements(it)
        {
            for step in steps {
                select(&it.collection, Some(step), &mut done);
            }
        }
    });
    expr.walk(&mut |inner, _| match &inner.kind {
        ExprKind::Relative(relative) => {
            if let ExprKind::Index { collection, .. } = &relative.from.kind {
                select(collection, relative.steps.first(), &mut done);
            }
        }
        ExprKind::Splat { source, each, .. } => {
            if let ExprKind::Relative(relative) = &each.kind
                && let ExprKind::Element = relative.from.kind
            {
                select(source, relative.steps.first(), &mut done);
            }
        }
        ExprKind::Traversal(traversal) if traversal.root == "module" && !done.contains(&inner.span) => {
            others.push(&**traversal);
        }
        _ => {}
    });
    for traversal in others {
        visit(attribute(traversal.steps.first()), output(traversal));
    }
}

/// The first step of each reference to the elements of a `for` expression. `None` if one has no step, or if another
/// expression may use the name for something else.
fn steps_of_elements(it: &For) -> Option<Vec<&Step>> {
    let mut steps = Some(Vec::new());
    for part in [it.key.as_ref(), Some(&it.value), it.condition.as_ref()].into_iter().flatten() {
        part.walk(&mut |inner, _| {
            let first = match &inner.kind {
                ExprKind::Traversal(traversal) if traversal.root == it.value_name => traversal.steps.first(),
                // The names in it may be others.
                ExprKind::For(_) | ExprKind::JsonString(_) => None,
                ExprKind::Template(template)
                    if template.parts.iter().any(|part| matches!(part, Part::For(_) | Part::If(_))) =>
                {
                    None
                }
                _ => return,
            };
            match (first.filter(|step| attribute(Some(step)).is_some()), &mut steps) {
                (Some(step), Some(steps)) => steps.push(step),
                _ => steps = None,
            }
        });
    }
    steps.filter(|steps| !steps.is_empty())
}

/// The output in a reference to a module, with or without an instance key.
fn output(traversal: &Traversal) -> Option<&SmolStr> {
    let behind = traversal.steps.get(1)?;
    attribute(Some(behind)).or_else(|| attribute(traversal.steps.get(2)))
}

fn attribute(step: Option<&Step>) -> Option<&SmolStr> {
    step?.name()
}
