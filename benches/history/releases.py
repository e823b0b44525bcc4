#!/usr/bin/env python3
"""Compares the verdict of `changes` with the versions that module libraries released.

For the last pairs of successive release tags of each repository, compares the strongest impact with the step of the
version: breaking for a major release (below 1.0, a minor one), feature for a minor release, fix for a patch release.
Prints a table of counts, and every pair whose verdict differs, except for verdicts of no change.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import tempfile

EXPECTED = {"major": "breaking", "minor": "feature", "patch": "fix"}
VERDICTS = ("breaking", "feature", "fix", "none")


def git(directory, *arguments):
    return subprocess.run(["git", "-C", directory, *arguments], capture_output=True, text=True, check=True).stdout


def releases(repository):
    """Returns the tags of releases by version, sorted."""
    tags = {}
    for tag in git(repository, "tag").split():
        if match := re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", tag):
            tags[tuple(map(int, match.groups()))] = tag
    return sorted(tags.items())


def step(old, new):
    if new[0] != old[0] or (new[0] == 0 and new[1] != old[1]):
        return "major"
    return "minor" if new[1] != old[1] else "patch"


def is_ancestor(repository, old, new):
    command = ["git", "-C", repository, "merge-base", "--is-ancestor", old, new]
    return subprocess.run(command, check=False).returncode == 0


def compare(overrule, repository, last, counts, differences):
    """Compares the releases of one repository in a clone without a checkout; the index holds the newer release."""
    ordered = releases(repository)[-last - 1 :]
    with tempfile.TemporaryDirectory() as directory:
        tree = os.path.join(directory, "tree")
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repository, tree], check=True)
        for (old, old_tag), (new, new_tag) in zip(ordered, ordered[1:]):
            if not is_ancestor(tree, old_tag, new_tag):
                continue
            git(tree, "update-ref", "--no-deref", "HEAD", new_tag + "^{commit}")
            git(tree, "read-tree", new_tag)
            command = [overrule, "changes", "--base", old_tag, "--format", "json"]
            run = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
            if run.returncode:
                counts["failed"] += 1
                print(f"failed: changes --base {old_tag} at {new_tag} in {repository}: {run.stderr[-200:]}")
                continue
            document = json.loads(run.stdout)
            released, verdict = step(old, new), document["impact"] or "none"
            counts[released, verdict] += 1
            if verdict not in (EXPECTED[released], "none"):
                changes = [
                    f"{module['path']}: {change['subject']}: {change['message']}"[:140]
                    for module in document["modules"]
                    for change in module["changes"]
                    if change["impact"] == verdict
                ]
                differences.append((released, verdict, os.path.basename(repository), old_tag, new_tag, changes[:3]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overrule", metavar="OVERRULE", help="program to run")
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY", help="git repository with its history and tags")
    parser.add_argument(
        "--last", type=int, default=25, metavar="N", help="number of pairs of releases per repository [default: 25]"
    )
    given = parser.parse_args()
    counts, differences = collections.Counter(), []
    for repository in given.repositories:
        compare(given.overrule, repository, given.last, counts, differences)
    print("| released | breaking | feature | fix | none |\n|---|---|---|---|---|")
    for released in EXPECTED:
        print(f"| {released} |", *(f"{counts[released, verdict]} |" for verdict in VERDICTS))
    print(f"failed runs: {counts['failed']}")
    for difference in differences:
        print(*difference)


if __name__ == "__main__":
    main()
