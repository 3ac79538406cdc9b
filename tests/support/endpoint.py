# SPDX-License-Identifier: MIT
"""A scriptable provider of language models (llm_endpoint/), and what it saw."""

import json
import os
import subprocess
from pathlib import Path

import harness


def endpoint_program() -> Path:
    beside = harness.worker_program().parent / "llm-endpoint"
    return beside if beside.exists() else harness.program("llm-endpoint", "FILECALL_LLM_ENDPOINT")


class Endpoint:
    """One running endpoint. Use the fixture, which ends it."""

    def __init__(self, folder, *arguments):
        self.log = Path(folder) / "endpoint.jsonl"
        self.log.touch()
        self.process = subprocess.Popen(
            [str(endpoint_program()), "--log", str(self.log), *map(str, arguments)],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().split()[1])

    def start_again(self, *arguments):
        """At the same address, after stop()."""
        self.__init__(self.log.parent, "--port", self.port, *arguments)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def calls(self) -> list:
        """One entry a call: t_ns, connection, path, key, body, model."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def config(self, **members) -> dict:
        """A worker's configuration with the three kinds of provider at this endpoint."""
        common = {"base_url": self.url + "/v1", "profile": "generic",
                  "api_key_env": "TEST_LLM_KEY", **members}
        return {"llm": {"default": "chat", "providers": {
            "chat": {"kind": "openai", **common},
            "responses": {"kind": "openai-responses", **common},
            "messages": {"kind": "anthropic", **common, "profile": "anthropic"},
        }}}


KEY = "sk-marker-0123456789abcdef"


def environment() -> dict:
    """The worker's own environment without anything of this machine's providers."""
    return {"TEST_LLM_KEY": KEY, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": "",
            "ANTHROPIC_API_KEY": "", "http_proxy": "", "https_proxy": "",
            **({"PATH": os.environ["PATH"]})}
