# SPDX-License-Identifier: MIT
"""Several users of a group and one root: what each may do, and what no member may do to another."""

import fcntl
import json
import os
import stat

import pytest

from group_root import KEEPER, TEAM, Team
from harness import QUICK_RETRIES, TOOLS, shell, wait_until


@pytest.fixture
def team(folder):
    if os.getuid() != 0:
        pytest.skip("several users: only as root")
    return Team(folder)


MODES = {".": 0o2750, "requests": 0o3770, "responses": 0o2750, "events": 0o2750, "paused": 0o2750,
         "users": 0o3770, "worker": 0o2750, "worker/tmp": 0o2700, "worker/started": 0o2710,
         "worker/late": 0o2700, "worker/journal": 0o2700, "worker/lock": 0o600,
         "worker/alive": 0o640, "worker/status.json": 0o640, "worker/launch.json": 0o600}


def test_members_ask_and_read_and_keep_their_own_state(team, start_worker):
    spool = team.spool
    team.serve(start_worker, TOOLS)
    for name, mode in MODES.items():
        info = (spool.root / name).stat()
        assert (stat.S_IMODE(info.st_mode), info.st_uid, name) == (mode, KEEPER, name)
        assert info.st_gid == TEAM or name.startswith("worker/l"), name
    refused = team.ann.client("call", "system.echo", "--id", "a0", accepts=False)
    assert refused.returncode != 0 and "--allow-shared-root" in refused.stderr
    outside = team.stranger.client("call", "system.echo", "--id", "s0")
    assert outside.returncode != 0 and not spool.request("s0").exists(), outside.stderr

    for user, stem in ((team.ann, "a1"), (team.bob, "b1")):
        done = user.client("call", "system.echo", "--id", stem, "--params", '{"of": 1}')
        assert done.returncode == 0, done.stderr
        info = spool.request(stem).stat()
        assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (user.uid, TEAM, 0o640)
        info = spool.response_path(stem).stat()
        assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (KEEPER, TEAM, 0o640)
        home = team.own_home(user).stat()
        assert (home.st_uid, stat.S_IMODE(home.st_mode) & 0o777) == (user.uid, 0o700)
    # Each sees what it dropped; all may read a response; the keeper sees everything.
    for user, stems in ((team.ann, {"a1"}), (team.bob, {"b1"}), (team.keeper, {"a1", "b1"})):
        seen = json.loads(user.client("status", "--json").stdout)
        assert {one["request_id"] for one in seen["requests"]} == stems
    assert '"of": 1' in team.bob.client("show", "a1").stdout
    assert json.loads(team.bob.run("cat", spool.response_path("a1")).stdout)["status"] == "success"

    # A file that the worker may not read is said to be one.
    team.ann.python("import os, sys; os.umask(0o077); open(sys.argv[1], 'w').write('{}')",
                    spool.request("closed"))
    assert "group" in spool.wait_response("closed")["error_message"]
    # A user of this machine's database who is no member: only root could put his file there.
    for stem, gid in (("moved", 65534), ("kept", TEAM)):
        path = spool.root / "requests" / f".{stem}"
        path.write_text(spool.text(stem))
        os.chown(path, 65534, gid)
        path.rename(spool.request(stem))
        assert spool.wait_response(stem)["error_code"] == "permission_denied"


@pytest.mark.parametrize("durability", ["full", "journal", "none"])
def test_an_error_is_asked_again_by_its_own_user_alone(team, start_worker, durability):
    spool = team.spool
    team.serve(start_worker, TOOLS, durability)
    done = team.ann.client("call", "tool.run", "--id", "a", "--durability", durability, "--params",
                           json.dumps(shell("exit 3", check=True)), *QUICK_RETRIES)
    assert done.returncode == 1 and "3 attempts" in done.stderr, done.stderr
    discards = [stem for stem in spool.responses() if ".discard-" in stem]
    assert len(discards) == 2
    for stem in discards:
        assert spool.response(stem)["data"]["state"] == "discarded"
    assert (team.own_home(team.ann) / "failed" / "a.json").exists()
    assert stat.S_IMODE(spool.response_path("a").stat().st_mode) == 0o640
    if durability != "full":
        return
    response = spool.response_path("a").stat()
    version = {"request_id": "a", "inode": response.st_ino, "mtime_ns": response.st_mtime_ns,
               "size": response.st_size}
    assert team.bob.ask("b1", "system.discard", version)["error_code"] == "permission_denied"
    other = team.ann.ask("a1", "system.discard", {**version, "inode": 1})
    assert other["data"] == {"request_id": "a", "discarded": False, "state": "other"}
    denied = team.bob.client("retry", "a")
    assert denied.returncode != 0 and "another user's" in denied.stderr
    assert spool.response_path("a").stat().st_ino == response.st_ino
    assert team.bob.client("gc", "--older-than", "0s").returncode != 0
    assert team.ann.client("retry", "a").returncode == 0
    again = team.ann.client("watch", "--until-idle", "--quiet", *QUICK_RETRIES)
    assert again.returncode in (0, 1), again.stderr
    assert spool.response_path("a").stat().st_ino != response.st_ino
    assert team.keeper.client("gc", "--older-than", "0s").returncode == 0
    assert not spool.response_path("a1").exists() and not spool.request("a1").exists()


# What a member tries with the files of another one, who is {ann}. Each line is one attempt.
ATTEMPTS = """
import fcntl, os, sys
root, ann = sys.argv[1:3]
os.chdir(root)
os.umask(0)
def write(path, flags=os.O_WRONLY):
    os.write(os.open(path, flags, 0o666), b"forged")
attempts = {
    "delete a request": lambda: os.unlink("requests/a.json"),
    "rename a request": lambda: os.rename("requests/a.json", "requests/b.json"),
    "replace a request": lambda: (write("requests/.b", os.O_WRONLY | os.O_CREAT),
                                  os.rename("requests/.b", "requests/a.json")),
    "write into a request": lambda: write("requests/a.json"),
    "delete a response": lambda: os.unlink("responses/a.json"),
    "write into a response": lambda: write("responses/a.json"),
    "replace a response": lambda: os.rename("requests/.b", "responses/a.json"),
    "forge a response": lambda: write("responses/new.json", os.O_WRONLY | os.O_CREAT),
    "link a response": lambda: os.link("requests/.b", "responses/new.json"),
    "forge events": lambda: write("events/a.jsonl", os.O_WRONLY | os.O_CREAT),
    "pause the root": lambda: write("paused/root", os.O_WRONLY | os.O_CREAT),
    "rename requests/": lambda: os.rename("requests", "r"),
    "add a folder": lambda: os.mkdir("more"),
    "change a mode": lambda: os.chmod("requests", 0o777),
    "read a home": lambda: os.listdir(f"users/{ann}"),
    "rename a home": lambda: os.rename(f"users/{ann}", "users/x"),
    "read its database": lambda: open(f"users/{ann}/client/state.db").read(),
    "take the worker's lock": lambda: os.open("worker/lock", os.O_RDONLY),
    "read how it was started": lambda: open("worker/launch.json").read(),
    "list what runs": lambda: os.listdir("worker/started"),
    "read what is staged": lambda: os.listdir("worker/tmp"),
    "read the journal": lambda: os.listdir("worker/journal"),
    "read late responses": lambda: os.listdir("worker/late"),
    "forge the status": lambda: write("worker/status.json"),
    "replace the status": lambda: os.rename("requests/.b", "worker/status.json"),
}
for name, attempt in attempts.items():
    try:
        attempt()
        print("done:", name)
    except PermissionError:
        pass
"""


@pytest.mark.core
def test_what_a_member_tries_with_what_is_anothers(team, start_worker, folder):
    spool = team.spool
    worker = team.serve(start_worker, TOOLS)
    assert team.ann.client("call", "system.echo", "--id", "a").returncode == 0
    assert team.bob.python(ATTEMPTS, spool.root, team.ann.uid) == ""

    # Its commands: neither cancelled nor discarded, waiting or running.
    gate = folder / "gate"
    wait = shell(f"while [ ! -e {gate} ]; do sleep 0.02; done; echo ann")
    team.ann.drop("run", "tool.run", wait)
    wait_until(lambda: team.executing() == 1, "it runs")
    denied = team.bob.ask("b1", "system.cancel", {"request_id": "run"})
    assert denied["error_code"] == "permission_denied", denied
    assert team.bob.client("cancel", "run").returncode != 0
    # Its id: taken by whoever dropped it first. The other one is told, and gets no response of it.
    for stem in ("run", "a"):  # The second one is the same text.
        squatted = team.bob.client("call", "system.echo", "--id", stem)
        assert squatted.returncode != 0 and "request of that id" in squatted.stderr, squatted
        assert squatted.stdout == ""
    # It withdraws the request while it runs, and another one takes the id: each to his own.
    team.ann.remove("run")
    team.bob.drop("run", "system.echo", {"of": "bob"})
    gate.touch()
    assert spool.wait_response("run")["data"] == {"of": "bob"}
    # The same while it waits for its turn.
    gate.unlink()
    for number in range(TOOLS["tool"]["concurrency"]):
        team.ann.drop(f"full-{number}", "tool.run", wait)
    team.ann.drop("turn", "tool.run", shell("echo ann"))
    wait_until(lambda: spool.status()["destinations"][0]["waiting"] == 1, "one waits")
    team.ann.remove("turn")
    team.bob.drop("turn", "tool.run", shell("echo bob"))
    gate.touch()
    assert spool.wait_response("turn")["data"]["stdout"] == "bob\n"

    # What says that a worker lives: who holds it keeps no worker from starting.
    assert worker.stop() == 0
    held = os.open(spool.root / "worker/alive", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    team.serve(start_worker, TOOLS)
    assert team.ann.ask("after")["status"] == "success"
    # A home's name that another one has taken leaves a second one.
    team.bob.python("import os, sys; os.mkdir(sys.argv[1])", spool.root / "users/62009")
    assert team.keeper.client("call", "system.echo", "--id", "k").returncode == 0
    assert (spool.root / "users/62009.1/client/state.db").exists()
    os.close(held)


def test_nobody_fills_the_queue_or_starves_the_others(team, start_worker, folder):
    spool = team.spool
    limits = {"max_running": 1, "max_waiting": 3}
    tools = {"tool": {**TOOLS["tool"], "concurrency": 2}}
    team.serve(start_worker, tools, per_user=limits)
    gate, notes = folder / "gate", folder / "notes"
    notes.touch()
    notes.chmod(0o666)
    wait = shell(f'echo "$0" >> {notes}; while [ ! -e {gate} ]; do sleep 0.02; done')
    for number in range(6):
        name = f"a{number}"
        team.ann.drop(name, "tool.run", {"argv": [*wait["argv"], name]})
        wait_until(notes.read_text, "the first one runs")
    for name in ("a4", "a5"):
        refused = spool.wait_response(name)
        assert refused["error_code"] == "resource_exhausted" and refused["retryable"], refused
        assert refused["retry_after_ms"] > 0
    # There is room for two, and one of them is kept for others.
    for name in ("b0", "b1"):
        team.bob.drop(name, "tool.run", {"argv": [*wait["argv"], name]})
    wait_until(lambda: notes.read_text().split() == ["a0", "b0"], "one of each runs")
    gate.touch()
    for name in ("a1", "a2", "a3", "b1"):
        assert spool.wait_response(name)["status"] == "success"
    assert sorted(notes.read_text().split()) == ["a0", "a1", "a2", "a3", "b0", "b1"]


def test_a_root_that_is_a_groups_is_served_and_used_as_one(team, start_worker):
    spool = team.spool
    worker = team.serve(start_worker, TOOLS)
    assert team.ann.ask("first")["status"] == "success"
    assert worker.stop() == 0
    alone = start_worker(spools=[spool], prefix=team.keeper.prefix, wait=False)
    assert alone.wait() != 0 and f"--group {TEAM}" in alone.output()
    others = start_worker("--group", str(TEAM), spools=[spool], prefix=team.ann.prefix, wait=False)
    assert others.wait() != 0
    unknown = start_worker("--group", "no-such-group", spools=[spool], wait=False)
    assert unknown.wait() == 2 and "no-such-group" in unknown.output()
    # No member starts its worker.
    started = team.ann.client("worker", "start")
    assert started.returncode != 0 and "62009" in started.stderr
    # What is open is refused, and named with what mends it.
    (spool.root / "responses").chmod(0o2770)
    for user in (team.ann, team.keeper):
        refused = user.client("status")
        assert refused.returncode != 0 and "chmod 2750" in refused.stderr, refused.stderr
    report = json.loads(team.ann.client("doctor", "--json").stdout)
    assert any("chmod 2750" in one.get("advice", "") for one in report["findings"]), report
    # The worker mends what is its own.
    team.serve(start_worker, TOOLS)
    assert team.ann.client("status").returncode == 0
    report = json.loads(team.ann.client("doctor", "--json").stdout)
    assert not [one for one in report["findings"]
                if one["subject"] == "root" and one["severity"] == "problem"], report


def test_a_member_runs_a_batch_and_neither_edits_nor_pauses(team, start_worker):
    spool = team.spool
    team.serve(start_worker, TOOLS)
    mine = team.ann.home
    batch = mine / "batch.jsonl"
    batch.write_text('{"command": "system.echo", "params": {"n": 1}}\n')
    done = team.ann.client("run", str(batch), "--out", str(mine / "out.jsonl"))
    assert done.returncode == 0, done.stderr
    assert json.loads((mine / "out.jsonl").read_text())["data"] == {"n": 1}
    for command, code, reason in [(("edit", "x", "--priority", "1"), 1, "the root of a group"),
                                  (("pause",), 2, "only its owner")]:
        refused = team.ann.client(*command)
        assert refused.returncode == code and reason in refused.stderr, refused.stderr
    # scripts/filecall.py, whatever the umask, and where this user's copies of final failures are.
    asked = team.ann.module("print(filecall.call('system.echo', {'x': 1}, 20, root, "
                            "allow_shared_root=True))")
    assert asked == "{'x': 1}\n"
    done = team.ann.client("call", "no.such", "--id", "wrong")
    assert done.returncode == 1, done.stderr
    for ids in (["wrong"], ["wrong", *(f"none-{i}" for i in range(70))]):
        got = team.ann.module(f"found = filecall.results({ids}, 20, root, final=True, "
                              "allow_shared_root=True)\n"
                              "print(next(found)[1]['error_code'])")
        assert got == "unimplemented\n", got
    # Somebody has taken all names that are for a user who comes later.
    for end in ["", *(f".{number}" for number in range(1, 10))]:
        team.ann.python("import os, sys; os.mkdir(sys.argv[1])",
                        spool.root / f"users/{team.bob.uid}{end}")
    refused = team.bob.client("status")
    assert f"the user {team.ann.uid} took this name" in refused.stderr, refused.stderr
