# SPDX-License-Identifier: MIT
"""kube.scale, kube.rolloutRestart and kube.rolloutUndo against a real API server."""

import json

import pytest

import kube_controllers
from kube_controllers import pod_template, workload

NAMESPACE = "turns"
WRITABLE = {"writable": [{"context": "admin", "namespaces": [NAMESPACE]}]}
SECRET = "canary-Tq8z0vXw3R"


@pytest.fixture(scope="module")
def controllers(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
                   workload("Deployment", "web", NAMESPACE, replicas=2),
                   workload("StatefulSet", "db", NAMESPACE, serviceName="db"),
                   workload("DaemonSet", "agent", NAMESPACE))
    return kube_controllers.Controllers(cluster, NAMESPACE)


def ask(spool, stem, command, kind, name, **params):
    return spool.call(stem, command, {"namespace": NAMESPACE, "kind": kind, "name": name,
                                      **params})


def scale(spool, stem, replicas, **params):
    return ask(spool, stem, "kube.scale", "deploy", "web", replicas=replicas, **params)


def test_replicas_are_set_where_they_are_what_was_expected(spool, kube_worker, controllers):
    kube_worker(kube=WRITABLE)
    scale(spool, "two", 2)
    trial = scale(spool, "trial", 5, dryRun=True)["data"]
    assert trial["replicas"] == {"before": 2, "after": 5, "running": 0}
    assert (trial["action"], trial["changed"]) == ("would be scaled", True)
    assert controllers.get("deployments", "web")["spec"]["replicas"] == 2
    bound = {"expectedDigest": trial["digest"], "precondition": trial["precondition"]}
    other = scale(spool, "other", 6, **bound)
    assert other["error_code"] == "failed_precondition"
    done = scale(spool, "done", 5, **bound)["data"]
    assert (done["action"], done["replicas"]["after"]) == ("scaled", 5)
    assert controllers.get("deployments", "web")["spec"]["replicas"] == 5
    assert scale(spool, "again", 5, **bound)["status"] == "error"
    wrong = scale(spool, "wrong", 1, currentReplicas=2)
    assert (wrong["error_code"], wrong["error_details"]["replicas"]) == ("aborted", 5)
    assert scale(spool, "right", 0, currentReplicas=5)["data"]["replicas"]["after"] == 0
    assert controllers.get("deployments", "web")["spec"]["replicas"] == 0
    none = ask(spool, "none", "kube.scale", "cm", "web", replicas=1)
    assert "has no subresource scale" in none["error_message"]
    lost = ask(spool, "lost", "kube.scale", "deploy", "lost", replicas=1)
    assert lost["error_code"] == "not_found"


def test_writes_need_permission(spool, kube_worker, controllers):
    kube_worker(kube={"writable": [{"context": "admin", "namespaces": [NAMESPACE],
                                    "kinds": ["statefulsets/scale"], "verbs": ["patch"]}]})
    before = controllers.get("deployments", "web")["metadata"]["resourceVersion"]
    for stem, command, more in [("a", "kube.scale", {"replicas": 7}),
                                ("b", "kube.rolloutRestart", {}),
                                ("c", "kube.rolloutUndo", {"toRevision": 1})]:
        said = ask(spool, stem, command, "deploy", "web", **more)
        if command != "kube.rolloutUndo":
            assert said["error_code"] == "permission_denied", said
            assert "kube: {writable: [{context: admin" in said["error_message"]
    assert controllers.get("deployments", "web")["metadata"]["resourceVersion"] == before
    opened = ask(spool, "d", "kube.scale", "sts", "db", replicas=3)
    assert opened["status"] == "success", opened
    shut = ask(spool, "e", "kube.rolloutRestart", "sts", "db")
    assert shut["error_code"] == "permission_denied"


def test_a_restart_is_the_one_of_kubectl(spool, kube_worker, cluster, controllers):
    kube_worker(kube=WRITABLE)
    path = ("spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
    for plural, name in [("deployments", "web"), ("statefulsets", "db"), ("daemonsets", "agent")]:
        trial = ask(spool, f"try-{name}", "kube.rolloutRestart", plural, name, dryRun=True)["data"]
        # The server counts the templates of a DaemonSet in an annotation.
        assert trial["changes"][-1]["path"].startswith("/spec/template/metadata"), trial
        done = ask(spool, f"do-{name}", "kube.rolloutRestart", plural, name,
                   restartedAt=trial["restartedAt"], expectedDigest=trial["digest"],
                   precondition=trial["precondition"])
        assert done["data"]["action"] == "restarted", done
        value = controllers.get(plural, name)
        for step in path:
            value = value[step]
        assert value == trial["restartedAt"]
    cluster.kubectl("rollout", "pause", "deploy/web", "-n", NAMESPACE)
    paused = ask(spool, "paused", "kube.rolloutRestart", "deploy", "web")
    assert paused["error_code"] == "failed_precondition" and "paused" in paused["error_message"]
    cluster.kubectl("rollout", "resume", "deploy/web", "-n", NAMESPACE)
    bad = ask(spool, "bad", "kube.rolloutRestart", "deploy", "web",
              restartedAt="yesterday at about noon")
    assert bad["error_code"] == "invalid_argument"


def test_an_undo_brings_back_a_template_whole_and_shows_no_secret(spool, kube_worker, cluster,
                                                                  controllers):
    kube_worker(kube=WRITABLE)
    owner = controllers.get("deployments", "web")
    old = pod_template("registry.invalid/web:0", [("DB_PASSWORD", SECRET), ("PLAIN", "then")])
    controllers.replica_set(owner, 1, old, **{"kubernetes.io/change-cause": "the first"})
    controllers.replica_set(owner, 2, owner["spec"]["template"])
    cluster.kubectl("annotate", "deploy/web", "-n", NAMESPACE, "--overwrite",
                    "deployment.kubernetes.io/revision=2", "mine=now")
    trial = ask(spool, "trial", "kube.rolloutUndo", "deploy", "web", dryRun=True)["data"]
    assert (trial["revision"], trial["from"]) == (1, "web-h1")
    assert any(row["path"].endswith("/image") for row in trial["changes"]), trial["changes"]
    assert SECRET not in json.dumps(trial)
    done = ask(spool, "done", "kube.rolloutUndo", "deploy", "web", toRevision=1,
               expectedDigest=trial["digest"], precondition=trial["precondition"])
    assert done["data"]["action"] == "set back", done
    assert SECRET not in json.dumps(done)
    ours = controllers.get("deployments", "web")
    assert [(row["name"], row["value"]) for row in
            ours["spec"]["template"]["spec"]["containers"][0]["env"]] == [
                ("DB_PASSWORD", SECRET), ("PLAIN", "then")]
    assert ours["spec"]["template"]["metadata"]["labels"] == kube_controllers.LABELS
    # The same by kubectl, from the same state.
    again = {**owner, "metadata": {"name": "web", "namespace": NAMESPACE,
                                   "annotations": {"deployment.kubernetes.io/revision": "2",
                                                   "mine": "now"}}}
    again.pop("status")
    cluster.kubectl("replace", "-f", "-", stdin=json.dumps(again))
    cluster.kubectl("rollout", "undo", "deploy/web", "-n", NAMESPACE, "--to-revision=1")
    theirs = controllers.get("deployments", "web")
    assert theirs["spec"] == ours["spec"]
    assert theirs["metadata"]["annotations"] == ours["metadata"]["annotations"]
    same = ask(spool, "same", "kube.rolloutUndo", "deploy", "web", toRevision=1)["data"]
    assert (same["action"], same["changed"]) == ("unchanged", False)
    lost = ask(spool, "lost", "kube.rolloutUndo", "deploy", "web", toRevision=9)
    assert (lost["error_code"], "1, 2" in lost["error_message"]) == ("not_found", True)


def test_a_stateful_set_goes_back_to_a_controller_revision(spool, kube_worker, controllers):
    kube_worker(kube=WRITABLE)
    owner = controllers.get("statefulsets", "db")
    controllers.controller_revision(owner, 1, pod_template("registry.invalid/db:1"))
    controllers.controller_revision(owner, 2, owner["spec"]["template"])
    shut = ask(spool, "shut", "kube.rolloutUndo", "ds", "agent")
    assert shut["error_code"] == "failed_precondition"  # It has no revision.
    done = ask(spool, "done", "kube.rolloutUndo", "sts", "db")["data"]
    assert done["revision"] == 1
    pods = controllers.get("statefulsets", "db")["spec"]["template"]
    assert pods["spec"]["containers"][0]["image"] == "registry.invalid/db:1"


def test_what_changed_meanwhile_is_not_written(spool, kube_worker, cluster, controllers):
    kube_worker(kube=WRITABLE)
    trial = ask(spool, "trial", "kube.rolloutRestart", "ds", "agent", dryRun=True)["data"]
    cluster.kubectl("label", "ds/agent", "-n", NAMESPACE, "changed=yes", "--overwrite")
    late = ask(spool, "late", "kube.rolloutRestart", "ds", "agent",
               restartedAt=trial["restartedAt"], expectedDigest=trial["digest"],
               precondition=trial["precondition"])
    assert (late["error_code"], late["retryable"]) == ("aborted", False)
    another = ask(spool, "another", "kube.scale", "deploy", "web", replicas=1,
                  precondition={"uid": "0-0"})
    assert another["error_code"] == "aborted" and "another object" in another["error_message"]
