# SPDX-License-Identifier: MIT
"""kube.listResources: kubectl's columns, chunks, selectors, manifests without secrets."""

import pytest

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
    assert data["columns"][0] == "Name" and "Age" in data["columns"]
    lines = cluster.kubectl("get", "cm", "-n", "lists", "-l", "even=True", "--no-headers")
    assert [item["name"] for item in data["items"]] == [line.split()[0]
                                                        for line in lines.splitlines()]
    assert all(item["cells"]["Data"] == 1 and item["namespace"] == "lists"
               for item in data["items"])
    assert data["complete"] and data["returned"] == 6


def test_chunks_follow_each_other_to_the_end(spool, kube_worker):
    kube_worker()
    names, token = [], None
    for round_ in range(4):
        more = {"continue": token} if token else {}
        data = listed(spool, f"chunk{round_}", kind="cm", limit=5, **more)
        names += [item["name"] for item in data["items"]]
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
    assert {"s0", "s1", "s2"} <= {item["name"] for item in data["items"]}
    assert "canary" not in str(data) + worker.output()
    assert "Y2FuYXJ5" not in str(data), "nor in base64"


def test_all_namespaces_are_listed_when_asked_for(spool, kube_worker):
    kube_worker()
    data = listed(spool, kind="cm", allNamespaces=True, limit=500)
    assert {"lists", "kube-system"} <= {item["namespace"] for item in data["items"]}
    assert "namespace" not in data


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
