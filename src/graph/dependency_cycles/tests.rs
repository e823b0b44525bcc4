//! Modules with dependency cycles, and modules that only seem to have one.

use crate::graph::tests::reported;

#[test]
fn locals_and_resources_that_need_each_other_are_a_cycle() {
    let text = "locals {\n  a = local.b\n  b = x_y.c.id\n  d = local.a\n  e = local.e\n}\nresource \"x_y\" \"c\" {\n  \
                depends_on = [x_y.f]\n}\nresource \"x_y\" \"f\" {\n  g = local.a\n  h = x_y.f.id\n}\n";
    let lines: Vec<String> = reported(&[("", text)])
        .into_iter()
        .map(|line| line.split(" (remove").next().unwrap_or("").to_owned())
        .collect();
    assert_eq!(
        lines,
        [
            ":0 : Cycle: local.a (expand), local.b (expand), x_y.c, x_y.f",
            ":5 local.e: Self-referencing local value",
        ]
    );
}

#[test]
fn a_cycle_may_lead_through_a_module_that_is_called() {
    let child = (
        "m",
        "variable \"x\" {}\nvariable \"z\" {}\nlocals {\n  l = var.x\n}\noutput \"y\" {\n  value = local.l\n}\noutput \"w\" {\n  value = var.z\n}\n",
    );
    let fine = "module \"a\" {\n  source = \"./m\"\n  x = 1\n  z = module.a.y\n}\n";
    assert_eq!(reported(&[("", fine), child]), Vec::<String>::new());
    let round = "module \"a\" {\n  source = \"./m\"\n  x = module.b.y\n  z = 1\n}\nmodule \"b\" {\n  source = \"./m\"\n  x = module.a.y\n  z = 1\n}\n";
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
    let child = ("m", "variable \"x\" {}\nvariable \"z\" {}\noutput \"y\" {\n  value = var.x\n}\n");
    let text = "module \"a\" {\n  source = \"./m\"\n  count = 1\n  x = 1\n  z = module.a[0].y\n}\nmodule \"b\" {\n  source = \"./m\"\n  for_each = {}\n  \
                x = 1\n  z = module.b[each.key].y\n}\nmodule \"c\" {\n  source = \"./m\"\n  x = 1\n  z = 1\n  depends_on = [module.c]\n}\n";
    let reported = reported(&[("", text), child]);
    assert_eq!(reported.len(), 2, "{reported:?}");
    assert!(reported[0].contains("module.b"), "{reported:?}");
    assert!(reported[1].contains("Cycle: module.c (expand), "), "{reported:?}");
}

#[test]
fn of_modules_from_elsewhere_no_cycle_is_guessed() {
    let text = "module \"a\" {\n  source = \"x/y/z\"\n  x = module.b.y\n}\nmodule \"b\" {\n  source = \"x/y/z\"\n  x = module.a.y\n}\n";
    assert_eq!(reported(&[("", text)]), Vec::<String>::new());
}

#[test]
fn a_provider_and_what_it_makes_may_need_each_other() {
    let text = "provider \"x\" {\n  a = x_y.b.id\n}\nresource \"x_y\" \"b\" {}\nprovider \"z\" {\n  a = x_y.b.id\n}\nresource \"z_y\" \"b\" {}\n";
    let reported = reported(&[("", text)]);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("Cycle: x_y.b, provider.x"), "{reported:?}");
    let around = "provider \"x\" {\n  alias = \"w\"\n  a = local.l\n}\nlocals {\n  l = x_y.b.id\n}\nresource \"x_y\" \"b\" {\n  provider = x.w\n}\n";
    assert_eq!(self::reported(&[("", around)]).len(), 1);
    let with_another = around.replace("x.w", "x.v") + "provider \"x\" {\n  alias = \"v\"\n}\n";
    assert_eq!(self::reported(&[("", &with_another)]), Vec::<String>::new());
    let child = ("m", "resource \"x_y\" \"b\" {}\noutput \"o\" {\n  value = x_y.b.id\n}\n");
    let root = "provider \"x\" {\n  a = module.m.o\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n";
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
