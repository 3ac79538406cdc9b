# SPDX-License-Identifier: MIT
"""What failed is found, with its own words, and can be tried again or cleared, driven or not."""

import datetime
import json
import os
import time

from fake_worker import error, success
from harness import QUICK_RETRIES, wait_until

RUN = ("run", "--no-start-worker", *QUICK_RETRIES)
COMMAND = {"argv": ["sh", "-c", "echo one >&2; echo two is missing >&2; exit 3"], "check": True}


def age_of(moment):
    return time.time() - datetime.datetime.fromisoformat(moment).timestamp()


def test_a_failed_program_is_told_with_its_command_line_and_words(spool, client, worker):
    done = client.run("call", "tool.run", "--params", json.dumps(COMMAND), "--attempts", 1,
                      "--id", "a")
    assert done.returncode == 1
    for text in (done.stderr, client.run("status").stdout, client.run("show", "a").stdout):
        assert "sh -c 'echo one" in text and "exit code 3: two is missing" in text, text
    assert "\n  one\n  two is missing\n" in done.stderr
    silent = {"argv": ["sh", "-c", "echo 2 of 3 failed; exit 1"], "check": True}
    done = client.run("call", "tool.run", "--params", json.dumps(silent), "--attempts", 1)
    assert "exit code 1: 2 of 3 failed" in done.stderr


def test_status_lists_failures_first(spool, client, fake):
    fake(lambda request, attempt: error("broken") if request["request_id"] in ("r30", "s30")
         else success())
    batch = client.batch(*[(f"r{i:02}", "system.echo") for i in range(40)])
    assert client.run(*RUN, batch).returncode == 1
    for i in range(40):
        spool.drop(f"s{i:02}")
    for i in range(40):
        spool.wait_response(f"s{i:02}")
    lines = client.run("status").stdout.splitlines()
    table = lines[lines.index("") + 2:]
    assert table[0].startswith("r30 ") and "broken" in table[0]
    assert len([line for line in table if line.startswith("r")]) == 20
    whole = client.run("status", "--limit", 0).stdout.splitlines()
    ids = [line.split()[0] for line in whole[lines.index("") + 2:]]
    assert sorted(ids) == sorted({f"{c}{i:02}" for c in "rs" for i in range(40)})


def test_errors_that_nobody_drives_are_ends(spool, client, fake):
    """Scripts drop files and read answers; no run and no watch was ever there."""
    first = fake(lambda request, attempt: error("broken", error_code="unavailable"))
    for stem in ("a", "b", "c"):
        spool.drop(stem)
        spool.wait_response(stem)
    status = client.status()
    assert status["counts"]["GAVE_UP"] == 3, status
    assert {r["state"] for r in status["requests"]} == {"GAVE_UP"}
    first.stop()
    done = client.run("retry", "a")
    assert done.returncode == 0, done.stderr
    assert "broken" in spool.failed_path("a").read_text(), "how it ended is not lost"
    assert client.run("retry", "--failed").returncode == 0
    assert client.status()["counts"]["NEW"] == 3
    # Answered again, and again nobody drives it.
    second = fake(lambda request, attempt: success() if request["request_id"] == "a"
                  else error("still broken"))
    for stem in ("a", "b", "c"):
        spool.wait_response(stem)
    second.stop()
    status = client.status()
    assert status["counts"]["GAVE_UP"] == 2 and status["counts"]["SUCCESS"] == 1
    assert json.loads(client.run("status", "--counts", "--json").stdout)["counts"] == \
        status["counts"]
    assert client.run("retry", "b").returncode == 0
    assert "still broken" in spool.failed_path("b").read_text()
    third = fake(lambda request, attempt: error("for ever"))
    spool.wait_response("b")
    third.stop()
    # What can be retried stays, and gc says so.
    kept = client.run("gc", "--older-than", "0s")
    assert kept.returncode == 0
    assert "Kept 2 that were given up ('filecall status --state GAVE_UP')" in kept.stdout
    assert spool.requests() == {"b", "c"} and client.status()["counts"]["GAVE_UP"] == 2
    assert client.run("gc", "--older-than", "0s", "--failed").returncode == 0
    assert spool.requests() == set() and spool.responses() == set()


def test_what_nobody_drives_is_as_old_as_its_file(spool, client, fake):
    """It was submitted whenever somebody looked."""
    spool.drop("waits")
    hour = 3600
    os.utime(spool.request("waits"), (time.time() - 3 * hour,) * 2)
    seen = client.status()["requests"][0]["submitted_at"]
    assert 3 * hour - 60 < age_of(seen) < 3 * hour + 60
    assert " 3h" in client.run("status").stdout
    shown = json.loads(client.run("show", "waits", "--json").stdout)
    assert shown["submitted_at"] == seen
    # The worker says when it has seen what it has answered.
    worker = fake(lambda request, attempt: success() | {"timing": {
        **{f"{name}_at": "2026-01-02T03:04:05.678Z"
           for name in ("received", "started", "finished")},
        "queued_ms": 0, "run_ms": 0}})
    spool.wait_response("waits")
    worker.stop()
    shown = json.loads(client.run("show", "waits", "--json").stdout)
    assert shown["submitted_at"] == "2026-01-02T03:04:05.678Z"


def test_no_copy_is_what_is_no_file(spool, client):
    """A FIFO in failed/ counted as one that says that a request was given up."""
    spool.drop("a")
    (spool.root / "failed").mkdir(exist_ok=True)
    os.mkfifo(spool.failed_path("a"))
    assert client.status()["requests"][0]["state"] == "NEW"
    os.mkfifo(spool.request("b"))
    assert client.run("show", "b").returncode == 2


def test_a_run_counts_an_answer_that_was_there_as_its_first_attempt(spool, client, fake):
    worker = fake(lambda request, attempt: error() if attempt == 1 else success())
    batch = client.batch(("a", "system.echo"))
    spool.drop("a")
    spool.wait_response("a")
    assert client.status()["counts"]["GAVE_UP"] == 1
    assert client.run(*RUN, batch).returncode == 0
    assert worker.attempts["a"] == 2


def test_what_its_client_never_dropped_is_said_to_be_so(spool, client):
    """No watch can drop it: only its client had the text."""
    call = client.start("call", "system.echo", "--id", "w", "--no-start-worker",
                        "--cold-start-delay", "60s")
    wait_until(lambda: "NEW 1" in client.run("status").stdout, "the call is recorded")
    call.kill()
    call.wait()
    shown = client.run("status").stdout
    assert "was not dropped" in shown and "start a watch" not in shown, shown
    assert client.run("cancel", "w").returncode == 0
    counts = client.status()["counts"]
    assert counts["GAVE_UP"] == counts["GAVE_UP"] + counts["NEW"] == 1
