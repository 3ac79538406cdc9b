# SPDX-License-Identifier: MIT
"""cmake/JoinedRooms.cmake: what is compiled as one unit uses no name twice."""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))

import clang_tidy  # noqa: E402

ALL_GROUPS = {words[0]: words[1:] for words in map(str.split, re.findall(
    r'^  "(.+)"\)?$', (TOP / "cmake/JoinedRooms.cmake").read_text(), re.MULTILINE))}
GROUPS = {group: rooms for group, rooms in ALL_GROUPS.items() if "_test_" not in group}
TEST_GROUPS = {group: tests for group, tests in ALL_GROUPS.items() if "_test_" in group}


def folders_of_rooms() -> dict[str, Path]:
    found = {}
    for layer in ("ipc-schema", "worker", "client"):
        for lists in (TOP / layer).rglob("CMakeLists.txt"):
            for room in re.findall(r"^filecall_room\(\s*(\w+)\s", lists.read_text(), re.MULTILINE):
                found[room] = lists.parent
    return found


def sources_of(room: str, folder: Path) -> list[str]:
    lists = (folder / "CMakeLists.txt").read_text()
    call = re.search(rf"filecall_room\(\s*{room}\s([^)]*)", lists)[1]
    return [str(folder / word) for word in call.split() if word.endswith(".cc")]


def test_each_room_stands_in_one_group_of_its_layer():
    named = sorted(room for rooms in GROUPS.values() for room in rooms)
    folders = folders_of_rooms()
    assert named == sorted(folders)
    for group, rooms in GROUPS.items():
        layer = group.split("_")[0].replace("shared", "ipc-schema")
        assert [room for room in rooms if not folders[room].is_relative_to(TOP / layer)] == []


def clashes(names: dict[str, clang_tidy.Names]) -> list[str]:
    found = []
    rooms = sorted(names)
    for i, room in enumerate(rooms):
        for other in rooms[i + 1:]:
            twice = (names[room].own & names[other].all) | (names[other].own & names[room].all)
            found += [f"{room} and {other}: {name}" for name in sorted(twice)]
    return found


def test_rooms_of_a_group_use_no_name_twice():
    """A second one would be refused or, worse, quietly overload the first."""
    folders = folders_of_rooms()
    found = []
    for rooms in GROUPS.values():
        sources = {room: sources_of(room, folders[room]) for room in rooms}
        names = clang_tidy.names_in([path for paths in sources.values() for path in paths])
        of_rooms = {}
        for room, paths in sources.items():
            assert paths, f"{room} has no source"
            of_rooms[room] = clang_tidy.Names()
            for path in paths:
                of_rooms[room].add(names[path])
        found += clashes(of_rooms)
    assert not found, "move a room to another group of cmake/JoinedRooms.cmake, or rename:\n" + (
        "\n".join(found))


def joined_tests() -> dict[str, list[str]]:
    """The unit tests that do not run alone, with their sources."""
    found = {}
    for lists in (TOP / "tests").rglob("CMakeLists.txt"):
        for name, call in re.findall(r"^filecall_unit_test\((\w+)\s([^)]*)\)", lists.read_text(),
                                     re.MULTILINE):
            if "ALONE" not in call.split():
                found[name] = [str(lists.parent / word) for word in call.split()
                               if word.endswith(".cc")]
    return found


def test_each_unit_test_stands_in_one_group_or_alone():
    named = sorted(test for tests in TEST_GROUPS.values() for test in tests)
    assert named == sorted(joined_tests())


def test_unit_tests_of_a_group_use_no_name_twice():
    tests = joined_tests()
    found = []
    for group in TEST_GROUPS.values():
        names = clang_tidy.names_in([path for test in group for path in tests[test]])
        of_tests = {}
        for test in group:
            of_tests[test] = clang_tidy.Names()
            for path in tests[test]:
                of_tests[test].add(names[path])
            of_tests[test].own -= {"TEST", "TEST_F", "TEST_P"}
            of_tests[test].all -= {"TEST", "TEST_F", "TEST_P"}
        found += clashes(of_tests)
    assert not found, "\n".join(found)


def defined_twice(tags: str) -> list[str]:
    """What two files define in one namespace, outside of classes: one program has one of them."""
    places: dict[tuple[str, str], set[str]] = {}
    for line in tags.splitlines():
        name, path, _, *fields = line.split("\t")
        kinds = {field.partition(":")[0] for field in fields if ":" in field}
        scope = next((field for field in fields if field.startswith("namespace:")), "namespace:")
        is_own = "__anon" in scope or name.startswith(("__anon", "TEST"))
        if kinds.isdisjoint({"class", "struct", "union", "enum", "function"}) and not is_own:
            places.setdefault((scope, name), set()).add(path)
    return [f"{scope.partition(':')[2]}::{name}: {', '.join(sorted(paths))}"
            for (scope, name), paths in sorted(places.items()) if len(paths) > 1]


def test_unit_tests_of_a_layer_define_nothing_twice():
    """The linker keeps either of two inline functions of one name, and says nothing."""
    for layer in ("worker", "client"):
        sources = sorted(str(path) for suffix in ("cc", "h")
                         for path in (TOP / "tests/unit" / layer).rglob(f"*.{suffix}"))
        tags = subprocess.run(["ctags", "--fields=+s", "--kinds-c++=fcsguv", "-f", "-", *sources],
                              capture_output=True, text=True, check=True).stdout
        found = defined_twice(tags)
        assert not found, "\n".join(found)


def test_a_name_of_one_room_that_another_one_uses_is_caught():
    names = {"one": clang_tidy.Names({"taken", "free"}, {"taken", "free", "public"}),
             "two": clang_tidy.Names({"own"}, {"own", "taken"}),
             "three": clang_tidy.Names(set(), {"public"})}
    assert clashes(names) == ["one and two: taken"]
