# SPDX-License-Identifier: MIT
"""file.apply: a proposal is made as a whole or not at all, by hunks, and taken back."""

import hashlib
import os

import pytest

from harness import wait_until

TEXT = "".join(f"line {i}\n" for i in range(1, 61))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture(top) -> dict:
    """Names below the directory, with contents and modes."""
    found = {}
    for path in sorted(top.rglob("*")):
        name = str(path.relative_to(top))
        found[name] = (path.stat().st_mode & 0o7777, None if path.is_dir() else path.read_bytes())
    return found


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    (top / "src").mkdir(parents=True)
    (top / "src/a.txt").write_text(TEXT)
    (top / "src/b.txt").write_text("b\n")
    os.chmod(top / "src/b.txt", 0o750)
    (top / "read-only.txt").write_text("x\n")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top / "src")]}})
    return top


WANTED = [
    {"path": "src/a.txt", "operation": "update", "edits": [
        {"old": "line 3\n", "new": "three\n"}, {"old": "line 30\n", "new": "thirty\n"},
        {"old": "line 55\n", "new": "fifty-five\n"}]},
    {"path": "src/b.txt", "operation": "delete"},
    {"path": "src/new/deep/c.txt", "operation": "create", "new_content": "c\n"},
    {"path": "src/new/d.txt", "operation": "create", "new_content": ""},
]


def propose(spool, stem="p", changes=None):
    return spool.call(stem, "file.propose", {"changes": changes or WANTED})["data"]


def is_clean(spool) -> bool:
    """The record of the changes goes when the response is there."""
    folder = spool.root / "worker/changes"
    return wait_until(lambda: not folder.exists() or not list(folder.iterdir()),
                      "no record of changes is left")


@pytest.mark.core
def test_a_proposal_is_made_and_taken_back(spool, files):
    before = picture(files)
    proposal = propose(spool)
    data = spool.call("a", "file.apply", proposal)["data"]
    assert (files / "src/a.txt").read_text() == TEXT.replace("line 3\n", "three\n").replace(
        "line 30", "thirty").replace("line 55", "fifty-five")
    assert not (files / "src/b.txt").exists() and (files / "src/new/d.txt").read_bytes() == b""
    assert (files / "src/new/deep/c.txt").read_text() == "c\n"
    assert [(e["path"], e["operation"], e["changed"]) for e in data["applied"]] == [
        (c["path"], c["operation"], True) for c in WANTED]
    for entry in data["applied"]:
        path = files / entry["path"]
        assert entry.get("sha256") == (sha256(path.read_bytes()) if path.exists() else None)
    assert data["applied"][2]["directories"] == ["src/new", "src/new/deep"]
    assert data["rest"] == [] and is_clean(spool)
    after = picture(files)
    undone = spool.call("u", "file.apply", {"changes": data["undo"],
                                            "digest": data["undo_digest"]})["data"]
    assert picture(files) == before, "also the mode of what was deleted, and no new directory"
    spool.call("again", "file.apply", {"changes": undone["undo"]})
    assert picture(files) == after
    # A second time each file is another than it was made for; the answer names all of them.
    answer = spool.call("stale", "file.apply", proposal)
    assert (answer["error_code"], answer["retryable"]) == ("failed_precondition", False)
    assert [c["reason"] for c in answer["error_details"]["conflicts"]] == [
        "applied", "missing", "exists", "exists"]
    assert answer["error_details"]["changes"] == "undone" and picture(files) == after


def test_hunks_are_chosen_and_the_rest_fits_what_is_there_then(spool, files):
    whole = propose(spool)
    first, second, third = (h["id"] for h in whole["changes"][0]["hunks"])
    data = spool.call("one", "file.apply", {**whole, "hunks": [second]})["data"]
    assert (files / "src/a.txt").read_text() == TEXT.replace("line 30", "thirty")
    assert data["applied"] == [{**data["applied"][0], "path": "src/a.txt", "hunks": [second]}]
    assert [c["path"] for c in data["rest"]] == [c["path"] for c in WANTED]
    assert [h["id"] for h in data["rest"][0]["hunks"]] == [first, third]
    data = spool.call("two", "file.apply", {
        "changes": data["rest"], "digest": data["rest_digest"],
        "hunks": [first, {"path": "src/b.txt"}, {"path": "src/a.txt", "id": third}]})["data"]
    assert [c["path"] for c in data["rest"]] == ["src/new/deep/c.txt", "src/new/d.txt"]
    assert not (files / "src/b.txt").exists()
    assert "three\n" in (files / "src/a.txt").read_text()
    assert spool.call("three", "file.apply", {"changes": data["rest"]})["data"]["rest"] == []
    assert (files / "src/new/deep/c.txt").exists()


@pytest.mark.core
@pytest.mark.parametrize("case", ["changed", "missing", "exists"])
def test_one_file_that_does_not_fit_keeps_all_from_being_changed(spool, files, case):
    proposal = propose(spool)
    if case == "changed":
        (files / "src/b.txt").write_text("other\n")
    elif case == "missing":
        (files / "src/a.txt").unlink()
    else:
        (files / "src/new").mkdir()
        (files / "src/new/d.txt").write_text("mine\n")
    before = picture(files)
    answer = spool.call("a", "file.apply", proposal)
    details = answer["error_details"]
    assert answer["error_code"] == "failed_precondition" and picture(files) == before
    assert [c["reason"] for c in details["conflicts"]] == [case] and is_clean(spool)
    if case == "changed":
        assert details["conflicts"][0]["sha256"] == sha256(b"other\n")


def test_what_was_not_decided_on_is_refused(spool, files):
    proposal = propose(spool)
    before = picture(files)
    proposal["changes"][0]["new_content"] += "more\n"
    answer = spool.call("digest", "file.apply", proposal)
    assert answer["error_code"] == "invalid_argument" and "digest" in answer["error_message"]

    def refused(stem, code, changes, **more):
        answer = spool.call(stem, "file.apply", {"changes": changes, **more})
        assert answer["error_code"] == code, answer
        return answer["error_message"]

    sha = sha256(b"b\n")
    b = {"path": "src/b.txt", "operation": "update", "base_sha256": sha, "new_content": "two\n"}
    assert "base_sha256" in refused("base", "invalid_argument", [
        {"path": "src/b.txt", "operation": "delete"}])
    assert "new_content" in refused("content", "invalid_argument", [
        {"path": "src/n", "operation": "create"}])
    refused("twice", "invalid_argument", [b, {**b, "path": "src/../src/b.txt"}])
    assert "twice" in refused("same", "invalid_argument", [b, {**b, "path": "src/./b.txt"}])
    refused("out", "permission_denied", [
        {"path": "read-only.txt", "operation": "delete", "base_sha256": sha256(b"x\n")}])
    refused("hidden", "permission_denied", [
        {"path": "src/.env", "operation": "create", "new_content": "x"}])
    refused("git", "permission_denied", [
        {"path": "src/.git/hooks/x", "operation": "create", "new_content": "x"}])
    assert "no change has" in refused("hunk", "not_found", [b], hunks=["nothing"])
    assert "conflict" in refused("conflict", "failed_precondition", [{**b, "conflict": True}])
    refused("way", "invalid_argument", [
        {"path": "src/b.txt", "operation": "delete", "base_sha256": sha, "directories": ["sr"]}])
    assert picture(files) == before and is_clean(spool)


def test_a_hunk_in_several_files_is_named_with_its_path(spool, files):
    for name in ("x", "y"):
        (files / "src" / name).write_text("same\n")
    proposal = propose(spool, changes=[
        {"path": f"src/{name}", "operation": "update", "new_content": "other\n"}
        for name in ("x", "y")])
    ids = [c["hunks"][0]["id"] for c in proposal["changes"]]
    assert ids[0] == ids[1]
    answer = spool.call("both", "file.apply", {**proposal, "hunks": [ids[0]]})
    assert answer["error_code"] == "invalid_argument" and "src/x, src/y" in answer["error_message"]
    spool.call("y", "file.apply", {**proposal, "hunks": [{"path": "src/y", "id": ids[0]}]})
    assert ((files / "src/x").read_text(), (files / "src/y").read_text()) == ("same\n", "other\n")


def test_a_change_with_a_conflict_may_be_left_out(spool, files):
    proposal = propose(spool, changes=[
        {"path": "src/a.txt", "operation": "update", "edits": [{"old": "not there", "new": "x"}]},
        {"path": "src/b.txt", "operation": "update", "new_content": "two\n"}])
    assert proposal["has_conflicts"]
    assert spool.call("all", "file.apply", proposal)["error_code"] == "failed_precondition"
    data = spool.call("b", "file.apply", {**proposal, "hunks": [{"path": "src/b.txt"}]})["data"]
    assert (files / "src/b.txt").read_text() == "two\n"
    assert [c["path"] for c in data["rest"]] == ["src/a.txt"] and data["rest"][0]["conflict"]
    assert (files / "src/b.txt").stat().st_mode & 0o777 == 0o750


def test_what_changes_nothing_is_success_and_has_no_undo(spool, files):
    change = {"path": "src/b.txt", "operation": "update", "base_sha256": sha256(b"b\n"),
              "new_content": "b\n"}
    data = spool.call("same", "file.apply", {"changes": [change]})["data"]
    assert data["applied"][0]["changed"] is False and data["undo"] == [] and data["rest"] == []


def test_through_a_link_the_file_itself_is_changed(spool, files):
    os.symlink("b.txt", files / "src/link")
    proposal = propose(spool, changes=[
        {"path": "src/link", "operation": "update", "new_content": "two\n"}])
    assert proposal["changes"][0]["path"] == "src/b.txt"
    spool.call("a", "file.apply", proposal)
    assert (files / "src/link").is_symlink() and (files / "src/b.txt").read_text() == "two\n"


def test_of_many_that_change_the_same_files_one_is_made(spool, files):
    for name in ("x", "y", "z"):
        (files / "src" / name).write_text("0\n")
    base = sha256(b"0\n")
    for i in range(12):
        names = ["x", "y", "z"][:: -1 if i % 2 else 1]
        spool.drop(f"r{i}", "file.apply", {"changes": [
            {"path": f"src/{name}", "operation": "update", "base_sha256": base,
             "new_content": f"text {i}\n"} for name in names]})
    answers = {i: spool.wait_response(f"r{i}") for i in range(12)}
    made = [i for i, answer in answers.items() if answer["status"] == "success"]
    assert len(made) == 1
    assert {(files / "src" / n).read_text() for n in "xyz"} == {f"text {made[0]}\n"}
    assert {a["error_code"] for i, a in answers.items() if i != made[0]} == {"failed_precondition"}
    assert not [n for n in os.listdir(files / "src") if n.startswith(".")] and is_clean(spool)
