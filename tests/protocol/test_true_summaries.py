# SPDX-License-Identifier: MIT
"""What a run says at its end holds in the root: responses that are gone, limits, other clients."""

import json

import jsonschema
import pytest

from fake_worker import error, success
from harness import QUICK_RETRIES, TOP, Client, wait_until

RUN = ("run", "--no-start-worker", *QUICK_RETRIES)
SCHEMA = json.loads((TOP / "ipc-schema/schema/run_summary.schema.json").read_text())


def summary_of(done):
    summary = json.loads(done.stdout)
    jsonschema.validate(summary, SCHEMA)
    return summary


def test_a_run_says_which_responses_of_earlier_runs_are_gone(spool, client, fake):
    """It called them successes and exited with 0."""
    fake()
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(3)])
    assert client.run(*RUN, batch).returncode == 0
    assert "missing" not in client.run(*RUN, batch).stdout
    spool.request("r0").unlink()  # Else its response would be asked for again.
    spool.response_path("r0").unlink()
    done = client.run(*RUN, batch)
    assert done.returncode == 1 and "missing   1 response" in done.stdout, done.stdout
    assert client.run("gc", "--older-than", "0s").returncode == 0
    done = client.run(*RUN, batch)
    assert done.returncode == 1 and "missing   3 responses" in done.stdout, done.stdout
    assert "3 responses are" in done.stderr and "--fresh" in done.stderr
    quiet = client.run(*RUN, batch, "--quiet")
    assert (quiet.returncode, quiet.stdout) == (1, "") and "3 responses are" in quiet.stderr
    done = client.run(*RUN, batch, "--json")
    assert done.returncode == 1 and summary_of(done)["responses_missing"] == 3
    done = client.run("report")
    assert done.returncode == 1 and "3 requests, 3 ended" in done.stdout, done.stdout
    fresh = client.run(*RUN, batch, "--fresh", "--json")
    assert fresh.returncode == 0 and "responses_missing" not in summary_of(fresh)


def test_what_came_from_a_cache_is_not_gone(client, fake, folder):
    fake(lambda request, attempt: success({"text": "x", "finish_reason": "stop"}))
    line = {"command": "llm.chat", "params": {
        "model": "m", "temperature": 0, "messages": [{"role": "user", "content": "x"}]}}
    cache = ("--cache", folder / "cache")
    batch = client.batch({"request_id": "a", **line})
    assert client.run(*RUN, *cache, batch).returncode == 0
    other = client.batch({"request_id": "b", **line})
    assert summary_of(client.run(*RUN, *cache, other, "--json"))["cached"] == 1
    report = json.loads(client.run("report", "--json").stdout)
    assert report["cached"] == 1 and report["all"]["run_ms"]["count"] == 0
    assert [item["cached"] for item in report["items"]] == [True]
    again = client.run(*RUN, *cache, other)
    assert again.returncode == 0 and "missing" not in again.stdout, again.stdout


def test_a_limit_counts_no_attempt_that_the_run_has_yet_to_take(client, spool, fake):
    """After `retry` a worker answered first: `stopped: 1 request was given up` stood beside
    `gave up 0`, and what had ended behind it was not counted."""
    fake(lambda request, attempt: error(retryable=False) if request["request_id"] == "f"
         else success())
    echo = {"command": "system.echo", "params": {}}
    batch = client.batch({**echo, "request_id": "f"},
                         {**echo, "request_id": "g", "after": ["f"]},
                         {**echo, "request_id": "h", "after": ["f"],
                          "after_any": "end"},
                         {**echo, "request_id": "i"})
    assert client.run(*RUN, batch).returncode == 1
    assert client.run("retry", "f", "g").returncode == 0
    wait_until(lambda: (spool.response("f") or {}).get("status") == "error", "f is answered")
    done = client.run(*RUN, batch, "--max-errors", "1", "--json")
    summary = summary_of(done)
    assert done.returncode == 5 and summary["stopped_by"].startswith("1 request was given up")
    assert summary["counts"]["GAVE_UP"] == 1 and summary["requests"] == 4, summary
    # h ended before, behind f; g was answered or is left.
    assert summary["counts"]["SUCCESS"] >= 2, summary
    status = client.status()["counts"]
    assert summary["counts"]["GAVE_UP"] == status["GAVE_UP"], status


def test_a_quiet_run_counts_the_whole_batch(client, fake):
    fake(lambda request, attempt: error(retryable=False))
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(4)])
    done = client.run(*RUN, batch, "--quiet", "--max-errors", "1", "--window", "1")
    assert done.returncode == 5
    assert "1 of 4 requests given up, 3 not ended" in done.stderr, done.stderr


def test_what_another_filecall_asked_meanwhile_did_not_end_before(spool, folder, client, fake):
    def answer(request, attempt):
        wait_until((folder / "go").exists, "both wait")
        return success()

    fake(answer)
    batch = client.batch(("a", "system.echo"))
    one = client.start(*RUN, batch)
    wait_until(lambda: "a" in spool.requests(), "it is asked")
    two = Client(spool, folder).start(*RUN, batch, "--json")
    logs = lambda: [log.read_text() for log in folder.glob("client-*.log")]  # noqa: E731
    wait_until(lambda: any("another filecall drives it" in text for text in logs()), "it follows")
    (folder / "go").touch()
    assert one.wait(60) == 0 and two.wait(60) == 0
    line = next(line for text in logs() for line in text.splitlines()
                if '"from_earlier_runs"' in line)
    summary = json.loads(line)
    assert (summary["followed"], summary["from_earlier_runs"]) == (1, 0)
    assert any("asked by another filecall meanwhile" in text for text in logs()), logs()


FAILED = {"answer": {"model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}, "cost": 0.01}}


def test_what_a_worker_answered_between_two_retries_was_paid_for(client, spool, fake):
    """The second one removed a response that no client had counted."""
    fake(lambda request, attempt: error(retryable=False, error_details=FAILED))
    batch = client.batch({"request_id": "a", "command": "llm.chat", "params": {"model": "m"}})
    assert client.run(*RUN, batch).returncode == 1
    for attempt in range(2):
        assert client.run("retry", "a").returncode == 0
        wait_until(lambda: spool.response("a") is not None, "it is answered again")
    done = client.run(*RUN, batch, "--json")
    assert done.returncode == 1
    spend = summary_of(done)["spend"]
    assert spend["calls"] == 3 and spend["cost"] == pytest.approx(0.03), spend


def test_what_was_retried_without_a_price_is_priced_by_the_next_run(client, spool, fake, folder):
    """Counted as a call without a price, it ended each run with --max-cost."""
    unpriced = {"answer": {**FAILED["answer"], "cost": None}}
    fake(lambda request, attempt: error(retryable=False, error_details=unpriced))
    batch = client.batch({"request_id": "a", "command": "llm.chat", "params": {"model": "m"}})
    assert client.run(*RUN, batch).returncode == 1
    assert client.run("retry", "a").returncode == 0
    wait_until(lambda: spool.response("a") is not None, "it is answered again")
    (folder / "prices.json").write_text('{"m": {"input": 1000, "output": 1000}}')
    done = client.run(*RUN, batch, "--max-cost", "1", "--prices", folder / "prices.json", "--json")
    assert done.returncode == 1, done.stderr
    spend = summary_of(done)["spend"]
    assert spend["calls"] == 2 and spend["calls_without_price"] == 0, spend
    assert spend["cost"] == pytest.approx(0.004)


def test_a_price_that_is_given_later_counts(client, fake, folder):
    data = {"text": "x", "model": "m", "usage": {"input_tokens": 1000, "output_tokens": 0}}
    fake(lambda request, attempt: success(data))
    batch = client.batch(*({"request_id": name, "command": "llm.chat", "params": {"model": "m"}}
                           for name in "abc"))
    limited = (*RUN, batch, "--max-cost", "1", "--window", "1")
    assert client.run(*limited).returncode == 5
    (folder / "prices.json").write_text('{"m": {"input": 100}}')
    done = client.run(*limited, "--prices", folder / "prices.json", "--json")
    assert done.returncode == 0, done.stderr
    spend = summary_of(done)["spend"]
    assert spend["calls_without_price"] == 0 and spend["cost"] == pytest.approx(0.3), spend


def test_a_request_whose_file_is_gone_is_asked_again_by_its_batch(client, spool, fake):
    """retry said "drop it again", and the same run did not."""
    seen = []

    def script(request, attempt):
        seen.append(request["request_id"])
        return error(retryable=False) if len(seen) == 1 else success()

    fake(script)
    batch = client.batch({"request_id": "a", "command": "system.echo", "params": {}})
    assert client.run(*RUN, batch).returncode == 1
    (spool.root / "requests/a.json").unlink()
    (spool.root / "responses/a.json").unlink()
    refused = client.run("retry", "a", "--priority", "3")
    assert refused.returncode == 1 and "its batch asks it" in refused.stderr, refused.stdout
    done = client.run("retry", "a")
    assert done.returncode == 0 and "only the run of the batch asks it" in done.stdout, done.stderr
    done = client.run(*RUN, batch)
    assert done.returncode == 0 and seen == ["a", "a"], done.stderr
    assert not (spool.root / "failed/a.json").exists()
