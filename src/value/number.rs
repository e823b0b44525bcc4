//! Numbers as in the engine: binary floating point with 512 bits.
//!
//! Decimal arithmetic would differ: in the engine, a third times three is one.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use num_bigint::BigUint;

mod decimal;

/// The precision in bits.
const PRECISION: u64 = 512;

/// A summand this many bits below the first bit of another one cannot change the result.
const FAR: i64 = 1_024;

/// A number: finite, or one of the two infinities. Zero has a sign, which only its text shows.
#[derive(Debug, Clone)]
pub struct Number {
    negative: bool,
    size: Size,
}

/// A number without its sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Size {
    /// `mantissa * 2^exponent`. The mantissa is odd, or both are zero.
    Finite { mantissa: BigUint, exponent: i64 },
    /// The result of a division by zero.
    Infinite,
}

impl Number {
    /// The number as an index, if it is whole and not negative.
    pub fn index(&self) -> Option<usize> {
        match &self.size {
            Size::Finite { mantissa, exponent } if !self.is_negative() && (0..64).contains(exponent) => {
                usize::try_from(mantissa << *exponent).ok()
            }
            Size::Finite { .. } | Size::Infinite => None,
        }
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        matches!(&self.size, Size::Finite { exponent, .. } if *exponent >= 0)
    }

    /// Whether it is infinite, as after a division by zero.
    pub fn is_infinite(&self) -> bool {
        self.size == Size::Infinite
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    /// The absolute value.
    #[must_use]
    pub fn absolute(&self) -> Self {
        Self { negative: false, size: self.size.clone() }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(&self.size, Size::Finite { mantissa, .. } if *mantissa == BigUint::ZERO)
    }

    /// The negated number.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative, size: self.size.clone() }
    }

    /// The sum. Returns `None` for opposite infinities.
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
        if self.is_zero() && other.is_zero() {
            return Some(Self { negative: self.negative && other.negative, ..self.clone() });
        }
        // The other number is too small to change the result.
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
            (false, Ordering::Equal) => Self::from(0),
            (false, Ordering::Greater) => Self::finite(self.negative, a - b, base),
        })
    }

    /// The product. Returns `None` for zero times infinity.
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

    /// The quotient. Infinite for a division by zero; `None` for zero by zero or infinity by infinity.
    pub fn divide(&self, other: &Self) -> Option<Self> {
        let negative = self.negative != other.negative;
        match (&self.size, &other.size) {
            (Size::Infinite, Size::Infinite) => None,
            (Size::Infinite, Size::Finite { .. }) => Some(Self::infinite(negative)),
            (Size::Finite { .. }, Size::Infinite) => Some(Self::zero(negative)),
            (Size::Finite { .. }, Size::Finite { .. }) if other.is_zero() => {
                (!self.is_zero()).then(|| Self::infinite(negative))
            }
            (Size::Finite { mantissa: a, exponent: ea }, Size::Finite { mantissa: b, exponent: eb }) => {
                let shift = (PRECISION + 2 + b.bits()).saturating_sub(a.bits());
                let dividend = a << shift;
                let mut quotient = (&dividend / b) << 1_u8;
                if &dividend % b != BigUint::ZERO {
                    // Prevents that the truncated quotient looks like the exact middle between two numbers.
                    quotient.set_bit(0, true);
                }
                Some(Self::finite(negative, quotient, ea - eb - i64::try_from(shift).ok()? - 1))
            }
        }
    }

    /// The remainder of a division, rounded towards zero. Returns `None` for infinities.
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

    /// The largest whole number that is not greater.
    #[must_use]
    pub fn floor(&self) -> Self {
        let truncated = self.truncated();
        if truncated > *self {
            truncated.add(&Self::from(1).negated()).unwrap_or(truncated)
        } else {
            truncated
        }
    }

    /// The smallest whole number that is not less.
    #[must_use]
    pub fn ceiling(&self) -> Self {
        let truncated = self.truncated();
        if truncated < *self { truncated.add(&Self::from(1)).unwrap_or(truncated) } else { truncated }
    }

    /// The number rounded towards zero. A zero has no sign then.
    fn truncated(&self) -> Self {
        match &self.size {
            Size::Finite { .. } if self.top() <= 0 => Self::from(0),
            Size::Finite { mantissa, exponent } if *exponent < 0 => {
                Self::finite(self.negative, mantissa >> exponent.unsigned_abs(), 0)
            }
            Size::Finite { .. } | Size::Infinite => self.clone(),
        }
    }

    fn zero(negative: bool) -> Self {
        Self { negative, ..Self::from(0) }
    }

    fn infinite(negative: bool) -> Self {
        Self { negative, size: Size::Infinite }
    }

    /// A number rounded to the precision (half to even), in normal form.
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
            return Self::zero(negative);
        };
        mantissa >>= zeros;
        exponent += i64::try_from(zeros).unwrap_or(i64::MAX);
        let top = exponent.saturating_add(i64::try_from(mantissa.bits()).unwrap_or(i64::MAX));
        if top > i64::from(i32::MAX) {
            return Self::infinite(negative);
        }
        if top < i64::from(i32::MIN) {
            return Self::zero(negative);
        }
        Self { negative, size: Size::Finite { mantissa, exponent } }
    }

    /// The position of the highest bit.
    fn top(&self) -> i64 {
        match &self.size {
            Size::Finite { mantissa, exponent } => {
                exponent + i64::try_from(mantissa.bits()).unwrap_or(i64::MAX)
            }
            Size::Infinite => i64::MAX / 2,
        }
    }

    /// Compares absolute values.
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
        let zeros = if value == 0 { 0 } else { value.trailing_zeros() };
        let mantissa = BigUint::from(value >> zeros);
        Self { negative: false, size: Size::Finite { mantissa, exponent: zeros.into() } }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.is_negative() == other.is_negative() && self.size == other.size
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.is_negative(), &self.size).hash(state);
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
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

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
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
    fn whole_numbers_beside_a_number() {
        for (text, floor, ceiling) in [
            ("1.5", "1", "2"),
            ("-1.5", "-2", "-1"),
            ("0.1", "0", "1"),
            ("-0.1", "-1", "0"),
            ("3", "3", "3"),
            ("1e30", "1e30", "1e30"),
            ("-Inf", "-Inf", "-Inf"),
        ] {
            assert_eq!(number(text).floor(), number(floor), "{text}");
            assert_eq!(number(text).ceiling(), number(ceiling), "{text}");
        }
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
