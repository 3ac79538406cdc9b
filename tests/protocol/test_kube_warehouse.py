# SPDX-License-Identifier: MIT
"""What an impact analysis predicts of a shop, its corners, a depot and add-ons together: of 700
objects of all kinds of the reference table, beside a reader that tries every object against every
other one (kube_reader) and shares no code with it. Without a server: test_kube_shop has one."""

import json
from collections import Counter
from pathlib import Path

import pytest

import kube_addons
import kube_corners
import kube_depot
import kube_prediction
import kube_reader
import kube_shop
from kube_fields import group_of, key_of, parse_kind
from test_kube_get_resource import crd
from test_kube_model import ask

TABLE = json.loads((Path(__file__).resolve().parents[2] /
                    "worker/exec/kube/model/reference_table.json").read_text())
OBJECTS = 700
DEFINITION = "apiextensions.k8s.io/CustomResourceDefinition"
# Groups of servers themselves: no definition makes their kinds.
SERVED_BY_ITSELF = ("", "admissionregistration.k8s.io", "apiextensions.k8s.io",
                    "apiregistration.k8s.io", "apps", "autoscaling", "batch", "certificates.k8s.io",
                    "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
                    "networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io",
                    "scheduling.k8s.io", "storage.k8s.io")


def kinds_of_table():
    kinds = {row["from"] for row in TABLE["references"]} - {"*", "PodSpec"}
    kinds |= {to for row in TABLE["references"] for to in row["to"]}
    return kinds | {mount["kind"] for mount in TABLE["pod_spec"]}


def kind_of(thing):
    return "/".join(filter(None, key_of(thing)[:2]))


def definition(group, kind):
    made = crd(group, kind)
    made["metadata"]["uid"] = f"uid-{group}-{kind}"
    return made


def everything():
    depot = list(kube_depot.objects())
    made = [*kube_shop.objects(), *kube_corners.objects(), *depot]
    maker = kube_addons.Maker(TABLE, made)
    there = {kind_of(thing) for thing in made}
    custom = {kind for kind in kinds_of_table() if parse_kind(kind)[0] not in SERVED_BY_ITSELF}
    made += maker.objects(sorted(custom | kinds_of_table() - there - {DEFINITION}))
    for kind in ("Ingress", "Service"):
        maker.annotate([one for one in depot if one["kind"] == kind])
    return [*made, *(definition(*parse_kind(kind)) for kind in sorted(custom))]


def is_modelled(kind):
    rows = {row["from"] for row in TABLE["references"]} | {
        mount["kind"] for mount in TABLE["pod_spec"]}
    return kind in TABLE["without_references"] or (
        parse_kind(kind)[0] in TABLE["modelled_groups"] and kind in rows)


def object_of(row):
    return row.get("group", ""), row["kind"], row.get("namespace", ""), row["name"]


def rows_of(data):
    """Those of the table: what kinds that it does not know are thought to refer to is marked."""
    return Counter((object_of(row), row["refType"], row["path"], row["severity"], row["direction"],
                    row["distance"], row["effect"]) for row in data["impactedResources"]
                   if "possible" not in row)


def differences(prediction, data, unknown):
    """What is missing, and what is too much. `unknown`: kinds of the cluster that are not
    modelled."""
    nearest = {}  # What is affected at one step is not told again at a later one.
    for row in data["impactedResources"]:
        if "possible" in row:
            yield from [] if kind_text(row) in unknown else [f"possible: {row}"]
            nearest[object_of(row)] = min(row["distance"], nearest.get(object_of(row), 99))
    expected = Counter()
    for row, count in prediction.rows.items():
        if row.distance <= nearest.get(row.object, 99):
            expected[row.object, row.match, row.path, row.severity, row.direction, row.distance,
                     row.effect] += count
    found = rows_of(data)
    yield from (f"missing: {row}" for row in expected - found)
    yield from (f"too much: {row}" for row in found - expected)
    also = set(map(object_of, data["alsoDeleted"]))
    yield from (f"not deleted with it: {row}" for row in prediction.also - also)
    yield from (f"stays: {row}" for row in also - prediction.also)
    # What a kind does that nobody knows is not known when it goes.
    gone = {kind_of(thing) for thing in prediction.reader.objects if prediction.is_gone(thing)}
    least = "medium" if gone & unknown else "none"
    own = kube_prediction.worst(least, prediction.overall(TABLE, data["impactedResources"]))
    if data["severity"] != own:
        yield f"overall: {data['severity']}, not {own}"
    if data["complete"] == bool(gone & unknown) or "omitted" in data or \
            set(data.get("notModelled", ())) != unknown:
        yield f"complete: {data['complete']}, {data.get('notModelled')}"


def kind_text(row):
    return "/".join(filter(None, [row.get("group", ""), row["kind"]]))


@pytest.fixture(scope="module")
def objects():
    return everything()


def test_all_kinds_of_the_table_are_there(objects):
    assert len(objects) >= OBJECTS
    assert kinds_of_table() <= {kind_of(thing) for thing in objects}
    keys = list(map(key_of, objects))
    assert len(keys) == len(set(keys))


def test_what_breaks_is_what_a_reader_of_all_references_says(objects):
    [answer] = ask([{"op": "impacts", "objects": [
        {"group": group_of(thing), "object": thing} for thing in objects]}])
    reader = kube_reader.Reader(TABLE, objects)
    unknown = {kind_of(thing) for thing in objects if not is_modelled(kind_of(thing))}
    assert "traefik.io/Middleware" in unknown and len(unknown) < 30, unknown
    wrong, seen = [], Counter()
    for thing, data in zip(objects, answer["reports"], strict=True):
        prediction = kube_prediction.Prediction(reader, thing, sees_secrets=True)
        wrong += [f"{key_of(thing)}: {text}" for text in differences(prediction, data, unknown)]
        seen.update(row["distance"] for row in data["impactedResources"])
    assert not wrong, "\n".join([f"{len(wrong)} differences", *wrong[:40]])
    # They say something, on every distance.
    assert seen[1] > 3500 and seen[2] > 800 and seen[3] > 10, seen
