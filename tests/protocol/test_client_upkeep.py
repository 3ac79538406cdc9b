# SPDX-License-Identifier: MIT
"""Removing what ended, listing what is there, and what programs read of a command that fails."""

import json
import os
import subprocess

import jsonschema
import pytest

from fake_worker import error, success
from harness import QUICK_RETRIES, SLOW, TOP, client_program, wait_until

SCHEMA = TOP / "ipc-schema" / "schema" / "client_error.schema.json"
RUN = ("run", "--no-start-worker", *QUICK_RETRIES)


def test_gc_tells_what_the_disk_gains(spool, client, fake):
    fake()
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(50)])
    assert client.run(*RUN, batch).returncode == 0
    folders = [spool.root / name for name in ("requests", "responses")]
    taken = sum(p.stat().st_blocks * 512 for folder in folders for p in folder.iterdir())
    rehearsed = json.loads(client.run("gc", "--older-than", "0s", "--dry-run", "--json").stdout)
    assert rehearsed["bytes"] == taken and rehearsed["files"] == 100
    done = json.loads(client.run("gc", "--older-than", "0s", "--json").stdout)
    assert (done["requests"], done["files"], done["bytes"]) == (50, 100, taken)


def test_gc_forgets_when_told_and_what_was_forgotten_runs_again(spool, client, fake):
    worker = fake()
    batch = client.batch(("a", "system.echo"))
    assert client.run(*RUN, batch).returncode == 0
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert client.run(*RUN, batch).returncode == 1, "it is not asked again, and its answer is gone"
    assert worker.attempts == {"a": 1}
    done = client.run("gc", "--older-than", "0s", "--forget-after", "0s", "--json")
    assert json.loads(done.stdout)["forgotten"] == 1
    assert client.run(*RUN, batch).returncode == 0
    assert worker.attempts == {"a": 2}


def test_results_that_gc_removed_do_not_replace_those_that_have_them(spool, client, fake, folder):
    """The same command after gc put nulls in place of all answers, and exited 0."""
    fake()
    batch = client.batch(("a", "system.echo", {"n": 1}), ("b", "system.echo", {"n": 2}))
    files = ["--out", folder / "r.jsonl", "--out-openai", folder / "o.jsonl"]
    assert client.run(*RUN, *files, batch).returncode == 0
    before = {name: (folder / name).read_text() for name in ("r.jsonl", "o.jsonl")}
    assert len(before["r.jsonl"].splitlines()) == len(before["o.jsonl"].splitlines()) == 2
    assert client.run("gc", "--older-than", "0s").returncode == 0
    done = client.run(*RUN, *files, batch)
    assert done.returncode == 1 and "r.jsonl is left as it was" in done.stderr, done.stderr
    assert {name: (folder / name).read_text() for name in before} == before
    lines = [json.loads(x) for x in (folder / "r.jsonl.incomplete").read_text().splitlines()]
    assert all(line["data"] is None and "gc" in line["data_problem"] for line in lines)
    done = client.run(*RUN, "--out", folder / "new.jsonl", batch)
    assert done.returncode == 1 and "new.jsonl: lacks 2 answers" in done.stderr, done.stderr


def test_a_run_says_once_why_its_worker_does_not_start(client, folder):
    """Five starts said all of it, each with the log of those before."""
    config = folder / "worker.yaml"
    config.write_text(f"tool: {{roots: [{folder}], allow: [sh]}}\n")
    done = client.run("run", client.batch(("a", "system.echo", {})), "--worker-config", config,
                      "--cold-start-delay", "1s", env={"HOME": str(folder)})
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert done.stderr.count("is the home directory") == 1, done.stderr
    assert "ended with exit code 2 before it was ready: filecall-worker: tool.roots" in done.stderr


def test_a_run_whose_worker_does_not_start_keeps_the_results_of_the_night_before(client, fake,
                                                                                 folder):
    """The file was replaced by an empty one."""
    worker = fake()
    rows = [("a", "system.echo", {"n": 1}), ("b", "system.echo", {"n": 2})]
    out = folder / "r.jsonl"
    assert client.run(*RUN, "--out", out, client.batch(*rows)).returncode == 0
    before = out.read_text()
    worker.stop()
    (client.spool.root / "worker/launch.json").write_text("")
    more = ("c", "system.echo", {"n": 3})
    # What was answered the night before may be reached before the start has failed, or not.
    done = client.run("run", "--out", out, client.batch(*rows, more))
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert sorted(out.read_text().splitlines()) == sorted(before.splitlines())
    assert len(before.splitlines()) == 2
    kept = out.read_text()
    done = client.run("run", "--out", out, client.batch(more))
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert out.read_text() == kept
    assert "r.jsonl.incomplete" in done.stderr, done.stderr


def test_a_request_that_is_dropped_again_after_gc_is_a_request(spool, client, fake):
    """Its tombstone hid it: it was in no count, and nobody drove it."""
    fake(lambda request, attempt: success() if request["params"].get("n") != 2 else
         error("second night", retryable=False, error_code="not_found"))
    spool.drop("nightly", "system.echo", {"n": 1})
    wait_until(lambda: spool.response_path("nightly").exists(), "the first answer")
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert client.status()["total"] == 0
    spool.drop("nightly", "system.echo", {"n": 2})
    wait_until(lambda: spool.response_path("nightly").exists(), "the second answer")
    for more in ([], ["--counts"]):
        seen = json.loads(client.run("status", "--json", "--read", *more).stdout)
        assert seen["total"] == 1 and seen["counts"]["GAVE_UP"] == 1, seen
    shown = json.loads(client.run("show", "nightly", "--json").stdout)
    assert shown["state"] == "GAVE_UP" and shown["error_message"] == "second night", shown
    assert client.run("watch", "--until-idle", "--no-start-worker").returncode == 1
    assert spool.failed_path("nightly").exists()
    done = client.run("retry", "--failed", "--json")
    assert json.loads(done.stdout)["retried"] == ["nightly"]
    spool.drop("other", "system.echo", {"n": 1})
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert client.status()["total"] <= 2


@pytest.mark.parametrize("command", [
    ("show", "nobody"), ("retry", "nobody", "--failed"), ("status", "--limit", "x"),
    ("run", "/nowhere/batch.jsonl"), ("call", "system.echo", "--params", "{"),
    ("gc",), ("worker", "dance"), ("report", "--min-score", "2"), ("status", "--lmit", "3"),
    ("worker", "start", "--worker-config", "/nowhere/worker.yaml"),
])
def test_a_failure_is_json_too(spool, client, command):
    done = client.run(*command, "--json")
    assert done.returncode in (2, 3), done.stderr
    told = json.loads(done.stdout)
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert told["error_message"].splitlines()[0][:60] in done.stderr
    assert client.run(*command).stdout == ""


@pytest.mark.parametrize("level", ["full", "journal", "file", "none"])
def test_every_level_of_durability_is_taken(spool, client, level):
    done = client.run("call", "system.echo", "--durability", level)
    assert done.returncode == 0, done.stderr
    assert spool.status()["durability"] == level
    assert client.run("retry", "--failed", "--durability", level).returncode == 0
    subprocess.run([*client.command("worker", "stop")], check=True, capture_output=True)


def of_cron(spool, words, *replaced):
    """What the line with these words does, as cron gives it to a shell."""
    lines = (TOP / "scripts/examples/filecall.cron").read_text().splitlines()
    line = next(line for line in lines if words in line and not line.startswith("#"))
    for old, new in replaced:
        line = line.replace(old, new)
    done = subprocess.run(["sh", "-c", line.split(None, 6)[6]], capture_output=True, text=True,
                          env={**os.environ, "FILECALL_ROOT": str(spool.root),
                               "PATH": f"{client_program().parent}:{os.environ['PATH']}"},
                          timeout=60 * SLOW, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def test_the_example_for_cron_prints_nothing_after_a_good_night(spool, client):
    """cron mails whatever is printed, and `retry` says that there is nothing to retry."""
    assert client.run("call", "system.echo").returncode == 0
    client.run("worker", "stop")
    assert of_cron(spool, "filecall retry") == (0, "", "")


def test_the_example_for_cron_prints_nothing_where_another_worker_answers(spool, folder, worker):
    """It mailed every five minutes that the root is busy."""
    (folder / "w.yaml").write_text("{}")
    assert of_cron(spool, "--drain", ("/etc/filecall/worker.yaml", str(folder / "w.yaml")),
                   ("/var/log/filecall/worker.log", str(folder / "log"))) == (0, "", "")
    assert "another worker" in (folder / "log").read_text()


def test_status_says_that_there_is_more_only_when_there_is(client, fake):
    fake(lambda request, attempt: error("broken") if request["request_id"] in "ab" else success())
    client.run(*RUN, client.batch(*((stem, "system.echo") for stem in "abcd")))
    for limit, is_part in (("1", True), ("2", True), ("3", True), ("4", False), ("5", False)):
        text = client.run("status", "--limit", limit).stdout
        assert (f"The first {limit};" in text) == is_part, text
    assert "The first" not in client.run("status", "--state", "GAVE_UP", "--limit", "2").stdout
    assert "The first 1;" in client.run("status", "--state", "GAVE_UP", "--limit", "1").stdout
