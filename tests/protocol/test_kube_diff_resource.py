# SPDX-License-Identifier: MIT
"""kube.diffResource against a real API server, and the writes that follow it."""

import json

import pytest
import yaml

from kube_controllers import workload

WRITABLE = {"writable": [{"context": "admin", "namespaces": ["views"]}]}


@pytest.fixture(scope="module", autouse=True)
def namespace(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "views"}})


def config(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": name, "namespace": "views"}}


def call(spool, command, stem, **params):
    return spool.call(stem, f"kube.{command}", {"namespace": "views", **params})


def data_of(cluster, name):
    return cluster.get("cm", name, "-n", "views")["data"]


def test_a_diff_shows_what_the_server_would_do_and_does_nothing(spool, kube_worker, cluster):
    kube_worker()
    cluster.create({"apiVersion": "v1", "kind": "Service",
                    "metadata": {"name": "web", "namespace": "views"},
                    "spec": {"selector": {"app": "web"},
                             "ports": [{"port": 80, "protocol": "TCP"}]}})
    answer = call(spool, "diffResource", "diff", kind="svc", name="web", strategy="merge",
                  patch={"spec": {"ports": [{"port": 81}]}})
    assert answer["status"] == "success", answer
    data = answer["data"]
    # The server's defaults are part of what it says.
    assert data["proposed"]["spec"]["ports"] == [{"port": 81, "protocol": "TCP", "targetPort": 81}]
    assert {change["op"] for change in data["changes"]} == {"add", "remove"}
    assert data["previous"]["spec"]["ports"][0]["port"] == 80
    assert cluster.get("svc", "web", "-n", "views")["spec"]["ports"][0]["port"] == 80


@pytest.mark.parametrize("command, params", [
    ("patchResource", {"values": {"data": {"a": "2"}}, "force": True}),
    ("patchResource", {"strategy": "merge", "patch": {"data": {"a": "2"}}}),
    ("patchResource", {"strategy": "json",
                       "patch": [{"op": "replace", "path": "/data/a", "value": "2"}]}),
])
def test_what_was_shown_is_what_is_done(spool, kube_worker, cluster, command, params):
    kube_worker(kube=WRITABLE)
    cluster.create(config("bound", a="1"))
    name = {"kind": "cm", "name": "bound"}
    shown = call(spool, "diffResource", "shown", **name, **params)["data"]
    binding = {"precondition": shown["precondition"], "expectedDigest": shown["digest"]}
    done = call(spool, command, "done", **name, **params, **binding)
    assert done["status"] == "success", done
    assert data_of(cluster, "bound")["a"] == "2"
    # The object is another now: the same approval cannot be used twice.
    again = call(spool, command, "again", **name, **params, **binding)
    assert again["status"] == "error" and again["retryable"] is False


@pytest.mark.parametrize("other", [
    {"values": {"data": {"a": "3"}}}, {"force": True}, {"name": "elsewhere"},
    {"fieldManager": "someone"}, {"precondition": {"uid": "u", "resourceVersion": "1"}},
])
def test_another_write_than_the_one_shown_is_refused(spool, kube_worker, cluster, other):
    kube_worker(kube=WRITABLE)
    cluster.create(config("fixed", a="1"), config("elsewhere", a="1"))
    params = {"kind": "cm", "name": "fixed", "values": {"data": {"b": "2"}}}
    shown = call(spool, "diffResource", "shown", **params)["data"]
    changed = {**params, "precondition": shown["precondition"],
               "expectedDigest": shown["digest"], **other}
    refused = call(spool, "patchResource", "refused", **changed)
    assert refused["error_code"] == "failed_precondition", refused
    assert data_of(cluster, "fixed") == {"a": "1"}


@pytest.mark.parametrize("kept", [True, False])
def test_a_preview_outlives_its_worker_with_its_key(spool, kube_worker, cluster, folder, kept):
    worker = kube_worker(kube=WRITABLE)
    cluster.create(config("outlived", a="1"))
    params = {"kind": "cm", "name": "outlived", "strategy": "merge", "patch": {"data": {"a": "2"}}}
    shown = call(spool, "diffResource", "shown", **params)["data"]
    worker.kill()
    worker.wait()
    key = folder / "filecall" / "kube" / "preview.key"
    assert key.stat().st_mode & 0o777 == 0o600 and key.stat().st_size == 32
    if not kept:
        key.unlink()
    kube_worker(kube=WRITABLE)
    done = call(spool, "patchResource", "done", precondition=shown["precondition"],
                expectedDigest=shown["digest"], **params)
    assert done.get("error_code", done["status"]) == (
        "success" if kept else "failed_precondition"), done
    assert data_of(cluster, "outlived") == {"a": "2" if kept else "1"}


def test_a_new_object_is_shown_and_created_once(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    params = {"kind": "cm", "name": "fresh", "values": {"data": {"a": "1"}}}
    shown = call(spool, "diffResource", "shown", strategy="create", **params)["data"]
    assert shown["previous"] is None
    assert shown["changes"][0]["op"] == "add"
    done = call(spool, "createResource", "done", expectedDigest=shown["digest"], **params)
    assert done["status"] == "success", done


def used(answer):
    return answer.get("error_code"), "used this preview up" in answer.get("error_message", "")


def test_a_preview_is_used_up_by_its_write(spool, kube_worker, cluster):
    """Also where the object comes to stand as it stood: a patch that changes nothing keeps its
    resourceVersion, and an object that is created may be deleted again."""
    kube_worker(kube=WRITABLE)
    cluster.create(config("once", a="1"))
    params = {"kind": "cm", "name": "once", "strategy": "merge", "patch": {"data": {"a": "1"}}}
    shown = call(spool, "diffResource", "same", **params)["data"]
    binding = {"precondition": shown["precondition"], "expectedDigest": shown["digest"]}
    assert call(spool, "patchResource", "one", **params, **binding, dryRun=True)["status"] == \
        "success", "a dry run uses nothing up"
    assert call(spool, "patchResource", "two", **params, **binding)["status"] == "success"
    assert used(call(spool, "patchResource", "three", **params, **binding)) == (
        "failed_precondition", True)
    params = {"kind": "cm", "name": "comes-back", "values": {"data": {"a": "1"}}}
    shown = call(spool, "diffResource", "new", strategy="create", **params)["data"]
    assert shown["digestValidS"] == 900
    made = {**params, "expectedDigest": shown["digest"]}
    assert call(spool, "createResource", "four", **made)["status"] == "success"
    cluster.kubectl("delete", "cm", "comes-back", "-n", "views")
    assert used(call(spool, "createResource", "five", **made)) == ("failed_precondition", True)


def test_a_refused_write_does_not_use_its_preview_up(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    params = {"kind": "cm", "name": "in-the-way", "values": {"data": {"a": "1"}}}
    shown = call(spool, "diffResource", "shown", strategy="create", **params)["data"]
    cluster.create(config("in-the-way", a="0"))
    made = {**params, "expectedDigest": shown["digest"]}
    assert call(spool, "createResource", "a", **made)["error_code"] == "already_exists"
    cluster.kubectl("delete", "cm", "in-the-way", "-n", "views")
    assert call(spool, "createResource", "b", **made)["status"] == "success"


def test_a_preview_is_of_one_object_and_of_whether_it_is_there(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    absent = {"kind": "cm", "name": "absent", "requireExists": False,
              "values": {"data": {"a": "1"}}}
    shown = call(spool, "diffResource", "absent", **absent)["data"]
    assert shown["previous"] is None
    cluster.create(config("absent", b="2"))
    refused = call(spool, "patchResource", "is-there", **absent, expectedDigest=shown["digest"])
    assert refused["error_code"] == "failed_precondition"
    assert "is there now" in refused["error_message"]
    assert data_of(cluster, "absent") == {"b": "2"}
    # Deleted and made again since it was looked at.
    for command, more in (("deleteResource", {"strategy": "delete"}),
                          ("patchResource", {"strategy": "merge", "patch": {"data": {"a": "2"}}})):
        cluster.kubectl("delete", "cm", "again", "-n", "views", "--ignore-not-found")
        cluster.create(config("again", a="1"))
        shown = call(spool, "diffResource", "first-" + command, kind="cm", name="again",
                     **more)["data"]
        cluster.kubectl("delete", "cm", "again", "-n", "views")
        cluster.create(config("again", a="1"))
        params = {**more, "precondition": shown["precondition"],
                  "expectedDigest": shown["digest"]}
        if command == "deleteResource":
            params.pop("strategy")
        refused = call(spool, command, "again-" + command, kind="cm", name="again", **params)
        assert refused["status"] == "error" and refused["retryable"] is False, refused
        assert data_of(cluster, "again") == {"a": "1"}


def test_a_preview_expires(spool, kube_worker, cluster):
    kube_worker(kube={**WRITABLE, "preview_validity": "1s"})
    cluster.create(config("late", a="1"))
    params = {"kind": "cm", "name": "late", "strategy": "merge", "patch": {"data": {"a": "2"}}}
    shown = call(spool, "diffResource", "shown", **params)["data"]
    # Dry runs of it until it is too late.
    answers = (call(spool, "patchResource", f"late-{i}", **params, dryRun=True,
                    precondition=shown["precondition"], expectedDigest=shown["digest"])
               for i in range(2000))
    refused = next(answer for answer in answers if answer["status"] == "error")
    assert refused["error_code"] == "failed_precondition"
    assert "kube.preview_validity" in refused["error_message"]


def test_a_deletion_is_shown_and_done(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    cluster.create(config("leaves", a="1"))
    name = {"kind": "cm", "name": "leaves"}
    shown = call(spool, "diffResource", "shown", strategy="delete", **name)["data"]
    assert shown["proposed"] is None
    done = call(spool, "deleteResource", "done", precondition=shown["precondition"],
                expectedDigest=shown["digest"], **name)
    assert done["data"]["action"] == "deleted"


def test_a_partial_apply_is_warned_of_before_it_happens(spool, kube_worker, cluster):
    kube_worker(kube=WRITABLE)
    call(spool, "patchResource", "whole", kind="cm", name="partial", requireExists=False,
         values={"data": {"kept": "1", "lost": "2"}})
    shown = call(spool, "diffResource", "shown", kind="cm", name="partial",
                 values={"data": {"kept": "1"}})["data"]
    assert any("/data/lost" in text for text in shown["warnings"])


def test_a_diff_of_a_secret_shows_that_it_changes_and_not_what(spool, kube_worker, cluster):
    worker = kube_worker()
    cluster.create({"apiVersion": "v1", "kind": "Secret", "stringData": {
        "changed": "canary-before-0123456789", "same": "canary-same-0123456789"},
        "metadata": {"name": "keys", "namespace": "views"}})
    answer = call(spool, "diffResource", "diff", kind="secret", name="keys", strategy="merge",
                  patch={"stringData": {"changed": "canary-after-0123456789"}})
    paths = [change["path"] for change in answer["data"]["changes"]]
    assert paths and all(path.startswith("/data/changed/") for path in paths)
    assert "canary" not in json.dumps(answer) + worker.output()


def test_a_change_far_down_in_a_long_text_is_shown(spool, kube_worker, cluster):
    kube_worker()
    lines = [f"line {i}: {'x' * 20}" for i in range(1000)]
    cluster.create(config("long", conf="\n".join(lines)))
    lines[480] = "timeout: 5"
    data = call(spool, "diffResource", "long", kind="cm", name="long", strategy="merge",
                patch={"data": {"conf": "\n".join(lines)}})["data"]
    assert data["changed"] and len(data["changes"]) == 1
    change = data["changes"][0]
    assert "+timeout: 5\n" in change["diff"] and change["lines"] == {"added": 1, "removed": 1}


def test_binary_data_of_the_same_size_is_a_change(spool, kube_worker, cluster):
    kube_worker()
    cluster.create({**config("binary"), "binaryData": {"b": "AAECAw=="}})
    same, other = (call(spool, "diffResource", value, kind="cm", name="binary", strategy="merge",
                        patch={"binaryData": {"b": value}})["data"]
                   for value in ("AAECAw==", "AAECBA=="))
    assert not same["changed"] and not same["changes"]
    assert other["changed"] and other["changes"][0]["path"] == "/binaryData/b"
    assert "AAECB" not in str(other)


def test_what_no_answer_shows_is_a_change_all_the_same(spool, kube_worker, cluster):
    kube_worker()
    copy = "kubectl.kubernetes.io/last-applied-configuration"
    copied = config("copied", a="1")
    copied["metadata"]["annotations"] = {"kept": "yes", copy: "{}"}
    cluster.create(copied)
    data = call(spool, "diffResource", "copied", kind="cm", name="copied", strategy="merge",
                patch={"metadata": {"annotations": {copy: "{ }"}}})["data"]
    assert data["changed"] and not data["changes"]
    assert any("not shown" in text for text in data["warnings"])


def shown_by_kubectl(cluster, folder, *objects):
    """[(live, merged)] of `kubectl diff --server-side`, and whether it says that they differ."""
    program = folder / "show"
    program.write_text('#!/bin/sh\nfor f in "$2"/*; do echo ---; cat "$1/${f##*/}" 2>/dev/null;'
                       'echo ---; cat "$f"; done\ndiff -r "$1" "$2" >/dev/null\n')
    program.chmod(0o755)
    text = cluster.kubectl("diff", "--server-side", "--field-manager=filecall", "-f", "-",
                           stdin=json.dumps({"apiVersion": "v1", "kind": "List",
                                             "items": objects}),
                           check=False, env={"KUBECTL_EXTERNAL_DIFF": str(program)})
    documents = list(yaml.load_all(text.split("---", 1)[1], Loader=yaml.BaseLoader))
    return {merged["metadata"]["name"]: (bare(live), bare(merged))
            for live, merged in zip(documents[::2], documents[1::2])}


def bare(thing):
    """As texts, without what only the server keeps, and without what is empty."""
    if not thing:
        return None
    thing = yaml.load(json.dumps(thing), Loader=yaml.BaseLoader)
    thing["metadata"] = {key: value for key, value in thing["metadata"].items() if key in (
        "name", "namespace", "labels", "annotations", "ownerReferences", "finalizers")}

    def filled(value):
        if isinstance(value, dict):
            kept = {key: filled(item) for key, item in value.items()}
            return {key: item for key, item in kept.items() if item not in ({}, [], "null", "")}
        return [filled(item) for item in value] if isinstance(value, list) else value

    return filled(thing)


def test_a_diff_is_that_of_kubectl(spool, kube_worker, cluster, folder):
    kube_worker()
    before = workload("Deployment", "differs", "views", replicas=2)
    after = json.loads(json.dumps(before))
    after["spec"]["replicas"] = 3
    pods = after["spec"]["template"]["spec"]
    pods["containers"] = [{"name": "side", "image": "registry.invalid/side:1"},
                          {**pods["containers"][0], "image": "registry.invalid/web:2"}]
    after["metadata"]["labels"] = {"new": "label"}
    service = {"apiVersion": "v1", "kind": "Service",
               "metadata": {"name": "differs-front", "namespace": "views"},
               "spec": {"ports": [{"port": 80, "protocol": "TCP", "name": "a"}]}}
    moved = json.loads(json.dumps(service))
    moved["spec"]["ports"] = [{"port": 81, "protocol": "TCP", "name": "b"},
                              {"port": 82, "protocol": "UDP", "name": "c"}]
    same, less = config("differs-not", a="1"), config("differs-less", a="1", b="2")
    for thing in (before, service, same, less):
        cluster.kubectl("apply", "--server-side", "--field-manager=filecall", "-f", "-",
                        stdin=json.dumps(thing))
    changed = [after, moved, same, config("differs-less", a="1"), config("differs-new", a="1")]
    theirs = shown_by_kubectl(cluster, folder, *changed)
    for thing in changed:
        name = thing["metadata"]["name"]
        said = call(spool, "diffResource", name, kind=thing["kind"], name=name,
                    manifestYaml=json.dumps(thing), requireExists=False)
        assert said["status"] == "success", said
        ours = said["data"]
        live, merged = theirs[name]
        assert (bare(ours["previous"]), bare(ours["proposed"])) == (live, merged), name
        assert ours["changed"] is (live != merged), name
    assert theirs["differs-new"][0] is None and theirs["differs-not"][0]
