# SPDX-License-Identifier: MIT
"""Providers are not overrun, broken keys are not tried for ever, and keys stay where they are."""

import json
import subprocess

import pytest

from endpoint import KEY, environment
from harness import wait_until, worker_program

KINDS = ["chat", "responses", "messages"]


def drop(spool, stem, model="m", **params):
    spool.drop(stem, "llm.chat", {"provider": "chat", "model": model, "prompt": "hi", **params})


def test_nothing_starts_before_a_retry_after_is_over(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(max_in_flight=1), env=environment())
    script = "m;status=429;retry_after_ms=600;times=1"
    drop(spool, "limited", script)
    spool.wait_response("limited")
    for i in range(3):
        drop(spool, f"after{i}", script)
    for i in range(3):
        assert spool.wait_response(f"after{i}")["status"] == "success"
    times = [call["t_ns"] for call in endpoint.calls()]
    assert len(times) == 4
    assert (times[1] - times[0]) / 1e6 >= 600


@pytest.mark.core
def test_a_limited_model_does_not_hold_up_the_others(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(max_in_flight=2), env=environment())
    for i in range(6):
        drop(spool, f"limited{i}", "limited;status=429;retry_after_ms=300000")
    spool.wait_response("limited0")
    for i in range(10):
        drop(spool, f"free{i}", "free")
    for i in range(10):
        assert spool.wait_response(f"free{i}")["status"] == "success"
    assert len([c for c in endpoint.calls() if c["model"].startswith("limited")]) <= 2
    wait_until(lambda: any(
        d["name"].startswith("llm.chat/limited") and d["pause_ms"] > 0
        for d in spool.status()["destinations"]), "the status tells the lane that waits")
    [whole] = [d for d in spool.status()["destinations"] if d["name"] == "llm.chat"]
    assert whole["pause_ms"] == 0


def test_limits_that_a_provider_shares_hold_up_all_of_them(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(max_in_flight=1, shared_limits=["m*"]), env=environment())
    drop(spool, "limited", "m1;status=429;retry_after_ms=600")
    spool.wait_response("limited")
    drop(spool, "after", "m2")
    spool.wait_response("after")
    times = [call["t_ns"] for call in endpoint.calls()]
    assert (times[1] - times[0]) / 1e6 >= 600


def test_no_more_are_in_flight_than_allowed(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(max_in_flight=3), env=environment())
    for i in range(12):
        drop(spool, f"r{i}", "m;latency=30")
    wait_until(lambda: len(spool.responses()) == 12, "all are answered")
    assert len({call["connection"] for call in endpoint.calls()}) <= 3


def test_requests_and_tokens_a_minute_delay_starts(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(rpm=600), env=environment())
    for i in range(15):
        drop(spool, f"r{i}")
    wait_until(lambda: len(spool.responses()) == 15, "all are answered")
    times = sorted(call["t_ns"] for call in endpoint.calls())
    assert (times[-1] - times[0]) / 1e9 > 0.35, "fifteen starts at ten a second, ten at once"


def test_tokens_a_minute_count_what_an_answer_may_have(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(tpm=60000), env=environment())
    for i in range(4):
        drop(spool, f"r{i}", max_tokens=5000)
    wait_until(lambda: len(spool.responses()) >= 2, "what the burst allows")
    times = sorted(call["t_ns"] for call in endpoint.calls())
    assert len(times) <= 3, "10 000 at once, then 1000 a second"


@pytest.mark.parametrize("script, kind", [
    ("status=401", "authentication"), ("status=429;code=insufficient_quota", "quota")])
def test_a_broken_key_is_told_once_and_not_tried_again(spool, start_worker, endpoint, script, kind):
    config = endpoint.config(max_in_flight=1)
    config["llm"]["breaker_pause"] = "2s"
    start_worker(config=config, env=environment())
    drop(spool, "first", f"m;{script};times=1")
    assert spool.wait_response("first")["error_details"]["class"] == kind
    refused = spool.call("second", "llm.chat", {"provider": "chat", "model": "x", "prompt": "hi"})
    assert refused["error_details"]["class"] == "breaker_open" and not refused["retryable"]
    assert kind in refused["error_message"]
    assert len(endpoint.calls()) == 1
    lane = wait_until(lambda: next((d for d in spool.status()["destinations"]
                                    if d["name"] == "llm.chat" and d["problem"]), None),
                      "the status file says it")
    assert kind in lane["problem"] and lane["concurrency"] == 1

    def trial():
        stem = f"trial{len(spool.responses())}"
        return spool.call(stem, "llm.chat", {"provider": "chat", "model": "x", "prompt": "hi"}
                          )["status"] == "success"
    wait_until(trial, "the breaker lets one through after its pause", tick=0.1)


def test_a_missing_model_concerns_no_other(spool, llm_worker, endpoint):
    drop(spool, "a", "gone;status=404")
    assert spool.wait_response("a")["error_details"]["class"] == "not_found"
    drop(spool, "b", "gone;status=404")
    assert spool.wait_response("b")["error_details"]["class"] == "breaker_open"
    drop(spool, "c", "there")
    assert spool.wait_response("c")["status"] == "success"
    assert len(endpoint.calls()) == 2


def test_a_missing_key_says_where_it_was_looked_for(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(profile="openai"), env={**environment(),
                                                               "TEST_LLM_KEY": ""})
    response = spool.call("q", "llm.chat", {"provider": "chat", "model": "m", "prompt": "hi"})
    assert response["error_code"] == "unauthenticated"
    assert "$TEST_LLM_KEY" in response["error_message"]
    assert endpoint.calls() == []


@pytest.mark.core
@pytest.mark.parametrize("level", ["debug", "info"])
def test_a_key_appears_nowhere(spool, start_worker, endpoint, folder, level):
    """A marker key; every file and every log is searched for it."""
    config = endpoint.config(timeouts={"first_event": "200ms"})
    config["log"] = {"level": level}
    start_worker(config=config, env=environment())
    echo = f"message=wrong key {KEY};type=authentication_error {KEY};code=c{KEY}"
    models = ["m", f"m;status=500;{echo}", f"m;fault=error_in_200;{echo}", "m;fault=stall",
              "m;fault=reset", f"m;text=your key is {KEY}", f"m;fault=error_mid;{echo}"]
    stems = []
    for kind in KINDS:
        for i, model in enumerate(models):
            for stream in (False, True):
                stems.append(f"{kind}-{i}-{stream}")
                drop(spool, stems[-1], model, provider=kind, stream=stream, raw=True)
    drop(spool, "last", f"m;status=401;{echo}")
    for stem in [*stems, "last"]:
        spool.wait_response(stem)
    done = subprocess.run([worker_program(), "--check-config", "--config",
                           next(folder.glob("worker-*.yaml"))], capture_output=True, text=True,
                          env=environment(), timeout=60, check=False)
    assert KEY not in done.stdout + done.stderr and "provider chat" in done.stdout
    # The requests themselves hold it here, because the scripts do; nothing else may.
    searched = [p for p in folder.rglob("*") if p.is_file() and "requests" not in p.parts
                and p != endpoint.log and "started" not in p.parts]
    assert len(searched) > len(stems)
    for path in searched:
        text = path.read_bytes()
        # A model's name is the request's own text and is echoed.
        for model in models + [f"m;status=401;{echo}"]:
            text = text.replace(json.dumps(model)[1:-1].encode(), b"")
        assert KEY.encode() not in text, path


def test_the_configuration_check_tells_who_answers(start_worker, endpoint, folder):
    path = folder / "checked.yaml"
    config = endpoint.config()
    config["llm"]["providers"]["dead"] = {"base_url": "http://127.0.0.1:1/v1"}
    path.write_text(json.dumps(config))
    done = subprocess.run([worker_program(), "--check-config", "--config", path], text=True,
                          capture_output=True, env=environment(), timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    lines = {line.split(":")[0]: line for line in done.stdout.splitlines()}
    assert "answers, 2 models" in lines["provider chat"]
    assert "$TEST_LLM_KEY" in lines["provider chat"]
    assert "does not answer" in lines["provider dead"]


@pytest.mark.parametrize("yaml, complaint", [
    ("{default: a, providers: {b: {}}}", "llm.default: must be one of llm.providers"),
    ("{providers: {a: {kind: magic}}}", "llm.providers.a.kind: must be one of"),
    ("{providers: {a: {base_url: \"ftp://x\"}}}", "must begin with http"),
    ("{providers: {a: {base_url: \"http://me:pass@x\"}}}", "must not hold a user or a password"),
    ("{providers: {a: {api_key: sk-123}}}", "llm.providers.a.api_key: unknown key"),
    ("{providers: {a: {max_in_flight: 0}}}", "max_in_flight: must be a whole number"),
])
def test_mistakes_in_the_configuration_have_a_place(folder, yaml, complaint):
    path = folder / "bad.yaml"
    path.write_text("llm: " + yaml)
    done = subprocess.run([worker_program(), "--check-config", "--config", path], text=True,
                          capture_output=True, env=environment(), timeout=60, check=False)
    assert done.returncode == 2 and complaint in done.stderr, done.stderr


def test_thousands_are_in_flight_at_once(spool, start_worker, endpoint):
    start_worker(config=endpoint.config(max_in_flight=1000), env=environment())
    for i in range(1000):
        drop(spool, f"r{i}", "m;latency=400")
    wait_until(lambda: len(spool.responses()) == 1000, "all are answered", 60)
    assert all(spool.response(f"r{i}")["status"] == "success" for i in range(0, 1000, 50))


@pytest.mark.core
def test_a_stop_gives_a_call_back_that_does_not_end(spool, start_worker, endpoint):
    worker = start_worker("--grace", "100ms", config=endpoint.config(), env=environment())
    drop(spool, "stalled", "m;fault=stall")
    drop(spool, "streamed", "m;itl=1000", stream=True)
    wait_until(lambda: len(endpoint.calls()) == 2, "both are under way")
    assert worker.stop() == 0
    assert spool.responses() == set(), "no effects: they stay pending"
