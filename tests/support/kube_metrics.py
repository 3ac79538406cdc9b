# SPDX-License-Identifier: MIT
"""A metrics API beside a test cluster: a small HTTPS server that the real API server hands requests
to (an APIService of a Service of the type ExternalName)."""

import http.server
import json
import ssl
import subprocess
import threading

VERSION = "metrics.k8s.io/v1beta1"
ROOT = f"/apis/{VERSION}"
KINDS = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": VERSION, "resources": [
    {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics",
     "verbs": ["get", "list"]},
    {"name": "nodes", "singularName": "", "namespaced": False, "kind": "NodeMetrics",
     "verbs": ["get", "list"]}]}


def measured(name, namespace=None, **members):
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
            "timestamp": "2026-01-01T00:00:00Z", "window": "30s", **members}


class Metrics:
    """`lists`: "pods" or "nodes" -> what is measured."""

    def __init__(self, cluster, lists):
        self.lists, self.cluster, self.is_stopped = lists, cluster, False
        folder = cluster.folder
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-keyout", folder / "metrics.key", "-out",
                        folder / "metrics.crt"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "metrics.crt", folder / "metrics.key")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        cluster.create(
            {"apiVersion": "v1", "kind": "Service", "metadata": {
                "name": "measures", "namespace": "kube-system"},
             "spec": {"type": "ExternalName", "externalName": "localhost"}})
        # This server cannot apply one (it breaks off).
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(
            {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
             "metadata": {"name": "v1beta1.metrics.k8s.io"},
             "spec": {"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100,
                      "versionPriority": 100, "insecureSkipTLSVerify": True,
                      "service": {"name": "measures", "namespace": "kube-system",
                                  "port": self.server.server_address[1]}}}))

    def answer(self, path):
        if path == ROOT:
            return KINDS
        parts = path.removeprefix(ROOT).strip("/").split("/")
        namespace = parts[1] if parts[0] == "namespaces" else None
        plural, *name = parts[2:] if namespace else parts
        items = [item for item in self.lists.get(plural, [])
                 if namespace in (None, item["metadata"].get("namespace"))]
        kind = "PodMetrics" if plural == "pods" else "NodeMetrics"
        if not name:
            return {"kind": f"{kind}List", "apiVersion": VERSION, "metadata": {}, "items": items}
        found = [item for item in items if item["metadata"]["name"] == name[0]]
        return {"kind": kind, "apiVersion": VERSION, **found[0]} if found else {
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
            "reason": "NotFound", "message": "no metrics known",
            "details": {"name": name[0], "group": "metrics.k8s.io", "kind": plural}}

    def _handler(self):
        metrics = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if metrics.is_stopped:  # Connections are kept.
                    self.close_connection = True
                    return
                body = metrics.answer(self.path.partition("?")[0])
                data = json.dumps(body).encode()
                self.send_response(body.get("code", 200))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        return Handler

    def stop(self):
        self.is_stopped = True
        self.server.shutdown()
        self.server.server_close()

    def forget(self):
        self.cluster.kubectl("delete", "apiservice", "v1beta1.metrics.k8s.io")
        self.stop()
