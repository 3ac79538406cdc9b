# SPDX-License-Identifier: MIT
"""Words and turns that pages, help texts, messages and comments do without, and what to write
instead. They read like a translation, or hide who does what."""

import re
from typing import Iterator

PLAIN = {
    r"told": "reported, shown, called, asked; 'told apart': distinguished",
    r"whoever|whosoever": "the caller, a user who, anyone who",
    r"anew": "again",
    r"wish(es|ed)?": "option, request",
    r"heed(s|ed)?": "respect, handle, use",
    r"(what )?c[ao]me of": "outcome, result",
    r"let(s|ting)? go of": "drops, closes, releases",
    r"he|him|his": "name the program or the role",
    r"whence|whereby|hitherto|thereby|wherein": "name it",
    r"mend(s|ed)?": "repair, fix",
    r"one (?!at|of|and|or|in|is|for|with|without|costs|process)\w+ an? (?!time)\w+":
        "'each Y has one X', 'an X for each Y'",
}
RULES = [(re.compile(rf"\b({turn})\b", re.IGNORECASE), plain) for turn, plain in PLAIN.items()]
# Texts that are themselves under test, or whose digest other files keep.
LEFT_OUT = ("tests/", "client/eval/judge_prompt.cc")


def texts(path: str, text: str) -> Iterator[tuple[int, str]]:
    """(line, what people read of it): of C++ comments and strings, of other files all."""
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith((".cc", ".h")):
            line = " ".join(re.findall(r'//.*|"(?:\\.|[^"\\])*"', line))
        yield number, line


def turns(path: str, text: str) -> Iterator[str]:
    if path.startswith(LEFT_OUT):
        return
    for number, line in texts(path, text):
        for rule, plain in RULES:
            found = rule.search(line)
            if found:
                yield f"{path}:{number}: '{found.group(0)}'; plainer: {plain}"
