# SPDX-License-Identifier: MIT
"""Looking at another user's root leaves nothing there that its owner could not use, and what lies
in a root that is no regular file is neither followed nor waited for."""

import json
import os
import subprocess

import pytest

from harness import QUICK_RETRIES, SLOW, client_program
from sandbox_place import NOBODY

READS = [("status",), ("status", "--counts"), ("status", "--json"),
         ("status", "--state", "SUCCESS"), ("show", "r1"),
         ("report",), ("report", "--json"), ("doctor",), ("compare", "@", "@"),
         ("worker", "status"), ("worker", "logs"), ("runs", "list")]


@pytest.fixture
def theirs(folder, spool):
    """Runs the client on a root of the user nobody; as that user unless told otherwise."""
    if os.getuid() != 0:
        pytest.skip("two users: only as root")
    folder.chmod(0o711)
    for path in (spool.root, spool.root / "requests", spool.root / "responses"):
        os.chown(path, NOBODY, NOBODY)

    def run(*arguments, user=NOBODY):
        prefix = [] if user == 0 else ["setpriv", f"--reuid={user}", f"--regid={user}",
                                       "--clear-groups", "env", f"HOME={folder}"]
        command = [*prefix, str(client_program()), arguments[0], "--root", str(spool.root),
                   *map(str, arguments[1:])]
        return subprocess.run(command, capture_output=True, text=True, timeout=60 * SLOW,
                              check=False, stdin=subprocess.DEVNULL, cwd="/")

    yield run
    run("worker", "stop", "--now")


def listing(spool):
    return {path: (path.lstat().st_uid, path.lstat().st_mtime_ns)
            for path in [spool.root, *spool.root.rglob("*")] if path.name != "status.json"}


def test_reads_by_another_user_leave_nothing(spool, folder, theirs):
    batch = folder / "batch.jsonl"
    batch.write_text("".join(json.dumps({"request_id": f"r{i}", "command": "system.echo",
                                         "params": {}}) + "\n" for i in range(5)))
    batch.chmod(0o644)
    done = theirs("run", batch, *QUICK_RETRIES, "--durability", "file")
    assert done.returncode == 0, done.stderr
    assert theirs("worker", "stop").returncode == 0
    spool.drop("extra")  # Without a row; answered by nobody.
    os.chown(spool.request("extra"), NOBODY, NOBODY)
    own = json.loads(theirs("status", "--json").stdout)
    before = listing(spool)
    for command in READS:
        done = theirs(*command, "--allow-shared-root", user=0)
        assert done.returncode in (0, 1, 2, 3), (command, done.stderr)
        assert "permission" not in done.stderr, command
        assert listing(spool) == before, command
    seen = json.loads(theirs("status", "--json", "--allow-shared-root", user=0).stdout)
    assert seen["counts"] == own["counts"] and len(seen["requests"]) == 6
    assert theirs("status").returncode == 0
    assert theirs("run", batch, "--fresh", *QUICK_RETRIES).returncode == 0


def test_a_reader_sees_what_is_only_in_the_databases_log(spool, folder, theirs):
    """A client that was killed leaves its latest rows there."""
    batch = folder / "batch.jsonl"
    batch.write_text('{"request_id": "r1", "command": "system.echo", "params": {}}\n')
    batch.chmod(0o644)
    assert theirs("run", batch, *QUICK_RETRIES).returncode == 0
    watch = subprocess.Popen(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
                              "--clear-groups", str(client_program()), "watch", "--root",
                              str(spool.root)], stdout=subprocess.PIPE, text=True, cwd="/")
    try:
        spool.drop("late")
        os.chown(spool.request("late"), NOBODY, NOBODY)
        assert "late" in watch.stdout.readline()
        seen = json.loads(theirs("status", "--json", "--allow-shared-root", user=0).stdout)
        assert seen["counts"]["SUCCESS"] == 2
        assert not [r for r in seen["requests"] if r.get("inferred")], seen
    finally:
        watch.kill()
        watch.wait()
    assert theirs("status").returncode == 0


@pytest.mark.parametrize("folder_name", ["requests", "responses", "failed", "eval", "events"])
def test_show_neither_waits_nor_follows(spool, folder, client, fake, folder_name):
    fake()
    assert client.run("call", "system.echo", "--id", "a", "--no-start-worker").returncode == 0
    secret = folder / "secret"
    secret.write_text('{"secret": "do not show"}')
    path = spool.root / folder_name / ("a.jsonl" if folder_name == "events" else "a.json")
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    for arguments in (("show", "a"), ("show", "a", "--json"), ("status",), ("report",)):
        assert client.run(*arguments).returncode in (0, 1), arguments
    path.unlink()
    path.symlink_to(secret)
    for arguments in (("show", "a"), ("show", "a", "--json"), ("report", "--json")):
        done = client.run(*arguments)
        assert "do not show" not in done.stdout + done.stderr, arguments


def test_a_root_that_no_worker_has_served_says_so_to_others(spool, theirs):
    (spool.root / "responses").rmdir()
    before = listing(spool)
    for command in (("status",), ("show", "a"), ("report",)):
        done = theirs(*command, "--allow-shared-root", user=0)
        assert done.returncode == 2 and "no worker has served this root" in done.stderr, command
    assert listing(spool) == before
