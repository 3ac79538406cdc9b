# SPDX-License-Identifier: MIT
"""Long lists of a cluster: kube.listResources, page by page, beside what else one might use."""

import json
import subprocess
import time

from rig import WORKER_CPU, spawn
from targets import compare, row

import kube_api
import kube_cluster

OBJECTS, PAGE = 5000, 1000  # A page is as large as ours allows.
PATIENCE_S = 120.0
NAMESPACE = "bench-lists"
PATH = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
AS_TABLE, AS_OBJECTS = "table_ms", "objects_ms"  # Names of samples.


def fill(started):
    api = kube_api.Api(started)
    api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for i in range(OBJECTS):
        api.ask("POST", PATH, {"metadata": {"name": f"config-{i:05}", "labels": {"app": f"a{i}"}},
                               "data": {f"key{n}": "v" * 40 for n in range(5)}})


def answer_of(root, name, params):
    """Of one request, looked for every half a millisecond."""
    request = {"request_id": name, "command": "kube.listResources", "params": params}
    temp = root / f"{name}.tmp"
    temp.write_text(json.dumps(request))
    temp.rename(root / "requests" / f"{name}.json")
    path, end = root / "responses" / f"{name}.json", time.monotonic() + PATIENCE_S
    while not path.exists():
        if time.monotonic() > end:
            raise RuntimeError("no answer")
        time.sleep(0.0005)
    answer = json.loads(path.read_text())
    path.unlink()
    if answer["status"] != "success":
        raise RuntimeError(answer["error_message"])
    return answer["data"]


def ours(root, view):
    """Milliseconds until all pages are here, parsed."""
    begin, found, token = time.monotonic(), 0, None
    while found == 0 or token:
        data = answer_of(root, f"list-{view}-{found}", {
            "kind": "cm", "namespace": NAMESPACE, "limit": PAGE, "view": view,
            **({"continue": token} if token else {})})
        found, token = found + data["returned"], data.get("continue")
    if found != OBJECTS or not data["complete"]:
        raise RuntimeError(f"{found} of {OBJECTS} objects")
    return (time.monotonic() - begin) * 1e3


def kubectl(started):
    command = [kube_cluster.kubectl_program(), "--kubeconfig", started.kubeconfig, "get", "cm",
               "-n", NAMESPACE, "--no-headers", f"--chunk-size={PAGE}"]
    begin = time.monotonic()
    done = spawn(command, WORKER_CPU, stdout=subprocess.PIPE, text=True)
    out, _ = done.communicate(timeout=PATIENCE_S)
    if done.returncode != 0 or out.count("\n") < OBJECTS:
        raise RuntimeError("kubectl failed")
    return (time.monotonic() - begin) * 1e3


def node(started, script):
    process = spawn(["node", script, started.kubeconfig, NAMESPACE, OBJECTS, PAGE], WORKER_CPU,
                    stdout=subprocess.PIPE, text=True)
    out, _ = process.communicate(timeout=PATIENCE_S)
    if process.returncode != 0:
        raise RuntimeError("@kubernetes/client-node failed")
    return json.loads(out)["list_ms"]


def rows(scale, started, root, node_script=None):
    """`root`: of a ready worker of ours. The objects must be there (fill)."""
    node_name = "@kubernetes/client-node"
    contenders = {"ours": lambda: {AS_TABLE: ours(root, "table"),
                                   AS_OBJECTS: ours(root, "manifests")},
                  "kubectl get": lambda: {AS_TABLE: kubectl(started)}}
    if node_script:
        # It knows no tables.
        contenders[node_name] = lambda: dict.fromkeys((AS_TABLE, AS_OBJECTS),
                                                      node(started, node_script))
    ours(root, "table")
    samples = compare(scale, list(contenders), lambda who: contenders[who]())
    out = []
    for name, what in ((AS_TABLE, "as a table"), (AS_OBJECTS, "as manifests")):
        title = f"kube.listResources, {OBJECTS} objects {what}, in pages of {PAGE}"
        others = [who for who in contenders if who != "ours" and name in samples[who]]
        for number, who in enumerate(reversed(others)):
            out.append(row(f"{title}, beside {who}" if number == 0 else f"  beside {who}", "ms",
                           samples, name, baseline=who))
    return out
