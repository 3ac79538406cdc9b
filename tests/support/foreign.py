# SPDX-License-Identifier: MIT
"""A worker and a client of which nothing is known but the command that starts them."""

import json
import os
import shlex
import signal
import subprocess
import time

import pytest

from harness import DEADLINE, client_program, wait_until, worker_program

NOTE_AND_WAIT = 'echo x >>"$1"; until [ -e "$2" ]; do sleep 0.02; done'


def worker_rule(section, required=True):
    """Marks a rule of docs/protocol.md; `section` is the anchor of its heading."""
    return pytest.mark.rule(section, kind="worker", required=required)


def client_rule(section, required=True):
    return pytest.mark.rule(section, kind="client", required=required)


def pass_time(seconds):
    """A rule may be that nothing happens."""
    end = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > end, "time passes", seconds + 5)


def filled(text: str, /, **places) -> list:
    """The words of a command, with {root} and so on in their places."""
    words = []
    for word in shlex.split(text):
        for name, value in places.items():
            word = word.replace("{" + name + "}", str(value))
        words.append(word)
    return words


def worker_command(folder) -> str:
    given = os.environ.get("FILECALL_RULES_WORKER")
    if given or os.environ.get("FILECALL_RULES_CLIENT"):
        return given or pytest.skip("no worker was named")
    config = folder / "worker.yaml"
    # One at a time, so that others wait.
    config.write_text(json.dumps({"tool": {"allow": ["sh"], "roots": ["/tmp", "/dev/shm"],
                                           "concurrency": 1}}))
    return f"{worker_program()} --root {{root}} --config {config} --durability none"


def client_command() -> str:
    given = os.environ.get("FILECALL_RULES_CLIENT")
    if given or os.environ.get("FILECALL_RULES_WORKER"):
        return given or pytest.skip("no client was named")
    return (f"{client_program()} run --root {{root}} --no-start-worker --quiet --backoff 200ms "
            "--backoff-max 400ms {batch}")


class Effects:
    """A command with external effects whose starts can be counted and whose end can be chosen."""

    def __init__(self, folder):
        given = os.environ.get("FILECALL_RULES_EFFECTS", "")
        named = os.environ.get("FILECALL_RULES_WORKER")
        if named and not given:
            pytest.skip("no command with effects was named (--effects)")
        self.notes, self.go = folder / "notes", folder / "go"
        self._command, _, params = given.partition(" ")
        default = json.dumps({"argv": ["sh", "-c", NOTE_AND_WAIT, "sh", "{notes}", "{go}"]})
        self._command = self._command or "tool.run"
        params = params or default
        for name, path in ("notes", self.notes), ("go", self.go):
            params = params.replace("{" + name + "}", str(path))
        self._params = json.loads(params)

    def drop(self, spool, stem):
        spool.drop(stem, self._command, self._params)

    def starts(self) -> int:
        return len(self.notes.read_text().split()) if self.notes.exists() else 0

    def wait_start(self, count=1):
        wait_until(lambda: self.starts() >= count, f"start {count} of the command with effects")

    def end(self):
        self.go.touch()


class Process:
    """One program in a process group of its own."""

    def __init__(self, words, folder):
        self.log = folder / f"program-{time.monotonic_ns()}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)

    def output(self) -> str:
        return self.log.read_text(errors="replace")[-400:]

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self):
        """kill -9 of it and of what it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def kill_alone(self):
        self.process.kill()
        self.process.wait()

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, deadline=DEADLINE) -> int:
        try:
            return self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {deadline:.0f} s") from None


class ForeignWorker(Process):
    def __init__(self, command, spool, folder):
        super().__init__(filled(command, root=spool.root), folder)
        self.spool = spool

    def wait_ready(self):
        """Ready is what answers."""
        stem = self.spool.drop(f"ready-{time.monotonic_ns()}")

        def ready():
            if self.has_ended():
                raise AssertionError(f"the worker ended ({self.process.returncode}): "
                                     + self.output())
            return self.spool.response(stem)

        wait_until(ready, "the worker answers a first system.echo")
        return self


class ForeignClient:
    def __init__(self, command, spool, folder):
        self.command, self.spool, self.folder = command, spool, folder
        self.started = []

    def start(self, stem, command="system.echo", params=None) -> Process:
        params = {} if params is None else params
        batch = self.folder / f"batch-{stem}.jsonl"
        batch.write_text(json.dumps({"request_id": stem, "command": command, "params": params})
                         + "\n")
        words = filled(self.command, root=self.spool.root, id=stem, command=command,
                       params=json.dumps(params), batch=batch)
        self.started.append(Process(words, self.folder))
        return self.started[-1]

    def ask(self, stem, deadline=60, **request) -> int:
        """Its exit code."""
        return self.start(stem, **request).wait(deadline)

    def kill(self):
        for process in self.started:
            process.kill()
