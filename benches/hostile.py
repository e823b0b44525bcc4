#!/usr/bin/env python3
"""Measures the cost of hostile input, and prints a table in Markdown.

Writes each case to a temporary directory, checks it (or runs another command, for which the case is a repository with
a staged change), and prints the exit code, the most frequent findings, the
wall-clock time, the processor time and the peak memory.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DEEP = 20_000

AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@example.com"]


def call(name, source, rest=""):
    return f'module "{name}" {{\n  source = "{source}"\n{rest}}}\n'


def lines(number, line):
    return "".join(line(n) for n in range(number))


def locals_of(text):
    return "locals {\n" + text + "}\n"


def nested(start, middle, end, before="locals {\n  a = ", after="\n}\n"):
    return {"main.tf": before + start * DEEP + middle + end * DEEP + after}


def chain(number, cycle=False, rest=lambda n: ""):
    last = 0 if cycle else number
    following = lambda n: n + 1 if n + 1 < number else last
    return {f"m{n}/main.tf": call("a", f"../m{following(n)}") + rest(n) for n in range(number)}


def two_ways(number):
    files = {f"m{n}/main.tf": call("a", f"../m{n + 1}") + call("b", f"../m{n + 1}") for n in range(number)}
    return files | {f"m{number}/main.tf": 'output "a" {\n  value = var.b\n}\n'}


def versions(n):
    return 'terraform {\n  required_providers {\n    a = {\n      source  = "b/a"\n      version = "!= 1.0.%d"\n    }\n  }\n}\n' % n


def long():
    return "x" * (8 << 20)


def conditionals(levels):
    each = lambda n: f"a{n + 1} = var.v ? [local.a{n}, local.a{n}] : [local.a{n}, local.a{n}]\n"
    return {"main.tf": 'variable "v" {\n  type = bool\n}\n' + locals_of("a0 = [1]\n" + lines(levels, each))}


def doubled_objects(levels):
    return {"main.tf": locals_of("b0 = 1\n" + lines(levels, lambda n: f"b{n + 1} = {{ x = local.b{n}, y = local.b{n} }}\n"))}


def overrides(number, body="  input = 1\n"):
    block = 'resource "terraform_data" "a" {\n%s}\n'
    return {"main.tf": block % "", "a_override.tf": block % body * number}


def patterns(number):
    return {"main.tf": locals_of(lines(number, lambda n: f'r{n} = regexall("(\\\\w{{1,30}}){{1,30}}N{n}", "aN")\n'))}


def moved(number):
    block = lambda n: f"moved {{\n  from = terraform_data.a{n}\n  to   = terraform_data.a{n + 1}\n}}\n"
    return {"main.tf": 'resource "terraform_data" "a%d" {\n}\n' % number + lines(number, block)}


def mistyped(number):
    variables = lines(number, lambda n: f'variable "some_variable_{n}" {{\n  default = 1\n}}\n')
    return {"m/main.tf": variables, "main.tf": call("m", "./m", lines(number, lambda n: f"  some_varable_{n} = 1\n"))}


def required(number):
    variables = lines(number, lambda n: f'variable "v{n}" {{}}\n')
    return {"m/main.tf": variables, "main.tf": lines(number, lambda n: call(f"m{n}", "./m"))}


def aliases(number):
    names = ", ".join(f"a.x{n}" for n in range(number))
    providers = 'terraform {\n  required_providers {\n    a = {\n      source = "b/a"\n      configuration_aliases = [%s]\n    }\n  }\n}\n'
    return {"m/main.tf": providers % names, "main.tf": lines(number, lambda n: call(f"m{n}", "./m"))}


def misspelled(number):
    variables = lines(number, lambda n: f'variable "some_variable_{n}" {{\n  default = 1\n}}\n')
    return {"m/main.tf": variables, "main.tf": lines(number, lambda n: call(f"m{n}", "./m", f"  some_varable_{n} = 1\n"))}


def required_providers(number):
    entries = lines(number, lambda n: f'    p{n} = {{\n      source = "a/q{n}"\n    }}\n')
    resources = lines(number, lambda n: f'resource "q{n}_b" "c" {{\n}}\n')
    return {"main.tf": "terraform {\n  required_providers {\n" + entries + "  }\n}\n" + resources}


def runs(number):
    variables = lines(number, lambda n: f'variable "v{n}" {{}}\n')
    return {"main.tf": variables} | {f"t{n}.tftest.hcl": 'run "r" {\n}\n' for n in range(number)}


def plan_runs(number):
    return lines(number, lambda n: f'run "r{n}" {{\n  command = plan\n  variables {{\n    n = {n + 5_000}\n  }}\n}}\n')


def precondition(n):
    return f'  precondition {{\n    condition     = var.n != {n}\n    error_message = "m"\n  }}\n'


def conditions_in_runs(number, number_of_runs):
    resource = lambda n: f'resource "terraform_data" "r{n}" {{\n  input = var.n\n  lifecycle {{\n{precondition(n)}  }}\n}}\n'
    return {"main.tf": 'variable "n" {}\n' + lines(number, resource), "t.tftest.hcl": plan_runs(number_of_runs)}


def conditions_in_calls(number):
    outputs = lines(number, lambda n: f'output "o{n}" {{\n  value = var.n\n{precondition(n)}}}\n')
    calls = lines(number, lambda n: call(f"m{n}", "./m", "  n = var.n\n"))
    variable = 'variable "n" {}\n'
    return {"main.tf": variable + calls, "m/main.tf": variable + outputs, "t.tftest.hcl": plan_runs(3)}


def expanded(number):
    table = "  l = [for a in range(300) : [for b in range(300) : a * b]]\n"
    collection = '[for a in local.l : [for b in a : [b, "x${b}"]]]'
    block = lambda n: f'  dynamic "r{n}" {{\n    for_each = {collection}\n    content {{\n      a = r{n}.value\n    }}\n  }}\n'
    return {"main.tf": locals_of(table) + 'resource "foo_thing" "x" {\n' + lines(number, block) + "}\n"}


def overridden(number):
    call = lambda n: f'module "m{n}" {{\n  source = "./m"\n}}\n'
    override = lambda n, value: f"override_module {{\n  target  = module.m{n}\n  outputs = {{ a = {value} }}\n}}\n"
    run = lambda n: f'run "r{n}" {{\n{override(0, 3)}  assert {{\n    condition     = module.m{n}.a != 5\n    error_message = "x"\n  }}\n}}\n'
    tests = lines(number, lambda n: override(n, 2)) + lines(number, run)
    return {"main.tf": lines(number, call), "m/main.tf": 'output "a" {\n  value = 1\n}\n', "a.tftest.hcl": tests}


def repeated(number):
    calls = ["jsonencode(local.b)", "distinct(local.b)", "reverse(local.b)", "sort(local.s)", 'join(",", local.s)', "concat(local.b, local.b)", "toset(local.s)", "zipmap(local.s, local.b)"]
    each = lambda n: f"  a{n} = [for i in range(1000) : [i, {', '.join(f'length({call})' for call in calls)}]]\n"
    return {"main.tf": locals_of('  b = range(900)\n  s = [for x in local.b : "s${x}"]\n' + lines(number, each))}


def elements(number):
    dynamic = lambda level, inside: f'dynamic "r{level}" {{\n  for_each = local.l\n  content {{\n{inside}  }}\n}}\n'
    arguments = lines(20, lambda n: f"a{n} = r0.value + r1.value + r2.value\n")
    blocks = lines(number, lambda n: dynamic(0, dynamic(1, dynamic(2, arguments))))
    return {"main.tf": locals_of("  l = [for i in range(4) : i]\n") + 'resource "foo_thing" "x" {\n' + blocks + "}\n"}


def levels(number, depth):
    dynamic = lambda level, inside: f"dynamic \"r{level}\" {{\nfor_each = [1, 2]\ncontent {{\na = r{level}.value\n{inside}}}\n}}\n"
    block = ""
    for level in reversed(range(depth)):
        block = dynamic(level, block)
    return {"main.tf": 'resource "foo_thing" "x" {\n' + block * number + "}\n"}


def loops(modules):
    loop = "[for x in range(700) : [for y in range(700) : x * y]]"
    return {f"m{m}/main.tf": locals_of(lines(7, lambda n: f"a{n} = {loop}\n")) for m in range(modules)}


def exceptions(number):
    policy = 'policy {\n  extends = ["strict"]\n}\n'
    block = lambda n: f'# overrule: allow(unused-declaration) a reason\nvariable "v{n}" {{}}\n'
    return {"overrule.hcl": policy, "main.tf": lines(number, block)}


def strict(files):
    return {"overrule.hcl": 'policy {\n  extends = ["strict"]\n}\n'} | files


def naming(rules, variables):
    rule = 'rule "naming" "n%d" {\n  blocks  = ["variable"]\n  pattern = "([a-z]{1,30}_?){1,30}%d"\n}\n'
    return {"overrule.hcl": lines(rules, lambda n: rule % (n, n)), "main.tf": lines(variables, lambda n: f'variable "some_name_{n}" {{}}\n')}


def paths(number):
    block = 'paths "m%d" {\n  rule "variable-type-missing" {\n    level = "error"\n  }\n}\nrole "shared" {\n  paths = ["m%d"]\n}\n'
    policy = 'policy {\n  extends = ["strict"]\n}\n' + lines(number, lambda n: block % (n, n))
    return {"overrule.hcl": policy} | {f"m{n}/main.tf": 'variable "x" {}\n' for n in range(number)}


def forbidden(rules, resources):
    rule = 'rule "forbidden-value" "f%d" {\n  blocks   = ["resource"]\n  argument = "a.b"\n  values   = ["*a*a*a*a*a*b%d"]\n}\n'
    block = 'resource "a_b" "r%d" {\n  a {\n    b = "' + "a" * 100 + '"\n  }\n}\n'
    return {"overrule.hcl": lines(rules, lambda n: rule % (n, n)), "main.tf": lines(resources, lambda n: block % n)}


def unused(number):
    return strict({"m/main.tf": lines(number, lambda n: f'variable "v{n}" {{\n  default = 1\n}}\n'), "main.tf": lines(number, lambda n: call(f"m{n}", "./m"))})


def missing_files(number):
    files = {f"d/{n}.txt": "" for n in range(number)}
    return files | {"main.tf": locals_of(lines(number, lambda n: f'a{n} = fileexists("d/x{n}")\n'))}


def searches(number, files):
    searched = {f"d/{n}.txt": "" for n in range(files)}
    return searched | {"main.tf": locals_of(lines(number, lambda n: f'a{n} = fileset("d", "*{n}*")\n'))}


def local_names(number):
    entries = lines(number, lambda n: f'    a{n} = {{\n      source = "b/a"\n    }}\n')
    blocks = lines(number, lambda n: f'provider "a{n}" {{\n  x = 1\n}}\n')
    return {"main.tf": "terraform {\n  required_providers {\n" + entries + "  }\n}\n" + blocks}


def refused_defaults(number):
    variable = 'variable "v%d" {\n  default = 1\n  validation {\n    condition = var.v%d > 2\n    error_message = "x"\n  }\n}\n'
    return {"m/main.tf": lines(number, lambda n: variable % (n, n)), "main.tf": lines(number, lambda n: call(f"m{n}", "./m"))}


def test_providers(number):
    blocks = lines(number, lambda n: f'mock_provider "a" {{\n  alias = "x{n}"\n}}\n')
    runs = lines(number, lambda n: f'run "r{n}" {{\n  providers = {{\n    a = a.x{n}\n  }}\n}}\n')
    return {"main.tf": "", "t.tftest.hcl": blocks + runs}


def aliases_in_tests(number):
    blocks = lines(number, lambda n: f'provider "a" {{\n  alias = "x{n}"\n}}\n')
    uses = lines(number, lambda n: f'resource "a_b" "c{n}" {{\n  provider = a.x{n}\n}}\n')
    runs = lines(number, lambda n: f'run "r{n}" {{\n  providers = {{\n    a.y = a.y\n  }}\n}}\n')
    return {"main.tf": blocks + uses, "t.tftest.hcl": 'mock_provider "a" {\n  alias = "y"\n}\n' + runs}


def dropped_entries(number):
    entries = lambda last: "  providers = {\n" + lines(last, lambda n: f"    a.y{n} = a.z{n}\n") + "  }\n"
    override = 'module "m" {\n' + entries(1) + "}\n"
    return strict({"m/main.tf": "", "main.tf": call("m", "./m", entries(number)), "a_override.tf": override})


def union(sets):
    return {"main.tf": locals_of("a = setunion(" + ", ".join(f'["{n}"]' for n in range(sets)) + ")\n")}


def ring(number):
    links = {f"m{n}/next": pathlib.Path(f"../m{(n + 1) % number}") for n in range(number)}
    return links | {f"m{n}/main.tf": call("a", "./next/next/next") for n in range(number)}


def excepted(number):
    block = 'exception "variable-type-missing" {\n  paths  = ["m%d/**"]\n  reason = "a reason"\n}\n'
    policy = {"overrule.hcl": 'policy {\n  extends = ["strict"]\n}\n' + lines(number, lambda n: block % n)}
    return policy | {f"m{n}/main.tf": 'variable "x" {}\n' for n in range(number)}


def stored(number):
    state = 'terraform {\n  backend "s3" {\n    bucket = "b"\n    key    = "k%d"\n  }\n}\n'
    return {f"m{n}/main.tf": state % n for n in range(number)}


def read_states(number):
    data = 'data "terraform_remote_state" "s%d" {\n  backend = "s3"\n  config = {\n    bucket = "b"\n    key    = "k%d"\n  }\n}\n'
    output = 'output "x%d" {\n  value = data.terraform_remote_state.s%d.outputs.a\n}\n'
    return stored(number) | {"main.tf": lines(number, lambda n: data % (n, n) + output % (n, n))}


def edited(files, edit):
    """A staged change, which alters each file, and the command that it is for."""
    return ["affected", "--changed"], files, {path: edit(text) for path, text in files.items()}


def passed_on(number):
    arguments = lines(60, lambda n: f"  x{n} = var.x{n}\n")
    variables = lines(60, lambda n: f'variable "x{n}" {{}}\n')
    files = {f"m{n}/main.tf": variables + call("a", f"../m{n + 1}", arguments) for n in range(number)}
    roots = {f"r{n}/main.tf": call("a", "../m0", lines(60, lambda x: f"  x{x} = {n}\n")) for n in range(number)}
    return edited(files | roots | {f"m{number}/main.tf": variables}, lambda text: text + 'output "a" {\n  value = 1\n}\n')


def altered_arguments(number):
    main = locals_of(lines(900, lambda n: f"a{n} = 0\n")) + call("m", "./m", lines(number, lambda n: f"  v{n} = local.a{n % 900}\n"))
    variables = lines(number, lambda n: f'variable "v{n}" {{\n}}\n')
    return edited({"m/main.tf": variables, "main.tf": main}, lambda text: text.replace(" = 0\n", " = 9\n"))


def overridden_arguments(number):
    variables = lines(number, lambda n: f'variable "v{n}" {{\n}}\n')
    main = locals_of(lines(900, lambda n: f"a{n} = 0\n")) + call("m", "./m", lines(number, lambda n: f"  v{n} = 1\n"))
    over = 'module "m" {\n' + lines(number, lambda n: f"  v{n} = local.a{n % 900}\n") + "}\n"
    files = {"m/main.tf": variables, "main.tf": main, "main_override.tf": over}
    return edited(files, lambda text: text.replace(" = 0\n", " = 9\n"))


def override_files(number):
    variables = lines(number, lambda n: f'variable "v{n}" {{\n}}\n')
    files = {"m/main.tf": variables, "main.tf": call("m", "./m", lines(number, lambda n: f"  v{n} = 1\n"))}
    return files | {f"x{n}_override.tf": f'module "m" {{\n  v{n} = 2\n}}\n' for n in range(number)}


def values_files(number):
    variables = lines(number, lambda n: f'variable "v{n}" {{\n}}\n')
    files = {"main.tf": variables} | {f"a{n}.auto.tfvars": f"v{n} = 0\n" for n in range(number)}
    return edited(files, lambda text: text.replace(" = 0\n", " = 9\n"))


def moved_keys(number):
    block = lambda n: f'moved {{\n  from = terraform_data.o["k{n}"]\n  to   = terraform_data.n["k{n}"]\n}}\n'
    keys = lines(number, lambda n: f"    k{n} = 1\n")
    return {"main.tf": f'resource "terraform_data" "n" {{\n  for_each = {{\n{keys}  }}\n}}\n' + lines(number, block)}


def unused_aliases(number):
    aliases = ", ".join(f"a.p{n}" for n in range(number))
    requirement = f'a = {{\n      source = "x/a"\n      configuration_aliases = [{aliases}]\n    }}'
    module = f"terraform {{\n  required_providers {{\n    {requirement}\n  }}\n}}\n"
    return {"m/main.tf": module, "main.tf": call("m", "./m")}


def altered_counts(number):
    block = lambda n: f'resource "terraform_data" "r{n}" {{\n  count = local.a{n % 900} == 0 ? 0 : 0\n}}\n'
    main = locals_of(lines(900, lambda n: f"a{n} = 0\n")) + lines(number, block)
    return edited({"main.tf": main}, lambda text: text.replace(" = 0\n", " = 9\n"))


def fallbacks(number):
    resource = 'resource "terraform_data" "a" {\n}\n'
    outputs = lines(number, lambda n: f'output "o{n}" {{\n  value = "${{terraform_data.a.id}}-{n}-"\n}}\n')
    shown = lines(number, lambda n: f'output "o{n}" {{\n  value = module.m.o{n}\n}}\n')
    unused = lines(20 * number, lambda n: f'resource "terraform_data" "r{n}" {{\n}}\n')
    files = {"m/main.tf": resource + outputs, "main.tf": call("m", "./m") + shown + unused}
    return edited(files, lambda text: text.replace('value = "', 'value = try("').replace('-"\n', '-", "")\n'))


def provisioners(number):
    return 'resource "terraform_data" "a" {\n' + '  provisioner "local-exec" {\n    command = 1\n  }\n' * number + "}\n"


def mocks(number):
    tests = lines(number, lambda n: f'mock_provider "p{n}" {{\n  source = "./m"\n}}\n')
    data = {f"m/x{n}.tfmock.hcl": 'mock_resource "a_b" {\n}\n' for n in range(number)}
    return {"main.tf": "", "a.tftest.hcl": tests} | data


def undeclared_in_runs(number):
    values = "variables {\n" + lines(number, lambda n: f"  a{n} = 1\n") + "}\n"
    return {"main.tf": "", "a.tftest.hcl": values + lines(number, lambda n: f'run "r{n}" {{\n}}\n')}


def over_alone(number, comments=0):
    block = 'resource "terraform_data" "r%d" {\n}\n'
    base = lines(comments, lambda n: f"# x{n}\n") + (lines(number, lambda n: block % n) if comments else "")
    return {"main.tf": base} | {f"x{n}_override.tf": block % n for n in range(number)}


def similar_sources(number):
    return {
        "q/main.tf": "",
        "m/main.tf": lines(number, lambda n: call(f"x{n}", "./q")),
        "main.tf": lines(number, lambda n: call(f"m{n}", "./m")),
    }


def needed(number):
    aliases = ", ".join(f"a.x{n}" for n in range(number))
    entry = f'    a = {{\n      source = "b/a"\n      configuration_aliases = [{aliases}]\n    }}\n'
    resources = lines(number, lambda n: f'resource "a_b" "r{n}" {{\n  provider = a.x{n}\n}}\n')
    module = "terraform {\n  required_providers {\n" + entry + "  }\n}\n" + resources
    return {"m/main.tf": module, "main.tf": call("m", "./m")}


def patterned(values, resources):
    patterns = ", ".join(f'"*a*b*{n}"' for n in range(values))
    rule = f'rule "allowed-value" "f" {{\n  argument = "x"\n  blocks   = ["resource"]\n  values   = [{patterns}]\n}}\n'
    return {"overrule.hcl": rule, "main.tf": lines(resources, lambda n: f'resource "a_b" "r{n}" {{\n  x = "v{n}"\n}}\n')}


def fewer_keys(number):
    keys = "k = toset([" + "".join(f'"{n}",' for n in range(number)) + "])\n"
    resources = lines(number, lambda n: f'resource "terraform_data" "r{n}" {{\n  for_each = local.k\n}}\n')
    _, before, after = edited({"main.tf": resources + locals_of(keys)}, lambda text: text.replace('"1",', ""))
    return ["changes", "--changed"], before, after


def calls_in_a_list(number):
    elements = "".join(f"max({n}, var.x), " for n in range(number))
    text = 'variable "x" {}\n' + locals_of(f"a = [{elements}]\n") + 'output "o" {\n  value = local.a\n}\n'
    return edited({"main.tf": text}, lambda text: text.replace("max(7,", "max(8,"))


def flattened(number):
    long = "e = [for i in range(1000) : [for j in range(10) : j]]\n"
    values = lines(number, lambda n: f"a{n} = length(flatten([local.e, {n}]))\n")
    outputs = lines(number, lambda n: f'output "o{n}" {{\n  value = local.a{n}\n}}\n')
    return edited({"main.tf": locals_of(long + values) + outputs}, lambda text: text.replace("[local.e, ", "[local.e, 1"))


def added_locals(number):
    unused = lines(20 * number, lambda n: f'resource "terraform_data" "r{n}" {{\n}}\n')
    return edited({"main.tf": unused}, lambda text: text + locals_of(lines(number, lambda n: f"a{n} = {n}\n")))


def own_files(number):
    resource = 'resource "terraform_data" "a" {\n  input = file("${path.module}/x.txt")\n}\n'
    files = {f"m{n}/main.tf": resource for n in range(number)} | {f"m{n}/x.txt": "0" for n in range(number)}
    return edited(files, lambda text: text.replace("0", "9"))


def own_values(number):
    resource = 'resource "terraform_data" "a" {\n  input = local.b == [3] ? 1 : 1\n}\n'
    text = locals_of("a = 0\nb = [local.a]\n") + resource + 'output "o" {\n  value = local.b\n}\n'
    return edited({f"m{n}/main.tf": text for n in range(number)}, lambda text: text.replace("= 0\n", "= 9\n"))


def called_by(number, module, rest=lambda n: "", output=lambda n: ""):
    """A module, and root modules that each call it once."""
    roots = {f"d{n}/main.tf": call("m", "../m", rest(n)) + output(n) for n in range(number)}
    return {"m/main.tf": module} | roots


def variables(number, rest=""):
    return lines(number, lambda n: f'variable "v{n}" {{\n  default = {n}\n{rest % n if rest else ""}}}\n')


def validation(condition):
    return f'  validation {{\n    condition     = var.v%d {condition}\n    error_message = "x"\n  }}\n'


def outputs(number):
    return lines(number, lambda n: f'output "o{n}" {{\n  value = {n}\n}}\n')


def of_outputs(reference):
    return lambda n: f'output "a" {{\n  value = {reference % n if "%" in reference else reference}\n}}\n'


def calls_of_variable(number):
    calls = lines(number, lambda n: call(f"c{n}", "../leaf", "  v0 = var.v0\n"))
    return called_by(number, variables(1) + calls, lambda n: f"  v0 = {n + 1}\n") | {"leaf/main.tf": variables(1)}


def links(number):
    return {"m/main.tf": locals_of(lines(150_000, lambda n: f"a{n:06} = {n}\n"))} | {
        f"m{n}/main.tf": pathlib.Path("../m/main.tf") for n in range(number)
    }


CASES = {
    "26 conditionals, each with two references to the previous one": lambda: conditionals(26),
    "40 conditionals, each with two references to the previous one": lambda: conditionals(40),
    "25 objects, each with two references to the previous one": lambda: doubled_objects(25),
    "800 override blocks": lambda: overrides(800),
    "20,000 override blocks": lambda: overrides(20_000),
    "2,000 override blocks with nested blocks": lambda: overrides(2_000, "  provisioner \"local-exec\" {\n    command = 1\n  }\n  lifecycle {\n  }\n"),
    "1,000 regular expressions with nested repetition": lambda: patterns(1_000),
    "names of 60,000 letters": lambda: {"main.tf": lines(10, lambda n: f'variable "{"a" * 60_000}{n}" {{}}\noutput "{n}x" {{\n  value = var.{"a" * 59_999}b{n}\n}}\n')},
    "2,000 misspelled arguments": lambda: mistyped(2_000),
    "20,000 misspelled arguments": lambda: mistyped(20_000),
    "20,000 calls, each with a misspelled argument": lambda: misspelled(20_000),
    "10,000 calls without 10,000 required arguments": lambda: required(10_000),
    "10,000 calls without 10,000 required provider configurations": lambda: aliases(10_000),
    "3,000 test files without 3,000 required variables": lambda: runs(3_000),
    "20,000 required providers and 20,000 resources": lambda: required_providers(20_000),
    "50,000 items with the same key in one line": lambda: {"main.tf": locals_of("a = {" + ", ".join(["k = 1"] * 50_000) + "}\n")},
    "loops in 50 modules": lambda: loops(50),
    "300 symbolic links to a file of 2 MB": lambda: links(300),
    "a file of 40 MB of line breaks": lambda: {"main.tf": "\n" * 40_000_000},
    "a chain of 30,000 `moved` blocks": lambda: moved(30_000),
    "20,000 exceptions in comments": lambda: exceptions(20_000),
    "100,000 calls of one module": lambda: {"net/main.tf": 'variable "a" {}\n', "main.tf": lines(100_000, lambda n: call(f"m{n}", "./net", "  a = 1\n"))},
    "50,000 unused variables": lambda: {"main.tf": lines(50_000, lambda n: f'variable "v{n}" {{}}\n')},
    "20,000 nested parentheses": lambda: nested("(", "1", ")"),
    "20,000 nested tuples": lambda: nested("[", "1", "]"),
    "20,000 nested objects": lambda: nested("{ a = ", "1", " }"),
    "20,000 nested conditionals": lambda: nested("true ? 1 : ", "1", ""),
    "20,000 nested function calls": lambda: nested("f(", "1", ")"),
    "20,000 nested templates": lambda: nested('"${', "1", '}"'),
    "20,000 nested template directives": lambda: nested("%{ if true }", "", "%{ endif }", 'locals {\n  a = "', '"\n}\n'),
    "20,000 nested `for` expressions": lambda: nested("[for x in ", "[]", " : x]"),
    "20,000 minus signs": lambda: nested("-", "1", ""),
    "20,000 attributes in one reference": lambda: nested(".c", "", "", "locals {\n  a = b"),
    "20,000 nested indexes": lambda: nested("[b", "", "]", "locals {\n  a = b"),
    "20,000 nested blocks": lambda: nested("a {\n", "", "}\n", "", ""),
    "20,000 nested `dynamic` blocks": lambda: nested('dynamic "a" {\nfor_each = [1]\ncontent {\n', "", "}\n}\n", 'resource "a" "b" {\n', "}\n"),
    "20,000 nested lists in a type": lambda: nested("list(", "any", ")", 'variable "a" {\n  type = '),
    "20,000 nested objects in a type": lambda: nested("object({ a = ", "any", " })", 'variable "a" {\n  type = '),
    "20,000 nested arrays in JSON": lambda: {"main.tf.json": '{"locals": {"a": ' + "[" * DEEP + "]" * DEEP + "}}"},
    "20,000 nested objects in JSON": lambda: {"main.tf.json": '{"locals": ' + '{"a": ' * DEEP + "1" + "}" * DEEP + "}"},
    "20,000 nested blocks in JSON": lambda: {"main.tf.json": '{"resource": {"a": {"b": ' + '{"c": ' * DEEP + "1" + "}" * DEEP + "}}}"},
    "20,000 nested lists in a type in JSON": lambda: {"main.tf.json": '{"variable": {"a": {"type": "' + "list(" * DEEP + "any" + ")" * DEEP + '"}}}'},
    "100,000 arguments": lambda: {"main.tf": 'resource "a" "b" {\n' + lines(100_000, lambda n: f"  a{n} = {n}\n") + "}\n"},
    "100,000 variables": lambda: {"main.tf": lines(100_000, lambda n: f'variable "v{n}" {{}}\n')},
    "32,000 keys of an object": lambda: {"main.tf": locals_of("a = {\n" + lines(32_000, lambda n: f"  k{n} = {n}\n") + "}\n")},
    "32,000 computed keys": lambda: {"main.tf": locals_of("a = {\n" + lines(32_000, lambda n: f'  ("k{n}") = {n} + 1\n') + "}\n")},
    "100,000 properties in JSON": lambda: {"main.tf.json": json.dumps({"locals": {f"a{n}": n for n in range(100_000)}})},
    "a chain of 50,000 local values": lambda: {"main.tf": locals_of(lines(50_000, lambda n: f"a{n} = local.a{n + 1}\n") + "a50000 = 1\n")},
    "a dependency cycle of 20,000 local values": lambda: {"main.tf": locals_of(lines(20_000, lambda n: f"a{n} = local.a{(n + 1) % 20_000}\n"))},
    "50,000 conditions on a version": lambda: {"main.tf": 'terraform {\n  required_version = "' + ">= 1.0, " * 50_000 + '>= 1.0"\n}\n'},
    "a string of 8 MB": lambda: {"main.tf": locals_of(f'a = "{long()}${{1}}"\n')},
    "a comment of 8 MB": lambda: {"main.tf": f"# {long()}\n/* {long()} */\n"},
    "a name of 8 MB": lambda: {"main.tf": f'variable "{long()}" {{}}\n'},
    "a string of 8 MB in JSON": lambda: {"main.tf.json": json.dumps({"locals": {"a": long()}})},
    "50,000 mistakes in one line": lambda: {"main.tf.json": json.dumps({"output": {f"a b{n}": {} for n in range(50_000)}})},
    "100,000 declarations of one variable": lambda: {"main.tf": 'variable "a" {}\n' * 100_000},
    "numbers with huge exponents": lambda: {"main.tf": locals_of('a = 1e999999999\nb = 1e-999999999\nc = "${1e999999999}" == 1\n')},
    "setproduct of 10^8": lambda: {"main.tf": locals_of('a = setproduct(range(10000), range(10000))\nb = format("%999999999d", 1)\n')},
    "300,000 braces in one line": lambda: {"main.tf": "{" * 300_000},
    "1,000,000 less-than signs in one line": lambda: {"main.tf": "<" * 1_000_000},
    "a union of 20,000 sets": lambda: union(20_000),
    "calls through a ring of 400 links to directories": lambda: ring(400),
    "4,000 exceptions in a policy for 4,000 modules": lambda: excepted(4_000),
    "6,000 states, and the states that a module reads": lambda: read_states(6_000),
    "a list of 6,000 states": lambda: (["modules", "--state"], stored(6_000), {}),
    "a change of 121 modules, each with the 60 variables of the next, and 120 root modules": lambda: passed_on(120),
    "a change of the values of 20,000 arguments": lambda: altered_arguments(20_000),
    "a change of the values of 20,000 arguments in an override file": lambda: overridden_arguments(20_000),
    "10,000 override files of one call": lambda: override_files(10_000),
    "a change of 10,000 variable definitions files": lambda: values_files(10_000),
    "6,000 `moved` blocks with keys": lambda: moved_keys(6_000),
    "6,000 unused aliases in one line": lambda: unused_aliases(6_000),
    "a change of the values in the `count` of 20,000 resources": lambda: altered_counts(20_000),
    "a change of a file of each of 6,000 modules": lambda: own_files(6_000),
    "a change of a local value of each of 6,000 modules": lambda: own_values(6_000),
    "a change that adds a fallback to 900 outputs": lambda: fallbacks(900),
    "a change of one of 3,000 calls in a list": lambda: calls_in_a_list(3_000),
    "a change of the keys of 5,000 resources": lambda: fewer_keys(5_000),
    "2,000 patterns for 2,000 values": lambda: patterned(2_000, 2_000),
    "16,000 missing configurations, and as many resources that need them": lambda: needed(16_000),
    "6,000 wrong sources in a module with 6,000 callers": lambda: similar_sources(6_000),
    "10,000 override files without a base": lambda: over_alone(10_000),
    "5,000 override files beside 50,000 comments": lambda: strict(over_alone(5_000, 50_000)),
    "20,000 provisioners, and as many in an override file": lambda: strict({"main.tf": provisioners(20_000), "a_override.tf": provisioners(20_000)}),
    "1,000 runs of 2,000 resources with preconditions": lambda: conditions_in_runs(2_000, 1_000),
    "three runs of 1,500 calls of a module with 1,500 preconditions": lambda: conditions_in_calls(1_500),
    "2,000 dynamic blocks with a large collection": lambda: expanded(2_000),
    "2,000 overridden modules, and as many runs": lambda: overridden(2_000),
    "200 loops with eight calls that are the same for each element": lambda: repeated(200),
    "400 nested dynamic blocks with 64 elements": lambda: elements(400),
    "50 dynamic blocks with 30 levels": lambda: levels(50, 30),
    "20,000 values of a test file, and as many runs that do not use them": lambda: undeclared_in_runs(20_000),
    "6,000 mock providers with the same 6,000 mock files": lambda: mocks(6_000),
    "a change of 200 local values that each flatten 10,000 elements": lambda: flattened(200),
    "a change that adds 900 local values": lambda: added_locals(900),
    "600 rules for 2,000 variables": lambda: naming(600, 2_000),
    "12,000 variables with three findings each in 8 modules": lambda: strict({f"m{k}/main.tf": lines(12_000, lambda n: f'variable "v{n}" {{}}\n') for k in range(8)}),
    "20 variables with three findings each in 3,000 modules": lambda: strict({f"m{k}/main.tf": lines(20, lambda n: f'variable "v{n}" {{}}\n') for k in range(3_000)}),
    "3,000 paths with settings for 3,000 modules": lambda: paths(3_000),
    "800 rules for 1,500 values": lambda: forbidden(800, 1_500),
    "8,000 calls of a module with 8,000 unused variables": lambda: unused(8_000),
    "18,000 missing files in a directory of 18,000 files": lambda: missing_files(18_000),
    "20,000 searches for files in a directory of 4,900 files": lambda: searches(20_000, 4_900),
    "8,000 local names of a provider, with a block for each": lambda: local_names(8_000),
    "8,000 calls of a module with 8,000 defaults that fail a validation": lambda: refused_defaults(8_000),
    "10,000 mock providers, and a run for each": lambda: test_providers(10_000),
    "8,000 aliases of a module, and as many runs without them": lambda: aliases_in_tests(8_000),
    "an override that drops 30,000 entries of `providers`": lambda: dropped_entries(30_000),
    "38,400 misspelled names of rules": lambda: {"overrule.hcl": lines(38_400, lambda n: f'rule "unsed-declaraton{n}" {{\n}}\n'), "main.tf": ""},
    "a string doubled 40 times": lambda: {"main.tf": locals_of('a0 = "0123456789"\n' + lines(40, lambda n: f'a{n + 1} = "${{local.a{n}}}${{local.a{n}}}"\n'))},
    "2^40 call paths through 41 modules": lambda: two_ways(40),
    "a chain of 3,000 modules": lambda: chain(3_000),
    "a chain of 3,000 modules with one version constraint each": lambda: chain(3_000, rest=versions),
    "a call cycle of 3,000 modules": lambda: chain(3_000, cycle=True),
    "5,000 calls of one module": lambda: {"net/main.tf": 'variable "a" {}\n'} | {f"m{n}/main.tf": call("a", "../net", f"  a = {n}\n") for n in range(5_000)},
    "3,000 root modules that call a module with 3,000 variables": lambda: called_by(3_000, variables(3_000)),
    "3,000 root modules that call one with 3,000 variables, and set one": lambda: called_by(3_000, variables(3_000), lambda n: f"  v{n} = 1\n"),
    "3,000 root modules that call one with 3,000 validations": lambda: called_by(3_000, variables(3_000, validation("< 9999"))),
    "3,000 root modules that call one with 3,000 validations of two variables": lambda: called_by(3_000, variables(3_000, validation("< 9999 && var.v0 == 0"))),
    "3,000 root modules that call one with 3,000 defaults that fail a validation": lambda: called_by(3_000, variables(3_000, validation("< 0"))),
    "3,000 root modules that use one of 3,000 outputs": lambda: called_by(3_000, outputs(3_000), output=of_outputs("module.m.o%d")),
    "3,000 root modules that use all of 3,000 outputs": lambda: called_by(3_000, outputs(3_000), output=of_outputs("module.m")),
    "3,000 root modules whose value a module hands on in 3,000 calls": lambda: calls_of_variable(3_000),
    "a module source of 300 kB": lambda: {"main.tf": call("a", "../" * 100_000 + "x")},
    "pipes, devices, cycles of symbolic links, a file of 1 TB": lambda: None,
}


def special_files(directory):
    """Creates pipes, devices, symbolic links and a huge file."""
    os.mkfifo(directory / "pipe.tf")
    for name, target in {
        "device.tf": "/dev/zero",
        "out": "/etc",
        "a.tf": "a.tf",
        "cycle": ".",
        "linked.tf": "pipe.tf",
    }.items():
        os.symlink(target, directory / name)
    with open(directory / "huge.tf", "wb") as huge:
        huge.truncate(1 << 40)
    (directory / "main.tf").write_text(call("a", "./cycle/cycle/cycle") + call("b", "./out") + call("c", "../../../etc"))


def measure(program, directory):
    started = time.monotonic()
    with tempfile.TemporaryFile(mode="w+") as out:
        policy = [] if os.path.exists(os.path.join(directory, "overrule.hcl")) else ["--isolated"]
        given = pathlib.Path(directory, ".git", "arguments")
        arguments = given.read_text().split() if given.exists() else ["check", *policy]
        command = [program, *arguments, "--format", "json"]
        child = subprocess.Popen(command, cwd=directory, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        found = rules(out) if child.returncode in (0, 1) else "-"
        return child.returncode, found, elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rules(report):
    found = collections.Counter(line.split('"')[3] for line in report if line.startswith('      "rule": '))
    return ", ".join(f"{number:,} {rule}" for rule, number in found.most_common(3)) or "none"


def main():
    # The memory of a process counts for the processes that it starts, so a separate process generates the cases.
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2], pathlib.Path(sys.argv[3]))
        return
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "program",
        nargs="?",
        default="target/release/overrule",
        metavar="PROGRAM",
        help="program to measure [default: %(default)s]",
    )
    arguments.add_argument(
        "word", nargs="?", default="", metavar="WORD", help="run only the cases whose names contain WORD [default: all]"
    )
    given = arguments.parse_args()
    program = os.path.abspath(given.program)
    print("| case | exit code | findings | wall-clock time (s) | processor time (s) | peak memory (MB) |\n|---|---|---|---|---|---|")
    for name in CASES:
        if given.word not in name:
            continue
        with tempfile.TemporaryDirectory() as top:
            subprocess.run([sys.executable, __file__, "--write", name, top], check=True)
            code, found, elapsed, processor, memory = measure(program, top)
            print(f"| {name} | {code} | {found} | {elapsed:.2f} | {processor:.2f} | {memory:.0f} |", flush=True)


def write(name, directory):
    made = CASES[name]()
    if made is None:
        special_files(directory)
        return
    if isinstance(made, tuple):
        arguments, before, now = made
        stage(directory, before)
        subprocess.run(["git", *AUTHOR, "commit", "--quiet", "--message=a"], cwd=directory, check=True)
        stage(directory, now)
        (directory / ".git" / "arguments").write_text(" ".join(arguments))
    else:
        create(directory, made)


def stage(directory, files):
    create(directory, files)
    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)
    subprocess.run(["git", "add", "--all"], cwd=directory, check=True)


def create(directory, files):
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, pathlib.Path):
            (directory / path).symlink_to(text)
        else:
            (directory / path).write_text(text)


if __name__ == "__main__":
    main()
