# SPDX-License-Identifier: MIT
"""What a refused create leaves, how lines end afterwards, and what messages say."""

import hashlib
import os
import resource

import pytest


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    top.mkdir()
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    return top


def edit(spool, stem, path, present, **change):
    return spool.call(stem, "file.edit", {"path": path, "base_sha256": sha256(present), **change})


@pytest.mark.core
def test_a_refused_create_leaves_no_directory(spool, files):
    (files / "a.txt").write_text("x\n")
    (files / "nowhere").symlink_to("none")
    for index, (path, code) in enumerate({
            "a/b/.env": "permission_denied", "a/id_x/c": "permission_denied",
            "a/.git/c": "permission_denied", "a/b/" + "n" * 256: "invalid_argument",
            "n" * 300 + "/b": "invalid_argument", "a/b/c/": "invalid_argument",
            "a/b/../c": "invalid_argument", "a.txt/b/c": "failed_precondition",
            "nowhere/b": "not_found", "d/" * 2500 + "x": "invalid_argument"}.items()):
        for stem, command, params in (
                ("c", "file.create", {"path": path, "content": "x"}),
                ("a", "file.apply", {"changes": [
                    {"path": "other/b", "operation": "create", "new_content": "x"},
                    {"path": path, "operation": "create", "new_content": "x"}]})):
            answer = spool.call(f"{stem}{index}", command, params)
            assert answer["status"] == "error" and answer["error_code"] == code, (path, answer)
            assert "/params/" in answer["error_message"], answer["error_message"]
            assert sorted(os.listdir(files)) == ["a.txt", "nowhere"], path


def test_a_create_that_fails_takes_its_directories_back(spool, folder, start_worker):
    top = folder / "limited"
    (top / "there").mkdir(parents=True)
    worker = start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    soft, hard = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (200_000, hard))
    for stem, path in (("a", "new/deep/large"), ("b", "there/deep/large")):
        answer = spool.call(stem, "file.create", {"path": path, "content": "x" * 300_000})
        assert answer["error_code"] == "resource_exhausted", answer
        assert answer["error_message"].startswith("/params/path")
        answer = spool.call(stem + "a", "file.apply", {"changes": [
            {"path": path, "operation": "create", "new_content": "x" * 300_000}]})
        assert answer["error_code"] == "resource_exhausted", answer
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (soft, hard))
    assert os.listdir(top) == ["there"] and os.listdir(top / "there") == []


def test_creates_in_one_new_directory_do_not_hinder_each_other(spool, files):
    stems = [f"r{i}" for i in range(24)]
    for stem in stems:
        name = "n" * 255 + ("" if int(stem[1:]) % 3 else "n")
        spool.drop(stem, "file.create", {"path": f"new/{int(stem[1:]) % 2}/{stem}/{name}",
                                         "content": "x"})
        spool.drop(stem + "s", "file.create", {"path": f"new/{int(stem[1:]) % 2}/{stem}",
                                               "content": "x"} if int(stem[1:]) % 3 == 0 else
                   {"path": f"new/{int(stem[1:]) % 2}/{stem}/b", "content": "x"})
    for stem in stems:
        first, second = (spool.wait_response(stem + end) for end in ("", "s"))
        assert second["status"] == "success", second
        assert first["status"] == ("success" if int(stem[1:]) % 3 else "error"), first


@pytest.mark.core
def test_lines_that_do_not_change_keep_their_ends(spool, files):
    path = files / "m.txt"
    for stem, before, content, after in (
            ("a", b"a\r\nb\r\nc\r\nz\n", "a\nb\nC\nz\n", b"a\r\nb\r\nC\r\nz\n"),
            ("b", b"a\r\nb\n", "a\r\nb\r\nc\r\n", b"a\r\nb\nc\n"),
            ("c", b"a\r\nb\n", "a\nb\r\n", b"a\nb\r\n"),
            ("d", b"a\nb\r\nc", "0\na\nb\nc\n", b"0\na\nb\r\nc")):
        path.write_bytes(before)
        proposal = spool.call(stem + "p", "file.propose", {"changes": [
            {"path": "m.txt", "operation": "update", "new_content": content}]})["data"]
        assert proposal["changes"][0]["new_content"].encode() == after
        answer = edit(spool, stem, "m.txt", before, content=content)
        assert answer["status"] == "success" and path.read_bytes() == after, (stem, answer)


@pytest.mark.core
def test_a_change_of_mode_is_refused_and_not_dropped(spool, files):
    path = files / "a.txt"
    path.write_text("one\n")
    modes = "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
    for stem, patch in (("m", modes),
                        ("c", modes + "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n")):
        answer = edit(spool, stem, "a.txt", b"one\n", patch=patch)
        assert answer["error_code"] == "invalid_argument"
        assert "/params/patch: changes the mode" in answer["error_message"]
        assert path.read_text() == "one\n"
    index = ("diff --git a/a.txt b/a.txt\nindex 12..34 100644\n--- a/a.txt\n+++ b/a.txt\n"
             "@@ -1 +1 @@\n-one\n+two\n")
    assert edit(spool, "i", "a.txt", b"one\n", patch=index)["status"] == "success"


@pytest.mark.core
def test_the_line_number_decides_between_blocks_that_touch(spool, files):
    path = files / "t.txt"
    text = "a\nx\nb\na\nx\nb\n"
    path.write_text(text)
    answer = edit(spool, "a", "t.txt", text.encode(), patch="--- a/t.txt\n+++ b/t.txt\n"
                  "@@ -4,3 +4,3 @@\n a\n-x\n+y\n b\n")
    assert answer["status"] == "success", answer
    assert path.read_text() == "a\nx\nb\na\ny\nb\n"


@pytest.mark.core
def test_messages_say_what_is_so(spool, files):
    (files / "a.txt").write_text("one\n")
    answer = edit(spool, "same", "a.txt", b"one\n", edits=[{"old": "one", "new": "one"}])
    assert answer["error_code"] == "invalid_argument"
    assert answer["error_details"]["reason"] == "no_change"
    assert "changes nothing: the old and the new text are the same" in answer["error_message"]
    for stem, command, params in (
            ("c", "file.create", {"content": "x"}),
            ("d", "file.delete", {"base_sha256": "0" * 64}),
            ("e", "file.edit", {"base_sha256": "0" * 64, "content": ""}),
            ("l", "file.list", {})):
        answer = spool.call(stem, command, {"path": "n" * 256, **params})
        assert answer["error_code"] == "invalid_argument", answer
        assert answer["error_message"].startswith("/params/path: "), answer
    (files / "dir").mkdir()
    answer = spool.call("dir", "file.delete", {"path": "dir", "base_sha256": "0" * 64})
    assert answer["error_message"] == "/params/path: 'dir' is a directory"


def test_a_diff_that_has_no_room_is_cut_at_whole_hunks(spool, folder, start_worker):
    top = folder / "small"
    top.mkdir()
    text = "".join(f"line {i}\n" for i in range(200))
    (top / "a.txt").write_text(text)
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)],
                                  "limits": {"read_bytes": 300}}})
    edits = [{"old": f"line {i}\n", "new": f"LINE {i}\n"} for i in range(100, 200, 20)]
    data = edit(spool, "a", "a.txt", text.encode(), edits=edits)["data"]
    assert len(data["diff"]) <= 300 and data["diff"].count("@@ -") == 2 == len(edits) - data[
        "diff_left_out"]
    assert "LINE 120" in data["diff"] and "line 123" in data["diff"]
    now = (top / "a.txt").read_bytes()
    data = edit(spool, "b", "a.txt", now, content=text)["data"]
    assert data["diff_left_out"] == 3 and (top / "a.txt").read_text() == text
    data = edit(spool, "c", "a.txt", text.encode(), content="x" * 400)["data"]
    assert (data["diff"], data["diff_left_out"]) == ("", 1)
    data = edit(spool, "d", "a.txt", b"x" * 400 + b"\n", content="")["data"]
    assert data["diff_left_out"] == 1 and data["changed"]
