# SPDX-License-Identifier: MIT
"""file.propose names what cannot be made, and file.apply makes what was shown."""

import copy
import hashlib
import json
import os
import stat

import pytest


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    (top / "src/deep").mkdir(parents=True)
    (top / "src/t").write_text("t\n")
    (top / "src/bin").write_bytes(b"a\0b")
    (top / "src/large").write_text("x" * 3000)
    (top / "src/.env").write_text("SECRET=seven\n")
    (top / "src/.git").mkdir()
    (top / "src/.git/config").write_text("[core]\n")
    (top / "read-only.txt").write_text("x\n")
    (folder / "outside").write_text("seven\n")
    (top / "src/out").symlink_to("../../outside")
    (top / "src/l").symlink_to("t")
    (top / "src/dangling").symlink_to("none")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top / "src")],
                                  "limits": {"file_bytes": 2000}}})
    return top


def propose(spool, stem, *changes):
    answer = spool.call(stem, "file.propose", {"changes": list(changes)})
    assert answer["status"] == "success", answer
    return answer["data"]


def change(path, operation, **more):
    return {"path": path, "operation": operation, **more}


@pytest.mark.core
def test_a_link_is_not_deleted_and_neither_is_what_it_leads_to(spool, files):
    data = propose(spool, "p", change("src/l", "delete"), change("src/dangling", "delete"))
    for one, path in zip(data["changes"], ("src/l", "src/dangling")):
        assert one["conflict"] and "is a link" in one["warning"] and one["path"] == path
    assert spool.call("a", "file.apply", data)["error_code"] == "failed_precondition"
    for stem, path in (("l", "src/l"), ("d", "src/dangling")):
        answer = spool.call(stem, "file.apply", {"changes": [
            change(path, "delete", base_sha256=sha256(b"t\n"))]})
        assert answer["error_code"] == "failed_precondition"
        answer = spool.call(stem + "2", "file.delete",
                            {"path": path, "base_sha256": sha256(b"t\n")})
        assert answer["error_message"] == (
            f"/params/path: '{path}' is a link; name the file that it leads to")
    assert (files / "src/t").read_text() == "t\n" and (files / "src/l").is_symlink()
    # A link has its name: a create of it is none, wherever it leads.
    data = propose(spool, "c", *(change(f"src/{name}", "create", new_content="x")
                                 for name in ("l", "dangling")))
    assert [c["path"] for c in data["changes"]] == ["src/l", "src/dangling"]
    assert [c["conflict_details"]["error_code"] for c in data["changes"]] == ["already_exists"] * 2


IMPOSSIBLE = {
    "binary": (change("src/bin", "update", new_content="x"), "failed_precondition", "binary"),
    "binary delete": (change("src/bin", "delete"), "failed_precondition", "file.delete deletes it"),
    "directory": (change("src/deep", "update", new_content="x"), "failed_precondition",
                  "is a directory"),
    "directory delete": (change("src/deep", "delete"), "failed_precondition", "is a directory"),
    "below a file": (change("src/t/x", "create", new_content="x"), "failed_precondition",
                     "no directory"),
    "below a file, update": (change("src/t/x", "update", new_content="x"), "failed_precondition",
                             "no directory"),
    "protected": (change("src/.git/config", "update", new_content="x"), "permission_denied",
                  "is protected"),
    "read-only": (change("read-only.txt", "delete"), "permission_denied", "file.writable"),
    "out of the root": (change("src/out", "update", new_content="x"), "permission_denied",
                        "leads out"),
    "beside the root": (change("/etc/passwd", "delete"), "permission_denied", "file.roots"),
    "too large": (change("src/large", "delete"), "failed_precondition", "file_bytes"),
    "would be too large": (change("src/new", "create", new_content="x" * 2001),
                           "failed_precondition", "file_bytes"),
    "name too long": (change("src/" + "n" * 256, "create", new_content="x"), "invalid_argument",
                      "at most 255 bytes"),
    "too many names": (change("src/" + "n/" * 256 + "x", "create", new_content="x"),
                       "invalid_argument", "at most 256 names"),
    "a directory's name": (change("src/new/", "create", new_content=""), "invalid_argument",
                           "names a directory"),
    "no content": (change("src/new", "create"), "invalid_argument", "needs 'new_content'"),
    "two contents": (change("src/t", "update", new_content="", patch="@@\n-t\n+x\n"),
                     "invalid_argument", "say one of"),
    "mode of an update": (change("src/t", "update", new_content="x", mode="0755"),
                          "invalid_argument", "'mode' is of a create"),
    "mode by a patch": (change("src/t", "update", patch="diff --git a/t b/t\nold mode 100644\n"
                               "new mode 100755\n--- a/t\n+++ b/t\n@@ -1 +1 @@\n-t\n+x\n"),
                        "invalid_argument", "changes the mode"),
    "no text": (change("src/new", "create", new_content="\0"), "failed_precondition", "binary"),
}


@pytest.mark.core
@pytest.mark.parametrize("wanted, code, text", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_be_made_is_one_conflict_among_others(spool, files, wanted, code, text):
    data = propose(spool, "p", change("src/first", "create", new_content="1\n"), wanted,
                   change("src/t", "delete") if wanted["path"] != "src/t" else
                   change("src/other", "create", new_content="2\n"))
    assert [c["conflict"] for c in data["changes"]] == [False, True, False]
    one = data["changes"][1]
    assert data["has_conflicts"] and text in one["warning"], one
    assert one["conflict_details"]["error_code"] == code
    assert (one["hunks"], one["unified_diff"]) == ([], "") and "new_content" not in one
    assert "seven" not in str(data)
    assert spool.call("a", "file.apply", data)["error_code"] == "failed_precondition"
    some = [{"path": data["changes"][i]["path"]} for i in (0, 2)]
    assert spool.call("b", "file.apply", {**data, "hunks": some})["status"] == "success"
    assert (files / "src/first").read_text() == "1\n"


@pytest.mark.core
def test_hidden_names_say_nothing_of_files(spool, files):
    """There, not there, behind a link, and in a directory that is hidden or not there."""
    (files / "src/id_there").mkdir()
    (files / "src/id_there/f").write_text("SECRET\n")
    (files / "src/to_env").symlink_to(".env")
    (files / "src/to_none").symlink_to("x.pem")
    pairs = [("src/.env", "src/x.pem"), ("src/id_there/f", "src/id_none/f"),
             ("src/to_env", "src/to_none")]
    for number, names in enumerate(pairs):
        said = []
        for which, path in enumerate(names):
            text = ""
            for command, params in (
                    ("file.read", {"files": [path]}),
                    ("file.search", {"path": path, "text": "S"}),
                    ("file.list", {"path": path}),
                    ("file.edit", {"path": path, "base_sha256": "0" * 64, "content": ""}),
                    ("file.delete", {"path": path, "base_sha256": "0" * 64})):
                if command == "file.delete" and "to_" in path:
                    continue
                answer = spool.call(f"{command}-{number}-{which}", command, params)
                assert answer["error_code"] == "not_found", answer
                text += answer["error_message"]
            for operation, more in (("update", {"new_content": ""}), ("delete", {}),
                                    ("create", {"new_content": "x"})):
                data = propose(spool, f"{operation}-{number}-{which}",
                               change(path, operation, **more))
                assert data["has_conflicts"], data
                text += json.dumps(data["changes"])
            for operation in ("update", "delete"):
                answer = spool.call(f"a{operation}-{number}-{which}", "file.apply", {"changes": [
                    change(path, operation, base_sha256="0" * 64, new_content="")]})
                text += json.dumps(answer.get("error_details")) + answer["error_message"]
            if "to_" not in path:
                answer = spool.call(f"create-{number}-{which}-c", "file.create",
                                    {"path": path, "content": ""})
                assert answer["error_code"] == "permission_denied", "a name, not a file"
                text += answer["error_message"]
            said.append(text.replace(path, "PATH").replace(os.path.dirname(path), "DIRECTORY"))
        assert said[0] == said[1] and "SECRET" not in said[0]


@pytest.mark.core
def test_a_new_file_has_the_mode_that_was_shown(spool, files):
    data = propose(spool, "p", change("src/run.sh", "create", new_content="#!/bin/sh\n",
                                      mode="755"),
                   change("src/empty.sh", "create", new_content="", mode="0700"),
                   change("src/plain", "create", new_content="x\n"))
    run, empty, plain = data["changes"]
    assert (run["mode"], empty["mode"], "mode" in plain) == ("0755", "0700", False)
    assert "new file mode 100755\n--- /dev/null\n" in run["unified_diff"]
    assert "new file mode 100700\n" in empty["unified_diff"]
    assert "new file mode" not in plain["unified_diff"]
    other = copy.deepcopy(data)
    other["changes"][0]["mode"] = "0777"
    assert "digest" in spool.call("other", "file.apply", other)["error_message"]
    made = spool.call("a", "file.apply", data)["data"]
    assert stat.S_IMODE((files / "src/run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((files / "src/empty.sh").stat().st_mode) == 0o700
    undone = spool.call("u", "file.apply", {"changes": made["undo"],
                                            "digest": made["undo_digest"]})["data"]
    assert not (files / "src/run.sh").exists()
    assert "new file mode 100755" in undone["undo"][0]["unified_diff"]
    spool.call("again", "file.apply", {"changes": undone["undo"]})
    assert stat.S_IMODE((files / "src/run.sh").stat().st_mode) == 0o755
    answer = spool.call("mode", "file.apply", {"changes": [change(
        "src/t", "update", base_sha256=sha256(b"t\n"), new_content="x", mode="0755")]})
    assert answer["error_code"] == "invalid_argument" and "'mode'" in answer["error_message"]


ALTERED = {
    "a line": lambda c: c["hunks"][0].update(diff=c["hunks"][0]["diff"].replace("+2", "+3")),
    "a header": lambda c: c["hunks"][0].update(header="@@ -9 +9 @@"),
    "an id": lambda c: c["hunks"][0].update(id="0" * 16),
    "one less": lambda c: c["hunks"].pop(),
    "none": lambda c: c["hunks"].clear(),
    "one more": lambda c: c["hunks"].append(c["hunks"][0]),
    "the whole": lambda c: c.update(unified_diff=c["unified_diff"].replace("+2", "+3")),
    "a hunk of the whole": lambda c: c.update(
        unified_diff=c["unified_diff"].replace("@@", "@@ -1 +1 @@\n-x\n+y\n@@", 1)),
}


@pytest.mark.core
@pytest.mark.parametrize("alter", ALTERED.values(), ids=ALTERED)
def test_hunks_that_are_not_those_of_the_content_are_refused(spool, files, alter):
    (files / "src/n").write_text("".join(f"{i}\n" for i in range(30)))
    content = (files / "src/n").read_text()
    data = propose(spool, "p", change("src/n", "update", edits=[
        {"old": "1\n2\n", "new": "1\n22\n"}, {"old": "\n25\n", "new": "\n255\n"}]))
    altered = copy.deepcopy(data)
    alter(altered["changes"][0])
    answer = spool.call("a", "file.apply", altered)
    assert answer["error_code"] == "invalid_argument", answer
    assert "shown" in answer["error_message"] and "content" in answer["error_message"]
    assert (files / "src/n").read_text() == content
    # What is stale is that in the first place.
    (files / "src/n").write_text("other\n")
    stale = spool.call("s", "file.apply", altered)["error_details"]
    assert stale["conflicts"][0]["reason"] == "changed"
    (files / "src/n").write_text(content)
    # The members that only explain may be left out, and so may all hunks.
    [one] = data["changes"]
    one["hunks"] = [{"id": hunk["id"]} for hunk in one["hunks"]]
    del one["unified_diff"]
    first = spool.call("f", "file.apply", {**data, "hunks": [one["hunks"][0]["id"]]})["data"]
    rest = {"changes": first["rest"], "digest": first["rest_digest"]}
    assert spool.call("r", "file.apply", rest)["data"]["rest"] == []
    assert "255\n" in (files / "src/n").read_text()


def test_contents_of_a_proposal_have_a_bound(spool, folder, start_worker):
    top = folder / "wide"
    top.mkdir()
    for i in range(4):
        (top / str(i)).write_text(("x" * 1023 + "\n") * (10 << 10))
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    data = propose(spool, "p", *(change(str(i), "delete") for i in range(4)))
    assert [c["conflict"] for c in data["changes"]] == [False, False, False, True]
    assert "33554432 bytes" in data["changes"][3]["warning"]


def test_a_conflict_is_named_before_what_it_lacks(spool, files):
    data = propose(spool, "p", change("src/none", "update", new_content="x"))
    answer = spool.call("a", "file.apply", data)
    assert "has a conflict" in answer["error_message"], answer
    assert answer["error_details"]["conflicts"][0]["reason"] == "conflict"
    os.unlink(files / "src/t")
    answer = spool.call("b", "file.apply", {"changes": [change("src/t", "update")]})
    assert "base_sha256" in answer["error_message"]
