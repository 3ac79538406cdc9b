#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Mixed work at a bounded rate for a long time: the memory, descriptors and threads of the worker
and of a watching client must stay flat, and every request must get the answer it should.

One worker serves two roots on disk with full durability. In one this program drops, checks and
deletes; in the other `filecall watch` retries, and `filecall run`, `gc` and `status` come and go.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import record  # noqa: E402
from rig import cpu_seconds, end, memory_mib, spawn  # noqa: E402
from soak_work import Mix, Watched  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
TICK_S, SAMPLE_S, TOLD_S, CLIENT_S = 0.1, 5.0, 60.0, 30.0
# What the second half may grow by, on its fitted line.
MEMORY_MIB_MAX, MEMORY_SHARE_MAX, DESCRIPTORS_MAX, THREADS_MAX = 1.0, 0.03, 2.0, 0.5
CONFIG = {"tool": {"allow": ["true", "sleep", "head"], "roots": ["/tmp"], "concurrency": 4}}


def look(pid):
    """What is to stay flat. PSS: shared pages are counted in part."""
    status = Path(f"/proc/{pid}/status").read_text()
    field = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if ":" in line
             and len(line.split()) > 1}
    return {"rss_mib": int(field["VmRSS"]) / 1024, "pss_mib": memory_mib(pid),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": int(field["Threads"])}


def fitted_growth(points):
    """By how much the least-squares line through (time, value) rises from the first to the last."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    return slope * (points[-1][0] - points[0][0])


def summary(samples, name):
    """Of each figure: the mean of the second and of the last quarter, the peak, the growth."""
    result = {}
    for key in samples[0][name]:
        points = [(s["t"], s[name][key]) for s in samples]
        quarter = max(len(points) // 4, 1)
        mean = lambda part: sum(y for _, y in part) / len(part)  # noqa: E731
        result[key] = {"early": mean(points[quarter:2 * quarter] or points),
                       "late": mean(points[-quarter:]), "peak": max(y for _, y in points),
                       "growth": fitted_growth(points[len(points) // 2:])}
    return result


def complaints(figures):
    """PSS is told and not judged: it rises when another process that runs the same program ends."""
    for name in ("worker", "watch"):
        for key, figure in figures[name].items():
            if key == "pss_mib":
                continue
            limit = {"descriptors": DESCRIPTORS_MAX, "threads": THREADS_MAX}.get(
                key, max(MEMORY_MIB_MAX, MEMORY_SHARE_MAX * figure["late"]))
            if figure["growth"] > limit:
                yield (f"{name}: {key} grew by {figure['growth']:.2f} in the second half,"
                       f" {limit:.2f} is allowed")


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.roots = [folder / "direct", folder / "watched"]
        for root in self.roots:
            root.mkdir(mode=0o700)
        config = folder / "worker.yaml"
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        self.worker = spawn([options.worker, "--root", self.roots[0], "--root", self.roots[1],
                             "--config", config, "--durability", "full", "--log-level", "error",
                             "--log-file", folder / "worker.log"])
        self.watch, self.visitors, self.visits = None, [], 0
        self.samples = []

    def close(self):
        for process in (*self.visitors, self.watch, self.worker):
            if process:
                end(process)

    def client(self, name, root, *arguments):
        return [self.options.client, name, "--root", root, *arguments]

    def open(self):
        limit = time.monotonic() + 30
        while not all((root / "worker/status.json").exists() for root in self.roots):
            if time.monotonic() > limit or self.worker.poll() is not None:
                raise RuntimeError("the worker did not start")
            time.sleep(0.05)
        with open(self.folder / "watch.log", "wb") as log:
            self.watch = spawn(self.client("watch", self.roots[1], "--no-start-worker", "--quiet",
                                           "--backoff", "5ms", "--backoff-max", "50ms"),
                               stdout=subprocess.DEVNULL, stderr=log)
        self.mix = Mix(self.roots[0], self.options.seed)
        self.watched = Watched(self.roots[1], self.options.seed)

    def visit(self):
        """A client that comes, works and goes: batch, clean-up or a look, in turns."""
        for visitor in [v for v in self.visitors if v.poll() is not None]:
            self.visitors.remove(visitor)
            if visitor.returncode not in (0, 1):
                raise RuntimeError(f"{visitor.args[1]}: exit code {visitor.returncode}")
        if len(self.visitors) > 3:
            raise RuntimeError("clients do not end")
        root = self.roots[self.visits // 3 % 2]
        if self.visits % 3 == 0:
            root = self.roots[0]
            batch = self.folder / "batch.jsonl"
            batch.write_text("".join(
                json.dumps({"request_id": f"v{self.visits}-{i}", "command": "system.echo",
                            "params": {"n": i}}) + "\n" for i in range(200)), encoding="utf-8")
            argv = self.client("run", root, "--no-start-worker", "--quiet", batch)
        elif self.visits % 3 == 1:
            argv = self.client("gc", root, "--older-than", "10s", "--failed")
        else:
            argv = self.client("status", root, "--json")
        self.visits += 1
        self.visitors.append(spawn(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def run(self):
        begin = time.monotonic()
        next_sample, next_told, next_visit, done = 0.0, 0.0, 5.0, 0
        while (now := time.monotonic() - begin) < self.options.seconds:
            due = int(now * self.options.rate) - done
            due = min(due, int(4 * TICK_S * self.options.rate))  # After a pause: no flood.
            done = int(now * self.options.rate)
            self.mix.drop(due - due // 10)
            self.watched.drop(due // 10)
            self.mix.collect()
            if now >= next_visit:
                next_visit = now + CLIENT_S / 3
                self.visit()
                self.watched.tidy()
            if now >= next_sample:
                next_sample = now + SAMPLE_S
                self.samples.append({"t": round(now, 1), "worker": look(self.worker.pid),
                                     "watch": look(self.watch.pid)})
            if now >= next_told:
                next_told = now + TOLD_S
                self.tell(now)
            time.sleep(max(0.0, TICK_S - (time.monotonic() - begin - now)))
        self.mix.settle()
        self.seconds = time.monotonic() - begin
        self.samples.append({"t": round(self.seconds, 1), "worker": look(self.worker.pid),
                             "watch": look(self.watch.pid)})

    def tell(self, now):
        worker, watch = self.samples[-1]["worker"], self.samples[-1]["watch"]
        print(f"{now:6.0f} s {self.mix.answered + self.watched.dropped:8} requests; worker"
              f" {worker['pss_mib']:.1f} MiB {worker['descriptors']} fds {worker['threads']}"
              f" threads; watch {watch['pss_mib']:.1f} MiB {watch['descriptors']} fds",
              file=sys.stderr, flush=True)

    def figures(self):
        return {"date": date.today().isoformat(), "seconds": round(self.seconds),
                "rate": self.options.rate, "answered": self.mix.answered,
                "watched": self.watched.dropped, "clients": self.visits,
                "wrong": self.mix.wrong, "kinds": self.mix.kinds,
                "slowest_s": round(self.mix.slowest_s, 2),
                "worker_cpu_s": round(cpu_seconds(self.worker.pid), 1),
                "worker": summary(self.samples, "worker"),
                "watch": summary(self.samples, "watch"), "samples": self.samples}


def table(figures):
    reached = (figures["answered"] + figures["watched"]) / figures["seconds"]
    lines = [f"{figures['date']}: {figures['seconds'] / 60:.0f} minutes, {reached:.0f} requests a"
             f" second ({figures['rate']:g} were asked for), {figures['answered']:,} answered and"
             " checked"
             f" ({len(figures['wrong'])} wrongly),"
             f" {figures['watched']:,} more left to `filecall watch`, {figures['clients']} clients"
             f" that came and went. Slowest answer {figures['slowest_s']:.2f} s.", "",
             "| | second quarter | last quarter | peak | fitted growth of the second half |",
             "|---|--:|--:|--:|--:|"]
    names = {"rss_mib": "RSS, MiB", "pss_mib": "PSS, MiB", "descriptors": "descriptors",
             "threads": "threads"}
    for who in ("worker", "watch"):
        for key, figure in figures[who].items():
            lines.append(f"| {who}: {names[key]} | {figure['early']:.2f} | {figure['late']:.2f} |"
                         f" {figure['peak']:.1f} | {figure['growth']:+.3f} |")
    return "\n".join(lines)


def main():
    build = Path(os.environ.get("FILECALL_BIN_DIR", TOP / "build/release/bin"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float,
                        default=float(os.environ.get("FILECALL_SOAK_S") or 1800))
    parser.add_argument("--rate", type=float, default=300, help="requests a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write all figures and samples")
    parser.add_argument("--record", action="store_true", help="put the figures into RESULTS.md")
    parser.add_argument("--parent", default=TOP / "build", metavar="DIR", help="of the roots")
    parser.add_argument("--worker", metavar="FILE", default=Path(
        os.environ.get("FILECALL_WORKER_BIN", build / "filecall-worker")))
    parser.add_argument("--client", metavar="FILE", default=Path(
        os.environ.get("FILECALL_BIN", build / "filecall")))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="soak-", dir=options.parent))
    soak = Soak(options, folder)
    try:
        soak.open()
        soak.run()
        figures = soak.figures()
        soak.worker.send_signal(signal.SIGTERM)
        code = soak.worker.wait(60)
    finally:
        soak.close()
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        Path(options.json).write_text(json.dumps(figures) + "\n", encoding="utf-8")
    print(table(figures))
    wrong = figures["wrong"][:20] + list(complaints(figures))
    wrong += [f"the worker's exit code: {code}"] if code else []
    if options.record and not wrong:
        record.replace("soak", table(figures))
    print("\n".join(wrong) or f"1 passed in {figures['seconds']} s: flat")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
