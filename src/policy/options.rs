//! The options of a rule in a `rule` block.

use std::sync::Arc;

use smol_str::SmolStr;

use super::argument::{globs, invalid_pattern, missing, text, texts, written, wrong_type};
use super::common::COMMON;
use super::fault::{fault, known_word, unknown};
use super::{Globs, Patterns};
use crate::finding::Finding;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::text::Span;

/// The options of one rule: its arguments without those that every rule has.
#[derive(Debug, Clone, Copy)]
pub struct Options<'p> {
    given: &'p [Arc<Attribute>],
    /// The location of a missing option.
    header: Option<Span>,
    /// The options that the rule has, after a check.
    known: Option<&'static [&'static str]>,
}

impl<'p> Options<'p> {
    /// Creates options from arguments.
    pub fn new(given: &'p [Arc<Attribute>]) -> Self {
        Self { given, header: None, known: None }
    }

    /// The options of a block.
    pub(super) fn of_block(given: &'p [Arc<Attribute>], header: Span) -> Self {
        Self { header: Some(header), ..Self::new(given) }
    }

    /// Checks that only options in `known` are set. Each other one is a finding.
    pub fn known(self, known: &'static [&'static str]) -> Result<Self, Vec<Finding>> {
        let others = self.given.iter().filter(|attribute| !known.contains(&attribute.name.as_str()));
        let all = known.iter().chain(COMMON).copied();
        let unknown: Vec<Finding> =
            others.map(|other| unknown("option", &other.name, all.clone(), other.name_span)).collect();
        if unknown.is_empty() { Ok(Self { known: Some(known), ..self }) } else { Err(unknown) }
    }

    /// Patterns of paths. None match if the option is not set.
    pub fn globs(&self, name: &'static str) -> Result<Globs, Finding> {
        let Some(patterns) = self.texts(name)? else { return Ok(Globs::default()) };
        globs(&patterns, Globs::new)
    }

    /// Patterns of source addresses. None match if the option is not set.
    pub fn sources(&self, name: &'static str) -> Result<Globs, Finding> {
        let Some(patterns) = self.texts(name)? else { return Ok(Globs::default()) };
        globs(&patterns, Globs::of_sources)
    }

    /// Patterns of whole values. A number or boolean in the list stands for its text.
    pub fn patterns(&self, name: &'static str) -> Result<Option<Patterns>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(None) };
        let written = self.written(name)?;
        Patterns::new(written.iter().map(SmolStr::as_str)).map(Some).map_err(|invalid| {
            let element = expr.as_list().unwrap_or_default().get(invalid.index);
            invalid_pattern(invalid.why, element.map_or(expr.span, |element| element.span))
        })
    }

    /// The patterns as they are written. `None` if the option is not set.
    pub fn written(&self, name: &'static str) -> Result<Vec<SmolStr>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(Vec::new()) };
        let wrong = |expr| wrong_type(name, "a list of strings, numbers, `true` or `false`", expr);
        let elements = expr.as_list().ok_or_else(|| wrong(expr))?;
        elements.iter().map(|element| written(element).ok_or_else(|| wrong(element))).collect()
    }

    /// A list of texts with their locations. `None` if the option is not set.
    pub fn texts(&self, name: &'static str) -> Result<Option<Vec<(SmolStr, Span)>>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(None) };
        texts(name, expr).map(Some)
    }

    /// The expression of an option. `None` if it is not set.
    pub fn expression(&self, name: &'static str) -> Option<&'p Expr> {
        debug_assert!(
            self.known.is_none_or(|known| known.contains(&name)),
            "`{name}` is not one of the options"
        );
        self.given.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.expr)
    }

    /// The value of a required option.
    pub fn required<T>(&self, name: &'static str, given: Option<T>) -> Result<T, Finding> {
        given.ok_or_else(|| missing(name, self.header.expect("only custom rules have required options")))
    }

    /// The value of one of two options, one of which is required.
    pub fn either<T>(&self, names: [&'static str; 2], given: Option<T>) -> Result<T, Finding> {
        let [one, other] = names;
        self.required(one, given).map_err(|finding| {
            finding
                .detail(format!("`{one}` or `{other}` is required, but neither is set."))
                .help(format!("set `{one}` or `{other}`"))
        })
    }

    /// The finding for an empty list. `why` is the effect, and `order` the help.
    pub fn refuse_empty(&self, name: &'static str, why: &str, order: &str) -> Result<(), Finding> {
        let is_empty = self.expression(name).and_then(Expr::as_list).is_some_and(<[_]>::is_empty);
        if is_empty { Err(self.refuse(name, why).help(order)) } else { Ok(()) }
    }

    /// A list of words, each one of a few. `None` if the option is not set.
    pub fn words(
        &self,
        name: &'static str,
        words: &[&'static str],
    ) -> Result<Option<Vec<&'static str>>, Finding> {
        let Some(given) = self.texts(name)? else { return Ok(None) };
        let known = |(word, span): (SmolStr, Span)| known_word(name, &word, words, span);
        given.into_iter().map(known).collect::<Result<_, _>>().map(Some)
    }

    /// A list of texts. `None` if the option is not set.
    pub fn strings(&self, name: &'static str) -> Result<Option<Vec<SmolStr>>, Finding> {
        Ok(self.texts(name)?.map(|texts| texts.into_iter().map(|(text, _)| text).collect()))
    }

    /// A text. `None` if the option is not set.
    pub fn string(&self, name: &'static str) -> Result<Option<SmolStr>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(None) };
        text(expr).map(Some).ok_or_else(|| wrong_type(name, "a quoted string", expr))
    }

    /// A whole number from 0. `None` if the option is not set.
    pub fn number(&self, name: &'static str) -> Result<Option<usize>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(None) };
        let number = match &expr.kind {
            ExprKind::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| wrong_type(name, "a whole number", expr))
    }

    /// A boolean. `None` if the option is not set.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, Finding> {
        let Some(expr) = self.expression(name) else { return Ok(None) };
        match expr.kind {
            ExprKind::Bool(value) => Ok(Some(value)),
            _ => Err(wrong_type(name, "`true` or `false`", expr)),
        }
    }

    /// One of a few words. `None` if the option is not set.
    pub fn one_of(
        &self,
        name: &'static str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, Finding> {
        let Some(word) = self.string(name)? else { return Ok(None) };
        known_word(name, &word, words, self.span(name)).map(Some)
    }

    /// The finding for an invalid value of an option, such as a number that is too large.
    pub fn refuse(&self, name: &'static str, why: impl Into<String>) -> Finding {
        fault(format!("Invalid `{name}`"), self.span(name)).detail(why)
    }

    /// The finding for an invalid part of an option.
    pub fn mistake(&self, summary: impl Into<String>, at: Span) -> Finding {
        fault(summary, at)
    }

    /// The finding for an invalid word in an option.
    pub fn unknown(&self, what: &str, word: &str, known: &[&str], at: Span) -> Finding {
        unknown(what, word, known.iter().copied(), at)
    }

    fn span(&self, name: &'static str) -> Span {
        self.expression(name).expect("only what was set is refused").span
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::limits::Limits;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    fn given(text: &str) -> Vec<Arc<Attribute>> {
        let source = Source::new("overrule.hcl", text.into());
        let (file, findings) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
        assert_eq!(findings, []);
        file.body.just_attributes(&mut Vec::new())
    }

    fn reported(finding: &Finding) -> String {
        let at = finding.primary.expect("a place").start;
        let help = finding.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{at}: {}: {}{help}", finding.summary, finding.detail)
    }

    #[test]
    fn options_have_types() {
        let given = given(indoc! {r#"
            g = ["a/*"]
            l = ["x", "y"]
            s = "x"
            n = 4
            f = true
        "#});
        let options = Options::new(&given);
        assert!(options.globs("g").expect("globs").has("a/b"));
        assert_eq!(options.strings("l"), Ok(Some(vec!["x".into(), "y".into()])));
        assert_eq!(options.string("s"), Ok(Some("x".into())));
        assert_eq!(options.one_of("s", &["x", "y"]), Ok(Some("x")));
        assert_eq!(options.number("n"), Ok(Some(4)));
        assert_eq!(options.flag("f"), Ok(Some(true)));
        assert_eq!(options.flag("other"), Ok(None), "what is not set has a default");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_reported_at_its_position() {
        let given = given(indoc! {r#"
            a = "x"
            b = [1]
            c = ["ok", "b[c"]
            d = -1
        "#});
        let options = Options::new(&given);
        let wrong = |result: Result<(), Finding>| reported(&result.expect_err("a mistake"));
        assert_eq!(
            wrong(options.globs("a").map(|_| ())),
            "4: Unsuitable value: `a` must be a list of quoted strings. (write `a = [\"x\"]`)"
        );
        assert_eq!(
            wrong(options.strings("b").map(|_| ())),
            "13: Unsuitable value: `b` must be a list of quoted strings."
        );
        assert!(
            wrong(options.globs("c").map(|_| ())).starts_with("27: Invalid pattern: `b[c` cannot be used: ")
        );
        assert_eq!(
            wrong(options.number("d").map(|_| ())),
            "38: Unsuitable value: `d` must be a whole number."
        );
        assert_eq!(
            wrong(options.flag("a").map(|_| ())),
            "4: Unsuitable value: `a` must be `true` or `false`."
        );
        assert_eq!(
            wrong(options.one_of("a", &["xy"]).map(|_| ())),
            "4: Invalid value for `a`: `x` is not allowed here. (did you mean `xy`?)"
        );
    }

    #[test]
    fn every_unknown_option_is_reported_with_the_nearest_one() {
        let given = given("alow = []\nallow = []\nrole = []\n");
        let unknown = Options::new(&given).known(&["allow"]).expect_err("mistakes");
        assert_eq!(
            unknown.iter().map(reported).collect::<Vec<_>>(),
            [
                "0: Unknown option: No option is named `alow`. (did you mean `allow`?)",
                "21: Unknown option: No option is named `role`. (did you mean `roles`?)",
            ]
        );
    }
}
