# SPDX-License-Identifier: MIT
"""kube.patchResource against a real API server: apply, merge, json."""

import json

import pytest

WRITABLE = {"writable": [{"context": "admin", "namespaces": ["edits"], "kinds": ["*", "Secret"]}]}


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "edits"}})


def patch(spool, stem="patch", **params):
    return spool.call(stem, "kube.patchResource", {"namespace": "edits", **params})


def deployment(name, **container):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": "edits"},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [
                         {"name": "c", "image": "registry.invalid/a:1", **container}]}}}}


def config(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": name, "namespace": "edits"}}


def test_an_apply_shows_what_it_changed(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    first = patch(spool, "first", kind="cm", name="c", requireExists=False,
                  values={"data": {"a": "1"}})
    assert first["data"]["action"] == "created"
    second = patch(spool, "second", kind="cm", name="c", values={"data": {"a": "2"}})
    assert second["data"]["action"] == "patched"
    assert second["data"]["changes"] == [
        {"op": "replace", "path": "/data/a", "before": "1", "after": "2"}]
    assert cluster.get("cm", "c", "-n", "edits")["data"] == {"a": "2"}
    same = patch(spool, "same", kind="cm", name="c", values={"data": {"a": "2"}})
    assert same["data"]["changed"] is False


def test_an_apply_to_what_is_not_there_is_refused_unless_it_may_create(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    answer = patch(spool, kind="cm", name="none", values={"data": {}})
    assert answer["error_code"] == "not_found"
    assert "not found" in cluster.kubectl("get", "cm", "none", "-n", "edits", check=False)


def test_a_partial_apply_warns_of_the_fields_that_it_takes_away(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    patch(spool, "whole", kind="cm", name="partial", requireExists=False,
          values={"data": {"kept": "1", "lost": "2"}})
    trial = patch(spool, "trial", kind="cm", name="partial", values={"data": {"kept": "1"}},
                  dryRun=True)
    assert any("/data/lost" in text for text in trial["data"]["warnings"]), trial
    assert cluster.get("cm", "partial", "-n", "edits")["data"] == {"kept": "1", "lost": "2"}
    done = patch(spool, "done", kind="cm", name="partial", values={"data": {"kept": "1"}})
    assert any("/data/lost" in text for text in done["data"]["warnings"])
    assert cluster.get("cm", "partial", "-n", "edits")["data"] == {"kept": "1"}


def test_a_conflict_names_every_manager_and_field(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    cluster.kubectl("apply", "--server-side", "--field-manager=owner", "-f", "-",
                    stdin=json.dumps(config("shared", a="1", b="1")))
    answer = patch(spool, "asks", kind="cm", name="shared", values={"data": {"a": "2", "b": "2"}})
    assert (answer["error_code"], answer["retryable"]) == ("aborted", False)
    conflicts = answer["error_details"]["conflicts"]
    assert {(row["manager"], row["field"]) for row in conflicts} == {("owner", ".data.a"),
                                                                    ("owner", ".data.b")}
    forced = patch(spool, "takes", kind="cm", name="shared", force=True,
                   values={"data": {"a": "2", "b": "2"}})
    assert forced["status"] == "success"
    assert cluster.get("cm", "shared", "-n", "edits")["data"] == {"a": "2", "b": "2"}


@pytest.mark.parametrize("command", ["patchResource", "diffResource"])
def test_a_conflict_with_its_own_create_is_explained(spool, kube_worker, cluster, command):
    kube_worker(kube=WRITABLE)
    name = f"own-{command.lower()}"
    params = {"kind": "cm", "name": name, "namespace": "edits"}
    made = spool.call("made", "kube.createResource", {**params, "values": {"data": {"a": "1"}}})
    assert made["status"] == "success", made
    change = {**params, "values": {"data": {"a": "2"}}}
    answer = spool.call("asks", f"kube.{command}", change)
    assert answer["error_code"] == "aborted", answer
    assert "force takes them over from nobody else" in answer["error_message"]
    assert spool.call("forced", f"kube.{command}", {**change, "force": True})["status"] == "success"


@pytest.mark.parametrize("params, part", [
    ({"values": {"data": {}}, "patch": {}}, "/params/patch"),
    ({"strategy": "merge", "patch": {}, "values": {}}, "/params/values"),
    ({"strategy": "json", "patch": [], "manifestYaml": "a: b"}, "/params/manifestYaml"),
    ({"strategy": "merge", "patch": {}, "force": True}, "/params/force"),
    ({"strategy": "merge", "patch": {}, "requireExists": False}, "/params/requireExists"),
])
def test_what_its_strategy_does_not_use_is_refused(spool, kube_worker, params, part):
    kube_worker()
    answer = patch(spool, kind="cm", name="misfit", dryRun=True, **params)
    assert (answer["error_code"], answer["retryable"]) == ("invalid_argument", False)
    assert part in answer["error_message"]


def test_an_unknown_field_is_the_callers_mistake(spool, kube_worker, cluster):
    """The server answers an apply with HTTP 500 for it."""
    kube_worker(kube=WRITABLE)
    cluster.create(deployment("typo"))
    answer = patch(spool, kind="deploy", name="typo", values={"spec": {"replicass": 3}})
    assert answer["error_details"]["http_status"] == 500
    assert (answer["error_code"], answer["retryable"]) == ("invalid_argument", False)


def test_a_merge_patch_changes_a_part(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    cluster.create(deployment("part"))
    answer = patch(spool, kind="deploy", name="part", strategy="merge",
                   patch={"spec": {"replicas": 5}})
    assert answer["status"] == "success", answer
    found = cluster.get("deploy", "part", "-n", "edits")
    assert found["spec"]["replicas"] == 5
    assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.invalid/a:1"


@pytest.mark.parametrize("other", [{"kind": "Secret"}, {"apiVersion": "apps/v1"}])
def test_a_merge_patch_of_another_kind_is_refused_unsent(spool, kube_worker, cluster, other):
    kube_worker(kube=WRITABLE)
    cluster.create(config("mistaken", a="1"))
    params = {"kind": "cm", "name": "mistaken", "strategy": "merge",
              "patch": {**other, "data": {"a": "Mg=="}}}
    refused = patch(spool, **params)
    assert refused["error_code"] == "invalid_argument", refused
    assert "nothing was written" in refused["error_message"]
    assert "http_status" not in refused.get("error_details", {})
    assert cluster.get("cm", "mistaken", "-n", "edits")["data"] == {"a": "1"}


def test_a_json_patch_does_what_its_operations_say(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    cluster.create(config("ops", a="1", b="2"))
    answer = patch(spool, kind="cm", name="ops", strategy="json", patch=[
        {"op": "remove", "path": "/data/a"}, {"op": "add", "path": "/data/c", "value": "3"}])
    assert answer["status"] == "success", answer
    assert cluster.get("cm", "ops", "-n", "edits")["data"] == {"b": "2", "c": "3"}


@pytest.mark.parametrize("strategy, change", [
    ("merge", {"patch": {"data": {"a": "2"}}}),
    ("json", {"patch": [{"op": "replace", "path": "/data/a", "value": "2"}]}),
    ("apply", {"values": {"data": {"a": "2"}}, "force": True}),
])
def test_a_precondition_that_no_longer_holds_stops_a_write(spool, kube_worker, cluster, strategy,
                                                           change):
    kube_worker(kube=WRITABLE)
    name = f"guarded-{strategy}"
    cluster.create(config(name, a="1"))
    metadata = cluster.get("cm", name, "-n", "edits")["metadata"]
    seen = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    cluster.create(config(name, a="1", other="x"))
    late = patch(spool, "late", kind="cm", name=name, strategy=strategy, precondition=seen,
                 **change)
    assert late["error_code"] == "aborted", late
    assert late["retryable"] is False
    assert cluster.get("cm", name, "-n", "edits")["data"]["a"] == "1"
    metadata = cluster.get("cm", name, "-n", "edits")["metadata"]
    seen = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    fresh = patch(spool, "fresh", kind="cm", name=name, strategy=strategy, precondition=seen,
                  **change)
    assert fresh["status"] == "success", fresh


def test_an_operation_that_does_not_fit_is_the_callers_mistake(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    cluster.create(config("unfit", a="1"))
    metadata = cluster.get("cm", "unfit", "-n", "edits")["metadata"]
    answer = patch(spool, kind="cm", name="unfit", strategy="json",
                   precondition={"resourceVersion": metadata["resourceVersion"]},
                   patch=[{"op": "replace", "path": "/data/b/c", "value": "2"}])
    assert answer["error_code"] == "invalid_argument", answer
    assert "a path that is not there" in answer["error_message"]


def test_half_a_precondition_is_refused_for_an_apply(spool, kube_worker):
    kube_worker(kube=WRITABLE)
    answer = patch(spool, kind="cm", name="c", values={"data": {}},
                   precondition={"resourceVersion": "1"})
    assert answer["error_code"] == "invalid_argument"
    assert "/params/precondition" in answer["error_message"]


def test_a_patch_needs_permission(spool, kube_worker, cluster):
    kube_worker()
    cluster.create(config("locked", a="1"))
    answer = patch(spool, kind="cm", name="locked", strategy="merge", patch={"data": {"a": "2"}})
    assert answer["error_code"] == "permission_denied"
    assert "namespaces: [edits]" in answer["error_message"]
    assert cluster.get("cm", "locked", "-n", "edits")["data"] == {"a": "1"}


@pytest.mark.parametrize("strategy, change", [
    ("merge", {"patch": {"stringData": {"k": "canary-sent-0123456789"}}}),
    ("json", {"patch": [{"op": "add", "path": "/stringData",
                         "value": {"k": "canary-sent-0123456789"}}]}),
    ("apply", {"values": {"stringData": {"k": "canary-sent-0123456789"}}, "force": True}),
])
def test_secret_values_sent_and_stored_stay_hidden(spool, kube_worker, cluster, strategy, change):
    worker = kube_worker(kube=WRITABLE)
    cluster.create({"apiVersion": "v1", "kind": "Secret", "stringData": {"old": "canary-old-01234"},
                    "metadata": {"name": f"keys-{strategy}", "namespace": "edits"}})
    answer = patch(spool, kind="secret", name=f"keys-{strategy}", strategy=strategy, **change)
    assert answer["status"] == "success", answer
    assert "canary" not in json.dumps(answer) + worker.output()
    assert answer["data"]["sanitizedManifest"]["data"]["old"]["redacted"] is True


def test_a_json_patch_takes_nothing_hidden_to_where_it_shows(spool, kube_worker, cluster):
    worker = kube_worker(kube=WRITABLE)
    where = {"namespace": "edits", "name": "taken"}
    cluster.create(
        {"apiVersion": "v1", "kind": "Secret", "metadata": where,
         "stringData": {"p": "canary-taken-0123"}},
        {"apiVersion": "v1", "kind": "ReplicationController", "metadata": where, "spec": {
            "replicas": 0, "selector": {"a": "b"}, "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{
                    "name": "c", "image": "i",
                    "env": [{"name": "DB_PASSWORD", "value": "canary-7"}]}]}}}})
    variable = "/spec/template/spec/containers/0/env/0/value"
    before = {kind: cluster.get(kind, "taken", "-n", "edits") for kind in ("secret", "rc")}
    number = 0
    for kind, operation in (
            ("secret", {"op": "copy", "from": "/data/p", "path": "/metadata/generateName"}),
            ("secret", {"op": "test", "path": "/data/p", "value": "eA=="}),
            ("rc", {"op": "copy", "from": variable, "path": "/metadata/labels"}),
            ("rc", {"op": "move", "from": variable, "path": "/metadata/labels/x"})):
        for command, more in (("kube.diffResource", {}), ("kube.patchResource", {"dryRun": True}),
                              ("kube.patchResource", {})):
            number += 1
            answer = spool.call(f"taken-{number}", command, {
                **where, "kind": kind, "strategy": "json", "patch": [operation], **more})
            # Secrets are not writable here: that is said before.
            assert answer["error_code"] == "permission_denied", answer
            is_refused_before = kind == "secret" and command == "kube.patchResource" and not more
            assert is_refused_before or "/params/patch/0/" in answer["error_message"]
            assert "canary" not in json.dumps(answer) + worker.output()
    assert before == {kind: cluster.get(kind, "taken", "-n", "edits") for kind in before}
    # Under another name it would be no password.
    renamed = {**where, "kind": "rc", "strategy": "json", "patch": [
        {"op": "replace", "path": variable.replace("value", "name"), "value": "GREETING"}]}
    for number, (command, more) in enumerate((
            ("kube.diffResource", {}), ("kube.patchResource", {"dryRun": True}),
            ("kube.patchResource", {}))):
        answer = spool.call(f"renamed-{number}", command, {**renamed, **more})
        assert answer["status"] == "success" and "GREETING" in json.dumps(answer), answer
        assert "canary" not in json.dumps(answer) + worker.output()
    shown = {**where, "kind": "rc", "strategy": "json", "patch": [
        {"op": "test", "path": "/spec/replicas", "value": 0},
        {"op": "copy", "from": "/spec/selector/a", "path": "/metadata/labels/copied"}]}
    answer = spool.call("shown", "kube.patchResource", shown)
    assert answer["status"] == "success", answer
    assert cluster.get("rc", "taken", "-n", "edits")["metadata"]["labels"]["copied"] == "b"


@pytest.mark.parametrize("params", [
    {"strategy": "merge", "patch": {"status": {"replicas": 3}}},
    {"strategy": "json", "patch": [{"op": "add", "path": "/status/replicas", "value": 3}]},
])
def test_a_patch_of_the_status_is_no_success(spool, kube_worker, cluster, params):
    kube_worker(kube=WRITABLE)
    cluster.create({"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget",
                    "metadata": {"name": "own-status", "namespace": "edits"},
                    "spec": {"selector": {"matchLabels": {"a": "b"}}}})
    name = {"kind": "pdb", "name": "own-status", "namespace": "edits"}
    answer = spool.call("status", "kube.patchResource", {**name, **params})
    assert answer["error_code"] == "invalid_argument"
    assert "nothing would change" in answer["error_message"]
    mixed = {"status": {"replicas": 3}, "metadata": {"labels": {"a": "b"}}}
    done = spool.call("mixed", "kube.patchResource", {**name, "strategy": "merge", "patch": mixed})
    assert done["status"] == "success", done
    assert any("through its subresource" in text for text in done["data"]["warnings"])
    cluster.kubectl("delete", "pdb", "own-status", "-n", "edits")
