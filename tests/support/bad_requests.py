# SPDX-License-Identifier: MIT
"""Texts that are no request: (name, bytes of requests/a.json, code, what the message must hold)."""

import json


def object_with(**members) -> str:
    return json.dumps({"request_id": "a", "command": "system.echo", "params": {}, **members})


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
    ("waits for another", object_with(after=["b"]), "invalid_argument", ["/after", "batch"]),
    ("waits for any end", object_with(after_any="end"), "invalid_argument", ["/after_any"]),
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
