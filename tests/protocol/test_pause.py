# SPDX-License-Identifier: MIT
"""`filecall pause` and `resume`: nothing new begins, nothing is lost, nothing runs out of time."""

import json
import signal

import pytest

from harness import QUICK_RETRIES, TOOLS, shell, wait_until


def counts(spool):
    return spool.status().get("counts", {})


def held(spool, name="tool"):
    return sum(d["held"] for d in spool.status().get("destinations", []) if d["name"] == name)


def pause(client, *arguments):
    done = client.run("pause", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def resume(client, *arguments):
    done = client.run("resume", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def waiting(folder):
    return shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done; echo ok")


@pytest.mark.core
def test_a_paused_root_starts_nothing_and_what_runs_ends(spool, worker, client, folder):
    spool.drop("running", "tool.run", waiting(folder))
    wait_until(lambda: list((spool.root / "worker/started").iterdir()), "a tool runs")
    pause(client)
    spool.drop("a", "tool.run", shell("echo a"))
    spool.barrier()
    wait_until(lambda: held(spool) == 1, "the status tells it")
    assert spool.status()["paused"] == ["root"]
    (folder / "go").touch()
    assert spool.wait_response("running")["status"] == "success"
    spool.barrier()
    assert not spool.response_path("a").exists()
    assert "paused: the root" in client.run("status").stdout
    assert json.loads(client.run("status", "--json").stdout)["paused"] == [{"kind": "root"}]
    resume(client)
    assert spool.wait_response("a")["status"] == "success"
    wait_until(lambda: spool.status()["paused"] == [], "the status tells it")


@pytest.mark.core
@pytest.mark.parametrize("name", ["tool", "tool.run"])
def test_a_destination_or_command_pauses_alone_and_through_a_restart(spool, start_worker, client,
                                                                     name):
    worker = start_worker(config=TOOLS)
    pause(client, name, "--reason", "repairs")
    path = spool.root / "paused" / f"destination.{name}"
    assert json.loads(path.read_text())["reason"] == "repairs"
    spool.drop("a", "tool.run", shell("echo a"))
    spool.barrier()
    worker.kill()
    start_worker(config=TOOLS)
    spool.barrier()
    wait_until(lambda: held(spool) == 1, "it is held again")
    assert not list((spool.root / "worker/started").iterdir())
    path.unlink()
    assert spool.wait_response("a")["status"] == "success"


def test_files_made_by_hand_count(spool, worker):
    (spool.root / "paused").mkdir(exist_ok=True)
    (spool.root / "paused/root").touch()
    spool.drop("a", "tool.run", shell("echo a"))
    spool.barrier()
    wait_until(lambda: held(spool) == 1, "it is held")
    (spool.root / "paused/root").rename(spool.root / "paused/.root")
    spool.wait_response("a")


@pytest.mark.parametrize("name", [
    "destination.%74ool", "destination.tool%2Erun", "destination.tool%2erun", "%72oot"])
def test_a_file_that_no_resume_would_remove_pauses_nothing(spool, worker, client, name):
    pause(client, "tool.run")
    (spool.root / "paused" / name).touch()
    assert json.loads(client.run("status", "--json").stdout)["paused"] == [
        {"kind": "destination", "name": "tool.run"}]
    assert "is not paused" in client.run("resume", "tool").stderr
    assert resume(client, "--all").stdout == "tool.run goes on.\n"
    assert spool.call("a", "tool.run", shell("echo a"))["status"] == "success"
    assert "Nothing is paused" in resume(client, "--all").stdout
    assert spool.status()["paused"] == [] and (spool.root / "paused" / name).exists()


def test_a_batch_is_not_paused_by_another_spelling_of_its_name(spool, worker, client):
    batch = client.batch(("a", "system.echo"))
    (spool.root / "paused").mkdir(exist_ok=True)
    (spool.root / "paused" / f"batch.%{ord(batch.name[0]):02x}{batch.name[1:]}").touch()
    assert client.run("run", batch).returncode == 0
    assert spool.response("a")["status"] == "success"


def test_many_pauses_are_counted_and_not_all_named(spool, worker, client):
    (spool.root / "paused").mkdir(exist_ok=True)
    for i in range(1000):
        (spool.root / f"paused/destination.d{i:04}").touch()
    wait_until(lambda: spool.status()["paused_count"] == 1000, "the status counts them")
    assert spool.status()["paused"] == [f"d{i:04}" for i in range(20)]
    line = [line for line in worker.output().splitlines() if "paused: " in line][-1]
    assert line.endswith("d0018 d0019, and 980 more")
    assert "d0019, and 980 more" in client.run("status").stdout
    assert len(json.loads(client.run("status", "--json").stdout)["paused"]) == 1000
    assert "d0019, and 980 more" in client.run("resume", "tool").stderr
    resume(client, "--all")
    wait_until(lambda: spool.status()["paused_count"] == 0, "the status tells it")
    assert max(len(line) for line in worker.output().splitlines()) < 1000


def test_what_is_paused_can_be_cancelled_or_withdrawn(spool, worker, client):
    pause(client)
    for stem in ("a", "b"):
        spool.drop(stem, "tool.run", shell("echo a"))
    spool.barrier()
    assert client.run("cancel", "a").returncode == 0
    assert spool.wait_response("a")["error_code"] == "cancelled"
    spool.request("b").unlink()
    resume(client)
    wait_until(lambda: counts(spool).get("pending") == 0, "nothing waits")
    assert not spool.response_path("b").exists()


@pytest.mark.core
def test_a_call_waits_without_a_time_out(spool, worker, client):
    pause(client, "tool.run")
    call = client.start("call", "tool.run", "--params", json.dumps(shell("echo a")), "--id", "a",
                        "--timeout", "700ms", "--attempts", "1")
    wait_until(lambda: held(spool) == 1, "it is held")
    log = max(client.folder.glob("client-*.log"), key=lambda path: path.stat().st_mtime)
    wait_until(lambda: "filecall resume tool.run" in log.read_text(), "the call says why")
    # Longer than its time-out.
    seconds_pass(spool, 3)
    assert call.poll() is None and not spool.response_path("a").exists()
    resume(client, "tool.run")
    assert call.wait(30) == 0
    assert not list((spool.root / "requests").glob("*cancel*"))


def seconds_pass(spool, count):
    """As the worker's clock tells them."""
    seen = spool.status()["heartbeat_at"]
    for _ in range(count):
        wait_until(lambda: spool.status()["heartbeat_at"] != seen, "a second passes")
        seen = spool.status()["heartbeat_at"]


@pytest.mark.parametrize("change", ["another pause stays", "another pause comes"])
def test_what_begins_after_its_time_has_its_whole_time_though_something_is_paused(
        spool, worker, client, folder, change):
    pause(client, "tool.run")
    if change == "another pause stays":
        pause(client, "kube.getResource")
    command = shell(f"echo begun >> {folder}/log; sleep 1.5; echo ok")
    call = client.start("call", "tool.run", "--params", json.dumps(command), "--id", "a",
                        "--timeout", "3s", "--attempts", "1")
    wait_until(lambda: held(spool) == 1, "it is held")
    seconds_pass(spool, 4)
    resume(client, "tool.run")
    if change == "another pause comes":
        pause(client, "kube.getResource")
    assert call.wait(30) == 0
    assert (folder / "log").read_text() == "begun\n"
    assert not list((spool.root / "requests").glob("*cancel*"))


@pytest.mark.core
def test_a_paused_batch_gives_back_what_waits_and_goes_on(spool, worker, client, folder):
    batch = client.batch(*[(f"r{i}", "tool.run", waiting(folder)) for i in range(8)])
    run = client.start("run", batch, "--window", "8", "--attempts", "1", *QUICK_RETRIES)
    started = spool.root / "worker/started"
    wait_until(lambda: len(list(started.iterdir())) == 4 and counts(spool).get("pending") == 4,
               "four run and four wait")
    pause(client, "--batch", batch.name)
    wait_until(lambda: counts(spool).get("pending") == 0, "what waited came back")
    def notes():
        lines = client.run("status").stdout.splitlines()
        return [line for line in lines if line.split()[2:3] == ["WAITING"]]

    wait_until(lambda: len(notes()) == 4, "the status shows what came back")
    for line in notes():
        assert f"its batch is paused; 'filecall resume --batch {batch.name}' ends that" in line
        assert "cancelled" not in line and "next attempt" not in line
    follow = client.start("follow", notes()[0].split()[0])
    log = max(client.folder.glob("client-*.log"))
    wait_until(lambda: "waits: its batch is paused" in log.read_text(), "follow says why")
    assert "failed" not in log.read_text()
    (folder / "go").touch()
    wait_until(lambda: not list(started.iterdir()), "what ran has ended")
    ended = [i for i in range(8) if (spool.response(f"r{i}") or {}).get("status") == "success"]
    assert len(ended) == 4
    # Another client is not concerned.
    assert client.run("call", "tool.run", "--params", json.dumps(shell("echo x"))).returncode == 0
    assert run.poll() is None
    resume(client, "--batch", batch.name)
    assert run.wait(30) == 0 and follow.wait(30) == 0
    assert all(spool.response(f"r{i}")["status"] == "success" for i in range(8))


def test_a_run_of_a_paused_batch_says_so_and_starts_nothing(spool, worker, client):
    batch = client.batch(("first", "system.echo"))
    assert client.run("run", batch).returncode == 0
    with open(batch, "a", encoding="utf-8") as file:
        file.write('{"request_id": "second", "command": "system.echo", "params": {}}\n')
    pause(client, "--batch", batch.name)
    run = client.start("run", batch)
    log = max(client.folder.glob("client-*.log"), key=lambda path: path.stat().st_mtime)
    wait_until(lambda: f"filecall resume --batch {batch.name}" in log.read_text(), "it says why")
    assert not spool.request("second").exists()
    resume(client, "--all")
    assert run.wait(30) == 0 and spool.response("second")["status"] == "success"


def test_a_paused_batch_that_has_ended_ends_again(spool, worker, client):
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(3)])
    assert client.run("run", batch).returncode == 0
    pause(client, "--batch", batch.name)
    done = client.run("run", batch, "--json", "--quiet")
    assert done.returncode == 0
    summary = json.loads(done.stdout)
    assert summary["counts"]["SUCCESS"] == 3 and summary["from_earlier_runs"] == 3


def test_a_paused_run_that_is_interrupted_counts_what_ended_before(spool, worker, client, folder):
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(3)])
    assert client.run("run", batch).returncode == 0
    lines = batch.read_text()
    line = json.dumps({"request_id": "r3", "command": "system.echo", "params": {}})
    batch.write_text(line + "\n" + lines)
    pause(client, "--batch", batch.name)
    out = folder / "summary.json"
    run = client.start("run", batch, "--json", "--on-end", f"cat > {out}")
    log = max(client.folder.glob("client-*.log"), key=lambda path: path.stat().st_mtime)
    wait_until(lambda: '"ended":3' in log.read_text(), "it counts them")
    run.send_signal(signal.SIGTERM)
    assert run.wait(30) == 130
    assert json.loads(out.read_text())["summary"]["counts"]["SUCCESS"] == 3
    assert not spool.request("r3").exists()


def test_a_drain_ends_and_leaves_what_is_paused(spool, start_worker, client):
    start_worker(config=TOOLS).stop()
    pause(client, "tool.run")
    spool.drop("a", "tool.run", shell("echo a"))
    spool.drop("b", "system.echo")
    worker = start_worker("--drain", config=TOOLS, wait=False)
    assert worker.wait() == 0
    assert spool.response("b")["status"] == "success" and not spool.response_path("a").exists()
    assert "stays pending: it is paused" in worker.output()


def test_a_directory_pauses_and_is_resumed_by_its_name(spool, worker, client):
    path = spool.root / "paused/destination.tool.run"
    path.mkdir(parents=True)
    assert json.loads(client.run("status", "--json").stdout)["paused"] == [
        {"kind": "destination", "name": "tool.run"}]
    (path / "file").touch()
    full = client.run("resume", "tool.run")
    assert full.returncode == 2 and "remove it yourself" in full.stderr and path.exists()
    (path / "file").unlink()
    assert resume(client, "tool.run").stdout == "tool.run goes on.\n" and not path.exists()


def test_names_that_are_not_there_are_told(spool, worker, client):
    done = client.run("pause", "tol.run")
    assert done.returncode == 1 and "knows no command" in done.stderr and "tool.run" in done.stderr
    assert "tol.run is paused" in done.stdout
    done = client.run("resume", "tool.run")
    assert done.returncode == 2 and "paused: tol.run" in done.stderr
    assert client.run("pause", "--batch", "nosuch").returncode == 2
    assert json.loads(client.run("resume", "--all", "--json").stdout) == [
        {"kind": "destination", "name": "tol.run"}]
    assert "Nothing is paused" in resume(client, "--all").stdout


def test_what_can_hold_nothing_back_is_refused(spool, worker, client):
    for words, reason in [(("",), "a name is empty"), (("--batch", ""), "a name is empty"),
                          (("system.echo",), "never held back"), (("tool", "system"), "never")]:
        refused = client.run("pause", *words)
        assert refused.returncode == 2 and reason in refused.stderr, (words, refused.stderr)
    assert not list((spool.root / "paused").glob("*"))
