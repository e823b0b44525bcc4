//! Turns what is left of an expression with an error in it into the tree.

use smol_str::SmolStr;

use super::{Excerpt, Expr, ExprKind, Kind, Lowering};
use crate::syntax::native::grammar::remnant::{Piece, Remnant};
use crate::syntax::{Call, For, ObjectItem, ObjectKey, Part, Template, TemplateKind};
use crate::text::Span;

impl<E: Excerpt> Lowering<'_, E> {
    /// The expression that `piece` is.
    pub(in crate::syntax::native) fn piece(&mut self, piece: &Piece) -> Expr {
        let span = Span {
            file: self.file,
            start: piece.extent.start,
            end: piece.extent.end.max(piece.extent.start),
        };
        let Some(remnant) = &piece.remnant else { return self.expression(span.range()) };
        let kind = match remnant.as_ref() {
            Remnant::Unknown | Remnant::Unnamed => ExprKind::Invalid,
            Remnant::Unread => ExprKind::Unread,
            Remnant::Tuple(items) => ExprKind::Tuple(self.pieces(items)),
            Remnant::Object(items) => ExprKind::Object(
                items.as_chunks().0.iter().map(|[key, value]| self.item(key, value)).collect(),
            ),
            Remnant::Call { name, open, expands_last, arguments } => ExprKind::Call(Box::new(Call {
                name: SmolStr::new(self.slice(Span { start: name.start, end: name.end, ..span })),
                name_span: Span { start: name.start, end: name.end, ..span },
                arguments: self.pieces(arguments),
                expands_last: *expands_last,
                open: Span { start: open.start, end: open.end, ..span },
                close: Span { start: span.end, ..span },
            })),
            Remnant::Template(pieces) => ExprKind::Template(self.broken_template(span, pieces)),
            Remnant::For(collection) => ExprKind::For(Box::new(For {
                key_name: None,
                value_name: SmolStr::default(),
                collection: self.piece(collection),
                key: None,
                value: Expr { span, kind: ExprKind::Invalid },
                condition: None,
                grouped: false,
            })),
            Remnant::Parens(inner) => ExprKind::Parens(Box::new(self.piece(inner))),
            Remnant::Index { collection, key, brackets } => ExprKind::Index {
                collection: Box::new(self.piece(collection)),
                key: Box::new(self.piece(key)),
                brackets: Span { start: brackets.start, end: brackets.end, ..span },
            },
        };
        Expr { span, kind }
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Vec<Expr> {
        pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    fn item(&mut self, key: &Piece, value: &Piece) -> ObjectItem {
        let first = self.tokens[self.token_at(key.extent.start)];
        let key = if first.kind == Kind::Name && first.end == key.extent.end {
            let span = self.token_span(first);
            ObjectKey::Name(SmolStr::new(self.slice(span)), span)
        } else {
            ObjectKey::Expr(self.piece(key))
        };
        ObjectItem { key, value: self.piece(value) }
    }

    fn broken_template(&mut self, span: Span, pieces: &[Piece]) -> Template {
        let heredoc = self.tokens[self.token_at(span.start)].kind == Kind::OpenHeredoc;
        let kind = if heredoc { TemplateKind::Heredoc } else { TemplateKind::Quoted };
        let mut parts = Vec::new();
        let mut end = span.start;
        for piece in pieces {
            let number = self.token_at(piece.extent.start);
            if !matches!(self.tokens[number].kind, Kind::QuotedText | Kind::PlainText) {
                parts.push(Part::Interpolation(Box::new(self.piece(piece))));
            } else if piece.extent.start >= end {
                // Texts that follow each other are taken over at once.
                let texts = self.tokens[number..].iter();
                let texts =
                    texts.take_while(|token| matches!(token.kind, Kind::QuotedText | Kind::PlainText));
                end = texts.last().map_or(end, |token| token.end);
                self.texts(number, end, &mut parts);
            }
        }
        Template { kind, parts: parts.into() }
    }
}
