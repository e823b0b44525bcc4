//! Instance keys, and addresses of module and resource instances.

use std::fmt;

use smol_str::SmolStr;

use super::ResourceAddress;
use crate::syntax::{StepKind, quoted};

/// The key of an instance of a resource or module: `[0]` or `["a"]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceKey {
    /// An index of `count`.
    Number(i64),
    /// A key of `for_each`.
    Text(SmolStr),
}

impl InstanceKey {
    /// The key for a literal number. Returns `None` if it is fractional or exceeds 64 bits.
    pub(crate) fn number(digits: &str) -> Option<Self> {
        whole_number(digits).map(Self::Number)
    }

    /// The key as a step of an expression.
    pub(super) fn step(&self) -> StepKind {
        match self {
            Self::Number(index) => StepKind::Number(index.to_string().into()),
            Self::Text(text) => StepKind::Key(text.clone()),
        }
    }
}

/// The engine's error for a number that is not a valid key.
pub(super) const NOT_WHOLE: &str =
    "an index must be a whole number between -9223372036854775808 and 9223372036854775807";

impl fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "[{number}]"),
            Self::Text(text) => write!(f, "[{}]", quoted(text)),
        }
    }
}

/// One `module.name` or `module.name[key]` in a module path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleStep {
    /// The name of the module call.
    pub name: SmolStr,
    /// The instance key, if there is one.
    pub key: Option<InstanceKey>,
}

impl fmt::Display for ModuleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module.{}", self.name)?;
        self.key.iter().try_for_each(|key| key.fmt(f))
    }
}

/// A resource or one of its instances.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceInstance {
    /// The resource.
    pub resource: ResourceAddress,
    /// The instance key, if there is one.
    pub key: Option<InstanceKey>,
}

impl fmt::Display for ResourceInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.resource.fmt(f)?;
        self.key.iter().try_for_each(|key| key.fmt(f))
    }
}

/// The value of a decimal literal such as `3`, `1e3` or `2.0`, if it is a whole number of 64 bits.
fn whole_number(literal: &str) -> Option<i64> {
    let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (literal, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().any(|digit| !digit.is_ascii_digit()) {
        return None;
    }
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let (mut value, mut at) = (0_i64, 0_i64);
    for digit in digits() {
        if at < point {
            value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        } else if digit != b'0' {
            return None;
        }
        at += 1;
    }
    while at < point && value != 0 {
        value = value.checked_mul(10)?;
        at += 1;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_whole_number_however_it_is_written() {
        let whole = [
            ("0", 0),
            ("12", 12),
            ("1e3", 1000),
            ("2.0", 2),
            ("1.5e1", 15),
            ("100e-2", 1),
            ("0e99999999", 0),
        ];
        for (literal, value) in whole {
            assert_eq!(whole_number(literal), Some(value), "{literal}");
        }
        for literal in ["1.5", "1e-1", "9223372036854775808", "1e99999999999", "1e30", "-1"] {
            assert_eq!(whole_number(literal), None, "{literal}");
        }
        assert_eq!(whole_number("9223372036854775807"), Some(i64::MAX));
    }

    #[test]
    fn keys_read_as_they_are_written() {
        assert_eq!(InstanceKey::Number(3).to_string(), "[3]");
        assert_eq!(InstanceKey::Text("a\"${b}".into()).to_string(), r#"["a\"$${b}"]"#);
    }
}
