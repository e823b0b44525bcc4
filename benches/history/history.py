#!/usr/bin/env python3
"""Runs `affected` and `changes` on the history of repositories.

    history.py OVERRULE REPOSITORY... [--commits N] [--seed S] [--sample K] [--jsonl FILE]

Each REPOSITORY is a git repository with history. The last N commits that touch module files are compared with their
parents, in a clone that has no files: the index is that of the commit, and `--base` names its parent. Prints for
each repository the time per commit and how often a run did not end with exit code 0; writes every result to FILE, and
prints K results chosen by the seed.
"""
import argparse, json, os, random, statistics, subprocess, tempfile, time

def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=True).stdout

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("overrule"); parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=200); parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=50); parser.add_argument("--jsonl", default="history.jsonl")
    a = parser.parse_args()
    results = []
    print("| repository | commits | affected: median / worst ms | changes: median / worst ms | failed |\n|---|---|---|---|---|")
    for repository in a.repositories:
        commits = git(repository, "rev-list", "--no-merges", f"--max-count={a.commits}", "HEAD", "--", "*.tf", "*.tf.json", "*.tofu", "*.hcl").split()
        times, failed = {"affected": [], "changes": []}, 0
        with tempfile.TemporaryDirectory() as directory:
            tree = os.path.join(directory, "tree")
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repository, tree], check=True)
            for commit in commits:
                if subprocess.run(["git", "-C", tree, "rev-parse", "-q", "--verify", commit + "^"], capture_output=True).returncode:
                    continue
                # The index is compared; no file has to be checked out.
                git(tree, "update-ref", "--no-deref", "HEAD", commit)
                git(tree, "read-tree", commit)
                for command in times:
                    start = time.monotonic()
                    run = subprocess.run([a.overrule, command, "--base", commit + "^", "--format", "json"], cwd=tree, capture_output=True, text=True, timeout=300)
                    times[command].append((time.monotonic() - start) * 1000)
                    if run.returncode:
                        failed += 1
                        print("FAILED", repository, commit, command, run.returncode, run.stderr[-300:])
                        continue
                    results.append(dict(repository=os.path.basename(repository), commit=commit, command=command, result=json.loads(run.stdout)))
        cell = lambda name: f"{statistics.median(times[name]):.0f} / {max(times[name]):.0f}" if times[name] else "-"
        print(f"| {os.path.basename(repository)} | {len(times['affected'])} | {cell('affected')} | {cell('changes')} | {failed} |", flush=True)
    with open(a.jsonl, "w") as out:
        for result in results: out.write(json.dumps(result) + "\n")
    said = [r for r in results if r["result"].get("modules") or r["result"].get("units")]
    for result in random.Random(a.seed).sample(said, min(a.sample, len(said))):
        print(json.dumps(result))

if __name__ == "__main__":
    main()
