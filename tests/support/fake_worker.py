# SPDX-License-Identifier: MIT
"""A worker of a few lines, for testing clients: it answers as a function says.

It speaks the protocol by polling and has no other features, so it also shows how little another
implementation needs.
"""

import fcntl
import json
import os
import threading
import time


class FakeWorker:
    """`answer(request, attempt)` returns the response's members, or None for "never"."""

    def __init__(self, spool, answer, publishes_status=True, state="ready"):
        self.spool = spool
        self.answer = answer
        self.attempts = {}  # stem -> number of times it was executed
        self.seen_at = {}  # stem -> monotonic time of each execution
        self.cancelled = []
        self._never = set()
        self._stop = threading.Event()
        self._lock = None
        self._publishes_status = publishes_status
        if publishes_status:
            (spool.root / "worker").mkdir(mode=0o700, exist_ok=True)
            self._lock = open(spool.root / "worker" / "lock", "w", encoding="ascii")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self.publish_status(state)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def publish_status(self, state):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        counts = dict.fromkeys(("pending", "executing", "success", "error", "ignored", "overflows",
                                "rescans"), 0)
        self._write(self.spool.root / "worker" / "status.json", {
            "state": state, "pid": os.getpid(), "instance": "fake", "version": "0",
            "boot_id": "", "started_at": now, "heartbeat_at": now, "watch": "poll",
            "watch_reason": "fake", "durability": "none", "problem": "", "counts": counts,
            "commands": [{"name": "system.echo", "effects": "none"}]})

    def stop(self):
        self._stop.set()
        self._thread.join()
        if self._lock:
            self._lock.close()

    def _run(self):
        while not self._stop.wait(0.005):
            for stem in sorted(self.spool.requests() - self.spool.responses()):
                self._execute(stem)

    def _execute(self, stem):
        try:
            request = json.loads(self.spool.request(stem).read_bytes())
        except (FileNotFoundError, ValueError):
            return
        if request["command"] == "system.cancel":
            self.cancelled.append(request["params"]["request_id"])
            self.respond(stem, {"status": "success", "data": {}})
            return
        if stem in self._never:
            return
        attempt = self.attempts[stem] = self.attempts.get(stem, 0) + 1
        self.seen_at.setdefault(stem, []).append(time.monotonic())
        members = self.answer(request, attempt)
        if members is None:
            self._never.add(stem)
            return
        self.respond(stem, members)

    def respond(self, stem, members):
        self._write(self.spool.response_path(stem), {"request_id": stem, **members})

    def _write(self, path, value):
        temp = path.parent / f".{path.name}.tmp"
        temp.write_text(json.dumps(value) + "\n", encoding="utf-8")
        os.rename(temp, path)


def success(data=None):
    return {"status": "success", "data": data if data is not None else {}}


def error(message="no", **members):
    return {"status": "error", "error_message": message, **members}
