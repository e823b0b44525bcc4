//! Expressions, as they are written: nothing is evaluated here.

use smol_str::SmolStr;

use crate::text::Span;

/// An expression and where it stands. There are more of them than of anything else, so they are kept small: what takes
/// much room is in a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// All of it: quotes, brackets and parentheses included.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, digits as written: it may be beyond what any machine number holds.
    Number(SmolStr),
    /// A quoted string or a heredoc of the native syntax, with or without interpolation.
    Template(Template),
    /// `[a, b]`, also a JSON array.
    Tuple(Vec<Expr>),
    /// `{ a = b }` of the native syntax.
    Object(Vec<ObjectItem>),
    /// A name and what follows it without any calculation: `var.a["b"].c`.
    Traversal(Box<Traversal>),
    /// Steps from something that is not a name: `f(x).a[0]`.
    Relative(Box<Relative>),
    /// `a[b]` with a calculated key.
    Index {
        /// What is looked into.
        collection: Box<Expr>,
        /// What for.
        key: Box<Expr>,
        /// From `[` to `]`.
        brackets: Span,
    },
    /// `a.*.b` or `a[*].b`.
    Splat {
        /// What stands before the star.
        source: Box<Expr>,
        /// What is done with each element: an expression over [`ExprKind::Element`].
        each: Box<Expr>,
        /// The star with its point or brackets.
        marker: Span,
        /// `[*]` rather than `.*`.
        full: bool,
    },
    /// The element of the splat around it.
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
    /// A JSON string: a template where it is evaluated, and plain text where the place asks for a name or an address.
    JsonString(Box<JsonString>),
    /// A JSON object read as an expression.
    JsonObject(Vec<JsonProperty>),
    /// What the engines put in the place of something broken, whose error is reported already: a value not known.
    Invalid,
    /// What is beyond the limits of this program, which is reported already. Nothing more is to be said about it.
    Unread,
}

/// A string made of parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// How it is written.
    pub kind: TemplateKind,
    /// In order. No two literals stand side by side where the source has none between them; empty for `""`.
    pub parts: Box<[Part]>,
}

/// How a template is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateKind {
    /// Between quotes.
    Quoted,
    /// As a heredoc.
    Heredoc,
    /// Between two directives, or in a JSON string: no marks of its own.
    Bare,
}

/// A part of a template. Strip markers and the indentation of heredocs have been dealt with.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text, escapes replaced.
    Literal {
        /// The text.
        text: SmolStr,
        /// Where it was made from.
        span: Span,
    },
    /// `${ … }`.
    Interpolation(Box<Expr>),
    /// `%{ if … }`.
    If(Box<IfDirective>),
    /// `%{ for … }`.
    For(Box<ForDirective>),
}

/// `%{ if … }` up to its `%{ endif }`.
#[derive(Debug, Clone, PartialEq)]
pub struct IfDirective {
    /// From the first directive to the last.
    pub span: Span,
    /// What decides.
    pub condition: Expr,
    /// What stands there if so.
    pub then: Template,
    /// And if not.
    pub otherwise: Option<Template>,
}

/// `%{ for … }` up to its `%{ endfor }`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForDirective {
    /// From the first directive to the last.
    pub span: Span,
    /// Name of the key, if one is given.
    pub key: Option<SmolStr>,
    /// Name of the value.
    pub value: SmolStr,
    /// What is gone through.
    pub collection: Expr,
    /// What is repeated.
    pub body: Template,
}

/// One line of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectItem {
    /// Left of `=` or `:`.
    pub key: ObjectKey,
    /// Right of it.
    pub value: Expr,
}

/// The key of an object item.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectKey {
    /// A bare name, which stands for itself.
    Name(SmolStr, Span),
    /// Anything else: quoted, in parentheses, a number, or a traversal (which is an error of evaluation).
    Expr(Expr),
}

/// A name and steps from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Traversal {
    /// The first name.
    pub root: SmolStr,
    /// Where that name stands.
    pub root_span: Span,
    /// What follows.
    pub steps: Vec<Step>,
}

/// Something that is not a name, and steps from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Relative {
    /// Where the steps start from.
    pub from: Expr,
    /// At least one.
    pub steps: Vec<Step>,
}

/// One step of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// With its point or brackets.
    pub span: Span,
    /// What it does.
    pub kind: StepKind,
}

/// What a step of a traversal does.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// `.name`.
    Attribute(SmolStr),
    /// `["key"]`.
    Key(SmolStr),
    /// `[0]` or `.0`, digits as written.
    Number(SmolStr),
    /// `[true]`, `[false]` or, for none, `[null]`: a key that is written out like the others, and that hardly anything
    /// takes.
    Word(Option<bool>),
}

/// A function call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Name, with `::` between its parts.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// What is given.
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
    /// Name of the key, if one is given.
    pub key_name: Option<SmolStr>,
    /// Name of the value.
    pub value_name: SmolStr,
    /// What is gone through; the names above mean nothing in it.
    pub collection: Expr,
    /// Left of `=>`; none in a `[for`.
    pub key: Option<Expr>,
    /// What is made of each.
    pub value: Expr,
    /// Behind `if`.
    pub condition: Option<Expr>,
    /// Whether `...` groups values by key.
    pub grouped: bool,
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOperator {
    Not,
    Negate,
}

/// Operators of two operands.
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

/// A string of a JSON file.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonString {
    /// Its text, JSON escapes replaced.
    pub text: SmolStr,
    /// The text read as a template. Spans in it count as if the string had no escapes.
    pub template: Result<Template, Vec<crate::finding::Finding>>,
}

/// One property of a JSON object read as an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonProperty {
    /// The name with its quotes.
    pub name_span: Span,
    /// The name, itself a template.
    pub name: JsonString,
    /// What it is set to.
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
