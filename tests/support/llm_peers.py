# SPDX-License-Identifier: MIT
"""Servers of npm that imitate providers of language models (llm-peers beside this file)."""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

PROGRAM = Path(__file__).resolve().with_name("llm-peers")
KEY = "sk-known-to-the-peer-0123456789"
# It has no way to take any free port but this.
EXPRESS = """
const [folder] = process.argv.slice(1);
const app = require(`${folder}/mock-openai-api/dist/app.js`).default;
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
"""


def missing() -> str:
    """One line that says what is missing here; empty when the servers can be started."""
    done = subprocess.run([PROGRAM, "check"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


class Peer:
    """One running server on 127.0.0.1. Whoever makes it stops it."""

    def __init__(self, argv, folder, env=None):
        self.log = Path(folder) / "peer.stderr"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=log, text=True,
                                            env={**os.environ, **(env or {})})
        for line in self.process.stdout:
            if "listening on http://127.0.0.1:" in line:
                self.url = line.split()[-1]
                break
        else:
            raise AssertionError("the peer did not start: " + self.log.read_text())

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)


def modules() -> Path:
    found = subprocess.run([PROGRAM, "path"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()) / "node_modules"


def start_aimock(folder, fixtures, *flags) -> Peer:
    """Answers as the fixtures say, to whoever has KEY: Chat Completions, Responses, Embeddings,
    Messages. What no fixture is for is refused."""
    path = Path(folder) / "fixtures.json"
    path.write_text(json.dumps({"fixtures": fixtures}))
    return Peer(["node", modules() / "@copilotkit/aimock/dist/cli.js", "--port", 0, "--fixtures",
                 path, "--strict", "--validate-on-load", *flags], folder, {"AIMOCK_API_KEYS": KEY})


def start_express(folder) -> Peer:
    """mock-openai-api: an Express application with answers of its own to Chat Completions."""
    return Peer(["node", "-e", EXPRESS, modules()], folder)
