# SPDX-License-Identifier: MIT
"""kube.wait: against a real API server, and against one that forgets and breaks off."""

import json
import threading

import pytest

import kube_controllers
from kube_stub import http

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "waits"},
       "spec": kube_controllers.pod_template()["spec"]}


@pytest.fixture(scope="module")
def controllers(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "waits"}}, POD)
    return kube_controllers.Controllers(cluster, "waits")


def params(wanted, **members):
    return {"namespace": "waits", "kind": "pod", "for": wanted, "timeoutS": 60,
            **({} if "labelSelector" in members else {"name": "web"}), **members}


def ready(controllers, value):
    controllers.status("pods", "web", group="api/v1", phase="Running", conditions=[
        {"type": "Ready", "status": value, "reason": "Played", "message": "by the test"}])


def test_a_condition_is_waited_for(spool, kube_worker, controllers):
    kube_worker()
    ready(controllers, "False")
    late = spool.call("late", "kube.wait", params("condition=Ready", timeoutS=1))
    assert (late["error_code"], late["retryable"]) == ("deadline_exceeded", False)
    assert late["error_details"]["objects"] == [
        {"name": "web", "met": False, "seen": "Ready is False (Played): by the test"}]
    assert "Ready is False (Played)" in late["error_message"]
    assert late["error_details"]["waitedMs"] >= 1000
    spool.drop("soon", "kube.wait", params("condition=Ready"))
    spool.drop("value", "kube.wait", params("jsonpath={.status.conditions[0].status}=True"))
    ready(controllers, "True")
    for stem in ("soon", "value"):
        data = spool.wait_response(stem)["data"]
        assert (data["met"], data["total"]) == (1, 1), data
    once = spool.call("once", "kube.wait", params("condition=Ready", timeoutS=0))
    assert once["status"] == "success"


def test_a_creation_and_an_end_are_waited_for(spool, kube_worker, controllers, cluster):
    kube_worker()
    late = dict(POD, metadata={"name": "late", "namespace": "waits", "labels": {"app": "late"},
                               "finalizers": ["example.com/hold"]})
    none = spool.call("none", "kube.wait", params("condition=Ready", name="late"))
    assert none["error_code"] == "not_found" and "create waits" in none["error_message"]
    assert spool.call("nobody", "kube.wait", params(
        "condition=Ready", labelSelector="app=late"))["error_code"] == "not_found"
    spool.drop("comes", "kube.wait", params("create", name="late"))
    cluster.create(late)
    assert spool.wait_response("comes")["data"]["met"] == 1
    held = spool.call("held", "kube.wait", params("delete", labelSelector="app=late", timeoutS=0))
    assert "nobody has deleted it; finalizers hold it" in held["error_message"]
    spool.drop("goes", "kube.wait", params("delete", labelSelector="app=late"))
    cluster.kubectl("delete", "po", "late", "-n", "waits", "--wait=false", "--grace-period=0",
                    "--force")
    cluster.kubectl("patch", "po", "late", "-n", "waits", "--type=merge", "-p",
                    '{"metadata":{"finalizers":null}}')
    assert spool.wait_response("goes")["data"]["objects"][0]["seen"] == "it is not there"
    gone = spool.call("gone", "kube.wait", params("delete", name="late"))["data"]
    assert gone["total"] == 0 and "namespaceExists" not in gone
    mistyped = spool.call("mistyped", "kube.wait", {**params("delete", name="late"),
                                                    "namespace": "wait"})["data"]
    assert mistyped["namespaceExists"] is False and "waits" in mistyped["hint"], mistyped


def test_a_hidden_value_is_not_waited_for(spool, kube_worker, controllers, cluster):
    kube_worker()
    cluster.create({"apiVersion": "v1", "kind": "Secret", "data": {"a": "Y2FuYXJ5LTE3"},
                    "metadata": {"name": "key", "namespace": "waits"}})
    said = spool.call("key", "kube.wait", params(
        "jsonpath={.data.a}=Y2FuYXJ5LTE3", kind="secret", name="key"))
    assert said["error_code"] == "failed_precondition"
    assert "hidden as a secret" in said["error_message"]
    assert "Y2FuYXJ5LTE3" not in json.dumps(said["error_details"]["objects"])


def pod(version, phase):
    return {"apiVersion": "v1", "kind": "Pod", "status": {"phase": phase},
            "metadata": {"name": "web", "uid": "u", "resourceVersion": str(version)}}


class Watched:
    """Lists and watches of pods, as a script says: each entry answers one request."""

    def __init__(self, *script):
        self.script, self.stub = list(script), None

    def __call__(self, connection):
        answer = self.script.pop(0) if self.script else self.events()
        connection.sendall(answer)
        connection.close()

    def asked(self):
        return [path.partition("?")[2] for _, path, _, _ in self.stub.requests if "/pods" in path]

    @staticmethod
    def items(version, *pods):
        return http(200, {"kind": "PodList", "apiVersion": "v1", "items": list(pods),
                          "metadata": {"resourceVersion": str(version)}}, headers=[
                              "Connection: close"])

    @staticmethod
    def events(*events):
        lines = "".join(json.dumps(dict(zip(("type", "object"), event))) + "\n"
                        for event in events)
        return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
                + lines).encode()


GONE = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired",
        "message": "too old resource version"}


@pytest.mark.core
def test_a_watch_goes_on_where_it_was_and_lists_again_where_it_must(spool, kube_stub_worker):
    watched = Watched(
        Watched.items(5, pod(3, "Pending")),
        Watched.events(("MODIFIED", pod(7, "Pending")),
                       ("BOOKMARK", {"metadata": {"resourceVersion": "9"}})),
        Watched.events(("ERROR", GONE)),
        Watched.items(20, pod(12, "Pending")),
        http(410, GONE, headers=["Connection: close"]),
        Watched.items(30, pod(12, "Pending")),
        Watched.events(("MODIFIED", pod(31, "Running"))))
    watched.stub = kube_stub_worker({"/api/v1/namespaces/waits/pods": watched})
    data = spool.call("wait", "kube.wait", params("jsonpath={.status.phase}=Running"))["data"]
    assert data["objects"] == [{"name": "web", "met": True, "seen": "it is Running"}]
    versions = [dict(part.split("=") for part in query.split("&")).get("resourceVersion")
                for query in watched.asked()]
    assert versions == [None, "5", "9", None, "20", None, "30"]


def test_a_server_that_ends_every_watch_is_not_asked_for_ever(spool, kube_stub_worker):
    watched = Watched(Watched.items(5, pod(3, "Pending")))
    watched.stub = kube_stub_worker({"/api/v1/namespaces/waits/pods": watched})
    said = spool.call("wait", "kube.wait", params("condition=Ready"))
    assert said["error_code"] == "unavailable"
    assert said["error_details"]["objects"][0]["seen"] == "it has no condition Ready"
    assert len(watched.asked()) < 8


@pytest.mark.core
def test_what_a_server_sends_of_other_objects_or_none_says_nothing(spool, kube_stub_worker):
    other = pod(7, "Running")
    other["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    other["metadata"] = {**other["metadata"], "name": "other"}
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>\n<p>Log in</p>\n"
    watched = Watched(Watched.items(5, other, pod(3, "Pending")),
                      Watched.events(("MODIFIED", other)), page)
    watched.stub = kube_stub_worker({"/api/v1/namespaces/waits/pods": watched})
    said = spool.call("wait", "kube.wait", params("condition=Ready"))
    assert (said["error_code"], said["retryable"]) == ("unavailable", False), said
    assert "page of a proxy" in said["error_message"]
    assert [row["name"] for row in said["error_details"]["objects"]] == ["web"]


@pytest.mark.core
def test_a_server_that_does_not_answer_is_waited_for_no_longer_than_said(spool, kube_stub_worker):
    ended = threading.Event()
    silent = {"/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
        {"name": "apps", "versions": [{"groupVersion": "apps/v1", "version": "v1"}],
         "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"}}]},
              "/apis/apps/v1": {"kind": "APIResourceList", "groupVersion": "apps/v1", "resources": [
                  {"name": "deployments", "namespaced": True, "kind": "Deployment",
                   "verbs": ["get", "list", "watch"]}]}}
    for place in ("/api/v1/namespaces/waits/pods", "/apis/apps/v1/namespaces/waits/deployments"):
        silent[place] = lambda connection: ended.wait(60)
    kube_stub_worker(silent)
    spool.drop("wait", "kube.wait", params("condition=Ready", timeoutS=1))
    spool.drop("rollout", "kube.rolloutStatus", {"namespace": "waits", "kind": "deployments",
                                                 "name": "web", "timeoutS": 1})
    for stem, word in (("wait", "seen last: nothing"), ("rollout", "nothing was seen")):
        said = spool.wait_response(stem)
        assert (said["error_code"], said["retryable"]) == ("deadline_exceeded", False), said
        assert word in said["error_message"]
    ended.set()


@pytest.mark.core
def test_a_flood_of_events_ends_and_keeps_nobody_else_waiting(spool, kube_stub_worker):
    kind, ended = ["BOOKMARK"], threading.Event()

    def flood(connection):
        lines = Watched.events(*[(kind[0], pod(9, "Pending"))] * 500)
        try:
            connection.sendall(lines)
            while not ended.is_set():
                connection.sendall(lines.partition(b"\r\n\r\n")[2])
        except OSError:
            pass

    class Flood(Watched):
        def __call__(self, connection):
            if self.script:
                connection.sendall(self.script.pop(0))
                connection.close()
            else:
                flood(connection)

    watched = Flood(Watched.items(5, pod(3, "Pending")))
    watched.stub = kube_stub_worker({"/api/v1/namespaces/waits/pods": watched})
    said = spool.call("bookmarks", "kube.wait", params("condition=Ready"))
    assert (said["error_code"], said["retryable"]) == ("unavailable", False), said
    assert "more events" in said["error_message"]
    kind[0] = "MODIFIED"
    watched.script = [Watched.items(5, pod(3, "Pending"))]
    spool.drop("changes", "kube.wait", params("condition=Ready", timeoutS=2))
    assert spool.call("echo", "system.echo", {"a": 1})["status"] == "success"
    changes = spool.wait_response("changes")
    # A fast worker reads as many as it takes before the time is over.
    assert (changes["error_code"] == "deadline_exceeded" or
            "more events" in changes["error_message"]), changes
    ended.set()
