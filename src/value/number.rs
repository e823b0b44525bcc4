//! Turns digits into numbers, and back: floating point of 512 bits, as the engines calculate with.
//!
//! Decimals would be nicer to read, but a third times three is one here and must be one there.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigUint;

/// How many bits of a number are kept.
const PRECISION: u64 = 512;

/// What stands this many bits below a number's first cannot change it.
const FAR: i64 = 1_024;

/// A number is not written out when it would need more digits than this.
const LONGEST: i64 = 20_000;

/// A number of the language: finite, or one of the two infinities.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    size: Size,
}

/// What a number is without its sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Size {
    /// `mantissa * 2^exponent`; the mantissa is odd, or it is zero and so is the exponent.
    Finite { mantissa: BigUint, exponent: i64 },
    /// What a division by zero gives.
    Infinite,
}

impl Number {
    /// Reads a number as the engines read a string or a literal: decimal digits, perhaps a point, perhaps an exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'+' => (false, &text[1..]),
            b'-' => (true, &text[1..]),
            _ => (false, text),
        };
        if rest == "Inf" || rest == "inf" {
            return Some(Self::infinite(negative));
        }
        let exponent_at = rest.find(['e', 'E', 'p', 'P']).unwrap_or(rest.len());
        let (digits, exponent) = rest.split_at(exponent_at);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() || !decimal(whole) || !decimal(fraction) {
            return None;
        }
        let exponent_value = match exponent.get(1..) {
            None => 0,
            Some(digits) => signed(digits)?,
        };
        let mantissa = BigUint::parse_bytes(format!("{whole}{fraction}").as_bytes(), 10)?;
        if mantissa == BigUint::ZERO {
            return Some(Self::from(0));
        }
        let five = -i64::try_from(fraction.len()).ok()?;
        let (two, five) = match exponent.as_bytes().first() {
            Some(b'p' | b'P') => (five.checked_add(exponent_value)?, five),
            _ => (five.checked_add(exponent_value)?, five.checked_add(exponent_value)?),
        };
        let bits = i64::try_from(mantissa.bits()).ok()?;
        if i32::try_from(two.checked_add(bits)?).is_err() {
            return None;
        }
        let number = Self::finite(negative, mantissa, two);
        Some(if five < 0 {
            number.scaled_down(five.unsigned_abs())
        } else {
            number.scaled_up(five.unsigned_abs())
        })
    }

    /// The digits as the engines make a string of it: as few as say which number it is, and never an exponent.
    /// `None` where that would be longer than anybody reads.
    pub fn text(&self) -> Option<String> {
        let sign = if self.negative { "-" } else { "" };
        match &self.size {
            Size::Infinite => Some(format!("{}Inf", if self.negative { "-" } else { "+" })),
            Size::Finite { exponent, .. } if exponent.abs() > LONGEST => None,
            Size::Finite { mantissa, exponent: 0 } => Some(format!("{sign}{mantissa}")),
            Size::Finite { mantissa, exponent } => {
                let (digits, point) = shortest(mantissa, *exponent);
                Some(format!("{sign}{}", placed(&digits, point)))
            }
        }
    }

    /// The number as a place in a sequence, where it is a whole one that is not negative.
    pub fn index(&self) -> Option<usize> {
        match &self.size {
            Size::Finite { mantissa, exponent } if !self.negative && (0..64).contains(exponent) => {
                usize::try_from(mantissa << *exponent).ok()
            }
            Size::Finite { .. } | Size::Infinite => None,
        }
    }

    /// Whether there is nothing behind the point.
    pub fn is_whole(&self) -> bool {
        matches!(&self.size, Size::Finite { exponent, .. } if *exponent >= 0)
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(&self.size, Size::Finite { mantissa, .. } if *mantissa == BigUint::ZERO)
    }

    /// The same number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), size: self.size.clone() }
    }

    /// The sum; none of infinities that face each other.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let (Size::Finite { mantissa: a, exponent: ea }, Size::Finite { mantissa: b, exponent: eb }) =
            (&self.size, &other.size)
        else {
            return match (&self.size, &other.size) {
                (Size::Infinite, Size::Infinite) if self.negative != other.negative => None,
                (Size::Infinite, _) => Some(self.clone()),
                (Size::Finite { .. }, _) => Some(other.clone()),
            };
        };
        // What lies so far below the other's last bit cannot reach the result.
        if self.top() > other.top() + FAR || other.is_zero() {
            return Some(self.clone());
        }
        if other.top() > self.top() + FAR || self.is_zero() {
            return Some(other.clone());
        }
        let base = (*ea).min(*eb);
        let (a, b) = (a << (ea - base), b << (eb - base));
        Some(match (self.negative == other.negative, a.cmp(&b)) {
            (true, _) => Self::finite(self.negative, a + b, base),
            (false, Ordering::Less) => Self::finite(other.negative, b - a, base),
            (false, Ordering::Equal | Ordering::Greater) => Self::finite(self.negative, a - b, base),
        })
    }

    /// The product; none of zero and infinity.
    pub fn multiply(&self, other: &Self) -> Option<Self> {
        let negative = self.negative != other.negative;
        match (&self.size, &other.size) {
            (Size::Finite { mantissa: a, exponent: ea }, Size::Finite { mantissa: b, exponent: eb }) => {
                Some(Self::finite(negative, a * b, ea + eb))
            }
            (Size::Infinite, _) if other.is_zero() => None,
            (_, Size::Infinite) if self.is_zero() => None,
            (Size::Infinite, _) | (_, Size::Infinite) => Some(Self::infinite(negative)),
        }
    }

    /// The quotient; infinite for a division by zero, none of zero by zero or infinity by infinity.
    pub fn divide(&self, other: &Self) -> Option<Self> {
        let negative = self.negative != other.negative;
        match (&self.size, &other.size) {
            (Size::Infinite, Size::Infinite) => None,
            (Size::Infinite, Size::Finite { .. }) => Some(Self::infinite(negative)),
            (Size::Finite { .. }, Size::Infinite) => Some(Self::from(0)),
            (Size::Finite { .. }, Size::Finite { .. }) if other.is_zero() => {
                (!self.is_zero()).then(|| Self::infinite(negative))
            }
            (Size::Finite { mantissa: a, exponent: ea }, Size::Finite { mantissa: b, exponent: eb }) => {
                let shift = (PRECISION + 2 + b.bits()).saturating_sub(a.bits());
                let dividend = a << shift;
                let mut quotient = (&dividend / b) << 1_u8;
                if &dividend % b != BigUint::ZERO {
                    // Keeps what was cut off from looking like the middle between two numbers.
                    quotient.set_bit(0, true);
                }
                Some(Self::finite(negative, quotient, ea - eb - i64::try_from(shift).ok()? - 1))
            }
        }
    }

    /// What is left of a division with a whole result, rounded towards zero; none where infinities are in play.
    pub fn modulo(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return Some(self.clone());
        }
        let ratio = match (&self.size, &other.size) {
            (Size::Finite { .. }, Size::Finite { .. }) => self.divide(other)?.truncated(),
            (Size::Infinite, _) | (_, Size::Infinite) => return None,
        };
        self.add(&other.multiply(&ratio)?.negated())
    }

    /// Without what stands behind the point.
    fn truncated(&self) -> Self {
        match &self.size {
            Size::Finite { mantissa, exponent } if *exponent < 0 => {
                Self::finite(self.negative, mantissa >> exponent.unsigned_abs(), 0)
            }
            Size::Finite { .. } | Size::Infinite => self.clone(),
        }
    }

    fn infinite(negative: bool) -> Self {
        Self { negative, size: Size::Infinite }
    }

    /// Rounded to what is kept (to even where two are equally near), and brought into its one form.
    fn finite(negative: bool, mut mantissa: BigUint, mut exponent: i64) -> Self {
        let excess = mantissa.bits().saturating_sub(PRECISION);
        if excess > 0 {
            let half = mantissa.bit(excess - 1);
            let above_half = mantissa.trailing_zeros() < Some(excess - 1);
            mantissa >>= excess;
            exponent += i64::try_from(excess).unwrap_or(i64::MAX);
            if half && (above_half || mantissa.bit(0)) {
                mantissa += 1_u8;
            }
        }
        let Some(zeros) = mantissa.trailing_zeros() else {
            return Self::from(0);
        };
        mantissa >>= zeros;
        exponent += i64::try_from(zeros).unwrap_or(i64::MAX);
        let top = exponent.saturating_add(i64::try_from(mantissa.bits()).unwrap_or(i64::MAX));
        if top > i64::from(i32::MAX) {
            return Self::infinite(negative);
        }
        if top < i64::from(i32::MIN) {
            return Self::from(0);
        }
        Self { negative, size: Size::Finite { mantissa, exponent } }
    }

    /// Times five to the power of `power`.
    fn scaled_up(self, power: u64) -> Self {
        match self.size {
            Size::Finite { mantissa, exponent } => {
                let (five, shift) = power_of_five(power);
                Self::finite(self.negative, mantissa * five, exponent + shift)
            }
            Size::Infinite => self,
        }
    }

    /// Divided by five to the power of `power`.
    fn scaled_down(self, power: u64) -> Self {
        match self.size {
            Size::Finite { mantissa, exponent } => {
                let (five, shift) = power_of_five(power);
                let room = PRECISION + 66 + five.bits();
                let mut quotient = ((&mantissa << room) / &five) << 1_u8;
                if (&mantissa << room) % &five != BigUint::ZERO {
                    quotient.set_bit(0, true);
                }
                let room = i64::try_from(room).unwrap_or(i64::MAX);
                Self::finite(self.negative, quotient, exponent - shift - room - 1)
            }
            Size::Infinite => self,
        }
    }

    /// Where its first bit stands.
    fn top(&self) -> i64 {
        match &self.size {
            Size::Finite { mantissa, exponent } => {
                exponent + i64::try_from(mantissa.bits()).unwrap_or(i64::MAX)
            }
            Size::Infinite => i64::MAX / 2,
        }
    }

    /// Compares without the signs.
    fn compare_size(&self, other: &Self) -> Ordering {
        match (&self.size, &other.size) {
            (Size::Infinite, Size::Infinite) => Ordering::Equal,
            (Size::Infinite, Size::Finite { .. }) => Ordering::Greater,
            (Size::Finite { .. }, Size::Infinite) => Ordering::Less,
            (Size::Finite { mantissa: a, exponent: ea }, Size::Finite { mantissa: b, exponent: eb }) => {
                let by_zero = (!self.is_zero()).cmp(&!other.is_zero());
                by_zero.then_with(|| self.top().cmp(&other.top())).then_with(|| {
                    let base = (*ea).min(*eb);
                    (a << (ea - base)).cmp(&(b << (eb - base)))
                })
            }
        }
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        let mantissa = BigUint::from(value);
        let zeros = mantissa.trailing_zeros().unwrap_or(0);
        let exponent = i64::try_from(zeros).expect("a machine word has few bits");
        Self { negative: false, size: Size::Finite { mantissa: mantissa >> zeros, exponent } }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) => f.write_str(&text),
            None => f.write_str("a very long number"),
        }
    }
}

fn decimal(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits of an exponent, with or without a sign.
fn signed(digits: &str) -> Option<i64> {
    let bare = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if bare.is_empty() || !decimal(bare) {
        return None;
    }
    digits.strip_prefix('+').unwrap_or(digits).parse().ok()
}

/// Five to the power of `power`, as a mantissa of a few more bits than a number keeps and a power of two.
fn power_of_five(power: u64) -> (BigUint, i64) {
    let cut = |mut value: BigUint, mut exponent: i64| {
        let excess = value.bits().saturating_sub(PRECISION + 128);
        value >>= excess;
        exponent += i64::try_from(excess).unwrap_or(i64::MAX);
        (value, exponent)
    };
    let (mut result, mut result_exponent) = (BigUint::from(1_u8), 0);
    let (mut base, mut base_exponent) = (BigUint::from(5_u8), 0_i64);
    let mut rest = power;
    while rest > 0 {
        if rest & 1 == 1 {
            (result, result_exponent) = cut(&result * &base, result_exponent + base_exponent);
        }
        rest >>= 1;
        if rest > 0 {
            (base, base_exponent) = cut(&base * &base, base_exponent * 2);
        }
    }
    (result, result_exponent)
}

/// The fewest digits that tell `mantissa * 2^exponent` from its neighbours of [`PRECISION`] bits, and where the point
/// stands: behind that many digits.
fn shortest(mantissa: &BigUint, exponent: i64) -> (Vec<u8>, i64) {
    // One bit more than is kept: the last is half the distance to a neighbour.
    let missing = (PRECISION + 1).saturating_sub(mantissa.bits());
    let wide = mantissa << missing;
    let exponent = exponent - i64::try_from(missing).unwrap_or(i64::MAX);
    let inclusive = !wide.bit(1);
    let (digits, point) = decimals(&wide, exponent);
    let (lower, _) = decimals(&(&wide - 1_u8), exponent);
    let (upper, _) = decimals(&(&wide + 1_u8), exponent);
    for (i, &digit) in digits.iter().enumerate() {
        let l = lower.get(i).copied().unwrap_or(b'0');
        let u = upper.get(i).copied().unwrap_or(b'0');
        let down = l != digit || inclusive && i + 1 == lower.len();
        let up = digit != u && (inclusive || digit + 1 < u || i + 1 < upper.len());
        if down || up {
            let kept = &digits[..=i];
            let next = digits.get(i + 1).copied().unwrap_or(b'0');
            let tie = next == b'5' && digits.len() == i + 2;
            let nearer_up = if tie { digit % 2 == 1 } else { next >= b'5' };
            return if if down && up { nearer_up } else { up } {
                increased(kept, point)
            } else {
                (kept.to_vec(), point)
            };
        }
    }
    (digits, point)
}

/// All digits of `mantissa * 2^exponent` without zeros at the end, and where the point stands.
fn decimals(mantissa: &BigUint, exponent: i64) -> (Vec<u8>, i64) {
    let power = exponent.unsigned_abs();
    let (whole, behind) = if exponent >= 0 {
        (mantissa << power, 0)
    } else {
        // Dividing by two is multiplying by five and moving the point.
        let five = BigUint::from(5_u8).pow(u32::try_from(power).unwrap_or(u32::MAX));
        (mantissa * five, exponent)
    };
    let mut digits = whole.to_string().into_bytes();
    let point = i64::try_from(digits.len()).unwrap_or(i64::MAX) + behind;
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, point)
}

/// The next number of that many digits.
fn increased(digits: &[u8], point: i64) -> (Vec<u8>, i64) {
    let mut digits = digits.to_vec();
    while let Some(last) = digits.pop() {
        if last < b'9' {
            digits.push(last + 1);
            return (digits, point);
        }
    }
    (vec![b'1'], point + 1)
}

/// Digits with their point, and zeros where they are needed to say where it is.
fn placed(digits: &[u8], point: i64) -> String {
    let digits = String::from_utf8_lossy(digits);
    let Ok(whole) = usize::try_from(point) else {
        let zeros = usize::try_from(point.unsigned_abs()).unwrap_or(0);
        return format!("0.{}{digits}", "0".repeat(zeros));
    };
    if whole == 0 {
        format!("0.{digits}")
    } else if whole >= digits.len() {
        format!("{digits}{}", "0".repeat(whole - digits.len()))
    } else {
        format!("{}.{}", &digits[..whole], &digits[whole..])
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn what_is_a_number() {
        for (text, digits) in [
            ("1", "1"),
            ("1e5", "100000"),
            ("+1", "1"),
            ("-1.5", "-1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("Inf", "+Inf"),
            ("-inf", "-Inf"),
            ("0.1", "0.1"),
            ("1e-7", "0.0000001"),
            ("1p4", "16"),
            ("00012", "12"),
            ("123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"),
            ("-0.30", "-0.3"),
            ("9.99", "9.99"),
            ("0e99", "0"),
        ] {
            assert_eq!(number(text).text().as_deref(), Some(digits), "{text}");
        }
        for text in
            ["", " 1", "0x10", "1_0", "1e", "1e+", ".", "e5", "1 ", "--1", "infinity", "1e99999999999"]
        {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn it_calculates_with_512_bits() {
        let third = number("1").divide(&number("3")).unwrap();
        assert_eq!(third.multiply(&number("3")).unwrap(), number("1"));
        assert_eq!(third.text().unwrap().len(), 157);
        assert_eq!(number("0.1").add(&number("0.2")).unwrap().text().as_deref(), Some("0.3"));
        assert_eq!(number("7").modulo(&number("-2")).unwrap(), number("1"));
        assert_eq!(number("-7").modulo(&number("2")).unwrap(), number("-1"));
        assert_eq!(number("5.5").modulo(&number("2")).unwrap(), number("1.5"));
        assert_eq!(number("1").divide(&number("0")).unwrap(), number("Inf"));
        assert_eq!(number("0").divide(&number("0")), None);
        assert_eq!(number("Inf").add(&number("-Inf")), None);
        assert_eq!(number("3").add(&number("-3")).unwrap(), number("0"));
    }

    #[test]
    fn numbers_have_an_order() {
        for (less, more) in [
            ("-2", "-1"),
            ("-1", "0"),
            ("0", "0.5"),
            ("1", "1e400000"),
            ("1e400000", "Inf"),
            ("-Inf", "1e-9"),
        ] {
            assert!(number(less) < number(more), "{less} {more}");
        }
    }

    #[test]
    fn places_in_a_sequence() {
        assert_eq!(number("12").index(), Some(12));
        assert_eq!(number("0").index(), Some(0));
        for text in ["-1", "1.5", "1e30", "Inf"] {
            assert_eq!(number(text).index(), None, "{text}");
        }
    }
}
