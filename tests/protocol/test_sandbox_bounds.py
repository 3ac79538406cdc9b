# SPDX-License-Identifier: MIT
"""The bounds that a request of tool.run sets itself (`beneath`)."""

import shutil

import pytest

from sandbox_place import is_refused, place, pytestmark

__all__ = ["place", "pytestmark"]


@pytest.mark.core
@pytest.mark.parametrize("level", ["workspace-write", "none"])
def test_a_request_keeps_a_program_in_bounds_of_its_own(place, level):
    """Beneath them it writes, and what else the roots hold can be read."""
    for name in ("mine/in", "theirs"):
        (place.work / name).mkdir(parents=True)
    (place.work / "mine/up").symlink_to("..")
    (place.work / "theirs/file").write_text("x")
    place.start(sandbox=level)
    for cwd in (".", "theirs", "mine/up", "mine/up/theirs", "mine/..", str(place.work)):
        answer = place.run({"argv": ["/bin/true"], "cwd": cwd, "beneath": "mine"})
        assert answer["error_code"] == "permission_denied", (cwd, answer)
        assert "/params/cwd" in answer["error_message"]
    assert place.run({"argv": ["/bin/true"], "beneath": "mine"})["status"] == "error"
    assert place.run({"argv": ["/bin/true"], "cwd": "mine", "beneath": "../mine"})[
        "error_code"] == "permission_denied"
    lines = ["write {work}/theirs/file", "create {work}/new", "create {work}/.git/new",
             "rename {work}/theirs {work}/mine/stolen", "link {work}/theirs/file {work}/mine/hard",
             "unlink {work}/theirs/file", "chmod {work}/theirs/file", "rename {work}/mine {work}/m"]
    inside = ["create {work}/mine/new", "mkdir {work}/mine/in/deeper", "read {work}/theirs/file",
              "read {work}/.git/config"]
    for cwd in ("mine", str(place.work / "mine/in")):
        bounds = {"cwd": cwd, "beneath": "mine"}
        if level == "workspace-write":
            said = place.attempt(lines, **bounds)
            assert {k: v for k, v in said.items() if not is_refused(v)} == {}
        assert set(place.attempt(inside, **bounds).values()) == {"ok"}
        assert place.shell("pwd", **bounds)["stdout"].strip().startswith(str(place.work / "mine"))
        shutil.rmtree(place.work / "mine/in/deeper")
        (place.work / "mine/new").unlink()
    # The next run without bounds has the whole roots again.
    assert place.attempt(["create {work}/new"]) == {"create {work}/new": "ok"}
