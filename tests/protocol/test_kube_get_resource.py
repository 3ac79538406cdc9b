# SPDX-License-Identifier: MIT
"""kube.getResource against a real API server, and kubectl beside it."""

import base64
import json

import pytest

import kube_api
from harness import wait_until

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
DEPLOYMENT = {
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
             "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
                 {"name": "c", "image": "registry.invalid/web:1",
                  "env": [{"name": "COLOR", "value": "blue"},
                          {"name": "DB_PASSWORD", "value": "canary-env-0123456789"}]}]}}}}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"},
          "stringData": {"password": "canary-secret-0123456789"}}


@pytest.fixture(scope="module", autouse=True)
def objects(cluster):
    cluster.create(NAMESPACE, DEPLOYMENT, SECRET)


def get(spool, stem="get", **params):
    return spool.call(stem, "kube.getResource", params)


def test_it_agrees_with_kubectl(spool, kube_worker, cluster):
    kube_worker()
    answer = get(spool, kind="deploy", name="web", namespace="shop")
    assert answer["status"] == "success", answer
    data = answer["data"]
    theirs = cluster.get("deployment", "web", "-n", "shop")
    assert data["identity"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
                                "namespace": "shop"}
    assert data["precondition"] == {"uid": theirs["metadata"]["uid"],
                                    "resourceVersion": theirs["metadata"]["resourceVersion"]}
    ours = data["sanitizedManifest"]
    assert ours["metadata"]["labels"] == {"app": "web"}
    assert "managedFields" not in ours["metadata"]
    assert ours["status"] == theirs["status"]
    container = ours["spec"]["template"]["spec"]["containers"][0]
    assert container["env"][0] == {"name": "COLOR", "value": "blue"}
    assert "canary" not in str(answer)
    theirs["spec"]["template"]["spec"]["containers"][0].pop("env")
    container.pop("env")
    assert ours["spec"] == theirs["spec"]
    assert data["cluster"] == {"context": "admin", "server": cluster.url}


@pytest.mark.parametrize("kind", ["Deployment", "deployments", "DEPLOY", "deployment.apps",
                                  "deployments.v1.apps"])
def test_kinds_may_be_named_as_with_kubectl(spool, kube_worker, kind):
    kube_worker()
    assert get(spool, kind=kind, name="web", namespace="shop")["status"] == "success"


@pytest.mark.parametrize("durability", ["full", "journal", "none"])
def test_an_answer_that_is_there_already_stays_and_no_second_one_is_kept(spool, kube_worker,
                                                                         durability):
    kube_worker(flags=("--durability", durability))
    web = {"kind": "deploy", "name": "web", "namespace": "shop"}
    spool.response_path("again").write_text('{"from": "elsewhere"}')
    spool.drop("again", "kube.getResource", web)
    assert get(spool, "after", **web)["status"] == "success"
    worker = spool.root / "worker"
    wait_until(lambda: not list((worker / "started").iterdir()), "all starts to be forgotten")
    assert spool.response("again") == {"from": "elsewhere"}
    assert not list((worker / "late").iterdir())


def test_a_kind_without_namespace_ignores_one(spool, kube_worker):
    kube_worker()
    answer = get(spool, kind="ns", name="shop", namespace="elsewhere")
    assert answer["data"]["identity"] == {"apiVersion": "v1", "kind": "Namespace", "name": "shop"}


def test_the_contexts_namespace_is_the_default(spool, kube_worker, cluster):
    config = cluster.config(admin=cluster.admin())
    config["contexts"][0]["context"]["namespace"] = "shop"
    kube_worker(config)
    assert get(spool, kind="deploy", name="web")["data"]["identity"]["namespace"] == "shop"


def test_a_secrets_values_are_shown_as_length_and_digest(spool, kube_worker):
    worker = kube_worker()
    answer = get(spool, kind="secret", name="keys", namespace="shop")
    hidden = answer["data"]["sanitizedManifest"]["data"]["password"]
    assert hidden["redacted"] is True
    assert hidden["bytes"] == len(SECRET["stringData"]["password"])
    assert hidden["digest"]
    everything = str(answer) + worker.output()
    assert "canary-secret" not in everything
    assert base64.b64encode(b"canary-secret-0123456789").decode() not in everything


def test_secrets_are_revealed_only_where_the_configuration_allows_it(spool, kube_worker):
    kube_worker()
    refused = get(spool, kind="secret", name="keys", namespace="shop", revealSecrets=True)
    assert refused["error_code"] == "permission_denied"
    assert "revealSecrets: true" in refused["error_message"]


def test_a_configuration_that_reveals_still_needs_to_be_asked(spool, kube_worker):
    kube_worker(kube={"revealSecrets": True})
    hidden = get(spool, "hidden", kind="secret", name="keys", namespace="shop")
    assert "canary" not in str(hidden)
    shown = get(spool, "shown", kind="secret", name="keys", namespace="shop", revealSecrets=True)
    value = shown["data"]["sanitizedManifest"]["data"]["password"]
    assert base64.b64decode(value) == b"canary-secret-0123456789"


def test_what_is_not_there_is_told_apart(spool, kube_worker):
    kube_worker()
    no_object = get(spool, "a", kind="deploy", name="none", namespace="shop")
    assert (no_object["error_code"], no_object["retryable"]) == ("not_found", False)
    assert no_object["error_details"]["reason"] == "NotFound"
    # Where was looked matters most when the request does not say it.
    nowhere = get(spool, "nowhere", kind="deploy", name="web")
    assert nowhere["error_details"]["namespace"] == "default"
    assert "in namespace 'default'" in nowhere["error_message"]
    no_node = get(spool, "node", kind="node", name="none")
    assert "namespace" not in no_node["error_message"]
    no_kind = get(spool, "b", kind="deploymint", name="web")
    assert no_kind["error_code"] == "not_found"
    assert no_kind["error_details"]["reason"] == "UnknownKind"
    assert "did you mean" in no_kind["error_message"] and "deployment" in no_kind["error_message"]
    no_version = get(spool, "c", kind="deploy", apiVersion="apps/v7", name="web")
    assert no_version["error_details"]["served"] == ["apps/v1"]
    no_group = get(spool, "d", kind="deploy", apiVersion="extensions/v1beta1", name="web")
    assert no_group["error_details"]["served"] == ["apps/v1"], no_group
    for stem, kind, part in [("e", "deplo", "deploy"), ("f", "xyz", "kube.apiResources")]:
        assert part in get(spool, stem, kind=kind, name="web")["error_message"]


@pytest.mark.parametrize("params, part", [
    ({"name": "../../secrets/keys"}, "/params/name"),
    ({"name": "a/b"}, "/params/name"),
    ({"name": "web", "namespace": "shop/secrets"}, "/params/namespace"),
])
def test_names_cannot_leave_their_place_in_the_url(spool, kube_worker, params, part):
    kube_worker()
    answer = get(spool, kind="deploy", **params)
    assert answer["error_code"] == "invalid_argument"
    assert part in answer["error_message"]


def crd(group, kind, versions=("v1",), short=None):
    plural = kind.lower() + "s"
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(),
                               **({"shortNames": [short]} if short else {})},
                     "versions": [{"name": version, "served": True,
                                   "storage": version == versions[0],
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}
                                  for version in versions]}}


def test_a_kind_is_found_though_it_was_installed_after_the_last_look(spool, kube_worker, cluster):
    kube_worker()
    assert get(spool, "before", kind="Widget", name="w")["error_code"] == "not_found"
    cluster.create(crd("late.example", "Widget"))
    cluster.kubectl("wait", "--for=condition=Established", "crd/widgets.late.example")
    cluster.create({"apiVersion": "late.example/v1", "kind": "Widget",
                    "metadata": {"name": "w", "namespace": "shop"}, "spec": {"size": 3}})
    answer = get(spool, "after", kind="widget", name="w", namespace="shop")
    assert answer["data"]["sanitizedManifest"]["spec"] == {"size": 3}


def test_an_ambiguous_name_is_answered_with_the_choices(spool, kube_worker, cluster):
    cluster.create(crd("a.example", "Backup"), crd("b.example", "Backup"))
    cluster.kubectl("wait", "--for=condition=Established", "crd/backups.a.example",
                    "crd/backups.b.example")
    cluster.create({"apiVersion": "b.example/v1", "kind": "Backup",
                    "metadata": {"name": "x", "namespace": "shop"}})
    kube_worker()
    answer = get(spool, "which", kind="backup", name="x", namespace="shop")
    assert answer["error_code"] == "invalid_argument"
    names = {choice["name"] for choice in answer["error_details"]["choices"]}
    assert names == {"backups.a.example", "backups.b.example"}
    assert get(spool, "this", kind="backups.b.example", name="x",
               namespace="shop")["status"] == "success"
    assert get(spool, "that", kind="Backup", apiVersion="b.example/v1", name="x",
               namespace="shop")["status"] == "success"


def test_istios_versions_stand_in_for_each_other(spool, kube_worker, cluster):
    cluster.create(crd("networking.istio.io", "VirtualService", ("v1beta1", "v1alpha3"), "vs"))
    cluster.kubectl("wait", "--for=condition=Established",
                    "crd/virtualservices.networking.istio.io")
    cluster.create({"apiVersion": "networking.istio.io/v1beta1", "kind": "VirtualService",
                    "metadata": {"name": "web", "namespace": "shop"}, "spec": {"hosts": ["web"]}})
    kube_worker()
    answer = get(spool, kind="vs", apiVersion="networking.istio.io/v1", name="web",
                 namespace="shop")
    assert answer["data"]["identity"]["apiVersion"] == "networking.istio.io/v1beta1"
    assert answer["data"]["sanitizedManifest"]["spec"] == {"hosts": ["web"]}


def test_references_are_listed_and_checked(spool, kube_worker, cluster):
    cluster.create(
        {"apiVersion": "v1", "kind": "ConfigMap",
         "metadata": {"name": "there", "namespace": "shop"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "refers", "namespace": "shop"},
         "spec": {"automountServiceAccountToken": False, "containers": [
             {"name": "c", "image": "registry.invalid/a:1",
              "envFrom": [{"configMapRef": {"name": "there"}}, {"secretRef": {"name": "gone"}}]}]}})
    kube_worker()
    answer = get(spool, kind="pod", name="refers", namespace="shop", checkReferences=True)
    rows = {(row["kind"], row["name"]): row for row in answer["data"]["referencedResources"]
            if "name" in row}
    there = rows["ConfigMap", "there"]
    assert there["path"] == "/spec/containers/0/envFrom/0/configMapRef/name"
    assert (there["namespace"], there["exists"]) == ("shop", True)
    assert rows["Secret", "gone"]["exists"] is False
    unchecked = get(spool, "plain", kind="pod", name="refers", namespace="shop")
    assert all("exists" not in row for row in unchecked["data"]["referencedResources"])


def test_a_compact_deployment_and_single_fields_are_small(spool, kube_worker, cluster):
    labels = {"app.kubernetes.io/name": "slim", "app.kubernetes.io/instance": "shop"}
    probe = {"httpGet": {"path": "/healthz", "port": "http"}}
    cluster.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {
        "name": "slim", "namespace": "shop",
        "labels": {**labels, "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "slim-1.4.2"},
        "annotations": {"deployment.kubernetes.io/revision": "7",
                        "meta.helm.sh/release-name": "shop"}}, "spec": {
            "replicas": 3, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {
                    "serviceAccountName": "slim", "containers": [{
                        "name": "web", "image": "registry.invalid/shop/web:1.4.2",
                        "ports": [{"name": "http", "containerPort": 8080}],
                        "readinessProbe": probe, "livenessProbe": probe,
                        "env": [{"name": "LEVEL", "value": "info"}],
                        "envFrom": [{"configMapRef": {"name": "slim-conf"}}],
                        "resources": {"limits": {"memory": "256Mi"}}}]}}}})
    api, path = kube_api.Api(cluster), "/apis/apps/v1/namespaces/shop/deployments/slim"
    made, time = api.ask("GET", path), "2026-01-02T03:04:05Z"
    made["status"] = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3,
                      "readyReplicas": 3, "availableReplicas": 3, "conditions": [
                          {"type": kind, "status": "True", "reason": reason, "message": reason * 5,
                           "lastUpdateTime": time, "lastTransitionTime": time}
                          for kind, reason in (("Available", "MinimumReplicasAvailable"),
                                               ("Progressing", "NewReplicaSetAvailable"))]}
    api.ask("PUT", f"{path}/status", made)
    kube_worker()
    name = {"kind": "deploy", "name": "slim", "namespace": "shop"}
    data = get(spool, "compact", view="compact", **name)["data"]
    assert len(json.dumps(data, separators=(",", ":"))) <= 1400, data
    [container] = data["sanitizedManifest"]["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"] == probe and container["image"].endswith(":1.4.2")
    image = "spec.template.spec.containers[*].image"
    data = get(spool, "fields", fields=["spec.replicas", image, "spec.none"], **name)["data"]
    assert data["fields"] == {"spec.replicas": 3, image: ["registry.invalid/shop/web:1.4.2"],
                              "spec.none": None}
    assert "sanitizedManifest" not in data
    uid = get(spool, "uid", fields=["metadata.uid"], **name)["data"]
    assert uid["fields"]["metadata.uid"] == made["metadata"]["uid"], "also what a manifest omits"
    short = get(spool, "short", maxBytes=1024, **name)["data"]
    assert len(json.dumps(short["sanitizedManifest"], separators=(",", ":"))) <= 1024
    assert short["cut"]
    wrong = get(spool, "wrong", fields=["spec..image"], **name)
    assert wrong["error_code"] == "invalid_argument" and "no plain path" in wrong["error_message"]
