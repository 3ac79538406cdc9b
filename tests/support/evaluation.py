# SPDX-License-Identifier: MIT
"""Answers to be graded, and what filecall eval says of them."""

import json

import jsonschema

from harness import TOP

SCHEMA = json.loads((TOP / "ipc-schema/schema/evaluation.schema.json").read_text())


def answered(spool, stem, text, finish="stop", model="m", **metadata):
    """A chat that somebody asked and some worker answered. The answer comes first: a worker that
    watches would take a request without one for pending, and call."""
    request = {"request_id": stem, "command": "llm.chat",
               "params": {"model": model, "prompt": "Which city?"}, "metadata": metadata}
    data = {"text": text, "finish_reason": finish, "model": model + "-1", "usage": {}}
    spool.response_path(stem).write_text(json.dumps(
        {"request_id": stem, "status": "success", "data": data, "metadata": metadata}))
    spool.request(stem).write_text(json.dumps(request))


def given_up(spool, stem, **metadata):
    request = {"request_id": stem, "command": "llm.chat",
               "params": {"model": "m", "prompt": "Which city?"},
               "metadata": metadata}
    error = json.dumps({"request_id": stem, "status": "error", "error_message": "no",
                        "error_code": "unavailable", "retryable": False})
    spool.response_path(stem).write_text(error)
    spool.failed_path(stem).parent.mkdir(exist_ok=True)
    spool.failed_path(stem).write_text(error)
    spool.request(stem).write_text(json.dumps(request))


def records(root, name="quality"):
    """What counts of one evaluation: the last line of each request."""
    path = root / "eval" / "grades.jsonl"
    found = {}
    for line in path.read_text().split("\n")[:-1] if path.exists() else []:
        record = json.loads(line)
        jsonschema.validate(record, SCHEMA)
        if name in record["evaluations"]:
            found[record["request_id"]] = record["evaluations"][name]
    return found


def of(spool, stem, name="quality"):
    """The evaluation of a request; None when there is none."""
    return records(spool.root, name).get(stem)


def outcomes(spool):
    return {stem: record["outcome"] for stem, record in records(spool.root).items()}
