# SPDX-License-Identifier: MIT
"""Every day with a worker: stopping it without losing what runs, its log, its configuration."""

import json
import signal

import pytest

from harness import Client, wait_until


def config_of(folder, programs, log=None):
    return json.dumps({"tool": {"allow": programs, "roots": [str(folder)], "concurrency": 4},
                       "grace": "100ms",
                       "log": {"level": "debug", **({"file": log} if log else {})}})


@pytest.fixture
def config(folder):
    path = folder / "worker.yaml"
    path.write_text(config_of(folder, ["sh", "true"], str(folder / "own.log")))
    return path


def begin_slow(spool, folder):
    spool.drop("slow", "tool.run", {"argv": ["sh", "-c", f"while [ ! -e {folder}/go ]; do "
                                             "sleep 0.02; done; echo done"]})
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")


@pytest.mark.parametrize("verb", ["stop", "restart"])
def test_wait_lets_what_runs_end(spool, folder, client, start_worker, config, verb):
    worker = start_worker("--config", config)
    begin_slow(spool, folder)
    waiting = Client(spool, folder).start("worker", verb, "--wait")
    wait_until(lambda: spool.status()["state"] == "draining", "it takes nothing new")
    spool.drop("later")
    with pytest.raises(AssertionError):  # Longer than its grace.
        wait_until(lambda: worker.process.poll() is not None, "it ends", deadline=0.6)
    (folder / "go").touch()
    assert waiting.wait(30) == 0
    assert worker.wait() == 0
    assert spool.response("slow")["data"]["stdout"] == "done\n"
    if verb == "restart":
        assert spool.wait_response("later")["status"] == "success"
    else:
        assert spool.response("later") is None


def test_what_becomes_of_what_runs_is_said_beforehand(spool, folder, client, start_worker, config):
    start_worker("--config", config)
    assert spool.status()["grace_ms"] == 100
    begin_slow(spool, folder)
    done = client.run("worker", "stop")
    assert "1 command still runs" in done.stderr and "100ms" in done.stderr
    assert "--wait" in done.stderr
    assert client.run("worker", "stop", "--wait", "--now").returncode == 2


def test_a_stop_now_does_not_wait_for_what_runs(spool, folder, client, start_worker):
    """Its two signals came as one, and the worker let its commands end."""
    (folder / "patient.yaml").write_text(config_of(folder, ["sh"]).replace("100ms", "10m"))
    start_worker("--config", folder / "patient.yaml")
    begin_slow(spool, folder)
    done = client.run("worker", "stop", "--now")
    assert done.returncode == 0 and "ended now" in done.stderr, done.stderr
    start_worker("--config", folder / "patient.yaml")
    assert spool.wait_response("slow")["error_code"] == "aborted"


def test_a_stop_says_nothing_of_commands_that_have_ended(spool, folder, client, start_worker,
                                                         config):
    start_worker("--config", config)
    begin_slow(spool, folder)
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the status counts it")
    (folder / "go").touch()
    spool.wait_response("slow")
    assert client.run("worker", "stop").stderr == ""


def test_a_signal_after_a_wait_begins_the_grace(spool, folder, start_worker, config):
    worker = start_worker("--config", config)
    begin_slow(spool, folder)
    worker.signal(signal.SIGUSR1)
    wait_until(lambda: spool.status()["state"] == "draining", "it takes nothing new")
    assert worker.stop() == 0
    assert spool.response("slow")["error_code"] in ("aborted", "cancelled")


def test_a_signal_reads_the_configuration_again(spool, folder, client, start_worker, config):
    worker = start_worker("--config", config)
    assert spool.call("a", "tool.run", {"argv": ["echo"]})["status"] == "error"
    begin_slow(spool, folder)
    before = json.loads((spool.root / "worker/launch.json").read_text())
    config.write_text(config_of(folder, ["sh", "echo"], str(folder / "own.log")))
    worker.signal(signal.SIGHUP)
    wait_until(lambda: "read the configuration again" in (folder / "own.log").read_text(), "it")
    assert spool.call("b", "tool.run", {"argv": ["echo"]})["status"] == "success"
    (folder / "go").touch()
    assert spool.wait_response("slow")["status"] == "success"
    after = json.loads((spool.root / "worker/launch.json").read_text())
    assert after["config_digest"] != before["config_digest"]
    assert client.run("call", "system.echo", "--worker-config", config).returncode == 0
    # A wrong one changes nothing.
    config.write_text("tool: {allowed: [true]}")
    worker.signal(signal.SIGHUP)
    wait_until(lambda: "the one before stays" in (folder / "own.log").read_text(), "it is told")
    assert "allowed" in (folder / "own.log").read_text()
    assert spool.call("c", "tool.run", {"argv": ["echo"]})["status"] == "success"


def test_the_log_is_opened_anew_found_and_followed(spool, folder, client, start_worker, config):
    worker = start_worker("--config", config)
    log = folder / "own.log"
    assert "ready" in client.run("worker", "logs").stdout
    following = Client(spool, folder).start("worker", "logs", "--follow")
    spool.call("first", "tool.run", {"argv": ["true"]})
    assert "first: tool.run begins" in log.read_text()
    assert "first: success after" in log.read_text()
    log.rename(folder / "own.log.1")
    worker.signal(signal.SIGHUP)
    wait_until(lambda: log.exists() and "read the configuration" in log.read_text(), "a new log")
    spool.call("second", "system.echo")
    assert "second: success" in log.read_text()
    printed = next(folder.glob("client-*.log"))
    try:
        wait_until(lambda: "second: success" in printed.read_text(), "it is printed")
    finally:
        following.kill()
        following.wait()


def test_a_root_that_is_not_there_has_no_worker_and_no_log(client, folder):
    for verb in ("stop", "logs"):
        done = client.run("worker", verb, "--root", folder / "none")
        assert done.returncode == 2 and "no such directory" in done.stderr, (verb, done.stderr)
    assert client.run("worker", "status", "--root", folder / "none").returncode == 3


def test_a_quiet_stop_prints_nothing(spool, folder, client, start_worker, config):
    start_worker("--config", config)
    begin_slow(spool, folder)
    done = client.run("worker", "stop", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_command_that_a_stop_cut_off_is_not_said_to_have_killed_the_worker(
        spool, folder, client, start_worker):
    (folder / "w.yaml").write_text(json.dumps({
        "tool": {"allow": ["sh"], "roots": [str(folder)]}, "grace": "30s"}))
    start_worker("--config", folder / "w.yaml")
    begin_slow(spool, folder)
    assert client.run("worker", "stop", "--grace", "100ms").returncode == 0
    start_worker("--config", folder / "w.yaml")
    answer = spool.wait_response("slow")
    assert answer["error_code"] == "aborted" and "stopped" in answer["error_message"], answer


def test_the_grace_of_a_configuration_counts(spool, folder, client, start_worker):
    """The client signalled again after 35 s, whatever the configuration says."""
    (folder / "w.yaml").write_text(json.dumps({
        "tool": {"allow": ["sh"], "roots": [str(folder)]}, "grace": "3m"}))
    start_worker("--config", folder / "w.yaml")
    begin_slow(spool, folder)
    stopping = client.start("worker", "stop")
    log = lambda: "".join(p.read_text() for p in folder.glob("client-*.log"))  # noqa: E731
    wait_until(lambda: "after 3m what is left is ended" in log(), "it says the grace")
    (folder / "go").touch()
    assert stopping.wait(30) == 0 and spool.response("slow")["status"] == "success"
