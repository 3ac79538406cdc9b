# SPDX-License-Identifier: MIT
"""How the connection of a kube.exec ends, and what is said of the command then."""

import json
import socket
import ssl
import struct
import threading

import kube_cluster
from kube_exec import (ALLOWED, BINARY, OUT, PATH, POD, STATUS, Exec, bye, exit_with, frame, run,
                       say, serve)
from kube_stub import Stub, http, status as refusal
from web_proxy import make_certificate

UNOPENED = [
    (refusal(403, "Forbidden", "cannot create pods/exec"), "permission_denied", False, "pods/exec"),
    (refusal(400, "BadRequest", "pod web does not have a host assigned"), "invalid_argument", False,
     "does not have a host"),
    (refusal(500, "InternalError", "error dialing backend: no route"), "unavailable", True,
     "no route"),
    (refusal(429, "TooManyRequests", "slow down"), "resource_exhausted", True, "slow down"),
    (http(200, "<html>log in</html>", "text/html"), "unavailable", False, "<html>log in"),
    (b"HTTP/1.1 404 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "not_found",
     False, "response of an API server: no"),
    (http(502, "<html>bad gateway</html>", "text/html"), "unavailable", False, "bad gateway"),
    (http(101, ""), "unavailable", False, "something else than a WebSocket"),
    (b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n"
     b"\r\n", "unavailable", False, "does not fit"),
    (b"SSH-2.0-OpenSSH\r\n\r\n", "unavailable", False, "is not HTTP"),
    (b"", "unavailable", False, "before the handshake was answered"),
    (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 90_000, "unavailable", False, "is not HTTP"),
]


def test_what_opens_nothing_is_classified_as_elsewhere(spool, exec_stub):
    stub = exec_stub(None)
    for i, (answer, code, retryable, part) in enumerate(UNOPENED):
        def speak(connection, answer=answer):
            connection.sendall(answer)
            connection.close()
        serve(stub, speak)
        found = run(spool, f"unopened-{i}")
        assert (found["error_code"], found["retryable"]) == (code, retryable), found
        assert part in found["error_message"], found["error_message"]
        # A write that may have been done is never repeated.
        assert not (retryable and found["error_details"].get("ambiguous"))


LONG = bytes([BINARY, 127]) + struct.pack(">Q", 1 << 63)
BROKEN = [
    ([bye(1011, "kubelet went away")], "closed it with 1011: kubelet went away"),
    ([], "without a close frame"),
    ([say(STATUS, "{")], "without a close frame"),
    ([say(STATUS, "[" * 9000), bye()], "closed it with 1000"),
    ([say(STATUS, "x" * 70_000)], "a status of more than 65536 bytes"),
    ([LONG], "breaks the WebSocket protocol"),
    ([bytes([BINARY, 0x81]) + b"maskz"], "breaks the WebSocket protocol"),
    ([frame(b"text", 0x81)], "text where binary"),
    ([frame(b"a", 0x02), *[frame(b"", 0x00)] * 5000], "more than 4096 fragments"),
    ([frame(b"\x01" + b"x" * 1_000_000)] * 70, "more than 64 MiB"),
]


def test_an_end_without_a_status_is_no_exit_code(spool, exec_stub):
    stub = exec_stub(Exec())
    for i, (script, part) in enumerate(BROKEN):
        serve(stub, Exec(say(OUT, "so far\n"), *script))
        found = run(spool, f"broken-{i}", maxBytes=300)
        details = found["error_details"]
        assert found["error_code"] == ("resource_exhausted" if "64 MiB" in part
                                       else "unavailable"), found
        assert part in found["error_message"], found["error_message"]
        assert not found["retryable"] and details["ambiguous"] is True
        assert details["stdout"].startswith("so far\n") and details["pod"] == "web"
        assert "may be running still" in found["error_message"]
    # What follows the status changes nothing, nor does what comes where nobody listens.
    for i, script in enumerate([[say(9, "x")], [LONG], [exit_with(7)], []]):
        serve(stub, Exec(say(0, "?"), say(9, "x"), frame(b""), say(255, "\x01"), exit_with(5),
                         *script))
        assert run(spool, f"after-{i}")["data"]["exit_code"] == 5


def test_a_reset_behind_the_status_takes_nothing_away(spool, exec_stub):
    stub = exec_stub(Exec())
    for i in range(5):
        serve(stub, Exec(say(OUT, "x" * 50_000), exit_with(4), resets=True))
        found = run(spool, f"reset-{i}", maxBytes=262144)["data"]
        assert (found["exit_code"], found["stdout_bytes"]) == (4, 50_000)
    serve(stub, Exec(say(OUT, "so far\n"), resets=True))
    broken = run(spool, "broken")
    assert "connection broke without a close frame" in broken["error_message"], broken
    assert "kept connection" not in broken["error_message"]
    assert broken["error_details"]["stdout"] == "so far\n"


def test_what_is_given_up_may_run_on(spool, exec_stub):
    holding = Exec(say(OUT, "begun\n"), closes=False)
    stub = exec_stub(holding)
    found = run(spool, "late", timeoutS=1)
    assert (found["error_code"], found["retryable"]) == ("deadline_exceeded", False)
    assert "does not end the command" in found["error_message"]
    assert found["error_details"]["stdout"] == "begun\n" and found["error_details"]["ambiguous"]
    limited = spool.call("limit", "kube.exec", {"name": "web", "namespace": "shop",
                                                "argv": ["sleep"]}, timeout_ms=400)
    assert limited["error_code"] == "deadline_exceeded"
    assert "may be running still" in limited["error_details"]["hint"]
    stub.paths[f"{PATH}/exec"] = lambda connection: None
    silent = run(spool, "silent", timeoutS=1)
    assert silent["error_code"] == "deadline_exceeded" and silent["error_details"]["ambiguous"]
    begun = threading.Event()
    serve(stub, Exec(say(OUT, "begun\n"), lambda connection: begun.set(), closes=False))
    spool.drop("ended", "kube.exec", {"name": "web", "namespace": "shop", "argv": ["sleep"]})
    assert begun.wait(10)
    spool.call("end", "system.cancel", {"request_id": "ended"})
    ended = spool.wait_response("ended")
    assert ended["error_code"] == "cancelled" and ended["error_details"]["ambiguous"]
    assert "may be running still" in ended["error_details"]["hint"]


def worker_of(start_worker, folder, stub, **cluster):
    config = stub.config()
    config["clusters"][0]["cluster"].update(cluster)
    path = folder / "stub.kubeconfig"
    path.write_text(json.dumps(config))
    start_worker(config={"kube": {"exec": ALLOWED}}, env=kube_cluster.environment(path, folder))


def test_what_was_never_sent_is_not_said_to_run(spool, start_worker, folder):
    """The server is its own proxy, and makes no tunnel."""
    asked = threading.Event()
    stub = Stub({PATH: POD})
    stub.paths[f"127.0.0.1:{stub.port}"] = lambda connection: asked.set()
    worker_of(start_worker, folder, stub, **{"proxy-url": stub.url})
    late = run(spool, "late", timeoutS=1)
    assert late["error_code"] == "deadline_exceeded" and asked.is_set(), late
    assert "was not sent" in late["error_message"] and "running" not in str(late)
    assert "ambiguous" not in str(late.get("error_details"))
    asked.clear()
    spool.drop("ended", "kube.exec", {"name": "web", "namespace": "shop", "argv": ["true"]})
    assert asked.wait(10)
    spool.call("end", "system.cancel", {"request_id": "ended"})
    ended = spool.wait_response("ended")
    assert ended["error_code"] == "cancelled" and "ambiguous" not in str(ended), ended
    stub.stop()


def test_input_waits_for_a_slow_reader_behind_tls(spool, start_worker, folder):
    certificate, key = make_certificate(folder)
    front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    front.load_cert_chain(certificate, key)
    stub = Stub({PATH: POD}, tls=front)
    # Small segments: the client's system soon takes no more.
    stub.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    stub.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    cat = Exec(lambda connection: cat.read_input(connection), exit_with(0))
    serve(stub, cat)
    worker_of(start_worker, folder, stub, **{"certificate-authority": str(certificate)})
    text = "\N{ROCKET}" * 262_144
    answer = run(spool, "cat", "cat", stdin=text, maxBytes=262144)
    assert answer["status"] == "success", answer["error_message"]
    assert answer["data"]["exit_code"] == 0 and cat.input == text.encode()
    stub.stop()


def test_a_killed_worker_does_not_repeat_it(spool, start_worker, folder):
    begun, count = threading.Event(), []
    stub = Stub({PATH: POD})

    def note(_):
        count.append(1)
        begun.set()
    serve(stub, Exec(say(OUT, "x"), note, closes=False))
    path = folder / "stub.kubeconfig"
    path.write_text(json.dumps(stub.config()))
    settings = {"config": {"kube": {"exec": ALLOWED}},
                "env": kube_cluster.environment(path, folder)}
    first = start_worker(**settings)
    spool.drop("torn", "kube.exec", {"name": "web", "namespace": "shop", "argv": ["true"]})
    assert begun.wait(10)
    first.kill()
    start_worker(**settings)
    answer = spool.wait_response("torn")
    assert (answer["error_code"], answer["retryable"]) == ("aborted", False), answer
    assert len(count) == 1
    stub.stop()


def test_it_goes_through_tls_with_its_credentials(spool, start_worker, folder, cluster):
    front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    front.load_cert_chain(cluster.folder / "server.crt", cluster.folder / "server.key")
    front.load_verify_locations(cluster.folder / "ca.crt")
    front.verify_mode = ssl.CERT_REQUIRED
    stub = Stub({PATH: POD}, tls=front)
    token = "token-0123456789-abcdef"
    big = "".join(f"row {n}\n" for n in range(60_000))
    serve(stub, Exec(say(OUT, f"sent {token}\n"), say(OUT, big), exit_with(0), bye()))
    config = cluster.config(stub={**cluster.admin(), "token": token})
    config["clusters"][0]["cluster"]["server"] = stub.url
    path = cluster.write_config(folder / "kubeconfig", config)
    start_worker(config={"kube": {"exec": ALLOWED}}, env=kube_cluster.environment(path, folder))
    data = run(spool, "tls")["data"]
    assert data["exit_code"] == 0 and data["stdout"].endswith("row 59999\n")
    assert stub.requests[-1][2]["authorization"] == f"Bearer {token}"
    assert token not in json.dumps(data)
    # Somebody else's certificate.
    config["clusters"][0]["cluster"]["tls-server-name"] = "elsewhere.example"
    cluster.write_config(folder / "kubeconfig", config)
    refused = run(spool, "name")
    assert refused["error_code"] == "unavailable" and "tls" in refused["error_message"]
    stub.stop()
