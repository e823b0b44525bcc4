//! Tests of small module trees in memory: directory, line, summary and help of each finding.

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
        .flat_map(|id| validation.of_module(*id, &sources).findings)
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
fn what_is_declared_is_no_finding() {
    let text = "variable \"a\" {}\nlocals {\n  b = var.a\n}\nresource \"x_y\" \"c\" {\n  d = [for v in local.b : v.e]\n}\n\
                output \"f\" {\n  value = x_y.c.d[0].e + length(x_y.c.d)\n}\n";
    assert_eq!(reported(&[("", text)]), Vec::<String>::new());
}

#[test]
fn a_similar_name_is_suggested() {
    let text = "variable \"region\" {}\nlocals {\n  a = var.regoin\n  b = local.c\n}\n";
    assert_eq!(
        reported(&[("", text)]),
        [
            ":3 local.a: Reference to undeclared input variable (did you mean `var.region`?)",
            ":4 local.b: Reference to undeclared local value (declare `c` in a `locals` block)",
        ]
    );
}

#[test]
fn a_data_source_may_have_been_meant() {
    let text = "data \"x_y\" \"a\" {}\nlocals {\n  b = x_y.a.id\n}\n";
    assert_eq!(
        reported(&[("", text)]),
        [":3 local.b: Reference to undeclared resource (did you mean `data.x_y.a`?)"]
    );
}

#[test]
fn symbols_mean_something_in_their_places_only() {
    let text = "resource \"x_y\" \"a\" {\n  count = 2\n  b = count.index\n  c = each.value\n  d = self.b\n  \
                provisioner \"local-exec\" {\n    command = self.b\n  }\n}\nlocals {\n  e = path.modul\n}\n";
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
fn the_content_of_a_dynamic_block_counts_where_there_is_some() {
    let text = "resource \"x_y\" \"a\" {\n  dynamic \"b\" {\n    for_each = var.c\n    content {\n      d = var.e\n    }\n  }\n  \
                dynamic \"f\" {\n    for_each = [1]\n    content {\n      d = var.g + f.value\n    }\n  }\n}\n";
    assert_eq!(
        reported(&[("", text)]),
        [
            ":11 x_y.a: Reference to undeclared input variable (declare it: `variable \"g\" {}`)",
            ":3 x_y.a: Reference to undeclared input variable (declare it: `variable \"c\" {}`)",
        ]
    );
}

#[test]
fn a_missing_instance_key_is_reported_before_attributes() {
    let text = "resource \"x_y\" \"a\" {\n  count = 1\n}\nresource \"x_y\" \"b\" {}\nlocals {\n  c = x_y.a.id\n  d = x_y.a[0].id\n  \
                e = x_y.a[*].id\n  f = length(x_y.a)\n  g = x_y.b[0]\n}\n";
    assert_eq!(
        reported(&[("", text)]),
        [
            ":10 local.g: Unexpected resource instance key (remove the key in brackets)",
            ":6 local.c: Missing resource instance key (name an instance: `x_y.a[0]`, or all: `x_y.a[*]`)",
        ]
    );
}

const NET: (&str, &str) =
    ("net", "variable \"cidr\" {}\nvariable \"name\" {\n  default = 1\n}\noutput \"id\" {\n  value = 1\n}\n");

#[test]
fn arguments_of_a_call_are_variables_of_the_module() {
    let text = "module \"a\" {\n  source = \"./net\"\n  nam = var.b\n}\n";
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
    let text = "module \"a\" {\n  source = \"./net\"\n  nam = var.b\n}\n";
    let over = ("+override", "module \"a\" {\n  cidr = 1\n}\n");
    assert_eq!(reported(&[("", text), over, NET]), [":1 module.a: Missing required argument (set `cidr`)"]);
}

#[test]
fn outputs_of_a_call_are_outputs_of_the_module() {
    let text = "module \"a\" {\n  source = \"./net\"\n  cidr = 1\n}\nmodule \"b\" {\n  source = \"./net\"\n  cidr = 1\n  count = 2\n}\n\
                module \"c\" {\n  source = \"./net\"\n  cidr = 1\n  for_each = {}\n}\nlocals {\n  d = module.a.ids\n  e = module.b.id\n  \
                f = module.b[0].idd\n  g = module.c[\"x\"].jd\n  h = module.b[*].kd\n  i = module.c[path.module].ld\n  \
                j = [module.a.id, module.b[0].id, module.b[*].id, module.c.x.id, module.c[\"x\"].id]\n  \
                k = try(module.a.nd, local.d ? module.a.nd : 1)\n  l = [for m in module.b : m.nd]\n}\n";
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
        ]
    );
}

fn places(reported: Vec<String>) -> Vec<String> {
    reported.into_iter().map(|line| line.split(" (").next().unwrap_or("").to_owned()).collect()
}

#[test]
fn expressions_are_evaluated_as_far_as_they_are_known() {
    let text = "variable \"a\" {\n  type = object({ b = string })\n}\nlocals {\n  c = var.a.d\n  e = upper(var.a.b, 1)\n  f = nope(1)\n  \
                g = { h = [1] }\n  i = local.g.j\n  k = local.g.h[1]\n  l = try(var.a.d, local.g.j, 1)\n  m = local.f + local.g\n  \
                n = [for v in local.g.h : v.o]\n  p = x_y.z.q.r\n}\nresource \"x_y\" \"z\" {\n  s = terraform.workspace + 1\n}\n";
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
        "variable \"s\" {\n  type = string\n}\nvariable \"o\" {\n  type = object({ a = number, b = optional(string) })\n}\n\
                 variable \"n\" {\n  nullable = false\n}\n",
    );
    let text = "module \"a\" {\n  source = \"./m\"\n  s = []\n  o = { a = \"x\" }\n  n = null\n}\nmodule \"b\" {\n  source = \"./m\"\n  \
                s = 1\n  o = { a = \"1\", c = 1 }\n  n = local.x\n}\nlocals {\n  x = 1\n}\n";
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
        "variable \"a\" {\n  validation {\n    condition = contains([\"x\", \"y\"], var.a)\n    error_message = \"no\"\n  }\n}\n",
    );
    let text = "module \"b\" {\n  source = \"./m\"\n  a = \"z\"\n}\nmodule \"c\" {\n  source = \"./m\"\n  a = \"x\"\n}\nmodule \"d\" {\n  source = \"./m\"\n  a = terraform.workspace\n}\n";
    assert_eq!(places(reported(&[("", text), child])), [":3 module.b: Invalid value for variable"]);
}

#[test]
fn an_output_of_a_root_shows_nothing_sensitive() {
    let text = "variable \"s\" {\n  sensitive = true\n}\nlocals {\n  l = [var.s]\n}\noutput \"a\" {\n  value = \"x${var.s}\"\n}\noutput \"b\" {\n  value = local.l\n}\n\
                output \"c\" {\n  value = nonsensitive(var.s)\n}\noutput \"d\" {\n  value = var.s\n  sensitive = true\n}\noutput \"e\" {\n  value = local.l[0] == 1\n}\n\
                output \"f\" {\n  ephemeral = true\n  value = 1\n}\n";
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
    let child =
        ("m", "variable \"s\" {\n  default = 1\n  sensitive = true\n}\noutput \"a\" {\n  value = var.s\n}\n");
    assert_eq!(reported(&[("", root), child]), Vec::<String>::new());
}

#[test]
fn imports_name_instances_that_can_be() {
    let text = "resource \"x_y\" \"a\" {\n  count = 2\n}\nimport {\n  to = x_y.a\n  id = \"1\"\n}\nimport {\n  to = x_y.a[0]\n  id = \"1\"\n}\nimport {\n  to = x_y.new\n  id = \"1\"\n}\n\
                import {\n  to = module.n.x_y.a\n  id = \"1\"\n}\n";
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
    let text = "resource \"terraform_data\" \"a\" {\n  inptu = 1\n}\nresource \"terraform_dat\" \"b\" {}\ndata \"terraform_remote_state\" \"c\" {}\n";
    assert_eq!(
        reported(&[("", text)]),
        [
            ":2 terraform_data.a: Unsupported argument (did you mean `input`?)",
            ":4 terraform_dat.b: Invalid resource type",
            ":5 data.terraform_remote_state.c: Missing required argument (set `backend`)",
        ]
    );
}
