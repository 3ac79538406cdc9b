# SPDX-License-Identifier: MIT
"""A disk that takes its time: what is decided meanwhile still counts."""

import pytest

import injection
from endpoint import environment
from harness import wait_until

SYNC_MS = 800
LATENCY_MS = 250
RETRY_AFTER_MS = 1500


@pytest.fixture
def slow_worker(start_worker, endpoint):
    env = {**environment(), "LD_PRELOAD": str(injection.library("filecall_slow_sync")),
           "SLOW_SYNC_MS": str(SYNC_MS)}
    # Of two places a refusal takes one away: none is left, and all wait for the refusal's time.
    config = endpoint.config(max_in_flight=2, shared_limits=["m*"])
    return start_worker(config=config, env=env, durability="full")


def drop(spool, stem, model):
    spool.drop(stem, "llm.chat", {"provider": "chat", "model": model, "prompt": "hi"})


def limit_while_another_is_recorded(spool, endpoint):
    """The first call is told to come back while the second one's start record is being synced."""
    drop(spool, "limited",
         f"m;status=429;retry_after_ms={RETRY_AFTER_MS};latency={LATENCY_MS};times=1")
    wait_until(endpoint.calls, "the first is on its way")
    drop(spool, "second", "m")


def test_nothing_begins_in_a_pause_that_came_while_its_start_was_recorded(
        spool, slow_worker, endpoint):
    limit_while_another_is_recorded(spool, endpoint)
    assert spool.wait_response("second")["status"] == "success"
    first, second = (call["t_ns"] for call in endpoint.calls())
    assert (second - first) / 1e6 >= LATENCY_MS + RETRY_AFTER_MS
    started = spool.root / "worker" / "started"
    wait_until(lambda: not list(started.iterdir()), "no record is left")
    assert slow_worker.stop() == 0


def test_a_stop_gives_back_what_a_pause_held_back(spool, slow_worker, endpoint):
    limit_while_another_is_recorded(spool, endpoint)
    wait_until(lambda: spool.responses() or None, "the first was told to come back")
    assert slow_worker.stop() == 0
    assert spool.responses() == {"limited"} and len(endpoint.calls()) == 1
    assert not list((spool.root / "worker" / "started").iterdir()), "it was not started"
