# SPDX-License-Identifier: MIT
"""Beside the shop (kube_shop): objects of the kinds that every cluster has and a shop shows nothing
of, with names in a namespace of their own. Each stands several times and refers to another one."""

from kube_shop import ROOT_DOMAIN, SERVICES, thing

SPACE = "depot"
COPIES = 6
WAYPOINT = {"istio.io/use-waypoint": "addon-gateway-1"}
RBAC = "rbac.authorization.k8s.io"
CSI = "csi.storage.k8s.io"


def named(kind, number):
    """The copies stand in a ring: the last one refers to the first."""
    return f"depot-{kind}-{number % COPIES}"


def labels(number):
    return {"app": f"depot-label-{number % COPIES}", "group": f"depot-group-{number % 2}"}


def local(api, kind, number, **members):
    return thing(api, kind, named(kind.lower(), number), SPACE, **members)


def wide(api, kind, number, **members):
    return thing(api, kind, named(kind.lower(), number), None, **members)


def ref(kind, number):
    return {"name": named(kind, number), "namespace": SPACE}


def pod_spec(number):
    """Of each reference of a pod that this server takes, spread over the copies."""
    key = {"name": named("secret", number)}
    sources = [
        {"configMap": {"name": named("configmap", number), "optional": number % 3 == 0}},
        {"secret": {"secretName": named("secret", number + 1)}},
        {"projected": {"sources": [{"configMap": {"name": named("configmap", number + 1)}},
                                   {"secret": {"name": named("secret", number + 2)}}]}},
        {"persistentVolumeClaim": {"claimName": named("persistentvolumeclaim", number)}},
        {"csi": {"driver": named("csidriver", number), "nodePublishSecretRef": key}},
        {"azureFile": {"secretName": key["name"], "shareName": "x"}},
        {"cephfs": {"monitors": ["m"], "secretRef": key}},
        {"cinder": {"volumeID": "x", "secretRef": key}},
        {"flexVolume": {"driver": "a/b", "secretRef": key}},
        {"iscsi": {"targetPortal": "p", "iqn": "iqn.2015-02.example.com:test", "lun": 0,
                   "secretRef": key}},
        {"rbd": {"monitors": ["m"], "image": "i", "secretRef": key}},
        {"scaleIO": {"gateway": "g", "system": "s", "volumeName": "v", "secretRef": key}},
        {"storageos": {"volumeName": "v", "secretRef": key}},
        {"glusterfs": {"endpoints": named("endpoints", number), "path": "p"}}]
    return {
        "automountServiceAccountToken": False,
        "serviceAccountName": named("serviceaccount", number),
        "priorityClassName": named("priorityclass", number),
        "runtimeClassName": named("runtimeclass", number),
        "nodeSelector": {"disk": f"depot-disk-{number % 3}"},
        "subdomain": named("service", number),
        "imagePullSecrets": [{"name": named("secret", number + 3)}],
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": labels(number + 1)}, "topologyKey": "zone",
             **({"namespaces": ["shop", SPACE]} if number % 2 else {})}]}},
        "initContainers": [{"name": "first", "image": "depot:1", "envFrom": [
            {"configMapRef": {"name": named("configmap", number + 2),
                              "optional": number % 2 == 0}}]}],
        "containers": [{"name": "main", "image": "depot:1", "env": [
            {"name": "A", "valueFrom": {"configMapKeyRef": {
                "name": named("configmap", number + 3), "key": "k"}}},
            {"name": "B", "valueFrom": {"secretKeyRef": {
                "name": named("secret", number + 4), "key": "k", "optional": True}}}]}],
        # Two of them in each pod.
        "volumes": [{"name": f"v{place}", **sources[place % len(sources)]}
                    for place in (number, number + 5, number + 9)]}


def template(number, **more):
    return {"metadata": {"labels": labels(number)}, "spec": {**pod_spec(number), **more}}


def workloads(number):
    selected = {"selector": {"matchLabels": labels(number)}, "template": template(number)}
    yield local("v1", "ConfigMap", number, data={"k": "v"})
    secret = local("v1", "Secret", number, data={})
    if number % 2:
        secret["type"] = "kubernetes.io/service-account-token"
        secret["metadata"]["annotations"] = {
            "kubernetes.io/service-account.name": named("serviceaccount", number)}
    yield secret
    yield local("v1", "ServiceAccount", number,
                secrets=[{"name": named("secret", number + 1)}],
                imagePullSecrets=[{"name": named("secret", number + 2)}])
    yield local("v1", "PodTemplate", number, template=template(number))
    yield local("v1", "ReplicationController", number, spec={
        "selector": labels(number), "template": template(number)})
    made = local("apps/v1", "DaemonSet", number, spec=selected)
    yield made
    yield local("apps/v1", "StatefulSet", number, spec={
        **selected, "serviceName": named("service", number + 1), "replicas": number % 2})
    job = local("batch/v1", "Job", number, spec={
        "template": template(number, restartPolicy="Never")})
    yield job
    yield local("batch/v1beta1", "CronJob", number, spec={
        "schedule": "* * * * *", "suspend": number % 2 == 0, "jobTemplate": {"spec": {
            "template": template(number, restartPolicy="Never")}}})
    yield thing("v1", "Pod", named("pod", number), SPACE, labels=labels(number), owner=made,
                spec={**pod_spec(number), "nodeName": named("node", number)})
    yield thing("v1", "Pod", named("bare", number), SPACE, spec={
        **pod_spec(number + 1), "restartPolicy": "Never"}, labels={
            **labels(number), **WAYPOINT})
    yield local("autoscaling/v1", "HorizontalPodAutoscaler", number, spec={
        "maxReplicas": 3, "scaleTargetRef": [
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": named("statefulset", number)},
            {"kind": "ReplicationController", "apiVersion": "v1",
             "name": named("replicationcontroller", number)}][number % 2]})
    yield local("policy/v1beta1", "PodDisruptionBudget", number, spec={"selector": {
        "matchExpressions": [{"key": "app", "operator": "In",
                              "values": [f"depot-label-{number}", "depot-label-none"]}]}})


def traffic(number):
    other = f"{SERVICES[number]}.shop.{ROOT_DOMAIN}"
    of_others = {"istio.io/use-waypoint": "lanes", "istio.io/use-waypoint-namespace": "infra"}
    yield thing("v1", "Service", named("service", number), SPACE, labels={
        **labels(number), **(WAYPOINT if number % 2 else of_others)}, spec={
        "selector": {} if number == 5 else labels(number),
        "ports": [{"port": 80, "protocol": "TCP"}]})
    yield thing("v1", "Service", named("alias", number), SPACE, spec={
        "type": "ExternalName",
        "externalName": [other, f"{named('service', number)}.{SPACE}.svc", "away.example"][
            number % 3]})
    yield thing("v1", "Endpoints", named("service", number), SPACE, subsets=[{"addresses": [
        {"ip": f"10.1.1.{number + 1}", "targetRef": {"kind": "Pod", **ref("pod", number)}}]}])
    yield local("v1", "Endpoints", number, subsets=[{"addresses": [
        {"ip": f"10.1.2.{number + 1}"}], "ports": [{"port": 1}]}])
    yield thing("discovery.k8s.io/v1beta1", "EndpointSlice", named("slice", number), SPACE,
                labels={"kubernetes.io/service-name": named("service", number)},
                addressType="IPv4", endpoints=[{
                    "addresses": ["10.1.1.1"], "topology": {},
                    "targetRef": {"kind": "Pod", **ref("pod", number)}}])
    yield wide("networking.k8s.io/v1", "IngressClass", number, spec={
        "controller": "depot.example/c"})
    backend = {"service": {"name": named("service", number), "port": {"number": 80}}}
    spare = {"service": {"name": named("service", number + 2), "port": {"number": 80}}}
    yield local("networking.k8s.io/v1", "Ingress", number, spec={
        **({"ingressClassName": named("ingressclass", number)} if number % 2 else {}),
        "tls": [{"secretName": named("secret", number)}], "rules": [{"http": {"paths": [
            {"path": "/", "pathType": "Prefix", "backend": backend},
            {"path": "/b", "pathType": "Prefix", "backend": spare},
            {"path": "/c", "pathType": "Prefix", "backend": {"resource": {
                "apiGroup": "gateway.networking.k8s.io", "kind": "HTTPRoute",
                "name": "addon-httproute-1"}}}]}}],
        **({"defaultBackend": spare} if number % 2 else {})})
    peers = [{"podSelector": {"matchLabels": labels(number + 1)}},
             {"namespaceSelector": {"matchLabels": {"team": "shop-team"}},
              "podSelector": {"matchLabels": {"app": f"label-{SERVICES[number]}"}}}]
    yield local("networking.k8s.io/v1", "NetworkPolicy", number, spec={
        "podSelector": {"matchLabels": labels(number)}, "egress": [{"to": peers}],
        "ingress": [{"from": peers[:1 + number % 2]}]})


def storage(number):
    claim = {"accessModes": ["ReadWriteOnce"], "storageClassName": named("storageclass", number),
             "resources": {"requests": {"storage": "1Gi"}}}
    source = {"kind": "PersistentVolumeClaim", "name": named("persistentvolumeclaim", number + 1)}
    yield local("v1", "PersistentVolumeClaim", number, spec={
        **claim, "volumeName": named("persistentvolume", number),
        **({"dataSource": source} if number % 2 else {"selector": {
            "matchLabels": {"disks": f"depot-disks-{number % 2}"}}})})
    sources = [
        {"csi": {"driver": named("csidriver", number), "volumeHandle": "h",
                 "controllerPublishSecretRef": ref("secret", number),
                 "nodeStageSecretRef": ref("secret", number + 1),
                 "controllerExpandSecretRef": ref("secret", number + 2)}},
        {"cephfs": {"monitors": ["m"], "secretRef": ref("secret", number)}},
        {"iscsi": {"targetPortal": "p", "iqn": "iqn.2015-02.example.com:test", "lun": 0,
                   "secretRef": ref("secret", number)}},
        {"azureFile": {"secretName": named("secret", number), "shareName": "s",
                       "secretNamespace": SPACE}},
        {"glusterfs": {"endpoints": named("endpoints", number), "path": "p",
                       "endpointsNamespace": SPACE}},
        {"rbd": {"monitors": ["m"], "image": "i", "secretRef": ref("secret", number)}}]
    others = [
        {"cinder": {"volumeID": "x", "secretRef": ref("secret", number)}},
        {"flexVolume": {"driver": "a/b", "secretRef": ref("secret", number)}},
        {"scaleIO": {"gateway": "g", "system": "s", "volumeName": "v",
                     "secretRef": ref("secret", number)}},
        {"storageos": {"volumeName": "v", "secretRef": {
            **ref("secret", number), "kind": "Secret"}}}]
    yield thing("v1", "PersistentVolume", named("spare", number), None,
                labels={"disks": f"depot-disks-{number % 2}"}, spec={
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                    **others[number % len(others)]})
    needed = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "disk", "operator": "In", "values": [f"depot-disk-{number % 3}"]}]}]}}
    yield wide("v1", "PersistentVolume", number, spec={
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
        "storageClassName": named("storageclass", number), **sources[number],
        "persistentVolumeReclaimPolicy": ["Retain", "Delete"][number % 2],
        "claimRef": {**ref("persistentvolumeclaim", number), "kind": "PersistentVolumeClaim"},
        **({"nodeAffinity": needed} if number % 2 else {})})
    uses = ["provisioner", "controller-publish", "node-stage", "node-publish", "controller-expand"]
    yield wide("storage.k8s.io/v1", "StorageClass", number, provisioner=named("csidriver", number),
               parameters={f"{CSI}/{use}-secret-{part}": value
                           for place, use in enumerate(uses) if (place + number) % 2
                           for part, value in (("name", named("secret", number + place)),
                                               ("namespace", SPACE))})
    yield wide("storage.k8s.io/v1", "CSIDriver", number, spec={})
    yield thing("storage.k8s.io/v1", "CSINode", named("node", number), None, spec={"drivers": [
        {"name": named("csidriver", number), "nodeID": "n"}]})
    yield wide("storage.k8s.io/v1", "VolumeAttachment", number, spec={
        "attacher": named("csidriver", number + 1), "nodeName": named("node", number),
        "source": {"persistentVolumeName": named("persistentvolume", number)}})


def cluster_wide(number):
    yield thing("v1", "Node", named("node", number), None,
                labels={"disk": f"depot-disk-{number % 3}"})
    yield wide("scheduling.k8s.io/v1", "PriorityClass", number, value=number)
    yield wide("node.k8s.io/v1", "RuntimeClass", number, handler="h",
               scheduling={"nodeSelector": {"disk": f"depot-disk-{number % 3}"}})
    service = {"name": named("service", number), "namespace": SPACE}
    hook = {"name": "h.depot.example", "clientConfig": {"service": service},
            "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "failurePolicy": ["Fail", "Ignore"][number % 2],
            "namespaceSelector": {"matchLabels": {"team": "shop-team"}},
            "rules": [{"apiGroups": ["none.example"], "apiVersions": ["v1"],
                       "operations": ["CREATE"], "resources": ["nones"]}]}
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        yield wide("admissionregistration.k8s.io/v1", kind, number, webhooks=[hook])
    yield wide("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", number, spec={
        "type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}})
    account = ref("serviceaccount", number)
    yield wide("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", number, spec={
        "priorityLevelConfiguration": {"name": named("prioritylevelconfiguration", number)},
        "rules": [{"subjects": [{"kind": "ServiceAccount", "serviceAccount": account}],
                   "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/none"]}]}]})
    yield local(f"{RBAC}/v1", "Role", number, rules=[])
    aggregated = {"aggregationRule": {"clusterRoleSelectors": [
        {"matchLabels": {"depot": f"role-{(number + 1) % COPIES}"}}]}}
    yield thing(f"{RBAC}/v1", "ClusterRole", named("clusterrole", number), None, rules=[],
                labels={"depot": f"role-{number}"}, **(aggregated if number % 2 else {}))
    subject = {"kind": "ServiceAccount", **account}
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": named("clusterrole", number)}
    yield wide(f"{RBAC}/v1", "ClusterRoleBinding", number, subjects=[subject], roleRef=role)
    yield local(f"{RBAC}/v1", "RoleBinding", number, subjects=[subject], roleRef=[
        role, {**role, "kind": "Role", "name": named("role", number)}][number % 2])


def objects():
    yield thing("v1", "Namespace", SPACE, None, labels={"team": "shop-team", **WAYPOINT})
    yield thing("v1", "ConfigMap", "istio", "istio-system", data={"mesh": ""})
    parts = [list(part(number)) for part in (cluster_wide, storage, workloads, traffic)
             for number in range(COPIES)]
    for made in parts:
        yield from made
