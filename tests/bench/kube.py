# SPDX-License-Identifier: MIT
"""Reads of a Kubernetes object: what our files cost on top of a kept connection, beside what else
one might use. The API server is the one of the tests; without it there are no rows."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from rig import WORKER_CPU, end, spawn, wait_for_answers
from targets import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import kube_cluster  # noqa: E402

READS, IN_FLIGHT = 1000, 32
ROUND_TRIPS = 200
KUBECTLS = 10
PATIENCE_S = 120.0
OBJECT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bench"},
          "data": {f"key{i}": "v" * 40 for i in range(40)}}
PATH = "/api/v1/namespaces/default/configmaps/bench"


@contextmanager
def cluster():
    started = kube_cluster.start()
    try:
        started.create(OBJECT)
        yield started
    finally:
        started.stop()


def median(values):
    return sorted(values)[len(values) // 2]


def curl(started, count, in_flight):
    """Seconds that one curl takes for so many reads over kept connections, without its start."""
    def run(reads):
        with tempfile.NamedTemporaryFile("w", suffix=".curl") as config:
            for _ in range(reads):
                config.write(f'url = "{started.url}{PATH}"\noutput = "/dev/null"\n')
            config.flush()
            parallel = ["--parallel", "--parallel-max", str(in_flight)] if in_flight > 1 else []
            folder = started.folder
            process = spawn(["curl", "-sS", "--cacert", folder / "ca.crt", "--cert",
                             folder / "admin.crt", "--key", folder / "admin.key", *parallel,
                             "-K", config.name], WORKER_CPU)
            begin = time.monotonic()
            if process.wait() != 0:
                raise RuntimeError("curl failed")
            return time.monotonic() - begin
    return run(count + 1) - run(1)


def kubectl(started):
    command = [kube_cluster.kubectl_program(), "--kubeconfig", started.kubeconfig, "get", "cm",
               "bench", "-o", "json"]
    times = []
    for _ in range(KUBECTLS):
        begin = time.monotonic()
        if spawn(command, WORKER_CPU, stdout=subprocess.DEVNULL).wait() != 0:
            raise RuntimeError("kubectl failed")
        times.append(time.monotonic() - begin)
    return median(times)


def node(started):
    """{"round_trip_s", "reads_s"} of @kubernetes/client-node; None where npm's package is not."""
    peers = os.environ.get("FILECALL_PEERS_DIR")
    if not peers or not (Path(peers) / "node_modules/@kubernetes/client-node").exists():
        return None
    script = Path(__file__).resolve().parent / "peers" / "kube_get.mjs"
    process = spawn(["node", script, started.kubeconfig, ROUND_TRIPS, READS, IN_FLIGHT],
                    WORKER_CPU, stdout=subprocess.PIPE, text=True,
                    env={**os.environ, "FILECALL_PEERS_DIR": peers})
    out, _ = process.communicate(timeout=PATIENCE_S)
    return json.loads(out) if process.returncode == 0 else None


def drop(root, stem):
    temp = root / f"{stem}.tmp"
    temp.write_text(json.dumps({"request_id": stem, "command": "kube.getResource",
                                "params": {"kind": "ConfigMap", "name": "bench"}}))
    temp.rename(root / "requests" / f"{stem}.json")


def answer_of(path):
    limit = time.monotonic() + PATIENCE_S
    while not path.exists():
        if time.monotonic() > limit:
            raise RuntimeError("no answer")
    return json.loads(path.read_text())


def ours(rig, started):
    """(seconds of a round trip, seconds of all reads), the worker warm."""
    with rig.root("tmpfs") as root:
        (root / "requests").mkdir(exist_ok=True)
        (root / "responses").mkdir(exist_ok=True)
        env = {**os.environ, **kube_cluster.environment(started.kubeconfig, root)}
        process = spawn(rig.command("ours", root, "none"), WORKER_CPU, env=env)
        try:
            rig.wait_ready(process, "ours", root)
            times = []
            for i in range(ROUND_TRIPS + 1):
                begin = time.monotonic()
                drop(root, f"one{i}")
                answer = answer_of(root / "responses" / f"one{i}.json")
                times.append(time.monotonic() - begin)
                if answer["status"] != "success":
                    raise RuntimeError(answer["error_message"])
            begin = time.monotonic()
            for i in range(READS):
                drop(root, f"all{i}")
            wait_for_answers(root, READS + ROUND_TRIPS + 1, PATIENCE_S, 0.001)
            return median(times[1:]), time.monotonic() - begin
        finally:
            end(process)


def reads(rig, _scale):
    missing = kube_cluster.missing()
    if missing:
        print(missing, file=sys.stderr)
        return []
    with cluster() as started:
        curl(started, 10, 1)  # The server's own first steps.
        one, all_ = ours(rig, started)
        curl_one = curl(started, ROUND_TRIPS, 1) / ROUND_TRIPS
        curl_all = curl(started, READS, IN_FLIGHT)
        peers = [("kubectl get -o json", kubectl(started), None)]
        if found := node(started):
            peers.append(("@kubernetes/client-node", found["round_trip_s"], found["reads_s"]))
    what = f"{READS} reads, {IN_FLIGHT} in flight"
    rows = [Row("kube.getResource round trip beside a kept curl", "ms", curl_one * 1e3, one * 1e3,
                1.2, True),
            Row(f"kube.getResource, {what}, beside a kept curl", "s", curl_all, all_, 1.2, True)]
    for name, round_trip_s, all_s in peers:
        rows.append(Row(f"kube.getResource round trip beside {name}", "ms", round_trip_s * 1e3,
                        one * 1e3))
        if all_s:
            rows.append(Row(f"kube.getResource, {what}, beside {name}", "s", all_s, all_))
    return rows
