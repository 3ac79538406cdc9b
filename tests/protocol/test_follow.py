# SPDX-License-Identifier: MIT
"""`filecall follow` and `call --follow`: what a request writes, seen live by somebody."""

import json
import signal
import subprocess

import pytest

from harness import TOOLS, shell, wait_until

STREAMED = {"stream": True}


class Follower:
    """A running `filecall follow`."""

    def __init__(self, client, folder, *arguments):
        self.out, self.err = folder / "follow.out", folder / "follow.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(client.command(*arguments), stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=err)

    def wait_text(self, text, of=None):
        wait_until(lambda: text in (of or self.out).read_text(), f"{text!r} from follow")

    def end(self):
        code = self.process.wait(30)
        return code, self.out.read_text(), self.err.read_text()


@pytest.fixture
def follow(client, folder):
    started = []

    def start(*arguments):
        follower = Follower(client, folder, *arguments)
        started.append(follower)
        return follower

    yield start
    for follower in started:
        if follower.process.poll() is None:
            follower.process.kill()
            follower.process.wait()


def waiting_tool(folder, end="exit 3"):
    return shell(f"echo one; echo wrong >&2; while [ ! -e {folder}/go ]; do sleep 0.02; done; "
                 f"echo two; {end}")


@pytest.mark.core
def test_it_prints_while_the_tool_runs_and_ends_with_it(spool, worker, follow, folder):
    spool.drop("a", "tool.run", waiting_tool(folder), **STREAMED)
    follower = follow("follow", "a")
    follower.wait_text("one\n")
    follower.wait_text("wrong\n", follower.err)
    assert follower.process.poll() is None
    (folder / "go").touch()
    code, out, err = follower.end()
    assert (code, out) == (0, "one\ntwo\n"), err
    assert "exit code 3" in err


def test_it_may_begin_before_the_request_and_before_the_worker(spool, start_worker, follow, folder):
    (folder / "go").touch()
    spool.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    follower = follow("follow", "a", "--patience", "30s")
    follower.wait_text("waits for the request", follower.err)
    spool.drop("a", "tool.run", waiting_tool(folder), **STREAMED)
    follower.wait_text("no worker runs", follower.err)
    start_worker(config=TOOLS)
    assert follower.end()[:2] == (0, "one\ntwo\n")


def test_it_may_begin_after_the_end(spool, worker, client, folder):
    (folder / "go").touch()
    spool.call("a", "tool.run", waiting_tool(folder), **STREAMED)
    done = client.run("follow", "a")
    assert (done.returncode, done.stdout) == (0, "one\ntwo\n")
    assert done.stderr.startswith("wrong\n") and "exit code 3" in done.stderr
    spool.call("b", "tool.run", waiting_tool(folder))
    done = client.run("follow", "b")
    assert (done.returncode, done.stdout) == (0, "one\ntwo\n"), "not streamed: from the response"
    spool.call("c", "system.echo", {"x": 1})
    assert json.loads(client.run("follow", "c").stdout) == {"x": 1}


@pytest.mark.core
def test_json_is_each_event_and_the_response(spool, worker, client, folder):
    (folder / "go").touch()
    answer = spool.call("a", "tool.run", waiting_tool(folder), **STREAMED)
    done = client.run("follow", "a", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["event"] for line in lines][-3:] == ["exited", "finished", "answer"]
    assert lines[-1]["response"] == answer and done.stderr == ""


@pytest.mark.parametrize("end", ["cancelled", "deadline_exceeded", "unknown"])
def test_a_request_that_fails_is_told_with_its_reason(spool, worker, follow, folder, end):
    limit = {"timeout_ms": 500} if end == "deadline_exceeded" else {}
    params = {**waiting_tool(folder), "check": end == "unknown"}
    spool.drop("a", "tool.run", params, **STREAMED, **limit)
    follower = follow("follow", "a")
    follower.wait_text("one\n")
    if end == "cancelled":
        spool.call("c", "system.cancel", {"request_id": "a"})
    if end == "unknown":
        (folder / "go").touch()
    code, _, err = follower.end()
    assert code == 1 and end in err


@pytest.mark.core
def test_it_outlives_its_worker(spool, start_worker, follow, folder):
    worker = start_worker(config=TOOLS)
    spool.drop("a", "tool.run", waiting_tool(folder), **STREAMED)
    follower = follow("follow", "a")
    follower.wait_text("one\n")
    worker.kill()
    follower.wait_text("no worker runs", follower.err)
    start_worker(config=TOOLS)
    code, out, err = follower.end()
    assert (code, out) == (1, "one\n") and "aborted" in err


def test_a_tool_without_effects_is_seen_again_from_its_second_start(spool, start_worker, follow,
                                                                   folder):
    config = json.loads(json.dumps(TOOLS))
    config["tool"]["tools"]["say"] = {
        "description": "Says two words.", "effects": "none",
        "argv": ["sh", "-c", waiting_tool(folder)["argv"][2]], "args": {"type": "object"}}
    worker = start_worker(config=config)
    spool.drop("a", "tool.run", {"tool": "say"}, **STREAMED)
    follower = follow("follow", "a")
    follower.wait_text("one\n")
    worker.kill()
    (folder / "go").touch()
    start_worker(config=config)
    code, out, err = follower.end()
    assert (code, out) == (0, "one\none\ntwo\n") and "execution 2 begins" in err


def test_what_is_not_there_ends_it(spool, worker, client, follow, folder):
    done = client.run("follow", "nosuch", "--patience", "100ms")
    assert done.returncode == 2 and "no such request" in done.stderr
    for i in range(4):
        spool.drop(f"busy-{i}", "tool.run", waiting_tool(folder))
    wait_until(lambda: len(list((spool.root / "worker/started").iterdir())) == 4, "four tools")
    spool.drop("a", "tool.run", waiting_tool(folder), **STREAMED)
    follower = follow("follow", "a")
    follower.wait_text("waits for its turn", follower.err)
    spool.request("a").unlink()
    code, _, err = follower.end()
    assert code == 2 and "withdrawn" in err


def test_an_interrupted_one_leaves_the_request_alone(spool, worker, follow, folder):
    spool.drop("a", "tool.run", waiting_tool(folder), **STREAMED)
    follower = follow("follow", "a")
    follower.wait_text("one\n")
    follower.process.send_signal(signal.SIGINT)
    assert follower.end()[0] == 130
    (folder / "go").touch()
    assert spool.wait_response("a")["status"] == "success"


@pytest.mark.core
def test_a_call_follows_itself(spool, worker, follow, folder):
    params = json.dumps(waiting_tool(folder))
    follower = follow("call", "tool.run", "--params", params, "--id", "a", "--follow")
    follower.wait_text("one\n")
    assert follower.process.poll() is None
    (folder / "go").touch()
    code, out, err = follower.end()
    assert (code, out) == (0, "one\ntwo\n") and "exit code 3" in err


def test_a_call_shows_each_attempt(spool, worker, client, folder):
    script = f"echo try; [ -e {folder}/second ] || {{ touch {folder}/second; exit 1; }}"
    done = client.run("call", "tool.run", "--params", json.dumps(shell(script, check=True)),
                      "--follow", "--json", "--backoff", "1ms")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["text"] for line in lines if line["event"] == "output"] == ["try\n", "try\n"]
    assert lines[-1]["response"]["status"] == "success" and done.returncode == 0


def test_gc_takes_the_events_with_their_response(spool, worker, client, folder):
    (folder / "go").touch()
    spool.call("a", "tool.run", waiting_tool(folder), **STREAMED)
    assert (spool.root / "events/a.jsonl").exists()
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert not (spool.root / "events/a.jsonl").exists()
    done = client.run("follow", "a", "--patience", "0s")
    assert done.returncode == 2, done.stderr
