# SPDX-License-Identifier: MIT
"""kube.createResource against a real API server."""

import json

import pytest

WRITABLE = {"writable": [{"context": "admin", "namespaces": ["makes"], "kinds": ["*", "Secret"]}]}


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "makes"}})


def create(spool, stem="create", **params):
    return spool.call(stem, "kube.createResource", {"namespace": "makes", **params})


def test_settings_become_an_object(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    answer = create(spool, kind="deploy", name="web", values={
        "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}},
                     "spec": {"containers": [{"name": "c", "image": "registry.invalid/web:1"}]}},
        "metadata": {"labels": {"team": "shop"}}})
    assert answer["status"] == "success", answer
    data = answer["data"]
    assert data["action"] == "created"
    assert data["identity"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
                                "namespace": "makes"}
    theirs = cluster.get("deployment", "web", "-n", "makes")
    assert theirs["spec"]["replicas"] == 2
    assert theirs["metadata"]["labels"] == {"team": "shop"}
    assert data["precondition"] == {"uid": theirs["metadata"]["uid"],
                                    "resourceVersion": theirs["metadata"]["resourceVersion"]}
    raw = json.loads(cluster.kubectl("get", "--raw",
                                     "/apis/apps/v1/namespaces/makes/deployments/web"))
    assert {entry["manager"] for entry in raw["metadata"]["managedFields"]} == {"filecall"}


def test_arguments_win_over_the_text_and_say_so(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    answer = create(spool, kind="cm", name="mine", manifestYaml="""
apiVersion: v1
kind: ConfigMap
metadata: {name: other, namespace: kube-system}
data: {mode: "0644"}
""")
    assert answer["data"]["identity"]["name"] == "mine"
    assert any('"other" replaced by "mine"' in note for note in answer["data"]["notes"])
    assert cluster.get("cm", "mine", "-n", "makes")["data"] == {"mode": "0644"}


def test_a_dry_run_creates_nothing_and_needs_no_permission(spool, kube_worker, cluster):
    kube_worker()
    answer = create(spool, kind="cm", name="dry", values={"data": {"a": "b"}}, dryRun=True)
    assert answer["data"]["action"] == "would be created"
    assert answer["data"]["sanitizedManifest"]["data"] == {"a": "b"}
    assert "not found" in cluster.kubectl("get", "cm", "dry", "-n", "makes", check=False)


@pytest.mark.parametrize("params, line", [
    ({"kind": "cm", "name": "x", "values": {"data": {}}},
     "kube: {writable: [{context: admin, namespaces: [makes]}]}"),
    ({"kind": "ns", "name": "x", "values": {"metadata": {}}},
     'kube: {writable: [{context: admin, namespaces: ["*"], kinds: [namespaces]}]}'),
    ({"kind": "secret", "name": "x", "values": {"data": {}}},
     "kube: {writable: [{context: admin, namespaces: [makes], kinds: [secrets]}]}"),
    ({"kind": "role", "name": "x", "values": {"rules": []}},
     "namespaces: [makes], kinds: [roles.rbac.authorization.k8s.io]}]}"),
    ({"kind": "clusterrole", "name": "x", "values": {"rules": []}},
     'namespaces: ["*"], kinds: [clusterroles.rbac.authorization.k8s.io]}]}'),
])
def test_nothing_is_writable_by_default(spool, kube_worker, cluster, params, line):
    is_map = params["kind"] == "cm"
    kube_worker(kube={"writable": [{"context": "admin",
                                    "namespaces": ["elsewhere" if is_map else "*"]}]})
    answer = create(spool, **params)
    assert (answer["error_code"], answer["retryable"]) == ("permission_denied", False)
    assert line in answer["error_message"]
    assert "not found" in cluster.kubectl("get", params["kind"], "x", "-n", "makes", check=False)


@pytest.mark.parametrize("command", ["createResource", "diffResource"])
def test_what_the_server_drops_is_warned_of(spool, kube_worker, command):
    # This server is older than fieldValidation: what it does not know is dropped.
    kube_worker(kube=WRITABLE)
    params = {"kind": "svc", "name": "dropped", "namespace": "makes",
              "values": {"ports": [{"port": 80, "weight": 1}], "colour": "red"}}
    more = {"dryRun": True} if command == "createResource" else {"strategy": "create"}
    answer = spool.call("dropped", f"kube.{command}", {**params, **more})
    assert answer["status"] == "success", answer
    [warning] = answer["data"]["warnings"]
    assert "/spec/colour, /spec/ports/0/weight" in warning
    params = {"kind": "cm", "name": "c", "namespace": "makes", "values": {"level": "info"}}
    answer = spool.call("whole", f"kube.{command}", {**params, **more})
    assert "/level" in answer["data"]["warnings"][0]


def test_what_is_there_already_is_an_error(spool, kube_worker):
    kube_worker(kube=WRITABLE)
    assert create(spool, "a", kind="cm", name="twice", values={"data": {}})["status"] == "success"
    again = create(spool, "b", kind="cm", name="twice", values={"data": {}})
    assert (again["error_code"], again["retryable"]) == ("already_exists", False)


def test_what_the_server_refuses_names_the_field(spool, kube_worker):
    kube_worker(kube=WRITABLE)
    answer = create(spool, kind="svc", name="web", values={"ports": [{"port": 99999}]})
    assert answer["error_code"] == "invalid_argument"
    assert answer["error_details"]["causes"][0]["field"] == "spec.ports[0].port"


@pytest.mark.parametrize("params, part", [
    ({"manifestYaml": "a: 1\n---\nb: 2\n"}, "2 documents"),
    ({"manifestYaml": "data: {a: 1, a: 2}\n"}, "given twice"),
    ({"manifestYaml": "data: [\n"}, "YAML"),
    ({"manifestYaml": "apiVersion: v1\nkind: Secret\nstringData: {a: b}\n"},
     'kind is "Secret", and the arguments name ConfigMap'),
    ({"values": {"kind": "Secret", "data": {}}}, "the arguments name ConfigMap"),
    ({}, "values"),
])
def test_a_manifest_that_is_not_one_object_is_refused(spool, kube_worker, params, part):
    kube_worker(kube=WRITABLE)
    answer = create(spool, kind="cm", name="bad", **params)
    assert answer["error_code"] == "invalid_argument"
    assert part in answer["error_message"]


def test_a_refused_secret_does_not_come_back_in_the_error(spool, kube_worker):
    worker = kube_worker(kube=WRITABLE)
    # A value that is not base64 is repeated by the server's message.
    answer = create(spool, kind="secret", name="s", values={
        "data": {"password": "canary not base64 0123456789"}, "type": "Opaque"})
    assert answer["status"] == "error"
    assert "canary" not in json.dumps(answer) + worker.output()
    shown = create(spool, "good", kind="secret", name="s", values={
        "stringData": {"password": "canary-secret-0123456789"}})
    assert shown["data"]["sanitizedManifest"]["data"]["password"]["bytes"] == 24
    assert "canary" not in json.dumps(shown) + worker.output()


def test_writes_are_declared_as_effects(spool, kube_worker):
    kube_worker()
    catalog = spool.call("catalog", "system.describe", {})["data"]["commands"]
    effects = {row["name"]: row["effects"] for row in catalog}
    assert effects["kube.createResource"] == "external"
    assert effects["kube.patchResource"] == "external"
    assert effects["kube.deleteResource"] == "external"
    assert effects["kube.diffResource"] == "none"
    assert effects["kube.analyzeImpact"] == "none"
