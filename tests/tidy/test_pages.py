# SPDX-License-Identifier: MIT
"""What can be seen of README.md and docs/ without running them; tests/e2e/test_pages.py does."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import pages  # noqa: E402

README_LINES_MAX = 120


def read(name):
    return (pages.TOP / name).read_text(encoding="utf-8")


def test_the_readme_is_short():
    assert len(read("README.md").splitlines()) <= README_LINES_MAX


@pytest.mark.parametrize("name", [*pages.PAGES, *pages.OTHERS])
def test_links_lead_somewhere(name):
    broken = pages.broken_links(name)
    assert not broken, "\n".join(broken)


def test_the_readme_leads_to_every_page():
    linked = pages.links(read("README.md"))
    for name in pages.PAGES[1:]:
        assert name in linked, f"README.md has no link to {name}"


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_page_begins_with_a_command(name):
    first = pages.blocks(read(name))[0]
    assert first.language == "sh", f"{name}:{first.line}: the first block is no command"
    if name != "README.md":
        assert "\n## " not in "\n".join(read(name).splitlines()[:first.line]), \
            f"{name}: a heading comes before the first command"


@pytest.mark.parametrize("name", pages.PAGES)
def test_blocks_are_of_a_known_kind(name):
    for block in pages.blocks(read(name)):
        where = f"{name}:{block.line}"
        assert block.language in pages.LANGUAGES, f"{where}: nothing checks {block.language}"
        if block.language == "json":
            for line in block.text.splitlines():
                json.loads(line)
        if block.language == "yaml":
            assert block.marker == "file", f"{where}: say under which name a reader saves it"


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_block_that_is_pasted_names_the_root_itself(name):
    """A reader has set no FILECALL_ROOT."""
    for block in pages.blocks(read(name)):
        names = re.findall(r"\$\{?FILECALL_ROOT(?!:-|\w)", block.text)
        assert not names or "export FILECALL_ROOT=" in block.text, f"{name}:{block.line}"


def test_every_key_of_the_configuration_is_in_its_page():
    """A key is what a section of the reader reads."""
    text = read("docs/configuration.md")
    readers = sorted((pages.TOP / "worker/config").glob("*.cc"))
    keys = {key for path in readers for key in
            re.findall(r'\b(?:read\w*|section|each)\((?:\w+, )?"(\w+)"', path.read_text())}
    assert {"durability", "rotate_bytes", "providers", "writable", "timeout_max"} <= keys
    missing = sorted(key for key in keys if not re.search(rf"\b{key}:", text))
    assert not missing, f"docs/configuration.md has no {', '.join(missing)}"
