# SPDX-License-Identifier: MIT
"""The part of controllers and nodes, which no test cluster has: what they write into a status, and
the objects that keep the revisions of a workload."""

import json

from kube_api import Api

LABELS = {"app": "web"}


def pod_template(image="registry.invalid/web:1", env=()):
    return {"metadata": {"labels": LABELS}, "spec": {
        "automountServiceAccountToken": False,
        "containers": [{"name": "c", "image": image,
                        "env": [{"name": name, "value": value} for name, value in env]}]}}


def workload(kind, name, namespace, template=None, **spec):
    return {"apiVersion": "apps/v1", "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"selector": {"matchLabels": LABELS}, "template": template or pod_template(),
                     **spec}}


class Controllers:
    """Writes as a controller of the cluster would."""

    def __init__(self, cluster, namespace):
        self.api, self.namespace = Api(cluster), namespace

    def path(self, plural, name="", group="apis/apps/v1"):
        return "/".join(filter(None, [f"/{group}/namespaces/{self.namespace}/{plural}", name]))

    def get(self, plural, name, group="apis/apps/v1"):
        return self.api.ask("GET", self.path(plural, name, group))

    def status(self, plural, name, group="apis/apps/v1", **status):
        """Of the present generation, unless it says otherwise."""
        thing = self.get(plural, name, group)
        if group == "apis/apps/v1":
            status.setdefault("observedGeneration", thing["metadata"]["generation"])
        thing["status"] = status
        return self.api.ask("PUT", self.path(plural, name, group) + "/status", thing)

    def owned_by(self, owner):
        return {"apiVersion": "apps/v1", "kind": owner["kind"], "controller": True,
                "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}

    def replica_set(self, deployment, revision, template, **annotations):
        """Keeps a revision of a Deployment."""
        labels = {**LABELS, "pod-template-hash": f"h{revision}"}
        template = json.loads(json.dumps(template))
        template["metadata"]["labels"] = labels
        self.api.ask("POST", self.path("replicasets"), {
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": f"{deployment['metadata']['name']}-h{revision}",
                         "labels": labels, "ownerReferences": [self.owned_by(deployment)],
                         "annotations": {"deployment.kubernetes.io/revision": str(revision),
                                         **annotations}},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}})

    def controller_revision(self, owner, revision, template):
        name = f"{owner['metadata']['name']}-h{revision}"
        self.api.ask("POST", self.path("controllerrevisions"), {
            "apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": revision,
            "metadata": {"name": name, "labels": LABELS,
                         "ownerReferences": [self.owned_by(owner)]},
            "data": {"spec": {"template": {**template, "$patch": "replace"}}}})
        return name
