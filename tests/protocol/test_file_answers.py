# SPDX-License-Identifier: MIT
"""file.list and file.search: an answer has room for so much text, and globs fit or are refused."""

import json
import subprocess

import pytest

import harness


@pytest.fixture
def serve(folder, start_worker):
    top = folder / "checkout"
    (top / "src").mkdir(parents=True)

    def start(**limits):
        start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)],
                                      "limits": limits}})
        return top
    return start


def text_bytes(match) -> int:
    lines = [match["text"], *match.get("before", []), *match.get("after", [])]
    return len(match["path"]) + sum(len(line.encode()) + 1 for line in lines)


@pytest.mark.core
def test_the_text_of_a_search_is_bounded(spool, serve):
    top = serve(results=100_000)
    (top / "src/large").write_text(("e" * 29 + "\n") * 100_000)
    (top / "src/small").write_text("e\n")
    answer = spool.call("wide", "file.search", {"text": "e", "context": 50})
    data = answer["data"]
    assert sum(text_bytes(m) for m in data["matches"]) <= 1 << 20
    assert len(json.dumps(data)) < 2 << 20
    shown = len(data["matches"])
    # A beginning, without holes: nothing of the second file, though it would fit.
    assert [m["line"] for m in data["matches"]] == list(range(1, shown + 1)) and shown > 300
    assert (data["left_out"], data["complete"]) == (100_001 - shown, False)
    assert "read_bytes is 1048576" in data["cut"] and data["files_searched"] == 2
    data = spool.call("max", "file.search", {"text": "e", "max": 5})["data"]
    assert (len(data["matches"]), data["left_out"]) == (5, 99_996) and "cut" not in data


def test_many_files_share_the_room_of_one_answer(spool, serve):
    top = serve(read_bytes=2000)
    for i in range(200):
        (top / f"src/{i:03}.txt").write_text("needle\n" * (i % 7))
    data = spool.call("a", "file.search", {"text": "needle"})["data"]
    whole = [(f"src/{i:03}.txt", line + 1) for i in range(200) for line in range(i % 7)]
    shown = [(m["path"], m["line"]) for m in data["matches"]]
    assert shown == whole[:len(shown)] and len(shown) == 2000 // (len("src/000.txt") + 7)
    assert (data["left_out"], data["complete"]) == (len(whole) - len(shown), False)
    assert data["files_searched"] == 200 and "cut" in data


def test_one_line_is_there_at_any_rate(spool, serve):
    top = serve(read_bytes=10)
    (top / "src/a").write_text("a line that is longer\nand another line\n")
    data = spool.call("a", "file.search", {"text": "line"})["data"]
    assert [m["line"] for m in data["matches"]] == [1] and data["left_out"] == 1
    data = spool.call("l", "file.list", {"glob": "**"})["data"]
    assert [e["path"] for e in data["entries"]] == ["src", "src/a"] and data["complete"]
    (top / "src/longer name").write_text("")
    data = spool.call("m", "file.list", {"glob": "**"})["data"]
    assert [e["path"] for e in data["entries"]] == ["src", "src/a"]
    assert (data["left_out"], data["complete"]) == (1, False) and "read_bytes" in data["cut"]


@pytest.mark.core
def test_one_file_is_searched(spool, serve):
    top = serve()
    (top / ".gitignore").write_text("*.log\n")
    (top / "src/a.log").write_text("one\ntwo\n")
    (top / "src/b.log").write_text("two\n")
    (top / "link").symlink_to("src/a.log")
    for stem, path in (("a", "src/a.log"), ("l", "link"), ("w", str(top / "src/a.log"))):
        data = spool.call(stem, "file.search", {"text": "two", "path": path, "context": 1})["data"]
        assert data["matches"] == [{"path": "src/a.log", "line": 2, "column": 1, "text": "two",
                                    "before": ["one"], "after": []}], path
        assert data["complete"] and data["files_searched"] == 1
    for stem, glob, count in (("g", "*.log", 1), ("n", "*.txt", 0)):
        data = spool.call(stem, "file.search",
                          {"text": "two", "path": "link", "glob": glob})["data"]
        assert (len(data["matches"]), data["files_searched"]) == (count, count)
    (top / "bin").write_bytes(b"two\0")
    data = spool.call("bin", "file.search", {"text": "two", "path": "bin"})["data"]
    assert data["not_searched"]["no_text"] == 1 and data["files_searched"] == 0
    answer = spool.call("list", "file.list", {"path": "src/a.log"})
    assert answer["error_code"] == "failed_precondition"
    assert "'src/a.log' is a file, not a directory" in answer["error_message"]


def test_a_repository_within_an_ignored_directory_has_its_own_rules(spool, serve):
    """As a worktree, or a clone, in a directory that the repository around it ignores."""
    top = serve()
    (top / ".gitignore").write_text("own/\nclone\n*.log\n")
    for name, entry in (("own/tree", ".git"), ("clone", ".git/HEAD"), ("own/none", "x")):
        (top / name).mkdir(parents=True)
        (top / name / "kept.log").write_text("7 kept\n")
        (top / name / "left.txt").write_text("7 left\n")
        (top / name / ".gitignore").write_text("*.txt\n")
        (top / name / entry).parent.mkdir(exist_ok=True)
        (top / name / entry).write_text("gitdir: elsewhere\n")
    (top / "own/.gitignore").write_text("*\n")
    def listed(stem, **params):
        data = spool.call(stem, "file.list", {"glob": "**", **params})["data"]
        return [entry["path"] for entry in data["entries"]]

    assert listed("worktree", path="own/tree") == [
        "own/tree/.gitignore", "own/tree/kept.log"]
    assert listed("clone", path="clone") == ["clone/.gitignore", "clone/kept.log"]
    assert listed("none", path="own/none") == []
    found = spool.call("s", "file.search", {"path": "own/tree", "text": "7"})["data"]["matches"]
    assert [match["path"] for match in found] == ["own/tree/kept.log"]
    assert "own/tree" not in str(listed("all"))


GLOBS = {"*.{cc,h}": ["a.cc", "src/b.cc", "src/b.h"], "./src/*.cc": ["src/b.cc"],
         "./*.cc": ["a.cc"], "{src/*.h,a.*}": ["a.cc", "src/b.h"], "/*.cc": ["a.cc"],
         "src/b.{c{c,pp},h}": ["src/b.cc", "src/b.h"], "x\\{y\\}": ["x{y}"], "x[{]y}": None,
         "x[{]y\\}": ["x{y}"], "*.{cc": None, "*.cc}": None, "*.{cc}": None, "src/": None,
         "../*": None, "src//b.h": None, "src/./b.h": None, "!*.cc": None,
         "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}": None}


@pytest.mark.core
@pytest.mark.parametrize("glob, fits", GLOBS.items())
def test_a_glob_fits_or_is_refused(spool, serve, glob, fits):
    top = serve()
    for name in ("a.cc", "src/b.cc", "src/b.h", "x{y}"):
        (top / name).write_text("x\n")
    for stem, command, more in (("l", "file.list", {}), ("s", "file.search", {"text": "x"})):
        answer = spool.call(stem, command, {"glob": glob, **more})
        if fits is None:
            assert answer["error_code"] == "invalid_argument", answer
            assert "/params/glob" in answer["error_message"]
        else:
            found = answer["data"].get("entries", answer["data"].get("matches"))
            assert sorted(one["path"] for one in found) == fits and answer["data"]["complete"]


def test_names_of_the_configuration_may_have_braces(spool, folder, start_worker):
    top = folder / "checkout"
    (top / "src").mkdir(parents=True)
    for name in ("a.key", "b.crt", "c.txt", "src/d.txt"):
        (top / name).write_text("x\n")
    start_worker(config={"file": {"roots": [str(top)],
                                  "hidden": ["*.{key,crt}", "./{src/d,e}.txt"]}})
    data = spool.call("l", "file.list", {"glob": "**"})["data"]
    assert [e["path"] for e in data["entries"]] == ["c.txt", "src"]


@pytest.mark.parametrize("member", ["hidden", "protected"])
def test_a_name_with_a_brace_that_is_open_is_refused(folder, member):
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"file": {"roots": [str(folder)], member: ["*.{key,crt"]}}))
    done = subprocess.run([harness.worker_program(), "--config", config, "--check-config"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"file.{member}" in done.stdout + done.stderr
