# SPDX-License-Identifier: MIT
"""kill -9 of the worker, the client, or both, at random instants, round after round on one root.

The seed is printed; FILECALL_SEED replays the same choices (instants are the machine's own).
FILECALL_ROUNDS sets the number of kills; FILECALL_TEST_MODE=long takes hundreds.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter

import harness
import injection
from harness import SLOW, Client, is_alive, wait_until

ROUNDS = int(os.environ.get("FILECALL_ROUNDS") or (400 if injection.LONG else 24))
NOTE = 'echo "$1" >>"$2"; sleep "$3"'


def tool(script: str, effects: str) -> dict:
    return {"description": "Notes its start.", "effects": effects,
            "argv": ["sh", "-c", script, "sh", "{id}", "{ledger}", "{time}"],
            "args": {"type": "object", "properties": {n: {"type": "string"}
                                                      for n in ("id", "ledger", "time")}}}


CONFIG = {"tool": {"roots": ["/tmp", "/dev/shm"], "concurrency": 4, "tools": {
    "external": tool(NOTE, "external"),
    "pure": tool(NOTE, "none"),
    # Fails until it was started twice.
    "flaky": tool(NOTE + '; [ $(grep -c "^$1\\$" "$2") -ge 2 ]', "external"),
    "failing": tool(NOTE + "; exit 1", "external"),
}}}


class Rounds:
    """The batch, the processes, and what may be said about the result."""

    def __init__(self, spool, folder, rng):
        self.spool, self.folder, self.rng = spool, folder, rng
        self.ledger = folder / "ledger"
        self.ledger.touch()
        self.config = folder / "worker.yaml"
        self.config.write_text(json.dumps(CONFIG))
        self.client = Client(spool, folder)
        self.requests = {}
        self.worker_kills = 0
        self.processes = []

    def add(self, number: int) -> str:
        kind = self.rng.choice(("echo", "echo", "external", "external", "pure", "flaky", "failing"))
        stem = f"{kind}-{number:04}"
        if kind == "echo":
            self.requests[stem] = ("system.echo", {"stem": stem})
        else:
            args = {"id": stem, "ledger": str(self.ledger),
                    "time": f"{self.rng.uniform(0, 0.08):.3f}"}
            self.requests[stem] = ("tool.run", {"tool": kind, "args": args, "check": True})
        return stem

    def start_worker(self):
        with open(self.folder / "worker.log", "ab") as log:
            process = subprocess.Popen(
                [harness.worker_program(), "--root", self.spool.root, "--config", self.config],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def start_client(self, batch):
        process = self.client.start("run", "--no-start-worker", "--backoff", "5ms",
                                    "--backoff-max", "50ms", batch)
        self.processes.append(process)
        return process

    def end(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def check(self) -> None:
        starts = Counter(self.ledger.read_text().split())
        rows = {row["request_id"]: row for row in self.client.status()["requests"]}
        for stem in self.requests:
            self._check_one(stem, rows[stem], starts[stem])
        left = [p.name for p in (self.spool.root / "worker" / "late").glob("*")]
        assert not left, f"answers came late: {left}"

    def _check_one(self, stem, row, starts) -> None:
        kind = stem.split("-")[0]
        answer = self.spool.response(stem)
        story = f"{stem}: {starts} starts, {row}, answer {answer}"
        assert answer is not None and answer["request_id"] == stem, story
        assert row["state"] in ("SUCCESS", "GAVE_UP"), story
        assert (row["state"] == "SUCCESS") == (answer["status"] == "success"), story
        assert (row["state"] == "GAVE_UP") == self.spool.failed_path(stem).exists(), story
        if row["state"] == "GAVE_UP":
            assert harness.read_json(self.spool.failed_path(stem)) == answer, story
        # Never more starts than attempts for what has effects; without, a crash may add one each.
        if kind in ("external", "flaky", "failing"):
            assert starts <= row["attempt"], story
        interrupted = answer.get("error_code") == "aborted"
        assert not interrupted or answer["retryable"] is False, story
        if kind == "echo":
            assert row["state"] == "SUCCESS" and row["attempt"] == 1, story
            assert answer["data"] == {"stem": stem}, story
        elif interrupted:
            assert self.worker_kills > 0 and starts <= 3, story
        elif kind == "failing":
            assert row["state"] == "GAVE_UP" and row["attempt"] == 3 == starts, story
        else:
            expected = 2 if kind == "flaky" else 1
            assert row["state"] == "SUCCESS" and row["attempt"] == expected, story
            assert starts >= expected, story


def write_batch(rounds, path, count: int) -> None:
    with open(path, "a", encoding="utf-8") as file:
        for _ in range(count):
            stem = rounds.add(len(rounds.requests))
            command, params = rounds.requests[stem]
            file.write(json.dumps({"request_id": stem, "command": command,
                                   "params": params}) + "\n")


def kill(process) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def run_rounds(rounds, seed_words, rng) -> None:
    batch = rounds.folder / "batch.jsonl"
    write_batch(rounds, batch, 20)
    worker, client = rounds.start_worker(), rounds.start_client(batch)
    for number in range(ROUNDS):
        time.sleep(rng.uniform(0.005, 0.35) * SLOW)
        whom = rng.choice(("worker", "worker", "client", "client", "both"))
        if whom != "client":
            kill(worker)
            rounds.worker_kills += 1
        if whom != "worker" or client.poll() is not None:
            kill(client)
            if number % 4 == 3:
                write_batch(rounds, batch, 12)
        for stem in rounds.spool.responses():
            data = rounds.spool.response_path(stem).read_bytes() \
                if rounds.spool.response_path(stem).exists() else b"{}"
            assert harness.json.loads(data) is not None, f"{seed_words}: {stem} is torn"
        if worker.poll() is not None:
            worker = rounds.start_worker()
        if client.poll() is not None:
            client = rounds.start_client(batch)
    code = client.wait(120 * SLOW)
    if code not in (0, 1):  # It may have been told "no worker" between two kills.
        client = rounds.start_client(batch)
        code = client.wait(120 * SLOW)
    assert code in (0, 1), f"exit {code}"
    final = rounds.client.run("run", "--no-start-worker", batch, deadline=120 * SLOW)
    assert final.returncode in (0, 1), final.stderr


def test_kills_at_random_instants(spool, folder):
    seed = injection.seed()
    words = f"FILECALL_SEED={seed} FILECALL_ROUNDS={ROUNDS}"
    print(words)
    rng = random.Random(seed)
    rounds = Rounds(spool, folder, rng)
    try:
        run_rounds(rounds, words, rng)
        rounds.check()
    finally:
        rounds.end()
    wait_until(lambda: not any(is_alive(p.pid) for p in rounds.processes), "all have ended")
    print(f"{ROUNDS} kills, {len(rounds.requests)} requests, {rounds.worker_kills} of the worker")
