# SPDX-License-Identifier: MIT
"""kube.logs. No kubelet runs here: the answers are recorded ones, the errors the real server's."""

from kube_stub import http, status

LOG = "".join(f"line {n}\n" for n in range(200)) + "\x1b[31mred\x1b[0m password=hunter2-hunter2\n"


def test_the_last_lines_come_as_readable_text(spool, kube_stub_worker):
    stub = kube_stub_worker({"/api/v1/namespaces/shop/pods/web/log": http(200, LOG, "text/plain")})
    data = spool.call("log", "kube.logs", {"name": "web", "namespace": "shop", "container": "c",
                                           "previous": True, "sinceSeconds": 60,
                                           "tailLines": 300})["data"]
    assert data["text"].startswith("line 0\n") and data["text"].endswith("\n")
    assert "\x1b" not in data["text"] and "red password=" in data["text"]
    assert data["lines"] == 201 and data["complete"] and data["untrusted"]
    path = next(path for _, path, *_ in stub.requests if "/log" in path)
    assert path.partition("?")[2].split("&") == ["container=c", "previous=true", "tailLines=301",
                                                 "sinceSeconds=60"]


def test_older_lines_that_were_not_asked_for_are_told(spool, kube_stub_worker):
    kube_stub_worker({"/api/v1/namespaces/default/pods/web/log": http(200, LOG, "text/plain")})
    data = spool.call("log", "kube.logs", {"name": "web"})["data"]
    assert data["lines"] == 100 and data["text"].startswith("line 101\n")
    assert not data["complete"] and "larger tailLines" in data["hint"]


def test_colours_hide_no_credential(spool, kube_stub_worker):
    """A terminal shows one word; so does the answer."""
    log = ("\x1b[36mpassword=\x1b[0m\x1b[1mhunter2-hunter2\x1b[0m ok\n"
           "pass\x1b[1mword=second-hunter2\n"
           "key ghp_abcdefghij\x1b[0mklmnopqrstuvwxyz0123456789 used\n")
    kube_stub_worker({"/api/v1/namespaces/default/pods/web/log": http(200, log, "text/plain")})
    text = spool.call("log", "kube.logs", {"name": "web"})["data"]["text"]
    assert "hunter2" not in text and "klmnopqrstuvwxyz" not in text, text
    assert text.count("redacted") >= 3 and "used" in text, text


def test_the_newest_is_kept_when_there_is_too_much(spool, kube_stub_worker):
    kube_stub_worker({"/api/v1/namespaces/default/pods/web/log": http(200, LOG, "text/plain")})
    data = spool.call("log", "kube.logs", {"name": "web", "bytesMax": 100})["data"]
    assert len(data["text"]) <= 100 and "red" in data["text"]
    assert not data["complete"] and data["left_out_bytes"] > 0


def test_the_servers_refusals_are_told(spool, kube_worker, cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "logs"}})
    cluster.create({"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "two", "namespace": "logs"},
                    "spec": {"containers": [{"name": n, "image": "x.invalid/y"} for n in "ab"]}})
    kube_worker()
    answer = spool.call("which", "kube.logs", {"name": "two", "namespace": "logs"})
    assert answer["error_code"] == "invalid_argument"
    assert "a container name must be specified" in answer["error_message"]
    # Nothing runs here, so there is no log yet.
    waits = spool.call("waits", "kube.logs", {"name": "two", "namespace": "logs",
                                              "container": "a"})["data"]
    assert (waits["text"], waits["lines"]) == ("", 0) and "has not started" in waits["hint"]
    absent = spool.call("none", "kube.logs", {"name": "none", "namespace": "logs"})
    assert absent["error_code"] == "not_found"


def pod(name, created, *containers, init=()):
    return {"metadata": {"name": name, "creationTimestamp": created, "namespace": "shop"},
            "spec": {"containers": [{"name": one} for one in containers],
                     "initContainers": [{"name": one} for one in init]}}


PODS = {"kind": "PodList", "metadata": {}, "items": [
    pod("web-1", "2026-01-01T00:00:00Z", "app", "proxy", init=["setup"]),
    pod("web-3", "2026-01-03T00:00:00Z", "app", "proxy"),
    pod("web-2", "2026-01-02T00:00:00Z", "app", "proxy")]}
LOGS = {f"/api/v1/namespaces/shop/pods/web-{n}/log":
        http(200, f"of web-{n}\npassword=hunter2-hunter2\n", "text/plain") for n in (1, 2)}


def test_all_pods_of_a_selector_are_read_and_named(spool, kube_stub_worker):
    stub = kube_stub_worker({
        "/api/v1/namespaces/shop/pods": PODS, **LOGS,
        "/api/v1/namespaces/shop/pods/web-3/log": status(400, "BadRequest", "is waiting to start")})
    asked = {"labelSelector": "app=web", "namespace": "shop"}
    data = spool.call("all", "kube.logs", asked)["data"]
    assert [(log["pod"], log["container"]) for log in data["logs"]] == [
        (f"web-{n}", container) for n in (3, 2, 1) for container in ("app", "proxy")]
    assert "waiting to start" in data["logs"][0]["why"] and not data["complete"]
    assert data["logs"][2]["text"].startswith("of web-2\n") and data["logs"][2]["complete"]
    assert (data["lines"], data["pods"]) == (8, 3) and "hunter2" not in str(data)
    assert any("labelSelector=app%3Dweb" in path for _, path, *_ in stub.requests)

    stub.paths["/api/v1/namespaces/shop/pods/web-3/log"] = http(200, LOG, "text/plain")
    data = spool.call("one", "kube.logs", {**asked, "container": "app", "tailLines": 500})["data"]
    assert data["complete"] and len(data["logs"]) == 3 and data["lines"] == 205
    data = spool.call("init", "kube.logs", {**asked, "container": "setup"})["data"]
    assert [log["pod"] for log in data["logs"]] == ["web-1"] and data["podsLeftOut"] == 2
    assert not data["complete"]
    data = spool.call("few", "kube.logs", {**asked, "maxPods": 1, "maxBytes": 600,
                                          "bytesMax": 100})["data"]
    assert {log["pod"] for log in data["logs"]} == {"web-3"} and data["podsLeftOut"] == 2
    assert all(len(log["text"]) <= 300 and log["left_out_bytes"] for log in data["logs"])
    stub.paths["/api/v1/namespaces/shop/pods"] = {**PODS, "metadata": {"continue": "x"}}
    data = spool.call("more", "kube.logs", {**asked, "container": "app"})["data"]
    assert not data["complete"] and "narrow the selector" in data["hint"]


def test_a_workload_chooses_its_pods(spool, kube_worker, cluster):
    labels = {"app": "logs", "tier": "front"}
    spec = {"containers": [{"name": n, "image": "x.invalid/y"} for n in "ab"]}
    selector = {"matchLabels": {"app": "logs"}, "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["front", "back"]}]}
    meta = {"namespace": "logs-of", "labels": labels}
    cluster.create(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "logs-of"}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {**meta, "name": "web"},
         "spec": {"selector": selector, "template": {"metadata": {"labels": labels},
                                                     "spec": spec}}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {**meta, "name": "web"},
         "spec": {"selector": {"app": "logs"}, "ports": [{"port": 80, "protocol": "TCP"}]}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**meta, "name": "web"}},
        *({"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": {
            **meta, "name": f"web-{n}", "labels": {"app": "logs", "tier": tier}}}
          for n, tier in enumerate(["front", "back", "other"])))
    kube_worker()
    asked = {"name": "web", "namespace": "logs-of"}
    data = spool.call("deploy", "kube.logs", {**asked, "kind": "deploy"})["data"]
    theirs = cluster.kubectl("get", "pods", "-n", "logs-of", "-o", "name", "-l",
                             "app=logs,tier in (front,back)").split()
    assert {f"pod/{log['pod']}" for log in data["logs"]} == set(theirs)
    assert data["selector"] == "app=logs,tier in (front,back)" and len(data["logs"]) == 4
    assert spool.call("service", "kube.logs", {**asked, "kind": "svc"})["data"]["pods"] == 3
    wrong = spool.call("map", "kube.logs", {**asked, "kind": "cm"})
    assert wrong["error_code"] == "invalid_argument" and "labelSelector" in wrong["error_message"]
    both = spool.call("both", "kube.logs", {**asked, "labelSelector": "app=logs"})
    assert both["error_code"] == "invalid_argument"
    none = spool.call("none", "kube.logs", {"labelSelector": "app=none",
                                            "namespace": "logs-off"})["data"]
    assert none["logs"] == [] and "did you mean logs-of?" in none["hint"]
    one = spool.call("pod", "kube.logs", {"kind": "po", "name": "web-0", "container": "a",
                                          "namespace": "logs-of"})["data"]
    assert one["pod"] == "web-0" and one["lines"] == 0
