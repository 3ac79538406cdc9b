# SPDX-License-Identifier: MIT
"""llm.chat, llm.embed and llm.models by file in and file out, against a scripted endpoint."""

import json

import pytest

from endpoint import environment
from harness import wait_until

KINDS = ["chat", "responses", "messages"]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {
    "type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}}


def ask(spool, stem="q", model="m", **params):
    params = {"model": model, "provider": "chat", "prompt": "hi", **params}
    return spool.call(stem, "llm.chat", params)


def answer(response):
    assert response["status"] == "success", response
    return response["data"]


def failure(response):
    assert response["status"] == "error", response
    return response


@pytest.mark.core
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_has_one_shape_whoever_gives_it(spool, llm_worker, endpoint, kind, stream):
    data = answer(ask(spool, provider=kind, prompt="say Hello there", stream=stream))
    assert data["text"] == "Hello there"
    assert data["finish_reason"] == "stop"
    assert data["tool_calls"] == []
    assert data["provider"] == kind and data["model"] == "m-2026"
    assert data["provider_request_id"] == "req_1"
    assert data["usage"]["input_tokens"] == 11 and data["usage"]["output_tokens"] == 2
    assert data["usage"]["cached_input_tokens"] == 3
    assert ("time_to_first_token_ms" in data) == stream
    assert len(endpoint.calls()) == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_tool_calls_have_one_shape(spool, llm_worker, kind, stream):
    data = answer(ask(spool, provider=kind, model="m;tool=1", stream=stream,
                      tools=[{"type": "function", "function": {"name": "weather"}}]))
    assert data["finish_reason"] == "tool_calls"
    assert data["tool_calls"] == [
        {"id": "call_1", "name": "weather", "arguments": {"city": "Paris"}}]


@pytest.mark.parametrize("kind, reason", [
    ("chat", "length"), ("responses", "length"), ("messages", "max_tokens")])
def test_an_answer_that_was_cut_says_so_and_is_not_held_against_the_schema(
        spool, llm_worker, kind, reason):
    data = answer(ask(spool, provider=kind, model=f"m;finish={reason}", prompt="say {\"n\":",
                      response_format=SCHEMA))
    assert data["finish_reason"] == "length" and "parsed" not in data


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_validated_once_and_never_repaired(spool, llm_worker, kind, endpoint):
    data = answer(ask(spool, "good", provider=kind, prompt='say {"n": 3}', response_format=SCHEMA))
    assert data["parsed"] == {"n": 3}
    for stem, text in [("wrong", '{"n": "3"}'), ("fence", '```json\n{"n": 3}\n```')]:
        response = failure(ask(spool, stem, provider=kind, prompt="say " + text,
                               response_format=SCHEMA))
        details = response["error_details"]
        assert details["class"] == "schema_invalid" and response["retryable"]
        assert details["answer"]["text"] == text
        assert details["answer"]["usage"]["output_tokens"] > 0
    assert len(endpoint.calls()) == 3


def test_a_schema_that_is_none_is_refused_before_anything_is_sent(spool, llm_worker, endpoint):
    bad = {"type": "json_schema", "json_schema": {"schema": {"type": "nonsense"}}}
    assert failure(ask(spool, response_format=bad))["error_code"] == "invalid_argument"
    assert failure(ask(spool, "s", provider="messages", seed=1))["error_code"] == "invalid_argument"
    assert endpoint.calls() == []


@pytest.mark.parametrize("schema", [
    {"$ref": "email"}, {"pattern": "(" * 100_000}, {"multipleOf": 0}, {"pattern": "(?=a)"},
    {"$ref": "#"}, {"items": {"$ref": "http://127.0.0.1:1/x"}}],
    ids=["reference", "parentheses", "multiple", "look-ahead", "circle", "address"])
def test_a_schema_that_would_kill_or_hang_a_validator_is_refused(
        spool, llm_worker, endpoint, schema):
    bad = {"type": "json_schema", "json_schema": {"schema": schema}}
    response = failure(ask(spool, response_format=bad))
    assert response["error_code"] == "invalid_argument" and endpoint.calls() == []
    assert spool.call("e", "system.echo", {})["status"] == "success"


def test_a_schema_that_asks_for_endless_work_holds_up_nobody(spool, llm_worker, endpoint):
    doubled = {str(i): {"allOf": [{"$ref": f"#/definitions/{i + 1}"}] * 2} for i in range(40)}
    doubled["40"] = True
    endless = {"type": "json_schema", "json_schema": {
        "schema": {"definitions": doubled, "$ref": "#/definitions/0"}}}
    slow = {"type": "json_schema", "json_schema": {"schema": {
        "properties": {"a": {"pattern": "^(a+)+$"}}}}}
    for i in range(4):
        spool.drop(f"endless-{i}", "llm.chat", {
            "model": "m", "provider": "chat", "prompt": 'say {"n": 3}', "response_format": endless})
    wait_until(lambda: len(endpoint.calls()) >= 4, "the calls were sent")
    assert spool.call("e", "system.echo", {})["status"] == "success"
    data = answer(ask(spool, "slow", prompt='say {"a": "%s"}' % ("a" * 5000),
                      response_format=slow))
    assert data["parsed"]["a"] == "a" * 5000
    for i in range(4):
        response = failure(spool.wait_response(f"endless-{i}"))
        assert "cannot be checked" in response["error_message"]
        assert response["error_details"]["answer"]["text"] == '{"n": 3}'


def test_a_provider_that_asks_for_a_days_wait_fails_what_follows_at_once(
        spool, llm_worker, endpoint):
    first = failure(ask(spool, "first", model="m;status=429;retry_after=86400"))
    assert "retry_after_ms" not in first and not first["retryable"]
    assert "asks to wait 86400 s" in first["error_message"]
    for i in range(3):
        later = failure(ask(spool, f"later-{i}", prompt="say hello"))
        assert later["error_details"]["class"] == "breaker_open"
        assert "asks to wait 86400 s" in later["error_message"]
    assert len(endpoint.calls()) == 1


# model script -> class, code, retryable, ambiguous, retry_after_ms
TAXONOMY = [
    ("status=429;type=requests;code=rate_limit_exceeded", "rate_limited", "resource_exhausted",
     True, False, None),
    ("status=429;retry_after=1", "rate_limited", "resource_exhausted", True, False, 1000),
    ("status=429;retry_after_ms=30", "rate_limited", "resource_exhausted", True, False, 30),
    ("status=503", "overloaded", "unavailable", True, False, 1000),
    ("status=529;type=overloaded_error", "overloaded", "unavailable", True, False, 1000),
    ("status=503;fault=loading", "cold_start", "unavailable", True, False, 2000),
    ("status=429;type=insufficient_quota;code=insufficient_quota", "quota", "resource_exhausted",
     False, False, None),
    ("status=402;type=billing_error", "quota", "resource_exhausted", False, False, None),
    ("status=401", "authentication", "unauthenticated", False, False, None),
    ("status=403", "permission", "permission_denied", False, False, None),
    ("status=404", "not_found", "not_found", False, False, None),
    ("status=400;type=invalid_request_error", "invalid", "invalid_argument", False, False, None),
    ("status=413", "invalid", "invalid_argument", False, False, None),
    ("status=422", "invalid", "invalid_argument", False, False, None),
    ("status=400;type=invalid_request_error;message=prompt is too long", "context_overflow",
     "out_of_range", False, False, None),
    ("status=500", "server", "unavailable", True, False, None),
    ("status=502;fault=plain_error", "server", "unavailable", True, False, None),
    ("status=504", "server", "unavailable", True, True, None),
    ("status=408", "server", "unavailable", True, True, None),
    ("status=302", "configuration", "failed_precondition", False, False, None),
    ("fault=reset", "reset", "unavailable", True, True, None),
    ("fault=empty", "reset", "unavailable", True, True, None),
    ("fault=truncate", "reset", "unavailable", True, True, None),
    ("fault=reset_mid", "reset", "unavailable", True, True, None),
    ("fault=garbage", "bad_response", "unknown", True, True, None),
    ("fault=html", "bad_response", "unknown", True, True, None),
    ("fault=bad_json", "bad_response", "unknown", True, True, None),
    ("fault=utf8", "bad_response", "unknown", True, True, None),
    ("fault=error_in_200;type=overloaded_error", "overloaded", "unavailable", True, False, 1000),
    ("fault=stall", "timeout_first_event", "deadline_exceeded", True, True, None),
    ("fault=stall_mid", "timeout_idle", "deadline_exceeded", True, True, None),
    ("fault=drip", "timeout_total", "deadline_exceeded", True, True, None),
    ("fault=giant;bytes=3000000", "too_large", "resource_exhausted", False, True, None),
]


@pytest.fixture
def short_worker(start_worker, endpoint):
    """Clocks that run out in a test's time, and no breaker between its cases."""
    config = endpoint.config(response_bytes="1MiB", timeouts={
        "connect": "5s", "first_event": "300ms", "idle": "300ms", "total": "1s"})
    config["llm"]["breaker_pause"] = "0"
    return start_worker(config=config, env=environment())


@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_every_row_of_the_taxonomy(spool, short_worker, endpoint, kind):
    between = 0
    for i, (script, *_) in enumerate(TAXONOMY):
        spool.drop(f"row{i}", "llm.chat", {"provider": kind, "model": "m;" + script,
                                           "prompt": "hi"})
        if script.startswith(("status=502", "status=503", "status=504", "fault=reset",
                              "fault=empty", "fault=truncate")):
            # Several of them in a row are an outage: an answer comes after each.
            spool.wait_response(f"row{i}", 60)
            between += 1
            answer(ask(spool, f"between{i}", provider=kind))
    for i, (script, kind_of, code, retryable, ambiguous, retry_after) in enumerate(TAXONOMY):
        response = failure(spool.wait_response(f"row{i}", 60))
        details = response["error_details"]
        found = (details["class"], response["error_code"], response["retryable"],
                 details["ambiguous"], response.get("retry_after_ms"))
        assert found == (kind_of, code, retryable, ambiguous, retry_after), script
        assert details["provider"] == kind and details["model"] == "m;" + script
    assert len(endpoint.calls()) == len(TAXONOMY) + between, "one HTTP attempt per request file"


STREAM_FAULTS = [
    ("fault=truncate", "stream_truncated", True),
    # With a pause before the reset, which throws away what is not read yet.
    ("fault=reset_mid;itl=30", "stream_truncated", True),
    ("fault=no_end", "stream_truncated", True),
    ("fault=stall_mid", "timeout_idle", True),
    ("fault=error_mid;type=overloaded_error", "overloaded", False),
    ("fault=error_mid;type=rate_limit_error", "rate_limited", False),
]


@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_a_stream_that_fails_keeps_what_came(spool, short_worker, kind):
    for i, (script, kind_of, ambiguous) in enumerate(STREAM_FAULTS):
        details = failure(ask(spool, f"s{i}", f"m;{script}", provider=kind, stream=True,
                              prompt="say one two three"))["error_details"]
        assert (details["class"], details["ambiguous"]) == (kind_of, ambiguous), script
        assert details["partial"]["text"].startswith("one "), script


def test_pings_do_not_keep_a_stream_alive_for_ever(spool, short_worker):
    details = failure(ask(spool, model="m;fault=pings", stream=True))["error_details"]
    assert details["class"] == "timeout_first_event"


def test_a_stream_with_invalid_utf8_is_an_error(spool, short_worker):
    details = failure(ask(spool, model="m;fault=utf8", stream=True))["error_details"]
    assert details["class"] == "bad_response"


def test_nobody_listening_is_unambiguous(spool, start_worker, endpoint):
    config = endpoint.config()
    config["llm"]["providers"]["chat"]["base_url"] = "http://127.0.0.1:1/v1"
    start_worker(config=config, env=environment())
    response = failure(ask(spool))
    assert response["error_details"]["class"] == "connect" and response["retryable"]
    assert response["error_details"]["ambiguous"] is False


def test_events_tell_a_stream_while_it_runs(spool, llm_worker):
    spool.drop("live", "llm.chat", {"provider": "chat", "model": "m;itl=30", "stream": True,
                                    "prompt": "say " + " ".join(f"word{i}" for i in range(60))})
    path = spool.root / "events" / "live.jsonl"
    wait_until(lambda: path.exists() and "word1" in path.read_text(), "the first words")
    assert spool.response("live") is None
    text = answer(spool.wait_response("live"))["text"]
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert events[0]["event"] == "started" and events[-1]["event"] == "finished"
    assert "".join(e.get("text", "") for e in events) == text
    assert all("time" in event for event in events)


def test_a_call_that_is_cancelled_keeps_what_came(spool, llm_worker):
    spool.drop("long", "llm.chat", {"provider": "chat", "model": "m;itl=50", "stream": True,
                                    "prompt": "say " + "word " * 500})
    path = spool.root / "events" / "long.jsonl"
    wait_until(lambda: path.exists() and "word" in path.read_text(), "the first words")
    spool.call("stop", "system.cancel", {"request_id": "long"})
    response = failure(spool.wait_response("long"))
    assert response["error_code"] == "cancelled"
    assert response["error_details"]["partial"]["text"].startswith("word")


def test_a_request_may_be_in_less_of_a_hurry_than_its_provider(spool, llm_worker):
    spool.drop("late", "llm.chat", {"provider": "chat", "model": "m;fault=stall", "prompt": "hi"},
               timeout_ms=200)
    assert failure(spool.wait_response("late"))["error_code"] == "deadline_exceeded"


def test_the_providers_body_and_the_price_on_demand(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(prices={"*": {"input": 500000, "output": 1000000,
                                                      "cached_input": 0}}), env=environment())
    data = answer(ask(spool, prompt="say a b", raw=True))
    assert data["raw"]["object"] == "chat.completion"
    assert data["cost"] == (11 - 3) * 0.5 + 2 * 1


def test_the_provider_that_lists_a_model_gets_it(spool, start_worker, endpoint):
    config = endpoint.config()
    config["llm"]["providers"]["messages"]["models"] = ["claude-x", "claude-*"]
    config["llm"]["providers"]["responses"]["models"] = ["gpt-x"]
    start_worker(config=config, env=environment())
    assert answer(spool.call("a", "llm.chat", {"model": "claude-9", "prompt": "hi"})
                  )["provider"] == "messages"
    assert answer(spool.call("b", "llm.chat", {"provider": "responses", "prompt": "hi"})
                  )["model"] == "gpt-x-2026"
    assert answer(spool.call("c", "llm.chat", {"model": "x", "prompt": "hi"})
                  )["provider"] == "chat"
    assert "chat, responses, messages" in failure(
        spool.call("d", "llm.chat", {"provider": "zzzz", "prompt": "hi"}))["error_message"]


def test_embeddings_and_models(spool, llm_worker):
    data = answer(spool.call("e", "llm.embed", {"model": "emb", "input": ["a", "b", "c"]}))
    assert [v[1] for v in data["embeddings"]] == [0, 1, 2] and data["usage"]["input_tokens"] == 4
    failed = failure(spool.call("f", "llm.embed", {"model": "emb;status=429", "input": "a"}))
    assert failed["error_details"]["class"] == "rate_limited"
    for kind in KINDS:
        data = answer(spool.call(f"m{kind}", "llm.models", {"provider": kind}))
        assert [m["id"] for m in data["models"]] == ["small", "large"]


def test_an_empty_machine_says_what_to_do(spool, start_worker):
    start_worker(config={}, env=environment())
    response = failure(spool.call("q", "llm.chat", {"model": "m", "prompt": "hi"}, timeout_ms=9000))
    assert response["error_code"] in ("failed_precondition", "not_found", "unauthenticated")
    assert "OPENAI_API_KEY" in response["error_message"]


def test_the_environment_alone_is_enough(spool, start_worker, endpoint):
    start_worker(config={}, env={**environment(), "OPENAI_BASE_URL": endpoint.url + "/v1",
                                 "OPENAI_API_KEY": "sk-of-the-environment"})
    assert answer(spool.call("q", "llm.chat", {"model": "m", "prompt": "say hi"}))["text"] == "hi"
