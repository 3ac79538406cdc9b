# SPDX-License-Identifier: MIT
"""Runs of `filecall agent` on a scripted model, in a root with a folder of files: what the tests of
it share. Their fixtures are imported by name."""

import json

import pytest

from harness import Client
from llm_lines import write_lines


def plan(*actions, done=False, **members):
    text = {"commentary": "next", "actions": [{"tool": t, "args": a} for t, a in actions],
            "done": done, **members}
    return {"reply": json.dumps(text)}


def turn(number, line):
    return {"when": {"turn": number, "any": "Goal: "}, **line}


REPORT = {"when": {"last": "write the report"}, "reply": "Nothing to add."}


@pytest.fixture
def place(start_worker, spool, folder):
    """place(*lines) -> a client on a worker with a scripted model and a folder of files, `work`."""
    work = folder / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\ntwo\n")

    def start(*lines, prices=None, **members):
        write_lines(folder / "demo.jsonl", lines)
        demo = {"kind": "script", "script": str(folder / "demo.jsonl"),
                "models": ["demo-1", "demo-2"]}
        if prices is not None:
            demo["prices"] = {"demo-1": {"input": prices, "output": prices}}
        worker = start_worker(config={
            "llm": {"providers": {"demo": demo}},
            "file": {"roots": [str(work)], "writable": [str(work)]},
            "tool": {"allow": ["echo", "false"], "roots": [str(work)]}, **members})
        client = Client(spool, folder)
        client.work = work
        client.worker = worker
        client.environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                              "USER": "ada"}
        client.ours = lambda *words, **options: client.run(*words, env=client.environment,
                                                           **options)
        client.agent = lambda *words, **options: client.ours("agent", *words, "--durability",
                                                             "none", **options)
        client.begin = lambda *words: client.start("agent", *words, "--durability", "none",
                                                   env=client.environment)
        return client

    return start


@pytest.fixture
def scenario(folder):
    """scenario(**members) -> a file with a scenario that sees files, tools and todos."""
    def write(**members):
        path = folder / "trial.yaml"
        path.write_text(json.dumps({
            "name": "trial", "description": "A trial.", "instructions": "You are careful.",
            "tools": ["file.*", "tool.run", "todo.*"], **members}))
        return str(path)
    return write


def result_of(done):
    return json.loads(done.stdout)


def read(path):
    return ("file.read", {"files": [path]})
