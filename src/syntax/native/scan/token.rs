//! What the scanner cuts a text into.

/// A token: what it is and which bytes it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax::native) struct Token {
    pub(in crate::syntax::native) kind: Kind,
    pub(in crate::syntax::native) start: u32,
    pub(in crate::syntax::native) end: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::syntax::native) enum Kind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    OpenQuote,
    CloseQuote,
    /// `<<EOT` and the line break behind it.
    OpenHeredoc,
    /// The line of the closing marker, without its line break.
    CloseHeredoc,
    Star,
    Slash,
    Plus,
    Minus,
    Percent,
    Equal,
    EqualEqual,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Bang,
    Dot,
    Comma,
    DoubleColon,
    Ellipsis,
    FatArrow,
    Question,
    Colon,
    /// `${` or `${~`.
    OpenInterpolation,
    /// `%{` or `%{~`.
    OpenDirective,
    /// `}` or `~}` at the end of either.
    CloseSequence,
    /// Text in a quoted string, escapes as written.
    QuotedText,
    /// Text in a heredoc or a bare template: at most one line.
    PlainText,
    Number,
    Name,
    /// With the line break that ends it, unless it is `/* */`.
    Comment,
    Newline,
    End,
    /// `&`, `|`, `^` or `~`: operators of other languages.
    Bitwise,
    Apostrophe,
    Backtick,
    Semicolon,
    Unknown,
    NotUtf8,
    /// Line breaks inside a quoted string.
    QuotedNewline,
}
