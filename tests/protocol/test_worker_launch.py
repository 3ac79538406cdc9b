# SPDX-License-Identifier: MIT
"""A root remembers how its worker was started: restart and automatic start use it."""

import json
import os
import signal

import jsonschema
import pytest

from harness import QUICK_RETRIES, TOP, Spool, read_json, wait_until

SCHEMA = TOP / "ipc-schema" / "schema" / "worker_launch.schema.json"
CONFIG = {"tool": {"allow": ["sh", "true"], "roots": ["/tmp", "/dev/shm"]}}


@pytest.fixture
def config(folder):
    path = folder / "worker.yaml"
    path.write_text(json.dumps(CONFIG))
    return path


def run_tool(client, *arguments):
    return client.run("call", "tool.run", "--params", '{"argv": ["true"]}', *QUICK_RETRIES,
                      *arguments)


def launch(spool):
    return read_json(spool.root / "worker" / "launch.json")


@pytest.mark.core
def test_restart_keeps_configuration_and_flags(spool, client, start_worker, config):
    start_worker("--config", config.name, "--grace", "7s", "--durability", "none",
                 prefix=("env", "-C", str(config.parent)))
    before = launch(spool)
    jsonschema.validate(before, json.loads(SCHEMA.read_text()))
    assert before["config"] == str(config)
    done = client.run("worker", "restart")
    assert done.returncode == 0, done.stderr
    assert run_tool(client).returncode == 0
    after = launch(spool)
    assert after["instance"] != before["instance"]
    for member in ("config", "config_digest", "roots", "directory"):
        assert after[member] == before[member], member
    assert set(after["arguments"]) >= {"--grace=7s", "--durability=none"}


@pytest.mark.core
def test_the_worker_of_a_run_is_started_again_with_its_configuration(spool, client, start_worker,
                                                                    config):
    worker = start_worker("--config", config)
    worker.kill()
    done = run_tool(client, "--start-worker")
    assert done.returncode == 0, done.stderr
    os.kill(spool.status()["pid"], signal.SIGKILL)
    done = run_tool(client)
    assert done.returncode == 0, done.stderr


def test_a_drain_is_not_remembered_as_one(spool, client, start_worker, config):
    assert start_worker("--config", config, "--drain", wait=False).wait() == 0
    assert "--drain" not in launch(spool)["arguments"]
    assert run_tool(client).returncode == 0


def test_another_configuration_than_the_workers_is_an_error(spool, folder, client, start_worker,
                                                            config):
    start_worker("--config", config)
    other = folder / "other.yaml"
    other.write_text(json.dumps({"tool": {"allow": []}}))
    for command in (("call", "system.echo"), ("worker", "start"),
                    ("run", client.batch(("a", "system.echo")))):
        done = client.run(*command, "--worker-config", other)
        assert done.returncode == 2, done.stderr
        assert str(config) in done.stderr and "worker restart" in done.stderr
    assert spool.requests() == set()
    # The same content under another name, and the same name, are the same configuration.
    same = folder / "same.yaml"
    same.write_bytes(config.read_bytes())
    for path in (config, same):
        assert client.run("call", "system.echo", "--worker-config", path).returncode == 0
    config.write_text(json.dumps(CONFIG) + "\n# changed\n")
    done = client.run("call", "system.echo", "--worker-config", config)
    assert done.returncode == 2 and "as it was when it was read" in done.stderr
    assert client.run("worker", "restart", "--worker-config", other).returncode == 0
    assert launch(spool)["config"] == str(other)


@pytest.mark.parametrize("spoil", ["chmod", "chown", "fifo", "link", "garbage"])
def test_what_others_may_have_written_is_not_believed(spool, client, start_worker, config, spoil):
    start_worker("--config", config).kill()
    path = spool.root / "worker" / "launch.json"
    text = path.read_text()
    if spoil == "chmod":
        path.chmod(0o622)
    elif spoil == "chown":
        if os.getuid() != 0:
            pytest.skip("only root gives files away")
        os.chown(path, 65534, 65534)
    elif spoil == "garbage":
        path.write_text('{"arguments": "--allow-home"}')
    else:
        path.unlink()
        if spoil == "fifo":
            os.mkfifo(path, 0o600)
        else:
            (config.parent / "elsewhere").write_text(text)
            path.symlink_to(config.parent / "elsewhere")
    done = client.run("worker", "restart")
    assert done.returncode in (1, 2), done.stderr
    assert "launch.json" in done.stderr and "--forget" in done.stderr
    done = client.run("call", "system.echo", "--start-worker")
    assert done.returncode == 3 and "launch.json" in done.stderr
    assert client.run("worker", "start", "--forget").returncode == 0
    assert launch(spool)["config"] is None


def test_what_cannot_be_started_again_is_not_stopped(spool, client, start_worker, config):
    worker = start_worker("--config", config)
    (spool.root / "worker" / "launch.json").write_text("{")
    assert client.run("worker", "restart").returncode != 0
    assert worker.process.poll() is None


def test_the_other_roots_of_a_worker_come_back_with_it(folder, spool, client, start_worker,
                                                       config):
    other = Spool(folder / "other")
    start_worker("--config", config, spools=[spool, other])
    assert client.run("worker", "restart").returncode == 0
    assert other.call("a")["status"] == "success"


def test_a_stop_says_that_a_run_starts_a_worker_again(spool, client, start_worker, config):
    start_worker("--config", config)
    assert client.run("pause").returncode == 0  # What is asked waits.
    run = client.start("run", client.batch(("a", "tool.run", {"argv": ["true"]})),
                       "--no-start-worker", *QUICK_RETRIES)
    try:
        wait_until(lambda: spool.request("a").exists(), "the run asks")
        stopped = client.run("worker", "stop")
        assert stopped.returncode == 0, stopped.stderr
        assert "1 client is at work in this root" in stopped.stderr
        assert "--no-start-worker" in stopped.stderr
        again = json.loads(client.run("worker", "stop", "--json").stdout)
        assert again == {"root": str(spool.root), "stopped": False, "clients": 1}
    finally:
        run.kill()
        run.wait()
    assert json.loads(client.run("worker", "stop", "--json").stdout)["clients"] == 0
    assert client.run("worker", "stop").stderr == ""


def test_options_given_now_count_more(spool, folder, client, start_worker, config):
    start_worker("--config", config, "--log-file", folder / "one.log")
    done = client.run("worker", "restart", "--log-file", folder / "two.log", "--durability", "file")
    assert done.returncode == 0, done.stderr
    assert spool.status()["durability"] == "file"
    assert launch(spool)["log_file"] == str(folder / "two.log")
    assert "ready" in client.run("worker", "logs").stdout


def test_the_configurations_own_settings_are_not_overridden(spool, folder, client):
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"durability": "file", "log": {"file": str(folder / "own.log")}}))
    assert client.run("worker", "start", "--worker-config", config).returncode == 0
    assert spool.status()["durability"] == "file"
    assert "ready" in (folder / "own.log").read_text()
    assert "ready" in client.run("worker", "logs").stdout


@pytest.mark.core
def test_a_broken_configuration_ends_no_worker_and_doctor_names_it(spool, client, start_worker,
                                                                   config):
    worker = start_worker("--config", config)
    assert "No problems." in client.run("doctor").stdout
    config.write_text("tool: [")
    done = client.run("worker", "restart")
    assert done.returncode == 2 and str(config) in done.stderr, done.stderr
    assert worker.process.poll() is None and spool.status()["state"] == "ready"
    assert spool.call("still", "system.echo")["status"] == "success"
    done = client.run("doctor")
    assert done.returncode == 1 and f"{config} is refused: " in done.stdout
    config.write_text(json.dumps(CONFIG))
    assert "No problems." in client.run("doctor").stdout


def test_doctor_reads_a_configuration_as_the_last_worker_did(client, start_worker, config):
    start_worker("--config", config.name, prefix=("env", "-C", str(config.parent))).stop()
    assert f"{config} is valid" in client.run("doctor").stdout
    config.unlink()
    done = client.run("doctor")
    assert done.returncode == 1 and str(config) in done.stdout


def test_a_status_that_cannot_be_written_ends_the_start(spool, client):
    (spool.root / "worker/status.json").mkdir(parents=True)
    done = client.run("worker", "start", deadline=10)
    assert done.returncode != 0
    assert "status.json: is a directory" in done.stderr and "remove it" in done.stderr


def test_a_start_right_after_a_kill_starts_another_worker(spool, client, start_worker, config):
    """The lock of a process that was killed is held for some milliseconds yet."""
    for number in range(12):
        first = client.run("worker", "start", "--json")
        assert first.returncode == 0, first.stderr
        pid = json.loads(first.stdout)["pid"]
        os.kill(pid, signal.SIGKILL)
        second = client.run("worker", "start", "--json")
        assert second.returncode == 0, second.stderr
        assert json.loads(second.stdout)["pid"] != pid
        assert spool.call(f"echo-{number}", "system.echo", {"n": number})["status"] == "success"
        os.kill(json.loads(second.stdout)["pid"], signal.SIGKILL)


def test_a_start_with_a_configuration_that_is_refused_is_wrong_usage(spool, folder, client):
    """It ended with 3, as if no worker had been there."""
    path = folder / "refused.yaml"
    path.write_text(json.dumps({"tool": {"allow": ["ls"], "roots": [str(folder)]}}))
    done = client.run("worker", "start", "--worker-config", path, env={"HOME": str(folder)})
    assert done.returncode == 2 and "home directory" in done.stderr, done.stderr


def test_doctor_speaks_of_the_worker_that_runs(client):
    """It said that no provider is there, in a shell without the key that the worker has."""
    key = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    assert client.run("worker", "start", env=key).returncode == 0
    try:
        shown = client.run("doctor", env={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}).stdout
        assert "the worker that runs has " in shown and "openai (openai)" in shown, shown
        assert "set OPENAI_API_KEY" not in shown
        assert "the worker that runs has " not in client.run("doctor", env=key).stdout
    finally:
        client.run("worker", "stop")
