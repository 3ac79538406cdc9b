# SPDX-License-Identifier: MIT
"""Drives a worker and a client through files alone.

Nothing here knows how the programs are made: they are named by FILECALL_WORKER_BIN and FILECALL_BIN
(else build/dev/bin, else build/release/bin), so that any other implementation can be tested.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SLOW = float(os.environ.get("FILECALL_SLOW", "1"))  # Factor on every deadline, for sanitizers.
DEADLINE = 15 * SLOW


def program(name: str, variable: str) -> Path:
    if os.environ.get(variable):
        return Path(os.environ[variable])
    for preset in ("dev", "release"):
        path = TOP / "build" / preset / "bin" / name
        if path.exists():
            return path
    raise FileNotFoundError(f"{name}: not built; run scripts/build or set {variable}")


def worker_program() -> Path:
    return program("filecall-worker", "FILECALL_WORKER_BIN")


def client_program() -> Path:
    return program("filecall", "FILECALL_BIN")


def wait_until(condition, what: str, deadline: float = DEADLINE, tick: float = 0.005):
    """The condition's first true value; fails by name at the deadline."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline:.0f} s: {what}")
        time.sleep(tick)


def read_json(path):
    """The JSON object of a file; None when there is none, or none that is whole."""
    try:
        return json.loads(Path(path).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def is_alive(pid: int) -> bool:
    """False for a process that ended, also when nobody has waited for it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class Spool:
    """One root, seen from outside."""

    def __init__(self, root):
        self.root = Path(root)
        for name in ("requests", "responses"):
            (self.root / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def request(self, stem: str) -> Path:
        return self.root / "requests" / f"{stem}.json"

    def response_path(self, stem: str) -> Path:
        return self.root / "responses" / f"{stem}.json"

    def failed_path(self, stem: str) -> Path:
        return self.root / "failed" / f"{stem}.json"

    def text(self, stem: str, command: str = "system.echo", params=None, **members) -> str:
        return json.dumps({"request_id": stem, "command": command,
                           "params": {} if params is None else params, **members},
                          ensure_ascii=False)

    def drop(self, stem: str, command: str = "system.echo", params=None, **members) -> str:
        self.drop_bytes(stem, self.text(stem, command, params, **members))
        return stem

    def drop_bytes(self, stem: str, content) -> None:
        """As most scripts do it: open, write, close; then a rename, so that it is atomic."""
        data = content.encode() if isinstance(content, str) else content
        temp = self.root / "requests" / f".{time.monotonic_ns()}.tmp"
        temp.write_bytes(data)
        temp.rename(self.request(stem))

    def response(self, stem: str):
        return read_json(self.response_path(stem))

    def wait_response(self, stem: str, deadline: float = DEADLINE) -> dict:
        return wait_until(lambda: self.response(stem), f"a response to {stem!r}", deadline)

    def call(self, stem: str, command: str = "system.echo", params=None, **members) -> dict:
        self.drop(stem, command, params, **members)
        return self.wait_response(stem)

    def status(self) -> dict:
        return read_json(self.root / "worker" / "status.json") or {}

    def responses(self) -> set:
        return {p.name[:-5] for p in (self.root / "responses").glob("*.json")}

    def requests(self) -> set:
        return {p.name[:-5] for p in (self.root / "requests").glob("*.json")}

    def barrier(self, stem: str = "") -> None:
        """Returns when the worker has answered something dropped now: what was dropped before has
        been noticed, though perhaps not answered."""
        stem = stem or f"barrier-{time.monotonic_ns()}"
        self.call(stem)


class Worker:
    """One worker process. Use start_worker (a fixture), which ends it whatever happens."""

    def __init__(self, spools, arguments=(), config=None, folder=None, env=None, wait=True,
                 durability=None, prefix=(), config_folder=None):
        if durability is None:
            durability = os.environ.get("FILECALL_TEST_DURABILITY", "none")
        self.spools = spools
        folder = Path(folder or spools[0].root.parent)
        command = [*map(str, prefix), str(worker_program())]
        for spool in spools:
            command += ["--root", str(spool.root)]
        if config is not None:
            path = Path(config_folder or folder) / f"worker-{time.monotonic_ns()}.yaml"
            # JSON is YAML.
            path.write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
            command += ["--config", str(path)]
            self.config = path
        if durability:
            command += ["--durability", durability]
        command += [str(a) for a in arguments]
        self.log = folder / f"worker-{time.monotonic_ns()}.stderr"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env={**os.environ, **(env or {})})
        if wait:
            self.wait_ready()

    @property
    def pid(self) -> int:
        return self.process.pid

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_ready(self) -> "Worker":
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the worker ended ({self.process.returncode}): "
                                     + self.output())
            return all(s.status().get("state") == "ready" and s.status().get("pid") == self.pid
                       for s in self.spools)
        wait_until(ready, "the worker is ready")
        return self

    def signal(self, number) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait(self, deadline: float = DEADLINE) -> int:
        """Its exit code."""
        try:
            return self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            raise AssertionError("the worker did not end: " + self.output()) from None

    def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return self.wait()

    @contextlib.contextmanager
    def stopped(self):
        """SIGSTOP for the time of the block."""
        self.signal(signal.SIGSTOP)
        wait_until(lambda: Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
                   == "T", "the worker is stopped")
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)


# Programs that the tests let a worker run, and tools that they declare.
TOOLS = {
    "tool": {
        "allow": ["sh", "cat", "sleep", "true", "false", "echo", "env", "pwd", "head", "python3"],
        "roots": ["/tmp", "/dev/shm"],
        "concurrency": 4,
        "tools": {
            # Leaves a line in a file, then waits for another file: its starts can be counted.
            "pure": {
                "description": "Notes its start, then waits.", "effects": "none",
                "argv": ["sh", "-c", 'echo x >>"$1"; while [ ! -e "$2" ]; do sleep 0.02; done',
                         "sh", "{notes}", "{go}"],
                "args": {"type": "object", "required": ["notes", "go"],
                         "properties": {"notes": {"type": "string"}, "go": {"type": "string"}}},
            },
            "greet": {
                "description": "Says hello.", "effects": "none",
                "argv": ["echo", "hello", "{name}"],
                "args": {"type": "object", "required": ["name"], "additionalProperties": False,
                         "properties": {"name": {"type": "string", "maxLength": 20}}},
            },
        },
    },
}


def with_tool(**members) -> dict:
    """TOOLS with other members of `tool`."""
    return {"tool": {**TOOLS["tool"], **members}}


def shell(script: str, **members) -> dict:
    """Parameters of a tool.run that runs a shell program given as an argument."""
    return {"argv": ["sh", "-c", script], **members}


class Client:
    """Runs the client on one root. Every method of a subcommand returns the finished process."""

    short_runs = {}  # What the environment of those that run() waits for has beside the caller's.

    def __init__(self, spool, folder):
        self.spool = spool
        self.folder = folder

    def command(self, *arguments):
        name, rest = arguments[0], [str(a) for a in arguments[1:]]
        root = () if "--root" in rest else ("--root", str(self.spool.root))
        return [str(client_program()), name, *root, *rest]

    def run(self, *arguments, deadline=60 * SLOW, stdin="", env=None):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              input=stdin, timeout=deadline, check=False,
                              env={**os.environ, **self.short_runs, **(env or {})})

    def start(self, *arguments, env=None):
        log = open(self.folder / f"client-{time.monotonic_ns()}.log", "wb")
        return subprocess.Popen(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=log,
                                stderr=log, env={**os.environ, **(env or {})})

    def batch(self, *requests) -> Path:
        """A JSONL file of (id, command, params) or of dictionaries."""
        path = self.folder / f"batch-{time.monotonic_ns()}.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for request in requests:
                if not isinstance(request, dict):
                    stem, command, params = (*request, {})[:3]
                    request = {"request_id": stem, "command": command, "params": params}
                file.write(json.dumps(request) + "\n")
        return path

    def status(self) -> dict:
        done = self.run("status", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def state_of(self, stem: str) -> str:
        """E.g. "SUCCESS", "" for an unknown request."""
        for request in self.status()["requests"]:
            if request["request_id"] == stem:
                return request["state"]
        return ""


# Retries that do not make a test wait.
QUICK_RETRIES = ("--backoff", "1ms", "--backoff-max", "20ms")
