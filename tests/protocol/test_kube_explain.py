# SPDX-License-Identifier: MIT
"""kube.explain: what kubectl explain says, from the same documents."""

import re

import pytest

from harness import wait_until
from kube_stub import http, status
from test_kube_get_resource import crd

GADGET_SPEC = {"type": "object", "required": ["size"], "properties": {
    "size": {"type": "string", "enum": ["small", "large"], "description": "How large. And more."},
    "port": {"x-kubernetes-int-or-string": True},
    "parts": {"type": "array", "items": {"type": "object", "properties": {
        "name": {"type": "string"}}}}}}


def gadgets():
    definition = crd("explained.example", "Gadget")
    for version in definition["spec"]["versions"]:
        version["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": GADGET_SPEC}}}
    return definition


def explain(spool, stem, **params):
    answer = spool.call(stem, "kube.explain", params)
    assert answer["status"] == "success", answer
    return answer["data"]


def paths_of(data, begin=""):
    """{path: type} of a nested list of fields."""
    out = {}
    for row in data.get("fields", []):
        out[begin + row["name"]] = row["type"].lower()
        out |= paths_of(row, f"{begin}{row['name']}.")
    return out


def paths_of_kubectl(text):
    """The same, of kubectl explain --recursive."""
    out, names = {}, []
    for line in text.partition("FIELDS:")[2].splitlines():
        found = re.fullmatch(r"( +)(\S+)\t<(\S+)>.*", line)
        if found:
            level = len(found[1]) // 3
            names = [*names[:level - 1], found[2]]
            out[".".join(names)] = found[3].lower()
    return out


def test_it_agrees_with_kubectl(spool, kube_worker, cluster):
    kube_worker()
    for stem, kind in enumerate(["deployment", "networkpolicies.networking.k8s.io", "pod"]):
        data = explain(spool, f"all{stem}", kind=kind, depth=20, maxBytes=1048576)
        theirs = paths_of_kubectl(cluster.kubectl("explain", kind.partition(".")[0],
                                                  "--recursive"))
        assert data["complete"] and len(theirs) > 20
        ours = paths_of(data)
        # This kubectl takes what is a number or a text for a text, and an object of which nothing
        # is known for a map of nothing.
        named = {"int-or-string": "string"}
        assert {path: named.get(type_, type_) for path, type_ in ours.items()} == \
            {path: "object" if type_ == "map[string]" else type_ for path, type_ in theirs.items()}
    data = explain(spool, "one", kind="deployment.spec.template.spec.containers")
    theirs = cluster.kubectl("explain", "deployment.spec.template.spec.containers")
    assert (data["kind"], data["type"], data["required"]) == ("Deployment", "[]object", True)
    assert data["field"] == "spec.template.spec.containers" and data["requiredFields"] == ["name"]
    assert {row["name"] for row in data["fields"]} == set(paths_of_kubectl(theirs))
    squeezed = " ".join(theirs.split())
    assert data["description"] in squeezed and data["typeDescription"] in squeezed
    again = explain(spool, "field", kind="deploy", field=".spec.template.spec.containers[0]",
                    apiVersion="apps/v1", descriptions="whole")
    assert again["type"] == "[]object" and len(str(again)) > len(str(data))
    assert all(" ".join(row["description"].split()) in squeezed for row in again["fields"])
    assert "redacted" not in str(again)


def test_a_custom_kind_is_explained(spool, kube_worker, cluster):
    cluster.create(gadgets())
    cluster.kubectl("wait", "--for=condition=established", "crd/gadgets.explained.example")
    kube_worker()
    answers = []

    def is_published():  # A moment after it is established.
        answers.append(spool.call(f"w{len(answers)}", "kube.explain",
                                  {"kind": "gadgets.explained.example", "field": "spec"}))
        return answers[-1]["status"] == "success" and answers[-1]["data"]["fields"]

    wait_until(is_published, "the definition's fields to be described")
    rows = {row["name"]: row for row in answers[-1]["data"]["fields"]}
    assert rows["size"] == {"name": "size", "type": "string", "required": True,
                            "enum": ["small", "large"], "description": "How large."}
    assert rows["parts"]["type"] == "[]object"
    assert explain(spool, "dots", kind="gadgets.explained.example.spec.parts.name")["type"] == \
        "string"


def test_what_is_not_there_is_an_error_that_names_what_is_near(spool, kube_worker):
    kube_worker()
    wrong = spool.call("field", "kube.explain", {"kind": "deployment.spec.replica"})
    assert wrong["error_code"] == "not_found"
    assert "Deployment.spec has no field 'replica'" in wrong["error_message"]
    assert wrong["error_details"]["nearest"] == ["replicas"]
    below = spool.call("below", "kube.explain", {"kind": "deploy", "field": "spec.replicas.x"})
    assert "Deployment.spec.replicas is of type integer" in below["error_message"]
    kind = spool.call("kind", "kube.explain", {"kind": "deploymint.spec"})
    assert kind["error_code"] == "not_found" and "deployment" in kind["error_message"]
    few = explain(spool, "few", kind="pod", field="spec", maxBytes=1000)
    assert not few["complete"] and few["left_out"] > 10 and len(str(few["fields"])) < 1500
    assert explain(spool, "label", kind="pod.metadata.labels.app")["type"] == "string"


V3 = {"openapi": "3.0.0", "paths": {"/api/v1/pods": {}}, "components": {"schemas": {
    "io.k8s.api.core.v1.Pod": {
        "type": "object", "description": "Pod is a group of containers.",
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}],
        "properties": {"spec": {"allOf": [{"$ref": "#/components/schemas/PodSpec"}],
                                "default": {}, "description": "What it should be."}}},
    "PodSpec": {"type": "object", "required": ["containers"], "properties": {
        "containers": {"type": "array", "items": {
            "allOf": [{"$ref": "#/components/schemas/Container"}], "default": {}}},
        "limit": {"$ref": "#/components/schemas/Quantity"}}},
    "Container": {"type": "object", "description": "One container.", "properties": {
        "name": {"type": "string", "default": ""},
        "apiToken": {"type": "string", "default": "canary-0123456789",
                     "description": "E.g. ghp_0123456789abcdefghijklmnopqrstuvwxyz."}, "self": {
            "$ref": "#/components/schemas/Container"}}},
    "Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]}}}}


def test_version_3_is_asked_first(spool, kube_stub_worker):
    stub = kube_stub_worker({"/openapi/v3/api/v1": V3})
    data = explain(spool, "pod", kind="pod", depth=20, maxBytes=2000)
    assert data["source"] == "openapi/v3" and not data["complete"]
    data = explain(spool, "spec", kind="po.spec")
    assert data["description"] == "What it should be." and "default" not in data
    assert [(row["name"], row["type"]) for row in data["fields"]] == \
        [("containers", "[]object"), ("limit", "number|string")]
    row = explain(spool, "token", kind="pod.spec.containers.apiToken")
    assert "redacted" in row["default"] and "redacted" in row["description"]
    assert "canary" not in str(row) and "ghp_" not in str(row)
    assert "/openapi/v2" not in {path for _, path, *_ in stub.requests}


@pytest.mark.parametrize("answer,code", [
    (status(403, "Forbidden", "not yours"), "permission_denied"),
    (http(200, {"components": {"schemas": {"a": {"$ref": "#/components/schemas/a"}}}}),
     "not_found")])
def test_a_server_that_does_not_say_is_told(spool, kube_stub_worker, answer, code):
    kube_stub_worker({"/openapi/v3/api/v1": answer, "/openapi/v2": {"definitions": {}}})
    assert spool.call("pod", "kube.explain", {"kind": "pod"})["error_code"] == code
