# SPDX-License-Identifier: MIT
"""Plain English and spelling of what people read."""

import subprocess
from pathlib import Path

import pytest

import language
from test_repository import TOP, tracked

READ = tracked("*.md", "*.cc", "*.h", "*.json", "*.in", "*.yaml", "*.cron", "scripts/*",
               "packaging/*", "cmake/*")


def test_texts_are_plain():
    found = [turn for name in READ if name != "tests/bench/RESULTS.md"
             for turn in language.turns(name, (TOP / name).read_text(errors="replace"))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("path,text,is_plain", [
    ("a.md", "Whoever writes it.", False),
    ("a.md", "one line a request", False),
    ("a.md", "one at a time, one of a kind, and one is a copy", True),
    ("a.cc", "int told = 0;", True),
    ("a.cc", "int told = 0;  // Not told.", False),
    ("a.cc", 'fail("it was told");', False),
    ("a.md", "The other theme, again.", True),
])
def test_a_turn_is_found(path, text, is_plain):
    assert (list(language.turns(path, text)) == []) == is_plain


def test_spelling():
    names = [name for name in tracked() if not name.startswith("tests/fuzz/corpus/")
             and not name.endswith((".svg", "RESULTS.md"))]
    done = subprocess.run(["codespell", "--ignore-words",
                           str(Path(__file__).parent / "spelling.txt"), *names],
                          cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
