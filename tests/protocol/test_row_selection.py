# SPDX-License-Identifier: MIT
"""run asks a part of its rows: --filter, --sample, --limit; the run's record says which."""

import json

import pytest

from harness import QUICK_RETRIES
from llm_lines import chat_line, write_lines

RUN = ("--no-start-worker", *QUICK_RETRIES)


@pytest.fixture
def table(folder):
    path = folder / "rows.csv"
    path.write_text("id,lang,word\n" + "".join(
        f"r{n},{'de' if n % 2 else 'fr'},w{n}\n" for n in range(40)))
    prompt = folder / "prompt.txt"
    prompt.write_text("say {{word}}")
    return [path, "--prompt", prompt, "--model", "m"]


def asked(spool):
    return {json.loads(spool.request(stem).read_text())["metadata"]["item"]
            for stem in spool.requests()}


def latest(client):
    return json.loads(client.run("runs", "show", "latest", "--json").stdout)


@pytest.mark.core
def test_a_part_is_asked_and_recorded_and_the_rest_follows(spool, client, llm_worker, endpoint,
                                                           table):
    part = ["--filter", "lang=de", "--sample", "5", "--sample-seed", "3"]
    assert client.run("run", *table, *part, *RUN).returncode == 0
    first = asked(spool)
    assert len(first) == 5 and all(int(item[1:]) % 2 for item in first)
    setup = latest(client)["setup"]
    assert setup["selection"] == {"filter": ["lang=de"], "sample": 5, "sample_seed": 3}
    # The same again asks nothing, and a larger sample only what is new.
    assert client.run("run", *table, *part, *RUN).returncode == 0
    assert len(endpoint.calls()) == 5
    part[3] = "8"
    assert client.run("run", *table, *part, *RUN).returncode == 0
    assert len(endpoint.calls()) == 8 and first < asked(spool)
    report = client.run("report")
    assert "asked a part of its rows: filter lang=de, sample 8 (seed 3)" in report.stderr
    assert client.run("run", *table, *RUN).returncode == 0
    assert len(endpoint.calls()) == 40 and latest(client)["setup"].get("selection") is None


def test_a_limit_takes_the_first_rows_with_all_their_requests(spool, client, llm_worker, table):
    done = client.run("run", *table, "--limit", "3", "--repeat", "2", "--filter", "lang!=fr", *RUN)
    assert done.returncode == 0, done.stderr
    assert asked(spool) == {"r1", "r3", "r5"} and len(spool.requests()) == 6


def test_lines_of_requests_are_chosen_by_what_they_say(spool, client, llm_worker, folder):
    batch = write_lines(folder / "in.jsonl", [chat_line("a", "m1"), chat_line("b", "m2")])
    assert client.run("run", batch, "--filter", "body.model=m2", *RUN).returncode == 0
    assert asked(spool) == {"b"}


@pytest.mark.parametrize("options, words", [
    (["--filter", "langs=de"], "no row has 'langs'; did you mean lang?"),
    (["--filter", "lang=dee"], "none has lang=dee"),
    (["--filter", "lang=de", "--filter", "lang!=de"], "none has all of: lang=de, lang!=de"),
    (["--filter", "lang"], "write COLUMN=VALUE"),
    (["--sample-seed", "1"], "needs --sample"),
    (["--limit", "0"], "limit"),
])
def test_what_selects_nothing_on_purpose_is_refused(spool, client, table, options, words):
    done = client.run("run", *table, *options, "--no-start-worker")
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert not spool.requests()


def test_a_file_of_models_has_params_for_each(spool, client, llm_worker, folder, table):
    models = folder / "models.yaml"
    models.write_text("models:\n"
                      "  - {name: cold, model: chat/m, params: {temperature: 0}}\n"
                      "  - {name: warm, model: chat/m, params: {temperature: 1, max_tokens: 5}}\n")
    rows = [*table[:3], "--limit", "1", "--models", models, "--params", '{"max_tokens": 9}']
    assert client.run("run", *rows, *RUN).returncode == 0
    made = [json.loads(spool.request(stem).read_text()) for stem in spool.requests()]
    assert {r["metadata"]["model"]: r["params"]["temperature"] for r in made} == {
        "cold": 0, "warm": 1}
    assert {r["params"]["max_tokens"] for r in made} == {9, 5}
    assert {r["params"]["model"] for r in made} == {"m"}
    assert latest(client)["setup"]["models"][0] == {
        "name": "cold", "provider": "chat", "model": "m", "params": {"temperature": 0}}
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert {"cold", "warm"} <= set(json.dumps(report).replace('"', " ").split())
    refused = client.run("run", *rows, "--model", "x", *RUN)
    assert refused.returncode == 2 and "leave --model" in refused.stderr


def test_eval_grades_a_part_and_says_so(spool, client, llm_worker, table, spec):
    assert client.run("run", *table, "--repeat", "2", *RUN).returncode == 0
    path = spec({"kind": "regex", "name": "word", "pattern": "w"})
    done = client.run("eval", "--no-start-worker", path, "--json", "--filter", "lang=de",
                      "--sample", "4", "--limit", "3")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["selection"] == {"command": "llm.chat", "not_selected": 74,
                                 "filter": ["lang=de"], "sample": 4, "sample_seed": 0, "limit": 3}
    assert "graded a part of the rows: filter lang=de" in done.stderr
    wrong = client.run("eval", "--no-start-worker", path, "--filter", "language=de")
    assert wrong.returncode == 2 and "no row of the run has 'language'" in wrong.stderr
