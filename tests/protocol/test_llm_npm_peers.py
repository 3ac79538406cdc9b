# SPDX-License-Identifier: MIT
"""Two servers that others wrote and that imitate providers: aimock (Chat Completions, Responses,
Messages, Embeddings) and mock-openai-api (Chat Completions on Express). File in, file out."""

import json

import pytest

import llm_peers
from endpoint import environment
from harness import QUICK_RETRIES

KINDS = ["chat", "responses", "messages"]
ARGUMENTS = {"city": "Zürich", "days": [1, 2], "note": "a \"b\" \\ 😊"}
WORDS = "one two three four five six seven eight nine ten"
# aimock cuts texts into pieces of 20 UTF-16 units: the first face lies across two of them.
FACES = "Hello, how are you?😊 Wie geht's? 👩‍👩‍👧"
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12,
         "input_tokens": 7, "output_tokens": 5}


def fixture(message, response, **more):
    match = {"userMessage": message, **more.pop("match", {})}
    return {"match": match, "response": response, **more}


def error(status, message, **more):
    return {"status": status, "error": {"message": message, **more.pop("error", {})}, **more}


FIXTURES = [
    fixture("greet", {"content": FACES}),
    fixture("count", {"content": "one two", "usage": USAGE}),
    fixture("think", {"content": "42", "reasoning": "let me think about that for a while"}),
    fixture("weather", {"content": "It rains."}, match={"hasToolResult": True}),
    fixture("weather", {"toolCalls": [{"name": "weather", "arguments": ARGUMENTS},
                                      {"name": "time", "arguments": {}}]}),
    fixture("talk and call", {"content": "Let me look.",
                              "toolCalls": [{"name": "time", "arguments": {}}]}),
    fixture("number", {"content": {"n": 3}}),
    fixture("cut", {"content": "cut he", "finishReason": "length"}),
    fixture("busy", error(429, "slow down", retryAfter=7,
                          error={"type": "rate_limit_error", "code": "rate_limit_exceeded"})),
    fixture("quota", error(429, "You exceeded your current quota",
                           error={"type": "insufficient_quota", "code": "insufficient_quota"})),
    fixture("overloaded", error(529, "Overloaded", error={"type": "overloaded_error"})),
    fixture("overflow", error(400, "prompt is too long: 9 tokens > 8 maximum",
                              error={"type": "invalid_request_error",
                                     "code": "context_length_exceeded"})),
    fixture("broken", error(500, "boom", error={"type": "server_error"})),
    fixture("hang up", {"content": WORDS}, chunkSize=4, latency=50, disconnectAfterMs=250),
    {"match": {"inputText": "vector"}, "response": {"embedding": [0.5, -0.25, 1.0]}},
]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}},
         {"type": "function", "function": {"name": "time"}}]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "schema": {
    "type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}}


@pytest.fixture(scope="module")
def peers(tmp_path_factory):
    """{name: running server}, one of each for all tests here."""
    lacking = llm_peers.missing()
    if lacking:
        pytest.skip(lacking)
    started = {}
    try:
        started["aimock"] = llm_peers.start_aimock(tmp_path_factory.mktemp("aimock"), FIXTURES)
        started["express"] = llm_peers.start_express(tmp_path_factory.mktemp("express"))
        yield started
    finally:
        for peer in started.values():
            peer.stop()


@pytest.fixture
def peer_worker(start_worker, peers):
    """A worker that knows aimock in three languages (and with a wrong key), and express."""
    aimock = {"base_url": peers["aimock"].url + "/v1", "profile": "generic",
              "api_key_env": "TEST_LLM_KEY"}
    providers = {
        "chat": {"kind": "openai", **aimock},
        "responses": {"kind": "openai-responses", **aimock},
        "messages": {"kind": "anthropic", **aimock, "profile": "anthropic"},
        "stranger": {"kind": "openai", **aimock, "api_key_env": "TEST_LLM_WRONG_KEY"},
        "express": {"kind": "openai", "base_url": peers["express"].url + "/v1",
                    "profile": "generic"}}
    return start_worker(
        config={"llm": {"default": "chat", "breaker_pause": "0", "providers": providers}},
        env={**environment(), "TEST_LLM_KEY": llm_peers.KEY,
             "TEST_LLM_WRONG_KEY": "sk-unknown-to-the-peer"})


def ask(spool, stem, provider="chat", prompt="greet", model="some-model", **params):
    words = {"messages": prompt} if isinstance(prompt, list) else {"prompt": prompt}
    return spool.call(stem, "llm.chat", {"provider": provider, "model": model, **words, **params})


def answer(response):
    assert response["status"] == "success", response
    return response["data"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_peer_answers(spool, peer_worker, kind, stream):
    data = answer(ask(spool, "q", kind, "please count", stream=stream))
    assert data["text"] == "one two" and data["finish_reason"] == "stop"
    assert data["usage"]["input_tokens"] == 7 and data["usage"]["output_tokens"] == 5
    assert data["provider_request_id"].startswith("req")
    assert ("time_to_first_token_ms" in data) == stream
    # In a stream a face is cut in two: half a character ends one event, the rest begins the next.
    assert answer(ask(spool, "faces", kind, stream=stream))["text"] == FACES


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_peer_calls_tools_and_reads_their_results(spool, peer_worker, kind, stream):
    data = answer(ask(spool, "first", kind, "the weather", tools=TOOLS, stream=stream))
    assert data["finish_reason"] == "tool_calls" and data["text"] == ""
    weather, time = data["tool_calls"]
    assert (weather["name"], weather["arguments"]) == ("weather", ARGUMENTS)
    assert (time["name"], time["arguments"]) == ("time", {})
    assert weather["id"] and time["id"] and weather["id"] != time["id"]
    calls = [{"id": c["id"], "type": "function",
              "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}}
             for c in (weather, time)]
    messages = [{"role": "user", "content": "the weather"},
                {"role": "assistant", "content": None, "tool_calls": calls},
                *({"role": "tool", "tool_call_id": c["id"], "content": "rain"} for c in calls)]
    data = answer(ask(spool, "second", kind, messages, tools=TOOLS, stream=stream))
    assert data["text"] == "It rains." and data["finish_reason"] == "stop"
    data = answer(ask(spool, "both", kind, "talk and call", tools=TOOLS, stream=stream))
    assert data["text"] == "Let me look." and data["finish_reason"] == "tool_calls"
    assert [c["name"] for c in data["tool_calls"]] == ["time"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_peers_answer_is_held_against_the_schema(spool, peer_worker, kind, stream):
    data = answer(ask(spool, "q", kind, "a number", response_format=SCHEMA, stream=stream))
    assert data["parsed"] == {"n": 3}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_what_a_peer_cuts_or_thinks_is_told_apart(spool, peer_worker, kind, stream):
    cut = answer(ask(spool, "cut", kind, "cut", response_format=SCHEMA, stream=stream))
    assert cut["finish_reason"] == "length" and "parsed" not in cut
    thought = answer(ask(spool, "thought", kind, "think", stream=stream))
    assert thought["text"] == "42"
    assert thought["reasoning"] == "let me think about that for a while"


# prompt -> class, error code, retryable, retry_after_ms
FAILURES = [
    ("busy", "rate_limited", "resource_exhausted", True, 7000),
    ("quota", "quota", "resource_exhausted", False, None),
    ("overloaded", "overloaded", "unavailable", True, 1000),
    ("overflow", "context_overflow", "out_of_range", False, None),
    ("broken", "server", "unavailable", True, None),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_peers_errors_have_their_classes(spool, peer_worker, kind, stream):
    # In turns from the mildest: a Retry-After holds whatever comes after it.
    for prompt, kind_of, code, retryable, retry_after in reversed(FAILURES):
        response = ask(spool, prompt, kind, prompt, stream=stream)
        assert response["status"] == "error", response
        details = response["error_details"]
        assert (details["class"], response["error_code"], response["retryable"],
                response.get("retry_after_ms")) == (kind_of, code, retryable, retry_after), prompt
        assert details["ambiguous"] is False


@pytest.mark.parametrize("kind", KINDS)
def test_a_peer_that_hangs_up_leaves_what_came(spool, peer_worker, kind):
    response = ask(spool, "q", kind, "hang up", stream=True)
    details = response["error_details"]
    assert response["retryable"] and details["ambiguous"], response
    assert details["class"] in ("stream_truncated", "reset")
    if "partial" in details:  # Not when the machine was too slow for the first words.
        assert WORDS.startswith(details["partial"]["text"])


def test_a_peer_knows_whom_it_does_not_know(spool, peer_worker):
    response = ask(spool, "q", "stranger")
    assert response["error_code"] == "unauthenticated" and not response["retryable"]
    assert response["error_details"]["class"] == "authentication"
    assert "sk-unknown" not in json.dumps(response)


def test_a_peer_embeds_and_lists_models(spool, peer_worker):
    data = answer(spool.call("one", "llm.embed", {"model": "e", "input": "vector a"}))
    assert data["embeddings"] == [[0.5, -0.25, 1.0]]
    data = answer(spool.call("two", "llm.embed", {"model": "e", "input": ["vector", "vector b"]}))
    assert data["embeddings"] == [[0.5, -0.25, 1.0]] * 2
    for kind in ("chat", "express"):
        models = answer(spool.call(kind, "llm.models", {"provider": kind}))["models"]
        assert len(models) > 2 and all(model["id"] for model in models)


def test_an_openai_batch_runs_against_a_peer(spool, peer_worker, client, folder):
    lines = [{"custom_id": f"line-{i}", "method": "POST", "url": "/v1/chat/completions",
              "body": {"model": "some-model",
                       "messages": [{"role": "user", "content": f"count {i}"}]}}
             for i in range(40)]
    batch = folder / "in.jsonl"
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = folder / "out.jsonl"
    done = client.run("run", batch, "--out-openai", out, "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert {line["custom_id"] for line in found} == {line["custom_id"] for line in lines}
    for line in found:
        assert line["response"]["body"]["choices"][0]["message"]["content"] == "one two"


@pytest.mark.parametrize("stream", [False, True])
def test_another_peer_answers(spool, peer_worker, stream):
    data = answer(ask(spool, "q", "express", "Hello", "mock-gpt-thinking", stream=stream))
    assert data["text"].startswith("Hello! How can I help you today?")
    assert data["finish_reason"] == "stop" and data["usage"]["input_tokens"] > 0
    if stream:
        assert "friendly response" in data["reasoning"]


@pytest.mark.parametrize("stream", [False, True])
def test_another_peer_calls_a_tool(spool, peer_worker, stream):
    # Its stream goes on after [DONE] with an answer to a result that nobody gave: not ours.
    data = answer(ask(spool, "q", "express", "What time is it now?", "gpt-4-mock", tools=TOOLS,
                      stream=stream))
    assert data["finish_reason"] == "tool_calls" and data["text"] == ""
    assert [(c["name"], c["arguments"]) for c in data["tool_calls"]] == [("get_time", {})]


@pytest.mark.parametrize("stream", [False, True])
def test_another_peers_error_is_one_inside_http_200_too(spool, peer_worker, stream):
    response = ask(spool, "q", "express", "Hello", "no-such-model", stream=stream)
    assert response["status"] == "error" and response["error_code"] == "invalid_argument"
    details = response["error_details"]
    assert details["provider_code"] == "invalid_model"
    assert details["http_status"] == (200 if stream else 400)
