# SPDX-License-Identifier: MIT
"""system.echo and system.describe; system.cancel is in test_cancel_and_stop.py."""

import json

import jsonschema
import pytest

import result_schemas


def test_echo_gives_params_back(spool, start_worker):
    start_worker()
    assert spool.call("a", params={"x": [1, {"y": None}], "ä": "ö"})["data"] == {
        "x": [1, {"y": None}], "ä": "ö"}


@pytest.mark.core
def test_describe_returns_the_catalog(spool, worker):
    data = spool.call("a", "system.describe")["data"]
    commands = {c["name"]: c for c in data["commands"]}
    assert {"system.echo", "system.describe", "system.cancel", "tool.run"} <= set(commands)
    for command in commands.values():
        assert command["description"]
        assert command["effects"] in ("none", "external")
        assert command["risk"] in ("low", "medium", "high", "critical")
        jsonschema.Draft7Validator.check_schema(command["input_schema"])
    tool_run = jsonschema.Draft7Validator(commands["tool.run"]["input_schema"])
    tool_run.validate({"argv": ["ls", "-l"]})
    with pytest.raises(jsonschema.ValidationError):
        tool_run.validate({"argv": []})


def test_the_status_lists_what_describe_lists(spool, start_worker):
    start_worker()
    data = spool.call("a", "system.describe")["data"]
    assert {c["name"] for c in data["commands"]} == {c["name"] for c in spool.status()["commands"]}


def test_every_command_has_a_schema_of_its_data(spool, start_worker, client):
    start_worker()
    served = {c["name"] for c in spool.call("a", "system.describe")["data"]["commands"]}
    assert served == result_schemas.commands()
    for command in served:
        done = client.run("schema", f"result.{command}")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == result_schemas.validator(command).schema
        jsonschema.Draft7Validator.check_schema(result_schemas.validator(command).schema)


def test_data_that_breaks_its_schema_would_be_seen(spool):
    spool.drop("a", "system.cancel", {"request_id": "b"})
    spool.response_path("a").write_text(json.dumps({
        "request_id": "a", "status": "success", "worker": "w", "data": {"cancelled": "yes"}}))
    with pytest.raises(jsonschema.ValidationError):
        spool.wait_response("a")
