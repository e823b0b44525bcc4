//! The range of numbers, which is the same in both syntaxes.

/// Whether the exponent of a decimal number is in the range of the engine. That of zero always is.
pub(super) fn is_in_range(number: &str) -> bool {
    let Some((mantissa, exponent)) = number.split_once(['e', 'E']) else { return true };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return true;
    }
    // A digit has between three and four bits, which matters only next to the ends of the range.
    let bits = digits.parse().map_or(digits.len() * 10 / 3, |number: u128| number.ilog2() as usize + 1);
    let bits_and_fraction = i64::try_from(bits).ok().zip(i64::try_from(fraction.len()).ok());
    let top = exponent.parse::<i64>().ok().zip(bits_and_fraction);
    let top = top.and_then(|(exponent, (bits, fraction))| exponent.checked_sub(fraction)?.checked_add(bits));
    top.is_some_and(|top| i32::try_from(top).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_exponents_are_out_of_range() {
        for good in
            ["1", "1e1000000000", "-5.25E-3", "0e99999999999999999999", "0.0e-9999999999", "1e2147483646"]
        {
            assert!(is_in_range(good), "{good}");
        }
        for bad in ["1e2147483647", "1e-99999999999", "-1E99999999999999999999", "0.1e2147483648"] {
            assert!(!is_in_range(bad), "{bad}");
        }
    }
}
