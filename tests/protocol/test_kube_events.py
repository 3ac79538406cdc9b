# SPDX-License-Identifier: MIT
"""kube.events: of one object or of a namespace, newest first."""

import pytest


def event(number, name, kind="Pod", type_="Normal", message="started"):
    return {"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": f"{name}.{number:04}", "namespace": "events"},
            "involvedObject": {"apiVersion": "v1", "kind": kind, "name": name,
                               "namespace": "events"},
            "type": type_, "reason": f"R{number}", "message": message, "count": number,
            "source": {"component": "test"},
            "firstTimestamp": "2030-01-01T00:00:00Z",
            "lastTimestamp": f"2030-01-01T00:{number:02}:00Z"}


@pytest.fixture(scope="module", autouse=True)
def objects(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "events"}})
    cluster.create(*[event(n, "web") for n in (3, 1, 2)],
                   event(9, "db", type_="Warning",
                         message="token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ."
                                 "c2lnbmF0dXJlLWNhbmFyeQ"))


def events(spool, stem="events", **params):
    return spool.call(stem, "kube.events", {"namespace": "events", **params})["data"]


def test_an_objects_events_are_newest_first(spool, kube_worker):
    kube_worker()
    data = events(spool, kind="pod", name="web")
    assert [e["reason"] for e in data["events"]] == ["R3", "R2", "R1"]
    first = data["events"][0]
    assert first["count"] == 3 and first["source"] == "test"
    assert first["object"] == {"kind": "Pod", "name": "web", "namespace": "events"}
    assert data["total"] == 3 and data["complete"] and data["untrusted"]


def test_a_namespaces_events_can_be_narrowed_and_bounded(spool, kube_worker):
    kube_worker()
    data = events(spool, "two", limit=2)
    assert [e["reason"] for e in data["events"]] == ["R9", "R3"] and data["total"] == 4
    assert not data["complete"], "two more were left out"
    warnings = events(spool, "warnings", type="Warning")
    assert [e["object"]["name"] for e in warnings["events"]] == ["db"]
    rows = events(spool, "fields", fields=["reason", "involvedObject.name", "series.count"])
    assert rows["columns"] == ["reason", "involvedObject.name", "series.count"]
    assert rows["rows"] == [["R9", "db", None], ["R3", "web", None], ["R2", "web", None],
                            ["R1", "web", None]] and rows["complete"]
    assert "eyJ" not in str(events(spool, "message", fields=["message"]))
    wrong = spool.call("wrong", "kube.events", {"fields": ["a..b"]})
    assert wrong["error_code"] == "invalid_argument"
    small = events(spool, "small", maxBytes=600)
    assert 0 < small["returned"] < 4 and small["total"] == 4 and not small["complete"]


def test_what_looks_like_a_credential_is_taken_out_of_messages(spool, kube_worker):
    kube_worker()
    data = events(spool, kind="Pod", name="db")
    assert "eyJ" not in str(data) and "redacted" in data["events"][0]["message"]
