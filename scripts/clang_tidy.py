#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy over the sources in bounded time:
clang_tidy.py BUILD_DIR [--minutes N] [--clean FILE] [FILE...]

Nearly all of its time goes into headers, so sources that use no name twice are read as one, like in
a unity build: every check sees each of them as before, and the headers once. Where such a reading
fails or finds something, what it has of each room is read alone and has the last word. Files whose
bytes (and those of every project header they include) were clean before are skipped: --clean names
where that is kept, by default in BUILD_DIR. The most recently changed files come first, so that
what a limit cuts off is what was checked longest ago; the last line says how many were left. Exits
1 when a finding was reported.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
READ_FILES_MAX = 150  # One process of clang-tidy takes up to two gigabytes for them.
# What clang-tidy sees no difference in: how g++ optimises, and what it tells a debugger.
NOT_READ = ("-O", "-g", "-flto", "-fno-fat-lto-objects", "--param")


INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@functools.cache
def included_by(path: Path, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The headers of this project that a file names. Those of one room are asked for again and
    again; a unit of the build knows only what all of its sources include."""
    found = []
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        place = next((folder / name for folder in (path.parent, *folders)
                      if (folder / name).is_file()), None)
        if place:
            found.append(place.resolve())
    return tuple(found)


def headers_of(source: "Source") -> set[Path]:
    """All that it is compiled from, without what libraries bring."""
    folders = tuple(Path(flag[0][2:]) for flag in source.split_flags() if flag[0].startswith("-I"))
    seen: set[Path] = set()
    todo = [Path(source.path)]
    while todo:
        for header in included_by(todo.pop(), folders):
            if header not in seen:
                seen.add(header)
                todo.append(header)
    return seen


@functools.cache
def checks() -> bytes:
    """What decides about findings beside the sources."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    return version + (TOP / ".clang-tidy").read_bytes()


def fingerprint(source: "Source") -> str:
    digest = hashlib.sha256(checks())
    for path in sorted({Path(source.path).resolve(), *headers_of(source)}):
        # By its place in the tree: another clone has the same sources elsewhere.
        place = os.path.relpath(path, TOP)
        digest.update(place.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def sources_of(entry: dict) -> list["Source"]:
    """The sources of one line of the compilation database: of a unity build those that the unit
    includes."""
    if "/Unity/unity_" not in entry["file"]:
        return [Source(entry, entry["file"])]
    included = re.findall(r'^#include "(.+\.cc)"$', Path(entry["file"]).read_text(), re.M)
    return [Source(entry, path) for path in included]


class Source:
    """One file and how it is compiled."""

    def __init__(self, entry: dict, path: str):
        words = shlex.split(entry["command"])
        self.path = path
        self.directory = entry["directory"]
        self.object = words[words.index("-o") + 1]
        # Sources of one target and folder are compiled alike, whatever they are compiled with.
        self.room = self.object.partition(".dir/")[0] + ":" + str(Path(path).parent)
        compiler = next(i for i, word in enumerate(words) if not word.endswith("ccache"))
        precompiled = next((word for word in words if word.endswith("/cmake_pch.hxx")), "")
        # g++'s precompiled headers are none of clang's: each source is read with its own includes.
        skipped = {"-c", "-o", self.object, entry["file"], "-fpch-preprocess", "-Winvalid-pch"}
        if precompiled:
            skipped |= {"-include", precompiled}
        self.flags = [word for word in words[compiler + 1:] if word not in skipped]

    def split_flags(self) -> list[list[str]]:
        words = iter(self.flags)
        return [[word, next(words)] if word in ("-isystem", "--param", "-include") else [word]
                for word in words]

    def language(self) -> tuple[str, ...]:
        """The flags that say how it is read, and not where its headers lie."""
        return tuple(flag[0] for flag in self.split_flags()
                     if not flag[0].startswith(("-I", "-D", "-isystem", *NOT_READ)))


@dataclasses.dataclass
class Names:
    """What sources define outside of classes: their own (in unnamed namespaces), and all."""

    own: set[str] = dataclasses.field(default_factory=set)
    all: set[str] = dataclasses.field(default_factory=set)

    def goes_with(self, other: "Names") -> bool:
        return self.own.isdisjoint(other.all) and other.own.isdisjoint(self.all)

    def add(self, other: "Names") -> None:
        self.own |= other.own
        self.all |= other.all


def names_in(paths: list[str]) -> dict[str, Names]:
    tags = subprocess.run(["ctags", "--fields=+s", "--kinds-c++=cdfgpstuv", "-f", "-", "-L", "-"],
                          input="\n".join(paths), capture_output=True, text=True, check=True).stdout
    found = {path: Names() for path in paths}
    for line in tags.splitlines():
        if line.startswith("!"):
            continue
        name, path, rest = line.split("\t", 2)
        scope = re.search(r"\t(namespace|class|struct|union|enum|function):(\S+)", rest)
        if scope and scope[1] != "namespace":
            continue
        found[path].all.add(name)
        if name == "main" or (scope and scope[2].split("::")[-1].startswith("__anon")):
            found[path].own.add(name)
    return found


def names_of(sources: list[Source]) -> dict[Source, Names]:
    """With those of the headers of the project that each of them includes."""
    headers = {source: [str(header) for header in headers_of(source)] for source in sources}
    paths = {path for of_one in headers.values() for path in of_one}
    names = names_in(sorted(paths | {source.path for source in sources}))
    found = {}
    for source in sources:
        found[source] = Names(set(names[source.path].own), set(names[source.path].all))
        for header in headers[source]:
            found[source].all |= names[header].all
    return found


def readings(sources: list[Source]) -> list[list[Source]]:
    """What is read at once; the reading with the latest change comes first."""
    names = names_of(sources)
    uses = collections.Counter(name for of_one in names.values() for name in of_one.own)
    found: list[tuple[tuple[str, ...], Names, list[Source]]] = []
    # Those that go with the fewest choose first: that leaves fewer readings of one file.
    for source in sorted(sources, key=lambda one: -max(
            (uses[name] for name in names[one].own), default=0)):
        language = source.language()
        for of_reading, of_all, reading in found:
            if (of_reading == language and len(reading) < READ_FILES_MAX
                    and of_all.goes_with(names[source])):
                of_all.add(names[source])
                reading.append(source)
                break
        else:
            found.append((language, names[source], [source]))
    return sorted((reading for _, _, reading in found),
                  key=lambda reading: -max(os.stat(source.path).st_mtime for source in reading))


def joined_flags(unit: list[Source]) -> list[str]:
    """The flags of all, each once: rooms differ in where they find generated headers."""
    joined: list[list[str]] = []
    for source in unit:
        joined += [flag for flag in source.split_flags() if flag not in joined]
    return [word for flag in joined for word in flag]


def check_together(reading: list[Source], name: Path,
                   deadline: float) -> list[tuple[list[Source], int, str]]:
    """What is found in each room of it; rooms that there is no time for are left out."""
    code, said = check(reading, name)
    rooms: dict[str, list[Source]] = {}
    for source in reading:
        rooms.setdefault(source.room, []).append(source)
    if code == 0 or len(rooms) == 1:
        return [(reading, code, said)]
    found = []
    for room in rooms.values():
        if time.monotonic() > deadline:
            # What was found in all is not lost with the time to say in which room.
            return [*found, (room, code, said)]
        found.append((room, *check(room, name)))
    return found


def check(unit: list[Source], name: Path) -> tuple[int, str]:
    # The check that is silenced here speaks of including a .cc file: of these lines alone.
    name.write_text("".join(f'#include "{source.path}"  // NOLINT(bugprone-suspicious-include)\n'
                            for source in unit))
    run = subprocess.run(["clang-tidy", "--quiet", f"--config-file={TOP / '.clang-tidy'}",
                          str(name), "--", *joined_flags(unit)], cwd=unit[0].directory,
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


def keep(cache_file: Path, clean: set[str]) -> None:
    """Two runs at once lose nothing but time: the later one's list stays, whole."""
    cache_file.parent.mkdir(parents=True, exist_ok=True)
    fresh = cache_file.with_name(f"{cache_file.name}.{os.getpid()}")
    fresh.write_text("\n".join(sorted(clean)))
    os.replace(fresh, cache_file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--clean", type=Path)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    build = options.build.resolve()
    commands = json.loads((build / "compile_commands.json").read_text())
    cache_file = options.clean or build / "clang-tidy.clean"
    clean = set(cache_file.read_text().split()) if cache_file.exists() else set()
    folder = build / "clang-tidy"
    folder.mkdir(exist_ok=True)

    wanted = {str(Path(f).resolve()) for f in options.files}
    keys = {}
    work = []
    for source in (source for entry in commands for source in sources_of(entry)):
        if "/build/" in source.path or "/tests/" in source.path or (
                wanted and source.path not in wanted):
            continue
        keys[source] = fingerprint(source)
        if keys[source] not in clean:
            work.append(source)
    if not keys:
        sys.exit(f"{build}: its compilation database names no source of the project")
    deadline = time.monotonic() + options.minutes * 60

    def check_in_time(item: tuple[int, list[Source]]):
        if time.monotonic() > deadline:
            return []
        return check_together(item[1], folder / f"unit_{item[0]}.cc", deadline)

    checked = failed = 0
    planned = readings(work)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for outcomes in pool.map(check_in_time, enumerate(planned)):
            for unit, code, said in outcomes:
                checked += len(unit)
                if code != 0:
                    failed += 1
                    print(said)
                else:
                    clean.update(keys[source] for source in unit)
    if not wanted:
        clean &= set(keys.values())  # What no source is any more need not be known.
    keep(cache_file, clean)
    print(f"checked {checked} files, {failed} units with findings, "
          f"{len(work) - checked} left for lack of time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
