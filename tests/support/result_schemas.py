# SPDX-License-Identifier: MIT
"""Holds the data of every success that a test sees against the schema result.{command}."""

import functools
import json

import jsonschema

import harness

FOLDER = harness.TOP / "ipc-schema" / "schema"


@functools.cache
def validator(command: str):
    path = FOLDER / f"result.{command}.schema.json"
    if "/" in command or not path.exists():
        return None
    return jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


def commands() -> set:
    return {path.name.removeprefix("command.").removesuffix(".schema.json")
            for path in FOLDER.glob("command.*.schema.json")}


class CheckedSpool(harness.Spool):
    """A root of these programs, whose workers answer as their schemas say."""

    def wait_response(self, stem: str, deadline: float = harness.DEADLINE) -> dict:
        answer = super().wait_response(stem, deadline)
        # What a test published itself is no worker's.
        if answer.get("status") != "success" or "worker" not in answer:
            return answer
        request = harness.read_json(self.request(stem))
        command = request.get("command") if isinstance(request, dict) else None
        rule = validator(command) if isinstance(command, str) else None
        if rule is not None:
            rule.validate(answer["data"])
        return answer
