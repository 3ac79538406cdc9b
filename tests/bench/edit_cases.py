# SPDX-License-Identifier: MIT
"""Synthetic edits of real sources, and the ways in which a patch or its file may be off. Each case
has one right answer: the file with this edit at the place that it was made for."""

import random
from dataclasses import dataclass, field

CONTEXT = 3
SHIFT = 37
DRIFT = 6
DEDENT = 4
DUPLICATE_AT = 5


@dataclass
class Edit:
    """Lines of a file without their ends: `old` at index `at` becomes `new`."""
    lines: list
    at: int
    old: list
    new: list
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)


@dataclass
class Hunk:
    """As a patch has it; numbers are what it states."""
    start: int
    before: list
    old: list
    new: list
    after: list
    extra: int = 0      # How many lines too many its header counts.

    def body(self):
        return [*(" " + x for x in self.before), *("-" + x for x in self.old),
                *("+" + x for x in self.new), *(" " + x for x in self.after)]

    def unified(self, end="\n"):
        around = len(self.before) + len(self.after) + self.extra
        head = (f"@@ -{self.start},{len(self.old) + around}"
                f" +{self.start},{len(self.new) + around} @@")
        return f"--- a/f\n+++ b/f\n{head}\n" + "".join(x + end for x in self.body())

    def enveloped(self):
        return ("*** Begin Patch\n*** Update File: f\n@@\n" + "".join(x + "\n" for x in self.body())
                + "*** End Patch\n")


@dataclass
class Case:
    row: str
    file: str
    right: str
    hunk: Hunk


def changed(line, rng):
    """The line with something else in it."""
    words = [word for word in line.replace("(", " ").replace(")", " ").split() if word.isalnum()]
    if words:
        word = rng.choice(words)
        return line.replace(word, word + rng.choice(["_2", "_new", "x"]), 1)
    return line + rng.choice([" +", " #", ";"])


def indentation(line):
    return line[:len(line) - len(line.lstrip())]


def make_edit(lines, rng):
    """Replaces one to three lines by as many, or by one or two more; some by fewer."""
    while True:
        count = rng.choice([1, 1, 2, 3])
        margin = CONTEXT + DUPLICATE_AT
        at = rng.randrange(margin, len(lines) - margin - count)
        old = lines[at:at + count]
        if not old[0].strip() or not old[-1].strip():
            continue
        new = [changed(line, rng) if line.strip() else line for line in old]
        added = rng.choice([-1, 0, 0, 0, 1, 2])
        if added < 0:
            new = new[:-1] or [changed(new[0], rng)]
        new += [indentation(old[-1]) + f"added_{i} = {rng.randrange(1000)}" for i in range(added)]
        if new == old:
            continue
        return Edit(lines, at, old, new, lines[at - CONTEXT:at],
                    lines[at + count:at + count + CONTEXT])


def indented_less(lines):
    """As far as each line can be."""
    def one(line):
        if line.startswith("\t"):
            return line[1:]
        return line[min(DEDENT, len(line) - len(line.lstrip(" "))):]
    return [one(line) for line in lines]


def stale(line):
    return indentation(line) + "was_another_line()"


def duplicated(edit):
    """The file with a copy of the hunk's old lines near its top."""
    block = [*edit.before, *edit.old, *edit.after]
    lines = [*edit.lines[:DUPLICATE_AT], *block, *edit.lines[DUPLICATE_AT:]]
    return Edit(lines, edit.at + len(block), edit.old, edit.new, edit.before, edit.after)


def shift_of(edit):
    """How far a number is off: at least SHIFT, and not so that it names another place where the
    same lines stand. There, a patch would say exactly what it does not mean."""
    block = [*edit.before, *edit.old, *edit.after]
    shift = SHIFT
    while edit.lines[edit.at - CONTEXT + shift:][:len(block)] == block:
        shift += 1
    return shift


def case_of(row, edit, end, **other):
    """A case whose hunk is right, but for what `other` says of it."""
    def text(lines):
        return "".join(line + end for line in lines)
    right = [*edit.lines[:edit.at], *edit.new, *edit.lines[edit.at + len(edit.old):]]
    hunk = Hunk(edit.at - CONTEXT + 1, list(edit.before), list(edit.old), list(edit.new),
                list(edit.after))
    for name, value in other.items():
        setattr(hunk, name, value)
    return Case(row, text(edit.lines), text(right), hunk)


def stands(lines, block):
    return any(lines[i:i + len(block)] == block for i in range(len(lines) - len(block) + 1))


def one_left_out(edit, rng):
    """One of the inner lines. Not one that is as its neighbours are, so that what is left of the
    hunk stands in the file as well: there, a patch would say exactly what it does not mean."""
    ways = [{"before": [edit.before[0], edit.before[2]]}, {"before": edit.before[:2]},
            {"after": [edit.after[0], edit.after[2]]}, {"after": edit.after[1:]}]
    way = rng.choice(ways)
    for other in [way, *ways]:
        block = [*other.get("before", edit.before), *edit.old, *other.get("after", edit.after)]
        if not stands(edit.lines, block):
            return other
    return way


def all_indented_less(edit):
    return {name: indented_less(getattr(edit, name)) for name in ("before", "old", "new", "after")}


def cases(edit, rng, end="\n"):
    """The twelve rows of one edit."""
    def case(row, edit=edit, **other):
        return case_of(row, edit, end, **other)

    start = edit.at - CONTEXT + 1
    yield case("none")
    yield case("line numbers off by 37", start=start + shift_of(edit))
    yield case("hunk counts wrong", extra=rng.choice([-1, 1, 2]))
    yield case("trailing space on context", before=[x + " " for x in edit.before],
               after=[x + " " for x in edit.after])
    yield case("hunk indented 4 less", **all_indented_less(edit))
    yield case("outermost context line stale",
               **rng.choice([{"before": [stale(edit.before[0]), *edit.before[1:]]},
                             {"after": [*edit.after[:-1], stale(edit.after[-1])]}]))
    yield case("context line next to the change stale",
               **rng.choice([{"before": [*edit.before[:-1], stale(edit.before[-1])]},
                             {"after": [stale(edit.after[0]), *edit.after[1:]]}]))
    yield case("one context line left out", **one_left_out(edit, rng))
    drifted = Edit([f"drift {i}" for i in range(DRIFT)] + edit.lines, edit.at + DRIFT, edit.old,
                   edit.new, edit.before, edit.after)
    yield case("file drifted by 6 lines", drifted, start=start)
    yield case("no context at all", before=[], after=[], start=edit.at + 1)
    twice = duplicated(edit)
    number = twice.at - CONTEXT + 1
    yield case("same block near the top, line number off by 37", twice,
               start=number + shift_of(twice))
    yield case("same block near the top, line number right", twice, start=number)


def further_cases(edit, rng, end="\n"):
    """More rows: what only adds or removes, numbers that are nearly right, what was done before."""
    lines, at = edit.lines, edit.at
    added = [indentation(edit.old[0]) + f"added_{i} = {rng.randrange(1000)}"
             for i in range(rng.choice([1, 2, 4]))]
    insertion = Edit(lines, at, [], added, edit.before, lines[at:at + CONTEXT])
    removal = Edit(lines, at, edit.old, [], edit.before, edit.after)
    yield case_of("only adds", insertion, end)
    yield case_of("only adds, line number off by 37", insertion, end,
                  start=at - CONTEXT + 1 + shift_of(insertion))
    yield case_of("only adds, indented 4 less", insertion, end, **all_indented_less(insertion))
    yield case_of("only adds, one context line left out", insertion, end,
                  **one_left_out(insertion, rng))
    yield case_of("only removes", removal, end)
    yield case_of("no context, line number off by 1 to 3", edit, end, before=[], after=[],
                  start=at + 1 + rng.choice([-3, -2, -1, 1, 2, 3]))
    for name, done in (("applied already", edit), ("only adds, applied already", insertion)):
        case = case_of(name, done, end)
        yield Case(name, case.right, case.right, case.hunk)


ROWS = ["none", "line numbers off by 37", "hunk counts wrong", "trailing space on context",
        "hunk indented 4 less", "outermost context line stale",
        "context line next to the change stale", "one context line left out",
        "file drifted by 6 lines", "no context at all",
        "same block near the top, line number off by 37",
        "same block near the top, line number right"]
FURTHER_ROWS = ["only adds", "only adds, line number off by 37", "only adds, indented 4 less",
                "only adds, one context line left out", "only removes",
                "no context, line number off by 1 to 3", "applied already",
                "only adds, applied already"]


def sources(paths):
    """Files of text that an edit fits into, as lists of lines."""
    found = []
    for path in sorted(paths):
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        lines = text.replace("\r\n", "\n").split("\n")[:-1]
        is_plain = "\r" not in text.replace("\r\n", "\n") and "\0" not in text
        if is_plain and 60 <= len(lines) <= 20_000:
            found.append(lines)
    return found


def all_cases(files, edits, seed=1, end="\n", rows_of=cases):
    rng = random.Random(seed)
    for _ in range(edits):
        yield from rows_of(make_edit(rng.choice(files), rng), rng, end)
