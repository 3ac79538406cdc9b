# SPDX-License-Identifier: MIT
"""The same echo work on what one might use instead. Each peer: a server (on 127.0.0.1 alone) where
it needs one, a worker, and a client that measures; all ended by pid, all counts bounded."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable, Optional

from rig import CLIENT_CPU, WORKER_CPU, cpu_seconds, end, memory_mib, spawn

HERE = Path(__file__).resolve().parent / "peers"
PYTHON = "/usr/bin/python3"
IDLE_S = 3.0


@dataclass
class Peer:
    name: str
    how: str
    worker: Callable       # (root, port) -> argv
    client: Callable       # (root, port) -> argv, followed by a mode and numbers
    echoes: int
    requests: int
    server: Optional[Callable] = None   # (root, port) -> argv
    ready: Optional[str] = None         # a file below the root that says so
    window: int = 256


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(is_true, what, process):
    limit = time.monotonic() + 30
    while not is_true():
        if time.monotonic() > limit or process.poll() is not None:
            raise RuntimeError(f"{what}: did not start")
        time.sleep(0.01)


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def ask(argv):
    done = spawn(argv, CLIENT_CPU, stdout=subprocess.PIPE, text=True)
    try:
        out, _ = done.communicate(timeout=180)
    finally:
        end(done)
    if done.returncode != 0:
        raise RuntimeError(f"{argv[0]}: exit code {done.returncode}")
    return json.loads(out)


def measure_one(rig, peer):
    with rig.root("disk") as root, ExitStack() as stack:
        port, server = free_port(), None
        log = stack.enter_context(open(root / "peer.log", "w", encoding="utf-8"))
        if peer.server:
            server = spawn(peer.server(root, port), None, stdout=log, stderr=log, cwd=root)
            stack.callback(end, server)
            wait_until(lambda: is_listening(port), peer.name, server)
        worker = spawn(peer.worker(root, port), WORKER_CPU, stdout=log, stderr=log)
        stack.callback(end, worker)
        ready = root / peer.ready if peer.ready else None
        wait_until(lambda: ready is None or ready.exists(), peer.name, worker)
        time.sleep(0.5)
        client = peer.client(root, port)
        ask([*client, "latency", max(peer.echoes // 10, 3)])
        sample = ask([*client, "latency", peer.echoes])
        sample |= ask([*client, "throughput", peer.requests, peer.window])
        time.sleep(1.0)
        processes = [p.pid for p in (worker, server) if p]
        before = sum(map(cpu_seconds, processes))
        time.sleep(IDLE_S)
        sample["idle"] = (sum(map(cpu_seconds, processes)) - before) / IDLE_S * 100
        sample["worker_mib"] = memory_mib(worker.pid)
        sample["server_mib"] = memory_mib(server.pid) if server else None
        return sample


def all_peers(rig):
    programs = rig.client_program.parent
    servers = Path(os.environ.get("FILECALL_PEERS_DIR", "/nonexistent"))
    files = lambda root, _: [rig.client_program, root]  # noqa: E731

    def over(name, address):
        return {"worker": lambda root, port: [programs / f"{name}_peer", address(port), "worker"],
                "client": lambda root, port: [programs / f"{name}_peer", address(port)]}

    def script(name):
        path = HERE / f"{name}_peer.py"
        return {"worker": lambda root, _: [PYTHON, path, root, "worker"],
                "client": lambda root, _: [PYTHON, path, root], "ready": "ready"}

    def ours(durability):
        return {"worker": lambda root, _: rig.command("ours", root, durability), "client": files,
                "ready": "worker/status.json", "echoes": 3000}

    def redis(*options):
        program = servers / "usr/bin/redis-server"
        return lambda root, port: [program, "--bind", "127.0.0.1", "--port", port, "--dir", root,
                                   "--save", "", *options]

    beanstalkd = servers / "usr/bin/beanstalkd"
    peers = [
        Peer("filecall", "durability none", requests=20_000, **ours("none")),
        Peer("filecall, full", "durable: every file and the directory synced", requests=10_000,
             **ours("full"))]
    if rig.has_journal:
        peers.append(Peer("filecall, journal", "durable: a log synced in groups", requests=20_000,
                          **ours("journal")))
    peers += [
        Peer("bare system calls", "the baseline: no JSON, no checks", client=files, echoes=3000,
             worker=lambda root, _: rig.command("bare", root, "none"), requests=20_000,
             ready="bare-ready"),
        Peer("Python, polling", "lists both directories every 100 ms", client=files, echoes=30,
             worker=lambda root, _: [PYTHON, HERE / "polling_worker.py", root], requests=3000),
        Peer("Node, chokidar", "fs.watch, one answer an event", client=files, echoes=200,
             worker=lambda root, _: ["node", HERE / "chokidar_worker.mjs", root,
                                     servers / "node_modules"], requests=2000, ready="ready"),
        Peer("kombu, filesystem", "polls every 10 ms (default: 1 s)", echoes=100, requests=1500,
             **script("kombu")),
        Peer("filespooler", "a process a packet", echoes=40, requests=200, **script("filespooler")),
        Peer("Redis lists", "in memory, a message a command", server=redis(), echoes=3000,
             requests=20_000, **over("redis", str)),
        Peer("Redis lists, batched", "in memory, 256 messages a command", server=redis(),
             echoes=3000, requests=200_000, **over("redis", lambda port: f"{port}/batched")),
        Peer("Redis lists, batched, AOF", "durable: appendfsync always",
             server=redis("--appendonly", "yes", "--appendfsync", "always"), echoes=2000,
             requests=100_000, **over("redis", lambda port: f"{port}/batched")),
        Peer("beanstalkd", "in memory", echoes=3000, requests=20_000,
             server=lambda root, port: [beanstalkd, "-l", "127.0.0.1", "-p", port],
             **over("beanstalkd", str)),
        Peer("beanstalkd, fsync", "durable: binlog, synced each write", echoes=1000, requests=3000,
             server=lambda root, port: [beanstalkd, "-l", "127.0.0.1", "-p", port, "-b", root,
                                        "-f0"], **over("beanstalkd", str)),
        Peer("NATS JetStream", "file store, not synced a message", echoes=3000, requests=20_000,
             server=lambda root, port: [servers / "usr/sbin/nats-server", "-a", "127.0.0.1", "-p",
                                        port, "-js", "-sd", root / "jetstream"],
             **over("nats", lambda port: f"nats://127.0.0.1:{port}")),
    ]
    return peers


def measure(rig, quick):
    rounds, results = 1 if quick else 3, []
    for peer in all_peers(rig):
        samples = []
        for _ in range(rounds + 2):  # kombu reads its own half-written files now and then.
            if len(samples) == rounds:
                break
            try:
                samples.append(measure_one(rig, peer))
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"{peer.name}: a sample is left out: {error}", file=sys.stderr)
        if not samples:
            continue
        row = {"name": peer.name, "how": peer.how}
        for key in samples[0]:
            values = [s[key] for s in samples]
            row[key] = None if values[0] is None else median(values)
        results.append(row)
        print(f"{peer.name}: p50 {row['p50_us']:.0f} us, {row['per_s']:.0f}/s", file=sys.stderr,
              flush=True)
    return results


def table(rows):
    if not rows:
        return "no peer could be measured"
    best = next((r for r in rows if r["name"] == "filecall"), rows[0])
    lines = ["| on disk, the same echo | p50 us | p99 us | requests/s | filecall is | worker MiB |"
             " server MiB | idle CPU | how |", "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for r in rows:
        server = "-" if r["server_mib"] is None else f"{r['server_mib']:.1f}"
        lines.append(f"| {r['name']} | {r['p50_us']:,.0f} | {r['p99_us']:,.0f} |"
                     f" {r['per_s']:,.0f} | {best['per_s'] / r['per_s']:.1f}x |"
                     f" {r['worker_mib']:.1f} | {server} | {r['idle']:.2f} % | {r['how']} |")
    return "\n".join(lines)
