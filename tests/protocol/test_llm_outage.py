# SPDX-License-Identifier: MIT
"""Providers that are away for a while, and that say when to come back: nothing is given up."""

import json

import pytest

from endpoint import environment
from harness import wait_until
from llm_lines import chat_line, write_lines

ATTEMPTS = ("--attempts", "2", "--backoff", "10ms", "--no-start-worker", "--json")


def questions(folder, count, model="m"):
    return write_lines(folder / "in.jsonl",
                       [chat_line(f"q{i}", model, text=f"say {i}") for i in range(count)])


def problem(spool):
    lanes = {d["name"]: d for d in spool.status().get("destinations", [])}
    return lanes.get("llm.chat", {}).get("problem", "nothing is said")


@pytest.mark.core
def test_a_provider_that_is_away_costs_no_attempts(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=endpoint.config(), env=environment())
    endpoint.stop()
    run = client.start("run", questions(folder, 30), *ATTEMPTS)
    wait_until(lambda: sum(r["state"] == "WAITING" for r in client.status()["requests"]) == 30,
               "all wait")
    wait_until(lambda: "cannot be reached" in problem(spool), "the status says so")
    assert run.poll() is None
    endpoint.start_again()
    assert run.wait(timeout=120) == 0
    assert len(endpoint.calls()) == 30, "no call was repeated that had an answer"
    wait_until(lambda: problem(spool) == "", "the status says that it is back")


def test_an_outage_is_waited_for_no_longer_than_asked(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=endpoint.config(), env=environment())
    endpoint.stop()
    done = client.run("run", questions(folder, 3), *ATTEMPTS, "--max-outage", "0s")
    assert done.returncode == 1 and json.loads(done.stdout)["counts"]["GAVE_UP"] == 3
    response = json.loads((spool.root / "failed").glob("*.json").__next__().read_text())
    details = response["error_details"]
    assert details["outage_ms"] >= 0 and details["class"] in ("connect", "outage")


@pytest.mark.parametrize("script", [
    "status=429;times=4", "status=503;retry_after_ms=10;times=4",
    "status=529;retry_after_ms=10;times=4"])
def test_a_limit_is_a_pause_and_no_failed_attempt(
        spool, llm_worker, endpoint, client, folder, script):
    done = client.run("run", questions(folder, 1, f"m;{script}"), *ATTEMPTS,
                      "--backoff-max", "20ms")
    assert done.returncode == 0, done.stderr
    assert len(endpoint.calls()) == 5


@pytest.mark.parametrize("script", ["status=502", "fault=empty", "fault=reset"])
def test_a_gateway_that_is_down_is_an_outage(
        spool, start_worker, endpoint, client, folder, script):
    """Two of its answers count as attempts; then it is believed."""
    start_worker(config=endpoint.config(max_in_flight=1), env=environment())
    done = client.run("run", questions(folder, 4, f"m;{script};times=5"), *ATTEMPTS)
    assert done.returncode == 0, done.stderr
    assert len(endpoint.calls()) == 9
