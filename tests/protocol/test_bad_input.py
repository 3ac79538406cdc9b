# SPDX-License-Identifier: MIT
"""Worker rule 4: bad input is answered, never fatal; the answer names the pointer and the rule."""

import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from harness import wait_until


def object_with(**members) -> str:
    return json.dumps({"request_id": "a", "command": "system.echo", "params": {}, **members})


# (name, bytes of requests/a.json, code, what the message must hold)
BAD = [
    ("not JSON", "hello", "invalid_argument", ["line 1", "column"]),
    ("cut off", '{"request_id": "a", "comm', "invalid_argument", ["line 1", "column"]),
    ("second line", '{"request_id": "a",\n oops}', "invalid_argument", ["line 2", "column"]),
    ("two texts", object_with() + object_with(), "invalid_argument", ["line 1"]),
    ("an array", "[]", "invalid_argument", ["object"]),
    ("a number", "3", "invalid_argument", ["object"]),
    ("not UTF-8", b'{"request_id":"a","command":"system.echo","params":{"x":"\xff"}}',
     "invalid_argument", ["UTF-8"]),
    ("surrogate bytes", b'{"request_id":"a","command":"system.echo","params":{"x":"\xed\xa0\x80"}}',
     "invalid_argument", ["UTF-8"]),
    ("duplicate key", '{"request_id":"a","command":"system.echo","params":{},"params":{}}',
     "invalid_argument", ["/params", "twice"]),
    ("duplicate key inside",
     '{"request_id":"a","command":"system.echo","params":{"x":{"y":1,"y":2}}}', "invalid_argument",
     ["/params/x/y", "twice"]),
    ("no id", '{"command":"system.echo","params":{}}', "invalid_argument", ["request_id"]),
    ("no command", '{"request_id":"a","params":{}}', "invalid_argument", ["command"]),
    ("id of another file", object_with(request_id="b"), "invalid_argument", ["/request_id", "a"]),
    ("id is a number", object_with(request_id=1), "invalid_argument", ["/request_id", "string"]),
    ("command is null", object_with(command=None), "invalid_argument", ["/command", "string"]),
    ("params is an array", object_with(params=[]), "invalid_argument", ["/params", "object"]),
    ("timeout is text", object_with(timeout_ms="1s"), "invalid_argument", ["/timeout_ms"]),
    ("timeout is zero", object_with(timeout_ms=0), "invalid_argument", ["/timeout_ms"]),
    ("timeout is huge", object_with(timeout_ms=10**15), "invalid_argument", ["/timeout_ms"]),
    ("priority too large", object_with(priority=11), "invalid_argument", ["/priority"]),
    ("priority is a fraction", object_with(priority=1.5), "invalid_argument", ["/priority"]),
    ("metadata is text", object_with(metadata="x"), "invalid_argument", ["/metadata", "object"]),
    ("stream is text", object_with(stream="yes"), "invalid_argument", ["/stream"]),
    ("unknown command", object_with(command="no.such"), "unimplemented", ["no.such"]),
    ("params break the schema", object_with(command="system.cancel", params={"request_id": 7}),
     "invalid_argument", ["/params/request_id"]),
    ("params lack a member", object_with(command="system.cancel"), "invalid_argument",
     ["request_id"]),
    ("too deep", object_with().replace("{}", '{"x":' + "[" * 200 + "]" * 200 + "}"),
     "invalid_argument", ["deep"]),
    ("very deep", '{"x":' * 100000, "invalid_argument", []),
    ("number out of range", '{"request_id":"a","command":"system.echo","params":{"x":1e999}}',
     "invalid_argument", []),
    ("byte order mark only", b"\xef\xbb\xbf", "invalid_argument", []),
]


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
