# SPDX-License-Identifier: MIT
"""Worker rule 4: bad input is answered, never fatal; the answer names the pointer and the rule."""

import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from bad_requests import BAD
from harness import wait_until


@pytest.mark.core
@pytest.mark.parametrize("content,code,words", [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_answered(spool, start_worker, content, code, words):
    start_worker()
    spool.drop_bytes("a", content)
    answer = spool.wait_response("a")
    assert answer["request_id"] == "a" and answer["status"] == "error"
    assert answer["error_code"] == code, answer
    assert answer["retryable"] is False
    for word in words:
        assert word in answer["error_message"], answer
    assert spool.call("next")["status"] == "success"


def test_one_worker_survives_all_of_it(spool, start_worker):
    start_worker()
    for number, (_, content, _, _) in enumerate(BAD):
        spool.drop_bytes(f"bad{number}", content)
    wait_until(lambda: len(spool.responses()) == len(BAD), "all are answered")
    assert spool.call("next")["status"] == "success"
    wait_until(lambda: spool.status()["counts"]["error"] == len(BAD), "they are counted")


def test_a_request_that_is_too_large(spool, start_worker):
    start_worker(config={"limits": {"request_bytes": 65536}})
    spool.drop("big", params={"x": "y" * 70000})
    answer = spool.wait_response("big")
    assert answer["error_code"] in ("invalid_argument", "resource_exhausted", "out_of_range")
    assert answer["retryable"] is False and "65536" in answer["error_message"].replace("_", "")
    assert spool.call("fits", params={"x": "y" * 60000})["status"] == "success"


def test_the_default_limit_of_size(spool, start_worker):
    start_worker()
    spool.drop("big", params={"x": "y" * (16 * 1024 * 1024)})
    assert spool.wait_response("big")["status"] == "error"
    spool.drop("fits", params={"x": "y" * (15 * 1024 * 1024)})
    assert spool.wait_response("fits")["status"] == "success"


def test_depth_is_configured(spool, start_worker):
    start_worker(config={"limits": {"depth": 8}})
    nest = lambda n: json.loads("[" * n + "]" * n)  # noqa: E731
    assert spool.call("deep", params={"x": nest(9)})["status"] == "error"
    assert spool.call("flat", params={"x": nest(3)})["status"] == "success"


def test_unknown_members_are_ignored(spool, start_worker):
    start_worker()
    assert spool.call("a", later={"x": 1}, another=None)["status"] == "success"


@pytest.mark.parametrize("stem", [
    "a", "a b", "ä", "日本語", "x" * 200, "é" * 100, "a.b.c", "-n", "--help", "%s%n", "a'b\"c",
    "a\\b", "~", "*", "$(id)", "😀", "a.json", "..a".lstrip(".") + "..", "\u00a0"])
def test_every_stem_works(spool, start_worker, stem):
    start_worker()
    answer = spool.call(stem, params={"id": stem})
    assert answer["request_id"] == stem and answer["data"] == {"id": stem}


json_values = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.text(max_size=20)
    | strategies.integers(-2**63, 2**63 - 1)
    | strategies.floats(allow_nan=False, allow_infinity=False),
    lambda inner: strategies.lists(inner, max_size=4)
    | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=4), max_leaves=15)


@pytest.mark.core
@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(params=strategies.dictionaries(strategies.text(max_size=8), json_values, max_size=5))
def test_echo_gives_back_any_json(spool, echo_worker, params):
    stem = echo_worker()
    answer = spool.call(stem, params=params)
    assert answer["status"] == "success", answer
    assert answer["data"] == params


@settings(max_examples=80, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=strategies.binary(max_size=60)
       | strategies.text(alphabet='{}[]",:\\u0123abtruefalsn \n', max_size=60).map(str.encode))
def test_any_bytes_are_answered(spool, echo_worker, content):
    stem = echo_worker()
    spool.drop_bytes(stem, content)
    answer = spool.wait_response(stem)
    assert answer["request_id"] == stem and answer["status"] == "error"


@pytest.fixture
def echo_worker(start_worker):
    """A worker for many examples, with a short settle time, and a function that makes stems."""
    start_worker(config={"settle": "5ms"})
    numbers = iter(range(10**6))
    return lambda: f"example-{next(numbers)}"
