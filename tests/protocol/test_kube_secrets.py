# SPDX-License-Identifier: MIT
"""No byte of a secret value that is in the cluster comes out of the worker, whatever is asked."""

import base64
import json
import urllib.parse

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kube_stub import http

NAMESPACE = "vault"
# Long enough that no other text has it by chance.
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=16, max_size=60)


def forms(value: str):
    """The value as it may stand in a text: itself, in JSON, in base64 at any place, in URLs."""
    data = value.encode()
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield urllib.parse.quote(value)
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode()
        yield text[(0, 2, 3)[shift]:].rstrip("=")[:-1]


def leaks(value: str, *texts: str):
    return [form for form in forms(value) for text in texts if form in text]


def everything_written(spool, worker):
    """Every file that the worker wrote, and its log."""
    yield worker.output()
    for path in spool.root.rglob("*"):
        if path.is_file() and "requests" not in path.parts:
            yield path.read_text(errors="replace")


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})


def test_the_search_finds_a_leak_in_every_form():
    value = 'a"b%c/d 0123456789'
    for form in list(forms(value)):
        assert leaks(value, "before " + form + " after")


COUNT = iter(range(10**9))


def for_many_secrets(check, examples, keys_max):
    """check(n, values) for random values, n another each time."""
    @settings(max_examples=examples, deadline=None, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), VALUES, min_size=1,
                           max_size=keys_max))
    def run(values):
        check(next(COUNT), values)

    run()


@pytest.mark.parametrize("how", ["applied", "created"])
def test_values_of_real_secrets_stay_in_the_cluster(spool, kube_worker, cluster, how):
    worker = kube_worker()

    def check(n, values):
        secret = {"apiVersion": "v1", "kind": "Secret",
                  "metadata": {"name": f"s{n}", "namespace": NAMESPACE}, "stringData": values}
        # kubectl apply leaves a copy of the values in an annotation.
        verb = ["apply"] if how == "applied" else ["create"]
        cluster.kubectl(*verb, "-f", "-", stdin=json.dumps(secret))
        params = {"kind": "secret", "namespace": NAMESPACE}
        for stem, command, more in [
                ("get", "kube.getResource", {"name": f"s{n}"}),
                ("table", "kube.listResources", {"limit": 1000}),
                ("list", "kube.listResources", {"view": "manifests", "limit": 1000})]:
            answer = spool.call(f"{stem}-{how}-{n}", command, {**params, **more})
            assert answer["status"] == "success"
        for value in values.values():
            assert not leaks(value, *everything_written(spool, worker))

    for_many_secrets(check, 10, keys_max=4)


def writes(n, values):
    """Every command that sends or shows a Secret in another way than reading it: good requests and
    such that a server refuses with words of its own, which quote the live object."""
    sent = {"stringData": {key: value[::-1] for key, value in values.items()}}
    wrong = [{"immutable": "no"}, {"data": {"x": 7}}, {"data": "none"}, {"metadata": {"labels": 5}},
             {"stringData": {key: [value] for key, value in values.items()}}]
    operation = {"op": "add", "path": "/immutable", "value": "no"}
    for i, patch in enumerate([sent, *wrong]):
        for command in ("diffResource", "patchResource"):
            yield f"{command}-merge-{i}", command, {"strategy": "merge", "patch": patch}
            yield f"{command}-apply-{i}", command, {"values": patch, "force": True}
        yield f"create-{i}", "createResource", {"values": patch}
        yield f"new-{i}", "createResource", {"values": patch, "name": f"new{n}"}
    for command in ("diffResource", "patchResource"):
        yield f"{command}-json", command, {"strategy": "json", "patch": [operation]}
    yield "delete", "diffResource", {"strategy": "delete"}
    yield "impact", "analyzeImpact", {}
    yield "events", "events", {}


def test_values_of_secrets_stay_in_the_cluster_when_they_are_written(spool, kube_worker, cluster):
    worker = kube_worker()
    seen = set()

    def check(n, values):
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "Secret", "stringData": values,
             "metadata": {"name": f"s{n}", "namespace": NAMESPACE}}))
        for stem, command, more in writes(n, values):
            params = {"kind": "secret", "namespace": NAMESPACE, "name": f"s{n}", **more}
            if command in ("patchResource", "createResource"):
                params["dryRun"] = True
            answer = spool.call(f"{stem}-{n}", f"kube.{command}", params)
            seen.add(answer.get("error_code", answer["status"]))
        for value in [*values.values(), *(value[::-1] for value in values.values())]:
            assert not leaks(value, *everything_written(spool, worker))

    for_many_secrets(check, 5, keys_max=3)
    assert seen == {"success", "invalid_argument", "already_exists"}


def test_an_error_does_not_pass_on_what_it_quotes_of_a_live_object(spool, kube_worker, cluster):
    value = "canary-0123456789-env"
    cluster.create({"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "p", "namespace": NAMESPACE}, "spec": {
                        "automountServiceAccountToken": False, "containers": [{
                            "name": "c", "image": "registry.invalid/a:1",
                            "env": [{"name": "DB_PASSWORD", "value": value}]}]}})
    worker = kube_worker()
    for i, patch in enumerate([{"spec": {"priority": "x"}}, {"spec": {"hostname": "x"}}]):
        answer = spool.call(f"p{i}", "kube.diffResource", {
            "kind": "pod", "name": "p", "namespace": NAMESPACE, "strategy": "merge",
            "patch": patch})
        assert answer["error_code"] == "invalid_argument", answer
    assert "error found in #10 byte" in spool.response("p0")["error_message"]
    assert not leaks(value, *everything_written(spool, worker))


def bodies(value):
    """Answers of a server in which a secret value stands where nobody looks for it."""
    encoded = base64.b64encode(value.encode()).decode()
    secret = {"metadata": {"name": "s"}, "data": {"k": encoded}}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(secret)}
    return [
        {**secret, "kind": "Secret"}, secret, {"kind": "SecretList", "items": [secret]},
        {"kind": "List", "items": [{**secret, "kind": "Secret"}]},
        {"kind": "Secret", "metadata": {"name": "s", "annotations": applied}, "data": {}},
        {"kind": "Secret", "stringData": {"k": value}, "data": {"k": encoded},
         "message": f"cannot use {value}"},
        {"kind": "Table", "columnDefinitions": [{"name": "Name"}],
         "rows": [{"cells": ["s"], "object": secret}]},
    ]


def test_no_shape_of_an_answer_lets_a_value_through(spool, kube_stub_worker):
    path = "/api/v1/namespaces/default/secrets"
    secrets = {"name": "secrets", "namespaced": True, "kind": "Secret", "verbs": ["get", "list"]}
    stub = kube_stub_worker({"/api/v1": {"kind": "APIResourceList", "groupVersion": "v1",
                                         "resources": [secrets]}})
    value = "canary value/with+signs 0123456789"
    found = {}
    for i, body in enumerate(bodies(value)):
        # Whoever warns of a value has it from the object, or from what it was before.
        warning = [f'Warning: 299 - "the value {value} is weak"']
        stub.paths[path + "/s"] = stub.paths[path] = http(200, body, headers=warning)
        for view in ("get", "table", "manifests"):
            params = {"kind": "secret", **({"name": "s"} if view == "get" else {"view": view})}
            command = "kube.getResource" if view == "get" else "kube.listResources"
            found[i, view] = spool.call(f"{view}-{i}", command, params)
    for (i, view), answer in found.items():
        assert not leaks(value, json.dumps(answer, ensure_ascii=False)), (i, view, answer)


def test_an_error_that_quotes_the_token_of_its_request_does_not_pass_it_on(
        spool, kube_worker):
    token = "nobody-token-0123456789"
    worker = kube_worker(u={"token": token})
    answer = spool.call("e", "kube.getResource", {"kind": "cm", "name": token})
    # The name of the request is quoted by the server, and is the token by accident.
    assert answer["error_code"] == "permission_denied"
    assert token not in answer["error_message"] + worker.output()


FILES = {
    "app.yaml": "credentials:\n- user: app\n  key: {0}\nlevel: info\n",
    "wp-config.php": "<?php\ndefine('DB_PASSWORD', '{0}');\n",
    "settings.xml": "<server><username>ci</username><password>{0}</password></server>",
    "backup.sh": "mysqldump -u root -p{0} shop > all.sql\n",
    "hooks.txt": "https://hooks.slack.com/services/T024BE7LD/B0LNKB2KC/{0}",
}


def test_credentials_in_files_are_hidden_and_the_answer_says_why(spool, kube_worker, cluster):
    value = "canary8Kx2Lm4Qz9"
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": "files", "namespace": NAMESPACE},
                    "data": {**{key: text.format(value) for key, text in FILES.items()},
                             "harmless": "db.password=${DB_PASSWORD}"}})
    worker = kube_worker()
    params = {"kind": "cm", "namespace": NAMESPACE}
    one = spool.call("file-one", "kube.getResource", {**params, "name": "files"})["data"]
    many = spool.call("file-many", "kube.listResources", {**params, "view": "manifests"})["data"]
    assert not leaks(value, *everything_written(spool, worker))
    assert {entry["path"] for entry in one["masked"]} == {f"/data/{key}" for key in FILES}
    assert all(entry["why"] for entry in one["masked"])
    assert any(entry["path"].endswith("/data/app.yaml") for entry in many["masked"])
    assert one["sanitizedManifest"]["data"]["harmless"] == "db.password=${DB_PASSWORD}"
