# SPDX-License-Identifier: MIT
"""A server of a test's own, for what stands between two programs."""

import asyncio
import threading


async def pump(reader, writer, note=lambda data: None):
    """Carries bytes to their end, and shows them to `note`."""
    while data := await reader.read(65536):
        note(data)
        writer.write(data)
        await writer.drain()
    writer.close()


class Listener:
    """Serves on 127.0.0.1 in a thread of its own until stop()."""

    def __init__(self, tls=None):
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=tls))
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    async def serve(self, reader, writer):
        raise NotImplementedError

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
