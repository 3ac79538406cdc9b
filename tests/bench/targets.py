# SPDX-License-Identifier: MIT
"""The targets of the design, each measured for ours and for the bare system calls, in turns."""

import subprocess
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Optional

from rig import (CLIENT_CPU, cpu_seconds, memory_mib, peak_mib, spawn, wait_until_idle,
                 wakeups)

WINDOW = 256


@dataclass
class Scale:
    rounds: int
    echoes: int          # round trips in a latency sample
    requests: int        # in a throughput sample without syncs
    synced: int          # and with syncs
    burst: int
    growth: list[int]
    idle_s: float
    idle_files: int
    many: int            # files of the start-up rows


QUICK = Scale(3, 3000, 20_000, 6000, 100_000, [1000, 100_000], 3.0, 100_000, 100_000)
FULL = Scale(7, 6000, 30_000, 15_000, 100_000, [1000, 10_000, 100_000, 1_000_000], 20.0, 100_000,
             1_000_000)


@dataclass
class Row:
    """One line of the table. `limit` bounds ours / baseline (or ours alone when there is no
    baseline): at most it when `lower`, at least it otherwise; None: information."""

    what: str
    unit: str
    baseline: Optional[float]
    ours: float
    limit: Optional[float] = None
    lower: bool = False
    samples: dict = field(default_factory=dict)
    section: str = ""

    @property
    def ratio(self):
        return self.ours / self.baseline if self.baseline else None

    @property
    def is_met(self):
        if self.limit is None:
            return None
        value = self.ours if self.baseline is None else self.ratio
        return value <= self.limit if self.lower else value >= self.limit

    def as_dict(self):
        return asdict(self) | {"ratio": self.ratio, "met": self.is_met}


def compare(scale, contenders, measure):
    """measure(who) -> {name: number}, in turns; returns {who: {name: [samples]}}. Who goes first
    changes from round to round."""
    samples = {who: {} for who in contenders}
    for i in range(scale.rounds):
        for who in contenders if i % 2 == 0 else reversed(contenders):
            for name, value in measure(who).items():
                samples[who].setdefault(name, []).append(value)
    return samples


def row(what, unit, samples, name, limit=None, lower=False, baseline="bare", ours="ours"):
    base = samples[baseline][name] if baseline else None
    mine = samples[ours][name]
    return Row(what, unit, median(base) if base else None, median(mine), limit, lower,
               {"baseline": base, "ours": mine})


def alone(what, unit, done, key):
    """What has no baseline and no target, of samples {key: number}."""
    samples = [one[key] for one in done]
    return Row(what, unit, None, median(samples), samples={"ours": samples})


def round_trip(rig, scale):
    def measure(who):
        with rig.root("tmpfs") as root, rig.worker(who, root, "none"):
            rig.client(root, "latency", 300)  # Caches, branch predictors, first pages.
            return rig.client(root, "latency", scale.echoes)

    s = compare(scale, ["bare", "ours", "bare-spin"], measure)
    return [row("round trip p50, tmpfs", "us", s, "p50_us", 1.5, True),
            row("round trip p99, tmpfs", "us", s, "p99_us", 1.5, True),
            row("  p50 against bare that spins too", "us", s, "p50_us", baseline="bare-spin"),
            row("  p99 against bare that spins too", "us", s, "p99_us", baseline="bare-spin")]


def throughput_of(rig, who, root, durability, count):
    """Of a worker at work: ours reads a large root for the first time when it is ready already, the
    bare loop before. What that costs is in the rows about starting."""
    with rig.worker(who, root, durability) as process:
        wait_until_idle(process.pid)
        rig.client(root, "throughput", count // 20, WINDOW)
        before = cpu_seconds(process.pid)
        sample = rig.client(root, "throughput", count, WINDOW)
        sample["cpu_us"] = (cpu_seconds(process.pid) - before) / count * 1e6
        return sample


def throughput(rig, scale):
    rows = []
    for durability, medium, limit in [("none", "tmpfs", 0.7), ("none", "disk", 0.7),
                                      ("file", "disk", 0.8), ("full", "disk", 0.8),
                                      ("journal", "disk", 0.7)]:
        if durability == "journal" and not rig.has_journal:
            continue
        count = scale.synced if durability in ("file", "full") else scale.requests

        def measure(who):
            with rig.root(medium) as root:
                return throughput_of(rig, who, root, durability, count)

        s = compare(scale, ["bare", "ours"], measure)
        rows += [row(f"throughput, {durability}, {medium}", "/s", s, "per_s", limit),
                 row("  worker CPU a request", "us", s, "cpu_us")]
    return rows


def burst(rig, scale):
    def measure(who):
        with rig.root("tmpfs") as root:
            rig.client(root, "drop", scale.burst)
            waiter = spawn([rig.client_program, root, "await", scale.burst], CLIENT_CPU,
                           stdout=subprocess.DEVNULL)
            time.sleep(0.05)  # Its watch is to be there before the first answer.
            begin = time.monotonic()
            with rig.worker(who, root, "none", wait=False) as process:
                if waiter.wait(timeout=300) != 0:
                    raise RuntimeError("the burst was not answered")
                seconds = time.monotonic() - begin
                return {"per_s": scale.burst / seconds, "peak": peak_mib(process.pid),
                        "pss": memory_mib(process.pid)}

    s = compare(scale, ["bare", "ours"], measure)
    return [row(f"burst of {scale.burst:,} drained, tmpfs", "/s", s, "per_s", 0.7),
            row("  memory at its peak", "MiB", s, "peak", 100, True, baseline=None)]


def growth(rig, scale):
    """All sizes in turns, so that a slow minute of the machine is no property of one size; each
    sample's own files are removed before the next, so that a root has as many files as it says."""
    samples = {files: {"bare": {}, "ours": {}} for files in scale.growth}
    with ExitStack() as stack:
        roots = {files: stack.enter_context(rig.root("tmpfs")) for files in scale.growth}
        for files, root in roots.items():
            rig.client(root, "fill", files)
        for i in range(scale.rounds):
            for files, root in roots.items():
                for who in ("bare", "ours") if i % 2 == 0 else ("ours", "bare"):
                    rig.wait_until_quiet()
                    sample = throughput_of(rig, who, root, "none", scale.requests)
                    rig.client(root, "clear", 0)
                    for name, value in sample.items():
                        samples[files][who].setdefault(name, []).append(value)
    points = [{"files": files} | {who: median(samples[files][who]["per_s"])
                                  for who in ("bare", "ours")} for files in scale.growth]
    rows = [row(f"throughput, {files:,} files present", "/s", samples[files], "per_s")
            for files in scale.growth]
    few, many = points[0], points[-1]
    rows.append(Row(f"throughput kept at {many['files']:,} files", "x", None,
                    many["ours"] / few["ours"], 0.8))
    rows.append(Row("  the same of the bare loop", "x", None, many["bare"] / few["bare"]))
    return rows, points


def idle(rig, scale):
    def measure(who):
        with rig.worker(who, root, "none") as process:
            time.sleep(2.0)
            before, waked = cpu_seconds(process.pid), wakeups(process.pid)
            time.sleep(scale.idle_s)
            return {"percent": (cpu_seconds(process.pid) - before) / scale.idle_s * 100,
                    "wakeups": (wakeups(process.pid) - waked) / scale.idle_s,
                    "pss": memory_mib(process.pid)}

    with rig.root("tmpfs") as root:
        rig.client(root, "fill", scale.idle_files)
        s = {who: {k: [v] for k, v in measure(who).items()} for who in ("bare", "ours")}
    return [row(f"idle CPU, {scale.idle_files:,} files present", "%", s, "percent", 0.1, True,
                baseline=None),
            row("  wake-ups a second", "/s", s, "wakeups", baseline=None),
            row("  memory (PSS)", "MiB", s, "pss", baseline=None)]
