# SPDX-License-Identifier: MIT
"""kube.evict and the status subresource against a real API server."""

import json

import pytest

import kube_controllers
import kube_stub
from kube_controllers import LABELS, pod_template, workload

NAMESPACE = "evictions"
WRITABLE = {"writable": [{"context": "admin", "namespaces": [NAMESPACE],
                          "kinds": ["Pod", "deployments/status"]}]}


def pod(name, labels):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels},
            "spec": {**pod_template()["spec"], "nodeName": "node-1"}}


@pytest.fixture(scope="module")
def controllers(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
                   workload("Deployment", "web", NAMESPACE, replicas=2),
                   pod("web-0", LABELS), pod("alone", {"app": "alone"}))
    made = kube_controllers.Controllers(cluster, NAMESPACE)
    for name in ("web-0", "alone"):
        made.status("pods", name, group="api/v1", phase="Running",
                    conditions=[{"type": "Ready", "status": "True"}])
    cluster.create({"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget",
                    "metadata": {"name": "keep-web", "namespace": NAMESPACE},
                    "spec": {"minAvailable": 2, "selector": {"matchLabels": LABELS}}})
    budget = made.get("poddisruptionbudgets", "keep-web", "apis/policy/v1beta1")
    made.status("poddisruptionbudgets", "keep-web", "apis/policy/v1beta1", disruptionsAllowed=0,
                currentHealthy=2, desiredHealthy=2, expectedPods=2,
                observedGeneration=budget["metadata"]["generation"])
    return made


def evict(spool, stem, name, **params):
    return spool.call(stem, "kube.evict", {"namespace": NAMESPACE, "name": name, **params})


def test_an_eviction_needs_permission_and_ends_its_pod(spool, kube_worker, cluster, controllers):
    worker = kube_worker()
    shut = evict(spool, "shut", "alone")
    assert shut["error_code"] == "permission_denied"
    assert "kinds: [pods/eviction]" in shut["error_message"]
    trial = evict(spool, "trial", "alone", dryRun=True)["data"]
    assert (trial["action"], trial["node"]) == ("would be evicted", "node-1")
    assert "no controller makes another pod in its place" in trial["warnings"]
    assert controllers.get("pods", "alone", "api/v1")["metadata"].get("deletionTimestamp") is None
    worker.stop()
    kube_worker(kube={"writable": [{"context": "admin", "namespaces": [NAMESPACE],
                                    "kinds": ["pods/eviction"], "verbs": ["create"]}]})
    wrong = evict(spool, "wrong", "alone", precondition={"uid": "another"})
    assert wrong["status"] == "error" and wrong["retryable"] is False, wrong
    done = evict(spool, "done", "alone", gracePeriodSeconds=30, expectedDigest=trial["digest"],
                 precondition=trial["precondition"])
    assert done["status"] == "error", "another grace period is another write"
    done = evict(spool, "done2", "alone", expectedDigest=trial["digest"],
                 precondition=trial["precondition"])
    assert done["data"]["action"] == "evicted", done
    assert controllers.get("pods", "alone", "api/v1")["metadata"]["deletionTimestamp"]
    assert evict(spool, "none", "nobody")["error_code"] == "not_found"


def test_a_budget_that_is_in_the_way_is_named(spool, kube_worker, controllers):
    kube_worker(kube=WRITABLE)
    said = evict(spool, "held", "web-0")
    assert (said["error_code"], said["retryable"]) == ("resource_exhausted", True), said
    assert said["error_details"]["budgets"] == [
        {"name": "keep-web", "disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2,
         "expectedPods": 2, "minAvailable": 2}]
    assert "'keep-web' allows 0 disruptions" in said["error_message"]
    assert "never allows" in said["error_message"]
    assert controllers.get("pods", "web-0", "api/v1")["metadata"].get("deletionTimestamp") is None


def test_a_status_is_written_where_it_is_named(spool, kube_worker, controllers):
    worker = kube_worker(kube={"writable": [{"context": "admin", "namespaces": [NAMESPACE],
                                             "kinds": ["*", "Deployment"]}]})
    params = {"namespace": NAMESPACE, "kind": "deploy", "name": "web", "strategy": "merge",
              "subresource": "status", "patch": {"status": {"replicas": 2}}}
    shut = spool.call("shut", "kube.patchResource", params)
    assert shut["error_code"] == "permission_denied"
    assert "kinds: [deployments.apps/status]" in shut["error_message"]
    worker.stop()
    kube_worker(kube=WRITABLE)
    shown = spool.call("shown", "kube.diffResource", params)["data"]
    assert [row["path"] for row in shown["changes"]] == ["/status/replicas"], shown
    done = spool.call("done", "kube.patchResource",
                      {**params, "expectedDigest": shown["digest"],
                       "precondition": shown["precondition"]})
    assert done["status"] == "success", done
    assert controllers.get("deployments", "web")["status"]["replicas"] == 2
    none = spool.call("none", "kube.patchResource",
                      {**params, "patch": {"spec": {"replicas": 9}}})
    assert "writes the status alone" in none["error_message"]
    applied = spool.call("apply", "kube.patchResource", {
        "namespace": NAMESPACE, "kind": "deploy", "name": "web", "subresource": "status",
        "force": True, "values": {"status": {"replicas": 1}, "spec": {"replicas": 9}}})
    assert applied["status"] == "success", applied
    assert any("spec left out" in text for text in applied["data"]["notes"])
    after = controllers.get("deployments", "web")
    assert (after["spec"]["replicas"], after["status"]["replicas"]) == (2, 1)
    plain = spool.call("plain", "kube.diffResource", {
        "namespace": NAMESPACE, "kind": "deploy", "name": "web", "strategy": "merge",
        "patch": {"status": {"replicas": 3}}})
    assert "subresource: status does" in plain["error_message"]


POLICY = {
    "/apis": {"kind": "APIGroupList", "groups": [
        {"name": "policy", "versions": [{"groupVersion": "policy/v1"}],
         "preferredVersion": {"groupVersion": "policy/v1"}}]},
    "/apis/policy/v1": {"kind": "APIResourceList", "groupVersion": "policy/v1", "resources": [
        {"name": "poddisruptionbudgets", "namespaced": True, "kind": "PodDisruptionBudget",
         "verbs": ["get", "list"]}]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        {**kube_stub.NAMESPACES, "verbs": ["create", "delete", "get", "list"]},
        {"name": "pods/eviction", "namespaced": True, "kind": "Eviction", "group": "policy",
         "version": "v1", "verbs": ["create"]}]},
    "/api/v1/namespaces/default/pods/p": {
        "apiVersion": "v1", "kind": "Pod", "spec": {},
        "metadata": {"name": "p", "namespace": "default", "uid": "u", "resourceVersion": "7"}},
    # Items of a list do not say their version: an empty selector of policy/v1 selects all pods.
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets": {
        "kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1", "items": [
            {"metadata": {"name": "all"}, "spec": {"minAvailable": 1, "selector": {}},
             "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1,
                        "expectedPods": 1}}]}}
EVICTION = "/api/v1/namespaces/default/pods/p/eviction"


def test_evictions_of_newer_servers_are_those_of_policy_v1(spool, kube_stub_worker):
    """Recorded from a server of version 1.31: it serves evictions of policy/v1 alone."""
    done = {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}
    stub = kube_stub_worker({**POLICY, EVICTION: kube_stub.http(201, done)}, config={
        "kube": {"writable": [{"context": "stub", "namespaces": ["default"],
                               "kinds": ["pods/eviction"]}]}})

    def evicted(stem):
        return spool.call(stem, "kube.evict", {"name": "p"})

    first = evicted("done")
    assert first["status"] == "success", first
    assert first["data"]["action"] == "evicted"
    sent = json.loads(next(body for method, *_, body in stub.requests if method == "POST"))
    assert (sent["apiVersion"], sent["kind"]) == ("policy/v1", "Eviction")
    assert sent["deleteOptions"] == {"preconditions": {"uid": "u"}}
    stub.paths[EVICTION] = kube_stub.status(
        429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.",
        causes=[{"reason": "DisruptionBudget", "message": "The disruption budget all needs 1 "
                 "healthy pods and has 1 currently"}])
    said = evicted("held")
    assert (said["error_code"], said["retryable"]) == ("resource_exhausted", True)
    assert [row["name"] for row in said["error_details"]["budgets"]] == ["all"]
    # Several budgets: no repetition changes it. Any other 500 is no budget's.
    stub.paths[EVICTION] = kube_stub.status(
        500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource "
        "does not support.")
    said = evicted("several")
    assert (said["error_code"], said["retryable"]) == ("failed_precondition", False)
    assert said["error_details"]["budgets"]
    stub.paths[EVICTION] = kube_stub.status(500, "InternalError", "etcdserver: no leader")
    said = evicted("broken")
    assert said["error_code"] == "unavailable" and "budgets" not in said["error_details"]
