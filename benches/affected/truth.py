#!/usr/bin/env python3
"""Compares `overrule affected` with `terraform plan` on random edits of a public repository.

  truth.py reduce CLONE WORK            reduce a clone to built-in resources, and find root modules that plan
  truth.py run WORK --seed S            edit, compare, and write WORK/log.jsonl and WORK/summary.json
  truth.py try WORK EDIT ROOT           plan ROOT after EDIT of the log with other values

README.md beside this file describes the method. Needs Python 3.8, git and Terraform; downloads nothing.
"""
import argparse, functools, json, os, random, re, shutil, statistics, subprocess, sys, time
from collections import namedtuple

# ---- HCL: a scanner that is just good enough to find blocks, arguments and references ----

Item = namedtuple("Item", "key labels start end vs ve items")  # items is None for arguments; vs:ve is the value or body
IDENT, HEREDOC = re.compile(r"[A-Za-z_][\w-]*"), re.compile(r"<<-?([A-Za-z_][\w-]*)[ \t]*\n")
STEP, KEY = re.compile(r"\.([A-Za-z_][\w-]*|\*|\d+)"), re.compile(r"[\w-]+(\.[\w-]+)*")

def comment(t, i): return t[i] == "#" or t.startswith(("//", "/*"), i)

def skip(t, i):
    """Returns the end of the element at i: a bracket with its content, string, heredoc, comment, name or character."""
    c = t[i]
    if c == '"':
        i += 1
        while t[i] != '"':
            if t.startswith(("$${", "%%{"), i): i += 3
            elif t.startswith(("${", "%{"), i): i = skip(t, i + 1)
            else: i += 2 if t[i] == "\\" else 1
        return i + 1
    if c in "([{":
        i += 1
        while t[i] not in ")]}": i = skip(t, i)
        return i + 1
    if t.startswith("/*", i): return t.index("*/", i) + 2
    if comment(t, i): j = t.find("\n", i); return len(t) if j < 0 else j
    m = HEREDOC.match(t, i)
    if m: return re.compile(r"^[ \t]*%s[ \t]*$" % m[1], re.M).search(t, m.end()).end()
    m = IDENT.match(t, i)
    return m.end() if m else i + 1

def parse(t, s=0, e=None):
    """Returns the arguments and blocks of a body, or the items of an object."""
    e, items, i = len(t) if e is None else e, [], s
    while i < e:
        if t[i] in " \t\r\n,": i += 1; continue
        if comment(t, i): i = skip(t, i); continue
        start, m = i, KEY.match(t, i)
        i = skip(t, i) if t[i] in '"(' else m.end() if m else -1
        if i < 0: raise ValueError("unexpected %r" % t[start:start + 20])
        key, labels = t[start:i], []
        while t[i] in " \t": i += 1
        while t[i] == '"' or IDENT.match(t, i):
            labels.append(t[i:skip(t, i)].strip('"')); i = skip(t, i)
            while t[i] in " \t": i += 1
        if t[i] == "{":
            j = skip(t, i)
            items.append(Item(key, labels, start, j, i + 1, j - 1, parse(t, i + 1, j - 1)))
        elif t[i] in "=:" and not labels:
            vs = j = i + 1
            while j < e and t[j] not in "\n,}" and not comment(t, j): j = skip(t, j)
            ve = vs + len(t[vs:j].rstrip())
            vs += len(t[vs:ve]) - len(t[vs:ve].lstrip())
            items.append(Item(key, None, start, ve, vs, ve, None))
        else: raise ValueError("unexpected %r" % t[start:i + 20])
        i = j
    return items

def objects(t, s, e):
    """Returns the items of an object, or of the objects in a list."""
    if t[s:s + 1] not in ("{", "["): return []
    try:
        if skip(t, s) != e: return []
        if t[s] == "{": return parse(t, s + 1, e - 1)
        out, i = [], s + 1
        while i < e - 1:
            j = skip(t, i)
            if t[i] in "{[": out += objects(t, i, j)
            i = j
        return out
    except (ValueError, IndexError): return []

def mask(t):
    """Marks the characters that are code, not strings or comments."""
    m = bytearray(len(t))
    def text(i, e, quoted):
        while i < e:
            if quoted and t[i] == '"': return i + 1
            if t.startswith(("$${", "%%{"), i): i += 3
            elif t.startswith(("${", "%{"), i): i = code(i + 2, e) + 1
            else: i += 2 if quoted and t[i] == "\\" else 1
        return i
    def code(i, e):
        depth = 0
        while i < e:
            h = HEREDOC.match(t, i) if t[i] == "<" else None
            if t[i] == '"': i = text(i + 1, e, True)
            elif comment(t, i): i = skip(t, i)
            elif h: i = text(h.end(), skip(t, i), False)
            else:
                depth += (t[i] == "{") - (t[i] == "}")
                if depth < 0: return i
                m[i] = 1; i += 1
        return i
    code(0, len(t))
    return m

def traversal(t, i):
    """Returns the steps of the reference at i, names as strings and indexes as spans, and its end."""
    m = IDENT.match(t, i); steps, i = [m[0]], m.end()
    while i < len(t):
        m = STEP.match(t, i)
        if m: steps.append(m[1]); i = m.end()
        elif t[i] == "[": j = skip(t, i); steps.append((i, j)); i = j
        else: break
    return steps, i

def references(t, m, s, e):
    for h in IDENT.finditer(t, s, e):
        if m[h.start()] and not re.match(r"[\w.]", t[h.start() - 1:h.start()] or " "): yield (h.start(), *traversal(t, h.start()))

@functools.lru_cache(None)
def parsed(text): return parse(text), mask(text)

# ---- modules of a directory tree ----

class Module:
    """The declarations in the files of a directory: (path, text, item) by name."""
    def __init__(self, tree, d):
        self.dir, self.variables, self.locals, self.outputs, self.calls, self.files = d, {}, {}, {}, {}, {}
        for name in sorted(os.listdir(os.path.join(tree, d))):
            if not name.endswith(".tf"): continue
            path = os.path.normpath(os.path.join(d, name))
            t = self.files[path] = read(os.path.join(tree, path))
            for b in parsed(t)[0]:
                if b.key == "locals": self.locals.update({i.key: (path, t, i) for i in b.items})
                elif b.key in ("variable", "output", "module") and b.labels:
                    getattr(self, {"variable": "variables", "output": "outputs", "module": "calls"}[b.key])[b.labels[0]] = (path, t, b)
    def target(self, call):
        _, t, b = self.calls[call]
        return os.path.normpath(os.path.join(self.dir, argument(t, b, "source").strip('"')))

def argument(t, block, key):
    return next((t[i.vs:i.ve] for i in block.items if i.key == key and i.items is None), None)

def read(path):
    with open(path, encoding="utf-8", newline="") as f: return f.read()

def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as f: f.write(text)

def closure(tree, d, out=None):
    """Returns the modules that a root module consists of, by directory."""
    out = {} if out is None else out
    if d not in out:
        out[d] = Module(tree, d)
        for call in out[d].calls: closure(tree, out[d].target(call), out)
    return out

# ---- reduction to built-in resources ----

CLOCK = {"timestamp": '"2026-01-01T00:00:00Z"', "plantimestamp": '"2026-01-01T00:00:00Z"', "uuid": '"uuid"', "bcrypt": '"bcrypt"'}
LISTS = re.compile(r"(ids|arns|names|addresses|zones|list|blocks|subnets|endpoints|nodes|groups|domains|emails|members|rules|objects|keys)$")
META = ("count", "for_each", "provider", "providers", "depends_on", "lifecycle", "provisioner", "connection", "source", "version")

def rewrite(t, m, s, e, names, iterators):
    """Returns t[s:e] with references to resources replaced by references to their reduced form."""
    out, pos = [], s
    for h, steps, end in references(t, m, s, e):
        if h < pos or end > e: continue
        new = replacement(t, m, steps, names, iterators)
        # The path of the checkout differs between the two trees.
        if new is None and steps[0] == "abspath": new = ""
        if new is None and steps[0] in CLOCK and t[end:end + 1] == "(": new, end = CLOCK[steps[0]], skip(t, end)
        if new is not None: out += [t[pos:h], new]; pos = end
    return "".join(out) + t[pos:e]

def replacement(t, m, steps, names, iterators):
    step = lambda x: "." + x if isinstance(x, str) and x.isidentifier() or "-" in x else "[%s]" % (x if isinstance(x, str) else rewrite(t, m, x[0] + 1, x[1] - 1, names, iterators))
    if steps[:2] == ["path", "cwd"]: return '"."'
    if len(steps) > 1 and steps[0] in iterators and steps[1] in ("key", "value"):
        return "_".join(steps[:2]) + "".join(map(step, steps[2:]))
    n = 3 if steps[0] in ("data", "ephemeral") else 2
    key, rest = ".".join(x for x in steps[:n] if isinstance(x, str)), steps[n:]
    if key not in names: return None
    label, arguments = names[key]
    text = "terraform_data." + label
    while rest and (isinstance(rest[0], tuple) or not IDENT.match(rest[0])): text += step(rest.pop(0))
    if rest and rest[0] == "outputs" and len(rest) > 1: rest.pop(0)
    if not rest: return text
    if rest[0] in arguments: return text + ".input" + "".join(map(step, rest))
    # A provider computes this attribute.
    text += ".id"
    index = isinstance(rest[1], tuple) and t[rest[1][0] + 1] != '"' if len(rest) > 1 else False
    if "*" in text or not index and not LISTS.search(rest[0]): return text
    return "[%s]" % ", ".join([text] * 3) + (step(rest[1]) if index else "")

def body(t, m, items, names, iterators, indent):
    """Returns the arguments and nested blocks of a resource as an object."""
    lines, blocks = [], {}
    for i in items:
        if i.items is None: lines.append("%s = %s" % (i.key, rewrite(t, m, i.vs, i.ve, names, iterators)))
        elif i.key == "dynamic":
            name = argument(t, i, "iterator") or i.labels[0]
            content = next(c for c in i.items if c.key == "content")
            for_each = next(c for c in i.items if c.key == "for_each")
            blocks.setdefault(i.labels[0], []).append("[for %s_key, %s_value in %s : %s]" % (name, name,
                rewrite(t, m, for_each.vs, for_each.ve, names, iterators), body(t, m, content.items, names, iterators | {name}, indent + "  ")))
        else: blocks.setdefault(i.key, []).append("[%s]" % body(t, m, i.items, names, iterators, indent + "  "))
    lines += ["%s = %s" % (k, v[0] if len(v) == 1 else "concat(%s)" % ", ".join(v)) for k, v in blocks.items()]
    return "{%s\n%s}" % ("".join("\n  " + indent + line for line in lines), indent) if lines else "{}"

def reduce_module(texts, local):
    """Reduces the files of a module; `local` tells whether a module source is a directory of the repository."""
    names, out = {}, {}
    for t in texts.values():
        for b in parse(t):
            arguments = {i.labels[0] if i.key == "dynamic" else i.key for i in b.items or [] if i.key not in META}
            if b.key == "resource": names[".".join(b.labels)] = ("__".join(b.labels), arguments)
            if b.key in ("data", "ephemeral"): names[".".join([b.key] + b.labels)] = ("__".join([b.key] + b.labels), arguments)
            if b.key == "module" and not local(t, b): names["module." + b.labels[0]] = ("module__%s__outputs" % b.labels[0], set())
    for path, t in texts.items():
        m, parts, pos = mask(t), [], 0
        for b in parse(t):
            parts.append(t[pos:b.start]); pos = b.end
            keep = lambda i: i.key not in ("providers", "version")
            if b.key in ("variable", "locals", "output") or b.key == "module" and local(t, b):
                at = b.start
                for i in b.items:
                    if b.key == "module" and not keep(i): parts.append(rewrite(t, m, at, i.start, names, set())); at = i.end
                parts.append(rewrite(t, m, at, b.end, names, set()))
            elif b.key in ("resource", "data", "ephemeral", "module"):
                label = names[".".join(([] if b.key == "resource" else [b.key]) + b.labels)][0]
                lines = ["%s = %s" % (i.key, rewrite(t, m, i.vs, i.ve, names, set())) for i in b.items if i.key in ("count", "for_each", "depends_on")]
                if b.key == "module":
                    # Outputs need not depend on arguments, and would be in a cycle with them in some modules.
                    parts.append('resource "terraform_data" "%s" {%s\n}\n\n' % (label, "".join("\n  " + line for line in lines)))
                    label = "module__" + b.labels[0]
                lines.append("input = " + body(t, m, [i for i in b.items if i.key not in META], names, set(), "  "))
                parts.append('resource "terraform_data" "%s" {%s\n}' % (label, "".join("\n  " + line for line in lines)))
        out[path] = "".join(parts) + t[pos:]
    return out

def reduce(clone, work):
    base = os.path.join(work, "base")
    shutil.rmtree(work, ignore_errors=True)
    modules, tfs = {}, set()
    for path in git(clone, "ls-files", "-z").split("\0"):
        source = os.path.join(clone, path)
        if not path or os.path.islink(source) or not os.path.isfile(source) or os.path.getsize(source) > 300000: continue
        if re.search(r"(override\.tf|\.tf\.json|\.tofu|terragrunt\.hcl|\.terraform\.lock\.hcl|overrule\.hcl)$|node_modules/", path): continue
        if path.endswith(".tf"):
            try: t = read(source).replace("\r\n", "\n") + "\n"; parse(t); mask(t)
            except (ValueError, IndexError, AttributeError, UnicodeDecodeError) as e: print("left out:", path, e); continue
            modules.setdefault(os.path.dirname(path), {})[path] = t
        else:
            os.makedirs(os.path.dirname(os.path.join(base, path)), exist_ok=True)
            shutil.copy(source, os.path.join(base, path))
    for d, texts in modules.items():
        def local(t, b):
            s = (argument(t, b, "source") or "").strip('"')
            return s.startswith(("./", "../")) and os.path.normpath(os.path.join(d, s)).replace(".", "", 1 if os.path.normpath(os.path.join(d, s)) == "." else 0) in modules
        for path, t in reduce_module(texts, local).items(): write(os.path.join(base, path), t)
    called = {m.target(c) for m in (Module(base, d or ".") for d in modules) for c in m.calls}
    roots = [d for d in sorted(d or "." for d in modules) if d not in called]
    # Backends, providers and lock files show that a module is a root module. They are gone, so a policy tells it.
    run = [r for r in roots if os.path.exists(os.path.join(clone, r, ".terraform.lock.hcl")) or any(
        b.key == "provider" or b.key == "terraform" and any(i.key in ("backend", "cloud") for i in b.items) for t in modules["" if r == "." else r].values() for b in parse(t))]
    if run: write(os.path.join(base, "overrule.hcl"), 'role "root" {\n  paths = %s\n}\n' % json.dumps(["/" if r == "." else r for r in run]))
    good = [r for r in roots if repair(work, r)]
    # Repairs for one root module can break another one.
    good = [r for r in good if repair(work, r)]
    tree = os.path.join(work, "tree")
    shutil.copytree(base, tree)
    git(tree, "init", "-q"); git(tree, "remote", "add", "origin", git(clone, "remote", "get-url", "origin").strip())
    git(tree, "add", "-Af"); git(tree, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "reduced")
    write(os.path.join(work, "roots.json"), json.dumps(dict(roots=good, left_out=sorted(set(roots) - set(good)), commit=git(clone, "rev-parse", "HEAD").strip())))
    print("%d of %d root modules plan; left out: %s" % (len(good), len(roots), sorted(set(roots) - set(good))))

def repair(work, root):
    """Replaces what Terraform refuses in a root module by constants, until it plans."""
    base = os.path.join(work, "base")
    for attempt in range(60):
        sets = [s for s in value_sets(base, root) if s["base"]]
        try: errors = next((e for e in (prepare(work, root, s)[1] for s in sets[:2] + sets[3:6]) if e), [])
        except subprocess.TimeoutExpired: print("left out:", root, "is too slow"); return False
        if not errors: return True
        done = False
        seen = set()
        for d in errors:
            rule = re.search(r"validation rule at ([^:]+):(\d+),", d["detail"])
            if rule: d["range"] = dict(filename=rule[1], line=int(rule[2]))
            if "range" not in d or d["range"]["filename"].endswith((".tfvars", ".json")): continue
            path = os.path.normpath(os.path.join(base, root, d["range"]["filename"]))
            if path in seen or not os.path.exists(path): continue
            new = repaired(base, path, d)
            if new: seen.add(path); write(path, new); done = True
        if not done: print("left out:", root, [(d["summary"], d["detail"][:200], d.get("range", {}).get("filename")) for d in errors[:2]]); return False
    return False

def repaired(base, path, d):
    t = read(path)
    at = len("".join(t.splitlines(True)[:d["range"]["line"]])) - 1 if "line" in d["range"] else len(t.encode()[:d["range"]["start"]["byte"]].decode(errors="ignore"))
    block = next((b for b in parse(t) if b.start <= at < b.end), None)
    if not block: return None
    if block.key == "variable":
        v = next((i for i in block.items if i.key == "validation" and i.start <= at <= i.end), None)
        return t[:v.start] + t[v.end:] if v else None
    item, items = None, block.items
    while items:
        inner = next((i for i in items if i.start <= at <= i.end), None)
        if inner is None: break
        item, items = inner, objects(t, inner.vs, inner.ve) if inner.items is None else inner.items
    if item is None: return None
    if item.key == "depends_on" or d["summary"] == "Unsupported argument": return t[:item.start] + t[item.end:]
    constant = {"count": "1", "for_each": '{ a = "a" }'}.get(item.key, '"x"')
    if block.key == "module" and item in block.items and item.key not in ("count", "for_each", "source"):
        callee = Module(base, os.path.normpath(os.path.join(os.path.relpath(os.path.dirname(path), base), argument(t, block, "source").strip('"'))))
        if item.key not in callee.variables: return t[:item.start] + t[item.end:]
        _, vt, v = callee.variables[item.key]
        if argument(vt, v, "default"): return t[:item.start] + t[item.end:]
        constant = json.dumps(fill(argument(vt, v, "type") or "any", item.key, Choice(True, True)))
    return t[:item.vs] + constant + t[item.ve:] if t[item.vs:item.ve] != constant else None

# ---- sets of values ----

class Choice:
    """How to fill variables: booleans, optional attributes, and values by name."""
    def __init__(self, boolean, full, values=None): self.boolean, self.full, self.values = boolean, full, values or {}
    def pick(self, name, types, default):
        v = self.values.get(name)
        return v if isinstance(v, types) and (types != (int,) or not isinstance(v, bool)) else default

def split(t):
    """Splits the arguments of a call."""
    out, i, start = [], 0, 0
    while i < len(t):
        if t[i] == ",": out.append(t[start:i]); start = i + 1
        i = skip(t, i)
    return out + [t[start:]]

def fill(type_text, name, c):
    """Returns a value of a type."""
    t = re.sub(r"(#|//).*", "", type_text).strip()
    m = re.match(r"(\w+)\s*(?:\((.*)\))?$", t, re.S)
    kind, inner = (m[1], (m[2] or "").strip()) if m else ("any", "")
    if kind == "bool": return c.pick(name, (bool,), c.boolean)
    if kind == "number": return c.pick(name, (int,), 8 if "bits" in name else 2)
    if kind == "optional": return fill(split(inner)[0], name, c)
    if kind in ("list", "set"): return [fill(inner, name, c)]
    if kind == "tuple": return [fill(x, name, c) for x in split(inner.strip()[1:-1])]
    if kind == "map": return {c.pick("keys of " + name, (str,), c.pick("each.key", (str,), "a")): fill(inner, name, c)}
    if kind == "object":
        return {i.key.strip('"'): fill(inner[i.vs:i.ve], i.key.strip('"'), c) for i in parse(inner, 1, len(inner) - 1)
                if c.full or not inner[i.vs:i.ve].startswith("optional")}
    text = "10.0.0.0/16" if re.search("cidr|prefix_range|address_space", name) else name.replace("_", "-")
    return c.pick(name, (str,), text)

LITERAL = r'"[^"$%\\\n]*"|-?\d+\b|\btrue\b|\bfalse\b|\bnull\b'
PATH = r"([A-Za-z_][\w.*-]*(?:\[[^\[\]]*\][\w.*-]*)*)"
COMPARED = [re.compile(PATH + r"(?:\s*,\s*[^(),]*)?\)*\s*(?:==|!=|>=|<=|>|<)\s*(%s)" % LITERAL), re.compile(r"(%s)\s*(?:==|!=)\s*\(?(?:\w+\()*" % LITERAL + PATH),
            re.compile(r"contains\(\s*(\[[^\[\]]*\])\s*,\s*(?:\w+\()*" + PATH), re.compile(r"contains\(\s*" + PATH + r"\s*,\s*(%s)" % LITERAL),
            re.compile(r"(?:startswith|endswith|strcontains)\((?:\w+\()*" + PATH + r"\)*\s*,\s*(%s)" % LITERAL)]
KEYED = [re.compile(r"lookup\(\s*" + PATH + r"\s*,\s*(?:\w+\()*" + PATH), re.compile(r"([A-Za-z_][\w.-]*)\[\s*((?:var|local|each|terraform)\.[\w.]*)\s*\]")]

MAPS = [re.compile(r"lookup\(\s*%s\s*,\s*\"([^\"$]*)\"" % PATH), re.compile(r"((?:var|local)\.[\w.-]+)\[\"([^\"$]*)\"\]"), re.compile(r"contains\(keys\(%s\)\s*,\s*\"([^\"$]*)\"" % PATH)]

def base_name(path):
    """Returns the name by which values of a reference are chosen: a variable, attribute, `each.key` or the workspace."""
    path = re.sub(r"\[[^\[\]]*\]|\.[*\d]+", "", path)
    if path in ("terraform.workspace", "each.key"): return path
    if re.match(r"terraform_data\..*\.id$", path): return "id of a provider"
    return path.split(".")[-1]

@functools.lru_cache(None)
def compared(text):
    out = []
    for n, r in enumerate(COMPARED):
        for m in r.finditer(text):
            path, values = (m[2], m[1]) if n in (1, 2) else (m[1], m[2])
            out += [(base_name(path), {"null": None}.get(v, v) if v == "null" else json.loads(v)) for v in re.findall(LITERAL, values)]
    return out

def candidates(modules):
    """Returns the literals that each name is compared with, and the keys of maps that it is an index of."""
    found, flows = {}, []
    add = lambda name, value: value not in found.setdefault(name, []) and found[name].append(value)
    for mod in modules.values():
        for t in mod.files.values():
            for name, value in compared(t): add(name, value)
            for r in KEYED:
                for m in r.finditer(t):
                    name, keys = m[1].split(".")[-1], []
                    if name in mod.locals: _, lt, i = mod.locals[name]; keys = objects(lt, i.vs, i.ve)
                    elif name in mod.variables:
                        v = next((i for i in mod.variables[name][2].items if i.key == "default"), None)
                        keys = objects(mod.variables[name][1], v.vs, v.ve) if v else []
                    for k in keys: add(base_name(m[2]), k.key.strip('"'))
                    key = mod.locals.get(m[2].split(".")[-1])
                    if key and key[1][key[2].vs] == '"': add("keys of " + name, key[1][key[2].vs + 1:key[2].ve - 1])
            for r in MAPS:
                for m in r.finditer(t): add("keys of " + m[1].split(".")[-1], m[2])
        inner = lambda t, i: {base_name(".".join(x for x in steps if isinstance(x, str))) for _, steps, _ in references(t, parsed(t)[1], i.vs, i.ve) if steps[0] in ("var", "local", "each", "terraform", "terraform_data")}
        flows += [(name, inner(t, i)) for name, (_, t, i) in mod.locals.items()]
        for call, (_, t, b) in mod.calls.items():
            flows += [(i.key, inner(t, i)) for i in b.items if i.key not in META]
    for _ in range(6):
        for to, sources in flows:
            for value in found.get(to, [])[:20]:
                for s in sources: add(s, value)
    return found

def value_sets(base, root):
    """Returns sets of values for a root module, first the base sets, then those that follow from its code."""
    modules = closure(base, root); variables = modules[root].variables
    arg = lambda n, k: argument(variables[n][1], variables[n][2], k)
    directory = os.path.join(base, root)
    auto = sorted(f for f in os.listdir(directory) if f == "terraform.tfvars" or f.endswith(".auto.tfvars"))
    given = {i.key for f in auto for i in parse(read(os.path.join(directory, f)) + "\n")}
    found = candidates(modules)
    valid = {n: [v for name, v in compared(t[b.start:b.end]) if name == n and v not in (None, "", 0)] for n, (_, t, b) in variables.items()}
    first = {n: v[0] for n, v in valid.items() if v}
    required = [n for n in variables if arg(n, "default") is None and n not in given]
    empty = [n for n in variables if re.fullmatch(r'\[\s*\]|\{\s*\}|null|""|0', arg(n, "default") or "x")]
    filled = lambda names, c: {n: fill(arg(n, "type") or "any", n, c) for n in names}
    booleans = lambda v: {n: v for n in variables if arg(n, "type") == "bool" or arg(n, "default") in ("true", "false")}
    full = Choice(True, True, first)
    minimal = filled(required, Choice(False, False, first))
    sets = [dict(name="required", values=filled(required, full)), dict(name="true", values={**filled(required, full), **booleans(True)}),
            dict(name="false", values={**minimal, **booleans(False)})]
    for d, _, files in sorted(os.walk(directory)):
        for f in sorted(files):
            if f.endswith(".tfvars") and not (d == directory and f in auto):
                keys = {i.key for i in parse(read(os.path.join(d, f)) + "\n")}
                if keys and len(keys & set(variables)) * 2 > len(keys):
                    sets.append(dict(name=os.path.relpath(os.path.join(d, f), base), file=os.path.relpath(os.path.join(d, f), base), values=filled([n for n in required if n not in keys], full)))
    if len(sets) > 5: sets = sets[:3] + random.Random(root).sample(sets[3:], 2)
    bases = [dict(s) for s in sets]
    sets.append(dict(name="filled", values={**filled(required + empty, full), **booleans(True)}))
    sets.append(dict(name="minimal", values={**minimal, **{n: None for n in variables if arg(n, "nullable") != "false" and n not in required}}))
    sets.append(dict(name="emptied", values={**minimal, **{n: [] if (arg(n, "default") or "")[0:1] == "[" else {} for n in variables if (arg(n, "default") or "")[0:1] in ("[", "{")}}))
    # Each literal once, alone for all variables that have one, on top of required values and on top of filled ones.
    rounds = min(5, max([len(found[n]) for n in found] or [0]))
    spaces = [w for w in found.get("terraform.workspace", []) if isinstance(w, str) and re.fullmatch(r"[\w.-]+", w)]
    for k in range(rounds):
        for j, more in enumerate(([], empty)):
            # The second half of the sets combines the literals in another order.
            chosen = {n: v[(k + j * i) % len(v)] for i, (n, v) in enumerate(sorted(found.items())) if v}
            c = Choice(bool(k % 2), not k % 3, {**first, **{n: v for n, v in chosen.items() if n not in variables or not valid[n] or v in valid[n]}})
            names = set(required + more) | {n for n in variables if any(re.search(r"\b%s\b" % re.escape(x), (arg(n, "type") or "") + n) for x in found)}
            sets.append(dict(name="literals %d%s" % (k, " filled" if j else ""), values=filled(sorted(names), c), workspace=spaces[k % len(spaces)] if spaces else None))
    sets += [dict(b, name="%s, workspace %s" % (b["name"], w), workspace=w) for w in spaces[:8] for b in bases[:1] + [b for b in bases if b.get("file")][:1]]
    sets += [dict(b, name="%s, ids %s" % (b["name"], json.dumps(v)), ids=str(v)) for v in found.get("id of a provider", [])[:6] if v is not None for b in bases[:1]]
    # Each variable alone, then random combinations.
    rng, others = random.Random(root), {}
    for n in sorted(variables):
        kind, default, nullable = arg(n, "type") or "any", arg(n, "default"), arg(n, "nullable") != "false"
        names = [x for x in sorted(found) if x == n or x == "keys of " + n or re.search(r"\b%s\b" % re.escape(x), kind) or x == "each.key" and "map" in kind]
        alternatives = [fill(kind, n, Choice(k, k, {**first, x: v})) for x in names for v in found[x][:8] for k in (True, False) if v is not None]
        alternatives += [fill(kind, n, Choice(k, k, first)) for k in (True, False)] + ([None] if nullable and n not in required else [])
        alternatives += [[]] if re.match("list|set", kind) or (default or "")[:1] == "[" else [{}] if kind.startswith("map") or (default or "")[:1] == "{" else []
        others[n] = [v for i, v in enumerate(alternatives) if v not in alternatives[:i]][:12]
    start = sets[0]["values"]
    single = [dict(sets[0], name="%s = %s" % (n, json.dumps(v)[:40]), values={**start, n: v}) for n in others for v in others[n] if v != start.get(n, ...)]
    sets += single if len(single) < 24 else rng.sample(single, 24)
    for k in range(12):
        values = {**sets[k % 2]["values"], **{n: rng.choice(v) for n, v in others.items() if v and rng.random() < (.2, .5)[k // 2 % 2]}}
        sets.append(dict(sets[k % len(bases)], name="random %d" % k, values=values, workspace=rng.choice(spaces + [None])))
    for s in sets:
        for k in ("file", "workspace", "ids"): s.setdefault(k, None)
        s["base"] = s["name"] in {b["name"] for b in bases}
    return sets

# ---- Terraform ----

def git(directory, *arguments):
    return subprocess.run(["git", "-C", directory, *arguments], capture_output=True, text=True, check=True).stdout

def write_modules(tree, root, data):
    """Writes what `terraform init` would write about local modules."""
    entries = []
    def add(key, d):
        entries.append(dict(Key=key, Source="" if not key else "./" + d, Dir=os.path.relpath(d, root)))
        mod = Module(tree, d)
        for call in mod.calls:
            entry_key = (key + "." if key else "") + call
            add(entry_key, mod.target(call))
            entries[next(i for i, e in enumerate(entries) if e["Key"] == entry_key)]["Source"] = argument(mod.calls[call][1], mod.calls[call][2], "source").strip('"')
    add("", root)
    write(os.path.join(data, "modules/modules.json"), json.dumps(dict(Modules=entries)))

SLOW = 8  # seconds; a root module whose plan takes longer is left out

def terraform(work, tree, root, s, command, *options):
    """Runs Terraform in a root module; returns its exit code and errors."""
    slug = root.replace("/", "+")
    state = os.path.join(work, "states", slug, re.sub(r"\W", "_", s["name"]))
    data = os.path.join(work, "data", tree, slug)
    write(state + ".tfvars.json", json.dumps(s["values"]))
    files = ["-var-file=" + os.path.join(work, tree, s["file"])] if s["file"] else []
    env = dict(os.environ, TF_DATA_DIR=data, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1", GOGC="400")
    env.pop("TF_WORKSPACE", None)
    if s["workspace"]: env["TF_WORKSPACE"] = s["workspace"]
    run = subprocess.run(["terraform", "-chdir=" + os.path.join(work, tree, root), command, "-json", "-input=false", "-lock=false", "-state=" + state, *files,
                          "-var-file=" + state + ".tfvars.json", *options], capture_output=True, text=True, env=env, timeout=SLOW)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    errors = [x["diagnostic"] for x in lines if x.get("@level") == "error" and "diagnostic" in x]
    return run.returncode, errors or ([dict(summary="failed", detail=run.stderr[-500:])] if run.returncode == 1 else []), state

def prepare(work, root, s):
    """Applies a root module before the edits; returns whether that worked, and errors."""
    write_modules(os.path.join(work, "base"), root, os.path.join(work, "data/base", root.replace("/", "+")))
    apply = lambda *more: terraform(work, "base", root, s, "apply", "-auto-approve", "-backup=-", *more)
    code, errors, state = apply()
    if any("cannot be determined until apply" in e["detail"] for e in errors):
        # Providers know attributes of data sources before they plan other resources: apply them first.
        targets = []
        def find(prefix, d):
            mod = Module(os.path.join(work, "base"), d)
            for t in mod.files.values():
                targets.extend("-target=%sterraform_data.%s" % (prefix, b.labels[1]) for b in parsed(t)[0] if b.key == "resource" and b.labels[1].startswith(("data__", "module__")))
            for call in mod.calls: find("%smodule.%s." % (prefix, call), mod.target(call))
        find("", root)
        if targets: apply(*targets); code, errors, state = apply()
    if code: return False, errors
    if s["ids"] is not None:
        document = json.loads(read(state))
        for r in document["resources"]:
            for i in r["instances"]: i["attributes"]["id"] = s["ids"]
        write(state, json.dumps(document))
        if apply()[0]: return False, []
    return True, []

class Roots:
    """Root modules with their sets of values, which are applied when they are first needed."""
    def __init__(self, work, roots):
        self.work, self.ready, self.settled = work, {}, set()
        self.sets = {r: value_sets(os.path.join(work, "base"), r) for r in roots}
    def plan(self, root, s):
        """Returns 0 if the plan after the edit is empty, 1 if it fails, 2 if it differs, and None if the set does not fit."""
        key = root, s["name"]
        if key not in self.ready:
            try: self.ready[key] = prepare(self.work, root, s)[0]
            except subprocess.TimeoutExpired: self.ready[key] = False
        if not self.ready[key]: return None
        write_modules(os.path.join(self.work, "tree"), root, os.path.join(self.work, "data/tree", root.replace("/", "+")))
        code = terraform(self.work, "tree", root, s, "plan", "-detailed-exitcode", "-refresh=false")[0]
        if code == 2 and key not in self.settled:
            # Leave the set out if its plan differs without an edit.
            if terraform(self.work, "base", root, s, "plan", "-detailed-exitcode", "-refresh=false")[0]: self.ready[key] = False; return None
            self.settled.add(key)
        return code

# ---- edits ----

def literals(t, s, e):
    """Returns the spans of literals: strings without interpolation, numbers and booleans."""
    m, out, i = parsed(t)[1], [], s
    while i < e:
        if t[i] == '"' and not m[i]:
            j = skip(t, i)
            if "${" not in t[i:j] and "%{" not in t[i:j]: out.append((i, j))
            i = j
        else:
            n = re.compile(r"\d+(\.\d+)?\b|true\b|false\b").match(t, i) if m[i] and not re.match(r"[\w.-]", t[i - 1]) else None
            if n: out.append((i, n.end()))
            i = n.end() if n else i + 1
    return out

class Edits:
    """Random edits: places by kind, and a method for each kind that returns the new text of the changed files."""
    def __init__(self, tree, roots, rng):
        self.rng, self.modules = rng, {}
        for r in roots: closure(tree, r, self.modules)
        self.text, self.places, self.owner = {}, {}, {}
        place = lambda kind, *where: self.places.setdefault(kind, []).append(where)
        for d, mod in sorted(self.modules.items()):
            for path, t in mod.files.items():
                self.text[path], self.owner[path] = t, mod
                place("comment", path); place("layout", path)
                for b in parsed(t)[0]:
                    self.block(place, mod, path, t, b)
            for n in mod.locals: place("rename local", d, n)
            if d not in roots:
                for n in mod.variables: place("rename variable", d, n)
                for n in mod.outputs: place("rename output", d, n)
        for r in roots:
            for directory, _, files in sorted(os.walk(os.path.join(tree, r))):
                for f in sorted(files):
                    if f.endswith(".tfvars"):
                        path = os.path.relpath(os.path.join(directory, f), tree); self.text[path] = read(os.path.join(tree, path)) + "\n"
                        for i, j in literals(self.text[path], 0, len(self.text[path])): place("tfvars", path, i, j)
        for path, mod in list(self.owner.items()):
            for m in re.finditer(r'\b(?:file\w*|templatefile)\(\s*"([^"]*)"', self.text[path]):
                for start in {mod.dir} | ({r for r in roots} if "path.root" in m[1] or "${" not in m[1] else set()):
                    f = os.path.normpath(os.path.join(start, re.sub(r"\$\{path\.\w+\}/?", "", m[1])))
                    for g in ([f] if os.path.isfile(os.path.join(tree, f)) else [os.path.join(f, x) for x in sorted(os.listdir(os.path.join(tree, f)))] if os.path.isdir(os.path.join(tree, f)) else []):
                        if g in self.text or not os.path.isfile(os.path.join(tree, g)): continue
                        try: self.text[g] = read(os.path.join(tree, g)); place("file", g)
                        except UnicodeDecodeError: pass

    def block(self, place, mod, path, t, b):
        inside = lambda items, kind: [place(kind, path, *span) for i in items for span in (literals(t, i.vs, i.ve) if i.items is None else [])]
        if b.key == "locals":
            inside(b.items, "local")
            for i in b.items: place("remove local", path, i.start, i.end)
        else: place("remove block", path, b.start, b.end); place("move block", path, b.start, b.end)
        if b.key == "variable": inside([i for i in b.items if i.key == "default"], "default")
        if b.key == "output": inside([i for i in b.items if i.key == "value"], "output")
        if b.key in ("variable", "output"): place("description", path, b)
        if b.key == "module":
            inside([i for i in b.items if i.key != "source"], "argument"); place("add argument", path, b, mod.target(b.labels[0]))
        if b.key == "resource":
            inside(b.items, "literal"); place("rename resource", mod.dir, b.labels[1])
            for i in b.items:
                if i.key == "input" and t[i.vs] == "{": place("add argument", path, i, None)
        for i in b.items:
            if i.items is not None or b.key == "variable" or i.key == "source": continue
            nested = objects(t, i.vs, i.ve) if i.key == "input" else [i]
            for n in nested:
                if n.items is None and "<<" not in t[n.vs:n.ve]: place("rewrite", path, n.vs, n.ve)
                if b.key in ("resource", "module") and n.items is None: place("remove argument", path, n.start, n.end)
            for m in re.finditer(r"\?", t[i.vs:i.ve]):
                if parsed(t)[1][i.vs + m.start()]: place("swap branches", path, i.vs + m.start(), i.ve)
        if b.key != "variable" and mod.variables:
            for _, steps, end in references(t, parsed(t)[1], b.vs, b.ve):
                if steps[0] == "var" and len(steps) == 2: place("other variable", path, end - len(steps[1]), end, mod)
        place("add block", path, mod)

    def edit(self):
        """Returns the kind of a random edit, and the new texts by path."""
        kind = self.rng.choice(sorted(self.places))
        where = self.rng.choice(self.places[kind])
        method = {"local": "literal", "default": "literal", "output": "literal", "argument": "literal", "tfvars": "literal", "remove local": "remove block", "remove argument": "remove block"}.get(kind, kind)
        return kind, {p: t for p, t in (getattr(self, method.replace(" ", "_"))(*where) or {}).items() if t != self.text.get(p)}

    def put(self, path, s, e, new): return {path: self.text[path][:s] + new + self.text[path][e:]}

    def literal(self, path, s, e):
        old = self.text[path][s:e]
        if old in ("true", "false"): new = "false" if old == "true" else "true"
        elif old[0] != '"': new = self.rng.choice([str(int(float(old)) + 1), "0", "3"])
        else:
            mod = self.owner.get(path)
            strings = sorted({t[i:j] for t in (mod.files.values() if mod else [self.text[path]]) for i, j in literals(t, 0, len(t)) if t[i] == '"'} or {'"y"'})
            new = self.rng.choice([old[:-1] + 'x"', old[:-1] + '-x"', self.rng.choice(strings), '""'])
        return self.put(path, s, e, new)

    def remove_block(self, path, s, e): return self.put(path, s, e, "")

    def add_block(self, path, mod):
        v = "var." + self.rng.choice(sorted(mod.variables)) if mod.variables and self.rng.random() < .6 else '"added"'
        text = self.rng.choice(['resource "terraform_data" "added_block" {\n  input = %s\n}\n' % v, 'output "added_block" {\n  value = %s\n}\n' % v,
                                "locals {\n  added_block = %s\n}\n" % v, 'variable "added_block" {\n  default = "x"\n}\n'])
        return {path: self.text[path] + "\n" + text}

    def add_argument(self, path, item, callee):
        free = sorted(set(self.modules[callee].variables) - {i.key for i in item.items}) if callee else ["added"]
        if not free: return None
        name, value = self.rng.choice(free), '"added"'
        if callee:
            _, t, v = self.modules[callee].variables[name]
            value = json.dumps(fill(argument(t, v, "type") or "any", name, Choice(self.rng.random() < .5, True)))
        at = item.vs if callee else item.vs + 1
        return self.put(path, at, at, "\n    %s = %s\n" % (name, value))

    def swap_branches(self, path, q, e):
        t, i = self.text[path], q + 1
        while i < e and t[i] not in ":?": i = skip(t, i)
        j = i + 1
        while j < e and t[j] not in ",\n)]}?:": j = skip(t, j)
        return self.put(path, q + 1, j, " %s : %s" % (t[i + 1:j].strip(), t[q + 1:i].strip())) if t[i] == ":" else None

    def other_variable(self, path, s, e, mod): return self.put(path, s, e, self.rng.choice(sorted(mod.variables)))

    def rename(self, spots):
        """Adds a suffix to the names that end at these places of each file."""
        out = {}
        for path, ends in spots.items():
            t = self.text[path]
            for end in sorted(set(ends), reverse=True): t = t[:end] + "_new" + t[end:]
            out[path] = t
        return out

    def uses(self, d, head, spots):
        for path, t in self.modules[d].files.items():
            for start, steps, _ in references(t, parsed(t)[1], 0, len(t)):
                if steps[:len(head)] == head: spots.setdefault(path, []).append(start + len(".".join(head)))
        return spots

    def label(self, where, spots):
        path, t, b = where
        spots.setdefault(path, []).append(re.compile(r"\b%s\b" % re.escape(b.labels[-1])).search(t, b.start + len(b.key)).end())
        return spots

    def rename_local(self, d, n):
        path, _, i = self.modules[d].locals[n]
        return self.rename(self.uses(d, ["local", n], {path: [i.start + len(i.key)]}))

    def rename_resource(self, d, n):
        spots = {}
        for path, t in self.modules[d].files.items():
            for b in parsed(t)[0]:
                if b.key == "resource" and b.labels[1] == n: self.label((path, t, b), spots)
        return self.rename(self.uses(d, ["terraform_data", n], spots))

    def callers(self, d): return [(m, c) for m in self.modules.values() for c in m.calls if m.target(c) == d]

    def rename_variable(self, d, n):
        spots = self.uses(d, ["var", n], self.label(self.modules[d].variables[n], {}))
        for m, c in self.callers(d):
            path, _, b = m.calls[c]
            spots.setdefault(path, []).extend(i.start + len(n) for i in b.items if i.key == n)
        return self.rename(spots)

    def rename_output(self, d, n):
        spots = self.label(self.modules[d].outputs[n], {})
        for m, c in self.callers(d):
            for path, t in m.files.items():
                for start, steps, end in references(t, parsed(t)[1], 0, len(t)):
                    names = [x for x in steps if isinstance(x, str) and IDENT.match(x)]
                    if names[:3] == ["module", c, n]:
                        at = re.compile(r"\.%s\b" % re.escape(n)).search(t, start + 7 + len(c))
                        if at and at.end() <= end: spots.setdefault(path, []).append(at.end())
        return self.rename(spots)

    def line(self, path):
        """Returns the start of a line that starts an argument or block."""
        spots, todo = [], list(parsed(self.text[path])[0])
        while todo: i = todo.pop(); spots.append(self.text[path].rfind("\n", 0, i.start) + 1); todo += i.items or []
        return self.rng.choice(sorted(set(spots)) or [0])

    def comment(self, path): at = self.line(path); return self.put(path, at, at, self.rng.choice(["# note\n", "// note\n", "/* a\n note */\n"]))

    def layout(self, path): at = self.line(path); return self.put(path, at, at, self.rng.choice(["\n", "\n\n", "   ", "\t"]))

    def description(self, path, b):
        t = self.text[path]
        old = next((i for i in b.items if i.key == "description"), None)
        return self.put(path, old.vs, old.ve, '"another text"') if old else self.put(path, b.vs, b.vs, '\n  description = "a text"\n')

    def move_block(self, path, s, e):
        other = self.rng.choice(sorted(self.owner[path].files) + [os.path.join(os.path.dirname(path), "moved.tf")])
        block, rest = self.text[path][s:e], self.put(path, s, e, "")[path]
        return {path: rest + "\n" + block + "\n"} if other == path else {path: rest, other: self.text.get(other, "") + "\n" + block + "\n"}

    def rewrite(self, path, s, e):
        old = self.text[path][s:e]
        return self.put(path, s, e, self.rng.choice(["(%s)" % old, "(\n%s\n)" % old] + (['"%s${""}"' % old[1:-1]] if re.fullmatch(r'"[^"\n]*"', old) else [])))

    def file(self, path):
        words = list(re.finditer(r"[A-Za-z]{3,}|\b\d+\b", self.text[path]))
        if not words: return {path: self.text[path] + "\n"}
        w = self.rng.choice(words)
        return self.put(path, w.end(), w.end(), "1" if w[0].isdigit() else "x")

# ---- the comparison ----

def stage(work, changes):
    tree = os.path.join(work, "tree")
    for path, t in changes.items(): write(os.path.join(tree, path), t)
    git(tree, "add", "-A", "-f", "--", *changes)

def unstage(work, changes):
    tree, base = os.path.join(work, "tree"), os.path.join(work, "base")
    for path in changes:
        if os.path.exists(os.path.join(base, path)): shutil.copy(os.path.join(base, path), os.path.join(tree, path))
        else: os.remove(os.path.join(tree, path))
    git(tree, "add", "-A", "-f", "--", *changes)

def affected(overrule, tree, form="paths"):
    start = time.monotonic()
    run = subprocess.run([overrule, "affected", "--changed", "--format", form], cwd=tree, capture_output=True, text=True)
    if run.returncode: raise RuntimeError("overrule failed: " + run.stderr)
    return run.stdout, (time.monotonic() - start) * 1000

def run(a):
    work, tree, rng = a.work, os.path.join(a.work, "tree"), random.Random(a.seed)
    info = json.loads(read(os.path.join(work, "roots.json")))
    # Compare only directories that overrule takes for root modules: those that it lists if every module changes.
    modules = {}
    for r in info["roots"]: closure(tree, r, modules)
    everything = {os.path.join(d, "zz_all.tf"): 'resource "terraform_data" "zz_all" {}\noutput "zz_all" {\n  value = terraform_data.zz_all.id\n}\n' for d in modules}
    stage(work, everything); known = set(affected(a.overrule, tree)[0].split("\n")); unstage(work, everything)
    roots = [r for r in info["roots"] if r in known]
    print("root modules: %d, not for overrule: %s" % (len(roots), sorted(set(info["roots"]) - known)))
    tf, edits, counted, times, log = Roots(work, roots), Edits(tree, roots, rng), 0, [], []
    reach = {r: closure(tree, r) for r in roots}
    tried, end, log_file = 0, time.monotonic() + a.minutes * 60, open(os.path.join(work, "log.jsonl"), "w")
    while counted < a.edits and tried < a.edits * 20 and time.monotonic() < end:
        kind, changes = edits.edit(); tried += 1
        if not changes: continue
        stage(work, changes)
        out, ms = affected(a.overrule, tree)
        listed = [r for r in roots if r in out.split("\n")]
        near = {r for r in roots for p in changes if os.path.dirname(p) in reach[r] or (os.path.dirname(p) or ".") in reach[r]
                or not p.endswith(".tf") and (p.startswith(r + "/") or any(os.path.basename(p) in t or os.path.basename(os.path.dirname(p)) in t for m in reach[r].values() for t in m.files.values()))}
        result, fails = {}, False
        for r in roots:
            if r not in listed and r not in near and rng.random() > .1: continue
            result[r] = None
            # A listed root module is planned until a plan differs, another one with two base sets.
            base = [s for s in tf.sets[r] if s["base"]]
            for s in tf.sets[r] if r in listed else [base[0], rng.choice(base[1:])]:
                code = tf.plan(r, s)
                fails = code == 1 and s["base"]
                if code in (1, 2): result[r] = s["name"] + (" (fails)" if code == 1 else ""); break
            if fails: break
        if not fails:
            counted += 1; times.append(ms)
            extra, missed = [r for r in listed if not result[r]], [r for r in result if result[r] and r not in listed]
            log.append(dict(edit=counted, kind=kind, listed=listed, differs=result, extra=extra, missed=missed, ms=ms, changes=changes))
            log_file.write(json.dumps(log[-1]) + "\n"); log_file.flush()
            if extra or missed:
                print("%d %s: extra %s missed %s" % (counted, kind, extra, missed))
                print(git(tree, "diff", "--cached", "-U2"), affected(a.overrule, tree, "human")[0], flush=True)
        unstage(work, changes)
    total = lambda key: sum(len(x[key]) for x in log)
    differs = sum(bool(x["differs"][r]) for x in log for r in x["listed"])
    later = sum(bool(x["differs"][r]) and x["differs"][r] not in [s["name"] for s in tf.sets[r] if s["base"]] for x in log for r in x["listed"])
    sets = [sum(bool(v) for k, v in tf.ready.items() if k[0] == r) for r in roots]
    summary = dict(commit=info["commit"][:10], seed=a.seed, roots=len(roots), sets=statistics.mean(sets) if sets else 0, tried=tried, edits=counted, listed=total("listed"), differs=differs, derived=later,
                   fails=sum(str(x["differs"][r]).endswith("(fails)") for x in log for r in x["listed"]), missed=total("missed"), extra=total("extra"), median_ms=statistics.median(times) if times else 0, max_ms=max(times, default=0))
    write(os.path.join(work, "summary.json"), json.dumps(summary)); print(summary)

def attempt(a):
    entry = next(x for x in map(json.loads, open(os.path.join(a.work, "log.jsonl"))) if x["edit"] == a.edit)
    first = next(s for s in value_sets(os.path.join(a.work, "base"), a.root) if s["name"] == a.set)
    s = dict(first, name="by hand", values={**first["values"], **json.loads(a.values)}, workspace=a.workspace or first["workspace"], file=a.file or first["file"], ids=a.ids if a.ids is not None else first["ids"])
    tf = Roots(a.work, [])
    stage(a.work, entry["changes"])
    code = tf.plan(a.root, s)
    print({None: "this set does not fit", 0: "same plan", 1: "plan fails", 2: "plan differs"}[code])
    if code is None: print(prepare(a.work, a.root, s))
    if code == 1: print(terraform(a.work, "tree", a.root, s, "plan")[1])
    unstage(a.work, entry["changes"])

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    p = commands.add_parser("reduce"); p.add_argument("clone"); p.add_argument("work"); p.set_defaults(call=lambda a: reduce(a.clone, a.work))
    p = commands.add_parser("run"); p.add_argument("work"); p.add_argument("--seed", type=int, required=True); p.add_argument("--edits", type=int, default=50)
    p.add_argument("--minutes", type=float, default=60, help="time after which no edit is started [default: 60]")
    p.add_argument("--overrule", default="overrule", metavar="PROGRAM"); p.set_defaults(call=run)
    p = commands.add_parser("try"); p.add_argument("work"); p.add_argument("edit", type=int); p.add_argument("root"); p.add_argument("--set", default="required", help="set to start from [default: required]")
    p.add_argument("--values", default="{}", metavar="JSON"); p.add_argument("--file", help=".tfvars file of the repository"); p.add_argument("--workspace"); p.add_argument("--ids", help="value of all attributes that a provider computes"); p.set_defaults(call=attempt)
    a = parser.parse_args()
    sys.setrecursionlimit(20000)
    a.work = os.path.abspath(a.work)
    if os.path.exists(getattr(a, "overrule", "")): a.overrule = os.path.abspath(a.overrule)
    a.call(a)

if __name__ == "__main__":
    main()
