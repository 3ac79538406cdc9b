# SPDX-License-Identifier: MIT
"""scripts/clang_tidy.py reads many sources at once: it must report what reading each alone does."""

import json
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CONFIG = f"--config-file={TOP / '.clang-tidy'}"

HEADER = """#pragma once
#include <string>
inline std::string copied(std::string text) { return text + text; }
"""
# What stands here is wrong in one way each, and is read first, between others and last.
SOURCES = {
    "moves.cc": """#include <utility>
#include "worker/header.h"
namespace {
std::string twice(std::string text) {
  std::string taken = std::move(text);
  return taken + text;
}
bool is_ready(int value) {
  while (value > 0) {}
  return value == 0;
}
}
bool moves() { return twice("a").empty() && is_ready(1); }
""",
    "texts.cc": """#include <cstring>
#include <vector>
#include "worker/header.h"
namespace {
std::string oversized() { return std::string("text", 1000); }
bool is_same(const char* a, const char* b) { if (strcmp(a, b)); return strcmp(a, b) == 2; }
std::vector<int> filled(int count) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) all.push_back(i);
  return all;
}
}
bool texts() { return oversized().empty() && is_same("a", "b") && filled(1).empty(); }
""",
    "loops.cc": """#include <mutex>
#include <vector>
#include "worker/header.h"
namespace {
std::size_t lengths(const std::vector<std::string>& all) {
  std::size_t sum = sizeof(sizeof(int));
  for (const std::string one : all) sum += one.size();
  return sum;
}
struct Guard { explicit Guard(int) {} ~Guard() {} };
void guarded(std::vector<int>& all) { Guard(1); all.clear(); }
}
std::size_t loops(std::vector<int>& all) {
  guarded(all);
%s  return lengths({});
}
""" % "".join(f"  all.push_back({i});\n" for i in range(80)),
}


def findings(output: str) -> set[str]:
    return set(re.findall(r"^(\S+?:\d+:\d+: error: .*)$", output, re.MULTILINE))


def test_findings_of_sources_read_at_once_are_those_of_each_alone(tmp_path):
    room = tmp_path / "worker"
    room.mkdir()
    (room / "header.h").write_text(HEADER)
    commands, alone = [], set()
    for name, text in SOURCES.items():
        (room / name).write_text(text)
        commands.append({
            "directory": str(tmp_path), "file": str(room / name),
            "command": f"/usr/bin/ccache /usr/bin/c++ -I{tmp_path} -std=gnu++20 "
                       f"-o worker/CMakeFiles/room.dir/{name}.o -c {room / name}"})
        alone |= findings(subprocess.run(
            ["clang-tidy", "--quiet", CONFIG, str(room / name), "--", f"-I{tmp_path}",
             "-std=gnu++20"], capture_output=True, text=True, check=False).stdout)
    build = tmp_path / "out"
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps(commands))

    script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), str(build)]
    run = subprocess.run(script, capture_output=True, text=True, check=False)

    assert run.returncode == 1
    assert findings(run.stdout) == alone
    assert {re.search(r"\[([\w-]+)", line)[1] for line in alone} >= {
        "bugprone-use-after-move", "bugprone-infinite-loop", "bugprone-string-constructor",
        "bugprone-suspicious-string-compare", "bugprone-suspicious-semicolon",
        "bugprone-sizeof-expression", "bugprone-unused-raii",
        "performance-inefficient-vector-operation", "performance-for-range-copy",
        "performance-unnecessary-value-param", "readability-function-size"}
    assert any("header.h" in line for line in alone)
    assert "checked 3 files" in run.stdout and len(list((build / "clang-tidy").iterdir())) == 1


def test_rooms_that_use_one_name_twice_are_read_apart(tmp_path):
    """What is found in rooms that are read together is what each of them has alone."""
    texts = {"one": "namespace { int taken() { return 1; } }\nint one() { return taken(); }\n",
             "two": "namespace { int taken() { return 2; } }\nint two() { return taken(); }\n",
             "three": "int three() { return sizeof(sizeof(int)); }\n",
             "four": "#ifdef __EXCEPTIONS\n#error none\n#endif\nint four() { return 4; }\n"}
    commands = []
    for room, text in texts.items():
        source = tmp_path / "worker" / room / f"{room}.cc"
        source.parent.mkdir(parents=True)
        source.write_text(text)
        exceptions = "-fno-exceptions" if room == "four" else "-fexceptions"
        commands.append({
            "directory": str(tmp_path), "file": str(source),
            "command": f"c++ {exceptions} -o {room}/CMakeFiles/{room}.dir/{room}.cc.o -c {source}"})
    build = tmp_path / "out"
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps(commands))
    script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), str(build)]
    run = subprocess.run(script, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert {line.split(":")[0] for line in findings(run.stdout)} == {
        str(tmp_path / "worker/three/three.cc")}
    assert run.stdout.splitlines()[-1].startswith("checked 4 files, 1 units with findings")
    assert len(list((build / "clang-tidy").iterdir())) == 3
    again = subprocess.run(script, capture_output=True, text=True, check=False)
    assert again.stdout.splitlines()[-1].startswith("checked 1 files")


def test_a_source_is_read_again_only_after_a_change(tmp_path):
    room = tmp_path / "worker"
    room.mkdir()
    source = room / "one.cc"
    source.write_text("int one() { return 1; }\n")
    build = tmp_path / "out"
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps([{
        "directory": str(tmp_path), "file": str(source),
        "command": f"c++ -o worker/CMakeFiles/room.dir/one.cc.o -c {source}"}]))
    script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), str(build)]

    def checked() -> str:
        run = subprocess.run(script, capture_output=True, text=True, check=True)
        return run.stdout.splitlines()[-1].split(",")[0]

    assert checked() == "checked 1 files"
    assert checked() == "checked 0 files"
    source.write_text("int one() { return 2; }\n")
    assert checked() == "checked 1 files"


def test_what_is_kept_outside_is_known_to_another_build(tmp_path):
    room = tmp_path / "worker"
    room.mkdir()
    (room / "one.cc").write_text("int one() { return 1; }\n")
    checked = []
    for name in ("first", "second"):
        build = tmp_path / name
        build.mkdir()
        (build / "compile_commands.json").write_text(json.dumps([{
            "directory": str(tmp_path), "file": str(room / "one.cc"),
            "command": f"c++ -o worker/CMakeFiles/room.dir/one.cc.o -c {room / 'one.cc'}"}]))
        script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), "--clean",
                  str(tmp_path / "cache/clean"), str(build)]
        run = subprocess.run(script, capture_output=True, text=True, check=True)
        checked.append(run.stdout.splitlines()[-1].split(",")[0])
    assert checked == ["checked 1 files", "checked 0 files"]


def test_the_sources_of_a_unity_build_are_those_that_its_units_include(tmp_path):
    room = tmp_path / "worker"
    room.mkdir()
    for name in ("one", "two"):
        (room / f"{name}.cc").write_text(f"int {name}() {{ return 1; }}\n")
    build = tmp_path / "out"
    unit = build / "worker/CMakeFiles/room.dir/Unity/unity_0_cxx.cxx"
    unit.parent.mkdir(parents=True)
    unit.write_text(f'/* generated */\n\n#include "{room}/one.cc"\n\n#include "{room}/two.cc"\n')
    (build / "compile_commands.json").write_text(json.dumps([{
        "directory": str(tmp_path), "file": str(unit),
        "command": f"c++ -o worker/CMakeFiles/room.dir/Unity/unity_0_cxx.cxx.o -c {unit}"}]))
    script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), str(build)]

    run = subprocess.run(script, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1].startswith("checked 2 files")


def test_a_database_without_sources_is_an_error(tmp_path):
    (tmp_path / "compile_commands.json").write_text("[]")
    script = [sys.executable, str(TOP / "scripts/clang_tidy.py"), str(tmp_path)]
    assert subprocess.run(script, capture_output=True, check=False).returncode != 0
