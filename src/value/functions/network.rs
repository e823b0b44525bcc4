//! What functions on network addresses refuse.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::result::FunctionError;
use super::whole;
use crate::value::{Type, Value};

type Outcome = Result<Value, FunctionError>;

/// A range of addresses that start alike.
struct Prefix {
    /// The first of them, if they are of version 4.
    v4: Option<u32>,
    length: usize,
}

impl Prefix {
    /// Reads `address/length`. As in the engine, numbers of version 4 may start with zeros.
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

    /// The bits of an address of version 4 that all of them have.
    fn mask(&self) -> u32 {
        u32::MAX.checked_shl(u32::try_from(self.free()).unwrap_or(32)).unwrap_or(0)
    }

    /// Of addresses of version 4, the one that stands so many behind the first. The others can be written in several
    /// ways.
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

/// `cidrhost`, `cidrnetmask`, `cidrsubnet` and `cidrsubnets`, all of whose arguments are known.
pub(super) fn cidr(name: &str, arguments: &[Value]) -> Outcome {
    let list = name == "cidrsubnets";
    let result = Value::Unknown(if list { Type::list(Type::String) } else { Type::String });
    let Some(text) = arguments.first().and_then(Value::as_str) else { return Ok(result) };
    let numbers: Vec<Option<i128>> = arguments[1..].iter().map(whole).collect();
    if !list && let Some(place) = numbers.iter().position(Option::is_none) {
        return Err(FunctionError::of_call(format!("argument {} must be a whole number", place + 2)));
    }
    let Some(prefix) = Prefix::read(text) else {
        let why = format!("{text:?} is no prefix of addresses, such as \"10.0.0.0/8\"");
        return Err(if list { FunctionError::of_argument(0, why) } else { FunctionError::of_call(why) });
    };
    let known = |text: Option<String>| text.map_or(Value::Unknown(Type::String), Value::string);
    match (name, numbers.as_slice()) {
        ("cidrnetmask", _) if prefix.v4.is_none() => {
            Err(FunctionError::of_call("addresses of version 6 have no netmask"))
        }
        ("cidrnetmask", _) => Ok(known(Some(Ipv4Addr::from_bits(prefix.mask()).to_string()))),
        ("cidrhost", [Some(number)]) => {
            let address = host(&prefix, *number)?;
            Ok(known(address.map(|address| address.to_string())))
        }
        ("cidrsubnet", [Some(bits), Some(number)]) => Ok(known(subnet(&prefix, *bits, *number)?)),
        ("cidrsubnets", lengths) => {
            let subnets = subnets(&prefix, lengths)?.into_iter().map(|subnet| known(Some(subnet)));
            Ok(if prefix.v4.is_some() { Value::List(Type::String, subnets.collect()) } else { result })
        }
        _ => Ok(result),
    }
}

/// How many numbers there are of so many bits; none where that is more than is ever asked for.
fn numbers_of(bits: usize) -> Option<i128> {
    (bits < 127).then(|| 1 << bits)
}

fn host(prefix: &Prefix, number: i128) -> Result<Option<Ipv4Addr>, FunctionError> {
    // Numbers below zero count from the end.
    let place = if number < 0 { -(number + 1) } else { number };
    match numbers_of(prefix.free()) {
        Some(hosts) if place >= hosts => Err(FunctionError::of_call(format!(
            "a prefix of {} bits has no host numbered {number}",
            prefix.length
        ))),
        Some(hosts) => {
            let place = if number < 0 { hosts - 1 - place } else { place };
            Ok(u128::try_from(place).ok().and_then(|place| prefix.address(place)))
        }
        None => Ok(None),
    }
}

fn subnet(prefix: &Prefix, bits: i128, number: i128) -> Result<Option<String>, FunctionError> {
    let Ok(bits) = usize::try_from(bits) else { return Ok(None) };
    if bits > prefix.free() {
        return Err(FunctionError::of_call(format!(
            "a prefix of {} bits cannot be made longer by {bits} bits",
            prefix.length
        )));
    }
    match numbers_of(bits) {
        Some(subnets) if number >= subnets => {
            Err(FunctionError::of_call(format!("{bits} more bits leave no subnet numbered {number}")))
        }
        _ => {
            let length = prefix.length + bits;
            let size = 1_u128.checked_shl(u32::try_from(prefix.bits() - length).unwrap_or(u32::MAX));
            let place =
                u128::try_from(number).ok().zip(size).and_then(|(number, size)| number.checked_mul(size));
            let address = place.and_then(|place| prefix.address(place));
            Ok(address.map(|address| format!("{address}/{length}")))
        }
    }
}

/// The subnets of version 4, one behind the other; none are listed of version 6.
fn subnets(prefix: &Prefix, lengths: &[Option<i128>]) -> Result<Vec<String>, FunctionError> {
    // How much of the prefix is taken, in pieces that are as small as any asked for here.
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
        // Every subnet starts at a multiple of its own size.
        let size = 1_u128 << (32 - length);
        let start = taken.next_multiple_of(size);
        let end = start + size;
        if end > 1 << 32 {
            return refusal("there is no more room for it in the prefix");
        }
        taken = end;
        let place = start.checked_shl(u32::try_from(prefix.free()).unwrap_or(u32::MAX));
        let address = place.and_then(|place| prefix.address(place >> 32));
        subnets.extend(address.map(|address| format!("{address}/{}", prefix.length + length)));
    }
    Ok(subnets)
}
