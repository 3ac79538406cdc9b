# SPDX-License-Identifier: MIT
"""kube.helmReleases and kube.helmRelease: Helm's storage in a real API server."""

import base64
import gzip
import json

import pytest

import kube_stub

SPACE = "helm"
CANARY = "canary-0123456789"
MANIFEST = f"""---
# Source: web/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata: {{name: web}}
stringData:
  anything: "{CANARY}-of-secret"
  short: Ab3x
  app.yaml: |
    db:
      val: Orange-Canary-44
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: {SPACE}}}
"""


def release(name, revision, status="deployed", **members):
    return {"name": name, "namespace": SPACE, "version": revision,
            "info": {"status": status, "last_deployed": "2026-01-01T00:00:00Z",
                     "description": "Upgrade complete"},
            "chart": {"metadata": {"name": "nginx", "version": "15.1.0", "appVersion": "1.25"},
                      "values": {"default": 1}, "templates": [{"name": "x", "data": "e30="}]},
            "config": {"replicas": revision, "image": {"tag": "v2"},
                       "auth": {"password": f"{CANARY}-of-values", "existingSecret": "web-auth"},
                       "greeting": f"{CANARY}-of-secret", "of": ["Ab3x", "Orange-Canary-44"]},
            "manifest": MANIFEST,
            "hooks": [{"name": "setup", "manifest": "apiVersion: batch/v1\nkind: Job\n"
                                                    "metadata: {name: setup}\n"}], **members}


def packed(thing):
    text = thing if isinstance(thing, bytes) else json.dumps(thing).encode()
    return base64.b64encode(gzip.compress(text)).decode()


def stored(thing, kind="Secret", data=None, name=None):
    name = name or f"sh.helm.release.v1.{thing['name']}.v{thing['version']}"
    labels = {"owner": "helm", "name": thing["name"], "version": str(thing["version"]),
              "status": thing["info"]["status"]}
    key = "stringData" if kind == "Secret" else "data"
    return {"apiVersion": "v1", "kind": kind, key: {"release": data or packed(thing)},
            "metadata": {"name": name, "namespace": SPACE, "labels": labels},
            **({"type": "helm.sh/release.v1"} if kind == "Secret" else {})}


@pytest.fixture(scope="module", autouse=True)
def releases(cluster):
    bomb = packed(b" " * (40 * 1024 * 1024))
    hidden = release("hidden", 1, manifest="kind: Secret\nstringData: {a: b, a: c}\n")
    cluster.create(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
        stored(release("web", 9, "superseded")), stored(release("web", 10)),
        stored(release("in-map", 1, "failed"), "ConfigMap"), stored(hidden),
        stored(release("bomb", 1), data=bomb), stored(release("torn", 1), data="H4sIAAAAAAAC/w=="),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {
            "name": "other", "namespace": SPACE, "labels": {"owner": "helm"}}})


def test_releases_are_listed_with_their_latest_revision(spool, kube_worker):
    kube_worker()
    answer = spool.call("list", "kube.helmReleases", {"namespace": SPACE})
    data = answer["data"]
    rows = {row[0]: dict(zip(data["columns"], row)) for row in data["rows"]}
    assert rows["web"] == {"name": "web", "revision": 10, "status": "deployed", "chart": "nginx",
                           "chartVersion": "15.1.0", "appVersion": "1.25",
                           "lastDeployed": "2026-01-01T00:00:00Z"}
    assert rows["in-map"]["status"] == "failed" and data["returned"] == 5
    assert rows["bomb"]["status"] is None and not data["complete"]
    why = {problem["name"]: problem["why"] for problem in data["problems"]}
    assert "more than 33554432 bytes" in why["bomb"] and "gzip" in why["torn"]
    assert CANARY not in str(answer)
    few = spool.call("few", "kube.helmReleases", {"allNamespaces": True, "limit": 1})["data"]
    assert few["columns"][0] == "namespace" and few["left_out"] == 4 and not few["complete"]
    none = spool.call("none", "kube.helmReleases", {"namespace": "helmx"})["data"]
    assert none["rows"] == [] and "did you mean helm?" in none["hint"]


def test_one_is_read_without_its_secrets(spool, kube_worker):
    kube_worker()
    answer = spool.call("web", "kube.helmRelease", {"name": "web", "namespace": SPACE})
    data = answer["data"]
    assert (data["revision"], data["history"], data["storage"]) == (10, [9, 10], "Secret")
    assert (data["status"], data["chart"], data["complete"]) == ("deployed", "nginx", True)
    values = data["values"]
    assert (values["replicas"], values["image"]) == (10, {"tag": "v2"})
    assert values["auth"]["existingSecret"] == "web-auth"
    assert CANARY not in str(answer) and "redacted" in values["greeting"]
    assert {"/values/auth/password", "/values/greeting", "/values/of/0", "/values/of/1"} == {
        m["path"] for m in data["masked"]}
    assert "Ab3x" not in str(answer) and "Canary" not in str(answer)
    assert [row[1:4] for row in data["objects"]] == [
        ["Secret", "web", ""], ["Deployment", "web", SPACE], ["Job", "setup", ""]]
    assert data["objects"][2] == ["batch/v1", "Job", "setup", "", True]
    old = spool.call("old", "kube.helmRelease", {
        "name": "web", "namespace": SPACE, "revision": 9,
        "fields": ["values.replicas", "status", "values.auth.password"]})["data"]
    assert old["fields"]["values.replicas"] == 9 and old["fields"]["status"] == "superseded"
    assert "redacted" in old["fields"]["values.auth.password"] and "values" not in old
    from_map = spool.call("map", "kube.helmRelease", {"name": "in-map", "namespace": SPACE})
    assert from_map["data"]["storage"] == "ConfigMap" and CANARY not in str(from_map)
    stored_map = spool.call("stored", "kube.getResource", {
        "kind": "cm", "name": "sh.helm.release.v1.in-map.v1", "namespace": SPACE})["data"]
    assert stored_map["masked"] == [{"path": "/data/release", "why": "a Helm release"}]
    assert "H4sI" not in str(stored_map)
    hidden = spool.call("hidden", "kube.helmRelease", {"name": "hidden", "namespace": SPACE})
    assert hidden["data"]["valuesHidden"] and hidden["data"]["values"] == {}
    assert not hidden["data"]["complete"] and CANARY not in str(hidden)


def test_what_cannot_be_read_is_an_error(spool, kube_worker):
    kube_worker()

    def refused(stem, **params):
        answer = spool.call(stem, "kube.helmRelease", {"namespace": SPACE, **params})
        assert answer["status"] == "error", answer
        return answer["error_code"], answer["error_message"]

    assert "did you mean web?" in refused("near", name="wep")[1]
    assert "10 is the latest" in refused("revision", name="web", revision=11)[1]
    assert refused("bomb", name="bomb") == (
        "failed_precondition", "the release cannot be read: the release has more than 33554432 "
        "bytes when it is unpacked")
    assert "no namespace 'helmx'" in refused("space", name="web", namespace="helmx")[1]


def test_who_may_not_read_secrets_hears_so(spool, kube_worker):
    kube_worker(nobody={"token": "nobody-token-0123456789"})
    data = spool.call("list", "kube.helmReleases", {"namespace": SPACE})["data"]
    assert not data["complete"] and {row["kind"] for row in data["unread"]} == {"Secret",
                                                                                "ConfigMap"}
    one = spool.call("one", "kube.helmRelease", {"name": "web", "namespace": SPACE})
    assert one["error_code"] == "permission_denied"


def test_a_storage_that_cannot_be_read_is_called_what_it_is(spool, kube_stub_worker):
    path = f"/api/v1/namespaces/{SPACE}/"
    empty = {"kind": "ConfigMapList", "apiVersion": "v1", "items": []}
    stub = kube_stub_worker({f"{path}configmaps": empty})
    for stem, answer, code, retryable in [
            ("busy", kube_stub.status(503, "ServiceUnavailable", "later"), "unavailable", True),
            ("shut", kube_stub.status(403, "Forbidden", "no"), "permission_denied", False)]:
        stub.paths[f"{path}secrets"] = answer
        said = spool.call(stem, "kube.helmRelease", {"name": "web", "namespace": SPACE})
        assert (said["error_code"], said["retryable"]) == (code, retryable), said
        assert "no release 'web' is seen, and not all could be read" in said["error_message"]
    # A release whose description is long: shown as an excerpt, and nothing of its secrets.
    text = "upgrade failed: " + "x" * 480 + f" {CANARY}-of-secret " + "y" * 100_000
    info = {"status": "failed", "description": text}
    long = stored({**release("long", 1), "info": info}, "ConfigMap")
    stub.paths[f"{path}secrets"] = empty
    stub.paths[f"{path}configmaps"] = {**empty, "items": [long]}
    stub.paths[f"{path}configmaps/sh.helm.release.v1.long.v1"] = long
    said = spool.call("long", "kube.helmRelease", {"name": "long", "namespace": SPACE})
    data = said["data"]
    assert data["description"].startswith("upgrade failed: xxx") and len(data["description"]) < 600
    assert "canary" not in str(data)
