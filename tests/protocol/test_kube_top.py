# SPDX-License-Identifier: MIT
"""kube.top beside kubectl top, of a metrics API that the real API server hands requests to."""

import pytest

from conftest_shared import own_cluster
from harness import wait_until
from kube_metrics import ROOT, Metrics, measured
from kube_stub import status

SPACE = "top"
PODS = [measured("web", SPACE, containers=[
            {"name": "a", "usage": {"cpu": "12345678n", "memory": "41943040"}},
            {"name": "b", "usage": {"cpu": "1m", "memory": "1025Ki"}}]),
        measured("db", SPACE, containers=[
            {"name": "a", "usage": {"cpu": "1500m", "memory": "3Gi"}}])]
NODES = [measured("top-node", usage={"cpu": "1750m", "memory": "4Gi"})]


@pytest.fixture(scope="module")
def cluster():
    """Of its own: what an API server hands on to others concerns all that ask it."""
    yield from own_cluster()


def pod(name, *containers):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": SPACE},
            "spec": {"nodeName": "top-node", "containers": [
                {"name": "abc"[n], "image": "x.invalid/y", "resources": resources}
                for n, resources in enumerate(containers)]}}


def test_it_agrees_with_kubectl(spool, kube_worker, cluster):
    cluster.create(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
        pod("web", {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}},
            {"requests": {"cpu": "0.25"}, "limits": {"cpu": "1", "memory": "128Mi"}}),
        pod("db", {}), pod("new", {"requests": {"cpu": "1"}}),
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "top-node"},
         "status": {"capacity": {"cpu": "4", "memory": "8Gi"},
                    "allocatable": {"cpu": "4", "memory": "8Gi"}}})
    kube_worker()
    missing = spool.call("missing", "kube.top", {"namespace": SPACE})
    assert missing["error_code"] == "failed_precondition" and missing["retryable"] is False
    assert "serves no metrics" in missing["error_message"]

    metrics = Metrics(cluster, {"pods": PODS, "nodes": NODES})
    try:
        wait_until(lambda: "PodMetrics" in cluster.kubectl("get", "--raw", f"{ROOT}/pods",
                                                           check=False), "the metrics API")
        data = spool.call("pods", "kube.top", {"namespace": SPACE})["data"]
        assert data["rows"] == [["db", 1500, None, None, 3072, None, None],
                                ["web", 14, 350, None, 41, 192, 1152],
                                ["new", None, 1000, None, None, None, None]]
        assert data["withoutMetrics"] == 1 and not data["complete"] and data["window"] == "30s"
        theirs = [line.split() for line in cluster.kubectl("top", "pods", "-n", SPACE,
                                                           "--no-headers").splitlines()]
        ours = [[row[0], f"{row[1]}m", f"{row[4]}Mi"] for row in data["rows"] if row[1]]
        assert sorted(ours) == sorted(theirs)
        one = spool.call("one", "kube.top", {"namespace": SPACE, "name": "web",
                                             "containers": True, "sortBy": "memory"})["data"]
        assert [row[:4] for row in one["rows"]] == [["web", "a", 13, 100], ["web", "b", 1, 250]]
        assert one["complete"]
        nodes = spool.call("nodes", "kube.top", {"kind": "nodes", "name": "top-node"})["data"]
        assert nodes["rows"] == [["top-node", 1750, 1350, 4000, 4096, 192, 8192]]
        fresh = spool.call("fresh", "kube.top", {"namespace": SPACE, "name": "new"})["data"]
        assert fresh["rows"][0][:3] == ["new", None, 1000] and fresh["withoutMetrics"] == 1
        none = spool.call("none", "kube.top", {"namespace": SPACE, "name": "wep"})
        assert none["error_code"] == "not_found" and none["error_details"]["nearest"] == ["web"]
        few = spool.call("few", "kube.top", {"allNamespaces": True, "limit": 1})["data"]
        assert few["columns"][0] == "namespace" and few["left_out"] >= 2
        metrics.stop()
        dead = spool.call("dead", "kube.top", {"namespace": SPACE})
        assert dead["error_code"] == "unavailable", dead
        assert "APIService v1beta1.metrics.k8s.io" in dead["error_message"]
    finally:
        metrics.forget()


def test_without_the_pods_it_says_what_is_not_known(spool, kube_stub_worker):
    kube_stub_worker({
        f"{ROOT}/namespaces/default/pods": {"kind": "PodMetricsList", "items": PODS},
        "/api/v1/namespaces/default/pods": status(403, "Forbidden", "not yours")})
    data = spool.call("pods", "kube.top")["data"]
    assert data["rows"][0] == ["db", 1500, None, None, 3072, None, None]
    assert not data["complete"] and "not yours" in data["unread"][0]["why"]
