//! Tests of small module trees in memory: directory, line, summary and help of each finding.

use indoc::indoc;
use std::collections::BTreeMap;

use crate::engine::{Choice, Engine, FileKind};
use crate::graph::{Callee, ModuleGraph, Validation};
use crate::limits::Limits;
use crate::module::address::ModuleSource;
use crate::module::{Module, ModuleFile};
use crate::syntax::{self, Notation};
use crate::text::{FileId, Source, Sources};

/// The findings for modules of one file each: the root module has an empty name, and others are called as `./name`.
pub(super) fn reported(files: &[(&str, &str)]) -> Vec<String> {
    reported_by("terraform@1.11.4", files)
}

/// The same, for another engine.
pub(super) fn reported_by(engine: &str, files: &[(&str, &str)]) -> Vec<String> {
    let engine: Engine = Choice::parse(engine).expect("an engine").engines()[0];
    let mut sources = Sources::default();
    let mut bodies = Vec::new();
    for (directory, text) in files {
        let override_of = directory.strip_suffix("+override");
        let id = FileId::new(sources.len());
        let source = Source::new("main.tf", (*text).into());
        let (file, findings) = syntax::parse(id, &source, Notation::Native, &Limits::default());
        assert_eq!(findings, [], "{text}");
        sources.push(source);
        bodies.push((override_of.unwrap_or(directory), override_of.is_some(), file));
    }
    let mut graph = ModuleGraph::new(engine);
    let mut nodes = BTreeMap::new();
    for (directory, is_override, _) in &bodies {
        if *is_override {
            continue;
        }
        let of_directory: Vec<ModuleFile<'_>> = bodies
            .iter()
            .filter(|(name, ..)| name == directory)
            .map(|(_, is_override, file)| ModuleFile {
                name: "main.tf",
                body: &file.body,
                kind: if *is_override { FileKind::Override } else { FileKind::Primary },
                complete: file.complete,
            })
            .collect();
        let mut findings = Vec::new();
        let module =
            Module::build(*directory, &of_directory, &engine.features(), &Limits::default(), &mut findings);
        assert_eq!(findings, [], "{directory}");
        nodes.insert(directory.to_string(), graph.add(module, false));
    }
    for node in nodes.values() {
        let calls: Vec<_> = graph
            .node(*node)
            .module()
            .calls
            .values()
            .map(|call| (call.name.clone(), call.source.as_ref().and_then(|source| source.address.clone())))
            .collect();
        for (call, address) in calls {
            let callee = match address {
                Some(ModuleSource::Local(path)) => nodes
                    .get(path.trim_start_matches("./").trim_start_matches("../"))
                    .map_or(Callee::Missing, |child| Callee::Module(*child)),
                _ => Callee::Opaque,
            };
            graph.link(*node, &call, callee);
        }
    }
    let roots: Vec<_> = graph.roots().iter().map(|root| root.id()).collect();
    let validation = Validation::of(&graph, &roots);
    let mut reported: Vec<String> = validation
        .modules()
        .iter()
        .map(|id| validation.of_module(*id, None, &sources))
        .flat_map(|found| found.findings.into_iter().chain(found.of_passing))
        .chain(validation.of_ways())
        .map(|finding| {
            let line = finding.primary.map_or(0, |place| sources.get(place.file).position(place.start).line);
            let help = finding.help.map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{}:{line} {}: {}{help}", finding.module, finding.address, finding.summary)
        })
        .collect();
    reported.sort();
    reported
}

#[test]
fn declared_names_have_no_findings() {
    let text = indoc! {r#"
        variable "a" {}
        locals {
          b = var.a
        }
        resource "x_y" "c" {
          d = [for v in local.b : v.e]
        }
        output "f" {
          value = x_y.c.d[0].e + length(x_y.c.d)
        }
    "#};
    assert_eq!(reported(&[("", text)]), Vec::<String>::new());
}

#[test]
fn a_similar_name_is_suggested() {
    let text = indoc! {r#"
        variable "region" {}
        locals {
          a = var.regoin
          b = local.c
        }
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":3 local.a: Reference to undeclared input variable (did you mean `var.region`?)",
            ":4 local.b: Reference to undeclared local value (declare `c` in a `locals` block)",
        ]
    );
}

#[test]
fn a_local_value_is_not_suggested_for_itself() {
    let text = indoc! {"
        locals {
          names = toset(var.names)
          first = local.frst
        }
    "};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":2 local.names: Reference to undeclared input variable (declare it: `variable \"names\" {}`)",
            ":3 local.first: Reference to undeclared local value (declare `frst` in a `locals` block)",
        ]
    );
}

#[test]
fn a_short_function_name_is_suggested_for_one_wrong_letter() {
    let text = indoc! {r#"
        locals {
          a = cel(1.5)
          b = fail("no")
        }
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":2 local.a: Call to unknown function (did you mean `ceil`?)",
            ":3 local.b: Call to unknown function",
        ]
    );
}

#[test]
fn a_data_source_may_have_been_meant() {
    let text = indoc! {r#"
        data "x_y" "a" {}
        locals {
          b = x_y.a.id
        }
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [":3 local.b: Reference to undeclared resource (did you mean `data.x_y.a`?)"]
    );
}

#[test]
fn symbols_mean_something_in_their_places_only() {
    let text = indoc! {r#"
        resource "x_y" "a" {
          count = 2
          b = count.index
          c = each.value
          d = self.b
          provisioner "local-exec" {
            command = self.b
          }
        }
        locals {
          e = path.modul
        }
    "#};
    let reported: Vec<String> = reported(&[("", text)])
        .into_iter()
        .map(|line| line.split(" (").next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(
        reported,
        [
            ":11 local.e: Invalid \"path\" attribute",
            ":4 x_y.a: each.value cannot be used in this context",
            ":5 x_y.a: Invalid \"self\" reference",
        ]
    );
}

#[test]
fn references_in_the_content_of_dynamic_blocks_are_reported() {
    let text = indoc! {r#"
        resource "x_y" "a" {
          dynamic "b" {
            for_each = var.c
            content {
              d = var.e
            }
          }
          dynamic "f" {
            for_each = [1]
            content {
              d = var.g + f.value
            }
          }
        }
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":11 x_y.a: Reference to undeclared input variable (declare it: `variable \"g\" {}`)",
            ":3 x_y.a: Reference to undeclared input variable (declare it: `variable \"c\" {}`)",
            ":5 x_y.a: Reference to undeclared input variable (declare it: `variable \"e\" {}`)",
        ]
    );
}

#[test]
fn a_missing_instance_key_is_reported_before_attributes() {
    let text = indoc! {r#"
        resource "x_y" "a" {
          count = 1
        }
        resource "x_y" "b" {}
        locals {
          c = x_y.a.id
          d = x_y.a[0].id
          e = x_y.a[*].id
          f = length(x_y.a)
          g = x_y.b[0]
          h = x_y.a.count
          i = x_y.c.id
        }
        resource "x_y" "c" {
          count = true ? 1 : 0
        }
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":10 local.g: Unexpected resource instance key (remove the key in brackets)",
            ":11 local.h: Invalid resource count attribute (write `length(x_y.a)`)",
            ":11 local.h: Missing resource instance key (write `length(x_y.a)`)",
            ":12 local.i: Missing resource instance key (name an instance: `x_y.c[0].id`, or all: `x_y.c[*].id`; where \
             there may be no instance, `one(x_y.c[*].id)` is null)",
            ":6 local.c: Missing resource instance key (name an instance: `x_y.a[0].id`, or all: `x_y.a[*].id`)",
        ]
    );
}

const NET: (&str, &str) = (
    "net",
    indoc! {r#"
        variable "cidr" {}
        variable "name" {
          default = 1
        }
        output "id" {
          value = 1
        }
    "#},
);

#[test]
fn arguments_of_a_call_are_variables_of_the_module() {
    let text = indoc! {r#"
        module "a" {
          source = "./net"
          nam = var.b
        }
    "#};
    assert_eq!(
        reported(&[("", text), NET]),
        [
            ":1 module.a: Missing required argument (set `cidr`)",
            ":3 module.a: Unsupported argument (did you mean `name`?)",
        ]
    );
}

#[test]
fn an_override_hides_unknown_arguments_and_cannot_supply_required_ones() {
    let text = indoc! {r#"
        module "a" {
          source = "./net"
          nam = var.b
        }
    "#};
    let over = ("+override", "module \"a\" {\n  cidr = 1\n}\n");
    assert_eq!(
        reported(&[("", text), over, NET]),
        [":1 module.a: Missing required argument (set `cidr` in the base block too)"]
    );
}

#[test]
fn outputs_of_a_call_are_outputs_of_the_module() {
    let text = indoc! {r#"
        module "a" {
          source = "./net"
          cidr = 1
        }
        module "b" {
          source = "./net"
          cidr = 1
          count = 2
        }
        module "c" {
          source = "./net"
          cidr = 1
          for_each = {}
        }
        locals {
          d = module.a.ids
          e = module.b.id
          f = module.b[0].idd
          g = module.c["x"].jd
          h = module.b[*].kd
          i = module.c[path.module].ld
          j = [module.a.id, module.b[0].id, module.b[*].id, module.c.x.id, module.c["x"].id]
          k = try(module.a.nd, local.d ? module.a.nd : 1)
          l = [for m in module.b : m.nd]
        }
    "#};
    let lines: Vec<String> = reported(&[("", text), NET])
        .into_iter()
        .map(|line| line.split(" (").next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            ":16 local.d: Unsupported attribute",
            ":17 local.e: Unsupported attribute",
            ":18 local.f: Unsupported attribute",
            ":19 local.g: Unsupported attribute",
            ":20 local.h: Unsupported attribute",
            ":21 local.i: Unsupported attribute",
            // In a plan, the instances are known.
            ":22 local.j: Invalid index",
            ":22 local.j: Unsupported attribute",
            ":24 local.l: Unsupported attribute",
        ]
    );
}

fn places(reported: Vec<String>) -> Vec<String> {
    reported.into_iter().map(|line| line.split(" (").next().unwrap_or("").to_owned()).collect()
}

#[test]
fn expressions_are_evaluated_as_far_as_they_are_known() {
    let text = indoc! {r#"
        variable "a" {
          type = object({ b = string })
        }
        locals {
          c = var.a.d
          e = upper(var.a.b, 1)
          f = nope(1)
          g = { h = [1] }
          i = local.g.j
          k = local.g.h[1]
          l = try(var.a.d, local.g.j, 1)
          m = local.f + local.g
          n = [for v in local.g.h : v.o]
          p = x_y.z.q.r
        }
        resource "x_y" "z" {
          s = terraform.workspace + 1
        }
    "#};
    assert_eq!(
        places(reported(&[("", text)])),
        [
            ":10 local.k: Invalid index",
            ":12 local.m: Invalid operand",
            ":13 local.n: Unsupported attribute",
            ":5 local.c: Unsupported attribute",
            ":6 local.e: Too many function arguments",
            ":7 local.f: Call to unknown function",
            ":9 local.i: Unsupported attribute",
        ]
    );
}

#[test]
fn repetition_takes_numbers_maps_and_sets_of_strings() {
    let block = |name: &str, argument: &str| format!("resource \"x_y\" \"{name}\" {{\n  {argument}\n}}\n");
    let text = [
        block("a", "count = \"x\""),
        block("b", "count = -1"),
        block("c", "for_each = [1]"),
        block("d", "for_each = toset([1])"),
        block("e", "for_each = null"),
        block("f", "for_each = x_y.a.b"),
        block("g", "for_each = toset([\"a\"])"),
        block("h", "count = \"2\""),
        block("i", "for_each = each.key"),
    ]
    .concat();
    assert_eq!(
        places(reported(&[("", &text)])),
        [
            ":11 x_y.d: Invalid for_each set argument",
            ":14 x_y.e: Invalid for_each argument",
            ":17 x_y.f: Missing resource instance key",
            ":2 x_y.a: Incorrect value type",
            ":26 x_y.i: Reference to \"each\" in context without for_each",
            ":5 x_y.b: Invalid count argument",
            ":8 x_y.c: Invalid for_each argument",
        ]
    );
}

#[test]
fn arguments_fit_the_types_of_variables() {
    let child = (
        "m",
        indoc! {r#"
            variable "s" {
              type = string
            }
            variable "o" {
              type = object({ a = number, b = optional(string) })
            }
            variable "n" {
              nullable = false
            }
        "#},
    );
    let text = indoc! {r#"
        module "a" {
          source = "./m"
          s = []
          o = { a = "x" }
          n = null
        }
        module "b" {
          source = "./m"
          s = 1
          o = { a = "1", c = 1 }
          n = local.x
        }
        locals {
          x = 1
        }
    "#};
    assert_eq!(
        places(reported(&[("", text), child])),
        [
            ":10 module.b: Object attribute is ignored",
            ":3 module.a: Invalid value for input variable",
            ":4 module.a: Invalid value for input variable",
            ":5 module.a: Required variable not set",
        ]
    );
}

#[test]
fn a_failed_validation_is_reported_at_the_argument() {
    let child = (
        "m",
        indoc! {r#"
            variable "a" {
              validation {
                condition = contains(["x", "y"], var.a)
                error_message = "no"
              }
            }
        "#},
    );
    let text = indoc! {r#"
        module "b" {
          source = "./m"
          a = "z"
        }
        module "c" {
          source = "./m"
          a = "x"
        }
        module "d" {
          source = "./m"
          a = terraform.workspace
        }
    "#};
    assert_eq!(places(reported(&[("", text), child])), [":3 module.b: Invalid value for variable"]);
}

#[test]
fn an_output_of_a_root_shows_nothing_sensitive() {
    let text = indoc! {r#"
        variable "s" {
          sensitive = true
        }
        locals {
          l = [var.s]
        }
        output "a" {
          value = "x${var.s}"
        }
        output "b" {
          value = local.l
        }
        output "c" {
          value = nonsensitive(var.s)
        }
        output "d" {
          value = var.s
          sensitive = true
        }
        output "e" {
          value = local.l[0] == 1
        }
        output "f" {
          ephemeral = true
          value = 1
        }
    "#};
    assert_eq!(
        places(reported(&[("", text)])),
        [
            ":10 output.b: Output refers to sensitive values",
            ":20 output.e: Output refers to sensitive values",
            ":23 output.f: Ephemeral output not allowed",
            ":7 output.a: Output refers to sensitive values",
        ]
    );
    let root = "module \"m\" {\n  source = \"./m\"\n}\n";
    let child = (
        "m",
        indoc! {r#"
            variable "s" {
              default = 1
              sensitive = true
            }
            output "a" {
              value = var.s
            }
        "#},
    );
    assert_eq!(reported(&[("", root), child]), Vec::<String>::new());
}

#[test]
fn imports_name_instances_that_can_be() {
    let text = indoc! {r#"
        resource "x_y" "a" {
          count = 2
        }
        import {
          to = x_y.a
          id = "1"
        }
        import {
          to = x_y.a[0]
          id = "1"
        }
        import {
          to = x_y.new
          id = "1"
        }
        import {
          to = module.n.x_y.a
          id = "1"
        }
    "#};
    assert_eq!(
        places(reported(&[("", text)])),
        [
            ":17 import.module.n.x_y.a: Configuration for import target does not exist",
            ":5 import.x_y.a: Invalid import 'to' expression",
        ]
    );
}

#[test]
fn resources_of_the_engine_are_known() {
    let text = indoc! {r#"
        resource "terraform_data" "a" {
          inptu = 1
        }
        resource "terraform_dat" "b" {}
        data "terraform_remote_state" "c" {}
    "#};
    assert_eq!(
        reported(&[("", text)]),
        [
            ":2 terraform_data.a: Unsupported argument (did you mean `input`?)",
            ":4 terraform_dat.b: Invalid resource type",
            ":5 data.terraform_remote_state.c: Missing required argument (set `backend`)",
        ]
    );
}

#[test]
fn the_required_version_decides_whether_operands_are_ignored() {
    let root = |version: &str| {
        format!(
            "terraform {{\n  required_version = \"{version}\"\n}}\nmodule \"m\" {{\n  source = \"./m\"\n  x = null\n}}\n"
        )
    };
    let module = |version: &str| {
        format!(
            "terraform {{\n  required_version = \"{version}\"\n}}\n{}",
            indoc! {r#"
                variable "x" {
                  type    = string
                  default = "abcd"
                  validation {
                    condition     = var.x == null || length(var.x) > 3
                    error_message = "Too short."
                  }
                }
            "#}
        )
    };
    let reported = |version: &str| {
        reported_by("terraform", &[("", &root(version)), ("m", &module(version))])
            .into_iter()
            .filter(|finding| finding.contains("Invalid function argument"))
            .count()
    };
    assert_eq!(reported("~> 1.11.0"), 1);
    assert_eq!(reported(">= 1.11.0"), 0);
}

#[test]
fn sensitive_messages_of_every_condition_are_reported_for_a_plan() {
    let text = indoc! {r#"
        variable "s" {
          sensitive = true
          default   = "x"
        }
        output "o" {
          value = 1
          precondition {
            condition     = var.s != "y"
            error_message = "o ${var.s}"
          }
        }
        check "c" {
          assert {
            condition     = var.s != "y"
            error_message = "c ${var.s}"
          }
        }
    "#};
    let reported = reported(&[("", text)]);
    let of_messages = reported.iter().filter(|finding| finding.contains("refers to sensitive values"));
    assert_eq!(of_messages.count(), 2, "{reported:?}");
}

#[test]
fn moves_in_a_circle_are_reported_unless_there_is_another_error() {
    let moves = |ends: &[(&str, &str)]| {
        let block = |(from, to): &(&str, &str)| {
            format!("moved {{\n  from = terraform_data.{from}\n  to   = terraform_data.{to}\n}}\n")
        };
        let text: String = ends.iter().map(block).collect();
        reported(&[("", &text)]).into_iter().map(|finding| finding.contains("Cyclic")).collect::<Vec<_>>()
    };
    assert_eq!(moves(&[("a", "b"), ("b", "c"), ("c", "a")]), [true]);
    assert_eq!(moves(&[("a", "b"), ("b", "c"), ("d", "a")]), [false; 0]);
    assert_eq!(moves(&[("a", "b"), ("b", "a"), ("a", "c")]), [false]);
}
