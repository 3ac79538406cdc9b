# SPDX-License-Identifier: MIT
"""kube.analyzeImpact against a real API server, with Istio's kinds installed."""

import json

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


def test_the_users_of_a_config_map_fit_into_a_few_kilobytes(spool, kube_worker, cluster):
    labels = {"app": "wide"}
    spec = {"automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "registry.invalid/a:1", "envFrom": [
                {"configMapRef": {"name": "wide-conf"}}]}],
            "volumes": [{"name": "v", "configMap": {"name": "wide-conf"}}]}
    workload = {"replicas": 48, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec}}

    def owned(kind, name, owner, **members):
        made = thing(members.pop("api", "v1"), kind, name, **members)
        made["metadata"].update(labels=labels, ownerReferences=[{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
            "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}])
        return made
    cluster.create(thing("v1", "ConfigMap", "wide-conf", data={"a": "1"}),
                   thing("apps/v1", "Deployment", "wide", spec=workload),
                   thing("v1", "Service", "wide", spec={
                       "selector": labels, "ports": [{"port": 80, "protocol": "TCP"}]}))
    top = cluster.get("deployment", "wide", "-n", SPACE)
    cluster.create(owned("ReplicaSet", "wide-r", top, api="apps/v1", spec=workload))
    copy = cluster.get("replicaset", "wide-r", "-n", SPACE)
    cluster.create(*(owned("Pod", f"wide-r-{i:02}", copy, spec=spec) for i in range(48)))
    kube_worker()
    data = impact(spool, kind="cm", name="wide-conf")["data"]
    assert len(json.dumps(data, separators=(",", ":"))) <= 4 * 1024
    [row] = [row for row in data["impactedResources"] if row["kind"] == "Deployment"]
    assert (row["with"], row["morePaths"]) == ({"Pod": 48, "ReplicaSet": 1}, 1)
    assert "containers keep" in data["reasons"][row["reason"]]
    assert {row["kind"] for row in data["impactedResources"]} == {"Deployment", "Service"}
    group = impact(spool, "group", kind="cm", name="wide-conf", path=f"Deployment/{SPACE}/wide")
    assert len(group["data"]["impactedResources"]) == 2 + 1 + 48, "two fields, and what it made"
    few = impact(spool, "few", kind="cm", name="wide-conf", view="all", maxBytes=2000)["data"]
    assert few["omitted"] + len(few["impactedResources"]) > 100
    assert few["omittedKinds"]["Pod"] > 80
    # Thirty more of its users.
    cluster.create(*(thing("apps/v1", "Deployment", f"user-of-the-configuration-{i:02}", spec={
        "replicas": 2, "selector": {"matchLabels": {"app": f"u{i}"}}, "template": {
            "metadata": {"labels": {"app": f"u{i}"}}, "spec": spec}}) for i in range(30)))
    users = impact(spool, "users", kind="cm", name="wide-conf")["data"]
    assert len(json.dumps(users, separators=(",", ":"))) <= 4 * 1024
    [row] = [row for row in users["impactedResources"] if "count" in row]
    assert (row["count"], len(row["names"])) == (31, 20)
    whole = impact(spool, "all", kind="cm", name="wide-conf", view="all")["data"]
    assert len(whole["impactedResources"]) >= 2 * 50 and whole["severity"] == data["severity"]


def test_routes_of_istio_are_resolved(spool, kube_worker):
    kube_worker()
    of_service = impact(spool, "a", kind="svc", name="web")
    assert of_service["data"]["severity"] == "critical"
    [row] = [row for row in rows(of_service, "VirtualService") if row["distance"] == 1]
    assert (row["path"], row["severity"]) == ("/spec/http/0/route/0/destination/host", "critical")
    of_rule = impact(spool, "b", kind="dr", name="web")
    assert [row["path"] for row in rows(of_rule, "VirtualService")] == [
        "/spec/http/0/route/0/destination/subset"]


def test_keys_and_subsets_of_references_are_looked_for(spool, kube_worker, cluster):
    def env(name, kind, key):
        return {"name": name, "valueFrom": {kind: {"name": "conf", "key": key}}}
    cluster.create(
        pod("keyed", containers=[{"name": "c", "image": "registry.invalid/a:1", "env": [
            env("A", "configMapKeyRef", "a"), env("B", "configMapKeyRef", "gone"),
            env("C", "secretKeyRef", "s"), env("D", "secretKeyRef", "gone")]}]),
        thing("v1", "Secret", "conf", stringData={"s": "1"}),
        thing("networking.istio.io/v1beta1", "VirtualService", "lost", spec={
            "hosts": ["lost.example"], "gateways": ["mesh"], "http": [{"route": [
                {"destination": {"host": "nobody", "subset": "v1"}}]}]}))
    kube_worker()

    def read(kind, name):
        answer = spool.call(f"get-{name}", "kube.getResource", {
            "kind": kind, "name": name, "namespace": SPACE, "checkReferences": True})
        return answer["data"]["referencedResources"]
    keys = {(row["kind"], row["key"]): (row["exists"], row["keyExists"])
            for row in read("po", "keyed") if "key" in row}
    assert keys == {("ConfigMap", "a"): (True, True), ("ConfigMap", "gone"): (True, False),
                    ("Secret", "s"): (True, True), ("Secret", "gone"): (True, False)}
    subsets = {name: row["exists"] for name in ("route", "lost")
               for row in read("vs", name) if "subset" in row}
    assert subsets == {"route": True, "lost": False}


def test_files_and_ports_of_references_are_looked_for(spool, kube_worker, cluster):
    def volume(name, **source):
        return {"name": name, "configMap": {"name": "files", **source}}

    def mount(name, file):
        return {"name": name, "mountPath": f"/{name}-{file}", "subPath": file}
    cluster.create(
        thing("v1", "ConfigMap", "files", data={"app.yaml": "a: 1"}),
        pod("mounts", volumes=[
            volume("alone"), volume("items", items=[{"key": "app.yaml", "path": "a"},
                                                    {"key": "gone.yaml", "path": "b"}])],
            containers=[{"name": "c", "image": "registry.invalid/a:1", "volumeMounts": [
                mount("alone", "app.yaml"), mount("alone", "lost.yaml"), mount("items", "c")]}]),
        thing("v1", "Service", "ported", spec={
            "ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}),
        thing("networking.k8s.io/v1", "Ingress", "ports", spec={"rules": [{"http": {"paths": [
            {"path": f"/{number}", "pathType": "Prefix",
             "backend": {"service": {"name": "ported", "port": port}}}
            for number, port in enumerate([{"name": "http"}, {"name": "grpc"},
                                           {"number": 80}, {"number": 81}])]}}]}))
    kube_worker()

    def read(kind, name):
        return spool.call(f"get-{name}", "kube.getResource", {
            "kind": kind, "name": name, "namespace": SPACE,
            "checkReferences": True})["data"]["referencedResources"]
    alone, items = [row for row in read("po", "mounts") if row.get("name") == "files"]
    assert (alone["keys"], alone["missingKeys"]) == (["app.yaml", "lost.yaml"], ["lost.yaml"])
    assert (items["keyExists"], items["missingKeys"]) == (False, ["gone.yaml"])
    assert items["lostFiles"] == ["c"] and "lostFiles" not in alone
    assert [(row["port"], row["portExists"]) for row in read("ing", "ports")] == [
        ("http", True), ("grpc", False), (80, True), (81, False)]


def test_what_traefik_reads_is_followed(spool, kube_worker, cluster):
    group = "traefik.containo.us"  # The older name.
    cluster.create(crd(group, "IngressRoute"), crd(group, "Middleware"))
    cluster.kubectl("wait", "--for=condition=Established", f"crd/ingressroutes.{group}",
                    f"crd/middlewares.{group}")
    cluster.create(
        thing("v1", "Secret", "users", stringData={"users": "a:b"}),
        thing(f"{group}/v1", "Middleware", "auth", spec={"basicAuth": {"secret": "users"}}),
        thing(f"{group}/v1", "IngressRoute", "front", spec={"routes": [{
            "middlewares": [{"name": "auth"}, {"name": "other@file"}],
            "services": [{"name": "web", "port": 80}]}]}),
        {**thing("networking.k8s.io/v1", "Ingress", "annotated", spec={
            "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}),
         "metadata": {"name": "annotated", "namespace": SPACE, "annotations": {
             "traefik.ingress.kubernetes.io/router.middlewares":
                 f"{SPACE}-auth@kubernetescrd,{SPACE}-gone@kubernetescrd"}}})
    kube_worker()
    data = impact(spool, kind="secret", name="users")["data"]
    assert {(row["kind"], row["name"], row["effect"], row["distance"])
            for row in data["impactedResources"]} >= {
        ("Middleware", "auth", "breaks", 1), ("IngressRoute", "front", "breaks", 2),
        ("Ingress", "annotated", "breaks", 2)}, data
    read = spool.call("annotated", "kube.getResource", {
        "kind": "ing", "name": "annotated", "namespace": SPACE, "checkReferences": True})
    found = {row["name"]: (row["group"], row["exists"])
             for row in read["data"]["referencedResources"] if row["kind"] == "Middleware"}
    assert found == {"auth": (group, True), "gone": (group, False)}
    # Others look at all kinds that are there.
    cluster.kubectl("delete", "crd", f"ingressroutes.{group}", f"middlewares.{group}")


def test_a_definition_takes_its_objects_along(spool, kube_worker):
    kube_worker()
    answer = impact(spool, kind="crd", name="destinationrules.networking.istio.io")
    [gone] = answer["data"]["alsoDeleted"]
    assert (gone["kind"], gone["name"]) == ("DestinationRule", "web")
    assert rows(answer, "VirtualService"), "what routes to its subsets breaks"


def test_a_namespace_takes_its_contents_along(spool, kube_worker):
    kube_worker()
    answer = impact(spool, kind="ns", name=SPACE, view="all")
    gone = {(row["kind"], row["name"]) for row in answer["data"]["alsoDeleted"]}
    assert {("Deployment", "web"), ("ConfigMap", "conf"), ("VirtualService", "route")} <= gone
    assert answer["data"]["severity"] in ("high", "critical"), "by what runs in it"
    assert SPACE in answer["data"]["intrinsic"]["of"]


def test_what_nothing_refers_to_is_called_unused_and_why(spool, kube_worker, cluster):
    cluster.create(thing("v1", "ConfigMap", "alone", data={"a": "1"}),
                   thing("v1", "Service", "bare", spec={
                       "ports": [{"port": 80, "protocol": "TCP"}]}))
    kube_worker()
    for kind, name in (("cm", "alone"), ("svc", "bare")):
        data = impact(spool, kind, kind=kind, name=name)["data"]
        assert (data["severity"], data["impactedResources"]) == ("none", []), data
        assert "Nothing that was read refers to it" in data["summary"]


def test_what_is_only_exposed_or_loses_something_takes_nothing_along(spool, kube_worker, cluster):
    cluster.create(
        {**pod("guarded"), "metadata": {"name": "guarded", "namespace": SPACE,
                                        "labels": {"app": "guarded"}}},
        thing("v1", "Service", "guarded", spec={
            "selector": {"app": "guarded"}, "ports": [{"port": 80, "protocol": "TCP"}]}),
        thing("networking.k8s.io/v1", "NetworkPolicy", "wall", spec={
            "podSelector": {"matchLabels": {"app": "guarded"}}}))
    kube_worker()
    data = impact(spool, kind="netpol", name="wall")["data"]
    assert [(row["kind"], row["name"], row["effect"]) for row in data["impactedResources"]] == [
        ("Pod", "guarded", "exposed")]


def test_kinds_that_nobody_knows_are_read_by_their_looks_and_named(spool, kube_worker, cluster):
    cluster.create(crd("example.com", "Gadget"))
    cluster.kubectl("wait", "--for=condition=Established", "crd/gadgets.example.com")
    cluster.create(thing("v1", "ConfigMap", "gadget-conf", data={"a": "1"}),
                   thing("example.com/v1", "Gadget", "g", spec={
                       "configMapRef": {"name": "gadget-conf"}}))
    kube_worker()
    data = impact(spool, kind="cm", name="gadget-conf")["data"]
    [row] = data["impactedResources"]
    assert (row["kind"], row["name"], row["possible"]) == ("Gadget", "g", True)
    # Other tests may have installed kinds of their own in this server.
    assert data["complete"] and "example.com/Gadget" in data["notModelled"]
    own = impact(spool, "own", kind="gadgets", name="g")["data"]
    assert (own["complete"], own["severity"]) == (False, "medium"), "what its controller does"
    why = "Incomplete: what stops with objects of example.com/Gadget is not known"
    assert why in own["summary"] and own["unread"] == [] and "notFollowed" not in own
    kind = impact(spool, "crd", kind="crd", name="gadgets.example.com")["data"]
    assert not kind["complete"] and why in kind["summary"]
    read = spool.call("get", "kube.getResource", {"kind": "gadgets", "name": "g",
                                                  "namespace": SPACE, "checkReferences": True})
    [reference] = read["data"]["referencedResources"]
    assert (reference["name"], reference["possible"], reference["exists"]) == (
        "gadget-conf", True, True)


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
