//! Constants and types: a value has its type, and a converted one the requested type.

use overrule::syntax::{Expr, parse_expression};
use overrule::value::{Type, Value, constant, convert, type_constraint};

/// Panics if a type (the first line) and an expression (the rest) violate a property.
pub fn holds(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or(("any", &text));
    let value = parse_expression(rest).ok().map(|expr| constant(&expr, &mut Vec::new()));
    let wanted = parse_expression(first).ok().and_then(|expr| sound_type(&expr));
    if let Some(value) = &value {
        has_its_type(value);
        is_written_as_it_is(value);
    }
    if let Some((ty, Some(written))) = &wanted {
        let expr = parse_expression(written).unwrap_or_else(|why| panic!("{written}: {why:?}"));
        let again = sound_type(&expr).unwrap_or_else(|| panic!("{written} is a type"));
        assert_eq!((&again.0, again.1.as_ref()), (ty, Some(written)));
    }
    if let (Some(value), Some((ty, _))) = (value, wanted) {
        converts(&value, &ty);
    }
}

/// A valid type, and its source text.
fn sound_type(expr: &Expr) -> Option<(Type, Option<String>)> {
    let mut findings = Vec::new();
    let constraint = type_constraint(expr, &mut findings);
    findings.is_empty().then(|| (constraint.ty.clone(), constraint.written()))
}

fn has_its_type(value: &Value) {
    let ty = value.ty();
    assert!(value.is(&ty), "{value:?} is no {ty}");
    assert_eq!(convert(value, &ty).as_ref(), Ok(value), "nothing is to be done");
    assert_eq!(convert(value, &Type::Any).as_ref(), Ok(value), "anything will do");
}

fn is_written_as_it_is(value: &Value) {
    let Some(written) = value.written() else {
        assert!(!value.is_wholly_known() || has_a_large_number(value), "{value:?} could be written");
        return;
    };
    let expr = parse_expression(&written).unwrap_or_else(|why| panic!("{written}: {why:?}"));
    let mut findings = Vec::new();
    let again = constant(&expr, &mut findings);
    assert_eq!(findings, [], "{written}");
    // Printing and parsing a quotient rounds it each time, so the digits may differ.
    let is_rounded =
        written.split(|c: char| !c.is_ascii_digit() && c != '.').any(|digits| digits.len() > 100);
    assert!(is_rounded || again.written().as_ref() == Some(&written), "{written}: {:?}", again.written());
}

/// Infinite numbers, and numbers with more digits than a page, have no literal.
fn has_a_large_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_infinite() || number.text().is_none(),
        value => value.parts().any(has_a_large_number),
    }
}

fn converts(value: &Value, ty: &Type) {
    let Ok(converted) = convert(value, ty) else { return };
    assert_eq!(convert(value, ty).as_ref(), Ok(&converted), "the same, every time");
    has_its_type(&converted);
    let plain = ty.without_optional();
    if !plain.has_any() {
        assert!(converted.is(&plain), "{converted:?} is no {plain}");
        assert_eq!(convert(&converted, ty).as_ref(), Ok(&converted), "what was converted stays as it is");
    }
}
