# SPDX-License-Identifier: MIT
"""What somebody else may have put into a root: FIFOs, links and folders where files belong, names
that lead out of it, and folders that others may write to."""

import os
import socket
import sqlite3

import pytest

from harness import wait_until

SECONDS = 20


def put(path, kind):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("/dev/zero")
    else:
        folder = os.getcwd()
        os.chdir(path.parent)  # A socket's path is short.
        socket.socket(socket.AF_UNIX).bind(path.name)
        os.chdir(folder)


KINDS = ["fifo", "folder", "link", "socket"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_answered_whatever_lies_where_its_events_go(spool, llm_worker, kind):
    put(spool.root / "events" / "q.jsonl", kind)
    response = spool.call("q", "llm.chat", {
        "model": "m", "provider": "chat", "prompt": "say Hello", "stream": True})
    assert response["status"] == "success" and response["data"]["text"] == "Hello"
    assert spool.call("e", "system.echo", {})["status"] == "success"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [
    "worker/status.json", "worker/log", "client/seen-answers", "responses/a.json", "failed/a.json",
    "eval/a.json", "requests/a.json", "client/answers/a.json"])
def test_no_command_of_the_client_waits_at_what_is_no_file(spool, client, worker, name, kind):
    spool.call("a", "system.echo", {})
    spool.call("b", "system.echo", {})
    worker.stop()
    put(spool.root / name, kind)
    for words in [("status",), ("show", "a"), ("show", "b"), ("report",), ("worker", "status"),
                  ("worker", "logs"), ("doctor",), ("retry", "a"), ("gc", "--dry-run")]:
        done = client.run(*words, deadline=SECONDS)
        assert done.returncode < 100, (words, done.stderr)
    assert "b" in client.run("status").stdout or name.startswith("client/seen")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["worker/journal/1.log", "worker/started/a.1.none", "worker/log"])
def test_a_worker_starts_or_refuses_at_what_is_no_file(spool, start_worker, name, kind):
    start_worker().stop()
    put(spool.root / name, kind)
    spool.drop("a", "system.echo", {})
    worker = start_worker(wait=False)
    wait_until(lambda: worker.process.poll() is not None or spool.response("a"),
               "an answer or an end", SECONDS)


@pytest.mark.parametrize("target", ["../up", "/etc/passwd", "..", ".hidden", "a/b", "", "x" * 201])
def test_a_cancel_of_what_is_no_request_id_is_refused(spool, worker, target):
    response = spool.call("c", "system.cancel", {"request_id": target})
    assert response["status"] == "error" and response["error_code"] == "invalid_argument"


def test_gc_removes_nothing_outside_the_root_whatever_the_database_says(spool, client, worker):
    batch = client.batch(("a", "system.echo", {}))
    assert client.run("run", "--no-start-worker", batch).returncode == 0
    victims = [spool.root.parent / name for name in ("victim.json", "victim.jsonl")]
    for victim in victims:
        victim.write_text("{}")
    with sqlite3.connect(spool.root / "client" / "state.db") as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(requests)")]
        row = list(database.execute("SELECT * FROM requests WHERE request_id = 'a'").fetchone())
        row[names.index("request_id")] = "../../victim"
        marks = ",".join("?" * len(row))
        database.execute(f"INSERT INTO requests VALUES ({marks})", row)
    for words in [("gc", "--older-than", "0s"), ("status",), ("show", "../../victim"),
                  ("retry", "../../victim"), ("cancel", "../../victim"), ("report",)]:
        client.run(*words)
        assert all(victim.read_text() == "{}" for victim in victims), words
    assert "victim" not in client.run("status", "--json").stdout
    assert not spool.request("a").exists(), "gc went on"


@pytest.mark.parametrize("name", ["requests", "responses", "worker", "client", "paused",
                                  "threads", "approvals", "proposals"])
def test_a_folder_that_others_may_write_to_is_as_bad_as_an_open_root(
        spool, client, start_worker, name):
    start_worker().stop()
    spool.root.chmod(0o755)
    (spool.root / name).mkdir(exist_ok=True)
    (spool.root / name).chmod(0o777)
    worker = start_worker(wait=False)
    assert worker.wait() != 0 and f"chmod 0700 {spool.root / name}" in worker.output()
    for words in [("status",), ("pause",), ("resume", "--all")]:
        done = client.run(*words)
        assert done.returncode != 0 and "chmod 0700" in done.stderr, words
    done = client.run("doctor")
    assert done.returncode != 0 and f"chmod 0700 '{spool.root / name}'" in done.stdout


@pytest.mark.parametrize("name", ["worker/late", "approvals/responses", "events"])
def test_doctor_names_a_file_in_the_place_of_a_directory(spool, client, start_worker, name):
    start_worker().stop()
    assert client.run("doctor").returncode == 0
    path = spool.root / name
    if path.is_dir():
        path.rmdir()
    path.parent.mkdir(exist_ok=True)
    path.touch(0o755)
    done = client.run("doctor")
    assert done.returncode == 1 and f"{path} is not a directory" in done.stdout, done.stdout


@pytest.mark.parametrize("shared", [(), ("--allow-shared-root",)])
def test_pauses_are_not_taken_from_where_a_link_leads(
        spool, client, start_worker, folder, shared):
    start_worker().stop()
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/root").touch()
    (spool.root / "paused").rmdir()
    (spool.root / "paused").symlink_to(folder / "elsewhere")
    worker = start_worker(*shared, wait=False)
    assert worker.wait() != 0 and "paused: is a symbolic link" in worker.output()
    for words in [("status",), ("pause",), ("resume", "--all"), ("doctor",)]:
        done = client.run(*words, *shared)
        assert done.returncode != 0, words
        assert "paused" in done.stdout + done.stderr
        assert "symbolic link" in done.stdout + done.stderr, words
    assert [path.name for path in (folder / "elsewhere").iterdir()] == ["root"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("words", [
    ("worker", "status"), ("worker", "stop"), ("worker", "logs"), ("worker", "restart"),
    ("doctor",), ("status",)])
def test_nothing_in_a_root_of_another_user_is_believed(spool, client, start_worker, words):
    worker = start_worker()
    (spool.root / "worker" / "log").write_text("what another user wrote\n")
    os.chown(spool.root, 12345, 12345)
    done = client.run(*words)
    assert done.returncode != 0 and "12345" in done.stdout + done.stderr
    assert "what another user wrote" not in done.stdout
    assert worker.process.poll() is None, "it was ended by what lies in that root"
    os.chown(spool.root, os.geteuid(), os.getegid())


@pytest.mark.parametrize("where", ["/", "home"])
def test_tools_do_not_get_the_home_directory_or_everything(spool, start_worker, folder, where):
    home = folder / "home"
    home.mkdir()
    root = "/" if where == "/" else str(home) + "/."
    config = {"tool": {"allow": ["ls"], "roots": [root]}}
    worker = start_worker(config=config, env={"HOME": str(home)}, wait=False)
    assert worker.wait() == 2 and "--allow-home" in worker.output()
    start_worker("--allow-home", config=config, env={"HOME": str(home)}).stop()
    (home / "project").mkdir()
    config["tool"]["roots"] = [str(home / "project")]
    start_worker(config=config, env={"HOME": str(home)})


def test_a_worker_warns_of_programs_that_run_anything(spool, start_worker):
    worker = start_worker(config={"tool": {"allow": ["git", "ls", "/usr/bin/python3.11"]}})
    wait_until(lambda: "git, /usr/bin/python3.11 run whatever" in worker.output(), "the warning")


def test_a_terminal_is_shown_nothing_that_it_would_obey(spool, client, worker, folder):
    spool.call("a", "system.echo", {"text": "x\u202ey\u009bz\u007f"})
    output = b""
    pid, terminal = os.forkpty()
    if pid == 0:
        command = client.command("show", "a")
        os.execv(command[0], command)
    try:
        while chunk := os.read(terminal, 65536):
            output += chunk
    except OSError:
        pass  # The other end is closed.
    os.waitpid(pid, 0)
    os.close(terminal)
    text = output.decode()
    assert "system.echo" in text
    assert not set(text) & {"\u202e", "\u009b", "\u007f"}
