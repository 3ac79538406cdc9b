# SPDX-License-Identifier: MIT
"""What a batch for language models may cost, what it is told to cost, and what it saves."""

import csv
import json

import pytest

from endpoint import environment
import evaluation
import harness
from harness import QUICK_RETRIES, wait_until
from llm_lines import chat_line, read_lines, write_lines


def priced(endpoint, **members):
    """A worker's configuration in which a call of the endpoint costs a cent or so."""
    prices = {"*": {"input": 1000, "output": 0, "cached_input": 1000}}
    return endpoint.config(prices=prices, **members)


def questions(folder, count, **body):
    return write_lines(folder / "in.jsonl",
                       [chat_line(f"q{i}", text=f"say {i}", **body) for i in range(count)])


@pytest.mark.core
@pytest.mark.parametrize("limit, higher, within", [
    (["--max-cost", "0.055"], ["--max-cost", "10"], 5),
    (["--max-tokens", "58"], ["--max-tokens", "999"], 4)])
def test_a_limit_stops_the_batch_and_a_higher_one_goes_on(
        spool, start_worker, endpoint, client, folder, limit, higher, within):
    """A call has 11 tokens of input, $0.011, and one of output; the client has no prices."""
    start_worker(config=priced(endpoint), env=environment())
    batch = questions(folder, 40)
    done = client.run("run", batch, *limit, "--json", "--no-start-worker")
    assert done.returncode == 5, done.stderr
    assert limit[0] in done.stderr and "requests are left" in done.stderr
    calls = len(endpoint.calls())
    # What a call may use is learned from those before it: all of the limit, and no more.
    assert calls == within
    summary = json.loads(done.stdout)
    assert summary["counts"]["SUCCESS"] == summary["spend"]["calls"] == calls
    assert summary["spend"]["cost"] == pytest.approx(0.011 * calls)
    assert limit[0] in summary["stopped_by"]
    # The same again: what was spent counts, so nothing begins.
    again = client.run("run", batch, *limit, "--no-start-worker")
    assert again.returncode == 5 and len(endpoint.calls()) == calls
    on = client.run("run", batch, *higher, "--json", "--no-start-worker")
    assert on.returncode == 0, on.stderr
    assert len(endpoint.calls()) == 40
    assert json.loads(on.stdout)["spend"]["calls"] == 40


def test_near_a_limit_few_calls_are_in_flight(spool, start_worker, endpoint, client, folder):
    start_worker(config=priced(endpoint, max_in_flight=100), env=environment())
    assert client.run("run", questions(folder, 10), "--no-start-worker").returncode == 0
    batch = write_lines(folder / "in.jsonl", [chat_line(f"q{i}", text=f"say {i}")
                                              for i in range(200)])
    done = client.run("run", batch, "--max-cost", "0.5", "--no-start-worker", "--json")
    assert done.returncode == 5
    # 0.5 / 0.011 is 45.5: the call that would pass the limit does not begin.
    assert len(endpoint.calls()) == 45


@pytest.mark.core
@pytest.mark.parametrize("model", ["m", "m;latency=20", "m;status=500;times=3"])
def test_a_limit_is_not_passed_whatever_is_in_flight(
        spool, start_worker, endpoint, client, folder, model):
    """Input and max_tokens are reserved by the price of the model before a call begins."""
    start_worker(config=endpoint.config(max_in_flight=100), env=environment())
    (folder / "prices.json").write_text('{"*": {"input": 1000, "output": 1000}}')
    batch = write_lines(folder / "in.jsonl", [
        chat_line(f"q{i}", model, text=f"say {i}", max_tokens=20) for i in range(200)])
    done = client.run("run", batch, "--max-cost", "0.6", "--prices", folder / "prices.json",
                      *QUICK_RETRIES, "--no-start-worker", "--json")
    assert done.returncode == 5, done.stderr
    summary = json.loads(done.stdout)
    # A call costs 0.012; the worst case of the last one does not fit any more.
    assert 0.5 <= summary["spend"]["cost"] <= 0.6
    assert len(endpoint.calls()) >= 40


def test_errors_stop_a_batch(spool, llm_worker, endpoint, client, folder):
    batch = write_lines(folder / "in.jsonl", [
        chat_line(f"q{i}", "m;status=400", text=f"say {i}") for i in range(50)])
    command = ["run", batch, "--max-errors", "3", "--window", "2", "--no-start-worker"]
    done = client.run(*command)
    assert done.returncode == 5 and "were given up (--max-errors 3)" in done.stderr
    calls = len(endpoint.calls())
    assert 3 <= calls <= 4
    assert client.run(*command).returncode == 5 and len(endpoint.calls()) == calls


def test_a_limit_leaves_retries_to_the_next_run(spool, start_worker, endpoint, client, folder):
    start_worker(config=priced(endpoint), env=environment())
    batch = write_lines(folder / "in.jsonl", [
        chat_line("later", "slow;status=503;times=1"), *[chat_line(f"q{i}", text=f"say {i}")
                                                         for i in range(20)]])
    done = client.run("run", batch, "--max-cost", "0.05", "--backoff", "1m", "--no-start-worker")
    assert done.returncode == 5, done.stderr
    [stem] = [stem for stem in spool.requests() if stem.startswith("later-")]
    assert client.state_of(stem) == "WAITING"
    on = client.run("run", batch, "--max-cost", "9", *QUICK_RETRIES, "--no-start-worker")
    assert on.returncode == 0, on.stderr
    assert client.state_of(stem) == "SUCCESS"


def test_a_cost_that_nobody_knows_cannot_be_limited(spool, llm_worker, endpoint, client, folder):
    batch = questions(folder, 20)
    done = client.run("run", batch, "--max-cost", "1", "--no-start-worker")
    assert done.returncode == 5 and "--prices" in done.stderr
    assert len(endpoint.calls()) == 1


def test_prices_can_be_the_clients(spool, llm_worker, endpoint, client, folder):
    (folder / "prices.json").write_text('{"m-2026": {"input": 1000, "cached_input": 0}}')
    done = client.run("run", questions(folder, 20), "--max-cost", "1", "--prices",
                      folder / "prices.json", "--no-start-worker", "--json")
    assert done.returncode == 0, done.stderr
    # Three of eleven tokens were cached.
    assert json.loads(done.stdout)["spend"]["cost"] == pytest.approx(20 * 8 / 1000)


@pytest.mark.core
def test_an_answer_under_a_dated_name_costs_what_was_asked_for(
        spool, llm_worker, endpoint, client, folder):
    """m is answered by m-2026; n has no price."""
    prices = folder / "prices.json"
    prices.write_text('{"gpt": {"input": 1000, "aliases": ["m"]}}')
    batch = write_lines(folder / "in.jsonl", [
        chat_line("q1", text="say 1"), chat_line("q2", "n", text="say 2")])
    done = client.run("run", batch, "--prices", prices, "--report", folder / "report",
                      "--no-start-worker")
    assert done.returncode == 0, done.stderr
    assert "$0.011 and 1 call without a price" in done.stdout, done.stdout
    rows = {row["model"]: row for row in csv.DictReader(
        (folder / "report" / "results.csv").open())}
    assert float(rows["m"]["cost"]) == pytest.approx(0.011) and rows["n"]["cost"] == "unknown"
    # What the run reckoned is known afterwards, and a later price file tells the rest.
    said = client.run("report").stdout
    assert "$0.01" in said and "unknown" in said, said
    prices.write_text('{"m-2026": {"input": 1}, "n": {"input": 2000}}')
    rows = json.loads(client.run("report", "--json", "--prices", prices).stdout)["groups"]
    assert {row["model"]: row["usage"]["cost"] for row in rows} == {
        "m": pytest.approx(0.011), "n": pytest.approx(0.022)}


def test_a_cost_that_nobody_knows_is_not_zero(spool, llm_worker, endpoint, client, folder):
    done = client.run("run", questions(folder, 2), "--no-start-worker")
    assert done.returncode == 0 and "unknown: 2 calls without a price" in done.stdout, done.stdout
    assert "$0" not in done.stdout
    said = client.run("report").stdout
    assert "unknown" in said and "$0" not in said, said
    [model] = json.loads(client.run("report", "--json").stdout)["groups"]
    assert model["usage"]["cost"] is None and model["usage"]["answers_without_price"] == 2


def test_an_answer_that_did_not_fit_its_schema_was_paid_for(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=priced(endpoint), env=environment())
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}}
    batch = questions(folder, 1, response_format=schema)
    done = client.run("run", batch, "--json", "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 1
    spend = json.loads(done.stdout)["spend"]
    assert spend["calls"] == len(endpoint.calls()) == 3
    usage = json.loads(client.run("report", "--json").stdout)["all"]["usage"]
    assert usage["cost"] == pytest.approx(spend["cost"]) and usage["answers_without_price"] == 0
    assert [usage[name] for name in ("input_tokens", "output_tokens")] == [
        spend[name] for name in ("input_tokens", "output_tokens")], "all three were paid"


@pytest.mark.core
@pytest.mark.parametrize("victim", ["client", "worker"])
def test_after_a_kill_no_paid_call_is_repeated_but_those_in_flight(
        spool, start_worker, endpoint, client, folder, victim):
    config = priced(endpoint, max_in_flight=4)
    worker = start_worker(config=config, env=environment())
    batch = write_lines(folder / "in.jsonl", [
        chat_line(f"q{i}", "m;latency=20", text=f"say {i}") for i in range(60)])
    command = ("run", batch, "--window", "8", "--no-start-worker", "--max-cost", "50")
    run = client.start(*command)
    wait_until(lambda: len(endpoint.calls()) >= 20, "the batch is on its way")
    if victim == "client":
        run.kill()
        run.wait()
    else:
        worker.kill()
        start_worker(config=config, env=environment())
    if victim == "client":
        done = client.run(*command, "--json")
        assert done.returncode == 0, done.stderr
        # The worker goes on alone: an answer that was there is never asked for again.
        assert len(endpoint.calls()) == 60
        assert json.loads(done.stdout)["spend"]["calls"] == 60
    else:
        assert run.wait(60) == 0
        assert 60 <= len(endpoint.calls()) <= 64
    done = client.run(*command, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["spend"]["cost"] == pytest.approx(60 * 0.011)


def test_a_dry_run_tells_the_plan_and_drops_nothing(spool, start_worker, endpoint, client, folder):
    batch = write_lines(folder / "in.jsonl", [
        chat_line("a", text="x" * 400, max_completion_tokens=100),
        chat_line("b", "other", text="y" * 4000)])
    (folder / "prices.json").write_text('{"m": {"input": 10, "output": 1000}}')
    command = ["run", batch, "--dry-run", "--json", "--prices", folder / "prices.json"]
    done = client.run(*command)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert (plan["requests"], plan["ended"], plan["left"]) == (2, 0, 2)
    chosen, other = sorted(plan["asks"], key=lambda row: row["name"])
    assert chosen["tokens"]["most"] == chosen["tokens"]["least"] + 100
    assert 100 <= chosen["tokens"]["least"] < 110
    assert chosen["cost"]["most"] == pytest.approx(chosen["cost"]["least"] + 0.1)
    assert other["cost"] is None and other["tokens"]["most"] is None
    assert plan["first_request"]["metadata"]["item"] == "a"
    assert spool.requests() == set() and not (spool.root / "client").exists()
    text = client.run("run", batch, "--dry-run").stdout
    assert "nothing was dropped" in text and "no price" in text and "or more" in text

    # With answers, it rests on them, and only what is left is counted.
    start_worker(config=priced(endpoint), env=environment())
    assert client.run("run", batch, "--no-start-worker").returncode == 0
    with batch.open("a") as file:
        file.write(json.dumps(chat_line("c")) + "\n")
    plan = json.loads(client.run(*command).stdout)
    assert plan["left"] == 1
    row = next(row for row in plan["asks"] if row["name"] == "m")
    assert row["cost"] == {"least": pytest.approx(0.011), "most": pytest.approx(0.011)}
    assert len(endpoint.calls()) == 2


def test_progress_for_programs_tells_cost_and_providers(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=priced(endpoint, max_in_flight=2), env=environment())
    batch = write_lines(folder / "in.jsonl", [
        chat_line(f"q{i}", "m;latency=200", text=f"say {i}") for i in range(30)])
    done = client.run("run", batch, "--no-start-worker", "--json")
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert lines, "a batch of three seconds tells when a tenth more is done"
    last = lines[-1]
    assert last["total"] == 30 and 0 < last["ended"] <= 30
    assert last["cost"] == pytest.approx(0.011 * last["ended"])
    assert last["cost_projected"] == pytest.approx(0.33)
    # The worker's status is a heartbeat behind: the last line may show nobody at work.
    lanes = [lane for line in lines for lane in line["destinations"]]
    assert {lane["name"] for lane in lanes} == {"llm.chat"}
    assert all(0 < lane["window"] <= 2 for lane in lanes)


def test_what_was_answered_before_comes_from_the_cache(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=priced(endpoint), env=environment())
    batch = write_lines(folder / "in.jsonl", [
        chat_line("same", text="say yes", temperature=0), chat_line("free", text="say yes"),
        chat_line("cut", "m;finish=length", temperature=0),
        chat_line("broken", "m;status=400", temperature=0),
        {"custom_id": "vector", "url": "/v1/embeddings", "body": {"model": "e", "input": "a"}}])
    cache = folder / "cache"
    out = folder / "out.jsonl"

    def run(root):
        other = harness.Client(harness.Spool(folder / root), folder)
        start = start_worker(config=priced(endpoint), env=environment(), spools=[other.spool])
        done = other.run("run", batch, "--cache", cache, "--out", out, "--json", "--backoff", "1ms",
                         "--no-start-worker")
        start.stop()
        assert done.returncode == 1, done.stderr
        lines = {line["metadata"]["item"]: line for line in read_lines(out) if "metadata" in line}
        return other, json.loads(done.stdout), lines

    _, first, _ = run("one")
    assert first["cached"] == 0 and first["spend"]["calls"] == 4
    calls = len(endpoint.calls())
    other, second, lines = run("two")
    assert len(endpoint.calls()) == calls + 3, "free, cut and broken are asked again"
    assert second["cached"] == 2 and second["spend"]["calls"] == 2
    assert {item for item, line in lines.items() if line.get("cached")} == {"same", "vector"}
    hit = lines["same"]
    assert hit["data"]["text"] == "yes" and hit["data"]["cost"] == 0
    stem = hit["request_id"]
    assert stem not in other.spool.requests() | other.spool.responses()
    shown = json.loads(other.run("show", stem, "--json").stdout)
    assert shown["state"] == "SUCCESS" and shown["response"]["data"]["text"] == "yes"
    assert shown["response"]["request"]["params"]["temperature"] == 0
    # Run again: it has ended, and its answer is still there.
    again = other.run("run", batch, "--out", out, "--no-start-worker")
    assert again.returncode == 1 and len(endpoint.calls()) == calls + 3
    lines = {line["request_id"]: line for line in read_lines(out)}
    assert lines[stem]["data"]["text"] == "yes" and lines[stem]["cached"]
    assert other.run("gc", "--older-than", "0s").returncode == 0
    assert not (other.spool.root / "client" / "answers" / f"{stem}.json").exists()


def test_repeats_do_not_answer_each_other_and_damage_is_set_aside(
        spool, llm_worker, endpoint, client, folder):
    cache = folder / "cache"
    (folder / "rows.jsonl").write_text('{"id": "a"}\n')
    (folder / "ask.txt").write_text("say yes")
    command = ["run", folder / "rows.jsonl", "--prompt", folder / "ask.txt", "--repeat", "3",
               "--model", "m", "--cache", cache, "--no-start-worker", "--params"]
    assert client.run(*command, '{"temperature": 0}').returncode == 0
    assert len(endpoint.calls()) == 3
    entries = sorted(cache.glob("*/*.json"))
    assert len(entries) == 3
    # Another name of the row is another request, but the same question.
    (folder / "rows.jsonl").write_text('{"id": "b"}\n')
    entries[0].write_text('{"asked"')
    done = client.run(*command, '{"temperature": 0}')
    assert done.returncode == 0 and len(endpoint.calls()) == 4
    assert "is not an entry; kept as" in done.stderr
    assert entries[0].with_suffix(".json.damaged").read_text() == '{"asked"'
    assert json.loads(entries[0].read_text())["data"]["text"] == "yes"


def test_an_answer_from_the_cache_is_evaluated_as_any_other(
        spool, llm_worker, endpoint, client, folder):
    (folder / "rows.jsonl").write_text('{"id": "a", "expected": "yes"}\n')
    (folder / "ask.txt").write_text("say yes")
    (folder / "spec.yaml").write_text(
        "name: check\ngraders:\n  - {kind: exact, expected_var: expected}\n")
    command = ["run", folder / "rows.jsonl", "--prompt", folder / "ask.txt", "--model", "m",
               "--params", '{"temperature": 0}', "--cache", folder / "cache", "--no-start-worker"]
    assert client.run(*command).returncode == 0
    # Another name of the row: another request, which the cache answers.
    (folder / "rows.jsonl").write_text('{"id": "b", "expected": "yes"}\n')
    assert client.run(*command).returncode == 0 and len(endpoint.calls()) == 1
    done = client.run("eval", folder / "spec.yaml", "--no-start-worker")
    assert done.returncode == 0, done.stderr
    [hit] = [path.stem for path in (spool.root / "client" / "answers").glob("*.json")]
    assert hit not in spool.responses()
    record = evaluation.of(spool, hit, "check")
    assert record["score"] == 1 and record["item"] == "b"
