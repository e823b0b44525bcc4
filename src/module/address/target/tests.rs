//! Compares addresses with recorded answers of the real engine.

use super::{import_target, move_endpoint, remove_target};
use crate::engine::{Choice, Features};
use crate::finding::Finding;
use crate::syntax::{Expr, parse_expression};

/// The errors of Terraform 1.11.4 for `moved { from = … }`, each with the text it is reported at.
const MOVED: &str = r#"
module => Invalid address operator @ module
module[0] => Invalid address operator @ [0]
module.a =>
module.a[0] =>
module.a.b => Invalid address @ .b
module.a.b.c =>
aws_x => Invalid address @ aws_x
aws_x.y =>
aws_x.y[0] =>
aws_x.y["a"] =>
aws_x.y.z => Invalid address @ .z
aws_x.y[0].z => Invalid address @ .z
aws_x.y[0][1] => Invalid address @ [1]
aws_x[0] => Invalid address @ [0]
aws_x[0].y => Invalid address @ [0]
data => Invalid address @ nowhere
data.x => Invalid address @ .x
data.x.y =>
data.x.y[0] =>
data[0].x => Invalid address @ [0]
data.x[0] => Invalid address @ [0]
data.x[0].y => Invalid address @ [0]
ephemeral.x.y =>
ephemeral => Invalid address @ nowhere
ephemeral.x => Invalid address @ .x
ephemeral[0].x => Invalid address @ [0]
ephemeral.x[0] => Invalid address @ [0]
resource.x.y =>
resource.x => Invalid address @ .x
resource => Invalid address @ nowhere
resource[0].x => Invalid address @ [0]
module.a.data => Invalid address @ nowhere
module.a.resource => Invalid address @ nowhere
module.a.module => Invalid address operator @ .module
module.a[1.5].module.b[2.5].x.y => Invalid address operator @ [1.5]; Invalid address operator @ [2.5]
count.x.y => Invalid address @ count.x.y
lazy.a.b => Invalid address @ lazy.a.b
var.a => Invalid address @ var.a
module.a.count.b => Invalid address @ .count.b
module.a[0][1] => Invalid address operator @ [1]
module.a[0].b[0] => Invalid address @ [0]
terraform.x.y => Invalid address @ terraform.x.y
local.x => Invalid address @ local.x
resource.count.x =>
resource.module.x =>
module.module.b => Invalid address @ .b
module.a.module[0] => Invalid address operator @ [0]
list.x.y => Invalid address @ .y
aws_x.y[1.5] => Invalid address @ [1.5]
aws_x.y[1e2] =>
aws_x.y[99999999999999999999] => Invalid address @ [99999999999999999999]
null.x =>
null => Invalid address @ null
module.a[0].data[0].b => Invalid address @ [0]
module.a.x[0].y => Invalid address @ [0]
"#;

/// The same for `removed { from = … }`.
const REMOVED: &str = r#"
module => Invalid address operator @ module
module[0] => Invalid address operator @ [0]
module.a =>
module.a[0] => Module instance keys not allowed @ [0]
module.a.b => Invalid address @ .b
module.a.b.c =>
aws_x => Invalid address @ aws_x
aws_x.y =>
aws_x.y[0] => Resource instance keys not allowed @ [0]
aws_x.y["a"] => Resource instance keys not allowed @ ["a"]
aws_x.y.z => Resource instance keys not allowed @ .z
aws_x.y[0].z => Resource instance keys not allowed @ [0]
aws_x.y[0][1] => Resource instance keys not allowed @ [0]
aws_x[0] => Invalid address @ [0]
aws_x[0].y => Invalid address @ [0]
data => Invalid address @ nowhere
data.x => Invalid address @ .x
data.x.y => Data source address not allowed @ data.x.y
data.x.y[0] => Resource instance keys not allowed @ [0]
data[0].x => Invalid address @ [0]
data.x[0] => Invalid address @ [0]
data.x[0].y => Invalid address @ [0]
ephemeral.x.y => Resource instance keys not allowed @ .y
ephemeral => Invalid address @ ephemeral
ephemeral.x =>
ephemeral[0].x => Invalid address @ [0]
ephemeral.x[0] => Resource instance keys not allowed @ [0]
resource.x.y => Resource instance keys not allowed @ .y
resource.x =>
resource => Invalid address @ resource
resource[0].x => Invalid address @ [0]
module.a.data => Invalid address @ nowhere
module.a.resource => Invalid address @ .resource
module.a.module => Invalid address operator @ .module
module.a[1.5].module.b[2.5].x.y => Module instance keys not allowed @ [1.5]
count.x.y => Resource instance keys not allowed @ .y
var.a =>
module.a.count.b =>
module.a[0][1] => Module instance keys not allowed @ [0]
module.a[0].b[0] => Module instance keys not allowed @ [0]
resource.module.x => Resource instance keys not allowed @ .x
module.module.b => Invalid address @ .b
module.a.module[0] => Invalid address operator @ [0]
aws_x.y[1.5] => Resource instance keys not allowed @ [1.5]
aws_x.y[1e2] => Resource instance keys not allowed @ [1e2]
aws_x.y[99999999999999999999] => Resource instance keys not allowed @ [99999999999999999999]
null.x =>
module.a[0].data[0].b => Module instance keys not allowed @ [0]
module.a.x[0].y => Invalid address @ [0]
"#;

/// The same for `import { to = … }`, where it differs from `moved`.
const IMPORT: &str = "
module.a => Invalid address @ module.a
module.a[0] => Invalid address @ module.a[0]
";

/// The expectations in OpenTofu 1.12's tests of `removed { from = … }`.
const OPENTOFU_REMOVED: &str = r#"
a.b =>
module.a =>
data.a.b => Data source address is not allowed @ data.a.b
ephemeral.a.b => Ephemeral resource address is not allowed @ ephemeral.a.b
a.b[0] => Resource instance address with keys is not allowed @ [0]
a.b[0].c => Invalid address @ .c
ephemeral.a.b["c"] => Resource instance address with keys is not allowed @ ["c"]
module.a[0] => Module instance address with keys is not allowed @ [0]
module.a[0].module.b[1] => Module instance address with keys is not allowed @ [0]
module => Invalid address operator @ module
module[0] => Invalid address operator @ [0]
module.a.data => Invalid address @ nowhere
module.a.data.b => Invalid address @ .b
module.a.data.b[0] => Invalid address @ [0]
"#;

fn features(engine: &str) -> Features {
    *Choice::parse(engine).expect("an engine").engines()[0].features()
}

fn expression(address: &str) -> Expr {
    parse_expression(address).expect("an expression")
}

/// The findings about `address`, as a line of the tables above.
fn line(address: &str, findings: Vec<Finding>) -> String {
    let line = |finding: Finding| match finding.primary {
        Some(at) => format!("{} @ {}", finding.summary, &address[at.range()]),
        None => format!("{} @ nowhere", finding.summary),
    };
    let lines: Vec<String> = findings.into_iter().map(line).collect();
    format!("{address} => {}", lines.join("; ")).trim_end().to_owned()
}

fn addresses(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.trim().lines().map(|line| (line, line.split_once(" =>").expect("an arrow").0))
}

fn moved(address: &str, features: &Features) -> Vec<Finding> {
    let to = expression(address);
    move_endpoint(&to.as_traversal().expect("an address"), features).err().unwrap_or_default()
}

fn removed(address: &str, features: &Features) -> Vec<Finding> {
    let from = expression(address);
    remove_target(&from.as_traversal().expect("an address"), features).1
}

#[test]
fn moved_addresses_are_judged_as_terraform_does() {
    let features = features("terraform@1.11.4");
    for (expected, address) in addresses(MOVED) {
        assert_eq!(line(address, moved(address, &features)), expected);
    }
}

#[test]
fn removed_addresses_are_judged_as_terraform_does() {
    let features = features("terraform@1.11.4");
    for (expected, address) in addresses(REMOVED) {
        assert_eq!(line(address, removed(address, &features)), expected);
    }
}

#[test]
fn imported_addresses_are_judged_as_terraform_does() {
    let features = features("terraform@1.11.4");
    let imported =
        |address: &str| import_target(&expression(address), &[], &features).err().unwrap_or_default();
    for (expected, address) in addresses(IMPORT) {
        assert_eq!(line(address, imported(address)), expected);
    }
    let own: Vec<&str> = addresses(IMPORT).map(|(_, address)| address).collect();
    for (expected, address) in addresses(MOVED).filter(|(_, address)| !own.contains(address)) {
        assert_eq!(line(address, imported(address)), expected);
    }
}

#[test]
fn opentofu_has_words_of_its_own() {
    let features = features("opentofu@1.12");
    for (expected, address) in addresses(OPENTOFU_REMOVED) {
        assert_eq!(line(address, removed(address, &features)), expected);
    }
    // Only Terraform supports the prefix `resource.`, and keywords that are not resource types.
    assert_eq!(line("resource.x", moved("resource.x", &features)), "resource.x =>");
    assert_eq!(line("count.x", moved("count.x", &features)), "count.x =>");
}

#[test]
fn keys_that_are_calculated_are_left_out_of_what_is_imported() {
    let features = features("terraform@1.11.4");
    let target = |to: &str| import_target(&expression(to), &[], &features).expect("a target");
    let found = target("module.a[each.key].b.c[each.value]");
    assert_eq!((found.to_string().as_str(), found.is_static), ("module.a.b.c", false));
    let found = target("module.a[0].b.c[\"x\"]");
    assert_eq!((found.to_string().as_str(), found.is_static), ("module.a[0].b.c[\"x\"]", true));
}

#[test]
fn an_endpoint_reads_as_it_is_written() {
    let features = features("terraform@1.11.4");
    for address in ["module.a[0].module.b[\"k\"].data.c.d[1]", "module.a", "a.b"] {
        let from = expression(address);
        let endpoint =
            move_endpoint(&from.as_traversal().expect("an address"), &features).expect("an endpoint");
        assert_eq!(endpoint.to_string(), address);
        assert_eq!(&address[endpoint.span.range()], address);
    }
}

#[test]
fn a_resource_moves_to_a_resource_and_a_module_to_a_module() {
    let features = features("terraform@1.11.4");
    let endpoint = |address: &str| {
        let from = expression(address);
        move_endpoint(&from.as_traversal().expect("an address"), &features).expect("an endpoint")
    };
    for (from, to, might) in [
        ("a.b", "a.c[0]", true),
        ("a.b", "module.x.a.b", true),
        ("module.a", "module.b[0]", true),
        ("module.a", "module.b.module.c", true),
        ("module.a", "a.b", false),
        ("a.b", "module.a[0]", false),
    ] {
        assert_eq!(endpoint(from).might_unify_with(&endpoint(to)), might, "{from} to {to}");
    }
}

#[test]
fn what_is_no_address_is_an_invalid_expression() {
    for to in ["\"a.b\"", "1", "f(a.b)", "(a.b)", "[a.b]", "a.*.b", "a[*].b", "a.b + 1", "{}"] {
        for (engine, summary) in
            [("terraform@1.11.4", "Invalid expression"), ("opentofu", "Invalid import address expression")]
        {
            let findings = import_target(&expression(to), &[], &features(engine)).expect_err("no address");
            assert_eq!(line(to, findings), format!("{to} => {summary} @ {to}"));
        }
    }
}

#[test]
fn keys_could_not_always_be_calculated() {
    let to = "a.b[each.key]";
    for engine in ["terraform@1.6", "opentofu@1.6"] {
        let findings = import_target(&expression(to), &[], &features(engine)).expect_err("no address");
        assert_eq!(line(to, findings), format!("{to} => Invalid expression @ {to}"));
    }
    assert!(import_target(&expression(to), &[], &features("terraform@1.7")).is_ok());
}
