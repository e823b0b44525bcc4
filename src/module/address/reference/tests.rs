//! Compares references with recorded answers of the real engine.

use super::{InstanceKey, Subject, reference};
use crate::engine::Choice;
use crate::syntax::parse_expression;

/// The error of Terraform 1.11.4 for a reference, with the text it is reported at. Without an error, the text of the
/// reference.
const REFERENCES: &str = r#"
module => Invalid reference @ module
module[0] => Invalid reference @ [0]
module.a => fine @ module.a
module.a[0] => fine @ module.a[0]
module.a.b => fine @ module.a.b
module.a.b.c => fine @ module.a.b
aws_x => Invalid reference @ aws_x
aws_x.y => fine @ aws_x.y
aws_x.y[0] => fine @ aws_x.y[0]
aws_x.y["a"] => fine @ aws_x.y["a"]
aws_x.y.z => fine @ aws_x.y
aws_x.y[0].z => fine @ aws_x.y[0]
aws_x.y[0][1] => fine @ aws_x.y[0]
aws_x[0] => Invalid reference @ [0]
aws_x[0].y => Invalid reference @ [0]
data => Invalid reference @ data
data.x => Invalid reference @ data.x
data.x.y => fine @ data.x.y
data.x.y[0] => fine @ data.x.y[0]
data[0].x => Invalid reference @ [0]
data.x[0] => Invalid reference @ [0]
data.x[0].y => Invalid reference @ [0]
ephemeral.x.y => fine @ ephemeral.x.y
ephemeral => Invalid reference @ ephemeral
ephemeral.x => Invalid reference @ ephemeral.x
ephemeral[0].x => Invalid reference @ [0]
ephemeral.x[0] => Invalid reference @ [0]
resource.x.y => fine @ resource.x.y
resource.x => Invalid reference @ resource.x
resource => Invalid reference @ resource
resource[0].x => Invalid reference @ [0]
module.a.module => fine @ module.a.module
module.a.module.b => fine @ module.a.module
module.a[1.5].module.b[2.5].x.y => Invalid index key @ [1.5]
count.x.y => fine @ count.x
each => Invalid reference @ each
lazy.a.b => Reserved symbol name @ lazy
var.a => fine @ var.a
module.a.count.b => fine @ module.a.count
module.a[0][1] => Invalid reference @ [1]
module.a[0].b[0] => fine @ module.a[0].b
terraform.x.y => fine @ terraform.x
local.x => fine @ local.x
self.a.b => fine @ self
resource.count.x => fine @ resource.count.x
resource.module.x => fine @ resource.module.x
module.module.b => fine @ module.module.b
module.a.module[0] => fine @ module.a.module
list.x.y => fine @ list.x
aws_x.y[1.5] => Invalid index key @ [1.5]
aws_x.y[1e2] => fine @ aws_x.y[1e2]
aws_x.y[99999999999999999999] => Invalid index key @ [99999999999999999999]
module.a.x[0].y => fine @ module.a.x
"#;

/// A line of the table above.
fn line(engine: &str, text: &str) -> String {
    let features = Choice::parse(engine).expect("an engine").engines()[0].features();
    let expression = parse_expression(text).expect("an expression");
    let traversal = expression.as_traversal().expect("a traversal");
    let (what, span) = match reference(&traversal, &features) {
        Ok(reference) => ("fine".to_owned(), reference.span),
        Err(error) => (error.finding().summary, error.span),
    };
    format!("{text} => {what} @ {}", &text[span.range()])
}

#[test]
fn references_are_read_as_terraform_reads_them() {
    for expected in REFERENCES.trim().lines() {
        let (text, _) = expected.split_once(" =>").expect("an arrow");
        assert_eq!(line("terraform@1.11.4", text), expected);
    }
}

#[test]
fn each_engine_has_its_own_words() {
    for (engine, expected) in [
        ("terraform@1.9", "ephemeral.a.b.c => fine @ ephemeral.a"),
        ("terraform@1.10", "ephemeral.a.b.c => fine @ ephemeral.a.b"),
        ("terraform@1.12", "action.a.b => fine @ action.a"),
        ("terraform@1.14", "action.a.b => fine @ action.a.b"),
        ("terraform@1.14", "action.a => Invalid reference @ action.a"),
        ("terraform@1.14", "list.a.b[0].c => fine @ list.a.b[0]"),
        ("terraform@1.14", "string => Invalid reference @ string"),
        ("terraform@1.15", "string => fine @ string"),
        ("terraform@1.15", "string.a.b => fine @ string.a"),
        ("terraform", "tofu.workspace.a => fine @ tofu.workspace"),
        ("terraform", "tofu => Invalid reference @ tofu"),
        ("opentofu", "tofu.workspace => fine @ tofu.workspace"),
        ("opentofu@1.10", "ephemeral.a.b => fine @ ephemeral.a"),
        ("opentofu@1.11", "ephemeral.a.b => fine @ ephemeral.a.b"),
    ] {
        let (text, _) = expected.split_once(" =>").expect("an arrow");
        assert_eq!(line(engine, text), expected, "{engine}");
    }
}

#[test]
fn what_follows_the_subject_remains() {
    let features = Choice::parse("terraform").expect("an engine").engines()[0].features();
    let expression = parse_expression("module.a[\"k\"].out.b[0].c").expect("an expression");
    let traversal = expression.as_traversal().expect("a traversal");
    let reference = reference(&traversal, &features).expect("a reference");
    let (call, output) = ("a".into(), Some("out".into()));
    assert_eq!(reference.subject, Subject::Module { call, key: Some(InstanceKey::Text("k".into())), output });
    assert_eq!(reference.remaining.len(), 3);
}
