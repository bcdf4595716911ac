# SPDX-License-Identifier: GPL-2.0-only
"""Faults of one line: read from a list, or drawn at random from a seed.

A list has blocks separated by blank lines. A block is a diff without line numbers:

    # what it breaks (optional)
     a line before it, where the line alone is not unique
    -the line
    +the line with the fault
    equivalent: why no test can find it (optional, to the end of the block)

The lines must occur in exactly one place of all sources. Indentation does not count, so
that a line is still found after it moved to another file or block. Without a + line, the
fault removes the line.
"""
import random
import re


class Error(Exception):
    """The run has no valid result."""


class Fault:
    """One line of a file, and the line that replaces it."""

    def __init__(self, path, line, new, drawn, argument=""):
        self.path, self.line, self.new = path, line, new
        self.drawn, self.argument = drawn, argument

    def key(self):
        return self.path, self.line, self.new.strip()

    def text(self, lines):
        """The text of the file with the fault."""
        return "\n".join(lines[:self.line] + [self.new] + lines[self.line + 1:])

    def block(self, sources):
        """The fault as a block of a list, with enough lines before it to make it unique."""
        lines, first = sources[self.path], self.line
        while first and len(places(sources, lines[first:self.line + 1])) > 1:
            first -= 1
        return "\n".join([" " + line for line in lines[first:self.line]] +
                         ["-" + lines[self.line], "+" + self.new])


def read_sources(root, part):
    """{path: lines} of the C files of a part of the project."""
    return {path.relative_to(root).as_posix(): path.read_text().split("\n")
            for path in sorted((root / part).rglob("*.c")) if not path.name.endswith(".mod.c")}


def places(sources, wanted):
    """(path, first line) of each place where these lines stand; indentation is ignored."""
    wanted = [line.strip() for line in wanted]
    found = []
    for path, lines in sources.items():
        stripped = [line.strip() for line in lines]
        at = -1
        while True:
            try:
                at = stripped.index(wanted[0], at + 1)
            except ValueError:
                break
            if stripped[at:at + len(wanted)] == wanted:
                found.append((path, at))
    return found


def read_block(block, sources):
    """Return the fault of a block. Raise Error if it does not apply to exactly one place."""
    old, new, argument, index = [], None, None, None
    for line in block:
        if argument is not None:
            argument += " " + line.strip()
        elif line.startswith("equivalent:"):
            argument = line.partition(":")[2].strip()
        elif line.startswith("+") and new is None:
            new = line[1:].strip()
        elif line[0] in " -":
            if line[0] == "-":
                if index is not None:
                    raise Error("more than one line changes")
                index = len(old)
            old.append(line[1:])
        elif line[0] != "#":
            raise Error(f"cannot parse: {line}")
    if index is None:
        raise Error("no line changes")
    found = places(sources, old)
    if len(found) != 1:
        raise Error(f"the lines occur in {len(found)} places instead of one")
    path, first = found[0]
    original = sources[path][first + index]
    indent = original[:len(original) - len(original.lstrip())]
    return Fault(path, first + index, indent + new if new else "", False, argument or "")


def read_list(path, sources):
    """Return: the faults of the list, and (block, reason) of those that do not apply."""
    faults, wrong = [], []
    for block in re.split(r"\n\n+", path.read_text()):
        lines = [line for line in block.split("\n") if line]
        if all(line.startswith("#") for line in lines):
            continue
        try:
            faults.append(read_block(lines, sources))
        except Error as error:
            wrong.append((block.strip("\n"), str(error)))
    return faults, wrong


# Pairs of a text and its replacement; operators are surrounded by blanks.
SWAPS = [(f" {a} ", f" {b} ") for a, b in (
    ("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "=="),
    ("&&", "||"), ("||", "&&"), ("+", "-"), ("-", "+"), ("+=", "-="), ("-=", "+="),
    ("|=", "&="), ("&", "|"), ("|", "&"), ("<<", ">>"), (">>", "<<"), ("+=", "="), ("|=", "="))]
SWAPS += [("++", "--"), ("--", "++"), ("true", "false"), ("false", "true")]
NUMBER = re.compile(r"(?<![\w.-])(\d+)([uUlL]*)(?![\w.])")
# One more element in an array is not a fault.
ARRAY = re.compile(r"\t+(static |const |struct |unsigned )*\w+ \**\w+\[.*\]( = .*)?[;,]$")
# Negating a result that is cast to void is not a fault.
NOT = re.compile(r"(?<!\))!(?=[\w(*])")
# A call or an assignment on its own line. An assignment has no blank before its operator, so
# that no declaration matches. Calls that release memory or files are excluded: no test checks
# for releases at exit.
STATEMENT = re.compile(r"\t+(?!free|close|fclose|closedir|return\b)"
                       r"(\w+\(.*\)|[\w.>\[\]*-]+ [-+|&]?= .*|[\w.>\[\]-]+(\+\+|--)|continue|break);$")
NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def without_noise(text):
    """Replace comments and strings by blanks, so that the columns stay the same."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def changes(code, line):
    """All faults of one line. @code: the line without comments and strings."""
    for old, new in SWAPS:
        at = code.find(old)
        while at >= 0:
            around = code[max(at - 1, 0):at + len(old) + 1]
            if not old.isalpha() or re.search(rf"\b{old}\b", around):
                yield line[:at] + new + line[at + len(old):]
            at = code.find(old, at + 1)
    if not ARRAY.match(code):
        for match in NUMBER.finditer(code):
            yield line[:match.start()] + str(int(match[1]) + 1) + line[match.end(1):]
    for match in NOT.finditer(code):
        yield line[:match.start()] + line[match.end():]
    if STATEMENT.match(code):
        yield line[:len(line) - len(line.lstrip())] + ";"


def draw(sources, seed):
    """Yield the possible faults, one for each line, in a random order that depends on the seed."""
    pool = []
    for path, lines in sources.items():
        in_function = False
        for number, code in enumerate(without_noise("\n".join(lines)).split("\n")):
            if code.startswith(("{", "}")):
                in_function = code[0] == "{"
            elif in_function and code[:1] != "#" and code[-1:] != "\\":
                pool += [(path, number, new) for new in changes(code, lines[number])]
    random.Random(seed).shuffle(pool)
    seen = set()
    for path, number, new in pool:
        if (path, number) not in seen:
            seen.add((path, number))
            yield Fault(path, number, new, True)
