# SPDX-License-Identifier: MIT
"""file.edit and file.propose: what is changed, and that a refusal changes nothing."""

import hashlib
import os
import subprocess

import pytest

TEXT = "".join(f"line {i}\n" for i in range(1, 41))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    (top / "src").mkdir(parents=True)
    (top / "src/a.txt").write_text(TEXT)
    (top / "read-only.txt").write_text("x\n")
    (top / "src/.env").write_text("SECRET=seven\n")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top / "src")]}})
    return top


def edit(spool, stem, path, present, **change):
    return spool.call(stem, "file.edit", {"path": str(path), "base_sha256": sha256(present),
                                          **change})


@pytest.mark.core
def test_edits_patches_and_content_change_a_file_in_place(spool, files):
    path = files / "src/a.txt"
    os.chmod(path, 0o640)
    before = path.read_bytes()
    data = edit(spool, "e", "src/a.txt", before, edits=[
        {"old": "line 3\nline 4", "new": "three\nfour"}, {"old": "line 40\n", "new": ""}])["data"]
    now = path.read_bytes()
    assert now == before.replace(b"line 3\nline 4\n", b"three\nfour\n").replace(b"line 40\n", b"")
    assert (data["before_sha256"], data["sha256"], data["changed"]) == (
        sha256(before), sha256(now), True)
    assert [h["grade"] for h in data["hunks"]] == ["exact", "exact"]
    assert data["hunks"][0]["line"] == 3 and "+three" in data["diff"]
    assert path.stat().st_mode & 0o7777 == 0o640 and os.listdir(path.parent).count("a.txt") == 1
    patch = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -9,3 +9,3 @@\n line 9\n-line 10\n+ten\n line 11\n"
    data = edit(spool, "p", "src/a.txt", now, patch=patch)["data"]
    assert b"line 9\nten\nline 11\n" in path.read_bytes()
    # What the answer calls its difference is one: git takes it back.
    done = subprocess.run(["git", "apply", "-R", "-"], cwd=files, input=data["diff"], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0 and path.read_bytes() == now, done.stderr
    patch = ("*** Begin Patch\n*** Update File: src/a.txt\n@@\n line 19\n-line 20\n+20\n"
             "*** End Patch\n")
    assert edit(spool, "c", "src/a.txt", now, patch=patch)["data"]["hunks"][0]["line"] == 19
    now = path.read_bytes()
    assert edit(spool, "same", "src/a.txt", now, content=now.decode())["data"]["changed"] is False
    assert edit(spool, "all", "src/a.txt", now, content="new\n")["data"]["bytes"] == 4
    assert path.read_text() == "new\n"
    assert sorted(os.listdir(path.parent)) == [".env", "a.txt"], "nothing is left behind"


@pytest.mark.core
def test_the_form_of_a_file_stays(spool, files):
    path = files / "src/w.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    (files / "src/link").symlink_to("w.txt")
    now = path.read_bytes()
    data = edit(spool, "a", "src/link", now, edits=[{"old": "two", "new": "2\n2b"}])["data"]
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n2b\r\nthree"
    assert data["path"] == "src/w.txt" and (files / "src/link").is_symlink()


@pytest.mark.core
def test_what_is_doubtful_changes_nothing(spool, files):
    path = files / "src/a.txt"
    path.write_text(TEXT + "twin\ntwin\n")
    (files / "src/bin").write_bytes(b"a\0b")
    before = path.read_bytes()

    def refused(stem, name="src/a.txt", present=before, **change):
        answer = edit(spool, stem, name, present, **change)
        assert answer["status"] == "error", answer
        assert path.read_bytes() == before
        return answer

    old = [{"old": "nowhere", "new": "x"}]
    assert refused("none", edits=old)["error_details"]["reason"] == "not_found"
    twin = refused("twin", edits=[{"old": "twin", "new": "x"}])
    assert twin["error_details"]["candidates"] == [41, 42] and "2 places" in twin["error_message"]
    both = refused("half", edits=[{"old": "line 7\n", "new": "x"}, *old])
    assert both["error_code"] == "failed_precondition"
    stale = refused("stale", present=b"other", edits=[{"old": "line 7\n", "new": "x"}])
    assert stale["error_details"]["sha256"] == sha256(before)
    assert "one of 'edits'" in refused("two", content="", edits=old)["error_message"]
    other = "--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-line 1\n+x\n"
    assert "is of 'other.txt'" in refused("other", patch=other)["error_message"]
    assert refused("syntax", patch="@@ x\n?\n")["error_code"] == "invalid_argument"
    assert "binary" in refused("bin", "src/bin", b"a\0b", edits=old)["error_message"]
    assert refused("env", "src/.env", b"SECRET=seven\n", content="")["error_code"] == "not_found"
    assert refused("ro", "read-only.txt", b"x\n", content="")["error_code"] == "permission_denied"
    assert "seven" not in str([p.read_text() for p in (spool.root / "responses").iterdir()])


@pytest.mark.core
def test_a_proposal_shows_what_would_be_and_writes_nothing(spool, files):
    (files / "src/gone.txt").write_text("bye\n")
    before = {p: p.read_bytes() for p in files.rglob("*") if p.is_file()}
    base = sha256(TEXT.encode())
    changes = [
        {"path": "src/a.txt", "operation": "update", "base_sha256": base,
         "edits": [{"old": "line 2\n", "new": "two\n"}, {"old": "line 30\n", "new": "thirty\n"}]},
        {"path": "src/new/b.txt", "operation": "create", "new_content": "b\n"},
        {"path": "src/gone.txt", "operation": "delete"},
    ]
    data = spool.call("ok", "file.propose", {"changes": changes})["data"]
    assert not data["has_conflicts"] and data["warnings"] == []
    update, create, delete = data["changes"]
    assert update["new_content"] == TEXT.replace("line 2\n", "two\n").replace("line 30\n",
                                                                              "thirty\n")
    assert len(update["hunks"]) == 2 and update["base_sha256"] == base
    assert update["hunks"][0]["header"] == "@@ -1,5 +1,5 @@"
    assert create["unified_diff"].endswith("+b\n") and "base_sha256" not in create
    assert "new_content" not in delete and delete["base_sha256"] == sha256(b"bye\n")
    again = spool.call("again", "file.propose", {"changes": changes})["data"]
    assert again["digest"] == data["digest"]
    changes[1]["new_content"] = "c\n"
    other = spool.call("other", "file.propose", {"changes": changes})["data"]
    assert other["digest"] != data["digest"]
    assert other["changes"][0]["hunks"] == update["hunks"]
    assert {p: p.read_bytes() for p in files.rglob("*") if p.is_file()} == before
    # The whole of it is what git makes of it.
    whole = "".join(c["unified_diff"] for c in data["changes"])
    done = subprocess.run(["git", "apply", "-"], cwd=files, input=whole, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(files.parent)})
    assert done.returncode == 0, done.stderr
    assert (files / "src/a.txt").read_text() == update["new_content"]
    assert (files / "src/new/b.txt").read_text() == "b\n" and not (files / "src/gone.txt").exists()


@pytest.mark.core
def test_a_proposal_names_its_conflicts(spool, files):
    stale = sha256(b"other")
    data = spool.call("c", "file.propose", {"changes": [
        {"path": "src/a.txt", "operation": "update", "edits": [{"old": "none", "new": "x"}]},
        {"path": "src/none.txt", "operation": "update", "new_content": ""},
        {"path": "src/none2.txt", "operation": "delete"}]})["data"]
    assert data["has_conflicts"] and [c["conflict"] for c in data["changes"]] == [True] * 3
    assert data["changes"][0]["conflict_details"]["reason"] == "not_found"
    assert len(data["warnings"]) == 3 and "new_content" not in str(data["changes"])

    def one(stem, **change):
        return spool.call(stem, "file.propose", {"changes": [change]})

    a = {"path": "src/a.txt", "base_sha256": stale}
    fits = one("f", **a, operation="update", edits=[{"old": "line 7\n", "new": "x\n"}])["data"]
    assert not fits["has_conflicts"] and "another by now" in fits["warnings"][0]
    assert one("n", **a, operation="update", new_content="x")["data"]["has_conflicts"]
    assert one("d", **a, operation="delete")["data"]["has_conflicts"]
    assert one("e", path="src/a.txt", operation="create", new_content="")["data"]["has_conflicts"]
    for stem, path in (("env", "src/.env"), ("git", "src/.git/x"), ("ro", "read-only.txt"),
                       ("top", "x/y.txt")):
        [said] = one(stem, path=path, operation="create", new_content="")["data"]["changes"]
        assert said["conflict"] and said["conflict_details"] == {
            "error_code": "permission_denied"}, path
    twice = [{"path": p, "operation": "delete"} for p in ("src/a.txt", "./src/a.txt")]
    answer = spool.call("twice", "file.propose", {"changes": twice})
    assert "changed twice" in answer["error_message"]
