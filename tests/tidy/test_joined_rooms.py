# SPDX-License-Identifier: MIT
"""cmake/JoinedRooms.cmake: rooms that are compiled as one unit use no name twice."""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "scripts"))

import clang_tidy  # noqa: E402

GROUPS = {words[0]: words[1:] for words in map(str.split, re.findall(
    r'^  "(.+)"\)?$', (TOP / "cmake/JoinedRooms.cmake").read_text(), re.MULTILINE))}


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


def test_a_name_of_one_room_that_another_one_uses_is_caught():
    names = {"one": clang_tidy.Names({"taken", "free"}, {"taken", "free", "public"}),
             "two": clang_tidy.Names({"own"}, {"own", "taken"}),
             "three": clang_tidy.Names(set(), {"public"})}
    assert clashes(names) == ["one and two: taken"]
