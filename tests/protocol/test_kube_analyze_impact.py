# SPDX-License-Identifier: MIT
"""kube.analyzeImpact against a real API server, with Istio's kinds installed."""

import pytest

from test_kube_get_resource import crd

SPACE = "impact"


def thing(api, kind, name, **members):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": SPACE},
            **members}


def pod(name, **spec):
    return thing("v1", "Pod", name, spec={
        "containers": [{"name": "c", "image": "registry.invalid/a:1"}],
        "automountServiceAccountToken": False, **spec})


@pytest.fixture(scope="module", autouse=True)
def objects(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
                   crd("networking.istio.io", "VirtualService", ("v1beta1", "v1alpha3"), "vs"),
                   crd("networking.istio.io", "DestinationRule", ("v1beta1", "v1alpha3"), "dr"))
    for name in ("virtualservices", "destinationrules"):
        cluster.kubectl("wait", "--for=condition=Established", f"crd/{name}.networking.istio.io")
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {
        "containers": [{"name": "c", "image": "registry.invalid/a:1"}],
        "volumes": [{"name": "v", "configMap": {"name": "conf"}}]}}
    cluster.create(
        thing("v1", "ConfigMap", "conf", data={"a": "1"}),
        thing("apps/v1", "Deployment", "web", spec={
            "replicas": 2, "selector": {"matchLabels": labels}, "template": template}),
        thing("v1", "Service", "web", spec={
            "selector": labels, "ports": [{"port": 80, "protocol": "TCP"}]}),
        thing("networking.istio.io/v1beta1", "DestinationRule", "web", spec={
            "host": "web", "subsets": [{"name": "v1", "labels": {"version": "v1"}}]}),
        thing("networking.istio.io/v1beta1", "VirtualService", "route", spec={
            "hosts": ["shop.example"], "gateways": ["mesh"],
            "http": [{"route": [{"destination": {
                "host": f"web.{SPACE}.svc.cluster.local", "subset": "v1"}}]}]}))


def impact(spool, stem="impact", **params):
    return spool.call(stem, "kube.analyzeImpact", {"namespace": SPACE, **params})


def rows(answer, kind):
    return [row for row in answer["data"]["impactedResources"] if row["kind"] == kind]


def test_the_users_of_a_config_map_are_named(spool, kube_worker):
    kube_worker()
    answer = impact(spool, kind="cm", name="conf")
    assert answer["status"] == "success", answer
    [row] = rows(answer, "Deployment")
    assert (row["name"], row["namespace"], row["severity"]) == ("web", SPACE, "high")
    assert row["path"] == "/spec/template/spec/volumes/0/configMap/name"
    assert answer["data"]["complete"] is True
    assert answer["data"]["severity"] == "high"
    assert answer["data"]["read"]["lists"] > 5


def test_routes_of_istio_are_resolved(spool, kube_worker):
    kube_worker()
    of_service = impact(spool, "a", kind="svc", name="web")
    assert of_service["data"]["severity"] == "critical"
    [row] = [row for row in rows(of_service, "VirtualService") if row["distance"] == 1]
    assert (row["path"], row["severity"]) == ("/spec/http/0/route/0/destination/host", "critical")
    of_rule = impact(spool, "b", kind="dr", name="web")
    assert [row["path"] for row in rows(of_rule, "VirtualService")] == [
        "/spec/http/0/route/0/destination/subset"]


def test_a_definition_takes_its_objects_along(spool, kube_worker):
    kube_worker()
    answer = impact(spool, kind="crd", name="destinationrules.networking.istio.io")
    [gone] = answer["data"]["alsoDeleted"]
    assert (gone["kind"], gone["name"]) == ("DestinationRule", "web")
    assert rows(answer, "VirtualService"), "what routes to its subsets breaks"


def test_a_namespace_takes_its_contents_along(spool, kube_worker):
    kube_worker()
    answer = impact(spool, kind="ns", name=SPACE)
    gone = {(row["kind"], row["name"]) for row in answer["data"]["alsoDeleted"]}
    assert {("Deployment", "web"), ("ConfigMap", "conf"), ("VirtualService", "route")} <= gone
    assert answer["data"]["severity"] == "critical"


def test_what_may_not_be_read_is_never_called_harmless(spool, kube_worker, cluster):
    cluster.create(
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
         "metadata": {"name": "few", "namespace": SPACE},
         "rules": [{"apiGroups": [""], "resources": ["configmaps", "services"],
                    "verbs": ["get", "list"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
         "metadata": {"name": "few", "namespace": SPACE},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "few"},
         "subjects": [{"kind": "User", "name": "reader"}]})
    kube_worker(reader={"token": "reader-token-0123456789"}, admin=cluster.admin())
    answer = impact(spool, kind="cm", name="conf")
    assert answer["status"] == "success", answer
    data = answer["data"]
    whole = impact(spool, "whole", kind="cm", name="conf", context="admin")["data"]
    assert whole["unread"] == []
    denied = {row["kind"] for row in data["unread"] if "permission_denied" in row["reason"]}
    assert {"Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job",
            "CronJob"} <= denied
    assert data["complete"] is False
    [hidden] = [row for row in data["unread"] if row["kind"] == "Deployment"]
    assert hidden["mayHide"] == "high" and "permission_denied" in hidden["reason"]
    assert data["severity"] == "high"
    assert "Incomplete" in data["summary"]


def test_what_is_not_there_cannot_be_analyzed(spool, kube_worker):
    kube_worker()
    assert impact(spool, kind="cm", name="none")["error_code"] == "not_found"
