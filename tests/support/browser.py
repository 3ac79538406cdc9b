# SPDX-License-Identifier: MIT
"""Chromium without a window, driven by its DevTools protocol over two pipes."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time


class Browser:
    """One page. Use it as a context manager; None of its methods waits for ever."""

    def __init__(self, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # The protocol wants descriptors 3 and 4, whatever they are here.
        script = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$@\""
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", shutil.which("chromium"), "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             f"--user-data-dir={folder}/profile", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._ids = itertools.count(1)
        self._buffer = b""
        self._session = None
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=page["targetId"],
                                   flatten=True)["sessionId"]
        self._call("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)

    def _call(self, method, timeout=60, **params):
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            while b"\0" in self._buffer:
                text, self._buffer = self._buffer.split(b"\0", 1)
                answer = json.loads(text)
                if answer.get("id") == number:
                    assert "error" not in answer, answer
                    return answer["result"]
            ready = select.select([self._in], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, f"{method}: no answer in {timeout} s"
            self._buffer += os.read(self._in, 1 << 20)

    def open(self, url, width=1280, height=900, media=None, scheme="light"):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=width < 600)
        self._call("Emulation.setEmulatedMedia", media=media or "",
                   features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'", 60)

    def run(self, expression):
        """The value of JavaScript in the page."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait(self, expression, timeout=30):
        deadline = time.monotonic() + timeout
        while not self.run(expression):
            assert time.monotonic() < deadline, expression

    def press(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                       windowsVirtualKeyCode={"Tab": 9, "Enter": 13}.get(key, 0), **more)

    def picture(self, path, full=True):
        if full:
            height = self.run("document.documentElement.scrollHeight")
            shot = self._call("Page.captureScreenshot", captureBeyondViewport=True, clip={
                "x": 0, "y": 0, "width": self.run("innerWidth"), "height": min(height, 6000),
                "scale": 1})
        else:
            shot = self._call("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path):
        path.write_bytes(base64.b64decode(self._call("Page.printToPDF",
                                                     printBackground=True)["data"]))
