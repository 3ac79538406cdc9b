# SPDX-License-Identifier: MIT
"""What every measurement stands on: roots that are fair to both sides, pinned processes that are
ended by pid, and what the kernel counted for them."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

CLIENT_CPU, WORKER_CPU = 0, 1
WARM_MIB = 512
QUIET_SHARE, PATIENCE_S = 0.12, 10.0
READY_S = 120.0


def spawn(argv, cpu=None, **options):
    """Starts a program, on one CPU when `cpu` says so."""
    pin = [] if cpu is None else ["taskset", "-c", str(cpu % os.cpu_count())]
    return subprocess.Popen([*pin, *map(str, argv)], stdin=subprocess.DEVNULL, **options)


def end(process, patience=20.0):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def cpu_seconds(pid):
    """CPU time of all threads, to the nanosecond (utime of /proc/PID/stat counts ticks)."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except FileNotFoundError:  # A thread that just ended.
            pass
    return total / 1e9


def wait_until_idle(pid):
    """Returns once a process rests: whatever it does after its start is done. Bounded."""
    limit = time.monotonic() + READY_S
    before = cpu_seconds(pid)
    while time.monotonic() < limit:
        time.sleep(0.1)
        now = cpu_seconds(pid)
        if now - before < 0.005:
            return
        before = now
    raise RuntimeError(f"process {pid} does not come to rest")


def wait_for_answers(root, count, patience_s, look_s):
    """Returns once a root has so many responses; looks as often as the measurement can bear."""
    limit = time.monotonic() + patience_s
    while time.monotonic() < limit:
        with os.scandir(root / "responses") as entries:
            if sum(1 for _ in entries) >= count:
                return
        time.sleep(look_s)
    raise RuntimeError(f"{root}: no {count} answers within {patience_s} s")


def wakeups(pid):
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def memory_mib(pid):
    """Proportional set size: pages that several processes share are counted once."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def peak_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def busy_share(seconds=0.1):
    """How much of all CPUs was in use during a short look."""
    def times():
        fields = [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    all_before, idle_before = times()
    time.sleep(seconds)
    all_after, idle_after = times()
    return 1 - (idle_after - idle_before) / max(all_after - all_before, 1)


class Medium:
    """A file system to measure on. On tmpfs a root is deleted after use. On disk nothing is deleted
    before the end: a freed inode makes later creations up to ten times slower for minutes."""

    def __init__(self, name, parent, keep):
        self.name, self.keep = name, keep
        Path(parent).mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix="filecall-bench-", dir=parent))
        if keep:  # Spreads the directories below over block groups, where the file system can.
            subprocess.run(["chattr", "+T", self.path], stderr=subprocess.DEVNULL, check=False)

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Rig:
    def __init__(self, bench_dir, programs, tmpfs, disk, patience_s):
        self.client_program = Path(bench_dir) / "load_client"
        self.bare_program = Path(bench_dir) / "bare_worker"
        self.edit_program = Path(bench_dir) / "edit_probe"
        self.edit_set_program = Path(bench_dir) / "edit_set_probe"
        self.endpoint_program = Path(bench_dir) / "llm-endpoint"
        self.worker_program = Path(programs) / "filecall-worker"
        self.filecall_program = Path(programs) / "filecall"
        self.media = {"tmpfs": Medium("tmpfs", tmpfs, False), "disk": Medium("disk", disk, True)}
        self.moved, self._best_us = 0, {}
        self.waited_s, self._patience_s = 0.0, patience_s
        self.has_journal = "journal" in subprocess.run(
            [self.worker_program, "--help"], capture_output=True, text=True, check=True).stdout

    def close(self):
        for medium in self.media.values():
            medium.close()

    def client(self, root, mode, *numbers, cpu=CLIENT_CPU):
        done = spawn([self.client_program, root, mode, *numbers], cpu, stdout=subprocess.PIPE,
                     text=True)
        try:
            out, _ = done.communicate(timeout=600)
        finally:
            end(done)
        if done.returncode != 0:
            raise RuntimeError(f"load_client {mode}: exit code {done.returncode}")
        return json.loads(out) if out.strip() else {}

    def wait_until_quiet(self):
        """Waits while others use the CPUs; all waits together are bounded."""
        begin = time.monotonic()
        limit = begin + min(PATIENCE_S, self._patience_s - self.waited_s)
        while time.monotonic() < limit and busy_share() > QUIET_SHARE:
            pass
        self.waited_s += time.monotonic() - begin

    @contextmanager
    def root(self, medium):
        """A fresh root, in a place where creating files is as fast as it ever was."""
        medium = self.media[medium]
        self.wait_until_quiet()
        self.client(medium.path, "warm", WARM_MIB)
        for _ in range(8):
            root = Path(tempfile.mkdtemp(prefix="root-", dir=medium.path))
            if not medium.keep:
                break
            us = self.client(root, "probe", 300)["us"]
            best = self._best_us[medium.name] = min(us, self._best_us.get(medium.name, us))
            if us < 2.5 * best:
                break
            self.moved += 1
        yield root
        if not medium.keep:
            shutil.rmtree(root)

    def command(self, who, root, durability):
        """`who`: ours, bare, or bare-spin (waits as we do: looks on for 50 us before blocking)."""
        if who == "ours":
            return [self.worker_program, "--root", root, "--durability", durability,
                    "--log-level", "warn", "--log-file", root / "bench.log"]
        return [self.bare_program, root, durability, *(["50"] if who == "bare-spin" else [])]

    @contextmanager
    def worker(self, who, root, durability, wait=True):
        process = spawn(self.command(who, root, durability), WORKER_CPU)
        try:
            if wait:
                self.wait_ready(process, who, root)
            yield process
            if process.poll() is not None:
                raise RuntimeError(f"{who}: the worker ended by itself")
        finally:
            end(process)
        if who != "ours":
            (root / "bare-ready").unlink(missing_ok=True)

    def wait_ready(self, process, who, root):
        limit = time.monotonic() + READY_S
        while time.monotonic() < limit and process.poll() is None:
            if who != "ours":
                if (root / "bare-ready").exists():
                    return
            else:
                try:
                    status = json.loads((root / "worker/status.json").read_text())
                    if status["state"] == "ready" and status["pid"] == process.pid:
                        return
                except (FileNotFoundError, ValueError):
                    pass
            time.sleep(0.002)
        code = process.poll()
        raise RuntimeError(f"{who}: not ready in {READY_S} s" if code is None else
                           f"{who}: ended before it was ready, exit code {code}")
