# SPDX-License-Identifier: MIT
"""Puts measured text into RESULTS.md between a section's marks; what is outside is kept: it is
written by hand."""

import os
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
PICTURE = RESULTS.with_name("growth.svg")


def replaced(document, section, text):
    begin, end = f"<!-- {section}: measured -->", f"<!-- {section}: end -->"
    head, found, rest = document.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"RESULTS.md has no section {section}")
    return f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"


def replace(section, text, path=RESULTS):
    fresh = Path(f"{path}.new")
    fresh.write_text(replaced(path.read_text(encoding="utf-8"), section, text), encoding="utf-8")
    os.replace(fresh, path)
