# SPDX-License-Identifier: MIT
"""A provider with `kind: script`: a model that answers from a file."""

import json

import pytest

from harness import QUICK_RETRIES, wait_until
from llm_lines import chat_line, read_lines, write_lines
from test_one_worker import run_worker

TOOLS = [{"type": "function", "function": {"name": "file.read"}}]


@pytest.fixture
def scripted(start_worker, folder):
    """scripted(*lines) -> a worker whose only provider, `demo`, answers from them."""
    path = folder / "demo.jsonl"

    def start(*lines, **provider):
        write_lines(path, lines)
        return start_worker(config={"llm": {"providers": {"demo": {
            "kind": "script", "script": str(path), "models": ["demo-1"], **provider}}}})

    return start


def ask(spool, stem="q", **params):
    return spool.call(stem, "llm.chat", {"prompt": "hi", **params})


def answer(response):
    assert response["status"] == "success", response
    return response["data"]


@pytest.mark.core
@pytest.mark.parametrize("stream", [False, True])
def test_the_first_line_that_fits_answers(spool, scripted, stream):
    scripted({"when": {"user": "capital of (?P<land>\\w+)"}, "piece_bytes": 3,
              "reply": "Of {{land}}: Paris, I think."},
             {"when": {"tool": "file.read"}, "reply": {
                 "text": "I look.", "tool_calls": [{"name": "file.read",
                                                    "arguments": {"files": ["a"]}}]}},
             {"reply": {"text": "?", "usage": {"input_tokens": 7, "output_tokens": 2}}})
    data = answer(ask(spool, "a", prompt="the capital of France", stream=stream))
    assert data["text"] == "Of France: Paris, I think." and data["finish_reason"] == "stop"
    assert data["provider"] == "demo" and data["model"] == "demo-1"
    assert data["usage"]["input_tokens"] == 6 and data["usage"]["output_tokens"] == 7
    data = answer(ask(spool, "b", tools=TOOLS, stream=stream))
    assert data["text"] == "I look." and data["finish_reason"] == "tool_calls"
    assert data["tool_calls"] == [{"id": "call_1_1", "name": "file.read",
                                   "arguments": {"files": ["a"]}}]
    data = answer(ask(spool, "c", stream=stream))
    assert data["usage"] == {"input_tokens": 7, "output_tokens": 2}


def test_a_conversation_goes_on_by_its_turns_and_what_tools_answered(spool, scripted):
    lines = [{"when": {"turn": 1}, "reply": {"tool_calls": [{"name": "file.read"}]}},
             {"when": {"turn": 2, "tool_result": "sha256 (?P<sha>[0-9a-f]+)"},
              "reply": {"tool_calls": [{"name": "file.edit",
                                        "arguments": {"base_sha256": "{{sha}}"}}]}},
             {"when": {"request": "^run\\.3"}, "reply": "done"}]
    worker = scripted(*lines)
    messages = [{"role": "user", "content": "edit"}]
    first = answer(spool.call("run.1", "llm.chat", {"messages": messages}))
    assert first["tool_calls"][0]["name"] == "file.read"
    messages += [{"role": "assistant", "tool_calls": [
                     {"id": "call_1_1", "type": "function",
                      "function": {"name": "file.read", "arguments": "{}"}}]},
                 {"role": "tool", "tool_call_id": "call_1_1", "content": "sha256 0abc"}]
    worker.kill()
    scripted(*lines)  # Which line answers follows from the call alone.
    second = answer(spool.call("run.2", "llm.chat", {"messages": messages}))
    assert second["tool_calls"] == [{"id": "call_2_1", "name": "file.edit",
                                     "arguments": {"base_sha256": "0abc"}}]
    messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "end"}]
    assert answer(spool.call("run.3", "llm.chat", {"messages": messages}))["text"] == "done"


@pytest.mark.parametrize("line, stream, kind, ambiguous", [
    ({"fault": "refused"}, False, "connect", False),
    ({"fault": "reset"}, False, "reset", True),
    ({"fault": "hang"}, False, "timeout_first_event", True),
    ({"fault": "cut", "reply": "abcdefgh"}, True, "stream_truncated", True),
    ({"fault": "cut", "reply": "abcdefgh"}, False, "reset", True),
    ({"raw": "{\"half\":"}, False, "bad_response", True),
    ({"raw_base64": "//8="}, False, "bad_response", True),
    ({"raw": "data: {\"half\":\n\n"}, True, "bad_response", False),
    ({"error": {"status": 429, "retry_after_ms": 30}}, False, "rate_limited", False),
    ({"error": {"status": 400, "code": "context_length_exceeded"}}, False, "context_overflow",
     False),
    ({"reply": {"text": "{", "finish_reason": "stop"}}, False, "schema_invalid", False),
    ({"reply": "x", "piece_bytes": 1, "piece_delay_ms": 400}, True, "timeout_idle", True),
])
def test_each_fault_is_that_of_a_server(spool, scripted, line, stream, kind, ambiguous):
    scripted(line, timeouts={"first_event": "300ms", "idle": "300ms", "total": "2s"})
    params = {"response_format": {"type": "json_object"}} if kind == "schema_invalid" else {}
    response = ask(spool, stream=stream, **params)
    assert response["status"] == "error", response
    details = response["error_details"]
    assert (details["class"], details["ambiguous"]) == (kind, ambiguous), response


def test_a_server_that_recovers_answers_the_attempts_that_follow(spool, scripted, client, folder):
    scripted({"first": 2, "error": {"status": 503}},
             {"when": {"user": "say (?P<what>.*)"}, "reply": "{{what}}"})
    lines = [chat_line(f"r{i}", "demo-1", f"say {i}") for i in range(5)]
    out = folder / "out.jsonl"
    done = client.run("run", write_lines(folder / "in.jsonl", lines), "--out-openai", out,
                      "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 0, done.stderr
    texts = {line["custom_id"]: line["response"]["body"]["choices"][0]["message"]["content"]
             for line in read_lines(out)}
    assert texts == {f"r{i}": str(i) for i in range(5)}


def test_what_no_line_answers_says_what_was_asked(spool, scripted):
    scripted({"when": {"user": "^exactly$"}, "reply": "x"})
    response = ask(spool, prompt="nearly")
    assert response["status"] == "error" and not response["retryable"]
    said = response["error_message"]
    assert "no line of the script" in said and "turn 1" in said and "nearly" in said
    response = spool.call("e", "llm.embed", {"input": ["a"], "model": "demo-1"})
    assert response["status"] == "error" and "has no embeddings" in response["error_message"]
    models = answer(spool.call("m", "llm.models", {}))
    assert models["models"] == [{"id": "demo-1"}]


def test_a_script_that_cannot_be_read_names_file_and_line(spool, scripted, folder):
    scripted({"reply": "a"}, {"replay": "b"})
    response = ask(spool)
    assert response["status"] == "error" and response["error_code"] == "failed_precondition"
    said = response["error_message"]
    assert f"{folder}/demo.jsonl:2: " in said and "replay" in said


@pytest.mark.parametrize("members, expected", [
    ({"kind": "script"}, "script: is missing"),
    ({"kind": "script", "script": "x", "base_url": "http://h"}, "does not go with kind: script"),
    ({"kind": "openai", "script": "x"}, "goes with kind: script"),
])
def test_a_configuration_with_what_a_script_lacks_is_refused(folder, members, expected):
    path = folder / "worker.yaml"
    path.write_text(json.dumps({"llm": {"providers": {"demo": members}}}))
    done = run_worker("--check-config", "--config", path)
    assert done.returncode == 2 and expected in done.stderr, done.stderr


def test_a_check_of_the_configuration_reads_the_script(folder):
    path = folder / "worker.yaml"
    script = write_lines(folder / "demo.jsonl", [{"reply": "a"}])
    path.write_text(json.dumps({"llm": {"providers": {"demo": {
        "kind": "script", "script": str(script), "models": ["m", "n-*"]}}}}))
    done = run_worker("--check-config", "--json", "--config", path)
    provider, = json.loads(done.stdout)["providers"]
    assert provider == {"name": "demo", "kind": "script", "profile": "generic", "answers": True,
                        "base_url": f"script:{script}", "models": 1, "key": None, "problem": None}
    script.write_text('{"reply": 1}\n')
    done = run_worker("--check-config", "--json", "--config", path)
    provider, = json.loads(done.stdout)["providers"]
    assert not provider["answers"] and "demo.jsonl:1: /reply" in provider["problem"]


def test_a_stream_comes_piece_by_piece_and_can_be_cancelled(spool, scripted):
    scripted({"reply": "word " * 500, "piece_bytes": 5, "piece_delay_ms": 30})
    spool.drop("long", "llm.chat", {"prompt": "hi", "stream": True})
    path = spool.root / "events" / "long.jsonl"
    wait_until(lambda: path.exists() and "word" in path.read_text(), "the first words")
    spool.call("stop", "system.cancel", {"request_id": "long"})
    response = spool.wait_response("long")
    assert response["error_code"] == "cancelled"
    assert response["error_details"]["partial"]["text"].startswith("word")


def test_a_script_that_changed_is_read_by_the_next_run(spool, client, folder):
    config = folder / "worker.yaml"
    script = write_lines(folder / "demo.jsonl", [{"reply": "first"}])
    config.write_text(json.dumps({"llm": {"providers": {"demo": {
        "kind": "script", "script": str(script), "models": ["m"]}}}}))
    source = write_lines(folder / "in.jsonl", [chat_line("a")])

    def text_of(name):
        out = folder / name
        done = client.run("run", source, "--out-openai", out, "--fresh", "--worker-config", config)
        assert done.returncode == 0, done.stderr
        line, = read_lines(out)
        return line["response"]["body"]["choices"][0]["message"]["content"], done.stderr

    assert text_of("1")[0] == "first"
    write_lines(script, [{"reply": "second"}])
    text, said = text_of("2")
    assert text == "second" and "another script" in said
