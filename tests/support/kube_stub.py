# SPDX-License-Identifier: MIT
"""An HTTP server in place of an API server, for what the real one never says.

Answers come from recorded exchanges or misbehave on purpose; what arrives is kept. Without TLS (the
default) no credentials reach it.
"""

import copy
import json
import socket
import threading

NAMESPACES = {"name": "pods", "singularName": "", "namespaced": True, "kind": "Pod",
              "verbs": ["get", "list", "watch"], "shortNames": ["po"]}
# What a server of version 1.20 says; `paths` of a Stub come before it.
OLD_DISCOVERY = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [NAMESPACES]},
}


def http(status, body, content_type="application/json", headers=()):
    text = body if isinstance(body, str) else json.dumps(body)
    data = text.encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}",
             f"Content-Length: {len(data)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


def status(code, reason, message, **details):
    return http(code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                       "reason": reason, "message": message, "details": details})


class Stub:
    """`paths`: path without query -> answer: an object, bytes as they are, or a function that is
    given the connection and the request line and does what it likes with them."""

    def __init__(self, paths, tls=None):
        self.paths = {**copy.deepcopy(OLD_DISCOVERY), **paths}  # A test may add to it.
        self.tls = tls
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.held = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def config(self) -> dict:
        return {"apiVersion": "v1", "kind": "Config",
                "clusters": [{"name": "stub", "cluster": {"server": self.url}}],
                "contexts": [{"name": "stub", "context": {"cluster": "stub"}}],
                "current-context": "stub"}

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        if self.tls:
            try:
                connection = self.tls.wrap_socket(connection, server_side=True)
            except OSError:
                return  # The client refused it.
        file = connection.makefile("rb")
        while True:
            line = file.readline().decode()
            if not line:
                return
            headers = {}
            for header in iter(lambda: file.readline().decode().strip(), ""):
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip()
            body = file.read(int(headers.get("content-length", 0)))
            method, target = line.split()[:2]
            if target.startswith("http://"):  # A proxy is asked so.
                target = "/" + target.split("/", 3)[3]
            self.requests.append((method, target, headers, body))
            answer = self.paths.get(target.partition("?")[0],
                                    status(404, "NotFound", "not found"))
            if callable(answer):
                answer(connection)
                return
            connection.sendall(answer if isinstance(answer, bytes) else http(200, answer))

    def stop(self):
        self.listener.close()
