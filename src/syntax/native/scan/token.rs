//! Tokens of the native syntax.

/// A token: its kind and its range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax::native) struct Token {
    pub(in crate::syntax::native) kind: Kind,
    pub(in crate::syntax::native) start: u32,
    pub(in crate::syntax::native) end: u32,
}

/// The kind of a token.
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
    /// `<<EOT` with its line break.
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
    /// The `}` or `~}` of either.
    CloseSequence,
    /// Text in a quoted string, with escapes as written.
    QuotedText,
    /// Text in a heredoc or a bare template, at most one line.
    PlainText,
    Number,
    Name,
    /// A comment, with its final line break unless it is `/* */`.
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
    /// Line breaks in a quoted string.
    QuotedNewline,
}
