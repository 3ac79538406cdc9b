# SPDX-License-Identifier: MIT
"""kube.listResources: kubectl's columns, chunks, selectors, manifests without secrets."""

import json

import pytest

import kube_api

MAPS = [{"apiVersion": "v1", "kind": "ConfigMap",
         "metadata": {"name": f"m{i:02}", "namespace": "lists",
                      "labels": {"even": str(i % 2 == 0)}},
         "data": {"key": str(i)}} for i in range(12)]
SECRETS = [{"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": f"s{i}", "namespace": "lists"},
            "stringData": {"value": f"canary-list-{i}-0123456789"}} for i in range(3)]


@pytest.fixture(scope="module", autouse=True)
def objects(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lists"}})
    cluster.create(*MAPS, *SECRETS)


def listed(spool, stem="list", **params):
    answer = spool.call(stem, "kube.listResources", {"namespace": "lists", **params})
    assert answer["status"] == "success", answer
    return answer["data"]


def test_the_table_has_kubectls_columns(spool, kube_worker, cluster):
    kube_worker()
    data = listed(spool, kind="cm", labelSelector="even=True")
    assert data["columns"] == ["Name", "Data", "Age"]
    lines = cluster.kubectl("get", "cm", "-n", "lists", "-l", "even=True", "--no-headers")
    assert [row[:2] for row in data["rows"]] == [[line.split()[0], 1]
                                                 for line in lines.splitlines()]
    assert data["complete"] and data["returned"] == 6


def test_chunks_follow_each_other_to_the_end(spool, kube_worker):
    kube_worker()
    names, token = [], None
    for round_ in range(4):
        more = {"continue": token} if token else {}
        data = listed(spool, f"chunk{round_}", kind="cm", limit=5, **more)
        names += [row[0] for row in data["rows"]]
        token = data.get("continue")
        assert data["complete"] == (token is None)
        if not token:
            break
        assert data["remaining"] > 0
    assert sorted(names) == [m["metadata"]["name"] for m in MAPS]


def test_manifests_are_those_of_the_objects(spool, kube_worker):
    kube_worker()
    data = listed(spool, kind="configmaps", view="manifests", fieldSelector="metadata.name=m03")
    manifest = data["items"][0]["sanitizedManifest"]
    assert (manifest["kind"], manifest["apiVersion"]) == ("ConfigMap", "v1")
    assert manifest["data"] == {"key": "3"}


@pytest.mark.parametrize("view", ["table", "manifests"])
def test_no_list_shows_a_secret(spool, kube_worker, view):
    worker = kube_worker()
    data = listed(spool, kind="secrets", view=view)
    found = data.get("items") or [{"name": row[0]} for row in data["rows"]]
    assert {"s0", "s1", "s2"} <= {item["name"] for item in found}
    assert "canary" not in str(data) + worker.output()
    assert "Y2FuYXJ5" not in str(data), "nor in base64"


def test_all_namespaces_are_listed_when_asked_for(spool, kube_worker):
    kube_worker()
    data = listed(spool, kind="cm", allNamespaces=True, limit=500)
    assert data["columns"][:2] == ["Namespace", "Name"]
    assert {"lists", "kube-system"} <= {row[0] for row in data["rows"]}
    assert "namespace" not in data


def test_a_page_of_pods_is_small(spool, kube_worker, cluster):
    names = [f"orders-app-7c9d8b5f6d-x2{i:03}" for i in range(48)]
    cluster.create(*({"apiVersion": "v1", "kind": "Pod",
                      "metadata": {"name": name, "namespace": "lists"},
                      "spec": {"automountServiceAccountToken": False, "containers": [
                          {"name": "c", "image": "registry.invalid/a:1"}]}} for name in names))
    # As a kubelet tells it.
    api = kube_api.Api(cluster)
    for number, name in enumerate(names):
        path = f"/api/v1/namespaces/lists/pods/{name}"
        pod = api.ask("GET", path)
        ended = {"terminated": {"exitCode": 1, "finishedAt": "2026-01-02T03:04:05Z"}}
        pod["status"].update(
            phase="Running", conditions=[{"type": "Ready", "status": "True"}],
            containerStatuses=[{
                "name": "c", "image": "registry.invalid/a:1", "imageID": "", "ready": True,
                "restartCount": number % 7, "state": {"running": {}},
                "lastState": ended if number % 7 else {}}])
        api.ask("PUT", f"{path}/status", pod)
    kube_worker()
    data = listed(spool, kind="po")
    assert data["returned"] == 48 and data["complete"]
    assert data["inAllRows"]["Ready"] == "1/1" and data["inAllRows"]["Status"] == "Running"
    assert data["columns"][:2] == ["Name", "Restarts"]
    assert len(json.dumps(data, separators=(",", ":"))) <= 3 * 1024
    cut = listed(spool, "cut", kind="po", maxBytes=1000)
    assert len(json.dumps(cut["rows"], separators=(",", ":"))) <= 1000 + cut["returned"] + 2
    assert cut["left_out"] + cut["returned"] == 48 and not cut["complete"]


def test_a_page_of_pods_of_a_newer_server_is_small(spool, kube_stub_worker):
    """Recorded from a server of version 1.31: it says how long ago a restart was."""
    pods = [[f"orders-app-7c9d8b5f6d-x2{i:03}", "1/1", "Running",
             f"{i % 7} (5d4h ago)" if i % 7 else "0", "47h"] for i in range(48)]
    columns = [{"name": name} for name in ("Name", "Ready", "Status", "Restarts", "Age")]

    def table(rows):
        return {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "columnDefinitions": columns,
                "rows": [{"cells": cells} for cells in rows]}

    path = "/api/v1/namespaces/default/pods"
    stub = kube_stub_worker({path: table(pods)})
    data = spool.call("all", "kube.listResources", {"kind": "po"})["data"]
    assert data["columns"] == ["Name", "Restarts", "Last Restart"]
    assert data["inAllRows"] == {"Ready": "1/1", "Status": "Running", "Age": "47h"}
    assert data["rows"][:2] == [[pods[0][0], 0, None], [pods[1][0], 1, "5d4h"]]
    assert len(json.dumps(data, separators=(",", ":"))) <= 3 * 1024
    # One that differs stands there whole, as do the others.
    stub.paths[path] = table([*pods[:47], ["odd", "0/1", "Error", "9 (3m ago)", "47h"]])
    data = spool.call("odd", "kube.listResources", {"kind": "po"})["data"]
    assert data["rows"][-1] == ["odd", "0/1", "Error", 9, "3m"]
    assert data["rows"][0][:3] == [pods[0][0], "1/1", "Running"]


def test_single_fields_are_further_columns(spool, kube_worker):
    kube_worker()
    fields = ["data.key", 'metadata.labels["even"]', "metadata.generation", "spec.items[*].none"]
    data = listed(spool, kind="cm", labelSelector="even=True", fields=fields, limit=2)
    assert data["columns"] == ["Name", *fields]
    assert data["rows"] == [["m00", "0", "True", None, []], ["m02", "2", "True", None, []]]
    assert not data["complete"] and data["continue"]
    whole = listed(spool, "all", kind="cm", allNamespaces=True, fields=["data.key"], limit=500)
    assert whole["columns"] == ["Namespace", "Name", "data.key"]
    hidden = listed(spool, "secrets", kind="secrets", fields=["data"])
    assert "canary" not in str(hidden) and "Y2FuYXJ5" not in str(hidden) and len(hidden["rows"]) > 2
    wrong = spool.call("wrong", "kube.listResources", {"kind": "cm", "fields": ["a..b"]})
    assert wrong["error_code"] == "invalid_argument"


def test_a_list_that_would_be_too_large_says_what_it_left_out(spool, kube_worker, cluster):
    big = [{"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": f"big{i:03}", "namespace": "lists", "labels": {"big": "yes"}},
            "data": {f"k{n}": "x" * 1500 for n in range(9)}} for i in range(100)]
    cluster.create(*big)
    kube_worker()
    data = listed(spool, kind="cm", view="manifests", labelSelector="big=yes", limit=100)
    assert not data["complete"] and data["left_out"] > 0 and "smaller limit" in data["hint"]
    assert data["returned"] + data["left_out"] == 100


def test_a_bad_selector_is_the_requests_fault(spool, kube_worker):
    kube_worker()
    answer = spool.call("bad", "kube.listResources", {"kind": "cm", "labelSelector": "=="})
    assert answer["error_code"] == "invalid_argument" and answer["retryable"] is False


def test_an_old_continue_token_is_out_of_range(spool, kube_worker):
    kube_worker()
    answer = spool.call("old", "kube.listResources", {"kind": "cm", "continue": "nonsense"})
    assert answer["error_code"] in ("invalid_argument", "out_of_range")


def test_an_item_shows_what_the_object_alone_shows(spool, kube_worker, cluster):
    kube_worker()
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": "mixed", "namespace": "lists", "labels": {"mixed": "1"}},
                    "data": {"api-key": "canary-key-0123456789", "level": "info",
                             "app.yaml": "password: canary-file-0123456789\nport: 1\n"},
                    "binaryData": {"blob": "Y2FuYXJ5LWJpbmFyeQ=="}})
    data = listed(spool, kind="cm", view="manifests", labelSelector="mixed=1")
    one = spool.call("one", "kube.getResource",
                     {"kind": "cm", "name": "mixed", "namespace": "lists"})["data"]
    assert data["items"][0]["sanitizedManifest"] == one["sanitizedManifest"]
    assert one["sanitizedManifest"]["data"]["level"] == "info"
    for secret in ("canary-key", "canary-file", "Y2FuYXJ5"):
        assert secret not in str(data)
