# SPDX-License-Identifier: MIT
"""What stands between a worker and a provider: something that ends TLS, and a forward proxy."""

import asyncio
import ssl
import subprocess

from listener import Listener, pump


def make_certificate(folder):
    """(certificate, key) of an authority of its own for 127.0.0.1, as paths."""
    certificate, key = folder / "own.crt", folder / "own.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
                    "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"],
                   check=True, capture_output=True)
    return certificate, key


async def join(reader, writer, port, first=b""):
    back_reader, back_writer = await asyncio.open_connection("127.0.0.1", port)
    back_writer.write(first)
    await asyncio.gather(pump(reader, back_writer), pump(back_reader, writer),
                         return_exceptions=True)


class TlsEnd(Listener):
    """https before a plain server."""

    def __init__(self, port, certificate, key):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        self._to = port
        super().__init__(tls)

    async def serve(self, reader, writer):
        await join(reader, writer, self._to)


class Proxy(Listener):
    """A forward proxy (RFC 9110, 7.3.2 and 9.3.6). Every name it is asked for is `port` here."""

    def __init__(self, port):
        self._to = port
        self.asked = []  # The first line of each connection.
        super().__init__()

    async def serve(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        line, rest = head.split(b"\r\n", 1)
        self.asked.append(line.decode())
        method, target, version = line.split(b" ")
        if method == b"CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            return await join(reader, writer, self._to)
        path = b"/" + target.split(b"/", 3)[3]
        await join(reader, writer, self._to,
                   b" ".join([method, path, version]) + b"\r\n" + rest)
