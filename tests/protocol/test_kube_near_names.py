# SPDX-License-Identifier: MIT
"""What is not there: near names of objects and namespaces, against a real API server."""

from kube_stub import status

NAMESPACES = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
              for name in ("nearby", "nearbx-empty")]
MAPS = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "nearby"}}
        for name in ("settings", "flags")]


def test_what_is_near_is_named(spool, kube_worker, cluster):
    cluster.create(*NAMESPACES, *MAPS)
    kube_worker(kube={"writable": [{"context": "admin", "namespaces": ["nearby", "neraby"]}]})

    def refused(stem, command="kube.getResource", **params):
        answer = spool.call(stem, command, {"kind": "cm", "namespace": "nearby", **params})
        assert answer["error_code"] == "not_found", answer
        return answer["error_message"], answer["error_details"]

    message, details = refused("name", name="settingz")
    assert "did you mean settings?" in message and details["nearest"] == ["settings"]
    for command in ("kube.deleteResource", "kube.analyzeImpact", "kube.tree"):
        assert refused(command, command, name="settingz")[1]["nearest"] == ["settings"], command
    message, details = refused("far", name="zzzzzzzz")
    assert "there is: flags, " in message and "nearest" not in details
    message, details = refused("space", name="settings", namespace="neraby")
    assert "there is no namespace 'neraby'; did you mean nearby?" in message
    assert details["namespaceExists"] is False
    message, details = refused("create", "kube.createResource", name="a", namespace="neraby",
                               values={"data": {"a": "b"}})
    assert details["nearest"] == ["nearby"]
    message, _ = refused("node", kind="node", name="none")
    assert message.endswith('"none" not found')


def test_an_empty_list_of_no_namespace_says_so(spool, kube_worker, cluster):
    cluster.create(*NAMESPACES, *MAPS)
    kube_worker()
    for stem, command, params in [("list", "kube.listResources", {"kind": "deploy"}),
                                  ("items", "kube.listResources", {"kind": "deploy",
                                                                   "view": "manifests"}),
                                  ("events", "kube.events", {})]:
        data = spool.call(stem, command, {**params, "namespace": "neraby"})["data"]
        assert data["returned"] == 0 and data["namespaceExists"] is False
        assert "did you mean nearby?" in data["hint"]
        data = spool.call(f"{stem}-there", command, {**params, "namespace": "nearbx-empty"})["data"]
        assert "namespaceExists" not in data and "hint" not in data


def test_one_who_may_not_look_hears_no_more_than_before(spool, kube_stub_worker):
    stub = kube_stub_worker({
        "/api/v1/namespaces/shop/pods/web": status(404, "NotFound", 'pods "web" not found',
                                                   name="web", kind="pods"),
        "/api/v1/namespaces/shop/pods": status(403, "Forbidden", "no"),
        "/api/v1/namespaces/shop": status(403, "Forbidden", "no")})
    answer = spool.call("web", "kube.getResource", {"kind": "po", "name": "web",
                                                    "namespace": "shop"})
    assert answer["error_code"] == "not_found"
    assert answer["error_message"].endswith("\"web\" not found in namespace 'shop'")
    assert len([path for _, path, *_ in stub.requests if "/namespaces/" in path]) == 3
