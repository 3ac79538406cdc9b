# SPDX-License-Identifier: MIT
"""Worker rule 1: how an answer appears, and that it is written once."""

import os
import re

import pytest

from harness import TOOLS, wait_until

RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")


@pytest.mark.core
@pytest.mark.parametrize("durability", ["none", "file", "journal", "full"])
def test_an_answer_has_the_seeds_members(spool, start_worker, durability):
    start_worker(durability=durability)
    answer = spool.call("a", params={"x": 1}, metadata={"m": [1, 2]})
    assert answer["request_id"] == "a"
    assert answer["status"] == "success"
    assert answer["data"] == {"x": 1}
    assert "error_message" not in answer
    assert answer["metadata"] == {"m": [1, 2]}
    for member in ("received_at", "started_at", "finished_at"):
        assert RFC3339.match(answer["timing"][member])
    assert answer["timing"]["queued_ms"] >= 0 and answer["timing"]["run_ms"] >= 0
    assert answer["worker"] == spool.status()["instance"]


def test_an_error_has_code_and_retryable(spool, start_worker):
    start_worker()
    answer = spool.call("a", "no.such")
    assert answer["status"] == "error" and "data" not in answer
    assert answer["error_code"] == "unimplemented"
    assert answer["retryable"] is False
    assert "no.such" in answer["error_message"]


@pytest.mark.core
def test_the_request_file_stays_as_it_was(spool, start_worker):
    start_worker()
    spool.drop("a")
    before = (spool.request("a").read_bytes(), os.stat(spool.request("a")))
    spool.wait_response("a")
    after = os.stat(spool.request("a"))
    assert spool.request("a").read_bytes() == before[0]
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (
        before[1].st_ino, before[1].st_mtime_ns, before[1].st_size)


def test_an_answer_is_never_replaced(spool, start_worker):
    """Somebody else's response stands: the request counts as answered."""
    spool.response_path("a").write_text('{"request_id":"a","status":"success","data":{"mine":1}}')
    spool.drop("a")
    start_worker()
    spool.barrier()
    assert spool.response("a")["data"] == {"mine": 1}


def test_a_response_that_appears_during_the_run_wins(spool, folder, worker):
    spool.drop("a", "tool.run", {"tool": "pure", "args": {"notes": str(folder / "notes"),
                                                           "go": str(folder / "go")}})
    wait_until((folder / "notes").exists, "the tool runs")
    spool.response_path("a").write_text('{"request_id":"a","status":"success","data":{"mine":1}}')
    (folder / "go").touch()
    wait_until(lambda: spool.status()["counts"]["executing"] == 0, "it has ended")
    spool.barrier()
    assert spool.response("a")["data"] == {"mine": 1}


@pytest.mark.core
def test_deleting_a_response_asks_for_another(spool, start_worker):
    start_worker()
    first = spool.call("a", "no.such")
    spool.response_path("a").unlink()
    second = spool.wait_response("a")
    assert second["timing"]["received_at"] >= first["timing"]["received_at"]
    assert second["error_code"] == "unimplemented"


def test_moving_a_response_away_asks_for_another(spool, folder, start_worker):
    start_worker()
    spool.call("a")
    spool.response_path("a").rename(folder / "kept.json")
    assert spool.wait_response("a")["status"] == "success"


def test_a_request_that_changes_after_its_answer_changes_nothing(spool, start_worker):
    start_worker()
    spool.call("a", params={"n": 1})
    inode = os.stat(spool.response_path("a")).st_ino
    spool.drop("a", params={"n": 2})
    spool.barrier()
    assert os.stat(spool.response_path("a")).st_ino == inode
    assert spool.response("a")["data"] == {"n": 1}


@pytest.mark.parametrize("command", ("system.echo", "tool.run", "no.such"))
def test_a_request_that_an_earlier_worker_answered_changes_nothing(spool, folder, start_worker,
                                                                   command):
    params = {"argv": ["sh", "-c", f"echo x >>{folder}/ran"]}
    first = start_worker(config=TOOLS)
    spool.call("a", command, params)
    assert first.stop() == 0
    before = spool.response_path("a").read_bytes()
    start_worker(config=TOOLS)
    spool.barrier("one")
    spool.drop("a", command, {**params, "stdin": "changed"} if command == "tool.run" else {"b": 2})
    spool.barrier("two")
    wait_until(lambda: spool.status()["counts"]["success"] == 2, "only the barriers are counted")
    assert spool.response_path("a").read_bytes() == before
    assert not list((spool.root / "worker" / "late").iterdir())
    assert not (folder / "ran").exists() or (folder / "ran").read_text() == "x\n"
    assert spool.status()["counts"]["error"] == 0


def test_a_deleted_response_is_answered_from_the_request_as_it_is_now(spool, start_worker):
    start_worker()
    spool.call("a", params={"n": 1})
    spool.drop("a", params={"n": 2})
    spool.response_path("a").unlink()
    assert spool.wait_response("a")["data"] == {"n": 2}


def test_watchers_of_responses_see_whole_files_only(spool, start_worker):
    """No temporary name is ever left, and no response is seen half-written."""
    start_worker()
    stems = [f"r{i}" for i in range(300)]
    for stem in stems:
        spool.drop(stem, params={"pad": "x" * 5000})

    def all_whole():
        for path in (spool.root / "responses").glob("*.json"):
            assert path.read_bytes().endswith(b"}\n")
        return spool.responses() >= set(stems)

    wait_until(all_whole, "all are answered")
    assert [p for p in (spool.root / "responses").iterdir() if p.suffix != ".json"] == []
    assert list((spool.root / "worker" / "tmp").glob("*")) == []


def test_leftover_temporary_files_of_a_dead_worker_are_swept(spool, start_worker):
    first = start_worker()
    first.kill()
    left = spool.root / "worker" / "tmp" / ".filecall-99999999-1.tmp"
    left.write_text("half")
    start_worker()
    wait_until(lambda: not left.exists(), "the left-over is gone")
