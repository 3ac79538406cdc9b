# SPDX-License-Identifier: MIT
"""Whom a response of a group's root answers, when users take each other's ids or numbers."""

import json
import os
import subprocess
import sys

import pytest

from group_root import KEEPER, TEAM, Team
from harness import QUICK_RETRIES, TOOLS, shell


@pytest.fixture
def team(folder):
    if os.getuid() != 0:
        pytest.skip("several users: only as root")
    return Team(folder)


def test_a_response_to_another_user_is_not_taken(team, start_worker):
    """Somebody guesses an id, has it answered and removes the request before the other one asks."""
    spool = team.spool
    team.serve(start_worker, TOOLS)
    for stem in ("one", "two", "three"):
        assert team.bob.ask(stem, params={"of": "bob"})["user"] == team.bob.uid
        team.bob.remove(stem)
    call = ("call", "system.echo", "--params", '{"of": "ann"}', *QUICK_RETRIES)
    refused = team.ann.client(*call, "--id", "one", "--attempts", "1")
    assert refused.returncode == 1 and f"uid {team.bob.uid}" in refused.stderr, refused
    done = team.ann.client(*call, "--id", "two")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"of": "ann"}), done
    assert spool.response("two")["user"] == team.ann.uid
    # What nobody drives is not called answered.
    team.ann.drop("three", params={"of": "ann"})
    for user in (team.ann, team.keeper):
        seen = json.loads(user.client("status", "--json").stdout)["requests"]
        assert {one["request_id"]: one["state"] for one in seen}["three"] == "NEW", seen
    asked = team.ann.module("print(filecall.response('three', root, allow_shared_root=True)"
                            "['error_message'])")
    assert f"uid {team.bob.uid}" in asked, asked


@pytest.mark.parametrize("stays", [True, False])
def test_an_id_that_another_one_took_later_tells_the_first_nothing(team, start_worker, stays):
    """Who asked first removes the request, and another one takes the id: two requests."""
    spool = team.spool
    team.serve(start_worker, TOOLS)
    batch = team.ann.home / "batch.jsonl"
    batch.write_text('{"request_id": "x", "command": "system.echo", "params": {"of": "ann"}}\n'
                     '{"request_id": "y", "command": "system.echo", "params": {"of": "ann"}}\n')
    assert team.ann.client("run", str(batch)).returncode == 0
    team.ann.remove("x")
    assert team.bob.client("call", "system.echo", "--id", "x", "--params", '{"of": "bob"}',
                           *QUICK_RETRIES).returncode == 0
    assert spool.response("x")["data"] == {"of": "bob"}
    if not stays:
        team.bob.remove("x")
    shown = json.loads(team.ann.client("show", "x", "--json").stdout)
    assert shown["response"] is None and '"bob"' not in json.dumps(shown["files"]), shown
    followed = team.ann.client("follow", "x")
    assert followed.returncode != 0 and f"answers uid {team.bob.uid}" in followed.stderr, followed
    assert '"bob"' not in followed.stdout
    report = json.loads(team.ann.client("report", "--format", "json").stdout)
    assert [item["outcome"] for item in report["items"]] == ["missing", "answered"], report["items"]
    graded = team.ann.home / "eval.yaml"
    graded.write_text("name: e\ngraders:\n  - {name: g, kind: json_path, path: $.of, "
                      "equals: bob}\n")
    done = team.ann.client("eval", "--spec", str(graded), "--on", "latest", "--json")
    assert '"passed": 1' not in done.stdout, done
    # Who has asked nothing sees what is there, and of a request that is gone nothing.
    asked = team.ann.module("print(filecall.response('x', root, allow_shared_root=True)"
                            "['status'])")
    assert asked == ("success\n" if stays else "error\n")
    final = team.ann.module("print(filecall.response('x', root, final=True, "
                            "allow_shared_root=True))")
    assert ("bob" in final) is stays, final
    # A module that asks the same as another one has asked does not get that one's answer.
    team.bob.drop("same", params={"of": "us"})
    spool.wait_response("same")
    refused = team.ann.module(
        "try:\n"
        "    print(filecall.call('system.echo', {'of': 'us'}, 20, root, id='same', "
        "allow_shared_root=True))\n"
        "except FileExistsError as error:\n"
        "    print(error)\n")
    assert "another user's request" in refused, refused


# Runs the rest of its words in a user namespace where users and groups have these numbers.
SHIFTED = """
import ctypes, os, sys
users, groups, uid, gid, *words = sys.argv[1:]
pid, unshared, mapped = os.getpid(), os.pipe(), os.pipe()
if os.fork() == 0:
    os.read(unshared[0], 1)
    for name, text in (("uid_map", users), ("gid_map", groups)):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(text)
    os.write(mapped[1], b"x")
    os._exit(0)
if ctypes.CDLL(None).unshare(0x10000000) != 0:
    sys.exit("no user namespace")
os.write(unshared[1], b"x")
os.read(mapped[0], 1)
os.setgroups([int(gid)])
os.setgid(int(gid))
os.setuid(int(uid))
os.execv(words[0], words)
"""


def shifted(users, groups, uid, gid):
    words = [sys.executable, "-c", SHIFTED, users, groups, str(uid), str(gid)]
    if subprocess.run([*words, "/bin/true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("no user namespaces here")
    return words


FAR = 1_500_000  # Numbers that no account of this machine has.


def test_a_worker_that_sees_other_users_is_refused_before_anything_is_asked(team, start_worker):
    spool = team.spool
    prefix = shifted(f"{FAR} {TEAM} 100\n", f"{FAR} {TEAM} 100\n", FAR + KEEPER - TEAM, FAR)
    start_worker(config=team.config(TOOLS, group=str(FAR)), spools=[spool], prefix=prefix)
    status = spool.status()
    assert (status["user"], status["user_map"]) == (FAR + KEEPER - TEAM, f"{FAR} {TEAM} 100")
    for user in (team.ann, team.keeper):
        refused = user.client("call", "system.echo", "--id", "n", *QUICK_RETRIES)
        assert refused.returncode == 2 and "user namespace" in refused.stderr, refused
        assert not spool.request("n").exists()


def test_a_worker_that_sees_its_own_user_alone_does_nothing_twice(team, start_worker, folder):
    """Its own number is the same, those of the members are not."""
    spool = team.spool
    prefix = shifted(f"{KEEPER} {KEEPER} 1\n{FAR} {TEAM} 9\n", f"{TEAM} {TEAM} 10\n", KEEPER, TEAM)
    team_config = team.config(TOOLS)
    start_worker(config=team_config, spools=[spool], prefix=prefix)
    notes = folder / "notes"
    notes.touch()
    notes.chmod(0o666)
    done = team.ann.client("call", "tool.run", "--id", "n", *QUICK_RETRIES, "--params",
                           json.dumps(shell(f"echo once >> {notes}")))
    assert done.returncode == 1 and "user namespace" in done.stderr, done
    assert "1 attempt)" in done.stderr, done
    assert notes.read_text() == "once\n"
    assert spool.response("n")["user"] == FAR + team.ann.uid - TEAM
