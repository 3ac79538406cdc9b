# SPDX-License-Identifier: MIT
"""What kube.analyzeImpact predicts of every object of a whole shop in a real API server, beside a
reader that tries every object against every other one (kube_reader) and shares no code with it."""

import json
from collections import Counter
from pathlib import Path

import pytest

import harness
import kube_api
import kube_corners
import kube_prediction
import kube_reader
import kube_shop
from conftest_shared import own_cluster
from kube_fields import group_of, key_of
from test_kube_get_resource import crd

TABLE = json.loads((Path(__file__).resolve().parents[2] /
                    "worker/exec/kube/model/reference_table.json").read_text())
CLUSTER_WIDE = {"GatewayClass"}
# A sanitized worker takes minutes for all deletions.
EVERY = 1 if harness.SLOW == 1 else 12
SERVED_BY_ITSELF = ("", "apps", "batch", "autoscaling", "policy", "networking.k8s.io",
                    "rbac.authorization.k8s.io", "storage.k8s.io", "admissionregistration.k8s.io")


def definitions(objects):
    for group, kind in sorted({(group_of(thing), thing["kind"]) for thing in objects}):
        if group not in SERVED_BY_ITSELF:
            made = crd(group, kind)
            made["spec"]["scope"] = "Cluster" if kind in CLUSTER_WIDE else "Namespaced"
            made["metadata"]["annotations"] = {"api-approved.kubernetes.io": "https://x.invalid"}
            yield made


@pytest.fixture(scope="module")
def cluster():
    """A server of its own: what others create would be read as well."""
    yield from own_cluster()


@pytest.fixture(scope="module")
def everything(cluster):
    """(object, whether it is the shop's) of all that the cluster holds."""
    api = kube_api.Api(cluster)
    api.learn()
    before = {key_of(thing) for thing in api.everything()}
    made = [*kube_shop.objects(), *kube_corners.objects()]
    made.sort(key=lambda thing: thing["kind"] != "Namespace")
    api.create(definitions(made))
    api.learn_of((thing["apiVersion"], thing["kind"]) for thing in made)
    api.create(made)
    return [(thing, key_of(thing) not in before) for thing in api.everything()]


def asked(spool, objects):
    """(object, what the worker answers for its deletion)"""
    stems = {}
    for number, thing in enumerate(objects):
        _, kind, namespace, name = key_of(thing)
        stems[spool.drop(f"impact-{number}", "kube.analyzeImpact", {
            "kind": kind, "name": name, "apiVersion": thing["apiVersion"], "view": "all",
            **({"namespace": namespace} if namespace else {})})] = thing
    for stem, thing in stems.items():
        answer = spool.wait_response(stem, deadline=60 * harness.SLOW)
        assert answer["status"] == "success", (key_of(thing), answer)
        yield thing, answer["data"]


def object_of(row):
    return row.get("group", ""), row["kind"], row.get("namespace", ""), row["name"]


def rows_of(data):
    return Counter((object_of(row), row["refType"], row["path"], row["severity"], row["direction"],
                    row["distance"], row["effect"]) for row in data["impactedResources"])


def differences(prediction, data):
    """What is missing, and what is too much."""
    expected = Counter()
    for row, count in prediction.rows.items():
        expected[row.object, row.match, row.path, row.severity, row.direction, row.distance,
                 row.effect] += count
    found = rows_of(data)
    yield from (f"missing: {row}" for row in expected - found)
    yield from (f"too much: {row}" for row in found - expected)
    also = set(map(object_of, data["alsoDeleted"]))
    yield from (f"not deleted with it: {row}" for row in prediction.also - also)
    yield from (f"stays: {row}" for row in also - prediction.also)
    if data["severity"] != prediction.overall(TABLE, data["impactedResources"]):
        yield f"overall: {data['severity']}"
    if not data["complete"] or {"omitted", "notModelled"} & data.keys():
        yield "not complete"


def test_what_breaks_is_what_a_reader_of_all_references_says(spool, kube_worker, everything):
    kube_worker()
    reader = kube_reader.Reader(TABLE, [thing for thing, _ in everything])
    wrong = []
    seen = Counter()
    own = [thing for thing, is_own in everything if is_own]
    for thing, data in asked(spool, own[::EVERY]):
        prediction = kube_prediction.Prediction(reader, thing)
        wrong += [f"{key_of(thing)}: {text}" for text in differences(prediction, data)]
        seen.update(row[name] for row in data["impactedResources"]
                    for name in ("distance", "effect"))
    assert not wrong, "\n".join([f"{len(wrong)} differences", *wrong[:40]])
    # The shop says something: on every distance and in every direction.
    assert len(own) > 300 and seen[1] * EVERY > 500 and seen[2] * EVERY > 250, seen
    assert seen[3] > 5 or EVERY > 1, seen
