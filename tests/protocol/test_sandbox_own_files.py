# SPDX-License-Identifier: MIT
"""The worker's own files and a sandbox: never seen, never written, whatever comes to lie there."""

import pytest

from harness import wait_until
from sandbox_place import LESSER, is_refused, place, pytestmark

__all__ = ["place", "pytestmark"]


@pytest.mark.core
def test_the_worker_s_own_files_are_hidden_even_within_a_root(place):
    lines = ["read {config}", "read {spool}/requests/run-1.json", "create {spool}/responses/f.json",
             "write {config}", "rename {config} {work}/config", "rename {spool} {work}/spool",
             "unlink {config}"]
    place.start(sandbox="workspace-write", roots=[str(place.folder)], hidden=[str(place.own)])
    confined = place.attempt(lines)
    assert {k: v for k, v in confined.items() if not is_refused(v)} == {}
    assert place.attempt(["write {out}/other"]) == {"write {out}/other": "ok"}


@pytest.mark.core
def test_a_file_of_the_worker_that_is_replaced_while_a_run_lasts_stays_hidden(place):
    place.start(sandbox="workspace-write", roots=[str(place.folder)], hidden=[str(place.own)])
    place.spool.drop("long", "tool.run", {
        "argv": ["/bin/sh", "-c", f"touch {place.work}/began; while [ ! -e {place.work}/go ]; "
                 f"do sleep 0.02; done; cat {place.worker.config} {place.own}/* && echo seen"]})
    wait_until((place.work / "began").exists, "it runs")
    new = place.own / "new"
    new.write_text("a new secret")
    new.rename(place.worker.config)
    (place.work / "go").touch()
    answer = place.spool.wait_response("long")
    assert "secret" not in str(answer) and "seen" not in answer["data"]["stdout"]


@pytest.mark.parametrize("level", ["read-only", "workspace-write"])
def test_files_of_the_worker_that_tools_would_see_once_replaced_are_refused(place, level):
    log = place.work / "filecall.log"
    key = place.work / "key"
    for arguments, members, name in (
            ([], {"roots": [str(place.folder)]}, "worker-"),
            (["--log-file", log], {}, str(log)),
            ([], {"readable": [str(place.folder)]}, "worker-")):
        worker = place.start(sandbox=level, arguments=arguments, wait=False, **members)
        assert worker.wait() == 2
        said = worker.output() + (log.read_text() if log.exists() else "")
        assert "is the worker's own" in said and "tool.hidden" in said and name in said
    place.start(sandbox=level, arguments=["--log-file", key], hidden=[str(place.work)],
                roots=[str(place.outside)])


def test_a_root_that_would_show_the_worker_s_files_or_everything_is_refused(place):
    for root in ("/", str(place.spool.root), str(place.spool.root / "requests")):
        worker = place.start(sandbox="read-only", roots=[root], wait=False)
        assert worker.wait() in (1, 2)
        assert "tool.roots" in worker.output()


def test_the_names_of_what_is_hidden_are_not_told(place):
    place.start(sandbox="workspace-write", roots=[str(place.folder)], hidden=[str(place.own)])
    words = place.shell("cat /proc/*/cmdline | tr '\\0' ' '")["stdout"]
    assert "guard" in words and "--hide" not in words and place.worker.config.name not in words


@pytest.mark.parametrize("lack", [[], [LESSER, "no-namespaces", "--"]])
def test_a_root_in_another_one_that_a_tool_exchanges_for_a_link_leads_nowhere(place, lack):
    inner = place.work / "inner"
    inner.mkdir()
    place.start(prefix=lack, sandbox="workspace-write", require_sandbox=False,
                roots=[str(place.work), str(inner)])
    place.run({"argv": ["/bin/sh", "-c", f"rmdir inner && ln -s {place.outside} inner"],
               "cwd": str(place.work)})
    if not inner.is_symlink():  # A sandbox with a file tree of its own holds it.
        inner.rmdir()
        inner.symlink_to(place.outside)
    answer = place.run({"argv": ["/bin/sh", "-c", f"cat {place.outside}/secret; "
                                 f"echo bad >{place.outside}/other"], "cwd": str(place.work)})
    assert answer["status"] == "error" and "inner" in answer["error_message"], answer
    assert (place.outside / "other").read_text() == "x"
