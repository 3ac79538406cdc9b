# SPDX-License-Identifier: MIT
"""What the soak gives the worker to do, and what it expects of each answer."""

import json
import os
import random
import time

PATIENCE_S = 60.0
BIG_BYTES = 300_000
ERROR = "error"
# Kind, share, and what the answer must be: "success", or an error code, or any error.
KINDS = [("echo", 0.78, "success"), ("tool", 0.07, "success"), ("output", 0.01, "success"),
         ("timeout", 0.01, "deadline_exceeded"), ("cancel", 0.01, "cancelled"),
         ("malformed", 0.03, "invalid_argument"), ("forbidden", 0.02, ERROR),
         ("slow-write", 0.03, "success"), ("again", 0.04, ERROR)]


def publish(folder, stem, content):
    temp = f"{folder}/.{stem}.tmp"
    with open(temp, "w", encoding="utf-8") as file:
        file.write(content)
    os.rename(temp, f"{folder}/{stem}.json")


def request(stem, command="system.echo", params=None, **members):
    return json.dumps({"request_id": stem, "command": command, "params": params or {}, **members})


def tool(stem, *argv, **members):
    return request(stem, "tool.run", {"argv": list(argv)}, **members)


class Mix:
    """Drops, waits, checks and deletes: the root stays small, it is the process that is watched."""

    def __init__(self, root, seed):
        self.requests, self.responses = root / "requests", root / "responses"
        self.random = random.Random(seed)
        self.waiting = {}   # stem -> (kind, expected, dropped at)
        self.unfinished, self.wrong = [], []
        self.number = self.answered = 0
        self.slowest_s = 0.0
        self.kinds = {kind: 0 for kind, _, _ in KINDS}

    def drop(self, count):
        for file, rest in self.unfinished:
            with file:
                file.write(rest)
        self.unfinished = []
        shares = [share for _, share, _ in KINDS]
        for kind, _, expected in self.random.choices(KINDS, shares, k=count):
            self.number += 1
            stem = f"s{self.number}"
            self.waiting[stem] = (kind, expected, time.monotonic())
            self.kinds[kind] += 1
            self.drop_one(stem, kind)

    def drop_one(self, stem, kind):
        text = request(stem, params={"text": "x" * self.random.randrange(4000)})
        if kind == "tool":
            text = tool(stem, "true")
        elif kind == "output":
            text = tool(stem, "head", "-c", str(BIG_BYTES), "/dev/zero")
        elif kind == "timeout":
            text = tool(stem, "sleep", "20", timeout_ms=self.random.randrange(1, 50))
        elif kind == "cancel":
            text = tool(stem, "sleep", "20")
        elif kind in ("forbidden", "again"):
            text = tool(stem, "not-allowed")
        elif kind == "malformed":
            text = text[:self.random.randrange(len(text))]
        if kind == "slow-write":  # Under its final name; the rest comes with the next tick.
            cut = self.random.randrange(len(text))
            file = open(self.requests / f"{stem}.json", "w", encoding="utf-8")
            file.write(text[:cut])
            file.flush()
            self.unfinished.append((file, text[cut:]))
            return
        publish(self.requests, stem, text)
        if kind == "cancel":
            cancel = f"{stem}-cancel"
            self.waiting[cancel] = ("cancel", "success", time.monotonic())
            publish(self.requests, cancel, request(cancel, "system.cancel", {"request_id": stem}))

    def collect(self):
        now = time.monotonic()
        for stem, (kind, expected, since) in list(self.waiting.items()):
            path = self.responses / f"{stem}.json"
            try:
                answer = json.loads(path.read_bytes())
            except FileNotFoundError:
                if now - since > PATIENCE_S:
                    raise RuntimeError(f"{stem} ({kind}): no answer") from None
                continue
            self.judge(stem, expected, answer)
            self.slowest_s = max(self.slowest_s, now - since)
            self.answered += 1
            if kind == "again":  # A deleted error response asks for another attempt, once.
                self.waiting[stem] = ("asked again", expected, now)
                path.unlink()
                continue
            del self.waiting[stem]
            os.unlink(self.requests / f"{stem}.json")  # First: else it would be pending again.
            path.unlink()

    def judge(self, stem, expected, answer):
        """A wrong answer is told at the end: what is measured goes on."""
        got = answer["status"]
        if got == "error" and expected != ERROR:
            got = answer["error_code"]
        if answer["request_id"] != stem or got != expected:
            self.wrong.append(f"{stem}: {expected} was expected: {json.dumps(answer)[:500]}")

    def settle(self):
        limit = time.monotonic() + PATIENCE_S
        self.drop(0)
        while self.waiting:
            self.collect()
            if time.monotonic() > limit:
                raise RuntimeError(f"{len(self.waiting)} requests have no answer")
            time.sleep(0.05)


class Watched:
    """Drops requests that `filecall watch` takes over, of which some need retries or are given up.
    `filecall gc` removes them; here only what no program may remove: foreign files."""

    def __init__(self, root, seed):
        self.requests = root / "requests"
        self.random = random.Random(seed)
        self.dropped = 0
        self.foreign = self.requests / "not-a-request.txt"

    def drop(self, count):
        for _ in range(count):
            self.dropped += 1
            stem = f"w{self.dropped}"
            text = request(stem, params={"n": self.dropped})
            kind = self.random.random()
            if kind < 0.03:
                text = tool(stem, "not-allowed")
            elif kind < 0.06:
                text = tool(stem, "sleep", "20", timeout_ms=5)
            publish(self.requests, stem, text)

    def tidy(self):
        if self.foreign.exists():
            self.foreign.unlink()
        else:
            self.foreign.write_text("left alone", encoding="utf-8")
