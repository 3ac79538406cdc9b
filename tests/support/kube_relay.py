# SPDX-License-Identifier: MIT
"""A relay before the API server that ends TLS on both sides: it sees what goes over the wire."""

import asyncio
import ssl

from listener import Listener, pump


class Relay(Listener):
    """Serves on `url` with the server's own certificate. Tells a connection's two sides the same
    protocol, out of `offered` (ALPN)."""

    def __init__(self, cluster, offered):
        self.offered = offered
        self.protocols = []  # Of each connection, as it was negotiated.
        self.sent = []       # What came from the client on each.
        self._port = cluster.port
        front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        front.load_cert_chain(cluster.folder / "server.crt", cluster.folder / "server.key")
        front.set_alpn_protocols(offered)
        self._ca = cluster.folder / "ca.crt"
        super().__init__(front)
        self.url = f"https://127.0.0.1:{self.port}"

    async def serve(self, reader, writer):
        protocol = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        number = len(self.protocols)
        self.protocols.append(protocol)
        self.sent.append(b"")
        back = ssl.create_default_context(cafile=self._ca)
        back.set_alpn_protocols([protocol or "http/1.1"])
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port,
                                                                     ssl=back)

        def note(data):
            self.sent[number] += data

        await asyncio.gather(pump(reader, server_writer, note),
                             pump(server_reader, writer), return_exceptions=True)
