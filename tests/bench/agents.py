# SPDX-License-Identifier: MIT
"""Agents: what the loop costs for each step, and many runs at once.

The model is a script that answers at once, so what is measured is the loop, its records and its
requests. Many runs are compared with the same requests as a plain batch: the files that the runs
have dropped, in their order, on a worker of the same configuration. --record puts the table into
RESULTS.md.
"""
import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import record

TOP = Path(__file__).resolve().parents[2]
PATIENCE_S = 900
READY_S = 30


def plan(number, done):
    actions = [] if done else [{"tool": "file.read", "args": {
        "files": [{"path": "a.txt", "offset": number}]}}]
    return json.dumps({"commentary": f"Part {number}", "actions": actions, "done": done,
                       **({"finalSummary": "Read."} if done else {})})


def script_of(steps):
    lines = [{"when": {"request": rf"\.{n}\.plan$"}, "reply": plan(n, n == steps)}
             for n in range(1, steps + 1)]
    return [*lines, {"when": {"request": r"\.report$"}, "reply": "Nothing to add."}]


class Place:
    """A root with a worker, a scripted model of so many steps and a folder of one file."""

    def __init__(self, options, folder, steps, durability):
        self.programs, self.durability = options.programs, durability
        self.folder = Path(tempfile.mkdtemp(prefix="filecall-agents-", dir=folder))
        self.root = self.folder / "root"
        work = self.folder / "work"
        for path in (self.root, work):
            path.mkdir(mode=0o700)
        (work / "a.txt").write_text("".join(f"line {n}\n" for n in range(100)))
        (self.folder / "demo.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in script_of(steps)))
        (self.folder / "read.yaml").write_text(json.dumps({
            "description": "Reads.", "instructions": "Read.", "tools": ["file.*"],
            "budgets": {"steps": steps + 1}}))
        (self.folder / "worker.yaml").write_text(json.dumps({
            "llm": {"providers": {"demo": {"kind": "script", "models": ["demo"],
                                           "script": str(self.folder / "demo.jsonl"),
                                           "max_in_flight": 1000}}},
            "file": {"roots": [str(work)]}}))

    def __enter__(self):
        self.worker = subprocess.Popen(
            [self.programs / "filecall-worker", "--root", self.root, "--durability",
             self.durability, "--config", self.folder / "worker.yaml"],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_S
        ready = [self.programs / "filecall", "worker", "status", "--root", self.root]
        while subprocess.run(ready, capture_output=True, check=False).returncode != 0:
            if time.monotonic() > deadline or self.worker.poll() is not None:
                raise RuntimeError("the worker is not ready")
        return self

    def __exit__(self, *_):
        self.worker.send_signal(signal.SIGTERM)
        self.worker.wait(READY_S)
        shutil.rmtree(self.folder)

    def client(self, *words):
        """(seconds, MiB of the client at its peak)"""
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.folder)}
        begun = time.perf_counter()
        child = subprocess.Popen(
            [str(word) for word in (self.programs / "filecall", *words, "--root", self.root,
                                    "--no-start-worker", "--durability", self.durability)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"{words}: exit code {child.returncode}")
        return time.perf_counter() - begun, usage.ru_maxrss / 1024

    def run(self, name):
        return self.client("agent", "Read it", "--run", name, "--thread", name, "--scenario",
                           self.folder / "read.yaml", "--model", "demo/demo")[0]

    def answered(self):
        return len(list((self.root / "responses").glob("*.json")))


def step_ms(options, folder, durability):
    """A run of many steps less a run of one, for each step."""
    with Place(options, folder, options.steps, durability) as many, \
            Place(options, folder, 1, durability) as one:
        times = [(many.run(f"run-{i}"), one.run(f"run-{i}")) for i in range(options.rounds)]
    return statistics.median((a - b) / (options.steps - 1) * 1e3 for a, b in times)


def many_runs(options, folder):
    """(requests a second of runs, of the same as a batch, MiB of each client, requests)"""
    steps = 3
    with Place(options, folder, steps, "none") as runs, Place(options, folder, steps,
                                                               "none") as plain:
        tasks = runs.folder / "tasks.jsonl"
        tasks.write_text("".join(json.dumps({"goal": f"Read it, part {i}"}) + "\n"
                                 for i in range(options.runs)))
        seconds, mib = runs.client("agent", "batch", tasks, "--runs", options.runs, "--scenario",
                                   runs.folder / "read.yaml", "--model", "demo/demo")
        asked = sorted((runs.root / "requests").glob("*.json"), key=lambda p: p.stat().st_mtime_ns)
        if len(asked) != runs.answered() or len(asked) < options.runs * (steps + 1):
            raise RuntimeError(f"{len(asked)} requests, {runs.answered()} answers")
        batch = plain.folder / "batch.jsonl"
        with batch.open("w") as out:
            for path in asked:
                request = json.loads(path.read_text())
                keys = ("request_id", "command", "params", "metadata")
                out.write(json.dumps({key: request[key] for key in keys if key in request}) + "\n")
        plain_seconds, plain_mib = plain.client("run", batch)
        if plain.answered() != len(asked):
            raise RuntimeError(f"{plain.answered()} of {len(asked)} answers of the batch")
    return len(asked) / seconds, len(asked) / plain_seconds, mib, plain_mib, len(asked)


def row(what, ours, beside, ratio, target, met):
    return f"| {what} | {ours} | {beside} | {ratio} | {target} | {met} |"


def table(options):
    lines = ["| what | ours | beside | ratio | target | met |", "|---|---:|---:|---:|---:|---:|"]
    for durability, folder, limit in (("none", "/dev/shm", 5), ("full", options.disk, 15)):
        ms = step_ms(options, folder, durability)
        medium = "tmpfs" if folder == "/dev/shm" else "disk"
        lines.append(row(f"the loop, a step (plan and one `file.read`), `{durability}`, {medium}",
                         f"{ms:.1f} ms", "", "", f"<= {limit} ms", "yes" if ms <= limit else "NO"))
    rate, plain, mib, plain_mib, count = many_runs(options, "/dev/shm")
    lines.append(row(f"{options.runs:,} runs at once, {count:,} requests, `none`, tmpfs",
                     f"{rate:,.0f}/s", f"batch {plain:,.0f}/s", f"{rate / plain:.2f}", ">= 0.8x",
                     "yes" if rate >= 0.8 * plain else "NO"))
    lines.append(row("  memory of the client at its peak", f"{mib:.0f} MiB",
                     f"batch {plain_mib:.0f} MiB", "", "", ""))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/agents.py", description=__doc__)
    parser.add_argument("--programs", default=TOP / "build/release/bin", type=Path)
    parser.add_argument("--disk", default=None, help="a folder on a disk (default: /tmp)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    text = (f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} CPUs, load {load:.1f} when it began. "
            f"Medians of {options.rounds} runs; many runs once.\n\n{table(options)}")
    print(text)
    if options.record:
        record.replace("agents", text)


if __name__ == "__main__":
    main()
