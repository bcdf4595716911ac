#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: schema_test.py [--module] PTAUDIT

Validates what each command prints with --json against user/doc/schema: of the
recordings, and of this machine. Each member of each command's output is also renamed
once, which the schema must refuse. Each member that the schema has must be where the
manual describes the JSON of that command. Commands that need root are left out where we
are not root; with --module also those run that need the module.
"""
import json
import os
import re
import subprocess
import sys

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "user", "doc", "schema", "ptaudit-1.json")
PAGES = os.path.join(HERE, "..", "user", "man")
DATA = os.path.join(HERE, "data")

# No process has this PID: it is above the limit of PIDs.
GONE = "4194304"

TOP = ["top", "--batch"]

nr_passed = nr_failed = 0


def result(good, name, why=""):
    global nr_passed, nr_failed
    if good:
        nr_passed += 1
    else:
        nr_failed += 1
        for line in str(why).splitlines()[:40]:
            print("#", line)
    print("ok" if good else "not ok", nr_passed + nr_failed, name, flush=True)


def ask(tool, *words):
    """Return: the printed object, or None, and the text on stderr."""
    done = subprocess.run([tool, *words], capture_output=True, text=True, check=False)
    if not done.stdout:
        return None, done.stderr
    return json.loads(done.stdout), done.stderr


def objects(value, path=()):
    """Yield (path, object) of every object in @value."""
    if isinstance(value, dict):
        yield path, value
        for key, below in value.items():
            yield from objects(below, path + (key,))
    elif isinstance(value, list):
        for below in value:
            yield from objects(below, path + ("[]",))


def shortened(value, seen, path=()):
    """Return @value without the elements of arrays whose members are all in @seen already."""
    if isinstance(value, dict):
        seen.update((path, key) for key in value)
        return {key: shortened(below, seen, path + (key,)) for key, below in value.items()}
    if not isinstance(value, list):
        return value
    kept = []
    for below in value:
        nr_seen = len(seen)
        short = shortened(below, seen, path + ("[]",))
        if len(seen) > nr_seen or not isinstance(below, (dict, list)):
            kept.append(short)
    return kept


# For each command: the members that were renamed, and those whose new name the schema accepted.
renamed = {}
unnoticed = {}


def rename_members(validator, command, root):
    """Rename each member that was not renamed yet for this command."""
    tried = renamed.setdefault(command, set())
    root = shortened(root, set())
    for path, value in objects(root):
        # in check --pages this object has a member for each key of the module
        if path[-1:] == ("kernel",):
            continue
        for key in list(value):
            if (path, key) in tried:
                continue
            tried.add((path, key))
            value["x_" + key] = value.pop(key)
            if validator.is_valid(root):
                unnoticed.setdefault(command, []).append(".".join((*path, key)))
            value[key] = value.pop("x_" + key)


def judge_names():
    """One test for each command. The number of members differs between kernels, so no name has it."""
    for command, tried in renamed.items():
        print(f"# {command}: {len(tried)} members")
        result(tried and command not in unnoticed, f"the schema refuses {command} with a renamed member",
               unnoticed.get(command))


def wrong_members(error):
    """Return {(path, member): message}, of the alternative in which fewest members are wrong."""
    path = re.sub(r"\[\d+\]", "[]", error.json_path)  # the same for all elements of an array
    if not error.context:
        unknown = error.validator in ("additionalProperties", "unevaluatedProperties")
        names = unknown and re.findall(r"'([^']*)'", error.message) or [error.message]
        return {(path, name): f"{path}: {error.message[:200]}" for name in names}
    alternatives = {}
    for below in error.context:
        alternatives.setdefault(below.relative_schema_path[0], {}).update(wrong_members(below))
    return min(alternatives.values(), key=len)


def judge(validator, name, root, why):
    if root is None:
        result(False, name + ": the output is a JSON object", why)
        return
    errors = sorted({text for error in validator.iter_errors(root) for text in wrong_members(error).values()})
    result(not errors, name + " is as user/doc/schema says", "\n".join(errors))
    if not errors:
        rename_members(validator, name.split()[0], root)


def lines(tool, validator, words):
    """Validate the output of a command that prints one object in each line."""
    done = subprocess.run([tool, *words], capture_output=True, text=True, check=False)
    for number, line in enumerate(done.stdout.splitlines() or ["null"]):
        judge(validator, f"{words[0]} {'-o ' if '-o' in words else ''}{words[-1]}, line {number},", json.loads(line), done.stderr)


def columns(tool, words, without="(neither)"):
    """Every column of a table, as --output takes them, but those with that mark."""
    listed = subprocess.run([tool, *words.split(), "-H"], capture_output=True, text=True, check=True).stdout.splitlines()
    return ",".join(line.split()[0] for line in listed if not line.endswith(without))


def recordings(tool, validator):
    for kernel in sorted(os.listdir(DATA)):
        folder = os.path.join(DATA, kernel)
        for case in sorted(os.listdir(folder)):
            path = os.path.join(folder, case)
            if not os.path.isdir(path):
                continue
            for command in ("check", "estimate"):
                root, why = ask(tool, command, "--json", "--estimator", "all", "--from", path)
                judge(validator, f"{command} of {kernel}/{case}", root, why)
                for option in ([], ["-m"]) if case == "sparse" else ():
                    chosen = columns(tool, " ".join([command, *option]), "(PID)")
                    root, why = ask(tool, command, "--json", *option, "-o", chosen, "--from", path)
                    judge(validator, f"{command} {''.join(option)} -o of {kernel}/{case}", root, why)
            root, why = ask(tool, "score", "--json", "--exact-only", "--from", path, "all")
            judge(validator, f"score of {kernel}/{case}", root, why)
            pid = min(name for name in os.listdir(path) if name.isdigit())
            root, why = ask(tool, "map", "--json", "--tables", "--from", path, pid)
            judge(validator, f"map of {kernel}/{case}", root, why)
            root, why = ask(tool, "whatif", "--json", "--from", path)
            judge(validator, f"whatif of {kernel}/{case}", root, why)
            if os.path.exists(os.path.join(path, "page-caps")):
                for words in (["footprint"], ["cow", pid], ["flags", "--ranges", pid]):
                    root, why = ask(tool, *words, "--json", "--from", path)
                    judge(validator, f"{words[0]} of {kernel}/{case}", root, why)


def changes(tool, validator):
    """Validate diff, of two different recordings and of a recording with itself."""
    for first, second in (("dense", "empty"), ("dense", "dense")):
        sides = [os.path.join(DATA, "6.12", case) for case in (first, second)]
        for chosen in ([], ["--sort", "CAME", "-N", "2"], ["-o", columns(tool, "diff")], ["-o", "SIZE"]):
            root, why = ask(tool, "diff", "--json", *chosen, *sides)
            judge(validator, f"diff {' '.join(chosen)} of {first} and {second}", root, why)


def here(tool, validator, with_module):
    pid = str(os.getpid())
    runs = [["estimate", pid], ["estimate", "--", "true"], ["estimate", pid, GONE], ["cow", pid], ["system"], TOP, TOP + ["--by", "user"], TOP + [pid], ["map", pid]]
    runs += [["estimate", "--mappings", pid]]
    # chosen columns
    for words in [], ["--by", "user"], [pid]:
        listed = subprocess.run([tool, *TOP, "-r", "--output-all", *words], capture_output=True, text=True, check=True)
        runs.append(TOP + ["-o", ",".join(listed.stdout.splitlines()[0].split()), *words])
    runs += [TOP + ["-o", "PID,PART,EMPTY"], TOP + ["--by", "user", "-o", "NAME"], ["map", "-o", "+FILL,SPAN,MAPPED", pid], ["system", "-o", "+ABOUT"]]
    runs += [[command, "-o", columns(tool, command), *words] for command, *words in (["map", pid], ["cow", pid], ["system"])]
    runs += [["estimate", "-o", columns(tool, "estimate", "(--all)"), pid], ["estimate", "-o", "STATUS", "--all"]]
    runs += [["estimate", "-o", columns(tool, "estimate", "(PID)"), "--all"]]
    runs += [["estimate", "-m", "-o", columns(tool, "estimate -m"), pid, GONE], ["estimate", "-mo", "PATH", "--all"]]
    # with --sort and --limit
    runs += [["estimate", "--all", "--sort", "PTE", "-N", "3"], ["estimate", "-m", "--sort", "FILL", "-N", "2", pid]]
    runs += [["cow", "--sort", "PAGES", "-N", "2", pid], ["map", "--sort", "SPAN", "-N", "2", pid]]
    if os.geteuid() == 0:
        runs += [["footprint", "-o", "+NOTE,ANON,STATUS", "--all"], ["footprint", "-o", "USS", pid]]
        runs += [["whatif", pid], ["whatif", "--all"], ["reclaim", pid], ["footprint", pid], ["footprint", "--all"]]
        runs += [["whatif", "--sort", "SIZE", "-N", "3", "--all"], ["whatif", "-o", columns(tool, "whatif"), "--all"]]
        runs += [["whatif", "-o", "WAY", pid], ["reclaim", "-o", "PATH", pid], ["reclaim", "--sort", "TABLES", pid]]
        runs += [["flags", pid], ["flags", "--ranges", pid], ["flags", "-o", "RAW", pid], ["flags", "-o", "FLAGS", pid]]
        runs += [["flags", "--ranges", "-o", columns(tool, "flags --ranges"), "--sort", "PAGES", "-N", "3", pid]]
    if with_module:
        runs += [["check", pid], ["check", "--orphans", pid], ["check", "--all"], ["check", "--pages", pid], ["kpagemap"]]
        runs += [["score", "naive", pid], ["score", "-o", columns(tool, "score"), "naive", "written", "--", pid]]
        runs += [["check", "-o", columns(tool, "check", "(--all)"), pid], ["check", "-mo", columns(tool, "check -m"), pid]]
        runs += [["check", "-o", columns(tool, "check", "(PID)"), "--sort", "PTE", "--all"]]
        runs += [["check", "--pages", "-o", columns(tool, "check --pages"), pid]]
        runs += [["kpagemap", "-o", columns(tool, "kpagemap")]]
    for words in runs:
        root, why = ask(tool, words[0], "--json", *words[1:])
        judge(validator, " ".join(words).replace(pid, "PID"), root, why)
    for processes, without in (("self", "(--all)"), ("--all", "(PID)")):
        for chosen in ([], ["-o", columns(tool, "watch", without)]):
            lines(tool, validator, ["watch", "--json", "-i", "0.01", "-c", "1", *chosen, processes])


def members(definitions, schema, seen):
    """All members of a schema, and of the definitions that it refers to."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        refers = schema.get("$ref", "").rpartition("/")[2].replace("%20", " ")
        if refers and refers not in seen:
            seen.add(refers)
            yield from members(definitions, definitions[refers], seen)
        schema = list(schema.values())
    if isinstance(schema, list):
        for below in schema:
            yield from members(definitions, below, seen)


def explained(command):
    """The words that the manual sets as members of the command's JSON: in sections of ptaudit-json(5), or in its own page."""
    abouts = {command.upper(), command.upper().split()[0]}
    for page in ("ptaudit-json.5", f"ptaudit-{command.split()[0]}.8"):
        is_about = False
        with open(os.path.join(PAGES, page), encoding="utf-8") as file:
            for line in file:
                if line.startswith(".Sh "):
                    title = line[4:].strip()
                    is_about = title == ("DESCRIPTION" if page.endswith("5") else "JSON") or not abouts.isdisjoint(
                        title.upper().replace(" WITH ", " ").split(" AND "))
                elif is_about and re.match(r"\.(It )?Ql ", line):
                    yield from re.findall("[a-z0-9_]+", line)


def pages(schema):
    """One test for each command: is each of its members in the manual?"""
    for command in schema["properties"]["ptaudit"]["properties"]["command"]["enum"]:
        names = set(members(schema["$defs"], schema["$defs"][command], set()))
        unnamed = sorted(names - set(explained(command)))
        result(names and not unnamed, f"the manual has each member of {command}", "it lacks " + ", ".join(unnamed))


def main():
    arguments = sys.argv[1:]
    with_module = "--module" in arguments
    tools = [word for word in arguments if not word.startswith("-")]
    if len(tools) != 1:
        sys.exit(__doc__)
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if with_module:
        print("KTAP version 1")
    else:
        recordings(tools[0], validator)
        changes(tools[0], validator)
        pages(schema)
    here(tools[0], validator, with_module)
    judge_names()
    if with_module:
        print(f"1..{nr_passed + nr_failed}")
    print(f"{nr_passed} passed, {nr_failed} failed")
    sys.exit(nr_failed != 0 or nr_passed == 0)


main()
