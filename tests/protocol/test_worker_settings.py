# SPDX-License-Identifier: MIT
"""A worker keeps the keys that it was started with: a client notices, and restarts an idle one."""

import json
import os
import signal

import pytest

from endpoint import environment
from harness import DEADLINE, QUICK_RETRIES, read_json, wait_until

OLD = {**environment(), "TEST_LLM_KEY": "sk-old-0123456789abcdef"}
NEW = {**environment(), "TEST_LLM_KEY": "sk-new-0123456789abcdef"}
DIFFERS = "provider chat: the worker has another key than $TEST_LLM_KEY"


@pytest.fixture(autouse=True)
def telling(telling_endpoint):
    """Every call tells its key."""


@pytest.fixture
def config(endpoint, folder):
    path = folder / "worker.yaml"
    path.write_text(json.dumps(endpoint.config()))
    return path


@pytest.fixture
def ask(client):
    """One call of a model; its process."""
    def run(model="m", env=NEW, *arguments):
        return client.run("call", "llm.chat", "--params",
                          json.dumps({"model": model, "prompt": "say yes"}), *QUICK_RETRIES,
                          *arguments, env=env)
    return run


def begin(client, config, env=OLD):
    done = client.run("worker", "start", "--worker-config", config, env=env)
    assert done.returncode == 0, done.stderr


def begin_with_key_file(client, endpoint, folder, text):
    """Starts a worker whose providers read their key from a file; that file, the configuration."""
    key = folder / "key"
    key.write_text(text)
    content = endpoint.config(api_key_file=str(key))
    for provider in content["llm"]["providers"].values():
        del provider["api_key_env"]
    config = folder / "worker.yaml"
    config.write_text(json.dumps(content))
    begin(client, config)
    return key, config


def launch(spool):
    return read_json(spool.root / "worker" / "launch.json")


@pytest.mark.core
def test_an_idle_worker_with_another_key_is_restarted(spool, client, config, ask, endpoint):
    begin(client, config)
    before = launch(spool)
    done = ask()
    assert done.returncode == 0, done.stderr
    assert DIFFERS in done.stderr and "is restarted" in done.stderr
    assert endpoint.calls()[-1]["sent_key"].endswith(NEW["TEST_LLM_KEY"])
    assert launch(spool)["instance"] != before["instance"]
    assert ask().stderr == "" and launch(spool)["config"] == str(config)
    for text in (json.dumps(before), json.dumps(launch(spool)), done.stderr):
        assert "sk-old" not in text and "sk-new" not in text, "a key is never written"


def test_what_is_retried_is_asked_with_the_corrected_key(spool, client, config, endpoint):
    """The worker that ran answered it at once with the old key, and the run took that answer."""
    begin(client, config)
    batch = client.batch(("a", "llm.chat", {"model": "m;status=401", "prompt": "say yes"}))
    assert client.run("run", batch, *QUICK_RETRIES, env=OLD).returncode == 1
    before = launch(spool)
    done = client.run("retry", "--failed", env=NEW)
    assert done.returncode == 0 and DIFFERS in done.stderr, done.stderr
    assert launch(spool)["instance"] != before["instance"]
    client.run("run", batch, *QUICK_RETRIES, env=NEW)
    assert endpoint.calls()[-1]["sent_key"].endswith(NEW["TEST_LLM_KEY"])
    assert client.run("retry", "--failed", env=NEW).stderr == ""


def test_a_client_without_the_variable_knows_nothing(spool, client, config, ask):
    begin(client, config)
    before = launch(spool)["instance"]
    done = ask(env={**environment(), "TEST_LLM_KEY": ""})
    assert done.returncode == 0 and "differs" not in done.stderr and DIFFERS not in done.stderr
    assert launch(spool)["instance"] == before


def test_a_busy_worker_goes_on_and_that_is_said(spool, client, config, ask, endpoint):
    """Whatever its status says: that is as old as its last heartbeat."""
    begin(client, config)
    busy = client.start("call", "llm.chat", "--params",
                        '{"model": "m;latency=3000", "prompt": "say yes"}')
    wait_until(lambda: len(endpoint.calls()) == 1, "a call is in flight")
    done = ask()
    assert done.returncode == 0 and DIFFERS in done.stderr
    assert "it goes on with its own; it has requests" in done.stderr
    assert "filecall worker restart --root" in done.stderr
    assert endpoint.calls()[-1]["sent_key"].endswith(OLD["TEST_LLM_KEY"])
    assert busy.wait(DEADLINE) == 0


def test_a_worker_whose_requests_were_removed_is_busy_while_it_runs_them(spool, client, config,
                                                                          ask, endpoint):
    begin(client, config)
    spool.drop("gone", "llm.chat", {"model": "m;latency=4000", "prompt": "say yes"})
    wait_until(lambda: len(endpoint.calls()) == 1, "a call is in flight")
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the status says so")
    (spool.root / "requests/gone.json").unlink()
    done = ask()
    assert done.returncode == 0 and DIFFERS in done.stderr
    assert "it goes on with its own; it has requests" in done.stderr, done.stderr
    assert spool.wait_response("gone")["status"] == "success"


def test_a_worker_of_somebody_else_is_left_to_them(spool, start_worker, config, ask):
    start_worker("--config", config, env=OLD)
    done = ask()
    assert done.returncode == 0
    assert DIFFERS in done.stderr and "filecall did not start it" in done.stderr


def test_a_restart_that_would_lose_another_key_is_not_made(spool, client, endpoint, ask, folder):
    config = folder / "two.yaml"
    content = endpoint.config()
    content["llm"]["providers"]["messages"]["api_key_env"] = "OTHER_LLM_KEY"
    config.write_text(json.dumps(content))
    begin(client, config, {**OLD, "OTHER_LLM_KEY": "sk-other"})
    before = launch(spool)["instance"]
    done = ask()
    assert "set $OTHER_LLM_KEY as well" in done.stderr, done.stderr
    assert launch(spool)["instance"] == before


def test_a_changed_configuration_and_key_file_are_noticed(spool, client, endpoint, ask, folder):
    key, config = begin_with_key_file(client, endpoint, folder, "sk-file-1\n")
    key.write_text("  sk-file-1")
    assert ask().stderr == "", "white space is no difference"
    key.write_text("sk-file-2")
    done = ask()
    assert f"the worker has another key than {key}" in done.stderr
    assert endpoint.calls()[-1]["sent_key"].endswith("sk-file-2")
    # What could not be started again is not ended for that.
    before = launch(spool)["instance"]
    text = config.read_text()
    config.write_text("llm: [")
    done = ask()
    assert done.returncode == 0 and f"refuse to start; {config}" in done.stderr, done.stderr
    assert launch(spool)["instance"] == before and spool.status()["state"] == "ready"
    config.write_text(text + "\n")
    assert f"configuration: {config} was changed" in ask().stderr


def test_a_reload_takes_the_key_file_and_is_no_difference(spool, client, endpoint, ask, folder):
    key, _ = begin_with_key_file(client, endpoint, folder, "sk-file-1")
    before = launch(spool)
    key.write_text("sk-file-2")
    os.kill(spool.status()["pid"], signal.SIGHUP)
    wait_until(lambda: launch(spool)["salt"] != before["salt"], "the worker has read it again")
    done = ask()
    assert done.returncode == 0 and done.stderr == ""
    assert endpoint.calls()[-1]["sent_key"].endswith("sk-file-2")
    assert launch(spool)["instance"] == before["instance"]


def test_a_key_that_appears_reaches_a_worker_without_configuration(spool, client, endpoint, ask):
    none = {**environment(), "OPENAI_API_KEY": ""}
    assert client.run("worker", "start", env=none).returncode == 0
    env = {**none, "OPENAI_API_KEY": "sk-now", "OPENAI_BASE_URL": endpoint.url + "/v1"}
    done = ask(env=env)
    assert done.returncode == 0, done.stderr
    assert "provider openai: the worker has no key, and $OPENAI_API_KEY has one" in done.stderr
    assert "provider openai: the worker has no base URL" in done.stderr
    assert endpoint.calls()[-1]["sent_key"].endswith("sk-now")
