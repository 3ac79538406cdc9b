# SPDX-License-Identifier: MIT
"""How well a tool did a list of commands, by the log that each command appends to. Pure."""

from dataclasses import dataclass

ATTEMPTS = 3


@dataclass(frozen=True)
class Score:
    """Each is a number of commands."""

    lost: int       # never ended, neither well nor badly
    twice: int      # began again after they had ended well
    wrong: int      # reported as failed though they ended well, or not reported though they did not
    attempts: int   # failed, and it was not the third attempt that was the last


def score(log, reported, count):
    """`log`: lines "begin N", "ended N" and "failed N" in their order; `reported`: the numbers that
    the tool reports as failed; commands are 1 to `count`. An attempt that was interrupted counts
    either way: the tool may give another one or not."""
    began, failed = {}, {}
    ended, again = set(), set()
    for line in log:
        what, number = parsed(line, count)
        if what == "begin":
            began[number] = began.get(number, 0) + 1
            if number in ended:
                again.add(number)
        elif what == "failed":
            failed[number] = failed.get(number, 0) + 1
        else:
            ended.add(number)
    everything = set(range(1, count + 1))
    not_three = [n for n in failed
                 if n not in ended and not failed[n] <= ATTEMPTS <= began.get(n, 0)]
    return Score(lost=len(everything - ended - set(failed)), twice=len(again),
                 wrong=len((everything - ended) ^ set(reported)), attempts=len(not_three))


def parsed(line, count):
    what, _, number = line.partition(" ")
    if what not in ("begin", "ended", "failed") or not number.isdigit():
        raise ValueError(f"not a line of the log: {line!r}")
    if not 1 <= int(number) <= count:
        raise ValueError(f"no such command: {line!r}")
    return what, int(number)


def ended_well(log):
    return len({line for line in log if line.startswith("ended ")})


def lines_of_setup(texts):
    """What a user writes: lines with something on them, but for comments and what the bench alone
    asks for (its question for the version)."""
    return sum(1 for text in texts for line in text.splitlines()
               if line.strip() and not line.lstrip().startswith(("#", "//", "version)")))
