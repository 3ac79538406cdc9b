# SPDX-License-Identifier: MIT
"""Objects of the kinds that a cluster gets by custom definitions (Istio's, the Gateway API's, those
of add-ons): made from the rows of the reference table, each field with the name of an object that
is there, in each form that its row allows."""

from kube_depot import SPACE, labels, named
from kube_fields import group_of, key_of, names_in, parse_kind, steps_of
from kube_shop import ROOT_DOMAIN, thing

COPIES = 3
TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
CLUSTER_WIDE = {"ClusterIssuer", "ClusterSecretStore", "ClusterTriggerAuthentication",
                "DeviceClass", "GatewayClass", "VolumeSnapshotClass", "VolumeSnapshotContent"}


def kinds_of(table, served):
    """Kinds of the table in groups that this server does not have."""
    kinds = {row["from"] for row in table["references"]} - {"*", "PodSpec"}
    kinds |= {to for row in table["references"] for to in row["to"]}
    kinds |= {mount["kind"] for mount in table["pod_spec"]}
    return sorted(kind for kind in kinds if parse_kind(kind)[0] not in served)


def put(target, steps, value, place):
    """Writes a value at a path; in a list it comes to the first or second item. Whether there was
    room for it."""
    for number, step in enumerate(steps):
        is_last = number + 1 == len(steps)
        if step == "[]":
            while len(target) <= place % 2 and not is_last:
                target.append({})
            if is_last:
                target.append(value)
                return True
            target = target[place % 2]
            continue
        if not isinstance(target, dict) or (is_last and step in target):
            return False
        if is_last:
            target[step] = value
            return True
        target = target.setdefault(step, [] if steps[number + 1] == "[]" else {})
    return False


class Maker:
    def __init__(self, table, others):
        self.table = table
        self.by_kind = {}
        for one in others:
            self.by_kind.setdefault((group_of(one), one["kind"]), []).append(one)

    def objects(self, kinds):
        """The copies of each kind: first what they are called, since they refer to each other."""
        made = []
        for text in kinds:
            group, kind = parse_kind(text)
            for number in range(COPIES):
                namespace = None if kind in CLUSTER_WIDE else ("shop", SPACE)[number % 2]
                one = thing(f"{group}/v1", kind, f"addon-{kind.lower()}-{number}", namespace)
                self.by_kind.setdefault((group, kind), []).append(one)
                made.append((text, number, one))
        for text, number, one in made:
            self.fill(text, number, one)
            yield one

    def fill(self, text, number, one):
        rows = [row for row in self.table["references"] if row["from"] == text]
        for place, row in enumerate(rows):
            # Not every field in every copy: what is left out has its own meaning.
            if (place + number) % 4 != 3 and row["match"] != "group-kind":
                self.fill_row(one, row, place + number * 3)
        spec = one.setdefault("spec", {})
        if group_of(one) == "monitoring.coreos.com":
            spec["namespaceSelector"] = [{}, {"matchNames": ["shop"]}, {"any": True}][number]
        if text == "networking.istio.io/DestinationRule":
            spec.setdefault("host", named("service", 0))
        for mount in self.table["pod_spec"]:
            if mount["kind"] == text:
                put(one, steps_in(mount["path"], number), {
                    "serviceAccountName": named("serviceaccount", number),
                    "priorityClassName": named("priorityclass", number),
                    "volumes": [{"ephemeral": {"volumeClaimTemplate": {"spec": {
                        "storageClassName": named("storageclass", number)}}}}],
                    "resourceClaims": [
                        {"resourceClaimName": f"addon-resourceclaim-{number}"},
                        {"resourceClaimTemplateName": f"addon-resourceclaimtemplate-{number}"}],
                    "affinity": {"podAffinity": {TERMS: [
                        {"labelSelector": {"matchLabels": labels(number)}, "topologyKey": "zone",
                         "namespaces": ["shop"], "namespaceSelector": {
                             "matchLabels": {"team": "shop-team"}}}]}}}, 0)

    def annotate(self, others):
        """Annotations of Ingresses and Services that refer."""
        for number, one in enumerate(others):
            for place, row in enumerate(self.table["references"]):
                path = row["path"]
                has_class = "ingress.class" in path and "ingressClassName" in one["spec"]
                if parse_kind(row["from"]) == key_of(one)[:2] and not has_class and \
                        path.startswith("metadata.annotations[") and (place + number) % 3:
                    self.fill_row(one, row, place + number)

    def fill_row(self, one, row, place):
        target = self.target_of(row, one, place)
        value = self.value_of(row, one, target, place)
        steps = steps_in(row["path"], place)
        if value is None or not put(one, steps, value, place):
            return
        if "optional" in row:
            put(one, steps_in(row["optional"], place), place % 2 == 0, place)
        if row["match"] == "istio-subset":
            put(one, [*steps[:-1], "host"], target["spec"]["host"], place)

    def target_of(self, row, one, place):
        """Where it can be, one of the same namespace."""
        kinds = [parse_kind(kind) for kind in row["to"]] or [("", "ConfigMap")]
        found = self.by_kind.get(kinds[place % len(kinds)]) or \
            [other for kind in kinds for other in self.by_kind.get(kind, ())]
        near = [other for other in found if key_of(other)[2] == key_of(one)[2] and other is not one]
        if row["match"] == "istio-subset":
            found = near = [rule for rule in found if names_of_subsets(rule)]
        choice = near or found
        return choice[place % len(choice)] if choice else None

    def value_of(self, row, one, target, place):
        if target is None:
            return None
        group, kind, namespace, name = key_of(target)
        own = key_of(one)[2]
        match = row["match"]
        if match in ("labels", "node-selector"):
            return dict(list((target["metadata"].get("labels") or {"depot": "none"}).items())[:1])
        if match == "selector" and row["to"] == ["Namespace"]:
            return {"matchLabels": {"team": "shop-team"}}
        if match == "selector":
            return [{"matchLabels": labels(place)}, {}, {"matchExpressions": [
                {"key": "app", "operator": "In", "values": [f"depot-label-{place % 6}"]}]}][
                    place % 3]
        if "fields" in row:
            return self.object_of(row, target, own, place)
        full = f"{name}.{namespace}.{ROOT_DOMAIN}"
        texts = {
            "istio-host": [full, name, f"*.{namespace}.{ROOT_DOMAIN}"][place % 3],
            "istio-sidecar-host": [f"{namespace}/{full}", f"./{name}", "*/*"][place % 3],
            "istio-gateway": [f"{namespace}/{name}", name][place % 2],
            "istio-credential": [name, f"kubernetes://{namespace}/{name}"][place % 2],
            "istio-principal": f"cluster.local/ns/{namespace}/sa/{name}",
            "istio-export": ".",
            "url-host": [f"http://{full}:80/a", f"https://{name}.{namespace}/b",
                         f"http://u@{name}.{namespace}.svc/c?d", "https://away.example/d"][
                             place % 4],
            "slash-name": [f"{namespace}/{name}", name][place % 2],
            "mesh-provider": "otel", "wildcard-name": [name, f"{name[:-2]}*"][place % 2],
            "traefik": [name, f"{namespace}-{name}@kubernetescrd"][place % 2]}
        if match == "istio-subset":
            return names_of_subsets(target)[place % len(names_of_subsets(target))]
        return texts.get(match, name)

    @staticmethod
    def object_of(row, target, own, place):
        group, kind, namespace, name = key_of(target)
        parts = {"group": group, "apiVersion": target["apiVersion"], "kind": kind, "name": name,
                 "namespace": namespace}
        out = {}
        for part, member in row["fields"].items():
            # A server that has not made it yet gives no uid.
            if part not in parts or (part == "namespace" and namespace == own and place % 2):
                continue
            is_default = row.get("defaults", {}).get(part) == parts[part]
            if not (is_default and place % 3 == 0):
                out[member] = parts[part]
        return out


def names_of_subsets(rule):
    return [subset["name"] for subset in rule.get("spec", {}).get("subsets") or []
            if "name" in subset]


def steps_in(path, place):
    """The steps of a path, with one of the names of "{a,b}"."""
    return [step if step == "[]" else names_in(step)[place % len(names_in(step))]
            for step in steps_of(path)]
