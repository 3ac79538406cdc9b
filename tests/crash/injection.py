# SPDX-License-Identifier: MIT
"""Runs a program under the fault library: which operation, what happens to it, what is left."""

import dataclasses
import os
import random
import shutil
import signal
import struct
import subprocess
from pathlib import Path

from harness import SLOW, TOP

# Operations that a kernel may fail with this error.
SUITED = {
    "EIO": "open,create,read,write,close,sync,truncate,rename,link,unlink,mkdir,list",
    "ENOSPC": "create,write,close,sync,rename,link,mkdir,watch",
    "EMFILE": "open,create",
    "EINTR": "open,create,read,write,close,sync",
    "ENOENT": "open,create,rename,link,unlink,mkdir",
    "EACCES": "open,create,rename,link,unlink,mkdir,truncate",
    "EROFS": "create,rename,link,unlink,mkdir",
}
FORGETTING = ("all", "data", "names", "both")
LONG = os.environ.get("FILECALL_TEST_MODE") == "long"


def library(name: str) -> Path:
    for build in (os.environ.get("FILECALL_BIN_DIR", "x/x"), TOP / "build/dev/bin",
                  TOP / "build/asan-ubsan/bin"):
        path = Path(build).parent / "tests" / f"lib{name}.so"
        if path.exists():
            return path
    raise FileNotFoundError(f"lib{name}.so: not built; run scripts/build dev")


@dataclasses.dataclass(frozen=True)
class Fault:
    """What happens at operation `at`; printed, it replays."""

    mode: str = "count"
    at: int = 0
    error: str = ""
    forget: str = ""
    times: int = 1
    ops: str = ""
    crash_at: int = 0

    def __str__(self) -> str:
        words = [self.mode, f"at={self.at}", self.error and f"errno={self.error}",
                 self.forget and f"forget={self.forget}", self.times != 1 and f"x{self.times}",
                 self.ops and f"ops={self.ops}",
                 self.crash_at and f"then crash before {self.crash_at}"]
        return " ".join(w for w in words if w)

    @property
    def is_crash(self) -> bool:
        return self.mode.startswith("crash") or self.crash_at > 0


@dataclasses.dataclass
class Ended:
    """How a run under a fault ended."""

    code: int
    seen: int
    injected: int
    output: str


def environment(fault: Fault, root, program: str, folder) -> dict:
    folder = Path(folder)
    grave = folder / "grave"
    shutil.rmtree(grave, ignore_errors=True)
    grave.mkdir()
    report = folder / "report"
    report.unlink(missing_ok=True)
    return {**os.environ, "LD_PRELOAD": str(library("filecall_faults")),
            "FAULTS_ROOT": os.path.realpath(root), "FAULTS_PROGRAM": program,
            "FAULTS_MODE": fault.mode, "FAULTS_AT": str(fault.at),
            "FAULTS_TIMES": str(fault.times), "FAULTS_ERRNO": fault.error,
            "FAULTS_CRASH_AT": str(fault.crash_at),
            "FAULTS_OPS": fault.ops or SUITED.get(fault.error, ""),
            "FAULTS_REPORT": str(report), "FAULTS_FORGET": fault.forget,
            "FAULTS_GRAVE": str(grave)}


def read_report(folder) -> tuple:
    """(operations seen, faults injected); zeros when the program never came so far."""
    try:
        return struct.unpack("<QQ", (Path(folder) / "report").read_bytes()[:16])
    except (FileNotFoundError, struct.error):
        return 0, 0


def run(fault: Fault, command, root, folder, deadline: float = 30 * SLOW, **variables) -> Ended:
    """Runs to the end. Hanging is a failure: whatever a disk does, a program must go on or end."""
    program = Path(os.path.realpath(command[0])).name
    env = {**environment(fault, root, program, folder), **variables}
    log = Path(folder) / "output"
    with open(log, "wb") as out:
        process = subprocess.Popen([str(c) for c in command], env=env, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=out)
        try:
            code = process.wait(deadline)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"[{fault}] hung for {deadline:.0f} s:\n"
                                 + log.read_text(errors="replace")[-3000:]) from None
    text = log.read_text(errors="replace")
    assert code != 99, text
    # A crash is only ever the one that was asked for.
    asked = fault.is_crash and code == -signal.SIGKILL
    assert code >= 0 or asked, f"[{fault}] died of signal {-code}:\n{text[-3000:]}"
    return Ended(code, *read_report(folder), text)


def seed() -> int:
    """FILECALL_SEED, else a new one; the caller prints it."""
    return int(os.environ.get("FILECALL_SEED") or random.SystemRandom().randrange(1 << 32))


def points(total: int, count: int, rng: random.Random) -> list:
    """Which N to try of 1..total: all in the long form, else `count` of them, spread evenly."""
    if LONG or total <= count:
        return list(range(1, total + 1))
    step = total / count
    return sorted({1 + min(total - 1, int(i * step + rng.random() * step)) for i in range(count)})
