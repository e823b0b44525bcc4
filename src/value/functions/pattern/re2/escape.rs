//! Escapes.

use super::Parser;

/// The general categories with the same names and the same ASCII members in both dialects.
const CATEGORIES: &[&str] = &[
    "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe",
    "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

impl Parser<'_> {
    /// Parses an escape outside a class.
    pub(super) fn escape(&mut self) -> Result<(), String> {
        let rest = self.rest;
        let assertion = match rest.as_bytes().get(1) {
            Some(b'A') => Some(r"\A"),
            Some(b'b') => Some(r"(?-u:\b)"),
            Some(b'B') => Some(r"(?-u:\B)"),
            Some(b'z') => Some(r"\z"),
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.rest = &rest[2..];
            self.atom(assertion, true);
            return Ok(());
        }
        if let Some(quoted) = rest.strip_prefix(r"\Q") {
            let (quoted, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
            self.rest = rest;
            quoted.chars().for_each(|sign| self.literal(sign));
            return Ok(());
        }
        if let Some(class) = self.named_class()? {
            let fold = if self.flags.fold { "(?i:" } else { "(?:" };
            self.atom(&format!("{fold}[{class}])"), false);
            return Ok(());
        }
        let sign = self.escaped()?;
        if let Some(sign) = char::from_u32(sign) {
            self.literal(sign);
        } else {
            self.is_exact = false;
            self.atom("x", false);
        }
        Ok(())
    }

    /// Parses `\d`, `\pL`, `\p{Greek}` and so on, for use inside brackets.
    pub(super) fn named_class(&mut self) -> Result<Option<String>, String> {
        let class = match self.rest.as_bytes() {
            [b'\\', b'd', ..] => "0-9",
            [b'\\', b'D', ..] => "[^0-9]",
            [b'\\', b's', ..] => r"\t\n\f\r\x20",
            [b'\\', b'S', ..] => r"[^\t\n\f\r\x20]",
            [b'\\', b'w', ..] => "0-9A-Za-z_",
            [b'\\', b'W', ..] => "[^0-9A-Za-z_]",
            [b'\\', b'p' | b'P', ..] => return self.unicode_class().map(Some),
            _ => return Ok(None),
        };
        self.rest = &self.rest[2..];
        Ok(Some(class.to_owned()))
    }

    fn unicode_class(&mut self) -> Result<String, String> {
        let start = self.rest;
        let wrong = || format!("invalid character class range in {start}");
        let mut is_negated = start.as_bytes()[1] == b'P';
        let rest = &start[2..];
        let (name, rest) = if let Some(braced) = rest.strip_prefix('{') {
            braced.split_once('}').ok_or_else(wrong)?
        } else {
            let letter = rest.chars().next().ok_or_else(wrong)?;
            rest.split_at(letter.len_utf8())
        };
        self.rest = rest;
        let positive = name.strip_prefix('^');
        is_negated ^= positive.is_some();
        let name = positive.unwrap_or(name);
        if !CATEGORIES.contains(&name) {
            // Go has no names that the `regex` crate does not have, except for surrogates.
            if name != "Cs" && regex::Regex::new(&format!("\\p{{{name}}}")).is_err() {
                let part = &start[..start.len() - rest.len()];
                return Err(format!("invalid character class range in {part}"));
            }
            // The valid names and spellings depend on the release.
            self.is_exact = false;
            return Ok("x".to_owned());
        }
        Ok(format!("\\{}{{{name}}}", if is_negated { 'P' } else { 'p' }))
    }

    /// Parses an escape for one character, and returns its number.
    pub(super) fn escaped(&mut self) -> Result<u32, String> {
        let start = self.rest;
        let mut signs = start[1..].chars();
        let Some(sign) = signs.next() else {
            return Err("trailing backslash at end of expression".to_owned());
        };
        let number = match sign {
            '0' => Some(octal(0, &mut signs)),
            '1'..='7' if signs.as_str().starts_with(|digit| matches!(digit, '0'..='7')) => {
                Some(octal(u32::from(sign) - u32::from('0'), &mut signs))
            }
            'x' => hexadecimal(&mut signs),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() => Some(u32::from(sign)),
            _ => None,
        };
        self.rest = signs.as_str();
        let part = &start[..start.len() - self.rest.len()];
        number.ok_or_else(|| format!("invalid escape sequence in {part}"))
    }
}

/// At most two more octal digits.
fn octal(first: u32, signs: &mut std::str::Chars<'_>) -> u32 {
    let mut number = first;
    for _ in 0..2 {
        let Some(digit) = signs.as_str().chars().next().and_then(|digit| digit.to_digit(8)) else { break };
        number = number * 8 + digit;
        signs.next();
    }
    number
}

/// Two digits, or any number of them in braces.
fn hexadecimal(signs: &mut std::str::Chars<'_>) -> Option<u32> {
    let first = signs.next()?;
    if first != '{' {
        return Some(first.to_digit(16)? * 16 + signs.next()?.to_digit(16)?);
    }
    let (mut number, mut has_digits) = (0, false);
    loop {
        match signs.next()? {
            '}' => return has_digits.then_some(number),
            digit => number = number * 16 + digit.to_digit(16)?,
        }
        if number > u32::from(char::MAX) {
            return None;
        }
        has_digits = true;
    }
}
