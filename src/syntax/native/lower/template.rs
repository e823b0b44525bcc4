//! Turns templates into parts. Their structure is what hcl-edit read; their text is made of the scanner's tokens,
//! because what `~` strips and `<<-` takes away depends on how the engines cut it.

use std::borrow::Cow;

use hcl_edit::Span as _;
use hcl_edit::template as edit;
use smol_str::SmolStr;
use unicode_segmentation::UnicodeSegmentation;

use super::{Excerpt, Expr, ExprKind, Kind, Lowering, Part, Template, TemplateKind};
use crate::syntax::native::escape;
use crate::syntax::native::scan::Token;
use crate::syntax::{ForDirective, IfDirective};
use crate::text::Span;

impl<E: Excerpt> Lowering<'_, E> {
    /// A string without any sequence in it. Where a heredoc stands in the source, it is an empty one.
    pub(super) fn string(&self, span: Span) -> Expr {
        let open = self.token_at(span.start);
        if self.tokens[open].kind != Kind::OpenHeredoc {
            return Expr { span, kind: ExprKind::Template(self.plain_string(span)) };
        }
        let close = self.tokens.get(open + 1).map_or(span.end, |close| close.end);
        let template = Template { kind: TemplateKind::Heredoc, parts: Box::default() };
        Expr { span: Span { end: close, ..span }, kind: ExprKind::Template(template) }
    }

    /// A quoted string without any sequence in it.
    pub(super) fn plain_string(&self, span: Span) -> Template {
        let first = self.token_at(span.start) + 1;
        let mut parts = Vec::new();
        self.texts(first, span.end, &mut parts);
        Template { kind: TemplateKind::Quoted, parts: parts.into() }
    }

    pub(super) fn quoted_template(&mut self, template: &edit::StringTemplate) -> Template {
        Template { kind: TemplateKind::Quoted, parts: self.parts(template.iter()) }
    }

    pub(super) fn heredoc(&mut self, span: Span, heredoc: &edit::HeredocTemplate) -> Expr {
        let open = self.token_at(span.start);
        if self.slice(self.token_span(self.tokens[open])).starts_with("<<-") {
            self.dedent(open);
        }
        let parts = self.parts(heredoc.template.iter());
        // The closing marker stands on a line of its own, and that whole line belongs to it.
        let close = self.tokens[self.token_at(span.end.saturating_sub(1))];
        let end = if close.kind == Kind::CloseHeredoc { close.end } else { span.end };
        let template = Template { kind: TemplateKind::Heredoc, parts };
        Expr { span: Span { end, ..span }, kind: ExprKind::Template(template) }
    }

    fn parts<'e>(&mut self, elements: impl Iterator<Item = &'e edit::Element>) -> Box<[Part]> {
        let mut parts = Vec::new();
        for element in elements {
            let span = self.span(element.span());
            match element {
                edit::Element::Literal(_) => self.texts(self.token_at(span.start), span.end, &mut parts),
                edit::Element::Interpolation(interpolation) => {
                    parts.push(Part::Interpolation(Box::new(self.expr(&interpolation.expr))));
                }
                edit::Element::Directive(directive) => parts.push(self.directive(span, directive)),
            }
        }
        parts.into()
    }

    fn directive(&mut self, span: Span, directive: &edit::Directive) -> Part {
        match directive {
            edit::Directive::If(directive) => Part::If(Box::new(IfDirective {
                span,
                condition: self.expr(&directive.if_expr.cond_expr),
                then: self.bare(&directive.if_expr.template),
                otherwise: directive.else_expr.as_ref().map(|branch| self.bare(&branch.template)),
            })),
            edit::Directive::For(directive) => Part::For(Box::new(ForDirective {
                span,
                key: directive.for_expr.key_var.as_ref().map(|name| SmolStr::new(name.as_str())),
                value: SmolStr::new(directive.for_expr.value_var.as_str()),
                collection: self.expr(&directive.for_expr.collection_expr),
                body: self.bare(&directive.for_expr.template),
            })),
        }
    }

    pub(in crate::syntax::native) fn bare(&mut self, template: &edit::Template) -> Template {
        Template { kind: TemplateKind::Bare, parts: self.parts(template.iter()) }
    }

    /// Adds the text of the tokens from number `first` up to the offset `end`, melted with text that stands before it.
    pub(super) fn texts(&self, first: usize, end: u32, parts: &mut Vec<Part>) {
        let mut text = Cow::Borrowed("");
        let mut span: Option<Span> = None;
        for (number, token) in self.tokens.iter().enumerate().skip(first) {
            if token.start >= end || !matches!(token.kind, Kind::QuotedText | Kind::PlainText) {
                break;
            }
            let mut own = self.token_span(*token);
            match self.dedented.get(&number) {
                Some((line, start)) => {
                    text += line.as_str();
                    own.start = *start;
                }
                None => text += self.stripped(number),
            }
            span = Some(span.map_or(own, |before| before.to(own)));
        }
        let Some(span) = span else { return };
        if let Some(Part::Literal { text: before, span: before_span }) = parts.last_mut() {
            *before = SmolStr::new(format!("{before}{text}"));
            *before_span = before_span.to(span);
            return;
        }
        parts.push(Part::Literal { text: SmolStr::new(text), span });
    }

    /// What the token means once the markers `~` on both sides have taken their share.
    fn stripped(&self, number: usize) -> Cow<'_, str> {
        let token = self.tokens[number];
        let written = self.slice(self.token_span(token));
        let meant = match token.kind {
            Kind::QuotedText => escape::quoted(written, |_| ()),
            _ => escape::plain(written),
        };
        let marker = |token: &Token, kinds: &[Kind]| {
            kinds.contains(&token.kind) && self.slice(self.token_span(*token)).contains('~')
        };
        let before = number.checked_sub(1).and_then(|before| self.tokens.get(before));
        let left = before.is_some_and(|token| marker(token, &[Kind::CloseSequence]));
        let right = self
            .tokens
            .get(number + 1)
            .is_some_and(|token| marker(token, &[Kind::OpenInterpolation, Kind::OpenDirective]));
        match (left, right) {
            (false, false) => meant,
            (true, false) => meant.trim_start().to_owned().into(),
            (false, true) => meant.trim_end().to_owned().into(),
            (true, true) => meant.trim().to_owned().into(),
        }
    }

    /// Works out what the lines of the `<<-` heredoc that opens with token `open` mean: of every line that starts with
    /// text, as many blanks are taken as the least indented line has.
    pub(super) fn dedent(&mut self, open: usize) {
        let mut at_line_start = true;
        let mut least = usize::MAX;
        let mut lines = Vec::new();
        let mut number = open + 1;
        while let Some(token) = self.tokens.get(number) {
            let literal = match token.kind {
                Kind::PlainText => Some(self.stripped(number).into_owned()),
                Kind::CloseHeredoc | Kind::End => break,
                _ => None,
            };
            if at_line_start {
                at_line_start = false;
                match &literal {
                    // A line of blanks alone does not count.
                    Some(text) if text.trim_start().is_empty() && text.ends_with('\n') => {}
                    Some(text) => {
                        let blanks = &text[..text.len() - text.trim_start().len()];
                        least = least.min(blanks.graphemes(true).count());
                        lines.push(number);
                    }
                    None => least = 0,
                }
            }
            match literal {
                Some(text) => {
                    at_line_start |= text.ends_with('\n');
                    self.dedented.insert(number, (text, token.start));
                    number += 1;
                }
                None => number = self.behind_sequence(number),
            }
        }
        for number in lines {
            if let Some((text, start)) = self.dedented.get_mut(&number) {
                let taken: usize = text.graphemes(true).take(least).map(str::len).sum();
                text.drain(..taken);
                *start += u32::try_from(taken).unwrap_or(0);
            }
        }
    }

    /// Number of the token behind the `}` of the sequence that opens with token `open`.
    fn behind_sequence(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::OpenInterpolation | Kind::OpenDirective => depth += 1,
                Kind::CloseSequence => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return number + 1;
            }
        }
        self.tokens.len()
    }
}
