//! Propagation of marks.

use super::functions::read;
use crate::value::{MarkSource, Marks, Value};

#[test]
fn marks_follow_values() {
    let both = |expression: &str| {
        let (value, findings) = read(expression);
        assert_eq!(findings, Vec::<String>::new(), "{expression}");
        (value.unmarked().1 != Marks::NONE, value.deep_marks() != Marks::NONE)
    };
    for (expression, whole, anywhere) in [
        ("[sensitive(1), 2]", false, true),
        ("[sensitive(1), 2][1]", false, false),
        ("{ a = sensitive(1) }.a", true, true),
        ("toset([sensitive(1), 2])", true, true),
        ("tolist([sensitive(1), 2])", false, true),
        ("[for x in sensitive([1]) : x]", true, true),
        ("[for x in [sensitive(1)] : x]", false, true),
        ("\"a${sensitive(1)}\"", true, true),
        ("true ? [1] : sensitive([2])", true, true),
        ("upper(sensitive(\"x\"))", true, true),
        ("length([sensitive(1)])", false, false),
        ("values({ a = sensitive(1) })", false, true),
        ("values(sensitive({ a = 1 }))", true, true),
        ("flatten([sensitive([1]), 2])", true, true),
        ("merge(sensitive({ a = var.text }), {})", true, true),
        ("keys(sensitive(var.open))", false, false),
        ("abs(sensitive(length(var.texts)))", false, false),
        ("nonsensitive(sensitive([sensitive(1)]))", false, true),
    ] {
        assert_eq!(both(expression), (whole, anywhere), "{expression}");
    }
}

#[test]
fn a_mark_is_set_and_taken_away() {
    let marks = Marks { sensitive: Some(MarkSource::Expression), ..Marks::NONE };
    let mut value = Value::Tuple(vec![Value::Bool(true).mark(marks)]).mark(Marks::EPHEMERAL);
    assert_eq!(value.take_marks(), Marks::EPHEMERAL);
    assert_eq!(value.deep_marks(), marks);
    assert_eq!(value.take_deep_marks(), marks);
    assert_eq!(value, Value::Tuple(vec![Value::Bool(true)]));
}
