//! Constants and their errors.

use super::value;
use crate::value::Value;

#[test]
fn equal_constants() {
    for (expression, result) in [
        ("1 == 1 ? 1 : \"a\"", "\"1\""),
        ("true ? [1] : [2, 3]", "[for n in [1] : n] == [1] ? [1] : [1]"),
        ("[for x in [1, 2] : x * 2]", "[2, 4]"),
        ("[for i, x in [\"a\", \"b\"] : i if x != \"a\"]", "[1]"),
        ("{ for x in [\"a\", \"a\"] : x => 1... }", "{ a = [1, 1] }"),
        ("[{ a = 1 }, { a = 2 }][*].a", "[1, 2]"),
        ("null[*].x", "[]"),
        ("{ a = 1 }[*].a", "[1]"),
        ("{ (1) = 2, a = 3 }", "{ \"1\" = 2, \"a\" = 3 }"),
        ("{ a = 1, a = 2 }", "{ a = 2 }"),
        ("\"a${1}b\"", "\"a1b\""),
        ("\"${true}\"", "true"),
        ("\"%{ if 1 == 1 }a%{ else }b%{ endif }\"", "\"a\""),
        ("\"%{ for x in [1, 2] }${x},%{ endfor }\"", "\"1,2,\""),
        ("1 == \"1\"", "false"),
        ("null == null", "true"),
        ("-\"1\"", "-1"),
        ("{ a = [1] }.a[0]", "1"),
    ] {
        let (left, findings) = value(expression);
        assert_eq!(findings, Vec::<String>::new(), "{expression}");
        let (right, _) = value(result);
        if let (Value::List(_, left), Value::Tuple(right)) = (&left, &right) {
            assert_eq!(left, right, "{expression}");
        } else {
            assert_eq!(left, right, "{expression}");
        }
    }
    assert_eq!(value("1 / 0").1, Vec::<String>::new(), "a division by zero is infinite");
}

#[test]
fn each_error_is_reported_once_at_its_position() {
    for (expression, reported) in [
        ("var.x", "Variables not allowed @ var"),
        ("foo[0].x", "Variables not allowed @ foo"),
        ("upper(\"x\")", "Function calls not allowed @ upper(\"x\")"),
        ("[for x in [1] : y]", "Unknown variable @ y"),
        ("1 + \"a\"", "Invalid operand @ \"a\""),
        ("!5", "Invalid operand @ 5"),
        ("null + 1", "Operation failed @ null + 1"),
        ("0 / 0", "Operation failed @ 0 / 0"),
        ("true ? 1 : []", "Inconsistent conditional result types @ 1 : []"),
        ("null ? 1 : 2", "Null condition @ null"),
        ("\"x\" ? 1 : 2", "Incorrect condition type @ \"x\""),
        ("[1][5]", "Invalid index @ [5]"),
        ("{ a = 1 }[\"z\"]", "Invalid index @ [\"z\"]"),
        ("null[0]", "Attempt to index null value @ [0]"),
        ("{ a = 1 }.b", "Unsupported attribute @ .b"),
        ("\"x\".y", "Unsupported attribute @ .y"),
        ("null.a", "Attempt to get attribute from null value @ .a"),
        ("[for x in 1 : x]", "Iteration over non-iterable value @ 1"),
        ("[for x in null : x]", "Iteration over null value @ null"),
        ("[for x in [1] : x if null]", "Condition is null @ null"),
        ("[for x in [1] : x if \"z\"]", "Invalid 'for' condition @ \"z\""),
        ("{ for x in [1, 1] : x => x }", "Duplicate object key @ x"),
        ("{ for x in [null] : x => 1 }", "Invalid object key @ x"),
        ("\"a${null}\"", "Invalid template interpolation value @ null"),
        ("\"a${[]}\"", "Invalid template interpolation value @ []"),
        ("{ (null) = 1 }", "Null value as key @ 1"),
        ("{ ([]) = 1 }", "Incorrect key type @ ([])"),
        ("{ a.b = 1 }", "Ambiguous attribute key @ a.b"),
    ] {
        assert_eq!(value(expression).1, [reported], "{expression}");
    }
    assert_eq!(
        value("true ? 1 : foo").1,
        Vec::<String>::new(),
        "nobody hears of the branch that is not taken"
    );
    assert_eq!(value("[foo, bar]").1.len(), 2);
}

#[test]
fn an_expression_that_grows_without_end_is_given_up() {
    let nested = (1..30).rev().fold("x29".to_owned(), |body, depth| {
        format!("[for x{depth} in [[x{0}, x{0}]] : {body}]", depth - 1)
    });
    let (result, findings) = value(&format!("[for x0 in [1] : {nested}]"));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("Expression too expensive to evaluate @ "));
    assert!(result.is_known(), "what is around it is still there");
}
