#!/usr/bin/env python3
"""Measures whole processes side by side on a directory, and prints a table in Markdown.

Each round runs every command once, so that background load affects all of them. The table shows the minimum and median
wall-clock and processor time, the peak memory, and the ratio of the minimum to that of the first command, with its range
over the rounds.

The environment variables OVERRULE and TERRAFORM name the programs. Default: a new release build, and `terraform`.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("directory", type=pathlib.Path, metavar="DIRECTORY", help="directory to check")
    arguments.add_argument("--rounds", type=int, default=7, metavar="N", help="number of rounds [default: 7]")
    arguments.add_argument(
        "--validate",
        type=int,
        default=0,
        metavar="N",
        help="also run `terraform validate` once in each of N root modules, with a generated manifest of their modules "
        "[default: 0]",
    )
    arguments.add_argument(
        "--checkov", action="store_true", help="also run `checkov --framework terraform` (from PyPI) once [default: off]"
    )
    arguments.add_argument(
        "--parser",
        action="store_true",
        help="also read and parse the same files with hcl-edit only (`cargo bench --bench parser`) [default: off]",
    )
    given = arguments.parse_args()
    overrule = os.environ.get("OVERRULE") or build("overrule", "build", "--release")
    terraform = os.environ.get("TERRAFORM", "terraform")

    commands = {
        "overrule check": [overrule, "check", "--quiet", "."],
        "overrule check --threads 1": [overrule, "check", "--quiet", "--threads", "1", "."],
        "terraform fmt -check -recursive": [terraform, "fmt", "-check", "-recursive", "-list=false"],
    }
    if given.parser:
        commands["reading and parsing only, one thread"] = [build("parser", "bench", "--no-run", "--bench", "parser"), "."]
    if run(commands["overrule check"], given.directory).code > 1:
        sys.exit("whole.py: overrule could not check the directory")
    figures = {name: [] for name in commands}
    for _ in range(given.rounds):
        for name, command in commands.items():
            figures[name].append(run(command, given.directory))
    if given.checkov:
        command = ["checkov", "--framework", "terraform", "--quiet", "--compact", "--directory", "."]
        figures["checkov --framework terraform"] = [run(command, given.directory)]
    if given.validate:
        figures["terraform validate, per root module"] = validate(overrule, terraform, given.directory, given.validate)

    print("| command | wall-clock time: minimum (median) | processor time: minimum (median) | peak memory | wall-clock ratio (range) | processor ratio (range) |")
    print("|---|---|---|---|---|---|")
    first = next(iter(figures.values()))
    for name, runs in figures.items():
        print("|", " | ".join([f"`{name}`", *cells(runs, first)]), "|")


class Run:
    """The exit code, times and peak memory of one process."""

    def __init__(self, code, wall, processor, memory):
        self.code, self.wall, self.processor, self.memory = code, wall, processor, memory


def run(command, directory, environment=None):
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=directory,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(process.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def cells(runs, first):
    figures = []
    for value in (lambda run: run.wall, lambda run: run.processor):
        values = [value(run) for run in runs]
        figures.append(f"{min(values):.2f} s ({statistics.median(values):.2f} s)")
    figures.append(f"{max(run.memory for run in runs) / 1e6:.0f} MB")
    for value in (lambda run: run.wall, lambda run: run.processor):
        ratios = [value(run) / value(other) for run, other in zip(runs, first)]
        minimum = min(map(value, runs)) / min(map(value, first))
        figures.append(f"{minimum:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    return figures


def build(name, *words):
    """Builds a program with cargo, and returns its path."""
    command = ["cargo", *words, "--locked", "--message-format", "json", "--manifest-path", HERE / "Cargo.toml"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    messages = [json.loads(line) for line in output.splitlines()]
    return next(it["executable"] for it in messages if it.get("executable") and it["target"]["name"] == name)


def validate(overrule, terraform, directory, wanted):
    """Runs `terraform validate` with all modules but without providers: it ends where it would need a provider."""
    output = subprocess.run(
        [overrule, "modules", "--format", "json", "."], cwd=directory, check=True, stdout=subprocess.PIPE
    ).stdout
    tree = json.loads(output)
    modules = {module["module"]: module["calls"] for module in tree["modules"]}
    roots = sorted({root["module"] for root in tree["roots"]})
    runs = []
    for root in roots[:: max(1, len(roots) // wanted)][:wanted]:
        with tempfile.TemporaryDirectory() as data:
            manifest = pathlib.Path(data, "modules", "modules.json")
            manifest.parent.mkdir()
            manifest.write_text(json.dumps({"Modules": list(instances(modules, root, data))}))
            runs.append(run([terraform, "validate", "-json"], directory / root, {"TF_DATA_DIR": data}))
    return runs


def instances(modules, root, data):
    """Yields the manifest entries of all calls below a root module. Modules of other repositories are an empty directory."""
    to_do = [("", root, "")]
    while to_do:
        key, directory, source = to_do.pop()
        is_here = directory in modules
        place = os.path.relpath(directory or ".", root or ".") if is_here else data
        yield {"Key": key, "Source": source, "Dir": place}
        for call in modules[directory] if is_here else []:
            # The version follows the address.
            named = call.get("source", "").split(" ")[0]
            if re.fullmatch(r"[\w-]+/[\w-]+/[\w-]+(//.*)?", named):
                named = "registry.terraform.io/" + named
            to_do.append((".".join(filter(None, [key, call["name"]])), call.get("module"), named))


if __name__ == "__main__":
    main()
