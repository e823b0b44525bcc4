//! Calls that have the same value for each element of a `for` expression, such as `jsondecode(file("a.json"))`.
//!
//! The engine computes them for each element again. With a large file, that takes more steps than an evaluation may.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::{Evaluator, Frame, Inside, Names};
use crate::syntax::{Call, Expr, ExprKind};
use crate::value::Value;

/// Calls that take fewer steps are computed again.
const WORTH_KEEPING: usize = 1_000;

/// The calls whose values one `for` expression keeps at most, so that a search among them is short.
const KEPT: usize = 8;

/// The values of calls that have no variable of a `for` expression, each with the address of the call.
#[derive(Default)]
pub(super) struct KeptCalls([OnceCell<Box<(usize, Value)>>; KEPT]);

/// The search for variables in a call counts as one step for so many steps of the call.
const OF_SEARCH: usize = 32;

impl KeptCalls {
    fn free(&self) -> Option<&OnceCell<Box<(usize, Value)>>> {
        self.0.iter().find(|kept| kept.get().is_none())
    }

    fn all(&self) -> impl Iterator<Item = &(usize, Value)> {
        self.0.iter().map_while(|kept| kept.get().map(|kept| &**kept))
    }
}

impl Evaluator<'_> {
    /// The value of a call. An enclosing `for` expression keeps it if it took many steps and has no variable of it.
    pub(super) fn call_once<'v>(&mut self, call: &Call, expr: &Expr, inside: Inside<'v>) -> Cow<'v, Value> {
        if let Some(kept) = inside.filter(|_| self.is_open.is_none()).and_then(|frame| frame.kept(expr)) {
            return Cow::Borrowed(kept);
        }
        let (findings, left, added) = (self.findings.len(), self.left, self.added);
        let value = self.call(call, expr.span, inside);
        let done = (left + self.added - added).saturating_sub(self.left);
        // In `try` and `can`, it also matters which values the arguments have.
        if done >= WORTH_KEEPING && self.findings.len() == findings && self.is_open.is_none() {
            self.keep_call(&value, done, expr, inside);
        }
        Cow::Owned(value)
    }

    fn keep_call(&mut self, value: &Value, done: usize, expr: &Expr, inside: Inside<'_>) {
        let Some(frame) = inside.filter(|_| self.may_go_on(done / OF_SEARCH, expr.span)) else { return };
        let free = frame.keeper(expr).and_then(KeptCalls::free);
        if let Some(free) = free
            && self.may_hold(value, expr.span)
        {
            free.get_or_init(|| Box::new((address(expr), value.clone())));
        }
    }
}

impl<'f> Frame<'f> {
    fn kept(&self, expr: &Expr) -> Option<&'f Value> {
        let own = match &self.names {
            Names::Variables { kept, .. } => {
                kept.all().find(|(at, _)| *at == address(expr)).map(|(_, value)| value)
            }
            Names::Element(_) => None,
        };
        own.or_else(|| self.outer?.kept(expr))
    }

    /// The outermost `for` expression that gives an expression the same value for each of its elements, together with
    /// all that are inside of it.
    fn keeper(&self, expr: &Expr) -> Option<&'f KeptCalls> {
        let mut variables = Vec::new();
        let mut has_element = false;
        expr.walk(&mut |part, inner| match &part.kind {
            ExprKind::Element => has_element = true,
            ExprKind::Traversal(traversal) if !inner.has(&traversal.root) => variables.push(&traversal.root),
            _ => {}
        });
        let is_in = |name: &str| variables.iter().any(|variable| *variable == name);
        let mut keeper = None;
        let mut frame = Some(self);
        while let Some(Frame { outer, names }) = frame {
            match names {
                Names::Variables { key, value, .. }
                    if is_in(value.0) || key.is_some_and(|(name, _)| is_in(name)) =>
                {
                    break;
                }
                Names::Variables { kept, .. } => keeper = Some(*kept),
                Names::Element(_) if has_element => break,
                Names::Element(_) => {}
            }
            frame = *outer;
        }
        keeper
    }
}

fn address(expr: &Expr) -> usize {
    std::ptr::from_ref(expr).addr()
}
