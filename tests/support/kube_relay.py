# SPDX-License-Identifier: MIT
"""A relay before the API server that ends TLS on both sides: it sees what goes over the wire."""

import asyncio
import ssl
import threading


class Relay:
    """Serves on `url` with the server's own certificate. Tells a connection's two sides the same
    protocol, out of `offered` (ALPN)."""

    def __init__(self, cluster, offered):
        self.offered = offered
        self.protocols = []  # Of each connection, as it was negotiated.
        self.sent = []       # What came from the client on each.
        self._port = cluster.port
        self._front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._front.load_cert_chain(cluster.folder / "server.crt", cluster.folder / "server.key")
        self._front.set_alpn_protocols(offered)
        self._ca = cluster.folder / "ca.crt"
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._front))
        self.url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader, writer):
        protocol = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        number = len(self.protocols)
        self.protocols.append(protocol)
        self.sent.append(b"")
        back = ssl.create_default_context(cafile=self._ca)
        back.set_alpn_protocols([protocol or "http/1.1"])
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port,
                                                                     ssl=back)

        async def pump(source, target, note):
            while data := await source.read(65536):
                note(data)
                target.write(data)
                await target.drain()
            target.close()

        def note(data):
            self.sent[number] += data

        await asyncio.gather(pump(reader, server_writer, note),
                             pump(server_reader, writer, lambda _: None), return_exceptions=True)
