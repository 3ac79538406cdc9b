# SPDX-License-Identifier: MIT
"""The same evaluation through `filecall run` and through promptfoo: without faults, with calls
that fail at first, and with a `kill -9` of all programs at half of the calls."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from batch_peers import endpoint, lines
from rig import WORKER_CPU, end, spawn

ROWS, QUICK_ROWS = 4500, 300
IN_FLIGHT, LATENCY_MS = 100, 100
PATIENCE_S = 900.0
# What the endpoint does with the first calls of each model.
STEADY = ("m", "n")
FAULTY = ("m;status=503;times=90", "n;status=429;retry_after=1;times=90")


@dataclass
class Contender:
    name: str
    begin: Callable    # (folder, url, models) -> the processes that work, the last one is awaited
    again: Callable    # the same, after a kill
    answered: Callable  # (folder) -> how many calls have an answer


def write_rows(folder, rows):
    with open(folder / "rows.csv", "w", encoding="utf-8") as out:
        out.write("id,question\n")
        for i in range(rows):
            out.write(f"q{i:05},is {i} right? {'x' * 500}\n")
    (folder / "ask.txt").write_text("{{question}}")


def ours(rig):
    def begin(folder, url, models):
        root, config = folder / "root", folder / "worker.yaml"
        root.mkdir(mode=0o700, exist_ok=True)
        config.write_text(json.dumps({"llm": {"providers": {"bench": {
            "base_url": url, "profile": "generic", "max_in_flight": IN_FLIGHT}}}}))
        worker = spawn([*rig.command("ours", root, "full"), "--config", config], WORKER_CPU,
                       stderr=subprocess.DEVNULL)
        rig.wait_ready(worker, "ours", root)
        asked = [word for model in models for word in ("--model", model)]
        out = open(folder / "summary.json", "w", encoding="utf-8")
        return [worker, spawn([rig.filecall_program, "run", folder / "rows.csv", "--prompt",
                               folder / "ask.txt", *asked, "--root", root, "--window", IN_FLIGHT,
                               "--no-start-worker", "--json"], WORKER_CPU, stdout=out,
                              stderr=subprocess.DEVNULL)]

    def answered(folder):
        return json.loads((folder / "summary.json").read_text())["counts"]["SUCCESS"]

    return Contender("filecall run, durability full", begin, begin, answered)


def promptfoo(modules):
    def start(folder, url, models, *more):
        config = folder / "promptfooconfig.json"
        config.write_text(json.dumps({
            "prompts": ["{{question}}"], "tests": str(folder / "rows.csv"),
            "providers": [{"id": f"openai:chat:{model}",
                           "config": {"apiBaseUrl": url, "apiKey": "sk-bench"}}
                          for model in models]}))
        env = {**os.environ, "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo"),
               "HOME": str(folder), "PROMPTFOO_DISABLE_TELEMETRY": "1",
               "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
               "CI": "1"}
        out = open(folder / "promptfoo.log", "a", encoding="utf-8")
        return [spawn(["node", modules / "promptfoo/dist/src/entrypoint.js", "eval",
                       *(more or ["-c", config, "-j", IN_FLIGHT, "--no-cache"]), "--no-table",
                       "--no-progress-bar", "-o", folder / "out.json"], WORKER_CPU, stdout=out,
                      stderr=subprocess.STDOUT, cwd=folder, env=env)]

    def answered(folder):
        # Its own sums count an answer twice after a resume.
        rows = json.loads((folder / "out.json").read_text())["results"]["results"]
        return len({(row["testIdx"], row["promptIdx"]) for row in rows if row["success"]})

    return Contender("promptfoo", start,
                     lambda folder, url, models: start(folder, url, models, "--resume"), answered)


def await_end(process):
    limit = time.monotonic() + PATIENCE_S
    while process.poll() is None:
        if time.monotonic() > limit:
            raise RuntimeError("it did not end")
        time.sleep(0.02)


def await_calls(log, count, process):
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit and process.poll() is None:
        if log.exists() and log.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise RuntimeError(f"there were no {count} calls")


def measure_one(rig, contender, rows, models, is_killed):
    with rig.root("disk") as folder, ExitStack() as stack:
        url, log = stack.enter_context(endpoint(rig, folder, "--latency", LATENCY_MS))
        write_rows(folder, rows)
        calls = rows * len(models)
        begin = time.monotonic()
        processes = contender.begin(folder, url, models)
        for process in processes:
            stack.callback(end, process)
        if is_killed:
            await_calls(log, calls // 2, processes[-1])
            for process in processes:
                process.send_signal(signal.SIGKILL)
                process.wait()
            processes = contender.again(folder, url, models)
            for process in processes:
                stack.callback(end, process)
        await_end(processes[-1])
        seconds = time.monotonic() - begin
        made = [json.loads(line) for line in log.read_text().splitlines()]
        asked = {}
        for call in made:
            asked[call["body"]] = asked.get(call["body"], 0) + 1
        return {"seconds": seconds, "calls": calls, "made": len(made),
                "repeated": len(made) - len(asked), "answered": contender.answered(folder)}


def measure(rig, quick):
    rows = QUICK_ROWS if quick else ROWS
    heavy = Path(os.environ.get("FILECALL_PEERS_DIR", "/nonexistent")) / "promptfoo/node_modules"
    contenders = [ours(rig)] + ([promptfoo(heavy)] if (heavy / "promptfoo").exists() else [])
    found = []
    for what, models, is_killed in (("no faults", STEADY, False),
                                    ("180 calls fail at first", FAULTY, False),
                                    ("kill -9 at half, again", STEADY, True)):
        for contender in contenders:
            try:
                one = measure_one(rig, contender, rows, models, is_killed)
            except (RuntimeError, OSError, ValueError, KeyError) as error:
                print(f"{contender.name}, {what}: left out: {error}", file=sys.stderr)
                continue
            found.append({"what": what, "name": contender.name, **one})
            print(f"{contender.name}, {what}: {one['seconds']:.1f} s", file=sys.stderr, flush=True)
    return found


def table(found):
    heads = ["what happens", "with", "seconds", "calls needed", "calls made", "made twice or more",
             "without an answer"]
    return lines(2, heads, [[r["what"], r["name"], f"{r['seconds']:.1f}", f"{r['calls']:,}",
                             f"{r['made']:,}", f"{r['repeated']:,}",
                             f"{max(0, r['calls'] - r['answered']):,}"] for r in found])
