# SPDX-License-Identifier: MIT
"""A large batch with failures, retries and give-ups; both programs are killed in the middle."""

import collections
import json
import os
import signal
import time

from harness import QUICK_RETRIES, SLOW, TOOLS, wait_until

SIZE = {"quick": 1000, "long": 30000}.get(os.environ.get("FILECALL_TEST_MODE"), 10000)
DEADLINE = 600 * SLOW

# Which kind the n-th request is; the rest are system.echo.
KINDS = {0: "note", 1: "flaky", 2: "pure", 50: "hopeless", 51: "unknown"}


def kind_of(number: int) -> str:
    if number % 100 in (50, 51):
        return KINDS[number % 100]
    return KINDS.get(number % 10, "echo")


def request(number: int, folder) -> dict:
    kind = kind_of(number)
    stem = f"{kind}-{number:05}"
    bodies = {
        "echo": ("system.echo", {"n": number}),
        # Has effects: it must never run twice, whatever dies.
        "note": ("tool.run", {"tool": "note", "args": {"file": f"{folder}/notes", "text": stem}}),
        # Fails once, for the reason that most things fail once: something is not there yet.
        "flaky": ("tool.run", {"tool": "flaky", "args": {"marker": f"{folder}/markers/{stem}"}}),
        "pure": ("tool.run", {"argv": ["echo", stem]}),
        "hopeless": ("tool.run", {"argv": ["false"], "check": True}),
        "unknown": ("no.such", {}),
    }
    command, params = bodies[kind]
    return {"request_id": stem, "command": command, "params": params}


def configuration() -> dict:
    text = {"type": "string"}
    tool = dict(TOOLS["tool"], tools={
        "note": {"description": "Appends a line.", "effects": "external", "check": True,
                 "argv": ["sh", "-c", 'echo "$2" >>"$1"', "sh", "{file}", "{text}"],
                 "args": {"type": "object", "properties": {"file": text, "text": text}}},
        "flaky": {"description": "Fails the first time.", "effects": "none", "check": True,
                  "argv": ["sh", "-c", '[ -e "$1" ] || { : >"$1"; exit 1; }', "sh", "{marker}"],
                  "args": {"type": "object", "properties": {"marker": text}}},
    })
    return {"tool": tool}


def test_every_request_ends_once_whatever_is_killed(spool, folder, client):
    (folder / "markers").mkdir()
    config = folder / "worker.yaml"
    config.write_text(json.dumps(configuration()))
    batch = client.batch(*[request(n, folder) for n in range(SIZE)])
    command = ("run", batch, "--worker-config", config, "--out", folder / "out.jsonl",
               *QUICK_RETRIES)
    kills = [("client", 0.2), ("worker", 0.4), ("client", 0.6), ("worker", 0.75)]
    began = time.monotonic()
    process = client.start(*command)
    for victim, share in kills:
        wait_until(lambda: len(spool.responses()) >= share * SIZE or process.poll() is not None,
                   f"{share:.0%} are answered", DEADLINE, tick=0.02)
        if process.poll() is not None:
            break
        if victim == "client":
            process.kill()
            process.wait()
            process = client.start(*command)
        else:
            os.kill(spool.status()["pid"], signal.SIGKILL)
    code = process.wait(DEADLINE)
    assert time.monotonic() - began < DEADLINE
    assert code == 1, "some are given up"
    check_outcome(spool, folder, client)


def check_outcome(spool, folder, client):
    states = {r["request_id"]: r for r in client.status()["requests"]}
    assert len(states) == SIZE
    tally = collections.Counter((s.split("-")[0], r["state"]) for s, r in states.items())
    print(dict(tally))
    aborted = []
    for n in range(SIZE):
        stem = request(n, folder)["request_id"]
        kind, state, answer = kind_of(n), states[stem]["state"], spool.response(stem)
        assert answer is not None and answer["request_id"] == stem
        if kind in ("hopeless", "unknown"):
            assert state == "GAVE_UP", stem
        elif kind == "echo":
            assert state == "SUCCESS" and answer["data"] == {"n": n}
        elif state == "GAVE_UP":
            # tool.run has effects unless it is declared: interrupted ones are not run again.
            assert (answer["error_code"], answer["retryable"]) == ("aborted", False), answer
            aborted.append(stem)
        else:
            assert state == "SUCCESS", (stem, state)
        assert spool.failed_path(stem).exists() == (state == "GAVE_UP"), stem
        attempts = {"hopeless": 3, "unknown": 1}.get(kind)
        if attempts is not None and answer["error_code"] != "aborted":
            assert states[stem]["attempt"] == attempts, (stem, states[stem])
    assert len(aborted) <= 64, aborted
    assert not [s for s in aborted if s.startswith("flaky")] or len(aborted) < 8, aborted
    notes = collections.Counter((folder / "notes").read_text().split())
    assert max(notes.values()) == 1, "an effect happened twice"
    for n in range(SIZE):
        stem = request(n, folder)["request_id"]
        if kind_of(n) == "note" and states[stem]["state"] == "SUCCESS":
            assert notes[stem] == 1, f"{stem} is answered and did not happen"
