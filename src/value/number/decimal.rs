//! Converts numbers from and to decimal text.

use num_bigint::BigUint;

use super::{Number, PRECISION, Size};

/// Numbers with more digits than this have no text.
const LONGEST: i64 = 20_000;

/// The digits of a number that count in full: many times those of the precision.
const SIGNIFICANT: usize = 2_000;

impl Number {
    /// Parses a number as in a string or literal of the engine: decimal digits, and optionally a dot and an exponent.
    pub fn parse(text: &str) -> Option<Self> {
        // Most numbers are short and whole.
        if let Some(whole) = text.parse().ok().filter(|_| text.len() < 10 && decimal(text)) {
            return Some(<Self as From<usize>>::from(whole));
        }
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
        let (mantissa, left_out) = significant(&format!("{whole}{fraction}"))?;
        if mantissa == BigUint::ZERO {
            return Some(Self::zero(negative));
        }
        let five = i64::try_from(left_out).ok()? - i64::try_from(fraction.len()).ok()?;
        let (two, five) = match exponent.as_bytes().first() {
            Some(b'p' | b'P') => (five.checked_add(exponent_value)?, five),
            _ => (five.checked_add(exponent_value)?, five.checked_add(exponent_value)?),
        };
        let bits = i64::try_from(mantissa.bits()).ok()?;
        if i32::try_from(two.checked_add(bits)?).is_err() {
            return None;
        }
        let (power, shift) = power_of_five(five.unsigned_abs());
        Some(if five < 0 {
            let room = PRECISION + 66 + power.bits();
            let mut quotient = ((&mantissa << room) / &power) << 1_u8;
            if (&mantissa << room) % &power != BigUint::ZERO {
                quotient.set_bit(0, true);
            }
            Self::finite(negative, quotient, two - shift - i64::try_from(room).unwrap_or(i64::MAX) - 1)
        } else {
            Self::finite(negative, mantissa * power, two + shift)
        })
    }

    /// The number as the engine converts it to a string: with the fewest digits that identify it, and without an
    /// exponent. Returns `None` above the limit of digits.
    pub fn text(&self) -> Option<String> {
        let sign = if self.negative { "-" } else { "" };
        match &self.size {
            Size::Infinite => Some(format!("{}Inf", if self.negative { "-" } else { "+" })),
            Size::Finite { exponent, .. } if exponent.abs() > LONGEST => None,
            // For a whole number within the precision, all digits are significant.
            Size::Finite { mantissa, exponent }
                if *exponent >= 0 && self.top() <= PRECISION.cast_signed() =>
            {
                Some(format!("{sign}{}", mantissa << *exponent))
            }
            Size::Finite { mantissa, exponent } => {
                let (digits, point) = shortest(mantissa, *exponent);
                Some(format!("{sign}{}", placed(&digits, point)))
            }
        }
    }
}

/// The number of the first digits, and how many others there are. They only decide how the number is rounded, so one
/// digit stands for them.
fn significant(digits: &str) -> Option<(BigUint, usize)> {
    let digits = digits.trim_start_matches('0');
    let (first, rest) = digits.split_at_checked(SIGNIFICANT).unwrap_or((digits, ""));
    let is_more = rest.bytes().any(|digit| digit != b'0');
    let mantissa = if is_more { format!("{first}1") } else { format!("0{first}") };
    Some((BigUint::parse_bytes(mantissa.as_bytes(), 10)?, rest.len() - usize::from(is_more)))
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

/// Five to the power of `power`: a mantissa with slightly more bits than the precision, and a power of two.
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

/// The fewest digits that distinguish `mantissa * 2^exponent` from the adjacent numbers of [`PRECISION`] bits, and
/// the position of the dot after that many digits.
fn shortest(mantissa: &BigUint, exponent: i64) -> (Vec<u8>, i64) {
    // One bit more than the precision: the last one is half the distance to an adjacent number.
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

/// All digits of `mantissa * 2^exponent` without trailing zeros, and the position of the dot.
fn decimals(mantissa: &BigUint, exponent: i64) -> (Vec<u8>, i64) {
    let power = exponent.unsigned_abs();
    let (whole, behind) = if exponent >= 0 {
        (mantissa << power, 0)
    } else {
        // Dividing by two is multiplying by five and moving the dot.
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

/// The next larger number with that many digits.
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

/// Digits with their dot, and with the zeros that its position requires.
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
    use num_bigint::BigUint;

    use super::{Number, Size, placed, shortest};

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
    fn a_number_of_many_digits_is_rounded_by_all_of_them() {
        let (nines, zeros) = ("9".repeat(5_000), "0".repeat(5_000));
        for (one, other) in [
            (format!("1{zeros}"), "1e5000".to_owned()),
            (format!("0.{zeros}5"), "5e-5001".to_owned()),
            (format!("{nines}e-5000"), "1".to_owned()),
            (format!("7.{zeros}"), "7".to_owned()),
        ] {
            assert_eq!(number(&one), number(&other), "{other}");
        }
        // A number between two others is rounded to the even one, and with the smallest fraction to the next.
        let power = |more: u8| ((BigUint::from(1_u8) << 512_u32) + more).to_string();
        assert_eq!(number(&power(1)), number(&power(0)));
        assert_eq!(number(&format!("{}.{zeros}1", power(1))), number(&power(2)));
    }

    #[test]
    fn a_whole_number_has_the_digits_that_are_as_few_as_say_which_it_is() {
        let powers = (0..512).map(|power| format!("1p{power}"));
        let tens = (0..154).flat_map(|power| {
            [format!("1e{power}"), format!("37e{power}"), format!("-123456789e{}", power / 2)]
        });
        for text in powers.chain(tens) {
            let number = number(&text);
            let Size::Finite { mantissa, exponent } = &number.size else { panic!("{text} is finite") };
            let (digits, point) = shortest(mantissa, *exponent);
            let sign = if number.negative { "-" } else { "" };
            assert_eq!(number.text(), Some(format!("{sign}{}", placed(&digits, point))), "{text}");
        }
    }
}
