# SPDX-License-Identifier: MIT
"""Trees that change while they are read and changed, that are full, and that are large."""

import contextlib
import ctypes
import hashlib
import os
import threading
from pathlib import Path

import pytest

import mounts
from harness import SLOW

AT_FDCWD, RENAME_EXCHANGE = -100, 2
LIBC = ctypes.CDLL(None, use_errno=True)


def exchange(one: Path, other: Path) -> None:
    """The two names change what they hold, in one step."""
    done = LIBC.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other),
                          RENAME_EXCHANGE)
    assert done == 0, os.strerror(ctypes.get_errno())


@contextlib.contextmanager
def exchanged_all_the_time(one: Path, other: Path):
    stop = threading.Event()

    def go():
        while not stop.is_set():
            exchange(one, other)

    thread = threading.Thread(target=go)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def tree(folder):
    top = folder / "checkout"
    top.mkdir()
    return top


@pytest.fixture
def serve(tree, start_worker):
    def start(**settings):
        return start_worker(config={"file": {"roots": [str(tree)], "writable": [str(tree)],
                                             **settings}})
    return start


def test_a_link_that_takes_the_place_of_a_directory_leads_nowhere_out(spool, serve, tree, folder):
    outside = folder / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("the needle of others\n")
    (tree / "sub").mkdir()
    (tree / "sub/a.txt").write_text("our needle\n")
    os.symlink(outside, tree / "link")
    serve()
    with exchanged_all_the_time(tree / "sub", tree / "link"):
        for i in range(40):
            for command, params in {
                    "search": {"text": "needle"}, "list": {"glob": "**/*.txt"},
                    "read": {"files": ["sub/a.txt", "link/a.txt"]},
                    "propose": {"changes": [{"path": "sub/a.txt", "operation": "update",
                                             "edits": [{"old": "needle", "new": "pin"}]}]},
                    "create": {"path": "sub/new.txt", "content": "x"}}.items():
                answer = spool.call(f"{command}-{i}", f"file.{command}", params)
                assert "of others" not in str(answer), answer
    assert sorted(os.listdir(outside)) == ["a.txt"]


def test_a_directory_that_is_replaced_meanwhile_keeps_changes_whole(spool, serve, tree):
    for name in ("one", "other"):
        (tree / name).mkdir()
    (tree / "one/a.txt").write_text("0")
    (tree / "other/a.txt").write_text("not meant")
    (tree / "b.txt").write_text("0")
    serve()
    made = 0
    with exchanged_all_the_time(tree / "one", tree / "other"):
        for i in range(60):
            now, new = (tree / "b.txt").read_text(), f"{i + 1}"
            answer = spool.call(f"a{i}", "file.apply", {"changes": [
                {"path": path, "operation": "update", "base_sha256": sha256(now),
                 "new_content": new} for path in ("one/a.txt", "b.txt")]})
            is_made = answer["status"] == "success"
            made += is_made
            if not is_made:
                details = answer.get("error_details", {})
                assert answer["error_code"] in ("failed_precondition", "not_found",
                                                "unavailable"), answer
                assert details.get("changes") != "torn", answer
            assert (tree / "b.txt").read_text() == (new if is_made else now)
    texts = {(tree / name / "a.txt").read_text() for name in ("one", "other")}
    assert texts == {"not meant", (tree / "b.txt").read_text()}
    assert not [p for p in tree.rglob(".*")]
    assert made > 0


def test_a_full_disk_keeps_all_files_as_they_were(spool, start_worker, folder):
    with mounts.small_tmpfs(folder / "disk", "4m") as disk:
        old = {"a.txt": "a" * 300_000, "b.txt": "b" * 300_000}
        for name, text in old.items():
            (disk / name).write_text(text)
        start_worker(config={"file": {"roots": [str(disk)], "writable": [str(disk)]}})
        with open(disk / "filler", "wb") as filler:
            # Room for one of the new contents.
            filler.write(b"x" * (os.statvfs(disk).f_bavail * 4096 - 450_000))
        changes = [{"path": name, "operation": "update", "base_sha256": sha256(text),
                    "new_content": text + "new"} for name, text in old.items()]
        answer = spool.call("full", "file.apply", {"changes": changes})
        assert answer["error_code"] == "resource_exhausted", answer
        assert answer["error_details"] == {"changes": "undone"}
        assert {n: (disk / n).read_text() for n in old} == old
        assert sorted(os.listdir(disk)) == ["a.txt", "b.txt", "filler"]
        (disk / "filler").unlink()
        assert spool.call("room", "file.apply", {"changes": changes})["status"] == "success"
        assert {n: (disk / n).read_text() for n in old} == {n: t + "new" for n, t in old.items()}


def test_a_hundred_thousand_files_are_listed_and_searched_in_bounded_answers(spool, serve, tree):
    for i in range(100):
        directory = os.open(tree, os.O_RDONLY)
        os.mkdir(f"{i:02}", dir_fd=directory)
        os.close(directory)
        directory = os.open(tree / f"{i:02}", os.O_RDONLY)
        for j in range(1000):
            os.close(os.open(f"{j:03}.txt", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=directory))
        os.close(directory)
    (tree / "99/999.txt").write_text("needle\n")
    worker = serve(limits={"results": 500})

    def ask(stem, command, params):
        spool.drop(stem, command, params)
        return spool.wait_response(stem, 120 * SLOW)["data"]

    data = ask("list", "file.list", {"glob": "*.txt"})
    assert len(data["entries"]) == 500 and not data["complete"]
    assert data["entries"] == sorted(data["entries"], key=lambda entry: entry["path"])
    data = ask("search", "file.search", {"text": "needle"})
    assert [m["path"] for m in data["matches"]] == ["99/999.txt"] and data["complete"]
    peak = [line for line in Path(f"/proc/{worker.process.pid}/status").read_text().splitlines()
            if line.startswith("VmHWM")]
    assert int(peak[0].split()[1]) < 400 * 1024, peak
