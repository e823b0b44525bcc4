#!/usr/bin/env python3
"""Compares the verdict of `changes` with the versions that module libraries released.

    releases.py OVERRULE REPOSITORY... [--last N]

For the last N pairs of successive release tags of each repository, the strongest impact of the shared and root modules
at the newer tag is compared with the step of the version: breaking for major (or minor below 1.0), feature for minor,
fix for patch. Prints a table with counts, and every disagreement.
"""
import argparse, json, os, re, subprocess, tempfile
from collections import Counter
def git(d,*a): return subprocess.run(["git","-C",d,*a],capture_output=True,text=True,check=True).stdout
def main():
    p=argparse.ArgumentParser(); p.add_argument("overrule"); p.add_argument("repositories",nargs="+"); p.add_argument("--last",type=int,default=25)
    a=p.parse_args(); total=Counter(); lines=[]
    for repository in a.repositories:
        tags={}
        for tag in git(repository,"tag").split():
            if m:=re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)",tag): tags[tuple(map(int,m.groups()))]=tag
        ordered=sorted(tags)[-a.last-1:]
        with tempfile.TemporaryDirectory() as d:
            tree=d+"/tree"; subprocess.run(["git","clone","-q","--shared","--no-checkout",repository,tree],check=True)
            for old,new in zip(ordered,ordered[1:]):
                if subprocess.run(["git","-C",tree,"merge-base","--is-ancestor",tags[old],tags[new]]).returncode: continue
                git(tree,"update-ref","--no-deref","HEAD",tags[new]+"^{commit}"); git(tree,"read-tree",tags[new])
                run=subprocess.run([a.overrule,"changes","--base",tags[old],"--format","json"],cwd=tree,capture_output=True,text=True)
                if run.returncode: total["failed"]+=1; print("FAILED",repository,tags[old],tags[new],run.stderr[-200:]); continue
                doc=json.loads(run.stdout); verdict=doc["impact"] or "none"
                if new[0]!=old[0] or (new[0]==0 and new[1]!=old[1]): step="major"
                elif new[1]!=old[1]: step="minor"
                else: step="patch"
                total[(step,verdict)]+=1
                expected={"major":"breaking","minor":"feature","patch":"fix"}[step]
                if verdict!=expected and not(verdict=="none"):
                    why=[f"{m['path']}: {c['subject']}: {c['message']}"[:140] for m in doc["modules"] for c in m["changes"] if c["impact"]==verdict][:3]
                    lines.append((step,verdict,os.path.basename(repository),tags[old],tags[new],why))
    print("| released | breaking | feature | fix | none |\n|---|---|---|---|---|")
    for step in("major","minor","patch"): print(f"| {step} |",*(f" {total[(step,v)]} |" for v in("breaking","feature","fix","none")))
    print("failed",total["failed"])
    for l in lines: print(*l[:5],l[5])
main()
