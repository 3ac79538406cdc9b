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


def of(spool, stem, name="quality"):
    """The evaluation of a request; None when there is none."""
    path = spool.root / "eval" / f"{stem}.json"
    if not path.exists():
        return None
    record = json.loads(path.read_text())
    jsonschema.validate(record, SCHEMA)
    return record["evaluations"].get(name)


def outcomes(spool):
    return {path.stem: of(spool, path.stem)["outcome"]
            for path in (spool.root / "eval").glob("*.json")}
