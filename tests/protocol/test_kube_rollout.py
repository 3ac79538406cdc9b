# SPDX-License-Identifier: MIT
"""kube.rolloutStatus against a real API server; the tests write what controllers would."""

import pytest

import kube_controllers
from kube_controllers import pod_template, workload


@pytest.fixture(scope="module")
def controllers(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "rollouts"}},
                   workload("Deployment", "web", "rollouts", replicas=3),
                   workload("StatefulSet", "db", "rollouts", replicas=2, serviceName="db"),
                   workload("DaemonSet", "agent", "rollouts"))
    return kube_controllers.Controllers(cluster, "rollouts")


def rollout(spool, stem, kind, name, **params):
    return spool.call(stem, "kube.rolloutStatus",
                      {"namespace": "rollouts", "kind": kind, "name": name, **params})


def test_a_rollout_is_as_kubectl_has_it(spool, kube_worker, cluster, controllers):
    kube_worker()
    done = {"updatedReplicas": 3, "replicas": 3, "availableReplicas": 3, "readyReplicas": 3}
    late = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
            "message": "timed out"}
    rows = [("deployments", "web", {"observedGeneration": 0}, "progressing"),
            ("deployments", "web", {**done, "updatedReplicas": 1}, "progressing"),
            ("deployments", "web", {**done, "replicas": 4}, "progressing"),
            ("deployments", "web", {**done, "availableReplicas": 2}, "progressing"),
            ("deployments", "web", {"conditions": [late]}, "failed"),
            ("deployments", "web", done, "complete"),
            ("statefulsets", "db", {"replicas": 2, "readyReplicas": 1}, "progressing"),
            ("statefulsets", "db", {"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2},
             "complete"),
            ("daemonsets", "agent", {"desiredNumberScheduled": 2, "updatedNumberScheduled": 1,
                                     "currentNumberScheduled": 2, "numberMisscheduled": 0,
                                     "numberReady": 2}, "progressing"),
            ("daemonsets", "agent", {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2,
                                     "currentNumberScheduled": 2, "numberMisscheduled": 0,
                                     "numberReady": 2, "numberAvailable": 2}, "complete")]
    for number, (plural, name, status, state) in enumerate(rows):
        controllers.status(plural, name, **status)
        said = rollout(spool, f"row{number}", plural, name)["data"]
        assert said["state"] == state, (plural, status, said)
        theirs = cluster.kubectl("rollout", "status", f"{plural}/{name}", "-n", "rollouts",
                                 "--watch=false", check=False)
        word = {"progressing": "aiting for", "failed": "exceeded its progress deadline",
                "complete": "complete" if plural == "statefulsets" else "successfully rolled out"}
        assert word[state] in theirs, (said, theirs)


def test_it_waits_for_the_end_and_says_what_it_saw_last(spool, kube_worker, controllers):
    kube_worker()
    controllers.status("deployments", "web", updatedReplicas=1, replicas=3)
    late = rollout(spool, "late", "deploy", "web", timeoutS=1)
    assert (late["error_code"], late["retryable"]) == ("deadline_exceeded", False)
    assert late["error_details"]["counts"]["updated"] == 1
    assert "1 of 3 new replicas" in late["error_message"]
    spool.drop("ends", "kube.rolloutStatus", {"namespace": "rollouts", "kind": "deploy",
                                              "name": "web", "timeoutS": 60})
    controllers.status("deployments", "web", updatedReplicas=3, replicas=3, readyReplicas=3,
                       availableReplicas=3)
    assert spool.wait_response("ends")["data"]["state"] == "complete"
    controllers.status("deployments", "web", conditions=[
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}])
    broken = rollout(spool, "broken", "deploy", "web", timeoutS=60)
    assert broken["error_code"] == "failed_precondition"
    gone = rollout(spool, "gone", "deploy", "none", timeoutS=60)
    assert gone["error_code"] == "not_found"
    assert "has no rollouts" in rollout(spool, "pods", "rs", "web")["error_message"]


def test_revisions_are_listed_with_what_they_are(spool, kube_worker, cluster, controllers):
    kube_worker()
    owner = controllers.get("deployments", "web")
    cause = {"kubernetes.io/change-cause": "the first one"}
    controllers.replica_set(owner, 1, pod_template("registry.invalid/web:0"), **cause)
    controllers.replica_set(owner, 2, pod_template("registry.invalid/web:1"))
    cluster.kubectl("annotate", "deploy/web", "-n", "rollouts",
                    "deployment.kubernetes.io/revision=2")
    data = rollout(spool, "sets", "deploy", "web", history=True)["data"]
    assert [(row["revision"], row["images"], row["current"]) for row in data["history"]] == [
        (2, ["registry.invalid/web:1"], True), (1, ["registry.invalid/web:0"], False)]
    assert data["history"][1]["changeCause"] == "the first one"
    assert data["historyComplete"] is True
    owner = controllers.get("statefulsets", "db")
    name = controllers.controller_revision(owner, 7, pod_template("registry.invalid/db:7"))
    rows = rollout(spool, "kept", "sts", "db", history=True)["data"]["history"]
    assert [(row["revision"], row["name"], row["images"]) for row in rows] == [
        (7, name, ["registry.invalid/db:7"])]
