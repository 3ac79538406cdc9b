# SPDX-License-Identifier: MIT
"""What the shop itself does not show of references: wildcards, exportTo, the mesh's root, names
that are taken twice, several owners, volumes. Beside kube_shop.objects() in the same cluster."""

from kube_shop import ROOT_DOMAIN, thing

ISTIO = "networking.istio.io/v1"
SECURITY = "security.istio.io/v1"
MESH = "istio-system"


def service(name, namespace, selector=None, annotations=None):
    made = thing("v1", "Service", name, namespace, spec={
        "selector": selector or {}, "ports": [{"port": 80, "protocol": "TCP"}]})
    made["metadata"]["annotations"] = annotations or {}
    return made


def rule(name, namespace, host, *subsets, **members):
    return thing(ISTIO, "DestinationRule", name, namespace, spec={
        "host": host, "subsets": [{"name": text, "labels": {"version": text}} for text in subsets],
        **members})


def route(name, namespace, *destinations, **members):
    """Destinations are "host" or "host|subset"."""
    made = [dict(zip(("host", "subset"), text.split("|"))) for text in destinations]
    return thing(ISTIO, "VirtualService", name, namespace, spec={
        "hosts": [f"{name}.example"],
        "http": [{"route": [{"destination": one}]} for one in made], **members})


def entry(name, namespace, *hosts, **members):
    return thing(ISTIO, "ServiceEntry", name, namespace, spec={"hosts": list(hosts), **members})


def hosts():
    shop = f"shop.{ROOT_DOMAIN}"
    yield service("accounts", "infra", {"istio": "edge-label"})  # The shop has one as well.
    yield service("private", "infra", annotations={"networking.istio.io/exportTo": "."})
    yield service("lent", "infra", annotations={"networking.istio.io/exportTo": f"shop,{MESH}"})
    yield rule("all-rule", "infra", f"*.{shop}", "v1", "v9")
    yield rule("own-rule", "infra", "accounts", "v1", "v3", exportTo=["."])
    yield rule("lost-rule", "infra", "nobody", "v1")
    yield route("short", "infra", "accounts|v3", "accounts|v1")
    yield route("other", "shop", f"accounts.infra.{ROOT_DOMAIN}|v3")  # own-rule is not seen here.
    yield route("many", "infra", f"orders.{shop}|v9", f"payments.{shop}|orders-two")
    yield route("unseen", "shop", f"private.infra.{ROOT_DOMAIN}", f"lent.infra.{ROOT_DOMAIN}")
    yield route("seen", "infra", f"private.infra.{ROOT_DOMAIN}", f"lent.infra.{ROOT_DOMAIN}")
    yield route("halves", "infra", "orders.shop", "orders.shop.svc")  # Istio completes neither.
    yield route("inner", "shop", "orders", hosts=[f"*.{shop}"], exportTo=["infra", "."])
    yield route("outer", "shop", hosts=["outer.example"], gateways=["infra/edge-gate"], http=[
        {"delegate": {"name": "inner"}},
        {"match": [{"gateways": ["twin-gate", "./none"], "sourceNamespace": "infra"}],
         "route": [{"destination": {"host": "stock"}}],
         "mirrors": [{"destination": {"host": "search", "subset": "search-one"}}]}])
    for name in ("accounts", "billing", "feeds", "orders", "stock"):
        yield route(f"root-{name}", "shop", gateways=["infra/edge-gate"],
                    http=[{"delegate": {"name": f"{name}-route"}}])
    yield entry("wild", "infra", "*.wild.example", exportTo=["."])
    yield entry("half-wild", "shop", "*.b.wild.example", "c.wild.example", exportTo=["*"])
    yield route("wild-here", "infra", "a.wild.example", "x.b.wild.example")
    yield route("wild-there", "shop", "a.wild.example", "c.wild.example", "d.b.wild.example")
    yield route("short-entry", "infra", "*.example")
    yield entry("weighed", "shop", "weighed.example", workloadSelector={
        "labels": {"app": "label-orders"}})


def views():
    yield thing(ISTIO, "Sidecar", "infra-view", "infra", spec={"egress": [{"hosts": [
        "./*", "shop/*", f"*/orders.shop.{ROOT_DOMAIN}", "~/*", "shop/c.wild.example",
        f"{MESH}/*"]}], "workloadSelector": {"labels": {"istio": "edge-label"}}})
    yield thing(ISTIO, "Gateway", "twin-gate", "shop", spec={
        "selector": {"istio": "nobody"}, "servers": [
            {"hosts": ["*"], "tls": {"credentialName": "twin-cert"}},
            {"hosts": ["*"], "tls": {"credentialName": "kubernetes://infra/twin-cert"}}]})
    yield thing(ISTIO, "Gateway", "near-gate", "shop", spec={
        "selector": {"istio": "edge-label"}, "servers": [
            {"hosts": ["*"], "tls": {"credentialName": "twin-cert"}}]})
    yield thing("v1", "Secret", "twin-cert", "shop", data={})
    yield thing("v1", "Secret", "twin-cert", "infra", data={})


def policies():
    part = {"matchLabels": {"part": "shop-label"}}
    yield thing(SECURITY, "AuthorizationPolicy", "mesh-callers", MESH, spec={
        "selector": part, "rules": [{"from": [{"source": {
            "principals": ["cluster.local/ns/shop/sa/*", "*/sa/edge-account"],
            "notPrincipals": ["cluster.local/ns/shop/sa/mailer*"],
            "serviceAccounts": ["shop/orders-account", "edge-account"],
            "namespaces": ["sh*", "nowhere"]}}]}]})
    yield thing(SECURITY, "AuthorizationPolicy", "infra-callers", "infra", spec={
        "selector": part, "targetRefs": [{"kind": "Service", "group": "", "name": "accounts"}]})
    yield thing("networking.k8s.io/v1", "NetworkPolicy", "infra-wall", "infra", spec={
        "podSelector": {}, "ingress": [
            {"from": [{"podSelector": {"matchLabels": {"version": "v1"}}}]},
            {"from": [{"namespaceSelector": {"matchLabels": {"team": "shop-team"}},
                       "podSelector": {"matchExpressions": [
                           {"key": "app", "operator": "In",
                            "values": ["label-orders", "label-stock"]},
                           {"key": "version", "operator": "NotIn", "values": ["v1"]}]}}]},
            {"from": [{"namespaceSelector": {"matchExpressions": [
                {"key": "team", "operator": "Exists"}]}}]}]})
    for number, policy in enumerate(["Fail", "Ignore"]):
        yield thing("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
                    f"hook-{policy.lower()}", None, webhooks=[{
                        "name": "h.shop.example", "failurePolicy": policy, "sideEffects": "None",
                        "clientConfig": {"service": {"name": "stock", "namespace": "shop"}},
                        "admissionReviewVersions": ["v1"], "rules": [{
                            "apiGroups": ["none.example"], "apiVersions": [f"v{number}"],
                            "operations": ["CREATE"], "resources": ["nones"]}]}])
    for name, subjects in [
            ("everyone", [{"kind": "Group", "name": "system:serviceaccounts:shop"}]),
            ("two", [{"kind": "User", "name": "system:serviceaccount:shop:stock-account"},
                     {"kind": "ServiceAccount", "name": "edge-account", "namespace": "infra"}])]:
        yield thing("rbac.authorization.k8s.io/v1", "RoleBinding", f"{name}-binding", "infra",
                    roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                             "name": "view"},
                    subjects=[{"apiGroup": "" if one["kind"] == "ServiceAccount" else
                               "rbac.authorization.k8s.io", **one} for one in subjects])


def storage():
    yield thing("storage.k8s.io/v1", "StorageClass", "disks", None, provisioner="disk.example",
                parameters={"csi.storage.k8s.io/node-stage-secret-name": "disk-key",
                            "csi.storage.k8s.io/node-stage-secret-namespace": "infra"})
    yield thing("storage.k8s.io/v1", "CSIDriver", "disk.example", None, spec={})
    yield thing("v1", "Secret", "disk-key", "infra", data={})
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
             "storageClassName": "disks"}
    labels = {"app": "label-base"}
    yield thing("apps/v1", "StatefulSet", "base", spec={
        "serviceName": "base", "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {
            "automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "shop:1"}]}},
        "volumeClaimTemplates": [{"metadata": {"name": "files"}, "spec": claim}]})
    yield service("base", "shop", labels)
    for number, policy in enumerate(["Retain", "Delete"]):
        volume = f"volume-{number}"
        yield thing("v1", "PersistentVolumeClaim", f"files-base-{number}",
                    spec={**claim, "volumeName": volume})
        yield thing("v1", "PersistentVolume", volume, None, spec={
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "disks", "persistentVolumeReclaimPolicy": policy,
            "claimRef": {"name": f"files-base-{number}", "namespace": "shop"},
            "csi": {"driver": "disk.example", "volumeHandle": "h", "nodePublishSecretRef": {
                "name": "disk-key", "namespace": "infra"}}})


def owners():
    one = thing("v1", "ConfigMap", "owner-one", data={})
    two = thing("v1", "ConfigMap", "owner-two", data={})
    both = thing("v1", "ConfigMap", "owned", owner=one, data={})
    second = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner-two",
              "uid": two["metadata"]["uid"]}
    both["metadata"]["ownerReferences"] = [
        {**both["metadata"]["ownerReferences"][0], "controller": False}, second]
    labels = {"app": "label-edge", "istio": "edge-label"}
    spec = {"selector": {"matchLabels": labels}, "template": {
        "metadata": {"labels": labels}, "spec": {
            "automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "shop:1", "envFrom": [
                {"configMapRef": {"name": "owned"}}]}]}}}
    deployment = thing("apps/v1", "Deployment", "far-edge", spec=spec)
    copy = thing("apps/v1", "ReplicaSet", "far-edge-r", owner=deployment, labels=labels, spec=spec)
    pods = [thing("v1", "Pod", f"far-edge-r-{number}", owner=copy, labels=labels,
                  spec=spec["template"]["spec"]) for number in range(2)]
    resting = thing("batch/v1beta1", "CronJob", "resting", spec={
        "schedule": "* * * * *", "suspend": True, "jobTemplate": {"spec": {"template": {
            "spec": {**spec["template"]["spec"], "restartPolicy": "Never"}}}}})
    yield from (one, two, both, deployment, copy, *pods, resting)


def objects():
    yield thing("v1", "Namespace", MESH, None)
    for part in (hosts, views, policies, storage, owners):
        yield from part()
