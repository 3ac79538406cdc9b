# SPDX-License-Identifier: MIT
"""Reads of a Kubernetes object: what our files cost on top of a kept connection, beside what else
one might use. The API server is the one of the tests; without it there are no rows."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from rig import WORKER_CPU, cpu_seconds, end, spawn
from targets import WINDOW, compare, row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import kube_cluster  # noqa: E402
import kube_lists  # noqa: E402

# Ours is handed more than may be in flight (kube.max_in_flight), as curl is: all at once.
READS, IN_FLIGHT = 1000, 32
ROUND_TRIPS = 200
ROUND_TRIP, READ_ALL = "round_trip_ms", "reads_s"  # Names of samples.
PATIENCE_S = 120.0
OBJECT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bench"},
          "data": {f"key{i}": "v" * 40 for i in range(40)}}
PATH = "/api/v1/namespaces/default/configmaps/bench"
WHAT = json.dumps({"command": "kube.getResource",
                   "params": {"kind": "ConfigMap", "name": "bench"}})[1:-1]


@contextmanager
def cluster():
    started = kube_cluster.start()
    try:
        started.create(OBJECT)
        yield started
    finally:
        started.stop()
        shutil.rmtree(started.folder, ignore_errors=True)


def curl(started, count, in_flight):
    """Seconds that one curl takes for so many reads over kept connections, without its start."""
    def run(reads):
        with tempfile.NamedTemporaryFile("w", suffix=".curl") as config:
            for _ in range(reads):
                config.write(f'url = "{started.url}{PATH}"\noutput = "/dev/null"\n')
            config.flush()
            parallel = ["--parallel", "--parallel-max", str(in_flight)] if in_flight > 1 else []
            folder = started.folder
            process = spawn(["curl", "-sS", "--no-progress-meter", "--cacert", folder / "ca.crt",
                             "--cert", folder / "admin.crt", "--key", folder / "admin.key",
                             *parallel, "-K", config.name], WORKER_CPU)
            begin = time.monotonic()
            if process.wait() != 0:
                raise RuntimeError("curl failed")
            return time.monotonic() - begin
    return run(count + 1) - run(1)


def kept_curl(started):
    """Their mean: one curl tells no times of single reads."""
    return {ROUND_TRIP: curl(started, ROUND_TRIPS, 1) / ROUND_TRIPS * 1e3,
            READ_ALL: curl(started, READS, IN_FLIGHT)}


def kubectl(started):
    command = [kube_cluster.kubectl_program(), "--kubeconfig", started.kubeconfig, "get", "cm",
               "bench", "-o", "json"]
    begin = time.monotonic()
    if spawn(command, WORKER_CPU, stdout=subprocess.DEVNULL).wait() != 0:
        raise RuntimeError("kubectl failed")
    return {ROUND_TRIP: (time.monotonic() - begin) * 1e3}


def has_node():
    peers = os.environ.get("FILECALL_PEERS_DIR")
    return peers and (Path(peers) / "node_modules/@kubernetes/client-node").exists()


def node(started):
    script = Path(__file__).resolve().parent / "peers" / "kube_get.mjs"
    process = spawn(["node", script, started.kubeconfig, ROUND_TRIPS, READS, IN_FLIGHT],
                    WORKER_CPU, stdout=subprocess.PIPE, text=True)
    out, _ = process.communicate(timeout=PATIENCE_S)
    if process.returncode != 0:
        raise RuntimeError("@kubernetes/client-node failed")
    found = json.loads(out)
    return {ROUND_TRIP: found["round_trip_s"] * 1e3, READ_ALL: found["reads_s"]}


@contextmanager
def ready_worker(rig, started):
    """(its process, its root); discovery is done and the connection stands."""
    with rig.root("tmpfs") as root:
        env = {**os.environ, **kube_cluster.environment(started.kubeconfig, root)}
        process = spawn(rig.command("ours", root, "none"), WORKER_CPU, env=env)
        try:
            rig.wait_ready(process, "ours", root)
            rig.client(root, "latency", 20, 1, WHAT)
            yield process, root
        finally:
            end(process)


def ours(rig, started):
    with ready_worker(rig, started) as (process, root):
        one = rig.client(root, "latency", ROUND_TRIPS, 1, WHAT)
        before = cpu_seconds(process.pid)
        all_ = rig.client(root, "throughput", READS, WINDOW, WHAT)
        cpu_us = (cpu_seconds(process.pid) - before) / READS * 1e6
        return {ROUND_TRIP: one["p50_us"] / 1e3, READ_ALL: all_["seconds"], "cpu_us": cpu_us}


def lists(rig, scale, started):
    kube_lists.fill(started)
    script = Path(__file__).resolve().parent / "peers" / "kube_list.mjs" if has_node() else None
    with ready_worker(rig, started) as (_, root):
        return kube_lists.rows(scale, started, root, script)


def reads(rig, scale):
    missing = kube_cluster.missing()
    if missing:
        print(missing, file=sys.stderr)
        return []
    contenders = {"a kept curl": kept_curl, "ours": lambda started: ours(rig, started),
                  "kubectl get -o json": kubectl}
    if has_node():
        contenders["@kubernetes/client-node"] = node
    with cluster() as started:
        curl(started, 100, 1)  # The server's own first steps.
        samples = compare(scale, list(contenders), lambda who: contenders[who](started))
        of_lists = lists(rig, scale, started)
    what = {ROUND_TRIP: ("kube.getResource round trip", "ms"),
            READ_ALL: (f"kube.getResource, {READS} reads, {IN_FLIGHT} in flight", "s")}
    rows = []
    for name, (title, unit) in what.items():
        for who in contenders:
            if who != "ours" and name in samples[who]:
                is_limit = who == "a kept curl"
                rows.append(row(f"{title}, beside {who}" if is_limit else f"  beside {who}", unit,
                                samples, name, 1.2 if is_limit else None, True, baseline=who))
    rows.append(row("  worker CPU a read", "us", samples, "cpu_us", baseline=None))
    return rows + of_lists
