#!/usr/bin/env python3
"""Runs `affected` and `changes` on the history of repositories.

Compares the last commits that touch module files with their parents, in a clone without a checkout; the index holds the
commit. Prints the time per commit and the number of failed runs for each repository, then a random sample of the
results. Writes all results to a file, one JSON document per line.
"""
import argparse, json, os, random, statistics, subprocess, tempfile, time

def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True, check=True).stdout

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("overrule", metavar="OVERRULE", help="program to run")
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY", help="git repository with its history")
    parser.add_argument("--commits", type=int, default=200, metavar="N", help="number of commits per repository [default: 200]")
    parser.add_argument("--sample", type=int, default=50, metavar="K", help="number of results to print [default: 50]")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the sample [default: 1]")
    parser.add_argument("--jsonl", default="history.jsonl", metavar="FILE", help="file for all results [default: history.jsonl]")
    a = parser.parse_args()
    results = []
    print("| repository | commits | affected: median / maximum ms | changes: median / maximum ms | failed runs |\n|---|---|---|---|---|")
    for repository in a.repositories:
        commits = git(repository, "rev-list", "--no-merges", f"--max-count={a.commits}", "HEAD", "--", "*.tf", "*.tf.json", "*.tofu", "*.hcl").split()
        times, failed = {"affected": [], "changes": []}, 0
        with tempfile.TemporaryDirectory() as directory:
            tree = os.path.join(directory, "tree")
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", repository, tree], check=True)
            for commit in commits:
                if subprocess.run(["git", "-C", tree, "rev-parse", "-q", "--verify", commit + "^"], capture_output=True).returncode:
                    continue
                # Only the index is read.
                git(tree, "update-ref", "--no-deref", "HEAD", commit)
                git(tree, "read-tree", commit)
                for command in times:
                    start = time.monotonic()
                    run = subprocess.run([a.overrule, command, "--base", commit + "^", "--format", "json"], cwd=tree, capture_output=True, text=True, timeout=300)
                    times[command].append((time.monotonic() - start) * 1000)
                    if run.returncode:
                        failed += 1
                        print(f"failed: {command} --base {commit}^ in {repository}: exit code {run.returncode}: {run.stderr[-300:]}")
                        continue
                    results.append(dict(repository=os.path.basename(repository), commit=commit, command=command, result=json.loads(run.stdout)))
        cell = lambda name: f"{statistics.median(times[name]):.0f} / {max(times[name]):.0f}" if times[name] else "-"
        print(f"| {os.path.basename(repository)} | {len(times['affected'])} | {cell('affected')} | {cell('changes')} | {failed} |", flush=True)
    with open(a.jsonl, "w") as out:
        for result in results: out.write(json.dumps(result) + "\n")
    with_changes = [r for r in results if r["result"].get("modules") or r["result"].get("units")]
    for result in random.Random(a.seed).sample(with_changes, min(a.sample, len(with_changes))):
        print(json.dumps(result))

if __name__ == "__main__":
    main()
