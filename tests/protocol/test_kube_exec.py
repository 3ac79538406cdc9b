# SPDX-License-Identifier: MIT
"""kube.exec. No kubelet runs here: a server made for it says what one would, and what none does;
what the API server refuses itself is the real one's."""

import json
import os
import subprocess
import urllib.parse

import kube_cluster
from harness import worker_program
from kube_api import Api
from kube_exec import (ALLOWED, ERR, OUT, PATH, PING, POD, PODS, STATUS, V4, V5, Exec, bye,
                       exit_with, failed, frame, run, say, serve, status)
from kube_stub import http


def test_output_and_exit_code_come_as_they_are(spool, exec_stub):
    opened = [say(channel, b"") for channel in (OUT, ERR, STATUS)]  # As kubelets begin.
    stub = exec_stub(Exec(*opened, say(OUT, "a\n"), frame(b"p", PING), say(ERR, "\x1b[31mb\x1b[0m"),
                          say(OUT, "c ä"), exit_with(3), bye()))
    data = run(spool, "one", "sh", "-c", "a b&c=d", "")["data"]
    assert (data["exit_code"], data["stdout"], data["stderr"]) == (3, "a\nc ä", "b")
    assert (data["stdout_bytes"], data["stderr_bytes"], data["truncated"]) == (6, 10, False)
    assert (data["pod"], data["namespace"], data["container"]) == ("web", "shop", "app")
    assert data["untrusted"] and data["cluster"]["context"] == "stub"
    method, path, headers, _ = stub.requests[-1]
    query = urllib.parse.parse_qs(path.partition("?")[2], keep_blank_values=True)
    assert method == "GET" and headers["upgrade"] == "websocket"
    assert query == {"container": ["app"], "stdout": ["true"], "stderr": ["true"],
                     "command": ["sh", "-c", "a b&c=d", ""]}
    for code in (0, 1, 255, 4294967295):
        serve(stub, Exec(exit_with(code)))
        assert run(spool, f"code-{code}")["data"]["exit_code"] == code
    serve(stub, Exec(say(ERR, "broken"), exit_with(2)))
    checked = run(spool, "check", check=True)
    assert (checked["error_code"], checked["retryable"]) == ("unknown", False)
    assert checked["error_details"]["stderr"] == "broken"
    older = Exec(say(OUT, "old"), exit_with(0), bye(), speaks=[V4])
    serve(stub, older)
    assert run(spool, "v4")["data"]["stdout"] == "old" and older.protocol == V4


def test_standard_input_is_sent_and_ends(spool, exec_stub):
    cat = Exec(lambda connection: cat.read_input(connection), exit_with(0), bye())
    stub = exec_stub(cat)
    text = "ü" * 100_000
    data = run(spool, "cat", "cat", stdin=text, maxBytes=262144)["data"]
    assert data["stdout"] == text and cat.protocol == V5
    assert "stdin=true" in stub.requests[-1][1]
    serve(stub, cat := Exec(lambda connection: cat.read_input(connection), exit_with(0)))
    assert run(spool, "empty", "cat", stdin="")["data"]["stdout"] == ""
    # A server that cannot say that it has ended is not asked.
    serve(stub, http(403, "", "text/plain"))
    refused = run(spool, "old", "cat", stdin="x")
    assert "stdin needs v5.channel.k8s.io" in refused["error_message"]
    assert stub.requests[-1][2]["sec-websocket-protocol"] == V5


def test_output_is_bounded_and_without_secrets(spool, exec_stub):
    lines = "".join(f"line {n}\n" for n in range(200_000))
    stub = exec_stub(Exec(*(say(OUT, lines[i:i + 32768]) for i in range(0, len(lines), 32768)),
                          exit_with(0)))
    data = run(spool, "long", maxBytes=1000)["data"]
    assert data["truncated"] and data["stdout_bytes"] == len(lines)
    assert data["stdout"].startswith("line 0\n") and data["stdout"].endswith("line 199999\n")
    assert "[... the middle is left out ...]\nline" in data["stdout"]
    assert len(data["stdout"]) < 1100
    serve(stub, Exec(say(OUT, "DB_PASSWORD=very-hidden-5\nit is very-hidden-5, TOKEN=abcdefgh1\n"),
                     say(ERR, "password: hunter2-hunter2\n"), exit_with(0)))
    data = run(spool, "env", "env")["data"]
    assert "hidden-5" not in str(data) and "hunter2" not in str(data), data
    assert "it is [redacted" in data["stdout"]


def test_a_command_runs_only_where_it_is_named(spool, exec_stub):
    stub = exec_stub(Exec(exit_with(0)), allowed=[
        {"context": "stub", "namespaces": ["shop"], "argv": [["nginx", "-t"], ["ls"]]}])
    assert run(spool, "ok", "nginx", "-t")["data"]["exit_code"] == 0
    assert run(spool, "more", "ls", "-l")["data"]["exit_code"] == 0
    count = len(stub.requests)
    for i, argv in enumerate([["nginx"], ["nginx", "-s"], ["/bin/ls"], ["sh", "-c", "ls"], ["*"]]):
        refused = run(spool, f"no-{i}", *argv)
        assert (refused["error_code"], refused["retryable"]) == ("permission_denied", False)
        assert ("kube: {exec: [{context: stub, namespaces: [shop], argv: ["
                + json.dumps(argv, separators=(",", ":")) + "]}]}") in refused["error_message"]
    other = spool.call("other", "kube.exec", {"name": "web", "namespace": "cart", "argv": ["ls"]})
    assert other["error_code"] == "permission_denied" and len(stub.requests) == count
    assert run(spool, "zero", "ls", "a\0b")["error_code"] == "invalid_argument"


def test_what_may_run_is_listed_before_it_runs(folder):
    path = folder / "kubeconfig"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "clusters": [
        {"name": "stub", "cluster": {"server": "http://127.0.0.1:1"}}], "contexts": [
        {"name": "stub", "context": {"cluster": "stub"}}], "current-context": "stub"}))
    (folder / "worker.yaml").write_text(json.dumps({"kube": {"exec": [
        {**ALLOWED[0], "argv": [["nginx", "-t"], ["*"]]}]}}))
    asked = [worker_program(), "--check-config", "--config", folder / "worker.yaml"]
    env = {**os.environ, **kube_cluster.environment(path, folder)}
    text = subprocess.run(asked, text=True, capture_output=True, check=True, env=env).stdout
    assert "context stub: kube.exec may run [nginx -t], any command in namespaces shop\n" in text
    found = subprocess.run([*asked, "--json"], capture_output=True, check=True, env=env).stdout
    assert json.loads(found)["contexts"][0]["exec"] == [
        {"namespaces": ["shop"], "argv": [["nginx", "-t"], ["*"]]}]


def test_writable_opens_nothing(spool, kube_stub_worker):
    kube_stub_worker({PATH: POD}, config={"kube": {"writable": [
        {"context": "stub", "namespaces": ["*"], "kinds": ["*", "pods/exec"]}]}})
    assert run(spool, "no")["error_code"] == "permission_denied"


def pod_with(**members):
    return json.loads(json.dumps({**POD, **members}))


def test_the_container_is_chosen_and_must_run(spool, exec_stub):
    two = [{"name": "app"}, {"name": "proxy"}]
    stub = exec_stub(Exec(exit_with(0)), pod=pod_with(spec={
        "containers": two, "initContainers": [{"name": "setup"}]}))
    which = run(spool, "which")
    assert which["error_code"] == "invalid_argument" and "app, proxy" in which["error_message"]
    absent = run(spool, "absent", container="porxy")
    assert absent["error_code"] == "not_found" and "did you mean proxy" in absent["error_message"]
    assert run(spool, "app", container="app")["data"]["container"] == "app"
    stub.paths[PATH] = pod_with(spec={"containers": two}, metadata={"name": "web", "annotations": {
        "kubectl.kubernetes.io/default-container": "app"}})
    assert run(spool, "default")["data"]["container"] == "app"
    for i, (state, phase, part) in enumerate([
            ({"waiting": {"reason": "CrashLoopBackOff"}}, "Running", "waiting: CrashLoopBackOff"),
            ({"terminated": {"reason": "Error", "exitCode": 7}}, "Running", "Error, exit code 7"),
            (None, "Pending", "the pod is Pending")]):
        stub.paths[PATH] = pod_with(status={"phase": phase, "containerStatuses": [
            {"name": "app", "state": state}] if state else []})
        idle = run(spool, f"idle-{i}")
        assert idle["error_code"] == "failed_precondition" and part in idle["error_message"]
    stub.paths["/apis"] = {"kind": "APIGroupList", "groups": []}
    stub.paths["/api/v1"]["resources"].append(
        {"name": "services", "kind": "Service", "namespaced": True, "verbs": ["get", "list"]})
    stub.paths["/api/v1/namespaces/shop/services/web"] = {
        "kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}}}
    rows = [pod_with(metadata={"name": name}, status={**POD["status"], "conditions": [
        {"type": "Ready", "status": ready}]}) for name, ready in
        (("a", "False"), ("web", "True"), ("z", "True"))]
    stub.paths[PODS] = {"kind": "PodList", "metadata": {}, "items": rows}
    stub.paths[PATH] = POD
    assert run(spool, "service", kind="services")["data"]["pod"] == "web"
    stub.paths[PODS] = {"kind": "PodList", "metadata": {}, "items": []}
    assert "no pod has" in run(spool, "none", kind="services")["error_message"]


def test_what_did_not_begin_says_so(spool, exec_stub):
    """And what may have begun says that."""
    oci = ('failed to exec in container: failed to start exec "1f": OCI runtime exec failed: exec '
           "failed: unable to start container process: exec: ")
    stub = exec_stub(Exec())
    for i, (answer, code, reason, part) in enumerate([
            (failed(oci + '"nano": executable file not found in $PATH: unknown'),
             "not_found", "CommandNotFound", "no such program in its PATH"),
            (failed(oci + '"/x": stat /x: no such file or directory: unknown'),
             "not_found", "CommandNotFound", "no such program"),
            (failed(oci + '"/etc/hosts": permission denied: unknown'),
             "failed_precondition", "CommandNotExecutable", "may not run"),
            (failed('unable to upgrade connection: container not found ("app")'),
             "not_found", "ContainerNotFound", "is gone"),
            (failed("error dialing backend: dial tcp 10.0.0.7:10250: connect: refused"),
             "unavailable", "NodeUnreachable", "kubelet"),
            (status(status="Failure", reason="Forbidden", code=403, message="no nodes/proxy"),
             "permission_denied", "Forbidden", "no nodes/proxy"),
            (failed("write: permission denied"), "unknown", "InternalError", "may have run"),
            (failed("EOF"), "unknown", "InternalError", "may have run"),
            (exit_with("many"), "unknown", "NonZeroExitCode", "may have run")]):
        serve(stub, Exec(say(OUT, "x"), answer, bye()))
        found = run(spool, f"begin-{i}")
        details = found["error_details"]
        assert (found["error_code"], details["reason"]) == (code, reason), found
        assert part in found["error_message"] and not found["retryable"]
        assert (details.get("ambiguous"), "stdout" in details) == (
            (True, True) if reason in ("InternalError", "NonZeroExitCode") else (None, False))


def test_the_real_servers_refusals_are_told(spool, kube_worker, cluster):
    space = "execs"
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}},
                   *({"apiVersion": "v1", "kind": "Pod",
                      "metadata": {"name": name, "namespace": space},
                      "spec": {"containers": [{"name": "app", "image": "x.invalid/y"}],
                               **({"nodeName": "nowhere"} if name == "placed" else {})}}
                     for name in ("placed", "loose")))
    running = {"phase": "Running", "containerStatuses": [
        {"name": "app", "image": "y", "imageID": "z", "ready": True, "restartCount": 0,
         "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]}
    kube_worker(kube={"exec": [{"context": "admin", "namespaces": [space], "argv": [["true"]]}]})

    def ask(stem, name):
        return spool.call(stem, "kube.exec", {"name": name, "namespace": space, "argv": ["true"]})
    idle = ask("idle", "loose")
    assert idle["error_code"] == "failed_precondition" and "Pending" in idle["error_message"]
    api = Api(cluster)
    for name in ("placed", "loose"):
        path = f"/api/v1/namespaces/{space}/pods/{name}"
        api.ask("PUT", f"{path}/status", {**api.ask("GET", path), "status": running})
    loose = ask("loose", "loose")
    assert loose["error_code"] == "invalid_argument", loose
    assert "does not have a host assigned" in loose["error_message"]
    placed = ask("placed", "placed")
    assert placed["error_code"] in ("unavailable", "not_found"), placed
    assert "nowhere" in placed["error_message"] and "stdout" not in placed["error_details"]
    assert "did you mean" in ask("near", "place")["error_message"]
