# SPDX-License-Identifier: MIT
"""Client configuration as kubectl reads it, and everything that can be a credential."""

import base64
import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from harness import wait_until, worker_program
from kube_cluster import USERS, environment

READER = {"token": USERS["reader"]}
PLUGIN = "client.authentication.k8s.io/v1"


def whoami(spool, stem, **params):
    """Whom the server took us for, as its refusal says it; "admin" for one who is not refused."""
    answer = spool.call(stem, "kube.listResources", {"kind": "nodes", **params})
    if answer["status"] == "success":
        return "admin"
    message = answer["error_message"]
    return message.split('User "')[1].split('"')[0] if 'User "' in message else answer


def plugin(folder, name, body, version=PLUGIN, **members):
    """A credential plugin as a shell script, and what stands under `exec`."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)
    return {"exec": {"apiVersion": version, "command": str(path), "interactiveMode": "Never",
                     **members}}


def printing(token, expires="", version=PLUGIN):
    status = {"token": token, **({"expirationTimestamp": expires} if expires else {})}
    return "echo '" + json.dumps({"kind": "ExecCredential", "apiVersion": version,
                                  "status": status}) + "'\n"


def test_each_context_is_who_it_says(spool, kube_worker, cluster):
    pem = {"client-certificate-data": "admin.crt", "client-key-data": "admin.key"}
    data = {name: base64.b64encode((cluster.folder / file).read_bytes()).decode()
            for name, file in pem.items()}
    token_file = cluster.folder / "reader.token"
    token_file.write_text(USERS["reader"] + "\n")
    kube_worker(files=cluster.admin(), data=data, token=READER,
                tokenfile={"tokenFile": str(token_file)},
                impersonated={**cluster.admin(), "as": "someone", "as-groups": ["g"]})
    assert whoami(spool, "current") == "admin"
    assert whoami(spool, "data", context="data") == "admin"
    assert whoami(spool, "token", context="token") == "reader"
    assert whoami(spool, "file", context="tokenfile") == "reader"
    assert whoami(spool, "as", context="impersonated") == "someone"


def test_a_renewed_token_file_is_read_after_a_refusal(spool, kube_worker, cluster, folder):
    token = folder / "token"
    token.write_text("expired")
    kube_worker(u={"tokenFile": str(token)})
    refused = spool.call("first", "kube.canI", {"verb": "get", "kind": "po"})
    assert refused["error_code"] == "unauthenticated" and refused["retryable"] is True
    token.write_text(USERS["reader"])
    assert spool.call("second", "kube.canI", {"verb": "get", "kind": "po"})["status"] == "success"


def expired_pair(cluster, folder):
    """A client certificate of the cluster's CA whose time is over."""
    def openssl(*args):
        subprocess.run(["openssl", *args], check=True, cwd=folder, capture_output=True)
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "old.key")
    openssl("req", "-new", "-key", "old.key", "-subj", "/O=system:masters/CN=old", "-out",
            "old.csr")
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca=c\n[c]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
        "default_md=sha256\npolicy=p\nx509_extensions=e\nunique_subject=no\n"
        "[p]\norganizationName=optional\ncommonName=supplied\n[e]\nextendedKeyUsage=clientAuth\n")
    (folder / "index").touch()
    (folder / "serial").write_text("7f01\n")
    openssl("ca", "-batch", "-config", "ca.cnf", "-cert", str(cluster.folder / "ca.crt"),
            "-keyfile", str(cluster.folder / "ca.key"), "-in", "old.csr", "-out", "old.crt",
            "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-notext")
    return folder / "old.crt", folder / "old.key"


@pytest.mark.parametrize("form", ["files", "data"])
def test_an_expired_certificate_is_named_and_not_worth_repeating(
        spool, kube_worker, cluster, folder, form):
    certificate, key = expired_pair(cluster, folder)

    def coded(path):
        return base64.b64encode(path.read_bytes()).decode()
    kube_worker(u={"client-certificate": str(certificate), "client-key": str(key)}
                if form == "files" else
                {"client-certificate-data": coded(certificate), "client-key-data": coded(key)})
    refused = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert (refused["error_code"], refused["retryable"]) == ("unauthenticated", False), refused
    assert "client certificate of context u expired at 2020-01-02T00:00:00" in \
        refused["error_message"]


def test_a_plain_wrong_token_is_not_worth_repeating(spool, kube_worker):
    worker = kube_worker(u={"token": "canary-wrong-0123456789"})
    refused = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert refused["error_code"] == "unauthenticated" and refused["retryable"] is False
    assert "canary-wrong" not in json.dumps(refused) + worker.output()


@pytest.mark.parametrize("version", [PLUGIN, PLUGIN + "beta1"])
def test_a_plugins_credential_is_asked_for_again_shortly_before_it_expires(
        spool, kube_worker, folder, version):
    def expires_in(seconds, name):
        end = datetime.now(timezone.utc) + timedelta(seconds=seconds)
        body = f"echo {name} >>{folder / name}\n"
        return plugin(folder, name + ".sh",
                      body + printing(USERS["reader"], f"{end:%Y-%m-%dT%H:%M:%SZ}", version),
                      version)

    kube_worker(soon=expires_in(5, "soon"), later=expires_in(600, "later"))
    for name in ("soon", "later"):
        for i in range(3):
            assert whoami(spool, f"{name}{i}", context=name) == "reader"
    assert len((folder / "later").read_text().splitlines()) == 1
    assert len((folder / "soon").read_text().splitlines()) >= 3, "it might expire on its way"


@pytest.mark.parametrize("version", [PLUGIN, PLUGIN + "beta1"])
def test_a_plugins_credential_is_kept_until_it_expires(spool, kube_worker, folder, version):
    notes = folder / "notes"
    body = f'echo "$KUBERNETES_EXEC_INFO" >>{notes}\necho notice >&2\n'
    kept = plugin(folder, "kept", body + printing(USERS["reader"], "2099-01-01T00:00:00Z", version),
                  version)
    old = plugin(folder, "old", body + printing(USERS["reader"], "2001-01-01T00:00:00Z", version),
                 version)
    kube_worker(kept=kept, old=old)
    for i in range(3):
        assert whoami(spool, f"kept{i}", context="kept") == "reader"
    assert len(notes.read_text().splitlines()) == 1
    info = json.loads(notes.read_text())
    assert info["apiVersion"] == version and info["spec"] == {"interactive": False}
    for i in range(2):
        assert whoami(spool, f"old{i}", context="old") == "reader"
    assert len(notes.read_text().splitlines()) >= 3, "an expired one is asked for each time"


def test_a_plugin_gets_the_workers_environment_without_keys_of_models(
        spool, start_worker, cluster, folder):
    notes = folder / "notes"
    entry = plugin(folder, "p", f"env >{notes}\n" + printing(USERS["reader"]),
                   env=[{"name": "OWN_API_KEY", "value": "set-by-kubeconfig"},
                        {"name": "REGION", "value": "replaced"}])
    path = cluster.write_config(folder / "kubeconfig", u=entry)
    config = {"llm": {"providers": {"p": {"base_url": "http://127.0.0.1:1/v1",
                                          "profile": "generic", "api_key_env": "MODEL_LOGIN"}}},
              "kube": {"plugin_env": ["CLOUD_API_KEY"]}}
    keys = {"MODEL_LOGIN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "mistral_api_key"}
    start_worker(config=config, env={
        **environment(path, folder), **{name: "canary-key-0123456789" for name in keys},
        "AWS_PROFILE": "a", "HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": "*", "REGION": "r",
        "SSL_CERT_DIR": "/c", "CLOUD_API_KEY": "passed"})
    assert whoami(spool, "r") == "reader"
    found = dict(line.split("=", 1) for line in notes.read_text().splitlines() if "=" in line)
    assert not keys & set(found) and "canary" not in notes.read_text()
    assert {name: found[name] for name in ("HOME", "AWS_PROFILE", "SSL_CERT_DIR", "REGION",
                                           "OWN_API_KEY", "CLOUD_API_KEY")} == {
        "HOME": str(folder), "AWS_PROFILE": "a", "SSL_CERT_DIR": "/c", "REGION": "replaced",
        "OWN_API_KEY": "set-by-kubeconfig", "CLOUD_API_KEY": "passed"}
    assert "PATH" in found and "HTTPS_PROXY" in found
    assert json.loads(found["KUBERNETES_EXEC_INFO"])["kind"] == "ExecCredential"


def test_a_refused_plugin_credential_is_had_anew(spool, kube_worker, folder):
    count = folder / "count"
    good, bad = printing(USERS["reader"]), printing(USERS["expired"])
    entry = plugin(folder, "p", f'if [ -e {count} ]; then\n{good}else\n{bad}touch {count}\nfi\n')
    kube_worker(u=entry)
    first = spool.call("first", "kube.canI", {"verb": "get", "kind": "po"})
    assert (first["error_code"], first["retryable"]) == ("unauthenticated", True)
    assert spool.call("second", "kube.canI", {"verb": "get", "kind": "po"})["status"] == "success"


@pytest.mark.parametrize("body, part", [
    ("exit 3\n", "exit code 3"),
    ("echo canary-output-0123456789\n", "not a JSON object"),
    ("kill -9 $$\n", "signal 9"),
    (printing("canary-output-0123456789", version=PLUGIN + "beta1"), "another one"),
    ("head -c 2000000 /dev/zero\n", "more than 1 MiB"),
])
def test_a_plugin_that_fails_is_named_and_not_quoted(spool, kube_worker, folder, body, part):
    worker = kube_worker(u=plugin(folder, "p", "echo canary-error-0123456789 >&2\n" + body))
    answer = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert answer["error_code"] == "unauthenticated" and part in answer["error_message"]
    assert "canary" not in json.dumps(answer) + worker.output()


def test_a_plugin_that_hangs_is_ended_with_its_children(spool, kube_worker, folder):
    pid = folder / "pid"
    kube_worker(kube={"plugin_timeout": "300ms"},
                u=plugin(folder, "p", f"sleep 600 &\necho $! >{pid}\nwait\n"))
    answer = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert "did not answer within 300 ms (kube.plugin_timeout)" in answer["error_message"]
    assert "run it in a terminal" in answer["error_message"]
    wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists(), "its child is gone")


def test_a_missing_plugin_comes_with_its_hint(spool, kube_worker):
    kube_worker(u={"exec": {"apiVersion": PLUGIN, "command": "no-such-plugin-here",
                            "interactiveMode": "Never", "installHint": "apt install it"}})
    answer = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert "executable not found; apt install it" in answer["error_message"]


def test_oidc_of_old_is_answered_with_what_to_use(spool, kube_worker):
    kube_worker(u={"auth-provider": {"name": "oidc", "config": {"id-token": "canary-oidc"}}})
    answer = spool.call("r", "kube.canI", {"verb": "get", "kind": "po"})
    assert answer["error_code"] == "failed_precondition"
    assert "oidc-login" in answer["error_message"] and "canary" not in json.dumps(answer)


def test_a_private_authority_must_be_the_right_one(spool, kube_worker, cluster, folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", folder / "k", "-out",
                    folder / "other.crt", "-subj", "/CN=other", "-days", "2"], check=True,
                   capture_output=True)
    config = cluster.config(u=READER)
    config["clusters"][0]["cluster"] = {"server": cluster.url,
                                        "certificate-authority": "other.crt"}
    config["clusters"].append({"name": "system", "cluster": {"server": cluster.url}})
    config["clusters"].append({"name": "blind", "cluster": {
        "server": cluster.url, "insecure-skip-tls-verify": True}})
    config["clusters"].append({"name": "named", "cluster": {
        "server": cluster.url, "tls-server-name": "kubernetes.default.svc",
        "certificate-authority-data": cluster.ca_data()}})
    config["clusters"].append({"name": "misnamed", "cluster": {
        "server": cluster.url, "tls-server-name": "elsewhere.invalid",
        "certificate-authority-data": cluster.ca_data()}})
    for name in ("system", "blind", "named", "misnamed"):
        config["contexts"].append({"name": name, "context": {"cluster": name, "user": "u"}})
    kube_worker(config)
    for context in ("u", "system", "misnamed"):
        answer = spool.call(context, "kube.canI", {"verb": "get", "kind": "po",
                                                   "context": context})
        assert answer["error_code"] == "unavailable", answer
        assert answer["error_details"]["transport"] == "tls"
    named = spool.call("named", "kube.canI", {"verb": "get", "kind": "po", "context": "named"})
    assert named["status"] == "success"
    blind = spool.call("blind", "kube.canI", {"verb": "get", "kind": "po", "context": "blind"})
    assert "not verified" in blind["data"]["warnings"][0]


def test_several_files_are_merged_as_kubectl_merges_them(spool, start_worker, cluster, folder):
    whole = cluster.config(one=READER, two={"token": USERS["nobody"]})
    parts = [{"clusters": whole["clusters"]},
             {"users": [whole["users"][0]], "contexts": [whole["contexts"][0]],
              "current-context": "one"},
             {"users": [whole["users"][1], {"name": "one", "user": {"token": "later"}}],
              "contexts": [whole["contexts"][1]], "current-context": "two"}]
    paths = [folder / f"k{i}" for i in range(3)]
    for path, part in zip(paths, parts):
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **part}))
    joined = f"{paths[0]}::{folder}/missing:{paths[1]}:{paths[2]}:{paths[1]}"
    theirs = json.loads(cluster.kubectl("config", "view", "--raw", "-o", "json",
                                        kubeconfig=joined))
    assert theirs["current-context"] == "one"
    start_worker(env=environment(joined, folder))
    assert whoami(spool, "current") == "reader"
    assert whoami(spool, "two", context="two") == "nobody"
    unknown = spool.call("q", "kube.canI", {"verb": "get", "kind": "po", "context": "q"})
    assert unknown["error_code"] == "not_found" and "one, two" in unknown["error_message"]


def test_a_changed_kubeconfig_counts_for_the_next_request(spool, kube_worker, cluster, folder):
    kube_worker(one=READER)
    assert whoami(spool, "before") == "reader"
    cluster.write_config(folder / "kubeconfig", one={"token": USERS["nobody"]}, two=READER)
    assert whoami(spool, "after") == "nobody"
    assert whoami(spool, "two", context="two") == "reader"


def test_only_allowed_contexts_are_used(spool, kube_worker, cluster):
    kube_worker(kube={"contexts": ["two"]}, one=cluster.admin(), two=READER)
    assert whoami(spool, "default") == "reader", "the only one allowed"
    refused = spool.call("one", "kube.canI", {"verb": "get", "kind": "po", "context": "one"})
    assert refused["error_code"] == "permission_denied"
    assert "kube.contexts" in refused["error_message"]


def test_no_cluster_at_all_is_said_plainly(spool, start_worker, folder):
    start_worker(env=environment(folder / "none", folder))
    answer = spool.call("r", "kube.getResource", {"kind": "po", "name": "a"})
    assert answer["error_code"] == "failed_precondition"
    assert "no cluster is configured" in answer["error_message"]


def test_check_config_says_which_contexts_answer(cluster, folder):
    path = cluster.write_config(folder / "kubeconfig", good=READER, bad={"token": "wrong"})
    config = json.loads(path.read_text())
    config["clusters"].append({"name": "gone", "cluster": {"server": "https://127.0.0.1:1"}})
    config["contexts"].append({"name": "gone", "context": {"cluster": "gone"}})
    path.write_text(json.dumps(config))
    done = subprocess.run([worker_program(), "--check-config"], text=True, capture_output=True,
                          check=True, env={**os.environ, **environment(path, folder)})
    assert f"context good: {cluster.url}: answers, Kubernetes v1." in done.stdout
    assert "context bad: " in done.stdout and "HTTP 401" in done.stdout
    assert "context gone: https://127.0.0.1:1: does not answer" in done.stdout
