# SPDX-License-Identifier: MIT
"""The plain HTTP interface of a test cluster, over one kept connection: hundreds of objects are
written and read faster than kubectl does it."""

import http.client
import json
import ssl
import time

# Events are no part of what is there; the other name of the group of ingresses shows them twice.
LEFT_OUT = {("", "Event"), ("events.k8s.io", "Event"), ("extensions", "Ingress")}


class Api:
    def __init__(self, cluster):
        context = ssl.create_default_context(cafile=cluster.folder / "ca.crt")
        context.load_cert_chain(cluster.folder / "admin.crt", cluster.folder / "admin.key")
        self.connection = http.client.HTTPSConnection("127.0.0.1", cluster.port, context=context)
        self.served = {}

    def ask(self, method, path, body=None, missing=None):
        """The answer; `missing` for a 404 when that is given."""
        self.connection.request(method, path, json.dumps(body) if body else None,
                                {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status == 404 and missing is not None:
            return missing
        assert answer.status < 300, (method, path, answer.status, text[:2000])
        return json.loads(text)

    def learn(self):
        """What is served: {(apiVersion, kind): row of discovery}, preferred versions first."""
        paths = {"v1": "/api/v1"}
        for group in self.ask("GET", "/apis")["groups"]:
            versions = [row["groupVersion"] for row in group["versions"]]
            versions.sort(key=lambda version: version != group["preferredVersion"]["groupVersion"])
            paths |= {version: f"/apis/{version}" for version in versions}
        none = {"resources": []}  # Named already, not yet served.
        self.served = {(version, row["kind"]): {**row, "path": path}
                       for version, path in paths.items()
                       for row in self.ask("GET", path, missing=none)["resources"]
                       if "/" not in row["name"]}

    def learn_of(self, wanted):
        """A definition that is established is served a moment later."""
        wanted, end = set(wanted), time.monotonic() + 30
        while not wanted <= self.served.keys():
            assert time.monotonic() < end, wanted - self.served.keys()
            self.learn()

    def collection(self, thing):
        row = self.served[thing["apiVersion"], thing["kind"]]
        namespace = thing["metadata"].get("namespace")
        return "/".join(filter(None, [row["path"], namespace and f"namespaces/{namespace}",
                                      row["name"]]))

    def create(self, objects):
        """Owners stand before what they own; their uids are written anew."""
        uids = {}
        for thing in objects:
            metadata = dict(thing["metadata"])
            old = metadata.pop("uid", None)
            if "ownerReferences" in metadata:
                metadata["ownerReferences"] = [
                    {**owner, "uid": uids[owner["uid"]]} for owner in metadata["ownerReferences"]]
            made = self.ask("POST", self.collection(thing), {**thing, "metadata": metadata})
            uids[old] = made["metadata"]["uid"]

    def everything(self):
        """All objects of the cluster, as they are."""
        seen = set()
        for (version, kind), row in self.served.items():
            group = version.rpartition("/")[0]
            if (group, kind) in seen | LEFT_OUT or "list" not in row["verbs"]:
                continue
            seen.add((group, kind))
            for item in self.ask("GET", f"{row['path']}/{row['name']}")["items"]:
                yield {**item, "apiVersion": version, "kind": kind}
