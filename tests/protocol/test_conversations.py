# SPDX-License-Identifier: MIT
"""Conversations of several turns: driven, resumed, given up, with tools and images."""

import base64
import json

import jsonschema
import pytest

from endpoint import environment
from harness import QUICK_RETRIES, TOP
from llm_lines import read_lines, write_lines
from talk_endpoint import TalkEndpoint

TOOLS = {"tool": {"allow": ["echo"], "tools": {"look": {
    "description": "Looks up a city.", "argv": ["echo", "18 in", "{city}"], "effects": "none",
    "args": {"type": "object", "required": ["city"],
             "properties": {"city": {"type": "string"}}}}}}}
PARIS = 'call look {"city": "Paris"}'


@pytest.fixture
def talk():
    started = TalkEndpoint()
    yield started
    started.stop()


@pytest.fixture
def talk_worker(start_worker, talk):
    return start_worker(config=talk.config(**TOOLS), env=environment())


@pytest.fixture
def ask(folder, client):
    """ask(rows, *options, template=) -> (what ended, the lines of --out by item)"""
    def run(rows, *options, **template):
        write_lines(folder / "rows.jsonl", rows)
        (folder / "talk.json").write_text(json.dumps(
            {"model": "m", "turns": "{{turns|json}}", **template}))
        done = client.run("run", folder / "rows.jsonl", "--template", folder / "talk.json",
                          "--out", folder / "out.jsonl", "--no-start-worker", *QUICK_RETRIES,
                          *options)
        lines = read_lines(folder / "out.jsonl") if (folder / "out.jsonl").exists() else []
        return done, {line["metadata"]["item"]: line for line in lines}
    return run


@pytest.mark.core
@pytest.mark.parametrize("provider", ["chat", "messages"])
def test_each_turn_sees_all_that_was_said_before(provider, talk, talk_worker, ask):
    done, found = ask([{"id": "a", "turns": ["say One", "say Two", "say Three"]}],
                      provider=provider, system="be brief", max_tokens=50)
    assert done.returncode == 0, done.stderr
    line = found["a"]
    assert [turn["answer"] for turn in line["turns"]] == ["One", "Two", "Three"]
    assert line["data"]["text"] == "Three" and line["state"] == "SUCCESS"
    said = [("user", "say One"), ("assistant", "One"), ("user", "say Two"), ("assistant", "Two"),
            ("user", "say Three")]
    assert talk.calls == [[("system", "be brief"), *said[:n]] for n in (1, 3, 5)]
    assert "1 of 1 conversation ended; 3 turns" in done.stdout

    again, found = ask([{"id": "a", "turns": ["say One", "say Two", "say Three"]}],
                       provider=provider, system="be brief", max_tokens=50)
    assert again.returncode == 0 and len(talk.calls) == 3
    assert found["a"]["turns"] == line["turns"]


def test_an_edited_turn_asks_only_what_follows_it(talk, talk_worker, ask):
    ask([{"id": "a", "turns": ["say One", "say Two"]}])
    done, found = ask([{"id": "a", "turns": ["say One", "say Other", "say Three"]}])
    assert done.returncode == 0, done.stderr
    assert [call[-1] for call in talk.calls] == [
        ("user", "say One"), ("user", "say Two"), ("user", "say Other"), ("user", "say Three")]
    assert [turn["answer"] for turn in found["a"]["turns"]] == ["One", "Other", "Three"]


def test_a_difference_of_runs_shows_the_edited_turn(talk, talk_worker, ask, client):
    ask([{"id": "a", "turns": ["say One", "say Two"]}, {"id": "b", "turns": ["say One"]}])
    ask([{"id": "a", "turns": ["say One", "say Other", "say Three"]},
         {"id": "b", "turns": ["say One"]}])
    done = client.run("runs", "diff", "previous", "latest", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(
        (TOP / "ipc-schema/schema/run_difference.schema.json").read_text()))
    assert found["other_conversations"]["count"] == 1 and found["in_both"] == 2
    [change] = found["other_conversations"]["changes"]
    assert change["other"] == [] and change["turns"] == [
        {"turn": 2, "a": "say Two", "b": "say Other"}, {"turn": 3, "a": None, "b": "say Three"}]
    text = client.run("runs", "diff", "previous", "latest").stdout
    assert "with other turns       1" in text and ", turn 2:\n- say Two\n+ say Other\n" in text


def test_a_prompt_is_the_first_turn_and_a_column_has_those_after_it(talk, talk_worker, client,
                                                                    folder):
    (folder / "rows.csv").write_text('id,city,more\nfr,Paris,"[""say Two""]"\n')
    (folder / "ask.txt").write_text("say {{city}}\n")
    done = client.run("run", folder / "rows.csv", "--prompt", folder / "ask.txt", "--turns", "more",
                      "--model", "m", "--no-start-worker", "--out", folder / "out.jsonl")
    assert done.returncode == 0, done.stderr
    [line] = read_lines(folder / "out.jsonl")
    assert [turn["answer"] for turn in line["turns"]] == ["Paris", "Two"]


@pytest.mark.core
@pytest.mark.parametrize("provider", ["chat", "messages"])
def test_declared_tools_run_and_rows_answer_for_others(provider, spool, talk, talk_worker, ask):
    rows = [{"id": "a", "turns": [PARIS, 'call find {"name": "x"}', "call none {}",
                                  'call look {"town": 1}', "say Done"],
             "results": {"find": [{"when": {"name": "x"}, "result": {"age": 7}}]}}]
    done, found = ask(rows, provider=provider, tools=["look"], tool_results="{{results|json}}",
                      max_tokens=50)
    assert done.returncode == 0, done.stderr
    turns = found["a"]["turns"]
    assert turns[0]["answer"].split() == ["got", "18", "in", "Paris"]
    assert turns[0]["tool_calls"][0]["name"] == "look"
    assert turns[1]["answer"] == 'got {"age":7}'
    assert "there is no tool 'none'; there are: look, find" in turns[2]["answer"]
    assert "the arguments are wrong" in turns[3]["answer"] and turns[4]["answer"] == "Done"
    ran = [stem for stem in spool.requests() if ".c1-" in stem]
    assert len(ran) == 1
    assert "5 turns, 4 tool calls (2 answered with an error)" in done.stdout
    [function] = [tool.get("function") or tool for tool in talk.bodies[0]["tools"]]
    assert function["name"] == "look" and function["description"] == "Looks up a city."


def test_a_tool_that_fails_is_told_to_the_model_and_gives_nothing_up(talk, start_worker, ask):
    tools = json.loads(json.dumps(TOOLS))
    tools["tool"]["tools"]["look"]["argv"] = ["false", "{city}"]
    tools["tool"]["tools"]["look"]["check"] = True
    start_worker(config=talk.config(**tools), env=environment())
    done, found = ask([{"id": "a", "turns": [PARIS, "say Two"]}], "--attempts", "1",
                      tools=["look"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert found["a"]["turns"][0]["tool_calls"][0]["is_error"] is True
    assert found["a"]["turns"][1]["answer"] == "Two"


def test_a_failed_turn_gives_up_the_rest_and_is_counted_once(talk, talk_worker, ask, client):
    done, found = ask([{"id": "good", "turns": ["say One", "say Two"]},
                       {"id": "bad", "turns": ["say One", "fail 400", "say Three"]}])
    assert done.returncode == 1
    assert found["bad"]["state"] == "GAVE_UP"
    assert found["bad"]["error_message"].startswith("turn 2: ")
    assert [turn.get("answer") for turn in found["bad"]["turns"]] == ["One", None]
    assert "1 of 2 conversations ended, 1 given up" in done.stdout
    assert "4 of 4 requests ended" in done.stdout
    assert done.stdout.count("turn 2: ") == 1 and "bad-" in done.stdout
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["all"]["requests"] == 2 and report["all"]["counts"]["error"] == 1
    assert report["all"]["counts"]["answered"] == 1
    # First turns alone were counted, which both had succeeded.
    shown = json.loads(client.run("runs", "show", "latest", "--json").stdout)
    assert (shown["states"]["SUCCESS"], shown["states"]["GAVE_UP"]) == (1, 1)
    text = client.run("runs", "show", "latest").stdout
    assert "2 conversations: 1 SUCCESS, 1 GAVE_UP" in text, text
    assert "2 conversations" in client.run("runs", "list").stdout


@pytest.mark.parametrize("misfits, code", [(1, 0), (9, 1)])
def test_every_call_of_a_conversation_was_paid_for(start_worker, ask, client, folder, misfits,
                                                   code):
    """An answer that did not fit its schema was asked for again, or gave the conversation up."""
    def reply(text, tokens):
        return {"text": text, "usage": {"input_tokens": tokens, "output_tokens": 1}}

    script = write_lines(folder / "demo.jsonl", [
        {"first": misfits, "when": {"turn": 2}, "reply": reply("no JSON", 20)},
        {"reply": reply("{}", 10)}])
    start_worker(config={"llm": {"providers": {"demo": {
        "kind": "script", "script": str(script), "models": ["m"]}}}})
    prices = folder / "prices.json"
    prices.write_text('{"m": {"input": 1000, "output": 0}}')
    done, _ = ask([{"id": "a", "turns": ["say One", "say Two"]}], "--prices", prices, "--json",
                  response_format={"type": "json_schema", "json_schema": {
                      "name": "n", "schema": {"type": "object"}}})
    assert done.returncode == code, done.stderr
    spend = json.loads(done.stdout)["spend"]
    assert spend["cost"] == pytest.approx(0.04 if code == 0 else 0.07)
    usage = json.loads(client.run("report", "--json").stdout)["all"]["usage"]
    assert usage["cost"] == pytest.approx(spend["cost"]) and usage["answers_without_price"] == 0
    assert [usage[name] for name in ("input_tokens", "output_tokens")] == [
        spend[name] for name in ("input_tokens", "output_tokens")]


def test_rounds_of_tools_are_bounded(talk, talk_worker, ask):
    done, found = ask([{"id": "a", "turns": ["call none {}\nagain", "say Two"]}],
                      max_tool_rounds=2)
    assert done.returncode == 1
    assert "the model called tools again after 2 rounds" in found["a"]["error_message"]
    assert len(talk.calls) == 3


def test_what_cannot_be_asked_is_refused_before_anything_is(spool, talk, talk_worker, ask):
    for rows, options, template, words in (
            ([{"id": "a", "turns": []}], [], {}, "turns: must be a list of texts"),
            ([{"id": "a", "turns": ["x", ""]}], [], {}, "turn 2: is empty"),
            ([{"id": "a", "turns": ["x"] * 3}], ["--max-turns", "2"], {}, "--max-turns 2"),
            ([{"id": "a"}], [], {}, "'turns' is missing"),
            ([{"id": "a", "turns": ["x"]}], [], {"n": 2}, "not with n above 1"),
            ([{"id": "a", "turns": ["x"]}], [], {"tools": ["lok"]}, "did you mean look")):
        done, _ = ask(rows, *options, **template)
        assert done.returncode == 2 and words in done.stderr, done.stderr
    assert talk.calls == [] and spool.requests() == set()


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def image_of(body):
    """The image that a request's first message of the user brought, as (type, data or URL)."""
    first = [message for message in body["messages"] if message["role"] == "user"][0]
    [part] = [part for part in first["content"] if part["type"] in ("image_url", "image")]
    if part["type"] == "image":
        source = part["source"]
        return source["media_type"], source["data"]
    kind, _, data = part["image_url"]["url"].partition(";base64,")
    return kind.removeprefix("data:"), data


@pytest.mark.parametrize("provider", ["chat", "messages"])
def test_an_image_beside_the_input_goes_to_the_model_in_every_turn(provider, talk, talk_worker, ask,
                                                                   folder, spool):
    (folder / "cat.png").write_bytes(PNG)
    done, found = ask([{"id": "a", "turns": ["say One", "say Two"], "photo": "cat.png"}],
                      "--image", "photo", provider=provider, max_tokens=50)
    assert done.returncode == 0, done.stderr
    encoded = base64.b64encode(PNG).decode()
    assert [image_of(body) for body in talk.bodies] == [("image/png", encoded)] * 2
    # Its bytes lie in the requests, not in the run's list or the results.
    [items] = spool.root.glob("runs/*.items.jsonl")
    assert encoded not in items.read_text() and "sha256:" in items.read_text()
    assert found["a"]["turns"][0]["user"] == "say One\n[image_url]"

    (folder / "cat.png").write_bytes(PNG + b"other")
    done, _ = ask([{"id": "a", "turns": ["say One", "say Two"], "photo": "cat.png"}],
                  "--image", "photo", provider=provider, max_tokens=50)
    assert done.returncode == 0 and len(talk.calls) == 4


def test_a_place_takes_an_image_or_a_url(talk, talk_worker, folder, client):
    (folder / "rows.jsonl").write_text(
        '{"id": "file", "photo": "cat.png"}\n{"id": "url", "photo": "https://example.org/c.png"}\n')
    (folder / "cat.png").write_bytes(PNG)
    (folder / "see.json").write_text(json.dumps({"model": "m", "messages": [{
        "role": "user", "content": [{"type": "text", "text": "say Cat"}, {
            "type": "image_url", "image_url": {"url": "{{ photo | image }}"}}]}]}))
    done = client.run("run", folder / "rows.jsonl", "--template", folder / "see.json",
                      "--no-start-worker")
    assert done.returncode == 0, done.stderr
    urls = sorted(body["messages"][0]["content"][1]["image_url"]["url"] for body in talk.bodies)
    assert urls == ["data:image/png;base64," + base64.b64encode(PNG).decode(),
                    "https://example.org/c.png"]


def test_what_is_no_image_is_refused_before_anything_is_asked(spool, talk, talk_worker, ask,
                                                              folder):
    (folder / "text.png").write_text("no image")
    (folder / "large.png").write_bytes(PNG + b"\0" * (5 * 1024 * 1024))
    (folder / "folder.png").mkdir()
    for photo, words in (("none.png", "none.png: no such file"), ("text.png", "is no PNG"),
                         ("large.png", "the largest image"), ("folder.png", "folder.png"),
                         ("", "names no file"), (None, "names no file")):
        done, _ = ask([{"id": "good", "turns": ["say One"], "photo": "https://example.org/a.png"},
                       {"id": "a", "turns": ["say One"], "photo": photo}], "--image", "photo")
        assert done.returncode == 2 and words in done.stderr, (photo, done.stderr)
        assert "rows.jsonl:2" in done.stderr
    assert talk.calls == [] and spool.requests() == set()


def test_graders_and_the_report_see_turns_and_calls(talk, talk_worker, ask, client, folder):
    ask([{"id": "a", "turns": [PARIS, "say Two"]}, {"id": "b", "turns": ["say One", "say Two"]}],
        tools=["look"])
    (folder / "spec.yaml").write_text(
        "name: talks\ngraders:\n"
        "- {kind: tool_called, name: looked, tool: look, arguments: {city: Paris}}\n"
        "- {kind: contains, name: first, expected: Paris, turn: 1}\n"
        "- {kind: exact, name: last, expected: Two}\n"
        "- {kind: regex, name: all, pattern: 'Paris[^$]*Two', turn: all}\n"
        "- {kind: exact, name: third, expected: Two, turn: 3}\n")
    done = client.run("eval", folder / "spec.yaml", "--json", "--no-start-worker")
    report = json.loads(client.run("report", "--format", "json").stdout)
    grades = {item["item"]: {grade["name"]: grade["score"] for grade in item["grades"]}
              for item in report["items"]}
    assert done.returncode in (0, 4), done.stderr
    assert grades["a"] == {"looked": 1, "first": 1, "last": 1, "all": 1, "third": None}
    assert grades["b"] == {"looked": 0, "first": 0, "last": 1, "all": 0, "third": None}
    [item] = [item for item in report["items"] if item["item"] == "a"]
    assert item["turns"][0]["tool_calls"][0]["result"].split() == ["18", "in", "Paris"]
    # Three calls of the model: one more than turns, after the tool.
    assert (item["input_tokens"], item["output_tokens"]) == (30, 15)
    mixed = json.loads(client.run("report", "--format", "json", "--mix").stdout)
    assert {item["request_id"] for item in mixed["items"]} == {
        item["request_id"] for item in report["items"]}
    shown = json.loads(client.run("show", item["turns"][1]["request_id"], "--json").stdout)
    assert shown["turns"] == item["turns"]
    text = client.run("show", item["request_id"]).stdout
    assert "[tool look]" in text and "[assistant]\nTwo" in text
    again = client.run("eval", folder / "spec.yaml", "--no-start-worker")
    assert again.stdout.startswith("talks: 2 requests ended (2 answered); run "), again.stdout


def test_a_judge_sees_the_calls_of_tools_and_their_results(talk, talk_worker, ask, client, folder):
    ask([{"id": "a", "turns": [PARIS, 'call look {"city": "Rome"}']}], tools=["look"])
    (folder / "spec.yaml").write_text(
        "name: looked\njudges: {main: {model: j}}\ngraders:\n"
        "- kind: judge\n  name: last\n  template: &template |\n"
        '    say {"reason": "r", "verdict": "pass"}\n    {{prompt}}{{answer}}\n'
        "- {kind: judge, name: first, template: *template, turn: 1}\n")
    asked = len(talk.calls)
    done = client.run("eval", folder / "spec.yaml", "--json", "--no-start-worker")
    assert done.returncode == 0, done.stdout + done.stderr
    shown = [messages[-1][1] for messages in talk.calls[asked:]]
    assert len(shown) == 2
    found = {}
    for text in shown:
        part = text.split("<<TOOL CALLS ")[1].split("<<END TOOL CALLS ")[0]
        calls = [json.loads(line) for line in part.splitlines()[1:]]
        found[len(calls)] = [(call["turn"], call["name"], call["arguments"]["city"],
                              call["result"].strip()) for call in calls]
        task = text.split("<<END TASK ")[0]
        assert "18 in" not in task.replace("got 18 in", ""), "a result stands in its part alone"
    paris, rome = (1, "look", "Paris", "18 in Paris"), (2, "look", "Rome", "18 in Rome")
    assert found == {1: [paris], 2: [paris, rome]}


def test_models_repeats_and_fresh_runs_each_have_conversations_of_their_own(talk, talk_worker, ask,
                                                                            client):
    rows = [{"id": "a", "turns": ["say One", "say Two"]}]
    done, _ = ask(rows, "--model", "m,messages/n", "--repeat", "2", max_tokens=50)
    assert done.returncode == 0, done.stderr
    assert "4 of 4 conversations ended; 8 turns" in done.stdout and len(talk.calls) == 8
    again, _ = ask(rows, "--model", "m,messages/n", "--repeat", "2", "--run-id", "2026-11-23",
                   max_tokens=50)
    assert again.returncode == 0 and len(talk.calls) == 16
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["all"]["requests"] == 4
    assert all(len(item["turns"]) == 2 for item in report["items"])


def test_turns_out_of_the_cache_cost_nothing_in_another_root(talk, talk_worker, ask,
                                                             client, folder, spool):
    rows = [{"id": "a", "turns": ["say One", PARIS, "say Two"]}]
    cache = ["--cache", folder / "cache"]
    done, found = ask(rows, *cache, temperature=0, tools=["look"])
    assert done.returncode == 0 and len(talk.calls) == 4
    for place in ("requests", "responses", "client/answers"):
        for file in (spool.root / place).glob("*.json"):
            file.unlink()
    (spool.root / "client/state.db").unlink()
    again, cached = ask(rows, *cache, temperature=0, tools=["look"])
    assert again.returncode == 0, again.stdout + again.stderr
    assert len(talk.calls) == 4
    assert cached["a"]["turns"] == found["a"]["turns"]
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["items"][0]["turns"] == found["a"]["turns"]
    assert report["items"][0]["outcome"] == "answered"


def test_judges_of_pairs_refuse_conversations(talk, talk_worker, ask, client, folder):
    ask([{"id": "a", "turns": ["say One", "say Two"]}], "--model", "m,n")
    (folder / "pairs.yaml").write_text(
        "name: p\njudges:\n  main: {model: m}\npairwise:\n  criteria: Which one is better?\n")
    calls = len(talk.calls)
    done = client.run("eval", folder / "pairs.yaml", "@model=m", "@model=n", "--no-start-worker")
    assert done.returncode == 2 and "is a conversation" in done.stderr, done.stderr
    assert len(talk.calls) == calls
