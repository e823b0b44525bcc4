//! Traverses an expression: subexpressions, references and calls.

use crate::syntax::{Call, Expr, ExprKind, ForDirective, JsonString, ObjectKey, Part, Template, Traversal};

/// The names that the enclosing `for` expressions declare, innermost first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'s> {
    names: [Option<&'s str>; 2],
    outer: Option<&'s Scope<'s>>,
}

impl Scope<'_> {
    /// Whether a `for` expression declares `name`.
    pub fn has(&self, name: &str) -> bool {
        let mut scope = Some(self);
        while let Some(Scope { names, outer }) = scope {
            if names.contains(&Some(name)) {
                return true;
            }
            scope = *outer;
        }
        false
    }
}

impl Expr {
    /// Calls `visit` with this expression and each of its subexpressions, and with the names in scope there.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr, &Scope<'_>)) {
        expression(self, &Scope::default(), visit);
    }

    /// Calls `visit` with each traversal whose root is not declared inside this expression.
    pub fn for_each_variable<'a>(&'a self, mut visit: impl FnMut(&'a Traversal)) {
        self.walk(&mut |expr, scope| {
            if let ExprKind::Traversal(traversal) = &expr.kind
                && !scope.has(&traversal.root)
            {
                visit(traversal);
            }
        });
    }

    /// The traversals whose root is not declared inside this expression, in source order.
    pub fn variables(&self) -> Vec<&Traversal> {
        let mut found = Vec::new();
        self.for_each_variable(|traversal| found.push(traversal));
        found
    }

    /// Calls `visit` with each function call and with the expression that holds it.
    pub fn for_each_call<'a>(&'a self, mut visit: impl FnMut(&'a Call, &'a Expr)) {
        self.walk(&mut |expr, _| {
            if let ExprKind::Call(call) = &expr.kind {
                visit(call, expr);
            }
        });
    }
}

type Visit<'v, 'a> = dyn FnMut(&'a Expr, &Scope<'_>) + 'v;

/// The parser limits the depth of the tree, and thereby this recursion.
fn expression<'a>(expr: &'a Expr, scope: &Scope<'_>, visit: &mut Visit<'_, 'a>) {
    visit(expr, scope);
    match &expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Traversal(_)
        | ExprKind::Element
        | ExprKind::Invalid
        | ExprKind::Unread => {}
        ExprKind::Template(inner) => template(inner, scope, visit),
        ExprKind::Tuple(elements) => all(elements, scope, visit),
        ExprKind::Object(items) => {
            for item in items {
                match &item.key {
                    ObjectKey::Name(..) => {}
                    ObjectKey::Expr(key) => expression(key, scope, visit),
                }
                expression(&item.value, scope, visit);
            }
        }
        ExprKind::Relative(relative) => expression(&relative.from, scope, visit),
        ExprKind::Unary(_, inner) | ExprKind::Parens(inner) => expression(inner, scope, visit),
        ExprKind::Index { collection: first, key: second, .. }
        | ExprKind::Splat { source: first, each: second, .. } => {
            expression(first, scope, visit);
            expression(second, scope, visit);
        }
        ExprKind::Call(call) => all(&call.arguments, scope, visit),
        ExprKind::Conditional(parts) => all(&parts[..], scope, visit),
        ExprKind::Binary(_, operands) => all(&operands[..], scope, visit),
        ExprKind::For(inner) => {
            expression(&inner.collection, scope, visit);
            let names = [inner.key_name.as_deref(), Some(inner.value_name.as_str())];
            let scope = Scope { names, outer: Some(scope) };
            for part in inner.key.iter().chain([&inner.value]).chain(&inner.condition) {
                expression(part, &scope, visit);
            }
        }
        ExprKind::JsonString(string) => json_string(string, scope, visit),
        ExprKind::JsonObject(properties) => {
            for property in properties {
                json_string(&property.name, scope, visit);
                expression(&property.value, scope, visit);
            }
        }
    }
}

fn all<'a>(expressions: &'a [Expr], scope: &Scope<'_>, visit: &mut Visit<'_, 'a>) {
    for expr in expressions {
        expression(expr, scope, visit);
    }
}

fn json_string<'a>(string: &'a JsonString, scope: &Scope<'_>, visit: &mut Visit<'_, 'a>) {
    if let Ok(inner) = &string.template {
        template(inner, scope, visit);
    }
}

fn template<'a>(inner: &'a Template, scope: &Scope<'_>, visit: &mut Visit<'_, 'a>) {
    for part in &inner.parts {
        match part {
            Part::Literal { .. } => {}
            Part::Interpolation(expr) => expression(expr, scope, visit),
            Part::If(directive) => {
                expression(&directive.condition, scope, visit);
                template(&directive.then, scope, visit);
                if let Some(otherwise) = &directive.otherwise {
                    template(otherwise, scope, visit);
                }
            }
            Part::For(directive) => {
                let ForDirective { key, value, collection, body, .. } = &**directive;
                expression(collection, scope, visit);
                let scope = Scope { names: [key.as_deref(), Some(value.as_str())], outer: Some(scope) };
                template(body, &scope, visit);
            }
        }
    }
}
