# SPDX-License-Identifier: MIT
"""kube.logs. No kubelet runs here: the answers are recorded ones, the errors the real server's."""

from kube_stub import http

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
