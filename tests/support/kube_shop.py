# SPDX-License-Identifier: MIT
"""A shop of twenty services behind an Istio gateway, as Kubernetes objects.

Every name is one of a kind (a service is "orders", its deployment "orders-app", ...), so that a
reader who knows nothing of Kubernetes can find every reference by searching for names.
"""

SERVICES = """accounts basket billing catalog checkout currency delivery discounts feeds images
inventory invoices mailer orders payments ratings returns reviews search stock""".split()
ROOT_DOMAIN = "svc.cluster.local"


def thing(api, kind, name, namespace="shop", labels=None, owner=None, **members):
    metadata = {"name": name, "uid": f"uid-{kind}-{name}"}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels
    if owner:
        metadata["ownerReferences"] = [{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
            "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **members}


def pod_spec(name, number):
    spec = {
        "serviceAccountName": f"{name}-account", "automountServiceAccountToken": False,
        "containers": [{
            "name": "main", "image": "shop:1",
            "env": [{"name": "LEVEL", "valueFrom": {
                "configMapKeyRef": {"name": f"{name}-conf", "key": "level"}}}],
            "envFrom": [{"secretRef": {"name": f"{name}-secret", "optional": number % 4 == 0}}],
        }],
        "volumes": [{"name": "conf", "configMap": {"name": f"{name}-conf"}}],
    }
    if number % 5 == 0:
        spec["volumes"].append({"name": "data", "persistentVolumeClaim": {
            "claimName": f"{name}-data"}})
    if number % 3 == 0:
        spec["imagePullSecrets"] = [{"name": "registry-key"}]
    return spec


def workloads(name, number):
    labels = {"app": f"label-{name}", "part": "shop-label"}
    spec = pod_spec(name, number)
    deployment = thing("apps/v1", "Deployment", f"{name}-app", spec={
        "replicas": 0 if number == 7 else 2, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec}})
    copy = thing("apps/v1", "ReplicaSet", f"{name}-app-r", owner=deployment, labels=labels, spec={
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec}})
    pods = [thing("v1", "Pod", f"{name}-app-r-{i}", owner=copy, spec=spec,
                  labels={**labels, "version": f"v{i + 1}"}) for i in range(2)]
    yield from (deployment, copy, *pods)
    yield thing("v1", "ServiceAccount", f"{name}-account")
    yield thing("v1", "ConfigMap", f"{name}-conf", data={"level": "info"})
    yield thing("v1", "Secret", f"{name}-secret", data={})
    if number % 5 == 0:
        yield thing("v1", "PersistentVolumeClaim", f"{name}-data", spec={
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})
    if number % 2 == 0:
        yield thing("autoscaling/v1", "HorizontalPodAutoscaler", f"{name}-scaler", spec={
            "maxReplicas": 3, "scaleTargetRef": {
                "apiVersion": "apps/v1", "kind": "Deployment", "name": f"{name}-app"}})
        yield thing("policy/v1beta1", "PodDisruptionBudget", f"{name}-budget", spec={
            "selector": {"matchLabels": {"app": f"label-{name}"}}})


def routing(name, number):
    """Short, full and wildcard hosts, with and without subsets."""
    other = SERVICES[(number + 1) % len(SERVICES)]
    full = f"{name}.shop.{ROOT_DOMAIN}"
    yield thing("v1", "Service", name, spec={
        "selector": {"app": f"label-{name}"}, "ports": [{"port": 80, "protocol": "TCP"}]})
    if number % 2 == 0:
        yield thing("networking.istio.io/v1", "DestinationRule", f"{name}-rule", spec={
            "host": name if number % 4 == 0 else full,
            "subsets": [{"name": f"{name}-one", "labels": {"version": "v1"}},
                        {"name": f"{name}-two", "labels": {"version": "v2"}}]})
    destination = {"host": full if number % 3 else name}
    if number % 2 == 0:
        destination["subset"] = f"{name}-two"
    route = {"route": [{"destination": destination}]}
    if number % 6 == 0:
        route["mirror"] = {"host": other}
    gateways = ["infra/edge-gate"] + (["mesh"] if number % 2 else [])
    yield thing("networking.istio.io/v1", "VirtualService", f"{name}-route", spec={
        "hosts": [f"{name}.shop.example"] + ([name] if number % 2 else []),
        "gateways": gateways, "http": [route]})
    yield thing("security.istio.io/v1", "AuthorizationPolicy", f"{name}-callers", spec={
        "selector": {"matchLabels": {"app": f"label-{name}"}},
        "rules": [{"from": [{"source": {
            "principals": [f"cluster.local/ns/shop/sa/{other}-account"]}}]}]})
    if number % 3 == 0:
        yield thing("networking.k8s.io/v1", "NetworkPolicy", f"{name}-wall", spec={
            "podSelector": {"matchLabels": {"app": f"label-{name}"}}})
    if number % 7 == 0:
        yield thing("networking.k8s.io/v1", "Ingress", f"{name}-door", spec={
            "tls": [{"secretName": "shop-tls"}],
            "rules": [{"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {
                "service": {"name": name, "port": {"number": 80}}}}]}}]})
    if number % 8 == 0:
        yield thing("gateway.networking.k8s.io/v1", "HTTPRoute", f"{name}-lane", spec={
            "parentRefs": [{"name": "lanes", "namespace": "infra"}],
            "rules": [{"backendRefs": [{"name": name, "port": 80}]}]})


def objects():
    yield thing("v1", "Namespace", "shop", None)
    yield thing("v1", "Namespace", "infra", None)
    yield thing("v1", "Secret", "registry-key", data={})
    yield thing("v1", "Secret", "shop-tls", data={})
    yield thing("v1", "Secret", "edge-cert", "infra", data={})
    yield thing("v1", "Pod", "edge-proxy", "infra", labels={"istio": "edge-label"}, spec={
        "serviceAccountName": "edge-account", "automountServiceAccountToken": False,
        "containers": [{"name": "proxy", "image": "shop:1"}]})
    yield thing("v1", "ServiceAccount", "edge-account", "infra")
    yield thing("networking.istio.io/v1", "Gateway", "edge-gate", "infra", spec={
        "selector": {"istio": "edge-label"},
        "servers": [{"hosts": ["*/*.shop.example"], "tls": {"credentialName": "edge-cert"}}]})
    yield thing("gateway.networking.k8s.io/v1", "GatewayClass", "lane-class", None, spec={})
    yield thing("gateway.networking.k8s.io/v1", "Gateway", "lanes", "infra", spec={
        "gatewayClassName": "lane-class"})
    yield thing("networking.istio.io/v1", "ServiceEntry", "bank-entry", spec={
        "hosts": ["api.bank.example"]})
    yield thing("networking.istio.io/v1", "VirtualService", "bank-route", spec={
        "hosts": ["api.bank.example"],
        "http": [{"route": [{"destination": {"host": "api.bank.example"}}]}]})
    yield thing("networking.istio.io/v1", "Sidecar", "shop-view", spec={
        "egress": [{"hosts": ["./accounts", "*/api.bank.example"]}]})
    yield thing("rbac.authorization.k8s.io/v1", "Role", "shop-reader", rules=[])
    yield thing("rbac.authorization.k8s.io/v1", "RoleBinding", "shop-readers",
                roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                         "name": "shop-reader"},
                subjects=[{"kind": "ServiceAccount", "name": "mailer-account",
                           "namespace": "shop"}])
    for number, name in enumerate(SERVICES):
        yield from workloads(name, number)
        yield from routing(name, number)
