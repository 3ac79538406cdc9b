# SPDX-License-Identifier: MIT
"""Reads every reference between all objects of a cluster.

Written from the rules alone (the rows of the reference table, worker/exec/kube/model/README.md and
Istio's documentation), by trying every object against every other one. What it does not know how to
read is an error, never "nothing".
"""

from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kube_fields import (beside, dns_host, fits_star, group_of, hosts_meet, is_seen, key_of,
                         labels_fit, parse_kind, places, pointer, selector_fits, served_hosts,
                         steps_of, str_step, whole_host)

MESH = "istio-system"


class UnknownForm(Exception):
    pass


@dataclass(eq=False)
class Reference:
    row: dict
    source: dict
    path: str
    severity: str
    optional: bool = False
    targets: list = field(default_factory=list)

    @property
    def holds_it(self):
        """Whether the source goes with the target."""
        return self.row["match"] in ("owner-ref", "group-kind") or \
            (self.row["from"], self.row["match"]) == ("*", "name")

    @property
    def selects(self):
        return self.row["match"] in ("labels", "selector", "node-selector")


class Reader:
    def __init__(self, table, objects):
        self.objects = objects
        self.by_kind = defaultdict(list)
        for thing in objects:
            self.by_kind[group_of(thing), thing["kind"]].append(thing)
        self.rows = list(self.rows_of(table))
        self.references = [found for thing in objects for found in self.read(thing)
                           if found.targets]

    @staticmethod
    def rows_of(table):
        """(kind, base of the paths, row)"""
        for row in table["references"]:
            if row["from"] != "PodSpec":
                yield parse_kind(row["from"]), [], row
                continue
            for mount in table["pod_spec"]:
                yield parse_kind(mount["kind"]), steps_of(mount["path"]), row

    def read(self, thing):
        for kind, base, row in self.rows:
            if kind == (group_of(thing), thing["kind"]) or kind == ("", "*"):
                yield from self.read_row(thing, base, row)

    def read_row(self, thing, base, row):
        if row["match"] == "group-kind":
            yield self.made(thing, base, row, ("kind",), self.definitions(thing))
            return
        if row.get("when") == "mesh" and "mesh" not in (thing["spec"].get("gateways") or ["mesh"]):
            return
        found = list(places(thing, base + steps_of(row["path"])))
        if not found and "alias" in row:
            found = list(places(thing, base + steps_of(row["alias"])))
        if not any(value for _, value in found) and "default" in row:
            found = [(walked, row["default"]) for walked, _ in places(thing, base)]
        for walked, value in found:
            if "=" in row.get("when", ""):
                path, wanted = row["when"].split("=")
                if beside(thing, base + steps_of(path), walked) != wanted:
                    continue
            yield self.made(thing, base, row, walked, self.resolve(thing, row, walked, value))
        narrowing = row.get("everything_unless", ())
        if narrowing and not any(value for path in narrowing
                                 for _, value in places(thing, steps_of(path))):
            yield self.made(thing, base, row, ("spec",), self.everything(thing, row))

    def made(self, thing, base, row, walked, targets):
        severity = row["target_deleted"]
        for condition, other in row.get("severity_when", {}).items():
            path, wanted = condition.split("=")
            if beside(thing, base + steps_of(path), walked) == wanted:
                severity = other
        optional = "optional" in row and \
            beside(thing, base + steps_of(row["optional"]), walked) is True
        return Reference(row, thing, pointer(walked), severity, optional,
                         [target for target in targets if target is not thing])

    def of_kinds(self, kinds):
        return [thing for kind in kinds for thing in self.by_kind[parse_kind(kind)]]

    def definitions(self, thing):
        return [target for target in
                self.by_kind["apiextensions.k8s.io", "CustomResourceDefinition"]
                if target["spec"]["group"] == group_of(thing) and
                target["spec"]["names"]["kind"] == thing["kind"]]

    def resolve(self, thing, row, walked, value):
        own = thing["metadata"].get("namespace", "")
        match = row["match"]
        if isinstance(value, str) and not value:
            return []
        if match in ("labels", "selector", "node-selector"):
            return self.selected(thing, row, walked, value)
        if match == "subject":
            return self.subjects(own, value)
        name = value.get("name", "") if isinstance(value, dict) else value
        if match == "traefik" and "@" in name:
            return self.of_traefik(row, name)
        if "fields" in row:
            return self.named_by_object(own, row, value)
        reader = getattr(self, "by_" + match.replace("-", "_"), None)
        if reader is None:
            raise UnknownForm(f"{key_of(thing)}: {match} {value!r}")
        return reader(thing, row, walked, value)

    # Names.

    def places_for(self, row, own, given=""):
        """The namespaces in which the target may be; None: all."""
        rule = row["namespace"]
        simple = {"same": [own], "cluster": [""], "field-or-same": [given or own],
                  "field-or-cluster": [given], "same-or-cluster": [own, ""], "root": [MESH],
                  "field:namespace": [given or own], "role:same|clusterrole:cluster": [own, ""]}
        if rule in ("any", "all-namespaces", "of-proxy"):
            return None
        if rule == "same-or-root" and own == MESH:
            return None
        if rule == "same-or-root":
            return [own]
        if rule not in simple:
            raise UnknownForm(rule)
        return simple[rule]

    def find(self, kinds, name, namespaces, star=False):
        return [thing for thing in self.of_kinds(kinds)
                if (namespaces is None or key_of(thing)[2] in namespaces) and
                (fits_star(name, key_of(thing)[3]) if star else key_of(thing)[3] == name)]

    def by_name(self, thing, row, walked, value):
        own = thing["metadata"].get("namespace", "")
        if row["namespace"].startswith("field:"):
            given = beside(thing, steps_of(row["namespace"][6:]), walked)
            return self.find(row["to"], value, [given or own])
        return self.find(row["to"], value, self.places_for(row, own))

    by_same_name = by_produces = by_name

    def by_traefik(self, thing, row, walked, value):
        """A name alone, in an annotation, is of another provider."""
        return [] if row["namespace"] == "any" else self.by_name(thing, row, walked, value)

    def by_label_value(self, thing, row, walked, value):
        if not row["namespace"].startswith("label-or-same:"):
            return self.by_name(thing, row, walked, value)
        _, kind, own, name = key_of(thing)
        given = thing["metadata"]["labels"].get(row["namespace"][14:])
        return self.find(row["to"], value, [given or (name if kind == "Namespace" else own)])

    def by_mesh_provider(self, thing, row, walked, value):
        return self.find(row["to"], "istio", [MESH])

    def of_traefik(self, row, text):
        """Either part of "namespace-name@kubernetescrd" may have dashes."""
        found = []
        for part in map(str.strip, text.split(",")):
            name, _, provider = part.partition("@")
            for dash in [at for at, sign in enumerate(name) if sign == "-"]:
                if provider == "kubernetescrd":
                    found += self.find(row["to"], name[dash + 1:], [name[:dash]])
        return found

    def by_wildcard_name(self, thing, row, walked, value):
        return self.find(row["to"], value, self.places_for(row, ""), star=True)

    def by_pattern(self, thing, row, walked, value):
        _, _, own, name = key_of(thing)
        return self.find(row["to"], f"{value}-{name}-*", [own], star=True)

    def by_slash_name(self, thing, row, walked, value):
        namespace, _, name = value.rpartition("/")
        return self.find(row["to"], name, [namespace or key_of(thing)[2]])

    def by_istio_gateway(self, thing, row, walked, value):
        namespace, _, name = value.rpartition("/")
        own = key_of(thing)[2]
        return self.find(row["to"], name, [own if namespace in ("", ".") else namespace])

    def by_istio_export(self, thing, row, walked, value):
        return [] if value in (".", "*", "~") else self.find(row["to"], value, [""])

    def by_istio_principal(self, thing, row, walked, value):
        found = []
        for target in self.of_kinds(row["to"]):
            _, _, namespace, name = key_of(target)
            if fits_star(value, f"cluster.local/ns/{namespace}/sa/{name}"):
                found.append(target)
        return found

    def by_istio_credential(self, thing, row, walked, value):
        """In the namespace of the proxies that the gateway selects, where these are known."""
        scheme, _, rest = value.rpartition("://")
        if scheme not in ("", "kubernetes"):
            raise UnknownForm(value)
        namespace, _, name = rest.rpartition("/")
        if scheme and namespace:
            return self.find(row["to"], name, [namespace])
        labels = thing["spec"].get("selector") or {}
        proxies = {key_of(pod)[2] for pod in self.by_kind["", "Pod"]
                   if labels and labels_fit(labels, pod["metadata"].get("labels") or {})}
        found = self.find(row["to"], name, None)
        return [one for one in found if not proxies or key_of(one)[2] in proxies]

    # Objects that are references.

    def named_by_object(self, own, row, value):
        def part(name):
            return value.get(row["fields"].get(name, ""), row.get("defaults", {}).get(name, ""))

        kind = part("kind")
        if not kind:
            kinds = row["to"][:1]
        elif part("apiVersion"):
            kinds = ["/".join(filter(None, [part("apiVersion").rpartition("/")[0], kind]))]
        elif row["fields"].get("group") in value:
            kinds = ["/".join(filter(None, [part("group"), kind]))]
        else:
            kinds = [text for text in row["to"] if parse_kind(text)[1] == kind][:1] or [kind]
        spaces = self.places_for(row, own, part("namespace"))
        # A grant without a name is for all of its kind.
        name = part("name") or ("*" if row["match"] == "grant" else "")
        return [target for target in self.find(kinds, name, spaces, star=name == "*")
                if part("uid") in ("", target["metadata"]["uid"])]

    def subjects(self, own, value):
        accounts, kind, name = ["ServiceAccount"], value["kind"], value["name"]
        if kind == "ServiceAccount":
            return self.find(accounts, name, [value.get("namespace") or own])
        parts = name.split(":")
        if kind == "User" and parts[:2] == ["system", "serviceaccount"]:
            return self.find(accounts, parts[3], [parts[2]])
        if kind == "Group" and parts[:2] == ["system", "serviceaccounts"]:
            return self.find(accounts, "*", parts[2:] or None, star=True)
        return []

    # Labels.

    def selected(self, thing, row, walked, value):
        own = thing["metadata"].get("namespace", "")
        if row["match"] == "labels" and not value:
            return []
        if row["namespace"] == "of-host":
            return self.in_subset(thing, value)
        if row["namespace"].startswith(("selector:", "names:")):
            spaces = self.spaces_beside(thing, row, walked)
        else:
            spaces = self.places_for(row, own)
        found = []
        for target in self.of_kinds(row["to"]):
            labels, namespace = target["metadata"].get("labels") or {}, key_of(target)[2]
            fits = labels_fit(value, labels) if row["match"] == "labels" else \
                selector_fits(value, labels)
            if fits and (spaces is None or namespace in spaces):
                found.append(target)
        return found

    def spaces_beside(self, thing, row, walked):
        """What stands beside a selector: a selector of namespaces, as of NetworkPolicy; names and
        such a selector, which add up, as of an affinity; names or {any}, as of Prometheus."""
        def sibling(name):
            return beside(thing, [*map(str_step, walked[:-1]), name], walked)

        names, chosen = sibling("namespaces"), sibling("namespaceSelector")
        if group_of(thing) == "monitoring.coreos.com":
            chosen = chosen or {}
            return None if chosen.get("any") else chosen.get("matchNames") or [key_of(thing)[2]]
        if not names and chosen is None:
            return [key_of(thing)[2]]
        return [*(names or ()), *(() if chosen is None else self.spaces_with(chosen))]

    def everything(self, thing, row):
        spaces = self.places_for(row, key_of(thing)[2])
        return [target for target in self.of_kinds(row["to"])
                if spaces is None or key_of(target)[2] in spaces]

    def spaces_with(self, selector):
        return [key_of(space)[3] for space in self.by_kind["", "Namespace"]
                if selector_fits(selector, space["metadata"].get("labels") or {})]

    def in_subset(self, rule, wanted):
        """A subset is of the pods that stand behind the rule's host."""
        found = []
        for behind in self.serving(rule, whole_host(rule["spec"]["host"], key_of(rule)[2])):
            selector = behind["spec"].get("selector") if behind["kind"] == "Service" else \
                (behind["spec"].get("workloadSelector") or {}).get("labels")
            for pod in self.by_kind["", "Pod"] if selector else ():
                labels = pod["metadata"].get("labels") or {}
                if key_of(pod)[2] == key_of(behind)[2] and labels_fit(selector, labels) and \
                        labels_fit(wanted, labels) and pod not in found:
                    found.append(pod)
        return found

    # Hosts.

    def serving(self, source, host, kinds=("Service", "networking.istio.io/ServiceEntry")):
        own = key_of(source)[2]
        return [target for target in self.of_kinds(kinds) if is_seen(target, own) and
                any(hosts_meet(host, served) for served in served_hosts(target))]

    def by_host(self, thing, row, walked, value):
        return self.serving(thing, dns_host(value, key_of(thing)[2]), row["to"]) \
            if ".svc" in value else []

    def by_url_host(self, thing, row, walked, value):
        host = urlsplit(value).hostname or ""
        return self.serving(thing, dns_host(host, key_of(thing)[2]), row["to"])

    def by_istio_host(self, thing, row, walked, value):
        return self.serving(thing, whole_host(value, key_of(thing)[2]), row["to"])

    def by_istio_subset(self, thing, row, walked, value):
        own = key_of(thing)[2]
        parent = beside(thing, list(map(str_step, walked[:-1])), walked)
        host = whole_host(parent.get("host") or parent.get("service") or "", own)
        return [rule for rule in self.of_kinds(row["to"]) if is_seen(rule, own) and
                hosts_meet(host, whole_host(rule["spec"]["host"], key_of(rule)[2])) and
                value in [subset.get("name") for subset in rule["spec"].get("subsets") or []]]

    def by_istio_sidecar_host(self, thing, row, walked, value):
        namespace, _, name = value.rpartition("/")
        own = key_of(thing)[2]
        if namespace == "~":
            return []
        space = own if namespace in ("", ".") else namespace
        found = self.serving(thing, whole_host(name, own if space == "*" else space), row["to"])
        return [one for one in found if space == "*" or key_of(one)[2] == space]
