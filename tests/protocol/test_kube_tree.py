# SPDX-License-Identifier: MIT
"""kube.tree beside a walk over everything that the cluster holds."""

import pytest

import kube_stub
from kube_api import Api

SPACE = "tree"
LABELS = {"app": "web"}
POD = {"metadata": {"labels": LABELS}, "spec": {"containers": [
    {"name": "c", "image": "x.invalid/y", "envFrom": [{"configMapRef": {"name": "conf"}}]}]}}
OWNED = {"selector": {"matchLabels": LABELS}, "template": POD}


def thing(version, kind, name, owner=None, **members):
    metadata = {"name": name, "uid": name, "labels": LABELS}
    if kind not in ("Namespace", "PriorityClass"):
        metadata["namespace"] = SPACE
    if owner:
        metadata["ownerReferences"] = [{"apiVersion": owner["apiVersion"], "kind": owner["kind"],
                                        "name": owner["metadata"]["name"], "controller": True,
                                        "uid": owner["metadata"]["uid"]}]
    return {"apiVersion": version, "kind": kind, **members, "metadata": metadata}


def objects():
    top = thing("v1", "ConfigMap", "top")
    web = thing("apps/v1", "Deployment", "web", top, spec=OWNED)
    sets = [thing("apps/v1", "ReplicaSet", f"web-{n}", web, spec=OWNED) for n in range(2)]
    pods = [thing("v1", "Pod", f"web-1-{n}", sets[1], spec=POD["spec"]) for n in range(3)]
    claims = [thing("v1", "PersistentVolumeClaim", f"data-{pod['metadata']['name']}", pod, spec={
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})
              for pod in pods]
    # Nothing has this uid.
    gone = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone", "uid": "gone"}}
    return [thing("v1", "Namespace", SPACE), top, thing("v1", "ConfigMap", "conf"), web, *sets,
            *pods, *claims, thing("v1", "Secret", "web-keys", web, stringData={"a": "canary-0123"}),
            thing("v1", "Service", "web", spec={"selector": LABELS, "ports": [{"port": 80}]}),
            thing("policy/v1beta1", "PodDisruptionBudget", "web", spec={
                "selector": {"matchLabels": LABELS}, "minAvailable": 1}),
            thing("autoscaling/v1", "HorizontalPodAutoscaler", "web", spec={
                "maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "name": "web",
                                                     "kind": "Deployment"}}),
            thing("v1", "ServiceAccount", "orphan", gone),
            thing("scheduling.k8s.io/v1", "PriorityClass", "high", value=7)]


@pytest.fixture(scope="module")
def api(cluster):
    api = Api(cluster)
    api.learn()
    uids = {"gone": "00000000-0000-0000-0000-000000000001"}
    for one in objects():
        metadata = one["metadata"]
        old = metadata.pop("uid")
        for owner in metadata.get("ownerReferences", []):
            owner["uid"] = uids[owner["uid"]]
        uids[old] = api.ask("POST", api.collection(one), one)["metadata"]["uid"]
    return api


def walk(everything, uid, depth=1):
    """(depth, kind, name) of all that has this owner, as kubectl-tree shows it."""
    for item in everything:
        if any(owner["uid"] == uid for owner in item["metadata"].get("ownerReferences", [])):
            yield depth, item["kind"], item["metadata"]["name"]
            yield from walk(everything, item["metadata"]["uid"], depth + 1)


def tree(spool, stem, **params):
    answer = spool.call(stem, "kube.tree", {"namespace": SPACE, **params})
    assert answer["status"] == "success", answer
    assert "canary" not in str(answer)
    return answer["data"]


def test_it_finds_what_a_walk_over_everything_finds(spool, kube_worker, api):
    kube_worker()
    everything = list(api.everything())
    for kind, name in [("ConfigMap", "top"), ("Deployment", "web"), ("ReplicaSet", "web-1"),
                       ("ConfigMap", "conf")]:
        uid = next(item["metadata"]["uid"] for item in everything if item["kind"] == kind
                   and item["metadata"]["name"] == name
                   and item["metadata"].get("namespace") == SPACE)
        data = tree(spool, f"{kind}-{name}", kind=kind, name=name)
        assert data["complete"], data
        ours = [(depth, long.partition(".")[0], short) for depth, long, short in data["owned"]]
        assert sorted(ours) == sorted(walk(everything, uid)), name
    assert data["owned"] == [] and data["columns"] == ["depth", "kind", "name"]


def test_it_tells_owners_and_users(spool, kube_worker, api):
    kube_worker()
    data = tree(spool, "web", kind="deploy", name="web")
    assert data["owners"] == [{"distance": 1, "kind": "ConfigMap", "apiVersion": "v1",
                               "name": "top", "controller": True, "exists": True}]
    users = {(row["kind"], row["name"], row.get("viaCount", 0)) for row in data["usedBy"]}
    assert users == {("HorizontalPodAutoscaler", "web", 0), ("Service", "web", 3),
                     ("PodDisruptionBudget", "web", 3)}
    assert [row.get("via") for row in data["usedBy"]][0] is None
    claim = tree(spool, "claim", kind="pvc", name="data-web-1-0")
    assert [(row["distance"], row["name"]) for row in claim["owners"]] == \
        [(1, "web-1-0"), (2, "web-1"), (3, "web"), (4, "top")]
    conf = tree(spool, "conf", kind="cm", name="conf")
    assert {(row["kind"], row["path"]) for row in conf["usedBy"]} >= {
        ("Deployment", "/spec/template/spec/containers/0/envFrom/0/configMapRef/name"),
        ("Pod", "/spec/containers/0/envFrom/0/configMapRef/name")}
    orphan = tree(spool, "orphan", kind="sa", name="orphan")
    assert orphan["owners"][0]["exists"] is False and orphan["complete"]
    missing = spool.call("none", "kube.tree", {"kind": "deploy", "name": "none",
                                               "namespace": SPACE})
    assert missing["error_code"] == "not_found"
    wide = tree(spool, "wide", kind="priorityclass", name="high")
    assert wide["columns"][-1] == "namespace" and wide["complete"]


def test_what_is_cut_or_may_not_be_read_is_told(spool, kube_worker, api):
    kube_worker()
    flat = tree(spool, "flat", kind="deploy", name="web", depth=1)
    assert not flat["complete"] and flat["notFollowed"] == 3
    assert {row[2] for row in flat["owned"]} == {"web-0", "web-1", "web-keys"}
    small = tree(spool, "small", kind="deploy", name="web", maxBytes=256)
    assert not small["complete"] and small["leftOut"]["usedBy"] > 0


def test_what_is_forbidden_makes_it_incomplete(spool, kube_worker, api):
    api.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
        "metadata": {"name": "tree-reader"}, "rules": [
            {"apiGroups": ["", "apps"], "verbs": ["get", "list"],
             "resources": ["pods", "deployments", "replicasets", "configmaps"]}]})
    api.ask("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{SPACE}/rolebindings", {
        "metadata": {"name": "tree-reader"},
        "roleRef": {"kind": "ClusterRole", "name": "tree-reader",
                    "apiGroup": "rbac.authorization.k8s.io"},
        "subjects": [{"kind": "User", "name": "reader"}]})

    kube_worker(reader={"token": "reader-token-0123456789"})
    data = tree(spool, "reader", kind="deploy", name="web")
    assert not data["complete"]
    assert {"Secret", "Service"} <= {row["kind"] for row in data["unread"]}
    assert ("Pod", "web-1-0") in {(kind, name) for _, kind, name in data["owned"]}


def group_of(name, **resources):
    """Discovery of one group with a version v1, as two paths."""
    rows = [{"name": plural, "namespaced": True, "kind": kind, "verbs": ["get", "list", "delete"]}
            for kind, plural in resources.items()]
    return {f"/apis/{name}/v1": {"kind": "APIResourceList", "groupVersion": f"{name}/v1",
                                 "resources": rows}}


def test_of_owners_that_cannot_be_looked_for_nothing_is_claimed(spool, kube_stub_worker):
    groups = ["apps", "down.example"]
    owners = [("down.example/v1", "Shop"), ("gone.example/v1", "Shop"), ("", "Thing"),
              ("apps/v1beta1", "ReplicaSet")]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": "p", "namespace": "default", "uid": "p", "ownerReferences": [
            {"apiVersion": version, "kind": kind, "name": "o", "uid": f"o-{number}"}
            for number, (version, kind) in enumerate(owners)]}}
    replicas = {"apiVersion": "apps/v1", "kind": "ReplicaSet",
                "metadata": {"name": "o", "namespace": "default", "uid": "o-3"}}
    kube_stub_worker({
        "/apis": {"kind": "APIGroupList", "groups": [
            {"name": name, "versions": [{"groupVersion": f"{name}/v1"}],
             "preferredVersion": {"groupVersion": f"{name}/v1"}}
            for name in [*groups, "a.example", "b.example"]]},
        **group_of("apps", ReplicaSet="replicasets"),
        "/apis/down.example/v1": kube_stub.status(503, "ServiceUnavailable", "not now"),
        **group_of("a.example", Thing="things"), **group_of("b.example", Thing="things"),
        "/api/v1/namespaces/default/pods/p": pod,
        "/apis/apps/v1/namespaces/default/replicasets/o": replicas})
    data = spool.call("tree", "kube.tree", {"kind": "po", "name": "p"})["data"]
    rows = {(row["apiVersion"], row["kind"]): (row["exists"], row.get("why", ""))
            for row in data["owners"]}
    assert rows["down.example/v1", "Shop"] == (
        None, "the cluster does not say now what it serves in this group")
    assert rows["gone.example/v1", "Shop"] == (False, "the cluster does not serve this kind")
    exists, why = rows["", "Thing"]
    assert exists is None and "may be any of" in why
    assert rows["apps/v1beta1", "ReplicaSet"] == (True, ""), "served in another version now"
    assert not data["complete"]
    assert {"Shop", "Thing"} <= {row["kind"] for row in data["unread"]}
