//! Traverses the expressions of a body with `dynamic` blocks, each with the iterators in scope.

use smol_str::SmolStr;

use super::json::JsonBody;
use super::native::NativeBody;
use super::{Block, Body, Hidden, Inner, Names};
use crate::syntax::{Expr, ExprKind, JsonProperty, ObjectKey};

/// The `dynamic` blocks around an expression.
#[derive(Debug, Clone, Copy)]
pub struct Iteration<'i> {
    /// The names of their iterators, outermost first.
    pub names: &'i [SmolStr],
    /// For each of them, the collection, if it is written.
    pub collections: &'i [Option<&'i Expr>],
    /// The name of the argument that holds the expression. Empty in JSON, where a property may be a block.
    pub argument: &'i str,
    /// Whether the expression is certainly the `for_each` of a `dynamic` block.
    pub is_for_each: bool,
    /// Whether the expression is evaluated in any case: the collection of each `dynamic` block has elements.
    pub is_certain: bool,
    /// Whether the expression is never evaluated: the collection of a `dynamic` block is empty.
    pub is_excluded: bool,
}

impl Iteration<'_> {
    /// Outside of all `dynamic` blocks.
    pub const NONE: Self = Self {
        names: &[],
        collections: &[],
        argument: "",
        is_for_each: false,
        is_certain: true,
        is_excluded: false,
    };
}

/// A callback for each expression and its iterators.
type Visit<'v> = dyn FnMut(&Expr, Iteration<'_>) + 'v;

/// Whether the collection of a `dynamic` block has elements, if that is known.
pub type HasElements<'v> = dyn Fn(&Expr) -> Option<bool> + 'v;

/// The `dynamic` blocks around the current position.
struct Way<'v, 'b> {
    has_elements: &'v HasElements<'v>,
    names: Vec<SmolStr>,
    collections: Vec<Option<&'b Expr>>,
    /// For each of them, whether it has elements.
    expands: Vec<Option<bool>>,
}

impl<'b> Way<'_, 'b> {
    fn here(&self) -> Iteration<'_> {
        Iteration {
            names: &self.names,
            collections: &self.collections,
            is_certain: self.expands.iter().all(|expands| *expands == Some(true)),
            is_excluded: self.expands.contains(&Some(false)),
            ..Iteration::NONE
        }
    }

    /// Whether a collection here has elements, if that is known.
    fn has_elements(&self, collection: &Expr) -> Option<bool> {
        if has_elements(collection) {
            return Some(true);
        }
        let mut is_of_iterator = false;
        collection.for_each_variable(|traversal| is_of_iterator |= self.names.contains(&traversal.root));
        if is_of_iterator { None } else { (self.has_elements)(collection) }
    }

    fn enter(&mut self, name: SmolStr, collection: Option<&'b Expr>, expands: Option<bool>) {
        self.names.push(name);
        self.collections.push(collection);
        self.expands.push(expands);
    }

    fn leave(&mut self) {
        self.names.pop();
        self.collections.pop();
        self.expands.pop();
    }
}

impl Body {
    /// Like [`Body::for_each_expression`], with the iterators of the enclosing `dynamic` blocks. Skips `iterator`
    /// arguments, which are names and not expressions, expressions with a syntax error, and unclosed bodies.
    pub fn for_each_expression_in_scope(&self, visit: &mut Visit<'_>) {
        self.for_each_expression_expanded(&|_| None, visit);
    }

    /// The same, with what else is known about the collections of `dynamic` blocks than that a literal has elements.
    pub fn for_each_expression_expanded(&self, has_elements: &HasElements<'_>, visit: &mut Visit<'_>) {
        let mut way = Way { has_elements, names: Vec::new(), collections: Vec::new(), expands: Vec::new() };
        self.walk(&mut way, visit);
    }

    /// The parser limits the depth of a body, and thereby this recursion.
    fn walk<'b>(&'b self, way: &mut Way<'_, 'b>, visit: &mut Visit<'_>) {
        if self.is_unclosed {
            return;
        }
        match &*self.inner {
            Inner::Native(native) => native.walk(&self.hidden, way, visit),
            Inner::Json(json) => json.walk(&self.hidden, way, visit),
        }
    }
}

impl NativeBody {
    fn walk<'b>(&'b self, hidden: &'b Hidden, way: &mut Way<'_, 'b>, visit: &mut Visit<'_>) {
        for attribute in self.visible_attributes(hidden).filter(|attribute| !attribute.is_broken) {
            visit(&attribute.expr, Iteration { argument: &attribute.name, ..way.here() });
        }
        // The engine reads the blocks of a type up to the first `dynamic` one whose elements are unknown.
        let mut unknown: Vec<&str> = Vec::new();
        for block in self.visible_blocks(hidden) {
            let made = block.makes();
            let is_after_unknown = unknown.contains(&made);
            if is_after_unknown {
                way.expands.push(None);
            }
            match block.labels.as_slice() {
                [label] if block.kind == "dynamic" => {
                    if dynamic(block, &label.text, way, visit).is_none() && !is_after_unknown {
                        unknown.push(made);
                    }
                }
                _ => block.body.walk(way, visit),
            }
            if is_after_unknown {
                way.expands.pop();
            }
        }
    }
}

/// The `for_each` of a `dynamic` block is outside of the scope of its iterator; `labels` and `content` are inside.
/// The engine evaluates every `for_each` with the outermost one, but `content` only for elements of the collection.
/// Returns whether the collection has elements, if that is known.
fn dynamic<'b>(
    block: &'b Block,
    label: &SmolStr,
    way: &mut Way<'_, 'b>,
    visit: &mut Visit<'_>,
) -> Option<bool> {
    let Inner::Native(native) = &*block.body.inner else { return None };
    let argument = |name: &str| {
        native.attributes.iter().find(|attribute| attribute.name == name && !attribute.is_broken)
    };
    let for_each = argument("for_each");
    if let Some(for_each) = for_each {
        let here = way.here();
        let is_for_each = here.is_certain;
        visit(&for_each.expr, Iteration { is_certain: true, is_for_each, argument: "for_each", ..here });
    }
    let expands = for_each.and_then(|for_each| way.has_elements(&for_each.expr));
    let named = match argument("iterator") {
        Some(iterator) => iterator.expr.keyword(),
        None => Some(label.clone()),
    };
    // The engine skips a block with an invalid iterator.
    let named = named?;
    way.enter(named, for_each.map(|for_each| &for_each.expr), expands);
    if let Some(labels) = argument("labels") {
        visit(&labels.expr, Iteration { argument: "labels", ..way.here() });
    }
    for content in native.blocks.iter().filter(|block| block.kind == "content") {
        content.body.walk(way, visit);
    }
    way.leave();
    expands
}

/// Whether this is a collection literal with at least one element.
fn has_elements(collection: &Expr) -> bool {
    match &collection.kind {
        ExprKind::Tuple(elements) => !elements.is_empty(),
        ExprKind::Object(items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item.key, ObjectKey::Name(..)))
        }
        ExprKind::JsonObject(properties) => !properties.is_empty(),
        _ => false,
    }
}

impl JsonBody {
    fn walk<'b>(&'b self, hidden: &'b Hidden, way: &mut Way<'_, 'b>, visit: &mut Visit<'_>) {
        for property in self.visible(hidden) {
            let expr = &property.attribute().expr;
            if property.name == "dynamic" {
                dynamic_in_json(expr, &hidden.made, way, visit);
            } else if has_dynamic(expr) {
                in_json(expr, way, visit);
            } else {
                visit(expr, way.here());
            }
        }
    }
}

/// Whether the expression contains an object that looks like `dynamic` blocks.
fn has_dynamic(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |inner, _| {
        if let ExprKind::JsonObject(properties) = &inner.kind {
            found |= properties.iter().any(|property| property.name.text == "dynamic");
        }
    });
    found
}

/// Only a schema distinguishes blocks from values, so `dynamic` is recognized in every object.
fn in_json<'b>(expr: &'b Expr, way: &mut Way<'_, 'b>, visit: &mut Visit<'_>) {
    match &expr.kind {
        ExprKind::Tuple(elements) => elements.iter().for_each(|element| in_json(element, way, visit)),
        ExprKind::JsonObject(properties) => {
            for property in properties {
                if property.name.text == "dynamic" {
                    dynamic_in_json(&property.value, &Names::default(), way, visit);
                } else {
                    in_json(&property.value, way, visit);
                }
            }
        }
        _ => visit(expr, way.here()),
    }
}

/// The blocks under a `dynamic` property: for each label that is not hidden, one object or an array of them.
fn dynamic_in_json<'b>(expr: &'b Expr, hidden: &Names, way: &mut Way<'_, 'b>, visit: &mut Visit<'_>) {
    let all = objects(expr).into_iter().flatten();
    for labelled in all.filter(|labelled| !hidden.has(&labelled.name.text)) {
        for block in objects(&labelled.value) {
            let argument = |name: &str| block.iter().find(|property| property.name.text == name);
            let for_each = argument("for_each");
            if let Some(for_each) = for_each {
                visit(&for_each.value, Iteration { is_certain: true, ..way.here() });
            }
            let expands = for_each.and_then(|for_each| way.has_elements(&for_each.value));
            let named = argument("iterator").and_then(|iterator| iterator.value.keyword());
            let named = named.unwrap_or_else(|| labelled.name.text.clone());
            way.enter(named, for_each.map(|for_each| &for_each.value), expands);
            for inside in ["labels", "content"].into_iter().filter_map(argument) {
                in_json(&inside.value, way, visit);
            }
            way.leave();
        }
    }
}

/// The properties of an object, or of each object in an array.
fn objects(expr: &Expr) -> Vec<&[JsonProperty]> {
    match &expr.kind {
        ExprKind::JsonObject(properties) => vec![properties],
        ExprKind::Tuple(elements) => elements
            .iter()
            .filter_map(|element| match &element.kind {
                ExprKind::JsonObject(properties) => Some(properties.as_slice()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use crate::limits::Limits;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    /// Each reference in a body, with its iterators.
    fn seen(text: &str, notation: Notation) -> Vec<String> {
        let source = Source::new("a", text.into());
        let (file, findings) = syntax::parse(FileId::new(0), &source, notation, &Limits::default());
        assert_eq!(findings, [], "{text}");
        let mut seen = Vec::new();
        file.body.for_each_expression_in_scope(&mut |expr, around| {
            let roots: Vec<_> = expr.variables().iter().map(|traversal| traversal.root.to_string()).collect();
            let mark = if around.is_certain { "" } else { "?" };
            seen.push(format!("{} in {}{mark}", roots.join("+"), around.names.join(">")));
        });
        seen
    }

    #[test]
    fn a_dynamic_block_sets_its_label_or_its_iterator() {
        let text = indoc! {r#"
            a = x
            dynamic "s" {
              for_each = y
              content {
                b = z
              }
            }
        "#};
        assert_eq!(seen(text, Notation::Native), ["x in ", "y in ", "z in s?"]);
        let text = indoc! {r#"
            dynamic "s" {
              for_each = y
              iterator = it
              labels = [l]
              content {
                b {
                  c = z
                }
                dynamic "t" {
                  for_each = u
                  content {
                    d = w
                  }
                }
              }
            }
        "#};
        assert_eq!(seen(text, Notation::Native), ["y in ", "l in it?", "z in it?", "u in it", "w in it>t?"]);
    }

    #[test]
    fn content_is_certain_where_the_collection_is_written_out() {
        let text = indoc! {r#"
            dynamic "s" {
              for_each = [y]
              content {
                b = z
              }
            }
        "#};
        assert_eq!(seen(text, Notation::Native), ["y in ", "z in s"]);
        let text = indoc! {r#"
            dynamic "s" {
              for_each = []
              content {
                b = z
              }
            }
        "#};
        assert_eq!(seen(text, Notation::Native), [" in ", "z in s?"]);
    }

    #[test]
    fn json_has_dynamic_blocks_too() {
        let text = r#"{"a": "${x}", "dynamic": {"s": [{"for_each": "${y}", "iterator": "it", "content": {"b": "${z}"}}]},
                       "c": {"dynamic": {"t": {"for_each": "${u}", "content": {"d": "${w}"}}}, "e": "${v}"}}"#;
        assert_eq!(seen(text, Notation::Json), ["x in ", "y in ", "z in it?", "u in ", "w in t?", "v in "]);
    }
}
