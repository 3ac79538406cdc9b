# SPDX-License-Identifier: MIT
"""What a client does, whose worker is the test."""

import json
import os

import pytest

from fake_worker import error, success
from foreign import client_rule as rule, pass_time
from harness import wait_until


@rule("request-requestschemajson")
@pytest.mark.core
def test_a_request(spool, client, answers):
    """A request names its file, its command and its params, and stands in requests/"""
    seen = []
    answers(lambda request, attempt: seen.append(request) or success())
    assert client.ask("a b", params={"x": [1, "ü"]}) == 0
    assert seen[0]["request_id"] == "a b" and seen[0]["command"] == "system.echo"
    assert seen[0]["params"] == {"x": [1, "ü"]}


@rule("the-client")
@pytest.mark.core
def test_success(spool, client, answers):
    """On success nothing is moved or deleted, and nothing is asked again"""
    worker = answers(lambda request, attempt: success({"n": attempt}))
    assert client.ask("a") == 0
    assert client.ask("a") == 0
    assert worker.attempts == {"a": 1} and spool.response("a")["data"] == {"n": 1}
    assert spool.request("a").exists() and not spool.failed_path("a").exists()


@rule("the-client")
@pytest.mark.core
def test_three_attempts(spool, client, answers):
    """An error is deleted and tried again; the third one stays, with a copy in failed/"""
    worker = answers(lambda request, attempt: error(f"number {attempt}", odd=[1]))
    assert client.ask("a") != 0
    assert worker.attempts == {"a": 3}
    assert spool.response("a")["error_message"] == "number 3"
    assert spool.failed_path("a").read_bytes() == spool.response_path("a").read_bytes()


@rule("the-client")
def test_the_second_attempt(spool, client, answers):
    """A success of a later attempt is a success"""
    worker = answers(lambda request, attempt: success() if attempt == 2 else error(retryable=True))
    assert client.ask("a") == 0
    assert worker.attempts == {"a": 2} and not spool.failed_path("a").exists()


@rule("response-responseschemajson")
@pytest.mark.core
def test_not_retryable(spool, client, answers):
    """An error that is not retryable is given up at once, whatever its code"""
    worker = answers(lambda request, attempt: error(retryable=False, error_code="new_code"))
    assert client.ask("a") != 0
    assert worker.attempts == {"a": 1} and spool.failed_path("a").exists()


@rule("the-client")
def test_retry_after(spool, client, answers):
    """retry_after_ms is the least wait before the next attempt"""
    worker = answers(lambda request, attempt: success() if attempt == 2
                     else error(retry_after_ms=1500))
    assert client.ask("a") == 0
    first, second = worker.seen_at["a"]
    assert second - first >= 1.45


@rule("the-client", required=False)
def test_pauses(spool, client, answers):
    """resource_exhausted with retry_after_ms is a pause and no attempt"""
    worker = answers(lambda request, attempt: success() if attempt == 5 else error(
        error_code="resource_exhausted", retryable=True, retry_after_ms=20))
    assert client.ask("a") == 0 and worker.attempts == {"a": 5}


@rule("response-responseschemajson")
def test_tolerance(spool, client, answers):
    """Unknown members and optional ones of the wrong type are ignored"""
    answers(lambda request, attempt: success(1) | {
        "timing": "soon", "metadata": 7, "worker": None, "retryable": "no", "new": {}})
    assert client.ask("a") == 0


@rule("response-responseschemajson")
@pytest.mark.core
def test_another_request(spool, client, answers):
    """A response with another request_id is not taken"""
    answers(lambda request, attempt: None)
    process = client.start("a")
    wait_until(spool.request("a").exists, "the request is dropped")
    path = spool.root / "responses" / ".a.tmp"
    path.write_text(json.dumps({"request_id": "b", **success({"of": "b"})}))
    os.rename(path, spool.response_path("a"))
    pass_time(2)
    assert not process.has_ended() or process.wait() != 0, "it took another request's response"


@rule("the-client")
@pytest.mark.core
def test_deleting_what_was_counted(spool, client, answers):
    """Only the response that was counted is deleted: one that replaced it is read"""
    worker = answers(lambda request, attempt: error(retry_after_ms=2000))
    process = client.start("a")
    wait_until(lambda: spool.response("a"), "the error is there")
    pass_time(1)
    path = spool.root / "responses" / ".a.tmp"
    path.write_text(json.dumps({"request_id": "a", **success({"late": 1})}))
    os.rename(path, spool.response_path("a"))
    assert process.wait() == 0
    assert spool.response("a")["data"] == {"late": 1} and worker.attempts == {"a": 1}


@rule("the-client")
def test_what_is_there(spool, client, answers):
    """A request that is there is not replaced, and its error counts as the first attempt"""
    spool.drop("a", params={"first": True})
    inode = spool.request("a").stat().st_ino
    spool.response_path("a").write_text(json.dumps({"request_id": "a", **error("old")}))
    worker = answers(lambda request, attempt: error("new"))
    assert client.ask("a", params={"first": True}) != 0
    assert worker.attempts == {"a": 2} and spool.request("a").stat().st_ino == inode


@rule("the-client")
def test_given_up(spool, client, answers):
    """A copy in failed/ says that a request was given up: it is not asked again"""
    spool.drop("a")
    (spool.root / "failed").mkdir(mode=0o700)
    text = json.dumps({"request_id": "a", **error("old")})
    spool.failed_path("a").write_text(text)
    spool.response_path("a").write_text(text)
    worker = answers(lambda request, attempt: success())
    assert client.ask("a") != 0
    assert worker.attempts == {} and spool.failed_path("a").read_text() == text


@rule("the-root")
@pytest.mark.core
def test_a_link(spool, folder, client, answers):
    """A link in the place of a response is no response"""
    answers(lambda request, attempt: None)
    process = client.start("a")
    wait_until(spool.request("a").exists, "the request is dropped")
    (folder / "private").write_text(json.dumps({"request_id": "a", **success()}))
    spool.response_path("a").symlink_to(folder / "private")
    pass_time(1.5)
    assert not process.has_ended() or process.wait() != 0, "it followed a link"
