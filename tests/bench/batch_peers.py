# SPDX-License-Identifier: MIT
"""The same batch of prompts through `filecall run` and through what one might use instead, against
the scripted endpoint: at a fixed latency, so that the ideal is known, and at one that limits its
rate, where it counts who comes again too early. Each has one CPU, the endpoint the other."""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from rig import CLIENT_CPU, WORKER_CPU, cpu_seconds, end, peak_mib, spawn

HERE = Path(__file__).resolve().parent / "peers"
PYTHON = "/usr/bin/python3"
# In flight -> latency, calls. With a hundred in flight all calls would take three minutes at a
# second. A slot makes twenty calls in turn or more, so that the first and the last of them, when
# not all slots are busy, weigh little.
IN_FLIGHT = {100: (200, 20_000), 1000: (1000, 20_000), 4000: (1000, 80_000)}
# As many at once as two seconds allow: who does not slow down is refused again and again.
LIMITED = {"count": 600, "in_flight": 100, "latency_ms": 100, "limit": 50, "retry_after_s": 1}
PATIENCE_S = 300.0
IN_FLIGHT_NS = 250_000_000


@dataclass
class Runner:
    name: str
    how: str
    argv: Callable             # (folder, url, prompts, in_flight) -> argv
    told: Callable             # (folder, stdout) -> answered
    in_flight_max: int = 4000
    worker: Optional[Callable] = None   # (folder, url, in_flight) -> running process
    calls_max: int = 80_000
    env: Optional[Callable] = None      # (folder) -> more environment


@contextmanager
def endpoint(rig, folder, *options):
    log = folder / "endpoint.jsonl"
    process = spawn([rig.endpoint_program, "--log", log, *options], CLIENT_CPU,
                    stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline().split()[1])}/v1", log
    finally:
        end(process)


def write_prompts(folder, count):
    path = folder / "prompts.jsonl"
    path.write_text("".join(json.dumps(f"say {i} " + "x" * 1000) + "\n" for i in range(count)))
    return path


def run(runner, folder, url, prompts, in_flight):
    """What it told, when it ended, and what it and its worker took."""
    with ExitStack() as stack:
        worker = None
        if runner.worker:
            worker = runner.worker(folder, url, in_flight)
            stack.callback(end, worker)
        out = stack.enter_context(open(folder / "runner.out", "w+", encoding="utf-8"))
        env = {**os.environ, **(runner.env(folder) if runner.env else {})}
        process = spawn(runner.argv(folder, url, prompts, in_flight), WORKER_CPU, stdout=out,
                        stderr=subprocess.STDOUT, cwd=folder, env=env)
        stack.callback(end, process)
        usage = wait_for(process)
        ended_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        cpu_s, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        if worker:
            cpu_s, peak = cpu_s + cpu_seconds(worker.pid), peak + peak_mib(worker.pid)
        out.seek(0)
        return {"answered": runner.told(folder, out.read()), "ended_ns": ended_ns, "cpu_s": cpu_s,
                "peak_mib": peak}


def wait_for(process):
    """Its resource usage at its end."""
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        time.sleep(0.01)
    raise RuntimeError("it did not end")


def measure_one(rig, runner, in_flight, count, latency_ms, *options):
    with rig.root("tmpfs") as folder, \
            endpoint(rig, folder, "--latency", latency_ms, *options) as (url, log):
        prompts = write_prompts(folder, count)
        found = run(runner, folder, url, prompts, in_flight)
        calls = [json.loads(line) for line in log.read_text().splitlines()]
    if not calls:
        raise RuntimeError("nothing was called")
    seconds = (found["ended_ns"] - calls[0]["t_ns"]) / 1e9
    return {"count": count, "seconds": seconds, "answered": found["answered"],
            "share": count / in_flight * latency_ms / 1000 / seconds,
            "cpu_ms": found["cpu_s"] * 1000 / count,
            "kib": found["peak_mib"] * 1024 / in_flight, "attempts": len(calls) / count,
            **impatience(calls)}


def impatience(calls):
    """refused: calls that got a 429; early: those made before the Retry-After of the same request
    was over; meanwhile: those of other requests while the provider said so, but not what may have
    been on its way when it began to."""
    told, closed, closed_until = {}, 0, 0
    found = {"refused": 0, "early": 0, "meanwhile": 0}
    for call in calls:
        now, wait = call["t_ns"], call["refused_for_s"]
        if now < told.get(call["body"], 0):
            found["early"] += 1
        elif closed + IN_FLIGHT_NS < now < closed_until:
            found["meanwhile"] += 1
        if wait:
            found["refused"] += 1
            told[call["body"]] = now + wait * 10**9
            if now >= closed_until:
                closed, closed_until = now, now + wait * 10**9
    return found


def answers_of_ours(_folder, text):
    return json.loads(text.splitlines()[-1])["counts"]["SUCCESS"]


def ours(rig):
    def worker(folder, url, in_flight):
        root = folder / "root"
        root.mkdir(mode=0o700)
        config = folder / "worker.yaml"
        config.write_text(json.dumps({"llm": {"providers": {"bench": {
            "base_url": url, "profile": "generic", "max_in_flight": in_flight}}}}))
        process = spawn([*rig.command("ours", root, "none"), "--config", config], WORKER_CPU)
        try:
            rig.wait_ready(process, "ours", root)
        except BaseException:
            end(process)
            raise
        return process

    def argv(folder, _url, prompts, in_flight):
        batch = folder / "batch.jsonl"
        with open(prompts, encoding="utf-8") as lines, open(batch, "w", encoding="utf-8") as out:
            for i, line in enumerate(lines):
                out.write(json.dumps({"request_id": f"q{i}", "command": "llm.chat", "params": {
                    "model": "m", "prompt": json.loads(line)}}) + "\n")
        return [rig.filecall_program, "run", batch, "--root", folder / "root", "--window",
                in_flight, "--durability", "none", "--no-start-worker", "--json"]

    return Runner("filecall run", "client and worker together; durability none", argv,
                  answers_of_ours, worker=worker)


def told_as_json(_folder, text):
    return json.loads(text.splitlines()[-1])["answered"]


def promptfoo(modules):
    """Its own program and scheduler; its cache, telemetry and look for updates are off."""
    def argv(folder, url, prompts, in_flight):
        config = folder / "promptfooconfig.json"
        with open(prompts, encoding="utf-8") as lines:
            tests = [{"vars": {"text": json.loads(line)}} for line in lines]
        config.write_text(json.dumps({
            "prompts": ["{{text}}"], "tests": tests,
            "providers": [{"id": "openai:chat:m",
                           "config": {"apiBaseUrl": url, "apiKey": "sk-bench"}}]}))
        return ["node", modules / "promptfoo/dist/src/entrypoint.js", "eval", "-c", config, "-j",
                in_flight, "--no-cache", "--no-table", "--no-progress-bar", "-o",
                folder / "promptfoo-out.json"]

    def told(folder, text):
        try:
            results = json.loads((folder / "promptfoo-out.json").read_text())
        except FileNotFoundError:
            raise RuntimeError(text[-400:]) from None
        return results["results"]["stats"]["successes"]

    def env(folder):
        return {"PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo"), "HOME": str(folder),
                "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1",
                "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true", "CI": "1"}

    return Runner("promptfoo", "`eval -j N --no-cache`; fewer calls: it is slow", argv,
                  told, in_flight_max=1000, calls_max=2000, env=env)


def all_runners(rig):
    folder = Path(os.environ.get("FILECALL_PEERS_DIR", "/nonexistent"))
    modules, heavy = folder / "node_modules", folder / "promptfoo/node_modules"
    found = [ours(rig)]
    if (modules / "openai").exists():
        found.append(Runner(
            "openai SDK, Node", "a pool of loops; the SDK's two retries",
            lambda _, url, prompts, in_flight: ["node", HERE / "openai_pool.mjs", modules, url,
                                                prompts, in_flight], told_as_json))
    if subprocess.run([PYTHON, "-c", "import httpx"], stderr=subprocess.DEVNULL,
                      check=False).returncode == 0:
        found.append(Runner(
            "httpx, Python",
            "asyncio and a semaphore; three attempts, waits as told; fewer calls: it is slow",
            lambda _, url, prompts, in_flight: [PYTHON, HERE / "httpx_pool.py", url, prompts,
                                                in_flight], told_as_json, calls_max=4000))
    if (heavy / "promptfoo").exists():
        found.append(promptfoo(heavy))
    return found


def measure(rig, quick):
    """[{name, how, in_flight, limited, ...}], a row a runner and a number in flight. What fails is
    told and left out."""
    rows = []
    for runner in all_runners(rig):
        tasks = [(n, min(n * 2 if quick else calls, runner.calls_max), latency, ())
                 for n, (latency, calls) in IN_FLIGHT.items() if n <= runner.in_flight_max]
        tasks.append((LIMITED["in_flight"], LIMITED["count"] // (3 if quick else 1),
                      LIMITED["latency_ms"], ("--limit", LIMITED["limit"], "--retry-after",
                                              LIMITED["retry_after_s"])))
        for in_flight, count, latency_ms, options in tasks:
            try:
                found = measure_one(rig, runner, in_flight, count, latency_ms, *options)
            except (RuntimeError, OSError, ValueError, KeyError) as error:
                print(f"{runner.name}, {in_flight} in flight is left out: {error}",
                      file=sys.stderr)
                continue
            rows.append({"name": runner.name, "how": runner.how, "in_flight": in_flight,
                         "limited": bool(options), **found})
            print(f"{runner.name}, {in_flight} in flight: {found['seconds']:.1f} s",
                  file=sys.stderr, flush=True)
    return rows


def lines(left, heads, rows):
    """`left`: how many columns are text."""
    marks = ["---"] * left + ["--:"] * (len(heads) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, marks, *rows])


def table(rows):
    """Two tables: at a fixed latency, and at a limited rate."""
    if not rows:
        return "nothing could be measured"
    order = sorted((r for r in rows if not r["limited"]), key=lambda r: r["in_flight"])
    steady = lines(2, ["with", "how", "in flight", "share of the ideal rate", "CPU a call",
                       "memory a call in flight", "HTTP attempts a request", "calls"],
                   [[r["name"], r["how"], f"{r['in_flight']:,}", f"{r['share']:.2f}",
                     f"{r['cpu_ms']:.2f} ms", f"{r['kib']:,.0f} KiB", f"{r['attempts']:.2f}",
                     f"{r['count']:,}"] for r in order])
    limited = lines(1, ["at a limited rate", "HTTP attempts a request",
                        "again before its Retry-After was over", "others meanwhile", "unanswered",
                        "seconds", "calls"],
                    [[r["name"], f"{r['attempts']:.2f}", f"{r['early']:,}", f"{r['meanwhile']:,}",
                      f"{r['count'] - r['answered']:,}", f"{r['seconds']:.1f}",
                      f"{r['count']:,}"] for r in rows if r["limited"]])
    return f"{steady}\n\n{limited}"
