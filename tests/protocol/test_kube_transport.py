# SPDX-License-Identifier: MIT
"""Servers, proxies and networks that do not do what they should."""

import gzip
import json
import threading

import pytest

from kube_cluster import USERS, environment
from kube_relay import Relay
from kube_stub import OLD_DISCOVERY, Stub, http, status

POD = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "default"}}
PATH = "/api/v1/namespaces/default/pods/web"


def get(spool, stem="get", **members):
    return spool.call(stem, "kube.getResource", {"kind": "po", "name": "web"}, **members)


def test_the_stub_itself_is_good(spool, kube_stub_worker):
    kube_stub_worker({PATH: POD})
    assert get(spool)["data"]["sanitizedManifest"]["metadata"]["name"] == "web"


@pytest.mark.parametrize("answer, code, retryable, part", [
    (http(200, "<html>log in</html>", "text/html"), "unavailable", False, "<html>log in"),
    (http(502, "<html>bad gateway</html>", "text/html"), "unavailable", True, "bad gateway"),
    (http(503, "", "text/plain"), "unavailable", True, "HTTP 503"),
    (http(302, "", "text/plain", ["Location: http://127.0.0.1:1/"]), "unavailable", False, "302"),
    (status(429, "TooManyRequests", "slow down", retryAfterSeconds=7), "resource_exhausted", True,
     "slow down"),
    (http(200, "[" * 5000), "unavailable", False, "not the response"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"kind\"", "unavailable", True, "truncated"),
    (b"SSH-2.0-OpenSSH\r\n\r\n", "unavailable", True, "did not answer"),
])
def test_what_is_no_answer_is_classified(spool, kube_stub_worker, answer, code, retryable, part):
    def say(connection):
        connection.sendall(answer)
        connection.close()
    kube_stub_worker({PATH: say})
    found = get(spool)
    assert (found["error_code"], found["retryable"]) == (code, retryable), found
    assert part in found["error_message"]
    assert found["error_details"]["cluster"]["context"] == "stub"


EXPIRED = http(410, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410,
                     "reason": "Expired", "message": "The provided continue parameter is too old",
                     "metadata": {"continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTF9"}},
               headers=["Connection: close"])


def test_the_token_that_follows_one_that_is_too_old_is_handed_on(spool, kube_stub_worker):
    kube_stub_worker({"/api/v1/namespaces/default/pods": EXPIRED})
    answer = spool.call("list", "kube.listResources", {"kind": "po", "continue": "old"})
    assert (answer["error_code"], answer["retryable"]) == ("out_of_range", False)
    assert answer["error_details"]["continue"] == "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTF9"
    assert "error_details.continue goes on" in answer["error_message"]


def test_an_impact_analysis_reads_on_with_the_token_it_is_given(spool, kube_stub_worker):
    pages, listed = [], "/api/v1/pods"  # A gateway may select pods of any namespace.

    def serve(connection):
        pages.append(stub.requests[-1][1])
        connection.sendall(answers[min(len(pages), len(answers)) - 1])
        connection.close()
    first = {"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "one"}, "items": [POD]}
    last = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": []}
    closing = ["Connection: close"]
    answers = [http(200, first, headers=closing), EXPIRED, http(200, last, headers=closing)]
    stub = kube_stub_worker({PATH: POD, listed: serve})
    data = spool.call("impact", "kube.analyzeImpact", {"kind": "po", "name": "web"})["data"]
    assert data["complete"] is True and data["unread"] == [], data["unread"]
    assert len(pages) == 3 and "continue=eyJ2" in pages[2], pages


def test_a_list_that_is_none_is_not_called_empty(spool, kube_stub_worker):
    """Neither in an impact nor alone; "items" may be null, as Go writes an empty list."""
    def body(more):
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, **more}
    stub = kube_stub_worker({PATH: POD})
    for i, (answer, is_list) in enumerate([(body({}), False), (body({"items": {}}), False),
                                           (body({"items": None}), True),
                                           (status(404, "NotFound", "gone"), False)]):
        for listed in ("/api/v1/pods", "/api/v1/namespaces/default/pods"):
            stub.paths[listed] = answer
        data = spool.call(f"impact-{i}", "kube.analyzeImpact",
                          {"kind": "po", "name": "web"})["data"]
        assert data["complete"] is is_list, (answer, data["unread"])
        assert bool(data["unread"]) is not is_list
        alone = spool.call(f"list-{i}", "kube.listResources", {"kind": "po"})
        assert (alone["status"] == "success") is is_list, alone
    for i, columns in enumerate([{"a": 1}, "text", 7, None]):
        stub.paths["/api/v1/namespaces/default/pods"] = {
            "kind": "Table", "apiVersion": "meta.k8s.io/v1", "columnDefinitions": columns,
            "rows": [{"cells": ["x"], "object": {"metadata": {"name": "web"}}}]}
        rows = spool.call(f"table-{i}", "kube.listResources", {"kind": "po"})["data"]["rows"]
        assert rows == [["web"]]


def test_how_long_to_wait_is_passed_on(spool, kube_stub_worker):
    kube_stub_worker({PATH: status(429, "TooManyRequests", "x", retryAfterSeconds=7)})
    assert get(spool)["retry_after_ms"] == 7000


def test_a_server_that_stalls_is_given_up_in_time(spool, kube_stub_worker):
    held = []
    kube_stub_worker({PATH: held.append})
    answer = get(spool, timeout_ms=300)
    assert answer["error_code"] == "deadline_exceeded"


def test_as_many_requests_are_in_flight_as_allowed_and_no_more(spool, kube_stub_worker):
    lock, all_here, now, peaks = threading.Lock(), threading.Barrier(3), [], []

    def answer(connection):
        with lock:
            now.append(connection)
            peaks.append(len(now))
        all_here.wait(20)
        with lock:
            now.remove(connection)
        connection.sendall(http(200, POD, headers=["Connection: close"]))
        connection.close()
    kube_stub_worker({PATH: answer}, config={"kube": {"max_in_flight": 3}})
    stems = [f"r{i}" for i in range(12)]
    for stem in stems:
        spool.drop(stem, "kube.getResource", {"kind": "po", "name": "web"})
    assert [spool.wait_response(stem)["status"] for stem in stems] == ["success"] * 12
    assert max(peaks) == 3


def test_a_body_that_grows_without_end_is_cut_off(spool, kube_stub_worker):
    def flood(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        try:
            for _ in range(64):
                connection.sendall(chunk)
        except OSError:
            pass
    kube_stub_worker({PATH: flood})
    answer = get(spool)
    assert answer["error_code"] == "resource_exhausted" and answer["retryable"] is False


def test_gzip_is_asked_for_and_understood(spool, kube_stub_worker):
    body = gzip.compress(json.dumps(POD).encode())
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    stub = kube_stub_worker({PATH: head.encode() + body})
    assert get(spool)["status"] == "success"
    assert all("gzip" in headers["accept-encoding"] for *_, headers, _ in stub.requests)


@pytest.fixture
def relayed(spool, kube_worker, cluster):
    """relayed(offered) -> a Relay whose worker reads through it; ends with the test."""
    started = []

    def start(offered):
        relay = Relay(cluster, offered)
        started.append(relay)
        config = cluster.config(u={"token": USERS["reader"]})
        config["clusters"][0]["cluster"]["server"] = relay.url
        kube_worker(config)
        return relay

    yield start
    for relay in started:
        relay.stop()


def read_many(spool, count):
    stems = [f"many{i}" for i in range(count)]
    for stem in stems:
        spool.drop(stem, "kube.canI", {"verb": "get", "kind": "po"})
    return [spool.wait_response(stem)["status"] for stem in stems]


def test_all_requests_share_one_connection_of_http2(spool, relayed):
    relay = relayed(["h2", "http/1.1"])
    assert read_many(spool, 40) == ["success"] * 40
    assert relay.protocols == ["h2"]
    assert relay.sent[0].startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")


def test_a_server_without_http2_is_spoken_to_all_the_same(spool, relayed):
    relay = relayed(["http/1.1"])
    assert read_many(spool, 10) == ["success"] * 10
    assert set(relay.protocols) == {"http/1.1"}
    assert b"Accept-Encoding: gzip\r\n" in relay.sent[0]


def test_no_credentials_are_sent_without_tls(spool, kube_stub_worker):
    stub = kube_stub_worker({PATH: POD})
    assert get(spool)["status"] == "success"
    assert not any("authorization" in headers for *_, headers, _ in stub.requests)


def test_warnings_of_the_server_are_passed_on(spool, kube_stub_worker):
    kube_stub_worker({PATH: http(200, POD, headers=['Warning: 299 - "v1 is old"'])})
    assert get(spool)["data"]["warnings"] == ["v1 is old"]


def test_a_proxy_is_used_when_the_kubeconfig_names_one(spool, start_worker, folder):
    proxy = Stub({PATH: POD})
    config = proxy.config()
    config["clusters"][0]["cluster"] = {"server": "http://cluster.invalid",
                                        "proxy-url": proxy.url}
    path = folder / "k"
    path.write_text(json.dumps(config))
    start_worker(env={**environment(path, folder), "NO_PROXY": "*"})
    answer = get(spool)
    assert answer["status"] == "success", answer
    assert {headers["host"] for _, _, headers, _ in proxy.requests} == {"cluster.invalid"}
    proxy.stop()


# Recorded from a server of version 1.30, cut to two groups.
AGGREGATED = {
    "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {},
    "items": [{"metadata": {"name": "apps", "creationTimestamp": None}, "versions": [
        {"version": "v1", "freshness": "Current", "resources": [
            {"resource": "deployments", "scope": "Namespaced", "singularResource": "deployment",
             "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
             "verbs": ["get", "list"], "shortNames": ["deploy"], "categories": ["all"]}]}]},
        {"metadata": {"name": "metrics.k8s.io"}, "versions": [
            {"version": "v1beta1", "freshness": "Stale"}]}]}


def test_aggregated_discovery_takes_two_questions(spool, kube_stub_worker):
    kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    path = "/apis/apps/v1/namespaces/default/deployments/web"
    stub = kube_stub_worker({
        "/api": http(200, {**AGGREGATED, "items": []}, kind), "/apis": http(200, AGGREGATED, kind),
        path: {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "web"}}})
    answer = spool.call("d", "kube.getResource", {"kind": "deploy", "name": "web"})
    assert answer["data"]["identity"]["apiVersion"] == "apps/v1"
    asked = [path for _, path, *_ in stub.requests]
    # The two questions go out together, on two connections: either may arrive first.
    assert sorted(asked[:2]) == ["/api", "/apis"] and asked[2:] == [path]
    assert stub.requests[0][2]["accept"].split(",")[0] == kind
    kinds = spool.call("kinds", "kube.apiResources")["data"]
    assert kinds["unreachable"] == ["metrics.k8s.io/v1beta1"] and kinds["complete"] is False


def test_one_broken_extension_hides_no_other_kind(spool, kube_stub_worker):
    groups = {"kind": "APIGroupList", "groups": [
        {"name": "broken.example", "versions": [{"groupVersion": "broken.example/v1"}],
         "preferredVersion": {"groupVersion": "broken.example/v1"}}]}
    kube_stub_worker({PATH: POD, "/apis": groups,
                      "/apis/broken.example/v1": status(503, "ServiceUnavailable", "no")})
    assert get(spool)["status"] == "success"
    unknown = spool.call("u", "kube.getResource", {"kind": "gadget", "name": "x"})
    assert "not reachable now: broken.example/v1" in unknown["error_message"]
