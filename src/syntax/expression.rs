//! The syntax tree of expressions. Nothing is evaluated here.

use smol_str::SmolStr;

use crate::text::Span;

/// An expression and its span. Files consist mostly of expressions, so this type is small: large variants are boxed.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The whole expression, with quotes, brackets and parentheses.
    pub span: Span,
    /// The kind of expression.
    pub kind: ExprKind,
}

/// The kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, with its digits as written: it may exceed every machine type.
    Number(SmolStr),
    /// A quoted string or heredoc in native syntax, with or without interpolation.
    Template(Template),
    /// `[a, b]`, also as a JSON array.
    Tuple(Vec<Expr>),
    /// `{ a = b }` in native syntax.
    Object(Vec<ObjectItem>),
    /// A name followed by constant steps: `var.a["b"].c`.
    Traversal(Box<Traversal>),
    /// Constant steps from something other than a name: `f(x).a[0]`.
    Relative(Box<Relative>),
    /// `a[b]` with a key that is not constant.
    Index {
        /// The indexed value.
        collection: Box<Expr>,
        /// The key.
        key: Box<Expr>,
        /// From `[` to `]`.
        brackets: Span,
    },
    /// `a.*.b` or `a[*].b`.
    Splat {
        /// The expression before the star.
        source: Box<Expr>,
        /// The expression for each element, built on [`ExprKind::Element`].
        each: Box<Expr>,
        /// The star with its dot or brackets.
        marker: Span,
        /// `[*]` rather than `.*`.
        full: bool,
    },
    /// The current element of the enclosing splat.
    Element,
    /// `f(a, b...)`.
    Call(Box<Call>),
    /// `a ? b : c`.
    Conditional(Box<[Expr; 3]>),
    /// `!a` or `-a`.
    Unary(UnaryOperator, Box<Expr>),
    /// `a + b`.
    Binary(BinaryOperator, Box<[Expr; 2]>),
    /// `[for v in c : v]` or `{for k, v in c : k => v}`.
    For(Box<For>),
    /// `(a)`.
    Parens(Box<Expr>),
    /// A JSON string: a template where it is evaluated, plain text where a name or traversal is expected.
    JsonString(Box<JsonString>),
    /// A JSON object that is decoded as an expression.
    JsonObject(Vec<JsonProperty>),
    /// An unknown value for an expression with a syntax error that is already reported, as in HCL.
    Invalid,
    /// An expression that exceeds a limit of overrule, which is already reported. Rules ignore it.
    Unread,
}

/// A string template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The notation of the template.
    pub kind: TemplateKind,
    /// The parts, in order. Adjacent literals are merged unless the source has something between them. Empty for
    /// `""`.
    pub parts: Box<[Part]>,
}

impl Template {
    /// Whether it has only literal parts.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Literal { .. }))
    }
}

/// The notation of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateKind {
    /// A quoted string.
    Quoted,
    /// A heredoc.
    Heredoc,
    /// Without delimiters: between two directives, or in a JSON string.
    Bare,
}

/// A part of a template. Strip markers and the indentation of heredocs are already applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Literal text, with escapes resolved.
    Literal {
        /// The text.
        text: SmolStr,
        /// The source of the text.
        span: Span,
    },
    /// `${ … }`.
    Interpolation(Box<Expr>),
    /// `%{ if … }`.
    If(Box<IfDirective>),
    /// `%{ for … }`.
    For(Box<ForDirective>),
}

/// A `%{ if … }` up to its `%{ endif }`.
#[derive(Debug, Clone, PartialEq)]
pub struct IfDirective {
    /// From the first directive to the last one.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// The part for a true condition.
    pub then: Template,
    /// The part after `%{ else }`.
    pub otherwise: Option<Template>,
}

/// A `%{ for … }` up to its `%{ endfor }`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForDirective {
    /// From the first directive to the last one.
    pub span: Span,
    /// The name of the key, if there is one.
    pub key: Option<SmolStr>,
    /// The name of the value.
    pub value: SmolStr,
    /// The collection.
    pub collection: Expr,
    /// The repeated part.
    pub body: Template,
}

/// An item of an object constructor.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectItem {
    /// The key, before `=` or `:`.
    pub key: ObjectKey,
    /// The value.
    pub value: Expr,
}

/// The key of an object item.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectKey {
    /// A bare name, which is a literal key.
    Name(SmolStr, Span),
    /// Any other expression: a quoted string, parentheses, a number, or a traversal (an error in evaluation).
    Expr(Expr),
}

/// A name followed by constant steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Traversal {
    /// The first name.
    pub root: SmolStr,
    /// Span of the first name.
    pub root_span: Span,
    /// The steps after it.
    pub steps: Vec<Step>,
}

/// An expression other than a name, followed by constant steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Relative {
    /// The expression before the steps.
    pub from: Expr,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// One step of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The step with its dot or brackets.
    pub span: Span,
    /// The kind of step.
    pub kind: StepKind,
}

impl Step {
    /// The name of an attribute. `None` for an index.
    pub fn name(&self) -> Option<&SmolStr> {
        match &self.kind {
            StepKind::Attribute(name) => Some(name),
            StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_) => None,
        }
    }
}

/// The kinds of steps.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// `.name`.
    Attribute(SmolStr),
    /// `["key"]`.
    Key(SmolStr),
    /// `[0]` or `.0`, with the digits as written.
    Number(SmolStr),
    /// `[true]`, `[false]` or, as `None`, `[null]`: valid constant keys, although hardly any value accepts them.
    Word(Option<bool>),
}

/// A function call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function name, with `::` between namespaces.
    pub name: SmolStr,
    /// Span of the name.
    pub name_span: Span,
    /// The arguments.
    pub arguments: Vec<Expr>,
    /// Whether the last argument is followed by `...`.
    pub expands_last: bool,
    /// The `(`.
    pub open: Span,
    /// The `)`.
    pub close: Span,
}

/// A `for` expression.
#[derive(Debug, Clone, PartialEq)]
pub struct For {
    /// The name of the key, if there is one.
    pub key_name: Option<SmolStr>,
    /// The name of the value.
    pub value_name: SmolStr,
    /// The collection. The names above are not in scope here.
    pub collection: Expr,
    /// The key before `=>`, in a `{for`.
    pub key: Option<Expr>,
    /// The value for each element.
    pub value: Expr,
    /// The condition after `if`.
    pub condition: Option<Expr>,
    /// Whether `...` groups values by key.
    pub grouped: bool,
}

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOperator {
    Not,
    Negate,
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A string in a JSON file.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonString {
    /// The text, with JSON escapes resolved.
    pub text: SmolStr,
    /// The text as a template. Its spans are counted as if the string had no escapes.
    pub template: Result<Template, Vec<crate::finding::Finding>>,
}

/// A property of a JSON object that is decoded as an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonProperty {
    /// The name with its quotes.
    pub name_span: Span,
    /// The name, which is a template itself.
    pub name: JsonString,
    /// The value.
    pub value: Expr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_takes_little_room() {
        assert!(size_of::<Expr>() <= 48, "{}", size_of::<Expr>());
    }
}
