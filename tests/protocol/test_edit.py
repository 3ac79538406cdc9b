# SPDX-License-Identifier: MIT
"""`filecall edit`: it is always known which text of a request runs, and what others recorded of it
stays true."""

import json

import pytest

from harness import QUICK_RETRIES, Spool, wait_until


def set_argv(line, word):
    return "params.argv=" + json.dumps(line.note(word)["argv"])


def refusal(client, *arguments):
    done = client.run("edit", *arguments, "--json")
    assert done.returncode in (1, 2), done.stdout
    return done.returncode, json.loads(done.stdout)[0]


@pytest.mark.core
def test_what_waits_runs_with_its_new_text_alone(spool, client, line, folder):
    for stem in ("a", "b", "c"):
        spool.drop(stem, "tool.run", line.note(f"old-{stem}"))
    line.wait(3)
    done = client.run("edit", "a", "--set", set_argv(line, "new-a"), "--priority", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{"request_id": "a", "changed": ["params", "priority"]}]
    assert client.run("edit", "a", "--priority", "3").stdout == "a: is so already\n"
    (folder / "editor").write_text("#!/bin/sh\nsed -i s/old-b/new-b/ \"$1\"\n")
    (folder / "editor").chmod(0o700)
    env = {"VISUAL": "", "EDITOR": str(folder / "editor"), "TMPDIR": str(folder)}
    assert client.run("edit", "b", env=env).stdout == "b: edited: params\n"
    assert not list(folder.glob("filecall-edit-*"))
    line.wait(3)
    line.go()
    for stem in ("a", "b", "c"):
        assert spool.wait_response(stem)["status"] == "success"
    assert line.noted()[0] == "new-a" and sorted(line.noted()) == ["new-a", "new-b", "old-c"]


def test_what_cannot_be_edited_says_why_and_stays(spool, client, line, folder):
    spool.drop("a", "tool.run", line.note("a"))
    line.wait(1)
    before = spool.request("a").read_bytes()
    for arguments, code, words in [
            (("blocker", "--priority", "1"), 1, "has begun"),
            (("none", "--priority", "1"), 1, "no such request"),
            (("a", "--set", "params.argv=7"), 2, "/params/argv"),
            (("a", "--set", "params.agrv=[]"), 2, "agrv"),
            (("a", "--set", "prioriti=1"), 2, "priority"),
            (("a", "--set", "request_id=b"), 2, "request_id"),
            (("a", "--set", "command=system.echo", "--unset", "params.argv"), 2, "another command"),
            (("a", "--set", "after=[\"b\"]"), 2, "after")]:
        got, answer = refusal(client, *arguments)
        assert got == code and words in answer["error_message"], (arguments, answer)
    for arguments in [("a", "--set", "x"), ("--set", "x=1"), ("a", "b"), ("--batch", "x")]:
        assert client.run("edit", *arguments).returncode == 2, arguments
    env = {"VISUAL": "", "EDITOR": "truncate -s 1", "TMPDIR": str(folder)}
    done = client.run("edit", "a", env=env)
    assert done.returncode == 2 and str(next(folder.glob("filecall-edit-*"))) in done.stderr
    assert client.run("edit", "a", env={**env, "EDITOR": "false"}).returncode == 1
    done = client.run("edit", "a", env={**env, "EDITOR": ""})
    assert done.returncode == 2 and "$EDITOR" in done.stderr
    assert spool.request("a").read_bytes() == before
    # A worker that does not reply; what a person has typed is kept.
    (folder / "editor").write_text("#!/bin/sh\nsed -i s/order/typed/ \"$1\"\n")
    (folder / "editor").chmod(0o700)
    with line.worker.stopped():
        got, answer = refusal(client, "a", "--set", set_argv(line, "x"), "--patience", "200ms")
        assert got == 1 and answer["error_code"] == "unavailable"
        done = client.run("edit", "a", "--patience", "200ms",
                          env={**env, "EDITOR": str(folder / "editor")})
    kept = [path for path in folder.glob("filecall-edit-*") if "typed" in path.read_text()]
    assert done.returncode == 1 and len(kept) == 1 and f"kept in {kept[0]}" in done.stderr
    line.go()
    assert spool.wait_response("a")["status"] == "success" and line.noted() == ["a"]
    assert "is SUCCESS already" in refusal(client, "a", "--priority", "1")[1]["error_message"]
    assert client.status()["counts"]["SUCCESS"] == 2


@pytest.mark.core
def test_of_what_a_run_asked_only_the_priority_changes(spool, client, line, folder):
    requests = [(f"r{i}", "tool.run", line.note(f"r{i}")) for i in range(4)]
    batch = client.batch(*requests)
    out = folder / "out.jsonl"
    run = client.start("run", batch, "--attempts", "1", "--out", out, *QUICK_RETRIES)
    call = client.start("call", "tool.run", "--params", json.dumps(line.note("call")), "--id",
                        "call", "--attempts", "1")
    line.wait(5)
    got, answer = refusal(client, "r3", "--set", set_argv(line, "x"))
    assert got == 1 and f"batch {batch.name} asked it" in answer["error_message"]
    got, answer = refusal(client, "call", "--set", set_argv(line, "x"))
    assert got == 1 and "waits for the response" in answer["error_message"]
    # A worker that does not reply: nothing is changed.
    before = spool.request("r3").read_bytes()
    with line.worker.stopped():
        got, answer = refusal(client, "r3", "--priority", "7", "--patience", "200ms")
        assert got == 1 and answer["error_code"] == "unavailable"
        assert spool.request("r3").read_bytes() == before
    assert client.run("edit", "r3", "--priority", "5").returncode == 0
    done = client.run("edit", "--batch", batch.name, "--priority", "2", "--json")
    assert done.returncode == 0 and len(json.loads(done.stdout)) == 4
    assert client.run("edit", "r3", "--priority", "5").returncode == 0
    line.wait(5)
    line.go()
    assert run.wait(30) == 0 and call.wait(30) == 0
    assert line.noted()[0] == "r3" and line.noted()[-1] == "call" and len(line.noted()) == 5
    assert json.loads(spool.request("r0").read_text())["priority"] == 2
    results = [json.loads(one) for one in out.read_text().splitlines()]
    assert {one["request_id"]: one["attempts"] for one in results} == {
        stem: 1 for stem, *_ in requests}


def test_a_watch_drives_the_new_text(spool, client, line):
    watch = client.start("watch", "--until-idle", *QUICK_RETRIES)
    for i in range(2):
        spool.drop(f"w{i}", "tool.run", line.note(f"old-{i}"))
    line.wait(2)
    wait_until(lambda: sum(one["state"] == "POLLING" for one in client.status()["requests"]) == 3,
               "the watch has them")
    for i in range(2):
        done = client.run("edit", f"w{i}", "--set", set_argv(line, f"new-{i}"))
        assert done.returncode == 0, done.stderr
    line.wait(2)
    line.go()
    assert watch.wait(30) == 0
    assert sorted(line.noted()) == [f"new-{i}" for i in range(2)]


def test_without_a_worker_and_after_an_edit_that_was_killed(spool, client, start_worker):
    spool.drop("a", "system.echo", {"x": 1})
    assert client.run("edit", "a", "--set", "params.x=2").stdout == "a: edited: params\n"
    # What an edit leaves that is killed after the worker gave the request back.
    spool.drop("b", "system.echo", {"x": 1})
    spool.response_path("b").write_text(json.dumps(
        {"request_id": "b", "status": "error", "error_code": "cancelled", "retryable": True,
         "error_message": "given back", "error_details": {"pause": True, "started": False}}))
    assert client.run("edit", "b", "--set", "params.x=3").returncode == 0
    assert not spool.response_path("b").exists()
    start_worker()
    assert spool.wait_response("a")["data"] == {"x": 2}
    assert spool.wait_response("b")["data"] == {"x": 3}


def test_an_id_whose_text_was_edited_is_another_request(spool, client, line):
    """A call that was interrupted leaves its request, with what it asked."""
    call = client.start("call", "tool.run", "--params", json.dumps(line.note("old")), "--id", "a")
    line.wait(1)
    call.kill()
    call.wait()
    assert client.run("edit", "a", "--set", set_argv(line, "new")).returncode == 0
    line.go()
    spool.wait_response("a")
    again = client.run("call", "tool.run", "--params", json.dumps(line.note("old")), "--id", "a")
    assert again.returncode == 2 and "other content" in again.stderr
    same = client.run("call", "tool.run", "--params", json.dumps(line.note("new")), "--id", "a")
    assert same.returncode == 0 and line.noted() == ["new"]


def test_a_root_that_has_only_requests_is_used_as_one(spool, client, start_worker, folder):
    """As a client of any other program makes it, before any worker came."""
    spool.drop("a", params={"x": 1})
    spool.drop("b")
    (spool.root / "responses").rmdir()
    # Of another user's root nothing is made, and it is said why it cannot be read.
    outside = Spool(folder / "outside")
    (outside.root / "requests").rmdir()
    done = client.run("status", "--root", outside.root)
    assert done.returncode == 2 and "this is no root" in done.stderr, done.stderr
    assert json.loads(client.run("status", "--json").stdout)["counts"]["NEW"] == 2
    (spool.root / "responses").rmdir()
    assert client.run("edit", "a", "--set", "params.x=2").stdout == "a: edited: params\n"
    done = client.run("cancel", "b", "--patience", "0s")
    assert done.returncode == 0 and "asked" in done.stdout, done.stderr
    start_worker()
    assert spool.wait_response("a")["data"] == {"x": 2}
    assert spool.wait_response("b.cancel-1")["status"] == "success"


def test_two_that_edit_at_once_end_nothing(spool, client, line, folder):
    """Each took the other's withdrawal for an end, and the request was lost."""
    for n in range(30):
        spool.drop(f"r{n}", "tool.run", line.note(f"old-{n}"))
    line.wait(30)
    assert client.run("pause").returncode == 0
    texts = [(f"new-{n}-a", f"new-{n}-b") for n in range(30)]
    for n, words in enumerate(texts):
        editors = [client.start("edit", f"r{n}", "--set", set_argv(line, word)) for word in words]
        assert 0 in [editor.wait(30) for editor in editors], n
        assert not spool.response_path(f"r{n}").exists(), n
    said = "".join(path.read_text() for path in folder.glob("client-*.log"))
    assert "has begun" not in said and "has not replied" not in said, said
    assert client.run("resume").returncode == 0
    line.go()
    for n in range(30):
        assert spool.wait_response(f"r{n}")["status"] == "success", n
    assert len(line.noted()) == 30
    assert all(word in texts[int(word.split("-")[1])] for word in line.noted())
