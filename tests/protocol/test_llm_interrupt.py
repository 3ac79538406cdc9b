# SPDX-License-Identifier: MIT
"""Ctrl-C stops spending: what waits in the worker is given back, and the next run asks for it."""

import signal

import pytest

from endpoint import environment
from evaluation import answered, of
from harness import DEADLINE, QUICK_RETRIES, wait_until
from llm_lines import chat_line, write_lines

COUNT = 30


def start(client, endpoint, folder, model):
    batch = write_lines(folder / "in.jsonl",
                        [chat_line(f"q{i}", model, text=f"say {i}") for i in range(COUNT)])
    run = client.start("run", batch, "--no-start-worker", *QUICK_RETRIES)
    wait_until(lambda: len(endpoint.calls()) >= 2, "two calls are in flight")
    run.send_signal(signal.SIGINT)
    return batch, run


def said(folder):
    return "".join(p.read_text() for p in folder.glob("client-*.log"))


@pytest.mark.core
def test_what_waits_is_given_back_and_what_runs_is_waited_for(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=endpoint.config(max_in_flight=2), env=environment())
    batch, run = start(client, endpoint, folder, "m;latency=300")
    assert run.wait(DEADLINE) == 130
    calls = len(endpoint.calls())
    assert calls <= 6
    counts = client.status()["counts"]
    assert counts["SUCCESS"] + counts.get("WAITING", 0) + counts.get("NEW", 0) == COUNT
    shown = client.run("status", "--limit", "0").stdout
    assert "nobody drives it, run its batch again" in shown
    assert "next attempt in" not in shown, "of what nobody drives there is none"
    assert spool.status()["counts"]["pending"] == 0 and len(endpoint.calls()) == calls
    done = client.run("run", batch, "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 0, done.stderr
    assert len(endpoint.calls()) == COUNT, "nothing was asked twice"


def test_a_second_interrupt_ends_what_is_in_flight(
        spool, start_worker, endpoint, client, folder):
    start_worker(config=endpoint.config(max_in_flight=2), env=environment())
    batch, run = start(client, endpoint, folder, "m;latency=600000;times=2")

    wait_until(lambda: "waiting for 2 requests in flight" in said(folder),
               "the run says what it waits for")
    run.send_signal(signal.SIGINT)
    assert run.wait(DEADLINE) == 130
    assert "2 calls ended in flight; they may be billed" in said(folder)
    assert len(endpoint.calls()) == 2 and spool.status()["counts"]["pending"] == 0
    assert client.status()["counts"].get("GAVE_UP", 0) == 0
    done = client.run("run", batch, "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 0, done.stderr
    assert len(endpoint.calls()) == COUNT + 2



def test_judges_are_given_back_as_well(spool, client, spec, llm_worker, folder, endpoint):
    for n in range(12):
        answered(spool, f"a{n}", f"Paris {n}")
    judge = {"judge": {"provider": "chat", "model": "j;latency=300;text={\"verdict\": \"pass\"}"}}
    path = spec({"kind": "judge", "criteria": "Is it a city?"}, judges=judge)
    run = client.start("eval", "--no-start-worker", *QUICK_RETRIES, path)
    wait_until(lambda: len(endpoint.calls()) >= 1, "a judge is asked")
    run.send_signal(signal.SIGINT)
    assert run.wait(DEADLINE) == 130
    calls = len(endpoint.calls())
    assert spool.status()["counts"]["pending"] == 0 and calls <= 12
    done = client.run("eval", "--no-start-worker", *QUICK_RETRIES, path)
    assert done.returncode == 0, done.stderr
    assert len(endpoint.calls()) == 12, "no verdict was asked for twice"
    assert of(spool, "a11")["score"] == 1
