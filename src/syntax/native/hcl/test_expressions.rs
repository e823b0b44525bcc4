//! Generates random valid expressions.

use std::fmt::Write as _;

/// The expression for a seed.
pub(super) fn random(seed: u64) -> String {
    let mut writer = Writer { random: seed, text: String::new(), breaks: 0 };
    writer.expression(4);
    writer.text
}

struct Writer {
    random: u64,
    text: String,
    /// The number of open brackets in which line breaks are ignored.
    breaks: usize,
}

impl Writer {
    /// A number below `end`, by Sebastiano Vigna's `splitmix64`.
    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.random;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (number ^ (number >> 31)) % end
    }

    fn one_of(&mut self, texts: &[&str]) {
        let count = u64::try_from(texts.len()).expect("a few");
        let number = usize::try_from(self.below(count)).expect("a few");
        self.text.push_str(texts[number]);
    }

    fn blank(&mut self) {
        if self.breaks > 0 && self.below(12) == 0 {
            self.one_of(&["\n", " # x\n", " /* x */ ", "\n\n", "\r\n"]);
        } else {
            self.one_of(&["", " ", " ", "  "]);
        }
    }

    fn name(&mut self) {
        self.one_of(&["a", "b-c", "_d", "é", "for_each", "in", "if", "null_1"]);
    }

    fn expression(&mut self, depth: u64) {
        if depth > 0 && self.below(8) == 0 {
            self.operations(depth - 1);
            self.text.push(' ');
            self.blank();
            self.text.push('?');
            self.blank();
            self.expression(depth - 1);
            self.text.push(' ');
            self.blank();
            self.text.push(':');
            self.blank();
            self.expression(depth - 1);
        } else {
            self.operations(depth);
        }
    }

    fn operations(&mut self, depth: u64) {
        self.operand(depth);
        while depth > 0 && self.below(3) == 0 {
            self.text.push(' ');
            self.blank();
            self.one_of(&["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"]);
            self.text.push(' ');
            self.blank();
            self.operand(depth - 1);
        }
    }

    fn operand(&mut self, depth: u64) {
        while self.below(8) == 0 {
            self.one_of(&["!", "-", "- "]);
        }
        self.term(depth);
        while self.below(3) == 0 {
            self.step(depth);
        }
    }

    fn step(&mut self, depth: u64) {
        match self.below(8) {
            0..=2 => {
                self.text.push('.');
                self.name();
            }
            // After digits, these would be part of the number.
            3 if !self.text.ends_with(|c: char| c.is_ascii_digit()) => self.one_of(&[".0", ".12"]),
            3 | 4 => self.one_of(&["[*]", ".*"]),
            5 => self.one_of(&["[0]", "[ 1.5 ]", "[\"k\"]", "[\"\"]", "[true]", "[null]", "[-1]"]),
            _ => self.bracketed("[", depth, "]"),
        }
        // Two legacy indexes in a row form a number, and a legacy splat cannot follow another.
        if self.text.ends_with(|c: char| c.is_ascii_digit() || c == '*') {
            self.text.push_str("[0]");
        }
    }

    fn bracketed(&mut self, open: &str, depth: u64, close: &str) {
        self.text.push_str(open);
        self.breaks += 1;
        self.blank();
        self.expression(depth.saturating_sub(1));
        self.blank();
        self.breaks -= 1;
        self.text.push_str(close);
    }

    fn term(&mut self, depth: u64) {
        match self.below(if depth == 0 { 4 } else { 11 }) {
            0 => {
                self.one_of(&[
                    "0",
                    "1",
                    "1.5",
                    "2e3",
                    "2E-1",
                    "3.e5",
                    "18446744073709551616",
                    "0.1",
                    "1e999",
                ]);
            }
            1 => self.one_of(&["true", "false", "null"]),
            2 => self.one_of(&["\"\"", "\"b\"", "\"\\n\\u00e9 $${c} %%{d} $ %\"", "\"é\""]),
            3 => self.name(),
            4 => self.bracketed("(", depth, ")"),
            5 => self.list("[", "]", depth),
            6 => {
                self.one_of(&["f", "provider::x::f", "a :: b"]);
                self.list("(", ")", depth);
            }
            7 => self.object(depth),
            8 => self.for_expression(depth),
            _ => self.string(depth),
        }
    }

    fn list(&mut self, open: &str, close: &str, depth: u64) {
        self.text.push_str(open);
        self.breaks += 1;
        for _ in 0..self.below(3) {
            self.blank();
            self.expression(depth - 1);
            self.blank();
            self.text.push(',');
        }
        self.blank();
        if self.below(2) == 0 {
            self.expression(depth - 1);
            self.one_of(if open == "(" { &["", "", "..."] } else { &["", ","] });
        }
        self.blank();
        self.breaks -= 1;
        self.text.push_str(close);
    }

    fn object(&mut self, depth: u64) {
        self.text.push('{');
        let outside = std::mem::take(&mut self.breaks);
        for item in 0..self.below(4) {
            self.one_of(&["", " ", "\n", " # x\n"]);
            let key = ["a", "\"b\"", "(c)", "null", "1", "\"d-${e}\"", "e.f"];
            let second = usize::try_from(item + self.below(4)).expect("a small number");
            self.text.push_str(key[second]);
            self.one_of(&[" = ", "=", " : "]);
            self.expression(depth - 1);
            self.one_of(&["\n", ",", " # x\n", ",\n"]);
        }
        self.breaks = outside;
        self.text.push('}');
    }

    fn for_expression(&mut self, depth: u64) {
        let is_object = self.below(2) == 0;
        self.text.push_str(if is_object { "{" } else { "[" });
        self.breaks += 1;
        self.blank();
        self.text.push_str("for ");
        self.one_of(&["v in ", "k, v in ", "k , v in "]);
        self.operations(depth - 1);
        self.text.push_str(" : ");
        if is_object {
            self.expression(depth - 1);
            self.text.push_str(" => ");
        }
        self.expression(depth - 1);
        if is_object && self.below(3) == 0 {
            self.text.push_str("...");
        }
        if self.below(3) == 0 {
            self.text.push_str(" if ");
            self.expression(depth - 1);
        }
        self.blank();
        self.breaks -= 1;
        self.text.push_str(if is_object { "}" } else { "]" });
    }

    fn string(&mut self, depth: u64) {
        self.text.push('"');
        self.parts(depth);
        self.text.push('"');
    }

    fn parts(&mut self, depth: u64) {
        for _ in 0..self.below(4) {
            match self.below(5) {
                0 | 1 => self.one_of(&["x", " y ", "$${", "\\\"", "é", "$$ ", "% "]),
                2 => self.bracketed("${", depth, "}"),
                3 => self.bracketed(" ${~ ", depth, " ~} "),
                _ => {
                    self.bracketed("%{ if ", depth, " ~}");
                    self.parts(depth.saturating_sub(1));
                    if self.below(2) == 0 {
                        self.text.push_str("%{ else }");
                        self.text.push('z');
                    }
                    self.text.push_str("%{~ endif }%{ for i in a }");
                    let _ = write!(self.text, "{depth}");
                    self.text.push_str("%{ endfor }");
                }
            }
        }
    }
}
