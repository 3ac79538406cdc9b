# SPDX-License-Identifier: MIT
"""kube.canI agrees with what RBAC then does."""

import pytest

from kube_cluster import USERS


@pytest.fixture(scope="module", autouse=True)
def rights(cluster):
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "pod-reader", "namespace": "rights"},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
               "metadata": {"name": "reader", "namespace": "rights"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                           "name": "pod-reader"},
               "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                             "name": "reader"}]}
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "rights"}})
    cluster.create(role, binding)


def may(spool, stem, **params):
    return spool.call(stem, "kube.canI", params)["data"]["allowed"]


def test_a_limited_user_may_what_the_role_says(spool, kube_worker):
    kube_worker(reader={"token": USERS["reader"]})
    assert may(spool, "get", verb="get", kind="po", namespace="rights") is True
    assert may(spool, "delete", verb="delete", kind="po", namespace="rights") is False
    assert may(spool, "elsewhere", verb="get", kind="po", namespace="default") is False
    assert may(spool, "everywhere", verb="get", kind="po", allNamespaces=True) is False
    assert may(spool, "log", verb="get", kind="po", subresource="log", namespace="rights") is False
    asked = spool.call("slash", "kube.canI", {"verb": "get", "kind": "po/log"})["data"]["asked"]
    assert (asked["resource"], asked["subresource"]) == ("pods", "log")
    answer = spool.call("read", "kube.listResources", {"kind": "po", "namespace": "rights"})
    assert answer["status"] == "success"
    refused = spool.call("secrets", "kube.listResources", {"kind": "secrets",
                                                           "namespace": "rights"})
    assert refused["error_code"] == "permission_denied" and refused["retryable"] is False
    assert refused["error_details"]["http_status"] == 403
    assert 'User "reader" cannot list' in refused["error_message"]


def test_the_administrator_may_everything(spool, kube_worker):
    kube_worker()
    assert may(spool, "all", verb="*", kind="*", allNamespaces=True) is True
