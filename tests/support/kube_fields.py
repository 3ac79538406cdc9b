# SPDX-License-Identifier: MIT
"""What stands in fields of Kubernetes objects: paths, label selectors, Istio's hosts."""

import re

DOMAIN = "svc.cluster.local"


def group_of(thing):
    return thing["apiVersion"].rpartition("/")[0]


def key_of(thing):
    """(group, kind, namespace, name)"""
    metadata = thing["metadata"]
    return group_of(thing), thing["kind"], metadata.get("namespace", ""), metadata["name"]


def parse_kind(text):
    group, _, kind = text.rpartition("/")
    return group, kind


# Paths: a[].b["c.d/e"]{f,g} as steps; "[]" is a step of its own.

def steps_of(path):
    return [quoted or plain or "[]"
            for quoted, plain, _ in re.findall(r'\["([^"]+)"\]|([^.\[\]]+)|(\[\])', path)]


def names_in(step):
    """"{a,b}" and "x/{a,b}" are several names."""
    before, _, names = step.rstrip("}").partition("{")
    return [before + name for name in names.split(",")]


def places(value, steps, walked=()):
    """(keys and indices, value) of all that the steps lead to."""
    if not steps:
        yield walked, value
    elif steps[0] == "[]":
        for number, item in enumerate(value if isinstance(value, list) else ()):
            yield from places(item, steps[1:], (*walked, number))
    elif isinstance(value, dict):
        for name in names_in(steps[0]):
            if name in value:
                yield from places(value[name], steps[1:], (*walked, name))


def beside(thing, steps, walked):
    """What stands at the steps, in the same list items as `walked`; None when nothing does."""
    numbers = iter([step for step in walked if isinstance(step, int)])
    names = iter([step for step in walked if not isinstance(step, int)])
    value = thing
    for step in steps:
        name = next(names, None) if step != "[]" else None
        if step == "[]":
            value = value[next(numbers)] if isinstance(value, list) else None
        elif not isinstance(value, dict):
            return None
        else:
            value = value.get(name if step.startswith("{") else step)
    return value


def pointer(walked):
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in walked)


def fits_star(pattern, text):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def labels_fit(wanted, labels):
    return all(labels.get(name) == value for name, value in wanted.items())


def selector_fits(selector, labels):
    def holds(row):
        there, values = row["key"] in labels, row.get("values") or []
        return {"Exists": there, "DoesNotExist": not there,
                "In": there and labels.get(row["key"]) in values,
                "NotIn": not there or labels[row["key"]] not in values}[row["operator"]]
    return labels_fit(selector.get("matchLabels") or {}, labels) and \
        all(map(holds, selector.get("matchExpressions") or []))


# Hosts of Istio.

def whole_host(host, namespace):
    """A name without dots is completed with the namespace of the rule; nothing else is."""
    return host if "." in host or host.startswith("*") else f"{host}.{namespace}.{DOMAIN}"


def dns_host(host, namespace):
    """What the resolver of a pod completes: "name.namespace" and "name.namespace.svc", too."""
    parts = host.split(".")
    if len(parts) == 2 or (len(parts) == 3 and parts[2] == "svc"):
        return f"{parts[0]}.{parts[1]}.{DOMAIN}"
    return whole_host(host, namespace)


def hosts_meet(one, two):
    if one.startswith("*") and two.startswith("*"):
        return one[1:].endswith(two[1:]) or two[1:].endswith(one[1:])
    if one.startswith("*"):
        return two.endswith(one[1:])
    return one.endswith(two[1:]) if two.startswith("*") else one == two


def served_hosts(thing):
    _, kind, namespace, name = key_of(thing)
    if kind == "Service":
        return [f"{name}.{namespace}.{DOMAIN}"]
    return thing["spec"].get("hosts", [])


def is_seen(thing, namespace):
    """Whether it is exported to the namespace."""
    own = thing["metadata"].get("namespace", "")
    if thing["kind"] == "Service":
        text = (thing["metadata"].get("annotations") or {}).get("networking.istio.io/exportTo", "")
        exported = text.split(",") if text else []
    else:
        exported = thing["spec"].get("exportTo") or []
    return not exported or "*" in exported or namespace in exported or \
        ("." in exported and own == namespace)


def str_step(step):
    return "[]" if isinstance(step, int) else step
