# SPDX-License-Identifier: MIT
"""Every file of the repository against the house rules."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rules

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/protocol"))

import sanitized  # noqa: E402


def tracked(*patterns: str) -> list[str]:
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
                              *patterns], cwd=TOP, capture_output=True, text=True, check=True)
    return sorted(name for name in set(listing.stdout.splitlines()) if (TOP / name).is_file())


CPP = tracked("*.cc", "*.h")
SCRIPTS = [name for name in tracked("*.py", "*.sh", "scripts/*", ".ci/*")
           if name.endswith((".py", ".sh")) or (TOP / name).read_bytes().startswith(b"#!")]


def violations(names, checks):
    for name in names:
        text = (TOP / name).read_text(encoding="utf-8")
        for check in checks:
            if check is rules.words and name.startswith("tests/tidy/"):
                continue  # The rules name what they look for.
            yield from check(name, text)


@pytest.mark.parametrize("check", rules.CPP_RULES, ids=lambda check: check.__name__)
def test_sources(check):
    assert CPP
    found = list(violations(CPP, [check]))
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("check", rules.SCRIPT_RULES, ids=lambda check: check.__name__)
def test_scripts(check):
    assert SCRIPTS
    found = list(violations(SCRIPTS, [check]))
    assert not found, "\n" + "\n".join(found)


def test_function_lengths():
    tags = subprocess.run(["ctags", "--fields=+ne", "--kinds-c++=f", "-f", "-", *CPP], cwd=TOP,
                          capture_output=True, text=True, check=True).stdout
    assert "line:" in tags and "end:" in tags, "this ctags does not tell where a function ends"
    found = list(rules.function_lengths(tags))
    assert not found, "\n" + "\n".join(found)


def room_of(name):
    return next(folder for folder in Path(name).parents
                if (TOP / folder / "CMakeLists.txt").exists())


def test_room_names():
    tags = subprocess.run(["ctags", "--fields=+ns", "--kinds-c++=fcsgtv", "-f", "-", *CPP], cwd=TOP,
                          capture_output=True, text=True, check=True).stdout
    assert "__anon" in tags, "this ctags does not tell of anonymous namespaces"
    found = list(rules.room_names(tags, room_of))
    assert not found, "\n" + "\n".join(found)


def test_no_type_hides_another():
    names = [name for name in CPP if not name.startswith("tests/")]
    tags = subprocess.run(["ctags", "--fields=+ns", "--kinds-c++=csgtu", "-f", "-", *names],
                          cwd=TOP, capture_output=True, text=True, check=True).stdout
    found = list(rules.hidden_types(tags))
    assert not found, "\n" + "\n".join(found)


def test_classes_lie_in_one_file():
    tags = subprocess.run(["ctags", "--fields=+s", "--kinds-c++=f", "-f", "-", *CPP], cwd=TOP,
                          capture_output=True, text=True, check=True).stdout
    assert "class:filecall::" in tags, "this ctags does not tell whose member a function is"
    found = list(rules.split_classes(tags))
    assert not found, "\n" + "\n".join(found)


def test_rooms_link_what_they_may_include():
    files = {str(Path(name).parent): (TOP / name).read_text()
             for name in tracked("ipc-schema/*CMakeLists.txt", "worker/*CMakeLists.txt",
                                 "client/*CMakeLists.txt")}
    linked = rules.linked_rooms(files)
    found = [*rules.room_disagreements(rules.EDGES, linked), *rules.room_cycles(linked)]
    assert not found, "\n" + "\n".join(found)


def test_every_source_is_built():
    """A file that no CMakeLists.txt names is dead: it can break without anybody noticing."""
    texts = {}
    found = []
    for name in CPP:
        if not name.endswith(".cc"):
            continue
        folders = [parent for parent in Path(name).parents if str(parent) != "."] + [Path(".")]
        for folder in folders:
            lists = TOP / folder / "CMakeLists.txt"
            if lists.exists():
                words = texts.setdefault(lists, re.split(r"[\s()]+", lists.read_text()))
                own = str(Path(name).relative_to(folder))
                if own in words or any(re.fullmatch(re.sub(r"\$\{\w+\}", r"\\w+", word), own)
                                       for word in words if "${" in word and word.endswith(".cc")):
                    break
        else:
            found.append(name)
    assert not found, f"no CMakeLists.txt names {found}"


def test_every_room_has_a_target():
    for room in rules.EDGES:
        folder = TOP / room
        if any(folder.glob("*.cc")):
            assert (folder / "CMakeLists.txt").exists(), f"{room} is not in the CMake graph"


def test_worker_and_client_never_meet():
    for name in CPP:
        other = {"worker": "client/", "client": "worker/"}.get(name.split("/", 1)[0])
        for _, kind, included in rules.includes((TOP / name).read_text()):
            assert not (other and kind == '"' and included.startswith(other)), f"{name}: {included}"


def test_sanitizers_are_given_protocol_tests_that_exist():
    folder = TOP / "tests/protocol"
    script = (TOP / "scripts/test").read_text()
    for name, files in sanitized.BY_NAME.items():
        assert [file for file in files if not (folder / f"{file}.py").exists()] == []
        assert re.search(rf'run_protocol ["$a-z_-]+ {name}\b', script), f"no stage runs {name}"
        assert sanitized.runs_under(name, "long", "test_any", False, False)
        assert sanitized.runs_under(name, "normal", next(iter(files)), False, False)
        assert not sanitized.runs_under(name, "normal", "test_any", False, True)
        assert sanitized.runs_under(name, "normal", "test_any", True, True)
        assert not sanitized.runs_under(name, "normal", "test_any", True, False)
    for file in sanitized.FIRST:
        assert sanitized.runs_under("memory", "normal", file, False, True)
        assert not sanitized.runs_under("memory", "normal", file, False, False)
    assert any("mark.core" in path.read_text() for path in folder.glob("test_*.py"))


def test_the_version_is_one():
    version = re.search(r"^project\(filecall VERSION (\S+)", (TOP / "CMakeLists.txt").read_text(),
                        re.MULTILINE)[1]
    package = (TOP / "packaging/python/pyproject.toml").read_text()
    assert re.search(r'^version = "(.*)"', package, re.MULTILINE)[1] == version
    assert re.search(r"^## (\S+)", (TOP / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == version
