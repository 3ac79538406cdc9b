# SPDX-License-Identifier: MIT
"""Batch lines that wait for others: order, failures, kills, retries, limits, Ctrl-C."""

import json
import signal

import pytest

from harness import QUICK_RETRIES, read_json, shell, wait_until, with_tool
from llm_lines import read_lines, write_lines


def line(stem, script="true", **members):
    return {"request_id": stem, "command": "tool.run",
            "params": shell(script, check=True), **members}


@pytest.fixture
def tools(start_worker):
    return start_worker(config=with_tool(concurrency=8))


@pytest.fixture
def ask(client, folder):
    """ask(lines, *options) -> (what ended, the lines of --out by id)"""
    def run(lines, *options, attempts="1"):
        batch = write_lines(folder / "b.jsonl", lines)
        done = client.run("run", batch, "--out", folder / "out.jsonl", "--no-start-worker",
                          "--attempts", attempts, *QUICK_RETRIES, *options)
        out = folder / "out.jsonl"
        return done, {one["request_id"]: one for one in read_lines(out)} if out.exists() else {}
    return run


def noted(folder, stem, more=""):
    """A script that notes its start."""
    return f"echo {stem} >>{folder}/order; {more}"


def order(folder):
    path = folder / "order"
    return path.read_text().split() if path.exists() else []


def graph(folder, more=""):
    """d waits for b and c, those for a; what waits stands before what it waits for."""
    return [line("d", noted(folder, "d", more), after=["b", "c"]),
            line("b", noted(folder, "b", more), after=["a"]),
            line("c", noted(folder, "c", more), after=["a"]),
            line("a", noted(folder, "a", more))]


@pytest.mark.core
def test_what_waits_is_dropped_when_those_before_it_succeeded(tools, ask, spool, folder):
    done, found = ask(graph(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    ran = order(folder)
    assert ran[0] == "a" and ran[3] == "d" and sorted(ran[1:3]) == ["b", "c"]
    assert all(one["state"] == "SUCCESS" for one in found.values()) and len(found) == 4
    for stem in "abcd":
        assert "after" not in read_json(spool.request(stem))
    again, _ = ask(graph(folder))
    assert again.returncode == 0 and "nothing was asked" in again.stderr
    assert len(order(folder)) == 4


@pytest.mark.core
def test_a_failure_gives_up_what_follows_with_the_reason(tools, ask, spool, client, folder):
    lines = [line("a", "exit 3"), line("b", after=["a"]), line("c", after=["b"]),
             line("end", noted(folder, "end"), after=["a", "c"], after_any="end"), line("other")]
    done, found = ask(lines)
    assert done.returncode == 1
    assert {stem for stem, one in found.items() if one["state"] == "GAVE_UP"} == set("abc")
    code = found["a"]["error_code"]
    for stem, before in [("b", "a"), ("c", "b")]:
        one = found[stem]
        assert one["error_code"] == "failed_precondition" and one["attempts"] == 0
        assert f"'{before}', which it waits for, was given up" in one["error_message"]
        assert f"'a' ({code})" in one["error_message"] or f"given up ({code})" in one[
            "error_message"]
        assert not spool.request(stem).exists() and spool.failed_path(stem).exists()
        assert client.state_of(stem) == "GAVE_UP"
    assert order(folder) == ["end"]
    # Nothing changes by itself; retried, all of it is asked again, in order.
    again, found = ask(lines)
    assert again.returncode == 1 and "nothing was asked" in again.stderr
    retried = client.run("retry", "--failed", "--json")
    assert sorted(json.loads(retried.stdout)["retried"]) == ["a", "b", "c"], retried.stderr
    again, found = ask(lines)
    assert again.returncode == 1 and found["c"]["error_code"] == "failed_precondition"


def test_a_failure_that_is_mended_lets_the_rest_go_on(tools, ask, client, folder):
    lines = [line("a", f"test -e {folder}/mended"), line("b", noted(folder, "b"), after=["a"])]
    assert ask(lines)[0].returncode == 1
    (folder / "mended").touch()
    retried = client.run("retry", "--failed")
    assert retried.returncode == 0 and "1 of them has no request file" in retried.stdout
    done, found = ask(lines)
    assert done.returncode == 0, done.stdout + done.stderr
    assert order(folder) == ["b"] and found["b"]["state"] == "SUCCESS"


def test_what_ended_in_another_batch_counts(tools, ask, folder):
    assert ask([line("good"), line("bad", "exit 1")])[0].returncode == 1
    done, found = ask([line("x", after=["good"]), line("y", after=["bad"]),
                       line("z", after=["bad"], after_any="end")])
    assert done.returncode == 1
    assert {stem: one["state"] for stem, one in found.items()} == {
        "x": "SUCCESS", "y": "GAVE_UP", "z": "SUCCESS"}


@pytest.mark.core
@pytest.mark.parametrize("lines,words", [
    ([line("a", after=["b"]), line("b", after=["c"]), line("c", after=["a"])],
     ["b.jsonl:1", "circle", "'a' waits for 'b', that for 'c', that for 'a'"]),
    ([line("x"), line("a", after=["a"])], ["b.jsonl:2", "'a' waits for itself"]),
    ([line("x"), line("a", after=["nobody"])], ["b.jsonl:2", "'nobody'", "not in the input"]),
    ([line("a", after="x")], ["b.jsonl:1", "/after: must be an array"]),
    ([line("x"), line("a", after=["x"], after_any="never")], ["b.jsonl:2", "/after_any"]),
], ids=["circle", "itself", "nobody", "no-list", "no-mode"])
def test_an_order_that_cannot_be_is_an_error_before_anything_is_dropped(lines, words, ask, spool):
    done, _ = ask(lines)
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr
    assert not (spool.root / "requests").exists() or not spool.requests()


@pytest.mark.core
@pytest.mark.parametrize("at", ["a", "b", "d"])
@pytest.mark.parametrize("kills_worker", [False, True], ids=["client", "both"])
def test_a_kill_in_the_middle_starts_nothing_twice_and_forgets_nothing(
        at, kills_worker, start_worker, client, ask, folder):
    worker = start_worker(config=with_tool(concurrency=8))
    wait = f"while [ ! -e {folder}/go ]; do sleep 0.02; done"
    lines = [{**one, "params": shell(noted(folder, one["request_id"],
                                           wait if one["request_id"] == at else ""))}
             for one in graph(folder)]
    batch = write_lines(folder / "b.jsonl", lines)
    running = client.start("run", batch, "--no-start-worker", *QUICK_RETRIES)
    wait_until(lambda: at in order(folder), "it runs")
    running.kill()
    running.wait()
    if kills_worker:
        worker.kill()
    (folder / "go").touch()
    if kills_worker:
        start_worker(config=with_tool(concurrency=8))
    done, found = ask(lines)
    if kills_worker:
        # Its effects are unknown: it is not repeated, and nobody follows it.
        assert done.returncode == 1
        assert found[at]["error_code"] == "aborted"
        assert len(order(folder)) == len(set(order(folder)))
        if at != "d":
            assert "d" not in order(folder)
            assert found["d"]["error_code"] == "failed_precondition"
    else:
        assert done.returncode == 0, done.stdout + done.stderr
        assert sorted(order(folder)) == ["a", "b", "c", "d"]
    assert set(found) == set("abcd")


def test_every_kill_of_a_chain_is_survived(tools, client, ask, folder):
    lines = [line(f"n{i:02}", noted(folder, f"n{i:02}"), after=[f"n{i - 1:02}"] if i else [])
             for i in range(30)]
    batch = write_lines(folder / "b.jsonl", lines)
    for least in (3, 9, 16, 24):
        running = client.start("run", batch, "--no-start-worker", *QUICK_RETRIES)
        wait_until(lambda least=least: len(order(folder)) >= least, "some have run")
        running.kill()
        running.wait()
    done, found = ask(lines)
    assert done.returncode == 0, done.stdout + done.stderr
    assert order(folder) == [f"n{i:02}" for i in range(30)] and len(found) == 30


def test_ctrl_c_leaves_what_waits_to_the_next_run(tools, client, ask, folder):
    wait = f"while [ ! -e {folder}/go ]; do sleep 0.02; done"
    lines = [line("a", noted(folder, "a", wait)), line("b", noted(folder, "b"), after=["a"])]
    batch = write_lines(folder / "b.jsonl", lines)
    running = client.start("run", batch, "--no-start-worker", *QUICK_RETRIES)
    wait_until(lambda: order(folder) == ["a"], "it runs")
    running.send_signal(signal.SIGINT)
    wait_until(lambda: any(b"waiting for" in log.read_bytes()
                           for log in folder.glob("client-*.log")), "the wait is said")
    (folder / "go").touch()
    assert running.wait(60) == 130
    assert order(folder) == ["a"]
    done, _ = ask(lines)
    assert done.returncode == 0 and order(folder) == ["a", "b"]


def test_a_limit_leaves_what_waits_and_counts_one_error_once(tools, ask, client, folder):
    lines = [line("a", "exit 1"), line("b", after=["a"]), line("c", after=["a"]),
             line("d", after=["a"]), line("e", noted(folder, "e"), after=["a"], after_any="end")]
    done, found = ask(lines, "--max-errors", "2")
    # One was asked and failed; those that followed it were not.
    assert done.returncode == 1, done.stderr
    assert order(folder) == ["e"] and found["d"]["state"] == "GAVE_UP"
    stopped, _ = ask([line("x", "exit 1"), line("y", noted(folder, "y"), after=["x"],
                                                after_any="end")], "--max-errors", "1")
    assert stopped.returncode == 5 and order(folder) == ["e"], stopped.stderr
    done, _ = ask([line("x", "exit 1"), line("y", noted(folder, "y"), after=["x"],
                                             after_any="end")])
    assert done.returncode == 1 and order(folder) == ["e", "y"]


def test_a_fresh_run_waits_for_its_own(tools, ask, folder):
    assert ask(graph(folder))[0].returncode == 0
    done, found = ask(graph(folder), "--run-id", "night")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(order(folder)) == 8 and order(folder)[4] == "a" and order(folder)[7] == "d"
    assert all("night" in stem for stem in found)


def test_without_the_database_the_files_tell_what_may_begin(tools, ask, spool, folder):
    assert ask([line("a", noted(folder, "a")), line("b", "exit 1", after=["a"]),
                line("c", noted(folder, "c"), after=["b"])])[0].returncode == 1
    for path in (spool.root / "client").glob("state.db*"):
        path.unlink()
    done, found = ask([line("a", noted(folder, "a")), line("b", "exit 1", after=["a"]),
                       line("c", noted(folder, "c"), after=["b"])])
    assert done.returncode == 1 and order(folder) == ["a"]
    assert found["c"]["error_code"] == "failed_precondition"


def test_what_is_not_asked_yet_says_whom_it_waits_for(tools, client, folder):
    batch = write_lines(folder / "b.jsonl", [
        line("a", f"touch {folder}/runs; while [ ! -e {folder}/go ]; do sleep 0.02; done"),
        line("b", after=["a"])])
    running = client.start("run", batch, "--no-start-worker", "--attempts", "1", *QUICK_RETRIES)
    wait_until((folder / "runs").exists, "it runs")
    for command in (["show", "b"], ["follow", "b", "--patience", "100ms"]):
        done = client.run(*command)
        assert done.returncode == 2
        assert "b: not asked yet: it waits for a; run" in done.stderr, done.stderr
        assert "goes on" in done.stderr
    (folder / "go").touch()
    assert running.wait(60) == 0
    assert "no such request" in client.run("show", "c").stderr


def test_what_is_retried_while_the_run_lives_is_said_at_its_end(tools, client, folder):
    (folder / "broken").touch()
    wait = f"while [ ! -e {folder}/go ]; do sleep 0.02; done"
    batch = write_lines(folder / "b.jsonl", [
        line("slow", wait), line("bad", f"[ ! -e {folder}/broken ]"), line("worse", "exit 1"),
        line("next", after=["bad"])])
    running = client.start("run", batch, "--no-start-worker", "--attempts", "1", "--json",
                           "--on-end", f"cat > {folder}/told", *QUICK_RETRIES)
    wait_until(lambda: client.state_of("next") == "GAVE_UP", "it is given up")
    wait_until(lambda: client.state_of("worse") == "GAVE_UP", "it is given up")
    (folder / "broken").unlink()
    assert client.run("retry", "bad", "next").returncode == 0
    (folder / "go").touch()
    assert running.wait(60) == 1
    summary = read_json(folder / "told")["summary"]
    assert summary["counts"]["GAVE_UP"] == 3 and summary["retried_meanwhile"] == 2
    done = client.run("run", batch, "--no-start-worker", "--json")
    summary = json.loads(done.stdout)
    assert summary["counts"] == {"SUCCESS": 3, "GAVE_UP": 1}
    assert "retried_meanwhile" not in summary
