//! Functions on IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::signature::{FunctionError, Outcome, shown, text, whole};
use crate::value::{Type, Value};

/// An address prefix in CIDR notation.
struct Prefix {
    /// The first address, for IPv4.
    v4: Option<u32>,
    length: usize,
}

impl Prefix {
    /// Parses `address/length`. As in the engine, numbers in IPv4 addresses may start with zeros.
    fn read(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let address = match address.parse::<Ipv6Addr>() {
            Ok(address) => IpAddr::V6(address),
            Err(_) => IpAddr::V4(v4(address)?),
        };
        let length = decimal(length)?;
        let v4 = match address {
            IpAddr::V4(address) => Some(address.to_bits()),
            IpAddr::V6(_) => None,
        };
        let prefix = Self { v4, length };
        (length <= prefix.bits()).then(|| Self { v4: v4.map(|address| address & prefix.mask()), length })
    }

    fn bits(&self) -> usize {
        if self.v4.is_some() { 32 } else { 128 }
    }

    /// The netmask of an IPv4 prefix.
    fn mask(&self) -> u32 {
        u32::MAX.checked_shl(u32::try_from(self.free()).unwrap_or(32)).unwrap_or(0)
    }

    /// The IPv4 address with this index. IPv6 addresses have several written forms and are not computed.
    fn address(&self, place: u128) -> Option<Ipv4Addr> {
        Some(Ipv4Addr::from_bits(self.v4?.checked_add(u32::try_from(place).ok()?)?))
    }

    fn free(&self) -> usize {
        self.bits() - self.length
    }
}

fn v4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = text.split('.').map(|part| decimal(part).and_then(|part| u8::try_from(part).ok()));
    let mut part = || parts.next().flatten();
    let address = Ipv4Addr::new(part()?, part()?, part()?, part()?);
    parts.next().is_none().then_some(address)
}

fn decimal(text: &str) -> Option<usize> {
    let is_short = (1..=6).contains(&text.len());
    if is_short && text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Parses the prefix argument of a call.
fn prefix(text: &str) -> Result<Prefix, String> {
    Prefix::read(text)
        .ok_or_else(|| format!("{} is not an address prefix such as \"10.0.0.0/8\"", shown(text)))
}

/// A function of a prefix and whole numbers. Unknown for IPv6, because addresses have several written forms.
fn of_prefix(
    arguments: &[Value],
    apply: impl Fn(&Prefix, &[i128]) -> Result<Option<String>, FunctionError>,
) -> Outcome {
    let numbers = arguments.iter().enumerate().skip(1).map(|(place, number)| {
        let refusal = || match number {
            // Only IPv6 has room for numbers of this size.
            Value::Number(number) if number.is_whole() => FunctionError::Unknown,
            _ => FunctionError::of_call(format!("argument {} must be a whole number", place + 1)),
        };
        whole(number).ok_or_else(refusal)
    });
    let (text, numbers) = (text(arguments, 0)?, numbers.collect::<Result<Vec<_>, _>>()?);
    let result = apply(&prefix(text).map_err(FunctionError::Call)?, &numbers)?;
    result.map(Value::string).ok_or(FunctionError::Unknown)
}

pub(super) fn cidrnetmask(arguments: &[Value]) -> Outcome {
    of_prefix(arguments, |prefix, _| match prefix.v4 {
        Some(_) => Ok(Some(Ipv4Addr::from_bits(prefix.mask()).to_string())),
        None => Err(FunctionError::of_call("IPv6 addresses have no netmask")),
    })
}

pub(super) fn cidrhost(arguments: &[Value]) -> Outcome {
    of_prefix(arguments, |prefix, numbers| Ok(host(prefix, numbers[0])?.map(|address| address.to_string())))
}

pub(super) fn cidrsubnet(arguments: &[Value]) -> Outcome {
    of_prefix(arguments, |prefix, numbers| subnet(prefix, numbers[0], numbers[1]))
}

pub(super) fn cidrsubnets(arguments: &[Value]) -> Outcome {
    let prefix = prefix(text(arguments, 0)?).map_err(|why| FunctionError::of_argument(0, why))?;
    let lengths: Vec<Option<i128>> = arguments[1..].iter().map(whole).collect();
    let subnets = subnets(&prefix, &lengths)?.into_iter().map(Value::string);
    match prefix.v4 {
        Some(_) => Ok(Value::List(Type::String, subnets.collect())),
        None => Err(FunctionError::Unknown),
    }
}

/// The count of numbers with this many bits. Returns `None` if it exceeds every valid argument.
fn numbers_of(bits: usize) -> Option<i128> {
    (bits < 127).then(|| 1 << bits)
}

/// The part of a number that the engine compares with the largest valid one: it ignores all other bits.
fn low_bits(number: i128) -> u64 {
    u64::try_from(number.unsigned_abs() & u128::from(u64::MAX)).unwrap_or(u64::MAX)
}

fn host(prefix: &Prefix, number: i128) -> Result<Option<Ipv4Addr>, FunctionError> {
    let Some(hosts) = numbers_of(prefix.free()) else { return Ok(None) };
    // Negative numbers count from the end.
    let place = if number < 0 { -(number + 1) } else { number };
    let is_too_large = match prefix.v4 {
        None if number >= 0 => i128::from(low_bits(number).cast_signed()) >= hosts,
        Some(_) | None => place >= hosts,
    };
    if is_too_large {
        return Err(FunctionError::of_call(format!(
            "an address block with a prefix of {} bits has no host number {number}",
            prefix.length
        )));
    }
    let place = if number < 0 { hosts - 1 - place } else { place };
    Ok(u128::try_from(place).ok().and_then(|place| prefix.address(place)))
}

fn subnet(prefix: &Prefix, bits: i128, number: i128) -> Result<Option<String>, FunctionError> {
    let Ok(bits) = usize::try_from(bits) else { return Ok(None) };
    if bits > prefix.free() {
        return Err(FunctionError::of_call(format!(
            "a prefix of {} bits cannot be made longer by {bits} bits",
            prefix.length
        )));
    }
    let length = prefix.length + bits;
    let size = 1_u128.checked_shl(u32::try_from(prefix.bits() - length).unwrap_or(u32::MAX));
    let place = u128::try_from(number).ok().zip(size).and_then(|(number, size)| number.checked_mul(size));
    match numbers_of(bits) {
        // As in the engine, a larger number is valid in an IPv6 prefix if its first bits are, and the address has room.
        Some(subnets)
            if i128::from(low_bits(number)) >= subnets
                || number >= subnets && (prefix.v4.is_some() || place.is_none()) =>
        {
            Err(FunctionError::of_call(format!(
                "with {bits} more bits, the subnets have the numbers 0 to {}, so there is no number {number}",
                subnets - 1
            )))
        }
        _ => Ok(place.and_then(|place| prefix.address(place)).map(|address| format!("{address}/{length}"))),
    }
}

/// Consecutive IPv4 subnets. For IPv6, the list is empty.
fn subnets(prefix: &Prefix, lengths: &[Option<i128>]) -> Result<Vec<String>, FunctionError> {
    // The used part of the prefix, in units of the smallest requested subnet.
    let mut taken: u128 = 0;
    let mut subnets = Vec::new();
    for (place, length) in lengths.iter().enumerate() {
        let refusal = |why: &str| Err(FunctionError::of_argument(place + 1, why));
        let Some(length) = length else { return refusal("it must be a whole number") };
        let Ok(length) = usize::try_from(*length) else { return refusal("it must be at least 1") };
        match length {
            0 => return refusal("it must be at least 1"),
            33.. => return refusal("it must be at most 32"),
            _ if length > prefix.free() => return refusal("the prefix would be too long for an address"),
            _ => {}
        }
        // Each subnet starts at a multiple of its size.
        let size = 1_u128 << (32 - length);
        let start = taken.next_multiple_of(size);
        let end = start + size;
        if end > 1 << 32 {
            return refusal("the prefix has no room for it");
        }
        taken = end;
        let place = start.checked_shl(u32::try_from(prefix.free()).unwrap_or(u32::MAX));
        let address = place.and_then(|place| prefix.address(place >> 32));
        subnets.extend(address.map(|address| format!("{address}/{}", prefix.length + length)));
    }
    Ok(subnets)
}
