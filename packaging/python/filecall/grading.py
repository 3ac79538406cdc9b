# SPDX-License-Identifier: MIT
"""A Python function as a grading program: `{kind: tool, argv: [...], verdict: json}`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, Callable, Union

Verdict = Union[bool, float, tuple[Union[bool, float], str]]


@dataclass(frozen=True)
class Subject:
    """A response to grade, with what was asked."""

    request_id: str
    answer: Any
    data: Any
    params: dict[str, Any]
    vars: dict[str, Any]
    expected: Any = None
    turns: Any = None  # Of a conversation: a list of {turn, user, answer, tool_calls}.


def grader(judge: Callable[[Subject], Verdict]) -> Callable[[Subject], Verdict]:
    """Grades what stands on standard input when the file is run as a program, by a score from 0 to
    1, True or False, or one of them with a reason. An exception leaves the response ungraded."""
    if judge.__module__ == "__main__":
        given = json.load(sys.stdin)
        known = {name: given.get(name) for name in Subject.__dataclass_fields__}
        verdict = judge(Subject(**known))
        score, reason = verdict if isinstance(verdict, tuple) else (verdict, "")
        print(json.dumps({"score": float(score), "reason": reason}))
    return judge
