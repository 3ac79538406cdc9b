# SPDX-License-Identifier: MIT
"""Batches of language models' work out of other formats, counted at a scripted endpoint."""

import json

import pytest

from endpoint import environment
from harness import QUICK_RETRIES
from llm_lines import chat_line, read_lines, write_lines


@pytest.mark.core
def test_an_openai_batch_runs_unchanged(spool, llm_worker, endpoint, client, folder):
    batch = write_lines(folder / "in.jsonl", [
        chat_line("chat/1", text="say Hello there", user="u", max_completion_tokens=9),
        chat_line("broken", "m;status=400;code=bad_thing;type=invalid_request_error"),
        {"custom_id": "vectors", "method": "POST", "url": "/v1/embeddings",
         "body": {"model": "e", "input": ["a", "b"]}},
    ])
    out = folder / "out.jsonl"
    done = client.run("run", batch, "--out-openai", out, "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 1, done.stderr
    lines = {line["custom_id"]: line for line in read_lines(out)}
    assert set(lines) == {"chat/1", "vectors"}
    chat = lines["chat/1"]
    assert chat["id"].startswith("batch_req_") and chat["error"] is None
    assert chat["response"]["status_code"] == 200 and chat["response"]["request_id"] == "req_1"
    # The provider's own body, nothing left out.
    body = chat["response"]["body"]
    assert body["object"] == "chat.completion" and body["id"] == "chatcmpl-1"
    assert body["choices"][0]["message"]["content"] == "Hello there"
    assert body["usage"]["prompt_tokens"] == 11
    assert lines["vectors"]["response"]["body"]["object"] == "list"
    assert len(lines["vectors"]["response"]["body"]["data"]) == 2
    [failed] = read_lines(folder / "out.errors.jsonl")
    assert failed["custom_id"] == "broken" and failed["error"] is None
    assert failed["response"]["status_code"] == 400
    assert failed["response"]["body"]["error"]["code"] == "bad_thing"
    # What the command has no name for is passed on all the same.
    [stem] = [stem for stem in spool.requests() if stem.startswith("chat_1-")]
    params = json.loads(spool.request(stem).read_text())["params"]
    assert params["extra_body"] == {"user": "u"} and params["max_tokens"] == 9

    # Run again: nothing is asked again, and the files are the same.
    calls = len(endpoint.calls())
    again = client.run("run", batch, "--out-openai", out, "--no-start-worker", *QUICK_RETRIES)
    assert again.returncode == 1 and len(endpoint.calls()) == calls
    assert {line["custom_id"]: line for line in read_lines(out)} == lines


def test_an_openai_batch_for_another_kind_of_provider_has_openais_shape(
        spool, start_worker, endpoint, client, folder):
    config = endpoint.config()
    config["llm"]["default"] = "messages"
    start_worker(config=config, env=environment())
    batch = write_lines(folder / "in.jsonl", [
        chat_line("a"), {"custom_id": "b", "url": "/v1/responses",
                         "body": {"model": "m", "input": "say yes", "instructions": "be brief"}}])
    out = folder / "out.jsonl"
    done = client.run("run", batch, "--out-openai", out, "--no-start-worker")
    assert done.returncode == 0, done.stderr
    bodies = {line["custom_id"]: line["response"]["body"] for line in read_lines(out)}
    assert bodies["a"]["choices"][0]["message"]["content"] == "yes"
    assert bodies["b"]["output"][0]["content"][0]["text"] == "yes"
    assert read_lines(folder / "out.errors.jsonl") == []


def test_two_batches_may_use_the_same_custom_ids(spool, llm_worker, endpoint, client, folder):
    for text in ("say one", "say two"):
        batch = write_lines(folder / f"{text[4:]}.jsonl", [chat_line("request-1", text=text)])
        done = client.run("run", batch, "--no-start-worker")
        assert done.returncode == 0, done.stderr
    assert sorted(spool.response(stem)["data"]["text"] for stem in spool.responses()) == [
        "one", "two"]


def test_a_bad_openai_batch_costs_nothing(spool, llm_worker, endpoint, client, folder):
    batch = write_lines(folder / "in.jsonl", [
        chat_line("a"), chat_line("a", text="other"), chat_line("s", stream=True),
        {"custom_id": "u", "url": "/v1/moderations", "body": {}}])
    done = client.run("run", batch, "--no-start-worker")
    assert done.returncode == 2
    for words in ("in.jsonl:2: 'a': the custom_id was used before, in", "in.jsonl:1",
                  "in.jsonl:3: /body/stream", "in.jsonl:4: /url: '/v1/moderations'"):
        assert words in done.stderr
    assert endpoint.calls() == [] and spool.requests() == set()


COUNTRIES = 'id,country\nfr,France\nit,"Italy, ""the boot"""\n'


def results(path):
    """(item, model, repeat) -> line"""
    lines = read_lines(path)
    found = {(m["item"], m["model"], m["repeat"]): line
             for line in lines for m in [line["metadata"]]}
    assert len(found) == len(lines)
    return found


@pytest.mark.core
def test_rows_prompts_models_and_repeats_multiply(spool, llm_worker, endpoint, client, folder):
    (folder / "rows.csv").write_text(COUNTRIES)
    (folder / "ask.txt").write_text("say {{country}} {{how}}\n")
    command = ["run", folder / "rows.csv", "--prompt", folder / "ask.txt", "--var", "how=now",
               "--model", "a,messages/b", "--repeat", "2", "--params", '{"temperature": 0}',
               "--out", folder / "out.jsonl", "--no-start-worker"]
    done = client.run(*command)
    assert done.returncode == 0, done.stderr
    found = results(folder / "out.jsonl")
    assert set(found) == {(item, model, repeat) for item in ("fr", "it") for model in "ab"
                          for repeat in (1, 2)}
    line = found["it", "b", 2]
    assert line["data"]["text"] == 'Italy, "the boot" now'
    assert line["data"]["provider"] == "messages"
    assert line["metadata"] == {
        "item": "it", "model": "b", "provider": "messages", "repeat": 2, "prompt": "ask",
        "vars": {"id": "it", "country": 'Italy, "the boot"', "how": "now"}}
    assert line["request_id"].startswith("it-")
    assert len(endpoint.calls()) == 8
    # Again, and with one more repeat: only what is new is asked.
    assert client.run(*command).returncode == 0 and len(endpoint.calls()) == 8
    command[command.index("--repeat") + 1] = "3"
    assert client.run(*command).returncode == 0 and len(endpoint.calls()) == 12
    # A changed prompt asks again; the answers to the old one stay.
    (folder / "ask.txt").write_text("say {{country}}")
    command[command.index("--var"):command.index("--var") + 2] = []
    assert client.run(*command).returncode == 0 and len(endpoint.calls()) == 24


def test_values_stay_values(spool, llm_worker, endpoint, client, folder):
    evil = '"}], "model": "other", "x": [{"a": "'
    write_lines(folder / "rows.jsonl", [{"q": evil, "heat": 0.5, "chat": [
        {"role": "user", "content": "say hi"}]}])
    (folder / "chat.json").write_text(json.dumps(
        {"model": "m", "system": "{{q}}", "messages": "{{chat|json}}",
         "temperature": "{{heat|json}}"}))
    done = client.run("run", folder / "rows.jsonl", "--template", folder / "chat.json", "--seed",
                      "4", "--out", folder / "out.jsonl", "--no-start-worker")
    assert done.returncode == 0, done.stderr
    [stem] = spool.requests()
    params = json.loads(spool.request(stem).read_text())["params"]
    assert params == {"model": "m", "system": evil, "temperature": 0.5, "seed": 4,
                      "messages": [{"role": "user", "content": "say hi"}]}


@pytest.mark.parametrize("rows, prompt, words", [
    ("id,q\na,x\n\nb\n", "{{q}}", ["rows.csv:4: has 1 field; there are 2 columns"]),
    ("id,q\na,x\n", "{{p}}", ["rows.csv:2: variable 'p' is missing; there are: id, q"]),
    ("id,q\na,x\na,y\n", "{{q}}", ["rows.csv:3: 'a': the id was used before", "rows.csv:2"]),
    ('id,q\na,"x\n', "{{q}}", ["rows.csv:2: a quote is opened and not closed"]),
    ("id,q\na,x\n", "{{q", ["rows.csv:2: '{{q' is not closed"]),
])
def test_what_is_wrong_with_a_row_is_told_with_its_line(
        spool, client, folder, rows, prompt, words):
    (folder / "rows.csv").write_text(rows)
    (folder / "ask.txt").write_text(prompt)
    done = client.run("run", folder / "rows.csv", "--prompt", folder / "ask.txt", "--model", "m")
    assert done.returncode == 2 and spool.requests() == set()
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("options, words", [
    ([], "rows of variables need --prompt or --template"),
    (["--prompt", "ask.txt", "--prompt", "ask.txt"], "two prompts are called 'ask'"),
    (["--prompt", "ask.txt", "--model", "a,a"], "'a' is listed twice"),
    (["--prompt", "ask.txt", "--var", "x"], "--var: 'x' names no value"),
    (["--prompt", "none.txt"], "none.txt"),
    (["--template", "bad.json"], "places}} stand inside of strings"),
    (["--prompt", "ask.txt", "--format", "requests"], "with a template, rows are variables"),
])
def test_options_that_do_not_fit_are_told(spool, client, folder, options, words):
    (folder / "rows.csv").write_text(COUNTRIES)
    (folder / "ask.txt").write_text("{{country}}")
    (folder / "bad.json").write_text('{"temperature": {{t}}}')
    options = [folder / o if o.endswith((".txt", ".json")) else o for o in options]
    done = client.run("run", folder / "rows.csv", *options)
    assert done.returncode == 2 and words in done.stderr
