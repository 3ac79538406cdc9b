# SPDX-License-Identifier: MIT
"""Each form that --json prints has a published schema. The client of these tests holds what it
prints against it (tests/support/printed_schemas.py)."""

import json
import subprocess

import jsonschema
import pytest

from harness import SLOW, worker_program

SPEC = {"name": "n", "graders": [{"kind": "contains", "expected": "x"}]}


@pytest.fixture
def used(spool, client, worker):
    batch = client.batch(("a", "system.echo"))
    assert client.run("run", batch).returncode == 0
    return client


def printed(client, *arguments):
    done = client.run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_forms_of_small_commands(used, folder):
    assert printed(used, "version")["name"] == "filecall"
    assert {"worker_stop", "config_check"} < set(printed(used, "schema"))
    spec = folder / "spec.json"
    spec.write_text(json.dumps(SPEC))
    assert printed(used, "eval", spec, "--check")["name"] == "n"
    run = printed(used, "runs", "show", "latest")
    assert run["states"]["SUCCESS"] == 1
    assert printed(used, "runs", "delete", run["run_id"]) == {"deleted": [run["run_id"]]}


def test_the_log_and_the_end_of_a_worker(spool, client):
    assert printed(client, "worker", "start")["presence"] == "ready"
    log = printed(client, "worker", "logs", "--lines", "1")
    assert log["log"] == f"{spool.root}/worker/log"
    assert len(log["lines"]) == 1 and "ready" in log["lines"][0]
    done = client.run("worker", "logs", "--json", "--follow")
    assert done.returncode == 2 and "leave out --json" in done.stderr
    assert printed(client, "worker", "stop") == {
        "root": str(spool.root), "stopped": True, "clients": 0}
    assert printed(client, "worker", "stop")["stopped"] is False


def test_the_check_of_a_configuration(client, folder):
    schema = json.loads(client.run("schema", "config_check").stdout)
    for config in ({"tool": {"allow": ["sh"], "roots": [str(folder)]}}, {"grace": "soon"}):
        path = folder / "worker.json"
        path.write_text(json.dumps(config))
        done = subprocess.run([worker_program(), "--config", path, "--check-config", "--json"],
                              capture_output=True, text=True, check=False, timeout=60 * SLOW)
        jsonschema.validate(json.loads(done.stdout), schema)
        assert done.returncode == (2 if "grace" in config else 0)


def test_a_refused_configuration_is_said_once(spool, client, folder):
    """The worker that checks it wrote it, too."""
    path = folder / "worker.yaml"
    path.write_text("grace: 1s\n")
    assert client.run("worker", "start", "--worker-config", path).returncode == 0
    try:
        path.write_text("grace: soon\n")
        done = client.run("worker", "restart")
        assert done.returncode == 2 and done.stderr.count("worker.yaml:1:8") == 1, done.stderr
        done = client.run("doctor")
        assert done.stderr == "" and "is refused" in done.stdout
    finally:
        client.run("worker", "stop")


def test_unknown_members_are_named_in_order(spool, client, worker, folder):
    batch = folder / "batch.jsonl"
    batch.write_text('{"command": "system.echo", "params": {}, "timeout": 5}\n'
                     '{"command": "system.echo", "params": {"a": 1}, "prioriti": 5}\n')
    done = client.run("run", batch)
    assert done.returncode == 0
    assert done.stderr.index("jsonl:1: /timeout") < done.stderr.index("jsonl:2: /prioriti")
