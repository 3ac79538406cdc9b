# SPDX-License-Identifier: MIT
"""Every kind that the reference table knows, created in a real API server and read from it.

Kinds that this server has itself are written here as it demands them; the others (Istio's, the
Gateway API's, newer ones, add-ons') are installed as custom ones and made from the table's rows.
"""

import json
import re
from pathlib import Path

import pytest

from conftest_shared import own_cluster
from test_kube_get_resource import crd

TABLE = json.loads((Path(__file__).resolve().parents[2] /
                    "worker/exec/kube/model/reference_table.json").read_text())
SPACE = "kinds"
CLUSTER_WIDE = {"ClusterIssuer", "ClusterSecretStore", "ClusterTriggerAuthentication",
                "DeviceClass", "GatewayClass", "VolumeSnapshotClass", "VolumeSnapshotContent"}
# Newer kinds in groups that this server has itself: custom ones cannot be put beside its own.
NEWER = {"admissionregistration.k8s.io/MutatingAdmissionPolicy",
         "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
         "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
         "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
         "certificates.k8s.io/ClusterTrustBundle", "scheduling.k8s.io/PodGroup",
         "storage.k8s.io/CSIStorageCapacity", "storage.k8s.io/VolumeAttributesClass"}
POD = {"automountServiceAccountToken": False, "serviceAccountName": "a", "nodeName": "kinds-n",
       "nodeSelector": {"disk": "fast"}, "priorityClassName": "kinds-p", "subdomain": "s",
       "runtimeClassName": "kinds-r", "imagePullSecrets": [{"name": "pull"}],
       "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
           {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone"}]}},
       "containers": [{"name": "c", "image": "registry.invalid/a:1",
                       "env": [{"name": "A", "valueFrom": {
                           "configMapKeyRef": {"name": "conf", "key": "k"}}},
                               {"name": "B", "valueFrom": {
                                   "secretKeyRef": {"name": "keys", "key": "k"}}}],
                       "envFrom": [{"configMapRef": {"name": "conf"}},
                                   {"secretRef": {"name": "keys"}}]}],
       "volumes": [{"name": f"v{i}", **source} for i, source in enumerate([
           {"configMap": {"name": "conf"}}, {"secret": {"secretName": "keys"}},
           {"projected": {"sources": [{"configMap": {"name": "conf"}},
                                      {"secret": {"name": "keys"}}]}},
           {"persistentVolumeClaim": {"claimName": "claim"}},
           {"csi": {"driver": "d.example", "nodePublishSecretRef": {"name": "keys"}}},
           {"azureFile": {"secretName": "keys", "shareName": "x"}},
           {"cephfs": {"monitors": ["m"], "secretRef": {"name": "keys"}}},
           {"cinder": {"volumeID": "x", "secretRef": {"name": "keys"}}},
           {"flexVolume": {"driver": "a/b", "secretRef": {"name": "keys"}}},
           {"iscsi": {"targetPortal": "p", "iqn": "iqn.2015-02.example.com:test", "lun": 0,
                      "secretRef": {"name": "keys"}}},
           {"rbd": {"monitors": ["m"], "image": "i", "secretRef": {"name": "keys"}}},
           {"scaleIO": {"gateway": "g", "system": "s", "volumeName": "v",
                        "secretRef": {"name": "keys"}}},
           {"storageos": {"volumeName": "v", "secretRef": {"name": "keys"}}},
           {"glusterfs": {"endpoints": "e", "path": "p"}}])]}
LABELS = {"app": "kinds"}
TEMPLATE = {"metadata": {"labels": LABELS},
            "spec": {key: value for key, value in POD.items() if key != "nodeName"}}
ONCE = {"metadata": {"labels": LABELS}, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SELECTED = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
REFERENCE = {"kind": "Service", "name": "s", "namespace": SPACE}
PEERS = [{"podSelector": {"matchLabels": {"a": "b"}}},
         {"namespaceSelector": {"matchLabels": {"a": "b"}}}]
CLIENT = {"service": {"name": "s", "namespace": SPACE}}
HOOK = {"name": "h.kinds.example", "clientConfig": CLIENT, "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "namespaceSelector": {"matchLabels": {"a": "b"}},
        "rules": [{"apiGroups": ["none.example"], "apiVersions": ["v1"], "operations": ["CREATE"],
                   "resources": ["nones"]}]}
BACKEND = {"service": {"name": "s", "port": {"number": 80}}}
ACCOUNT = {"kind": "ServiceAccount", "name": "a", "namespace": SPACE}
VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
          "storageClassName": "kinds-c", "claimRef": {"name": "claim", "namespace": SPACE}}
EVENT = {"reason": "R", "type": "Normal"}


def thing(api, kind, name="kinds-x", labels=None, annotations=None, **members):
    """Cluster-wide where the server says so: it ignores the namespace then."""
    metadata = {"name": name, "labels": labels or {}, "annotations": annotations or {}}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **members}


def volume(name, **source):
    return thing("v1", "PersistentVolume", f"kinds-{name}", spec={**VOLUME, **source})


def ref(name="keys"):
    return {"name": name, "namespace": SPACE}


NATIVE = [
    thing("v1", "Namespace", labels={"istio.io/use-waypoint": "w"}),
    thing("v1", "Node", "kinds-n"),
    thing("node.k8s.io/v1", "RuntimeClass", "kinds-r", handler="h",
          scheduling={"nodeSelector": {"disk": "fast"}}),
    thing("scheduling.k8s.io/v1", "PriorityClass", "kinds-p", value=1),
    thing("v1", "ConfigMap"),
    thing("v1", "Secret", type="kubernetes.io/service-account-token",
          annotations={"kubernetes.io/service-account.name": "a"}),
    thing("v1", "ServiceAccount", "a", secrets=[{"name": "keys"}],
          imagePullSecrets=[{"name": "pull"}]),
    thing("v1", "Pod", spec=POD),
    thing("v1", "PodTemplate", template=TEMPLATE),
    thing("v1", "ReplicationController", spec={"selector": LABELS, "template": TEMPLATE}),
    thing("apps/v1", "ReplicaSet", spec=SELECTED),
    thing("apps/v1", "Deployment", spec=SELECTED),
    thing("apps/v1", "DaemonSet", spec=SELECTED),
    thing("apps/v1", "StatefulSet", spec={
        **SELECTED, "serviceName": "s", "volumeClaimTemplates": [
            {"metadata": {"name": "data"}, "spec": {
                "storageClassName": "kinds-c", "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}}}}]}),
    thing("batch/v1", "Job", spec={"template": ONCE}),
    thing("batch/v1beta1", "CronJob", spec={"schedule": "* * * * *",
                                            "jobTemplate": {"spec": {"template": ONCE}}}),
    thing("v1", "Service", labels={"istio.io/use-waypoint": "w"}, spec={
        "selector": LABELS, "ports": [{"port": 80, "protocol": "TCP"}]}),
    thing("v1", "Service", "kinds-e", spec={"type": "ExternalName",
                                            "externalName": "s.kinds.svc.cluster.local"}),
    thing("v1", "Endpoints", subsets=[{"addresses": [{
        "ip": "10.1.1.1", "targetRef": {"kind": "Pod", **ref("p")}}]}]),
    thing("discovery.k8s.io/v1beta1", "EndpointSlice", addressType="IPv4",
          labels={"kubernetes.io/service-name": "s"}, endpoints=[{
              "addresses": ["10.1.1.1"], "nodeName": "kinds-n",
              "targetRef": {"kind": "Pod", **ref("p")}}]),
    thing("v1", "Event", involvedObject=REFERENCE, **EVENT),
    thing("events.k8s.io/v1", "Event", "kinds-y", regarding=REFERENCE, related=REFERENCE,
          eventTime="2026-01-01T00:00:00.000000Z", action="A", reportingController="x.example/c",
          reportingInstance="i", **EVENT),
    thing("networking.k8s.io/v1", "Ingress", annotations={
        "nginx.ingress.kubernetes.io/auth-secret": "kinds/keys",
        "nginx.ingress.kubernetes.io/auth-tls-secret": "kinds/keys",
        "cert-manager.io/cluster-issuer": "i", "cert-manager.io/issuer": "i"}, spec={
            "ingressClassName": "kinds-x", "defaultBackend": BACKEND, "tls": [{"secretName": "t"}],
            "rules": [{"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {
                "resource": {"apiGroup": "a.example", "kind": "Bucket", "name": "b"}}},
                {"path": "/s", "pathType": "Prefix", "backend": BACKEND}]}}]}),
    thing("networking.k8s.io/v1", "IngressClass", spec={
        "controller": "a.example/c",
        "parameters": {"apiGroup": "a.example", "kind": "Settings", "name": "p"}}),
    thing("networking.k8s.io/v1", "NetworkPolicy", spec={
        "podSelector": {"matchLabels": LABELS}, "ingress": [{"from": PEERS}],
        "egress": [{"to": PEERS}]}),
    thing("autoscaling/v1", "HorizontalPodAutoscaler", spec={"maxReplicas": 2, "scaleTargetRef": {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "kinds-x"}}),
    thing("policy/v1beta1", "PodDisruptionBudget", spec={"selector": {"matchLabels": LABELS}}),
    thing("v1", "PersistentVolumeClaim", spec={
        "volumeName": "kinds-x", "storageClassName": "kinds-c", "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}, "selector": {"matchLabels": {"a": "b"}},
        "dataSource": {"kind": "PersistentVolumeClaim", "name": "other"}}),
    volume("csi", csi={"driver": "d.example", "volumeHandle": "h",
                       "controllerPublishSecretRef": ref(), "nodeStageSecretRef": ref(),
                       "nodePublishSecretRef": ref(), "controllerExpandSecretRef": ref()}),
    volume("cephfs", cephfs={"monitors": ["m"], "secretRef": ref()}),
    volume("iscsi", iscsi={"targetPortal": "p", "iqn": "iqn.2015-02.example.com:test", "lun": 0,
                           "secretRef": ref()}, nodeAffinity={"required": {"nodeSelectorTerms": [
                               {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]}}),
    volume("azure", azureFile={"secretName": "keys", "shareName": "s", "secretNamespace": SPACE}),
    thing("storage.k8s.io/v1", "StorageClass", "kinds-c", provisioner="d.example", parameters={
        f"csi.storage.k8s.io/{use}-secret-{part}": value
        for use in ("provisioner", "controller-publish", "node-stage", "node-publish",
                    "controller-expand")
        for part, value in (("name", "keys"), ("namespace", SPACE))}),
    thing("storage.k8s.io/v1", "CSIDriver", "d.example", spec={}),
    thing("storage.k8s.io/v1", "CSINode", "kinds-n", spec={
        "drivers": [{"name": "d.example", "nodeID": "n"}]}),
    thing("storage.k8s.io/v1", "VolumeAttachment", spec={
        "attacher": "d.example", "nodeName": "kinds-n",
        "source": {"persistentVolumeName": "kinds-csi"}}),
    thing("rbac.authorization.k8s.io/v1", "Role", rules=[]),
    thing("rbac.authorization.k8s.io/v1", "ClusterRole", rules=[], aggregationRule={
        "clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}),
    thing("rbac.authorization.k8s.io/v1", "RoleBinding", subjects=[ACCOUNT], roleRef={
        "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kinds-x"}),
    thing("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", subjects=[ACCOUNT], roleRef={
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kinds-x"}),
    thing("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhooks=[HOOK]),
    thing("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", webhooks=[HOOK]),
    thing("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration", spec={
        "type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}),
    thing("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", spec={
        "priorityLevelConfiguration": {"name": "kinds-x"}, "rules": [{
            "subjects": [{"kind": "ServiceAccount", "serviceAccount": ref("a")}],
            "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/none"]}]}]}),
    thing("apiregistration.k8s.io/v1", "APIService", "v1.none.example", spec={
        "group": "none.example", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
        "insecureSkipTLSVerify": True, "service": ref("s")}),
]


@pytest.fixture(scope="module")
def cluster():
    """A server of its own: what is created here concerns everything that stands in one."""
    for started in own_cluster():
        started.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
        yield started


def kind_of(made):
    return "/".join(filter(None, [made["apiVersion"].rpartition("/")[0], made["kind"]]))


def split_kind(text):
    group, _, kind = text.rpartition("/")
    return group, kind


def steps_of(path):
    """`spec.rules[].host`, `["a/b"]`, `{a,b}` as [(key, is a list), ...]."""
    found = re.findall(r'\["([^"]+)"\]|\{?([^.\[\]{}]+)\}?(\[\])?', path)
    return [(quoted or plain.split(",")[0], bool(each)) for quoted, plain, each in found]


def put(target, steps, value):
    (key, is_list), rest = steps[0], steps[1:]
    if not rest:
        target[key] = [value] if is_list else value
    elif is_list:
        items = target.setdefault(key, [{}])
        put(items[0], rest, value)
    else:
        put(target.setdefault(key, {}), rest, value)


def value_for(row):
    match = row["match"]
    if match in ("selector",):
        return {"matchLabels": {"a": "b"}}
    if match in ("labels", "node-selector"):
        return {"a": "b"}
    texts = {"istio-host": "web.kinds.svc.cluster.local", "url-host": "http://web.kinds.svc:80",
             "istio-principal": "cluster.local/ns/kinds/sa/a", "istio-gateway": "kinds/g",
             "istio-sidecar-host": "kinds/web.kinds.svc.cluster.local", "slash-name": "kinds/x",
             "host": "web.kinds.svc.cluster.local"}
    if "fields" not in row:
        return texts.get(match, "x")
    known = row["to"][0] if row["to"] else "example.com/Widget"
    group, kind = split_kind(known)
    given = {"group": group, "kind": kind, "name": "x", "namespace": SPACE, "uid": "u",
             "apiVersion": f"{group}/v1" if group else "v1"}
    return {name: given[field] for field, name in row["fields"].items() if field in given}


def made_from_rows(kind_text):
    """One object that has every field of its kind which the table knows."""
    group, kind = split_kind(kind_text)
    made = thing(f"{group}/v1", kind)
    for row in TABLE["references"]:
        steps = steps_of(row["path"])
        if row["from"] == kind_text and steps[-1] != ("metadata", False):
            put(made, steps, value_for(row))
            if row["match"] == "istio-subset":
                put(made, [*steps[:-1], ("host", False)], "web.kinds.svc.cluster.local")
    for place in TABLE["pod_spec"]:
        if place["kind"] == kind_text:
            put(made, steps_of(place["path"]), {"serviceAccountName": "a"})
    return made


def places(value, steps, at=""):
    """JSON pointers of what a path of the table leads to."""
    if not steps:
        return [at]
    (key, is_list), rest = steps[0], steps[1:]
    if not isinstance(value, dict) or key not in value:
        return []
    below = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
    if not is_list:
        return places(value[key], rest, below)
    return [place for i, item in enumerate(value[key])
            for place in places(item, rest, f"{below}/{i}")]


def kinds_of_table():
    kinds = {row["from"] for row in TABLE["references"]} - {"*", "PodSpec"}
    kinds |= {to for row in TABLE["references"] for to in row["to"]}
    return (kinds | {place["kind"] for place in TABLE["pod_spec"]}) - NEWER


def rows_of(kind_text):
    """The table's rows for a kind, those of its pod template included, with their whole paths."""
    for row in TABLE["references"]:
        if row["from"] == kind_text:
            yield row, row["path"]
    for place in TABLE["pod_spec"]:
        if place["kind"] == kind_text:
            for row in TABLE["references"]:
                if row["from"] == "PodSpec":
                    yield row, f"{place['path']}.{row['path']}"


def install(cluster, kinds):
    definitions = []
    for kind_text in kinds:
        group, kind = split_kind(kind_text)
        definition = crd(group, kind)
        definition["spec"]["scope"] = "Cluster" if kind in CLUSTER_WIDE else "Namespaced"
        definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": "https://x.invalid"}
        definitions.append(definition)
    cluster.create(*definitions)
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all")


def served_kinds(spool, stem):
    found = spool.call(stem, "kube.apiResources", {"allVersions": True, "refresh": True})
    return {"/".join(filter(None, [item["apiVersion"].rpartition("/")[0], item["kind"]])):
            item["namespaced"] for item in found["data"]["resources"]}


def check(spool, i, kind_text, made):
    """Reads what was created; how many references of the table were found in it."""
    params = {"kind": made["kind"], "apiVersion": made["apiVersion"],
              "name": made["metadata"]["name"], "namespace": SPACE}
    answer = spool.call(f"get-{i}", "kube.getResource", params)
    assert answer["status"] == "success", (kind_text, answer)
    found = {row["path"] for row in answer["data"]["referencedResources"]}
    seen = 0
    for row, path in rows_of(kind_text):
        if row.get("when") == "mesh":
            continue  # This one has gateways instead.
        # Fields that this server does not have yet are dropped by it.
        expected = places(answer["data"]["sanitizedManifest"], steps_of(path))
        missing = set(expected) - found
        assert not missing, (kind_text, row["match"], missing)
        seen += len(expected)
    impact = spool.call(f"impact-{i}", "kube.analyzeImpact", params)
    assert impact["status"] == "success", (kind_text, impact)
    return seen


def test_every_kind_of_the_reference_table_is_created_and_its_references_are_read(
        spool, kube_worker, cluster):
    kube_worker()
    own = served_kinds(spool, "before").keys()
    known = {row["from"] for row in TABLE["references"]} | set(TABLE["without_references"])
    known |= {place["kind"] for place in TABLE["pod_spec"]}
    assert own <= known, "a kind of the server itself that the table does not know"
    install(cluster, sorted(kinds_of_table() - own))
    # A kind that is established is served a moment later.
    served = next(served for i in range(100) for served in [served_kinds(spool, f"after-{i}")]
                  if kinds_of_table() <= served.keys())
    definitions = {"apiextensions.k8s.io/CustomResourceDefinition"}  # Those that were installed.
    missing = kinds_of_table() - {kind_of(made) for made in NATIVE} - definitions
    everything = [*NATIVE, *map(made_from_rows, sorted(missing))]
    for made in everything:
        if served[kind_of(made)]:
            made["metadata"]["namespace"] = SPACE
    # An apply of an APIService makes this server panic.
    items = {"apiVersion": "v1", "kind": "List", "items": everything}
    cluster.kubectl("create", "--validate=false", "-f", "-", stdin=json.dumps(items))
    seen = sum(check(spool, i, kind_of(made), made) for i, made in enumerate(everything))
    assert seen > 440
