# SPDX-License-Identifier: MIT
"""The server's side of kube.exec, in place of a kubelet: a WebSocket, frame by frame, so that it
can also be said what no server says."""

import base64
import hashlib
import json
import socket
import struct

V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
OUT, ERR, STATUS = 1, 2, 3
BINARY, CLOSE, PING, PONG = 0x82, 0x88, 0x89, 0x8a

POD = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web", "namespace": "shop"},
       "spec": {"containers": [
           {"name": "app", "env": [{"name": "DB_PASSWORD", "value": "very-hidden-5"}]}]},
       "status": {"phase": "Running", "containerStatuses": [
           {"name": "app", "state": {"running": {}}}]}}
PODS = "/api/v1/namespaces/shop/pods"
PATH = f"{PODS}/web"
ALLOWED = [{"context": "stub", "namespaces": ["shop"], "argv": [["*"]]}]


def frame(payload: bytes, first=BINARY) -> bytes:
    size = len(payload)
    if size < 126:
        return bytes([first, size]) + payload
    if size < 65536:
        return bytes([first, 126]) + struct.pack(">H", size) + payload
    return bytes([first, 127]) + struct.pack(">Q", size) + payload


def say(channel: int, text) -> bytes:
    return frame(bytes([channel]) + (text if isinstance(text, bytes) else text.encode()))


def status(**members) -> bytes:
    """As kubelets and runtimes marshal it: Go's metav1.Status, without TypeMeta."""
    return say(STATUS, json.dumps({"metadata": {}, **members}, separators=(",", ":")))


def exit_with(code) -> bytes:
    if code == 0:
        return status(status="Success")
    return status(status="Failure",
                  message="command terminated with non-zero exit code: error executing command "
                          f"[sh], exit code {code}", reason="NonZeroExitCode",
                  details={"causes": [{"reason": "ExitCode", "message": str(code)}]})


def failed(message) -> bytes:
    return status(status="Failure", message="Internal error occurred: " + message,
                  reason="InternalError", details={"causes": [{"message": message}]}, code=500)


def bye(code=1000, reason="") -> bytes:
    return frame(struct.pack(">H", code) + reason.encode(), CLOSE)


class Exec:
    """An answer for Stub.paths: opens a WebSocket, says `script` (bytes, or functions that are
    given the connection and return some), and closes, perhaps by a reset. `input` has what came on
    channel 0."""

    def __init__(self, *script, speaks=(V5, V4), headers=(), closes=True, resets=False):
        self.script, self.speaks, self.headers = script, speaks, headers
        self.closes, self.resets = closes, resets
        self.stub = None
        self.input = b""
        self.protocol = ""

    def __call__(self, connection):
        asked = self.stub.requests[-1][2]
        offered = asked["sec-websocket-protocol"].split(", ")
        self.protocol = next((one for one in self.speaks if one in offered), "")
        key = hashlib.sha1((asked["sec-websocket-key"] + GUID).encode()).digest()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {base64.b64encode(key).decode()}",
                 f"Sec-WebSocket-Protocol: {self.protocol}", *self.headers]
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        try:
            for part in self.script:
                connection.sendall(part(connection) or b"" if callable(part) else part)
            if self.resets:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif self.closes:
                self.wait_for_end(connection)
            if self.closes:
                connection.close()
        except OSError:
            pass  # The worker has had enough.

    @staticmethod
    def wait_for_end(connection):
        """Closed with input that nobody read, a connection is reset, and what the kernel has not
        sent yet is lost: a pong that comes at this moment would do that."""
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        while connection.recv(65536):
            pass

    def read_input(self, connection):
        """Reads until the client says that its input has ended, and repeats it on stdout."""
        file = connection.makefile("rb")
        while True:
            first, size = file.read(2)
            assert size & 0x80, "a client masks what it sends"
            size &= 0x7f
            if size >= 126:
                size = int.from_bytes(file.read(2 if size == 126 else 8), "big")
            mask, payload = file.read(4), file.read(size)
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
            if first == PONG:
                continue
            assert first == BINARY, first
            if payload[0] == 255:
                assert payload == b"\xff\x00"
                return b"".join(say(OUT, self.input[i:i + 32768])
                                for i in range(0, len(self.input), 32768))
            assert payload[0] == 0
            self.input += payload[1:]


def serve(stub, answer):
    stub.paths[f"{PATH}/exec"] = answer
    if isinstance(answer, Exec):
        answer.stub = stub


def run(spool, stem, *argv, **members):
    answer = spool.call(stem, "kube.exec", {"name": "web", "namespace": "shop",
                                            "argv": list(argv) or ["true"], **members})
    print(json.dumps(answer))  # A test that fails shows it.
    return answer
