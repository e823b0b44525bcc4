//! Character classes: `[…]`.

use super::{Parser, write_character};

/// The names in `[[:alpha:]]`.
const NAMES: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Parser<'_> {
    /// Parses a class. In Go, brackets do not nest, and a hyphen is literal unless it is between two single
    /// characters.
    pub(super) fn class(&mut self) -> Result<String, String> {
        let start = self.rest;
        let mut class = if self.flags.fold { "(?i:[" } else { "(?:[" }.to_owned();
        self.rest = &start[1..];
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.rest = rest;
            class.push('^');
        }
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if let Some(name) = self.posix_class()? {
                class.push_str(name);
            } else if let Some(named) = self.named_class()? {
                class.push_str(&named);
            } else {
                self.range(start, &mut class)?;
            }
        }
        self.rest = &self.rest[1..];
        class.push_str("])");
        Ok(class)
    }

    /// Parses `[:alpha:]` or `[:^alpha:]`.
    fn posix_class(&mut self) -> Result<Option<&str>, String> {
        let start = self.rest;
        let Some(name) = start.strip_prefix("[:").and_then(|rest| Some(rest.split_once(":]")?.0)) else {
            return Ok(None);
        };
        let class = &start[..name.len() + 4];
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(format!("invalid character class range in {class}"));
        }
        self.rest = &start[class.len()..];
        Ok(Some(class))
    }

    /// Parses a character or a range such as `a-z`.
    fn range(&mut self, class: &str, out: &mut String) -> Result<(), String> {
        let start = self.rest;
        let low = self.class_character(class)?;
        let is_range = self.rest.len() > 1 && self.rest.starts_with('-') && !self.rest.starts_with("-]");
        let mut high = low;
        if is_range {
            self.rest = &self.rest[1..];
            high = self.class_character(class)?;
        }
        if high < low {
            let part = &start[..start.len() - self.rest.len()];
            return Err(format!("invalid character class range in {part}"));
        }
        match (char::from_u32(low), char::from_u32(high)) {
            (Some(low), Some(high)) => {
                write_character(out, low);
                if is_range {
                    out.push('-');
                    write_character(out, high);
                }
            }
            // Surrogates, which no text contains.
            _ => self.is_exact = false,
        }
        Ok(())
    }

    fn class_character(&mut self, class: &str) -> Result<u32, String> {
        match self.rest.chars().next() {
            None => Err(format!("missing closing ] in {class}")),
            Some('\\') => self.escaped(),
            Some(sign) => {
                self.rest = &self.rest[sign.len_utf8()..];
                Ok(u32::from(sign))
            }
        }
    }
}
