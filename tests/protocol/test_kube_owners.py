# SPDX-License-Identifier: MIT
"""Who else writes an object: said before it is written, and of whose fields a write takes."""

import json

import kube_stub
from kube_controllers import workload

NAMESPACE = "owned"
WRITABLE = {"writable": [{"context": "admin", "namespaces": [NAMESPACE]}]}
TRACKING = "argocd.argoproj.io/tracking-id"


def ask(spool, stem, command, name="web", kind="deploy", **params):
    return spool.call(stem, f"kube.{command}", {"namespace": NAMESPACE, "kind": kind, "name": name,
                                                **params})


def owned(cluster):
    """A Deployment of Argo CD, whose replicas an autoscaler sets, and a HelmRelease's Service."""
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    web = workload("Deployment", "web", NAMESPACE, replicas=2)
    web["metadata"]["annotations"] = {TRACKING: f"shop:apps/Deployment:{NAMESPACE}/web"}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1", "b": "1", "c": "1"},
              "metadata": {"name": "settings", "namespace": NAMESPACE, "labels": {
                  "kustomize.toolkit.fluxcd.io/name": "apps",
                  "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}}}
    service = {"apiVersion": "v1", "kind": "Service",
               "spec": {"ports": [{"port": 80, "protocol": "TCP"}]},
               "metadata": {"name": "front", "namespace": NAMESPACE,
                            "labels": {"app.kubernetes.io/managed-by": "Helm"},
                            "annotations": {"meta.helm.sh/release-name": "shop",
                                            "meta.helm.sh/release-namespace": "apps"}}}
    scaler = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
              "metadata": {"name": "web-scaler", "namespace": NAMESPACE},
              "spec": {"minReplicas": 2, "maxReplicas": 9, "scaleTargetRef": {
                  "apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}}
    for manager, thing in [("argocd-controller", web), ("kustomize-controller", config),
                           ("helm", service), ("admin", scaler)]:
        cluster.kubectl("apply", "--server-side", f"--field-manager={manager}", "-f", "-",
                        stdin=json.dumps(thing))


def owners_of(cluster, kind, name):
    """{manager: its fieldsV1}, as the server keeps it."""
    rows = cluster.get(kind, name, "-n", NAMESPACE)["metadata"]["managedFields"]
    return {row["manager"]: row["fieldsV1"] for row in rows}


def test_owners_are_named_before_and_what_a_write_takes_from_them(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    owned(cluster)
    values = {"values": {"data": {"a": "2", "b": "2"}}}
    # Without force the server refuses, and says who has what since when.
    shown = ask(spool, "conflict", "diffResource", "settings", "cm", **values)
    assert shown["error_code"] == "aborted"
    rows = shown["error_details"]["conflicts"]
    assert all(row["time"].startswith("20") for row in rows)
    assert [(row["manager"], row["operation"], row["field"]) for row in rows] == [
        ("kustomize-controller", "Apply", ".data.a"), ("kustomize-controller", "Apply", ".data.b")]
    assert any("Flux Kustomization 'flux-system/apps'" in text
               for text in shown["error_details"]["warnings"])
    # With force its preview says exactly what it takes, and from whom.
    shown = ask(spool, "forced", "diffResource", "settings", "cm", force=True, **values)["data"]
    assert shown["fieldOwners"]["known"] is True
    (taken,) = shown["fieldOwners"]["others"]
    assert taken.pop("time").startswith("20")
    assert taken == {"manager": "kustomize-controller", "operation": "Apply",
                     "fields": [".data.a", ".data.b"]}
    texts = " ".join(shown["warnings"])
    assert "Flux Kustomization 'flux-system/apps' manages this object" in texts
    assert "force takes fields that others have set: 'kustomize-controller' (Apply, " in texts
    assert owners_of(cluster, "cm", "settings").keys() == {"kustomize-controller"}
    done = ask(spool, "done", "patchResource", "settings", "cm", force=True, **values)["data"]
    assert done["fieldOwners"]["others"][0]["fields"] == [".data.a", ".data.b"]
    held = owners_of(cluster, "cm", "settings")
    assert held["kustomize-controller"]["f:data"].keys() - {"."} == {"f:c"}
    assert held["filecall"]["f:data"].keys() - {"."} == {"f:a", "f:b"}
    # The same once more changes nothing, and takes nothing.
    again = ask(spool, "again", "patchResource", "settings", "cm", force=True, **values)["data"]
    assert again["fieldOwners"] == {"known": True, "others": []}

    for number, change in enumerate([
            {"strategy": "merge", "patch": {"data": {"c": "3"}}},
            {"strategy": "json", "patch": [{"op": "remove", "path": "/data/c"}]}]):
        for command in ("diffResource", "patchResource"):
            more = {"dryRun": True} if command == "patchResource" else {}
            said = ask(spool, f"{command}{number}", command, "settings", "cm", **change, **more)
            said = said["data"]
            assert said["fieldOwners"]["others"][0]["fields"] == [".data.c"], said
            assert "this write changes fields that others have set" in " ".join(said["warnings"])

    restart = ask(spool, "restart", "rolloutRestart", dryRun=True)["data"]
    assert restart["fieldOwners"] == {"known": True, "others": []}
    assert restart["warnings"][0].startswith("Argo CD application 'shop' manages this object "
                                             f"(annotation {TRACKING})")

    scaled = ask(spool, "scaled", "scale", replicas=5, dryRun=True)["data"]
    assert scaled["fieldOwners"]["others"][0]["fields"] == [".spec.replicas"]
    assert scaled["fieldOwners"]["others"][0]["manager"] == "argocd-controller"
    texts = " ".join(scaled["warnings"])
    assert "Argo CD application 'shop'" in texts
    assert "HorizontalPodAutoscaler 'web-scaler' sets these replicas, from 2 to 9" in texts
    shown = ask(spool, "replicas", "diffResource", strategy="merge",
                patch={"spec": {"replicas": 5}})["data"]
    assert "HorizontalPodAutoscaler 'web-scaler'" in " ".join(shown["warnings"])
    other = ask(spool, "other", "diffResource", strategy="merge",
                patch={"spec": {"paused": True}})["data"]
    assert "web-scaler" not in " ".join(other["warnings"])
    assert other["fieldOwners"] == {"known": True, "others": []}

    for stem, command, more in [("gone", "diffResource", {"strategy": "delete"}),
                                ("trial", "deleteResource", {"dryRun": True}),
                                ("delete", "deleteResource", {})]:
        texts = ask(spool, stem, command, "front", "svc", **more)["data"]["warnings"]
        assert texts == ["Helm release 'apps/shop' manages this object (annotation "
                         "meta.helm.sh/release-name): its next upgrade or rollback may undo this "
                         "write; change the values of the release or its chart instead"]


DISCOVERY = {"/apis": {"kind": "APIGroupList", "groups": [
                 {"name": group, "versions": [{"groupVersion": f"{group}/{version}"}],
                  "preferredVersion": {"groupVersion": f"{group}/{version}"}}
                 for group, version in (("apps", "v1"), ("autoscaling", "v2"))]},
             "/apis/apps/v1": {"kind": "APIResourceList", "groupVersion": "apps/v1", "resources": [
                 {"name": "deployments", "namespaced": True, "kind": "Deployment",
                  "verbs": ["get", "patch"]},
                 {"name": "deployments/scale", "namespaced": True, "kind": "Scale",
                  "verbs": ["get", "patch"]}]},
             "/apis/autoscaling/v2": {
                 "kind": "APIResourceList", "groupVersion": "autoscaling/v2", "resources": [
                     {"name": "horizontalpodautoscalers", "namespaced": True,
                      "kind": "HorizontalPodAutoscaler", "verbs": ["list"]}]}}
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web"
# A server of version 1.31 after an autoscaler has written: recorded, without other fields.
SCALED = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 4},
          "metadata": {"name": "web", "namespace": "default", "uid": "u", "resourceVersion": "9",
                       "managedFields": [
                           {"manager": "kube-controller-manager", "operation": "Update",
                            "apiVersion": "apps/v1", "time": "2026-01-02T03:04:05Z",
                            "fieldsType": "FieldsV1", "subresource": "scale",
                            "fieldsV1": {"f:spec": {"f:replicas": {}}}}]}}


def scale_of(replicas):
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": replicas},
            "metadata": {"name": "web", "namespace": "default", "uid": "u",
                         "resourceVersion": "9"}}


def test_what_is_not_known_of_owners_is_said(spool, kube_stub_worker):
    """Newer servers say through which subresource a field was set; some say nothing at all."""
    forbidden = kube_stub.status(403, "Forbidden", "no autoscalers for you")
    stub = kube_stub_worker({**DISCOVERY, DEPLOYMENT: SCALED, f"{DEPLOYMENT}/scale": scale_of(4),
                             "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers":
                             forbidden})

    def scale(stem):
        return spool.call(stem, "kube.scale", {"kind": "deploy.apps", "name": "web", "replicas": 5,
                                               "dryRun": True})["data"]

    stub.paths["/apis/apps/v1"]["resources"][0]["shortNames"] = ["deploy"]
    said = scale("scaled")
    assert said["fieldOwners"]["others"] == [
        {"manager": "kube-controller-manager", "operation": "Update", "subresource": "scale",
         "time": "2026-01-02T03:04:05Z", "fields": [".spec.replicas"]}]
    texts = " ".join(said["warnings"])
    assert "'kube-controller-manager' (Update of scale, 2026-01-02T03:04:05Z)" in texts
    assert "whether an autoscaler sets these replicas is not known: HTTP 403" in texts
    for number, (rows, why) in enumerate([(None, "no managedFields"),
                                          ([{"fieldsType": "FieldsV9"}], "form that is not known"),
                                          ("text", "no managedFields")]):
        metadata = {**SCALED["metadata"], "managedFields": rows}
        stub.paths[DEPLOYMENT] = {**SCALED, "metadata": metadata}
        said = scale(f"unknown{number}")
        assert said["fieldOwners"]["known"] is False
        assert why in said["fieldOwners"]["why"]
        assert "whose fields this write changes is not known" in " ".join(said["warnings"])
    stub.paths[DEPLOYMENT] = kube_stub.status(403, "Forbidden", "not yours")
    said = scale("unread")["fieldOwners"]
    assert said["known"] is False and "not yours" in said["why"]
