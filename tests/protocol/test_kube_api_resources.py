# SPDX-License-Identifier: MIT
"""kube.apiResources: what kubectl's api-resources says."""


def test_it_agrees_with_kubectl(spool, kube_worker, cluster):
    kube_worker()
    data = spool.call("all", "kube.apiResources")["data"]
    ours = {f"{r['name']}.{r['apiVersion'].rpartition('/')[0]}".rstrip(".")
            for r in data["resources"] if r["verbs"]}
    theirs = set(cluster.kubectl("api-resources", "-o", "name").split())
    # The cluster is shared by tests, which install kinds of their own.
    assert {name for name in theirs if not name.endswith((".example", "istio.io"))} <= ours
    deployments = next(r for r in data["resources"] if r["name"] == "deployments"
                       and r["apiVersion"] == "apps/v1")
    assert deployments["kind"] == "Deployment" and deployments["namespaced"] is True
    assert deployments["shortNames"] == ["deploy"] and "patch" in deployments["verbs"]
    assert data["complete"] is True


def test_it_can_be_narrowed(spool, kube_worker):
    kube_worker()
    batch = spool.call("group", "kube.apiResources", {"group": "batch"})["data"]["resources"]
    assert {r["name"] for r in batch} == {"jobs", "cronjobs"}
    core = spool.call("core", "kube.apiResources", {"group": "", "namespaced": False})["data"]
    assert {"nodes", "namespaces"} <= {r["name"] for r in core["resources"]}
    assert "pods" not in {r["name"] for r in core["resources"]}
    rows = spool.call("rows", "kube.apiResources", {"group": "batch",
                                                    "fields": ["kind", "shortNames"]})["data"]
    assert rows["columns"] == ["kind", "shortNames"] and "resources" not in rows
    assert ["CronJob", ["cj"]] in rows["rows"]


def test_it_is_kept_on_disk_for_the_next_worker(spool, kube_worker, folder):
    first = kube_worker()
    data = spool.call("first", "kube.apiResources")["data"]
    kept = list((folder / "filecall" / "kube").glob("discovery-*.json"))
    assert len(kept) == 1 and kept[0].stat().st_mode & 0o077 == 0
    first.stop()
    # A kind that only this file knows: the second worker believes it without asking.
    kept[0].write_text(kept[0].read_text().replace('"configmaps"', '"keptmaps"'))
    kube_worker()
    again = spool.call("again", "kube.apiResources")["data"]["resources"]
    assert "keptmaps" in {r["name"] for r in again}
    fresh = spool.call("fresh", "kube.apiResources", {"refresh": True})["data"]
    assert fresh["resources"] == data["resources"]
