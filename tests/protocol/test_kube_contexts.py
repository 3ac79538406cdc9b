# SPDX-License-Identifier: MIT
"""kube.contexts: what kubectl's `config get-contexts` says, and no credential."""

import socket

CANARY = "canary-0123456789"


def kubeconfig(cluster):
    """Contexts of all kinds, with a secret in every place that may hold one."""
    config = cluster.config(admin=cluster.admin(), reader={"token": "reader-token-0123456789"},
                            wrong={"token": f"{CANARY}-token"},
                            basic={"username": "ada", "password": f"{CANARY}-password"},
                            plugin={"exec": {"apiVersion": "client.authentication.k8s.io/v1",
                                             "command": "/nonexistent/plugin",
                                             "args": [f"--secret={CANARY}"],
                                             "env": [{"name": "A", "value": CANARY}],
                                             "interactiveMode": "Never"}})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config["clusters"] += [
        {"name": "gone", "cluster": {"server": closed}},
        {"name": "named", "cluster": {"server": f"https://ada:{CANARY}@127.0.0.1:1"}}]
    config["contexts"] += [
        {"name": "closed", "context": {"cluster": "gone", "namespace": "shop"}},
        {"name": "dangling", "context": {"cluster": "nowhere"}},
        {"name": "with-password", "context": {"cluster": "named"}}]
    return config


def test_it_lists_what_kubectl_lists_and_checks_when_asked(spool, kube_worker, cluster):
    kube_worker(config=kubeconfig(cluster))
    answer = spool.call("list", "kube.contexts")
    data = answer["data"]
    rows = {row["name"]: row for row in data["contexts"]}
    lines = cluster.kubectl("config", "get-contexts", "-o", "name",
                            kubeconfig=cluster.write_config(cluster.folder / "contexts",
                                                            kubeconfig(cluster))).split()
    assert set(rows) == set(lines)
    assert data["returned"] == len(rows) and data["complete"]
    assert (data["current"], data["default"]) == ("admin", "admin")
    assert rows["admin"] == {"name": "admin", "allowed": True, "current": True, "default": True,
                             "cluster": "test", "server": cluster.url, "user": "admin",
                             "namespace": "default"}
    assert (rows["closed"]["namespace"], rows["closed"].get("user")) == ("shop", None)
    assert "does not exist" in rows["dangling"]["problem"]
    assert "without a user" in rows["with-password"]["problem"]
    assert CANARY not in str(answer) and "reachable" not in str(answer)

    answer = spool.call("check", "kube.contexts", {"check": True})
    rows = {row["name"]: row for row in answer["data"]["contexts"]}
    assert (rows["admin"]["reachable"], rows["admin"]["accepted"]) == (True, True)
    assert rows["reader"]["version"].startswith("v1.")
    assert (rows["wrong"]["reachable"], rows["wrong"]["accepted"]) == (True, False)
    assert rows["closed"]["reachable"] is False and "accepted" not in rows["closed"]
    assert rows["plugin"]["reachable"] is False and "plugin" in rows["plugin"]["why"]
    assert "reachable" not in rows["dangling"] and answer["data"]["complete"]
    assert CANARY not in str(answer)

    one = spool.call("one", "kube.contexts", {"context": "reader", "check": True})["data"]
    assert [row["name"] for row in one["contexts"]] == ["reader"]
    missing = spool.call("none", "kube.contexts", {"context": "raeder"})
    assert missing["error_code"] == "not_found" and "reader" in missing["error_message"]


def test_a_context_that_is_not_allowed_is_a_name_alone(spool, kube_worker, cluster):
    kube_worker(config=kubeconfig(cluster), kube={"contexts": ["reader", "typo"]})
    data = spool.call("list", "kube.contexts", {"check": True})["data"]
    rows = {row["name"]: row for row in data["contexts"]}
    assert rows["admin"] == {"name": "admin", "allowed": False, "current": True, "default": False}
    assert rows["reader"]["accepted"] is True
    assert "no such context" in rows["typo"]["problem"]
    assert "default" not in data and "reader, typo" in data["why"]
