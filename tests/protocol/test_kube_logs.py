# SPDX-License-Identifier: MIT
"""kube.logs. No kubelet runs here: the answers are recorded ones, the errors the real server's."""

from kube_stub import http

LOG = "".join(f"line {n}\n" for n in range(200)) + "\x1b[31mred\x1b[0m password=hunter2-hunter2\n"


def test_the_last_lines_come_as_readable_text(spool, kube_stub_worker):
    stub = kube_stub_worker({"/api/v1/namespaces/shop/pods/web/log": http(200, LOG, "text/plain")})
    data = spool.call("log", "kube.logs", {"name": "web", "namespace": "shop", "container": "c",
                                           "previous": True, "sinceSeconds": 60})["data"]
    assert data["text"].startswith("line 0\n") and data["text"].endswith("\n")
    assert "\x1b" not in data["text"] and "red password=" in data["text"]
    assert data["lines"] == 201 and data["complete"] and data["untrusted"]
    path = next(path for _, path, *_ in stub.requests if "/log" in path)
    assert path.partition("?")[2].split("&") == ["container=c", "previous=true", "tailLines=100",
                                                 "sinceSeconds=60"]


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
