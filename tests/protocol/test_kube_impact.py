# SPDX-License-Identifier: MIT
"""What an impact analysis predicts for a whole shop, beside a reader that knows no kinds.

The reader searches every text of every object for the names of the deleted one and evaluates every
selector; it has no table, so a row that is missing or wrong in ours shows as a difference.
"""

import pytest

import kube_shop
from test_kube_model import ask

ALL = list(kube_shop.objects())


def key(thing):
    return thing["kind"], thing["metadata"].get("namespace", ""), thing["metadata"]["name"]


def group(thing):
    version = thing["apiVersion"]
    return version.split("/")[0] if "/" in version else ""


def parts(value, path=()):
    """Every text and mapping below a value, with the keys that lead there."""
    if isinstance(value, dict):
        yield path, value
        for name, item in value.items():
            yield from parts(item, (*path, name))
    elif isinstance(value, list):
        for item in value:
            yield from parts(item, path)
    elif isinstance(value, str):
        yield path, value


def contents(thing):
    """What an object says beside its own identity."""
    metadata = {k: v for k, v in thing["metadata"].items() if k not in ("name", "namespace", "uid")}
    metadata.pop("ownerReferences", None)
    metadata.pop("labels", None)
    yield from parts({**thing, "metadata": metadata})


def names_of(thing):
    """The texts by which others may call it."""
    kind, namespace, name = key(thing)
    names = {name, f"{namespace}/{name}", f"./{name}"}
    if kind == "Service":
        names.add(f"{name}.{namespace}.{kube_shop.ROOT_DOMAIN}")
    if kind == "ServiceAccount":
        names.add(f"cluster.local/ns/{namespace}/sa/{name}")
    if kind == "ServiceEntry":
        names |= {text for host in thing["spec"]["hosts"] for text in (host, f"*/{host}")}
    return names


def full_host(host):
    return host if "." in host else f"{host}.shop.{kube_shop.ROOT_DOMAIN}"


def selects(source, target):
    """Whether any selector of the source fits the labels of the target (pods are selected)."""
    if target["kind"] != "Pod":
        return False
    everywhere = source["kind"] == "Gateway"
    if not everywhere and key(source)[1] != key(target)[1]:
        return False
    if source["kind"] == "Sidecar" and "workloadSelector" not in source["spec"]:
        return True
    labels = target["metadata"].get("labels", {})
    for path, value in contents(source):
        is_plain = path[-1:] == ("selector",) and "matchLabels" not in value
        if isinstance(value, dict) and value and (path[-1:] == ("matchLabels",) or is_plain):
            if "template" not in path and all(labels.get(k) == v for k, v in value.items()):
                return True
    return False


def uses_subset(source, rule):
    """Whether the source routes to a subset that the rule defines, or a rule's labels fit pods."""
    subsets = {subset["name"] for subset in rule["spec"]["subsets"]}
    return any(isinstance(value, dict) and value.get("subset") in subsets and
               full_host(value["host"]) == full_host(rule["spec"]["host"])
               for _, value in contents(source))


def subset_selects(rule, pod):
    """Of the pods behind the rule's host."""
    host = full_host(rule["spec"]["host"])
    if not any(thing["kind"] == "Service" and full_host(thing["metadata"]["name"]) == host and
               selects(thing, pod) for thing in ALL):
        return False
    labels = pod["metadata"].get("labels", {})
    return any(all(labels.get(k) == v for k, v in subset["labels"].items())
               for subset in rule["spec"]["subsets"])


# What merely selects pods, or made them, loses nothing with one of them.
SELECT_ONLY = {"AuthorizationPolicy", "Deployment", "NetworkPolicy", "PodDisruptionBudget",
               "ReplicaSet", "Sidecar"}


def loses(source, target):
    return refers(source, target) and not (
        target["kind"] == "Pod" and source["kind"] in SELECT_ONLY)


def refers(source, target):
    if source is target:
        return False
    if target["kind"] == "DestinationRule":
        return uses_subset(source, target)
    if source["kind"] == "DestinationRule" and target["kind"] == "Pod":
        return subset_selects(source, target)
    if selects(source, target):
        return True
    names = names_of(target)
    return any(isinstance(value, str) and value in names for _, value in contents(source))


def collected(target):
    """What goes with it: by owners, and all of a namespace."""
    gone = {key(target)}
    while True:
        uids = {thing["metadata"]["uid"] for thing in ALL if key(thing) in gone}
        spaces = {thing["metadata"]["name"] for thing in ALL
                  if key(thing) in gone and thing["kind"] == "Namespace"}
        more = {key(thing) for thing in ALL
                if any(owner["uid"] in uids
                       for owner in thing["metadata"].get("ownerReferences", []))
                or thing["metadata"].get("namespace") in spaces}
        if more <= gone:
            return gone
        gone |= more


@pytest.fixture(scope="module")
def reports():
    kinds = [{"group": group(thing), "object": thing} for thing in ALL]
    [answer] = ask([{"op": "impacts", "objects": kinds}])
    assert len(answer["reports"]) == len(ALL)
    return {key(thing): report for thing, report in zip(ALL, answer["reports"])}


def identity(row):
    return row["kind"], row.get("namespace", ""), row["name"]


def test_the_shop_is_as_large_as_it_says():
    assert len([thing for thing in ALL if thing["kind"] == "Service"]) == 20
    names = [thing["metadata"]["name"] for thing in ALL]
    assert len(names) == len(set(names)), "a name means one object"


def test_what_is_deleted_along_is_what_owners_and_namespaces_say(reports):
    for thing in ALL:
        found = {identity(row) for row in reports[key(thing)]["alsoDeleted"]}
        assert found | {key(thing)} == collected(thing), key(thing)


def test_every_object_that_refers_to_a_deleted_one_is_found_and_no_other(reports):
    differences = []
    for target in ALL:
        gone = collected(target)
        expected = {key(source) for source in ALL if key(source) not in gone
                    for lost in ALL if key(lost) in gone and lost["kind"] != "Namespace"
                    and loses(source, lost)}
        found = {identity(row) for row in reports[key(target)]["impactedResources"]
                 if row["direction"] == "refers to it" and row["distance"] == 1}
        if found != expected:
            differences.append((key(target), "missing", expected - found, "more", found - expected))
    assert not differences, "\n".join(map(str, differences))


def test_what_a_deleted_object_did_for_others_is_a_reference_of_it(reports):
    by_key = {key(thing): thing for thing in ALL}
    seen = 0
    for target in ALL:
        gone = [by_key[each] for each in collected(target)]
        for row in reports[key(target)]["impactedResources"]:
            if row["direction"] == "is referred to by it":
                seen += 1
                assert any(refers(lost, by_key[identity(row)]) for lost in gone), (key(target), row)
    assert seen > 100


def test_every_step_of_a_chain_is_a_reference(reports):
    titles = {" ".join((kind, f"{space}/{name}" if space else name)): thing
              for thing in ALL for kind, space, name in [key(thing)]}
    by_key = {key(thing): thing for thing in ALL}
    far = 0
    for target in ALL:
        for row in reports[key(target)]["impactedResources"]:
            assert 1 <= row["distance"] <= 3
            if row["distance"] > 1:
                far += 1
                assert refers(by_key[identity(row)], titles[row["through"]]), (key(target), row)
    assert far > 20


def test_severities_follow_what_is_known_of_the_objects(reports):
    def severity(target, of):
        return [row["severity"] for row in reports[target]["impactedResources"]
                if identity(row) == of and row["distance"] == 1]

    assert severity(("Service", "shop", "billing"),
                    ("VirtualService", "shop", "billing-route"))[0] == "critical"
    assert severity(("ConfigMap", "shop", "billing-conf"),
                    ("Deployment", "shop", "billing-app")) == ["high", "high"]
    # Scaled to nothing (discounts is the eighth): one level less.
    assert severity(("ConfigMap", "shop", "discounts-conf"),
                    ("Deployment", "shop", "discounts-app")) == ["medium", "medium"]
    # An optional Secret (accounts is the first).
    assert severity(("Secret", "shop", "accounts-secret"),
                    ("Deployment", "shop", "accounts-app")) == ["low"]
    assert reports["Secret", "infra", "edge-cert"]["severity"] == "critical"
    assert reports["Namespace", "", "shop"]["severity"] == "critical"
