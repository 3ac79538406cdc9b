# SPDX-License-Identifier: MIT
"""kube.deleteResource against a real API server."""

import pytest

WRITABLE = {"writable": [{"context": "admin", "namespaces": ["ends"]}]}


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ends"}})


def config(cluster, name, **metadata):
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"},
                    "metadata": {"name": name, "namespace": "ends", **metadata}})
    return cluster.get("cm", name, "-n", "ends")["metadata"]


def delete(spool, stem="delete", **params):
    return spool.call(stem, "kube.deleteResource", {"namespace": "ends", "kind": "cm", **params})


def is_there(cluster, name):
    return "not found" not in cluster.kubectl("get", "cm", name, "-n", "ends", check=False)


def test_an_object_is_deleted(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    metadata = config(cluster, "gone")
    answer = delete(spool, name="gone", precondition={"uid": metadata["uid"]})
    assert answer["status"] == "success", answer
    assert answer["data"]["action"] == "deleted"
    assert not is_there(cluster, "gone")
    assert delete(spool, "again", name="gone")["error_code"] == "not_found"


@pytest.mark.parametrize("precondition", [{"uid": "another"}, {"resourceVersion": "1"}])
def test_another_object_of_that_name_is_left_alone(spool, kube_worker, cluster, precondition):
    kube_worker(kube=WRITABLE)
    config(cluster, "renewed")
    answer = delete(spool, name="renewed", precondition=precondition)
    assert (answer["error_code"], answer["retryable"]) == ("aborted", False)
    assert is_there(cluster, "renewed")


def test_a_dry_run_deletes_nothing(spool, kube_worker, cluster):
    kube_worker()
    config(cluster, "trial")
    assert delete(spool, name="trial", dryRun=True)["data"]["action"] == "would be deleted"
    assert is_there(cluster, "trial")


def test_a_delete_needs_permission(spool, kube_worker, cluster):
    kube_worker()
    config(cluster, "locked")
    answer = delete(spool, name="locked")
    assert answer["error_code"] == "permission_denied"
    assert "kube: {writable: [{context: admin, namespaces: [ends]}]}" in answer["error_message"]
    assert is_there(cluster, "locked")


def test_what_finalizers_hold_is_said_to_be_on_its_way(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    config(cluster, "held", finalizers=["example.com/hold"])
    answer = delete(spool, name="held")
    assert answer["data"]["action"] == "is being deleted"
    assert answer["data"]["finalizers"] == ["example.com/hold"]
    cluster.kubectl("patch", "cm", "held", "-n", "ends", "--type=merge", "-p",
                    '{"metadata":{"finalizers":null}}')


@pytest.mark.parametrize("params, action", [({}, "deleted"),
                                            ({"dryRun": True}, "would be deleted")])
def test_a_pod_that_is_not_waited_for_may_run_on(spool, kube_worker, cluster, params, action):
    kube_worker(kube=WRITABLE)
    cluster.create({"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "quick", "namespace": "ends"},
                    "spec": {"nodeName": "somewhere", "automountServiceAccountToken": False,
                             "containers": [{"name": "c", "image": "registry.invalid/a:1"}]}})
    answer = delete(spool, kind="po", name="quick", gracePeriodSeconds=0, **params)
    assert answer["data"]["action"] == action, answer
    assert any("may run on" in text for text in answer["data"]["warnings"])
    if params:
        cluster.kubectl("delete", "po", "quick", "-n", "ends", "--grace-period=0", "--force")
