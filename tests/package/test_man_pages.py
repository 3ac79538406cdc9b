# SPDX-License-Identifier: MIT
"""Man pages say what --help says, as a reader sees them."""

import os
import re
import subprocess

import pytest

from harness import DEADLINE, TOP, client_program

PAGES = TOP / "build/release/docs"
CLIENT = client_program()
WORKER = client_program().parent / "filecall-worker"
OPTION = re.compile(r"^ *(--[a-z][a-z-]*)(?= |$)")
SUBCOMMANDS = [match[1] for match in re.finditer(
    r"^  ([a-z]+)\b", subprocess.run([CLIENT, "--help"], capture_output=True, text=True, check=True)
    .stdout.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)]


def said(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=True, timeout=DEADLINE).stdout


def shown(name):
    """The page as plain text, wide enough that no word is broken."""
    env = {**os.environ, "MANWIDTH": "400", "LC_ALL": "C.UTF-8", "MANROFFOPT": "-c -rHY=0",
           "MAN_KEEP_FORMATTING": "", "PAGER": "cat", "MANPAGER": "cat"}
    done = subprocess.run(["man", "--warnings", "--nj", "--nh", "-l", PAGES / name],
                          capture_output=True, text=True, check=True, env=env, timeout=DEADLINE)
    assert done.stderr == "", done.stderr
    return re.sub(r".\x08", "", done.stdout)


def options_of(text):
    return {match[1] for line in text.splitlines() if (match := OPTION.match(line))}


def words_of(text):
    return " ".join(text.split())


def section(text, name):
    return re.search(rf"^{re.escape(name)}\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)[1]


def explanations(help_text):
    """The rows of a help text, each with its continuation lines, as one string."""
    rows = re.split(r"\n(?=  \S)", help_text)[1:]
    return [words_of(re.split(r"\n(?=\S|\n)", row)[0]) for row in rows]


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_subcommand_has_the_same_options_in_its_help_and_in_the_page(name):
    commands = section(shown("filecall.1"), "COMMANDS")
    part = re.search(rf"^   {name}\b.*?(?=^   \S|\Z)", commands, re.DOTALL | re.MULTILINE)[0]
    text = said(CLIENT, "help", name)
    assert options_of(part) == options_of(text) != set()
    missing = [row for row in explanations(text.split("\nExit codes:")[0])
               if row not in words_of(part)]
    assert missing == []
    codes = re.findall(r"^  (\d+) ", text.split("Exit codes:\n")[1], re.MULTILINE)
    assert f"Exit status: {', '.join(codes)}." in words_of(part)


@pytest.mark.parametrize("program,page", [(CLIENT, "filecall.1"), (WORKER, "filecall-worker.1")])
def test_a_page_has_all_that_help_says(program, page):
    text, manual = said(program, "--help"), shown(page)
    for name in ("NAME", "SYNOPSIS", "DESCRIPTION", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
        assert section(manual, name).strip(), name
    rows = explanations(text[text.index("\nExamples:" if program == CLIENT else "\nOptions:"):])
    assert len(rows) > 15
    missing = [row for row in rows if row not in words_of(manual)]
    assert missing == []


def test_the_worker_has_the_same_options_in_its_help_and_in_the_page():
    options = options_of(said(WORKER, "--help"))
    assert options_of(section(shown("filecall-worker.1"), "OPTIONS")) == options
    assert {"--root", "--config", "--drain", "--help"} < options


def test_the_page_of_the_configuration_has_its_keys():
    text = shown("filecall-worker.yaml.5")
    page = (TOP / "docs/configuration.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 4
    for line in "\n".join(blocks).splitlines():
        assert words_of(line) in words_of(text), line
    for heading in re.findall(r"^## (.*)$", page, re.MULTILINE):
        assert section(text, heading.upper()).strip(), heading
