# SPDX-License-Identifier: MIT
"""Crashes, start records and cancels, of any worker."""

import contextlib
import json

import pytest

from foreign import worker_rule as rule
from harness import wait_until


@pytest.fixture
def records(spool):
    """records(name, text): lays a start record that an earlier worker left."""
    def lay(name, text=None):
        path = spool.root / "worker" / "started" / name
        for folder in path.parent.parent, path.parent:
            folder.mkdir(mode=0o700, exist_ok=True)
        path.write_text(text if text is not None else json.dumps({
            "command": "system.echo", "effects": name.rsplit(".", 1)[1], "pid": 1,
            "request_id": name.rsplit(".", 2)[0], "starts": 1}) + "\n")
        return path
    return lay


@rule("starts-and-crashes")
@pytest.mark.core
def test_an_interrupted_one(spool, start, records):
    """A start record with external effects: aborted, not retryable, not executed"""
    record = records("a.1.external")
    spool.drop("a")
    start()
    answer = spool.wait_response("a")
    assert answer["error_code"] == "aborted" and answer["retryable"] is False
    wait_until(lambda: not record.exists(), "the record is gone")


@rule("starts-and-crashes")
def test_two_starts(spool, start, records):
    """A start record without effects: once more after the first start, aborted after the second"""
    first, second = records("a.b.1.none"), records("c.2.none")
    spool.drop("a.b", params={"n": 1})
    spool.drop("c")
    start()
    assert spool.wait_response("a.b")["data"] == {"n": 1}
    answer = spool.wait_response("c")
    assert answer["error_code"] == "aborted" and answer["retryable"] is False
    wait_until(lambda: not first.exists() and not second.exists(), "the records are gone")


@rule("starts-and-crashes")
@pytest.mark.core
def test_a_response_in_a_record(spool, start, records):
    """A complete response in a start record is published, a torn one is not"""
    text = '{"request_id": "a", "status": "success", "data": {"from": "the record"}}\n'
    records("a.1.external", text)
    records("torn.1.external", text.replace('"a"', '"torn"')[:40])
    for stem in "a", "torn":
        spool.drop(stem)
    start()
    assert spool.wait_response("a")["data"] == {"from": "the record"}
    assert spool.wait_response("torn")["error_code"] == "aborted"


@rule("starts-and-crashes")
def test_a_record_beside_a_response(spool, start, records):
    """A start record beside a response is removed, and the response stands"""
    text = '{"request_id": "a", "status": "success", "data": {"mine": 1}}\n'
    spool.response_path("a").write_text(text)
    record = records("a.1.external", text.replace("mine", "other"))
    spool.drop("a")
    start()
    spool.barrier()
    assert spool.response_path("a").read_text() == text
    wait_until(lambda: not record.exists(), "the record is gone")


@rule("starts-and-crashes")
@pytest.mark.core
def test_a_crash(spool, start, effects):
    """A command with effects that a kill interrupts is aborted, and not executed again"""
    worker = start()
    effects.drop(spool, "a")
    effects.wait_start()
    names = [path.name for path in (spool.root / "worker" / "started").iterdir()]
    assert names == ["a.1.external"], f"worker/started/ holds {names}"
    worker.kill()
    start()
    answer = spool.wait_response("a")
    assert answer["error_code"] == "aborted" and answer["retryable"] is False
    assert effects.starts() == 1
    assert list((spool.root / "worker" / "started").iterdir()) == []


@rule("starts-and-crashes")
@pytest.mark.core
def test_kills(spool, start):
    """kill -9 at any instant loses no request and changes no response"""
    stems = {spool.drop(f"r{i}") for i in range(300)}
    kept = {}
    for _ in range(4):
        worker = start(wait=False)
        wait_until(lambda: len(spool.responses()) > len(kept) or spool.responses() >= stems,
                   "progress")
        worker.kill()
        for stem in spool.responses():
            text = spool.response_path(stem).read_bytes()
            assert json.loads(text)["request_id"] == stem
            assert kept.setdefault(stem, text) == text, f"{stem} has another response"
    start()
    wait_until(lambda: spool.responses() >= stems, "all are answered")
    for stem, text in kept.items():
        assert spool.response_path(stem).read_bytes() == text


def cancel(spool, stem, target, **more):
    return spool.call(stem, "system.cancel", {"request_id": target, **more})


@rule("cancelling")
def test_cancel_of_nothing(spool, start):
    """A cancel of an id without a request is not_found; of no id, invalid_argument"""
    start()
    assert cancel(spool, "c1", "nobody")["error_code"] == "not_found"
    assert spool.response("nobody") is None
    for number, target in enumerate(["../up", "", ".x", "a/b", "x" * 201, 7]):
        assert cancel(spool, f"d{number}", target)["error_code"] == "invalid_argument", target


@rule("cancelling")
def test_cancel_of_itself(spool, start):
    """A cancel that names itself is invalid_argument"""
    start()
    assert cancel(spool, "c", "c")["error_code"] == "invalid_argument"


@rule("cancelling")
def test_cancel_of_what_is_answered(spool, start):
    """A cancel of an answered request changes nothing and says so"""
    start()
    before = spool.call("a")
    assert cancel(spool, "c", "a")["data"] == {"request_id": "a", "cancelled": False,
                                              "state": "answered"}
    assert spool.response("a") == before


@rule("cancelling")
@pytest.mark.core
def test_cancel_of_what_waits(spool, start, effects):
    """A cancelled request ends as cancelled, not retryable, whether it waited or executed"""
    start()
    effects.drop(spool, "first")
    effects.wait_start()
    effects.drop(spool, "second")
    spool.drop("c", "system.cancel", {"request_id": "second"})
    with contextlib.suppress(AssertionError):
        wait_until(lambda: spool.response("c"), "the cancel is answered", 1)
    if not spool.response("c"):
        effects.end()  # One program runs at a time, and the cancel is read after it.
    assert spool.wait_response("c")["data"]["cancelled"] is True
    answer = spool.wait_response("second")
    assert answer["error_code"] == "cancelled" and answer["retryable"] is False
    effects.end()
    assert spool.wait_response("first")["status"] == "success"
