//! Modules with dependency cycles, and modules that only seem to have one.

use crate::graph::tests::reported;
use indoc::indoc;

#[test]
fn locals_and_resources_that_need_each_other_are_a_cycle() {
    let text = indoc! {r#"
        locals {
          a = local.b
          b = x_y.c.id
          d = local.a
          e = local.e
        }
        resource "x_y" "c" {
          depends_on = [x_y.f]
        }
        resource "x_y" "f" {
          g = local.a
          h = x_y.f.id
        }
    "#};
    let lines: Vec<String> = reported(&[("", text)])
        .into_iter()
        .map(|line| line.split(" (remove").next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            ":0 : Cycle: local.a (expand), local.b (expand), x_y.c, x_y.f",
            ":12 x_y.f: Self-referential block",
            ":5 local.e: Self-referencing local value",
        ]
    );
}

#[test]
fn a_cycle_may_lead_through_a_module_that_is_called() {
    let child = (
        "m",
        indoc! {r#"
            variable "x" {}
            variable "z" {}
            locals {
              l = var.x
            }
            output "y" {
              value = local.l
            }
            output "w" {
              value = var.z
            }
        "#},
    );
    let fine = indoc! {r#"
        module "a" {
          source = "./m"
          x = 1
          z = module.a.y
        }
    "#};
    assert_eq!(reported(&[("", fine), child]), Vec::<String>::new());
    let round = indoc! {r#"
        module "a" {
          source = "./m"
          x = module.b.y
          z = 1
        }
        module "b" {
          source = "./m"
          x = module.a.y
          z = 1
        }
    "#};
    let reported = reported(&[("", round), child]);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0]
            .contains("Cycle: module.a.var.x (expand), module.b.var.x (expand), module.a.output.y (expand)"),
        "{reported:?}"
    );
}

#[test]
fn a_module_as_a_whole_needs_all_that_is_in_it() {
    let child = (
        "m",
        indoc! {r#"
            variable "x" {}
            variable "z" {}
            output "y" {
              value = var.x
            }
        "#},
    );
    let text = indoc! {r#"
        module "a" {
          source = "./m"
          count = 1
          x = 1
          z = module.a[0].y
        }
        module "b" {
          source = "./m"
          for_each = {}
          x = 1
          z = module.b[each.key].y
        }
        module "c" {
          source = "./m"
          x = 1
          z = 1
          depends_on = [module.c]
        }
    "#};
    let reported = reported(&[("", text), child]);
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(reported[0].contains("module.b"), "{reported:?}");
    assert!(reported[1].contains("Cycle: module.c (expand), "), "{reported:?}");
}

#[test]
fn of_modules_from_elsewhere_no_cycle_is_guessed() {
    let text = indoc! {r#"
        module "a" {
          source = "x/y/z"
          x = module.b.y
        }
        module "b" {
          source = "x/y/z"
          x = module.a.y
        }
    "#};
    assert_eq!(reported(&[("", text)]), Vec::<String>::new());
}

#[test]
fn a_provider_and_what_it_makes_may_need_each_other() {
    let text = indoc! {r#"
        provider "x" {
          a = x_y.b.id
        }
        resource "x_y" "b" {}
        provider "z" {
          a = x_y.b.id
        }
        resource "z_y" "b" {}
    "#};
    let reported = reported(&[("", text)]);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("Cycle: x_y.b, provider.x"), "{reported:?}");
    let around = indoc! {r#"
        provider "x" {
          alias = "w"
          a = local.l
        }
        locals {
          l = x_y.b.id
        }
        resource "x_y" "b" {
          provider = x.w
        }
    "#};
    assert_eq!(self::reported(&[("", around)]).len(), 1);
    let with_another = around.replace("x.w", "x.v") + "provider \"x\" {\n  alias = \"v\"\n}\n";
    assert_eq!(self::reported(&[("", &with_another)]), Vec::<String>::new());
    let child = (
        "m",
        indoc! {r#"
            resource "x_y" "b" {}
            output "o" {
              value = x_y.b.id
            }
        "#},
    );
    let root = indoc! {r#"
        provider "x" {
          a = module.m.o
        }
        module "m" {
          source = "./m"
        }
    "#};
    assert_eq!(self::reported(&[("", root), child]).len(), 1);
}

#[test]
fn validations_order_variables_and_destroy_provisioners_order_nothing() {
    let rule = |name: &str, other: &str| {
        format!(
            "variable \"{name}\" {{\n  validation {{\n    condition = var.{name} != var.{other}\n    error_message = \"x\"\n  }}\n}}\n"
        )
    };
    let text = rule("a", "b") + &rule("b", "a");
    assert_eq!(reported(&[("", &text)]).len(), 1);
    assert_eq!(reported(&[("", &rule("a", "a"))]), Vec::<String>::new());
}
