# SPDX-License-Identifier: MIT
"""Options of llm.chat: what a provider lacks is refused first; n, logprobs, Responses bodies."""

import json

import pytest

from endpoint import environment
from evaluation import of
from harness import QUICK_RETRIES
from llm_lines import chat_line, read_lines, write_lines

RUN = ("--no-start-worker", *QUICK_RETRIES)


def table(folder):
    path = folder / "rows.csv"
    path.write_text("id,word\na,x\nb,y\n")
    prompt = folder / "prompt.txt"
    prompt.write_text("say {{word}}")
    return [path, "--prompt", prompt]


@pytest.mark.core
@pytest.mark.parametrize("params, model, expected", [
    ({"temper": 0}, "chat/m", "/params/temper: llm.chat has no such member; did you mean "
                                  "temperature"),
    ({"seed": 1}, "messages/claude", "/params/seed: provider messages (kind anthropic"),
    ({"n": 2}, "messages/claude", "/params/n: provider messages"),
    ({"logprobs": True}, "messages/claude", "/params/logprobs: provider messages"),
    ({"stop": "x"}, "responses/m", "/params/stop: provider responses"),
    ({"n": 2}, "responses/m", "/params/n: provider responses"),
    ({}, "message/claude", "the worker has no provider 'message'; did you mean messages?"),
])
def test_what_a_provider_lacks_is_refused_before_anything_is_dropped(
        spool, client, llm_worker, endpoint, folder, params, model, expected):
    done = client.run("run", *table(folder), "--model", model, "--params", json.dumps(params), *RUN)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert not spool.requests() and not endpoint.calls()


def test_a_first_run_starts_its_worker_to_know_what_it_takes(spool, client, endpoint, folder):
    config = folder / "worker.yaml"
    config.write_text(json.dumps(endpoint.config()))
    done = client.run("run", *table(folder), "--model", "messages/claude", "--params",
                      '{"seed": 1}', "--worker-config", config)
    assert done.returncode == 2 and "does not take it" in done.stderr, done.stderr
    assert not spool.requests()
    client.run("worker", "stop", "--now")
    # The next one would have the same providers.
    again = client.run("run", *table(folder), "--model", "messages/claude", "--params",
                       '{"seed": 1}')
    assert again.returncode == 2 and "does not take it" in again.stderr, again.stderr


def test_a_provider_whose_key_appeared_is_known_before_anything_is_dropped(
        spool, client, endpoint, folder):
    """The worker that runs is idle, has not that provider, and would be started again."""
    here = {**environment(), "OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": endpoint.url + "/v1"}
    assert client.run("worker", "start", env=here).returncode == 0
    here.update(ANTHROPIC_API_KEY="sk-2", ANTHROPIC_BASE_URL=endpoint.url)
    done = client.run("run", *table(folder), "--model", "anthropic/claude", "--params",
                      '{"seed": 1}', env=here)
    assert done.returncode == 2 and "does not take it" in done.stderr, done.stderr
    assert done.stderr.count("is restarted") == 1
    assert not spool.requests() and not endpoint.calls()


@pytest.mark.core
def test_several_choices_come_with_their_log_probabilities(
        spool, client, telling_endpoint, llm_worker, endpoint, folder):
    batch = write_lines(folder / "in.jsonl", [chat_line(
        "q", "m;text=Paris|Lyon|Paris", n=3, logprobs=True, top_logprobs=2)])
    out = folder / "out.jsonl"
    done = client.run("run", batch, "--out", out, "--out-openai", folder / "openai.jsonl", *RUN)
    assert done.returncode == 0, done.stderr
    [call] = endpoint.calls()
    assert {k: call["sent"][k] for k in ("n", "logprobs", "top_logprobs")} == {
        "n": 3, "logprobs": True, "top_logprobs": 2}
    data = read_lines(out)[0]["data"]
    assert [c["text"] for c in data["choices"]] == ["Paris", "Lyon", "Paris"]
    assert data["text"] == "Paris"
    token = data["choices"][1]["logprobs"][0]
    assert token["token"] == "Lyon" and token["logprob"] == -0.5
    assert [t["token"] for t in token["top_logprobs"]] == ["other 0", "other 1"]
    body = read_lines(folder / "openai.jsonl")[0]["response"]["body"]
    assert len(body["choices"]) == 3


def test_each_choice_must_fit_the_schema(spool, client, llm_worker, folder):
    schema = {"type": "json_schema", "json_schema": {"name": "s", "schema": {
        "type": "object", "required": ["city"]}}}
    lines = [chat_line("good", 'm;text={"city": 1}|{"city": 2}', n=2, response_format=schema),
             chat_line("bad", 'm;text={"city": 1}|{"town": 2}', n=2, response_format=schema)]
    out = folder / "out.jsonl"
    done = client.run("run", write_lines(folder / "in.jsonl", lines), "--out", out, "--attempts",
                      "1", *RUN)
    assert done.returncode == 1
    good, bad = sorted(read_lines(out), key=lambda r: r["state"] != "SUCCESS")
    assert [c["parsed"] for c in good["data"]["choices"]] == [{"city": 1}, {"city": 2}]
    assert "choice 2" in bad["error_message"]


@pytest.mark.core
def test_graders_see_every_choice(spool, client, llm_worker, folder, spec):
    batch = write_lines(folder / "in.jsonl", [chat_line("q", "m;text=Paris|Lyon|Paris|Paris", n=4)])
    assert client.run("run", batch, *RUN).returncode == 0
    path = spec({"kind": "exact", "name": "right", "expected": "Paris"})
    done = client.run("eval", "--no-start-worker", path)
    assert done.returncode == 0, done.stderr
    [stem] = [s for s in spool.responses()]
    found = of(spool, stem)
    assert found["score"] == 0.75
    scores = [c["score"] for c in found["grades"][0]["details"]["choices"]]
    assert scores == [1, 0, 1, 1]


@pytest.mark.core
def test_a_responses_line_goes_to_that_endpoint_with_all_that_it_says(
        client, telling_endpoint, llm_worker, endpoint, folder):
    body = {"model": "m;text=done", "input": [{"role": "user", "content": [
        {"type": "input_text", "text": "hi"}, {"type": "input_file", "file_id": "f"}]}],
        "previous_response_id": "r1", "include": ["reasoning.encrypted_content"],
        "tools": [{"type": "web_search"}], "text": {"verbosity": "low"}, "metadata": {"k": "v"},
        "max_output_tokens": 9, "store": True}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/responses", "body": body}
    out = folder / "openai.jsonl"
    done = client.run("run", write_lines(folder / "in.jsonl", [line]), "--out-openai", out, *RUN)
    assert done.returncode == 0, done.stderr
    [call] = endpoint.calls()
    assert call["path"].endswith("/responses") and call["sent"] == body
    [result] = read_lines(out)
    assert result["response"]["body"]["output"][0]["content"][0]["text"] == "done"


def test_a_responses_line_is_refused_by_anthropic_where_it_has_no_counterpart(
        client, llm_worker, endpoint, folder):
    lines = [{"custom_id": name, "url": "/v1/responses",
              "body": {"model": "m;text=done", "input": "hi", **more}}
             for name, more in (("plain", {}), ("search", {"tools": [{"type": "web_search"}]}))]
    out = folder / "openai.jsonl"
    done = client.run("run", write_lines(folder / "in.jsonl", lines), "--out-openai", out,
                      "--provider", "messages", *RUN)
    assert done.returncode == 1, done.stderr
    [call] = endpoint.calls()
    assert call["path"].endswith("/messages")
    assert read_lines(out)[0]["response"]["body"]["object"] == "response"
    [failed] = read_lines(folder / "openai.errors.jsonl")
    assert "/responses_body/tools" in failed["error"]["message"]
