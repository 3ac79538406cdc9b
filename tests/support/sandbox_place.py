# SPDX-License-Identifier: MIT
"""What the tests of the sandbox work in."""

import json
import os
import socket
from pathlib import Path

import pytest

from harness import Spool, worker_program

# Beside the worker, or where FILECALL_BIN_DIR says what tests start.
PROGRAMS = Path(os.environ.get("FILECALL_BIN_DIR") or worker_program().parent)
TESTS = PROGRAMS.parent / "tests"
ATTEMPTS, LESSER = TESTS / "sandbox_attempts", TESTS / "lesser_kernel"
NOBODY = 65534
USERS = ["root", "nobody"] if os.getuid() == 0 else ["self"]


class Place:
    """A root for tools, a spool, and things of others around them, owned by one user."""

    def __init__(self, folder, user, start_worker):
        self.folder, self.user, self.start_worker = folder, user, start_worker
        self.spool = Spool(folder / "root")
        self.work = folder / "work"
        self.outside = folder / "outside"
        self.own = folder / "own"  # The worker's: its configuration.
        self.own.mkdir()
        self.runs = 0
        for path in (self.work / ".git", self.work / "deep" / "er", self.outside,
                     self.work / "mnt"):
            path.mkdir(parents=True)
        for path in (self.work / "file", self.work / ".git" / "config", self.outside / "secret",
                     self.outside / "other"):
            path.write_text("x")
        self.servers = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX),
                        socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
        self.abstract = f"filecall-{os.getpid()}-{folder.name}"
        for server, name in zip(self.servers, (str(self.outside / "daemon"), "\0" + self.abstract,
                                               ("127.0.0.1", 0), ("127.0.0.1", 0))):
            server.bind(name)
        for server in self.servers[:3]:
            server.listen(64)
        os.chmod(self.outside / "daemon", 0o777)

    def close(self):
        for server in self.servers:
            server.close()

    def start(self, prefix=(), wait=True, arguments=(), joins=None, **tool):
        """`joins`: the control group that the worker begins in."""
        config = {"tool": {"allow": "*", "roots": [str(self.work)], "readable": [str(ATTEMPTS)],
                           "concurrency": 4, **tool}}
        if self.user == "nobody":
            prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                      *prefix]
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        if joins:
            prefix = ["sh", "-c", f'echo $$ >{joins}/cgroup.procs && exec "$@"', "sh", *prefix]
        self.worker = self.start_worker(*arguments, config=config, spools=[self.spool],
                                        prefix=prefix, wait=wait, env={"SECRET": "s"},
                                        config_folder=self.own)
        if self.user == "nobody":
            os.chown(self.worker.config, NOBODY, NOBODY)
        return self.worker

    def run(self, params, **members):
        self.runs += 1
        return self.spool.call(f"run-{self.runs}", "tool.run", params, **members)

    def shell(self, script, **params):
        answer = self.run({"argv": ["/bin/sh", "-c", script], **params})
        assert answer["status"] == "success", answer
        return answer["data"]

    def attempt(self, lines, prefix=(), **params):
        """{line: result}"""
        names = {"work": self.work, "out": self.outside, "spool": self.spool.root,
                 "config": self.worker.config, "worker": self.worker.pid,
                 "abstract": self.abstract, "tcp": self.servers[2].getsockname()[1],
                 "udp": self.servers[3].getsockname()[1]}
        text = "".join(line.format(**names) + "\n" for line in lines)
        answer = self.run({"argv": [*prefix, str(ATTEMPTS)], "stdin": text, **params})
        assert answer["status"] == "success" and answer["data"]["exit_code"] == 0, answer
        results = json.loads(answer["data"]["stdout"])
        return {line: results[line.format(**names)] for line in lines}

    @property
    def is_root(self):
        return os.getuid() == 0 and self.user != "nobody"


def is_refused(result):
    return result in ("EPERM", "EACCES", "ENOENT", "EROFS", "EXDEV", "EBUSY", "ESRCH",
                      "ECONNREFUSED", "ENETUNREACH", "ENOSYS", "ENODATA", "SIGSYS", "ELOOP",
                      "ENXIO")


def assert_only_open(place, lines, **tool):
    """Each attempt succeeds without a sandbox and is refused in one."""
    place.start(sandbox="workspace-write", **tool)
    confined = place.attempt(lines)
    assert place.worker.stop() == 0
    place.start()
    free = place.attempt(lines)
    assert {k: v for k, v in confined.items() if not is_refused(v)} == {}
    assert {k: v for k, v in free.items() if v != "ok"} == {}


pytestmark = pytest.mark.skipif(not ATTEMPTS.exists(), reason="no sandbox_attempts is built")


@pytest.fixture(params=USERS)
def place(request, folder, start_worker):
    place = Place(folder, request.param, start_worker)
    yield place
    place.close()
