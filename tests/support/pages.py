# SPDX-License-Identifier: MIT
"""README.md and docs/*.md as tests see them: blocks, links, anchors.

A comment in the line before a block says what a test does with it; nobody sees it when the page is
rendered:

    <!-- not run: REASON -->   it needs what a test has not (a cluster, systemd, minutes)
    <!-- file: NAME -->        the reader saves it under this name
"""

import re
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(path.relative_to(TOP)) for path in (TOP / "docs").glob("*.md"))]
OTHERS = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "ipc-schema/README.md",
          "tmp-layout/README.md"]
LANGUAGES = {"sh", "python", "yaml", "json", ""}


@dataclass
class Block:
    line: int  # Of its fence.
    language: str
    text: str
    marker: str  # "", "file" or "not run"
    argument: str


def blocks(text: str) -> list[Block]:
    found = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        fence = re.fullmatch(r"```(\w*)", lines[number])
        if fence:
            end = lines.index("```", number + 1)
            before = lines[number - 1] if number else ""
            marker = re.fullmatch(r"<!-- (file|not run): (.+) -->", before)
            found.append(Block(number + 1, fence.group(1),
                               "\n".join(lines[number + 1:end]) + "\n",
                               *(marker.groups() if marker else ("", ""))))
            number = end
        number += 1
    return found


def prose(text: str) -> str:
    """The text without its blocks; lines keep their numbers."""
    return re.sub(r"^```\w*\n.*?^```$", lambda block: "\n" * block.group(0).count("\n"), text,
                  flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Of its headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)}


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", prose(text))


def broken_links(name: str) -> list[str]:
    broken = []
    for link in links((TOP / name).read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = (TOP / name).parent / path if path else TOP / name
        if not target.exists():
            broken.append(f"{name}: {link}: there is no such file")
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            broken.append(f"{name}: {link}: the page has no such heading")
    return broken
