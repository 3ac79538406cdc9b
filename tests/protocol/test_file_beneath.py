# SPDX-License-Identifier: MIT
"""The bounds that a request of file.* sets itself: `beneath` keeps it from links that lead
elsewhere in the same root."""

import hashlib

import pytest


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def top(start_worker, folder):
    """Two folders of one root; the first has links into the second."""
    top = folder / "top"
    for name in ("mine/deep", "yours"):
        (top / name).mkdir(parents=True)
    (top / "yours/a.txt").write_text("yours\n")
    (top / "mine/a.txt").write_text("mine\n")
    (top / "mine/link.txt").symlink_to("../yours/a.txt")
    (top / "mine/inside.txt").symlink_to("a.txt")
    (top / "mine/folder").symlink_to("../yours")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    return top


def propose(path):
    return {"changes": [{"path": path, "operation": "create", "new_content": "x\n"}]}


LEADS_OUT = {
    "read": ("file.read", {"files": ["mine/link.txt"]}),
    "read by a folder": ("file.read", {"files": ["mine/folder/a.txt"]}),
    "read beside it": ("file.read", {"files": ["yours/a.txt"]}),
    "list": ("file.list", {"path": "mine/folder"}),
    "list above": ("file.list", {"path": "."}),
    "list the root": ("file.list", {}),
    "search": ("file.search", {"path": "mine/folder", "text": "yours"}),
    "create": ("file.create", {"path": "mine/folder/new/b.txt", "content": "x"}),
    "create above": ("file.create", {"path": "other/b.txt", "content": "x"}),
    "edit": ("file.edit", {"path": "mine/link.txt", "content": "x\n",
                           "base_sha256": sha256("yours\n")}),
    "edit by a folder": ("file.edit", {"path": "mine/folder/a.txt", "content": "x\n",
                                       "base_sha256": sha256("yours\n")}),
    "delete": ("file.delete", {"path": "mine/folder/a.txt", "base_sha256": sha256("yours\n")}),
    "propose": ("file.propose", propose("mine/folder/b.txt")),
    "propose above": ("file.propose", propose("b.txt")),
    "apply": ("file.apply", {"changes": [{"path": "mine/folder/b.txt", "operation": "create",
                                          "new_content": "x\n"}]}),
}


@pytest.mark.core
@pytest.mark.parametrize("bounds", ["mine", "absolute", "mine/./"])
@pytest.mark.parametrize("command, params", LEADS_OUT.values(), ids=LEADS_OUT)
def test_what_leads_out_of_the_bounds_is_refused(spool, top, command, params, bounds):
    bounds = str(top / "mine") if bounds == "absolute" else bounds
    before = sorted(str(path) for path in top.rglob("*"))
    answer = spool.call("r", command, {**params, "beneath": bounds})
    text = str(answer)
    assert answer["status"] == "error" or "leads out" in text, answer
    assert "beneath" in text and "permission_denied" in text, answer
    assert sorted(str(path) for path in top.rglob("*")) == before
    assert (top / "yours/a.txt").read_text() == "yours\n"


def test_what_lies_in_the_bounds_works_as_without(spool, top):
    within = {"beneath": "mine"}
    read = spool.call("r1", "file.read", {"files": ["mine/a.txt", "mine/inside.txt"], **within})
    assert [one["text"] for one in read["data"]["files"]] == ["mine\n", "mine\n"]
    listed = spool.call("r2", "file.list", {"path": "mine", **within})["data"]["entries"]
    assert "mine/a.txt" in [one["path"] for one in listed]
    made = spool.call("r3", "file.create", {"path": "mine/new/deep/b.txt", "content": "b\n",
                                            **within})
    assert made["status"] == "success", made
    changed = spool.call("r4", "file.edit", {"path": "mine/inside.txt", "content": "other\n",
                                             "base_sha256": sha256("mine\n"), **within})
    assert changed["status"] == "success", changed
    assert (top / "mine/a.txt").read_text() == "other\n"
    found = spool.call("r5", "file.search", {"path": "mine", "text": "other", **within})
    assert [one["path"] for one in found["data"]["matches"]] == ["mine/a.txt"]


def test_bounds_that_are_not_there_are_named(spool, top):
    for number, bounds in enumerate(("gone", "mine/a.txt", "../x", "/etc")):
        answer = spool.call(f"r{number}", "file.list", {"path": "mine", "beneath": bounds})
        assert answer["status"] == "error" and "/params/beneath" in answer["error_message"], bounds
