# SPDX-License-Identifier: MIT
"""The table of paths in docs/protocol.md, against names in the source and a root that was used."""

import json
import re

import pytest

import kube_stub
from endpoint import environment
from harness import TOOLS, TOP, Spool

PAGE = (TOP / "docs/protocol.md").read_text(encoding="utf-8")
LAYOUT = (TOP / "ipc-schema/spool/layout.h").read_text(encoding="utf-8")


def paths_of_table():
    table = PAGE.split("\n## The root\n")[1].split("\n**The request id**")[0]
    rows = [line.split("|")[1] for line in table.replace("\\|", "/").splitlines()
            if line.startswith("| `")]
    return [path for row in rows for path in re.findall(r"`([^`]+)`", row)]


def pattern_of(path):
    return re.compile(re.sub(r"\\\{.*?\\\}", ".+", re.escape(path)))


def directories_of(paths):
    return {"/".join(path.split("/")[:depth]) for path in paths
            for depth in range(1, path.count("/") + 1)}


def test_no_path_is_there_twice():
    paths = paths_of_table()
    assert len(paths) == len(set(paths)) > 20


def test_every_name_of_the_layout_is_in_the_table():
    """Layout is the one owner of names: what it joins with a literal."""
    paths = paths_of_table()
    names = set(paths) | directories_of(paths)
    joined = re.findall(r"(root_|home_|\w+\(\)) \+ \"/([^\"]+)\"", LAYOUT)
    assert len(joined) > 20
    folder = {"root_": "", "home_": "", "threads()": "threads/", "approvals()": "approvals/",
              "worker()": "worker/", "client()": "client/", "eval()": "eval/"}
    made = [folder[place] + name for place, name in joined]
    assert [name for name in made if name not in names] == []


def test_the_picture_names_every_folder():
    drawn = (TOP / "docs/pictures/directory.svg").read_text(encoding="utf-8")
    for name in sorted({path.split("/")[0] for path in paths_of_table()}):
        assert f">{name}/" in drawn, name


@pytest.fixture
def kubeconfig(folder):
    stub = kube_stub.Stub({"/version": {"gitVersion": "v1.30.0"}})
    path = folder / "kubeconfig"
    path.write_text(json.dumps(stub.config()))
    yield path
    stub.stop()


def test_a_root_that_was_used_holds_nothing_else(spool, client, spec, folder, endpoint, kubeconfig):
    path = folder / "worker.yaml"
    path.write_text(json.dumps({**TOOLS, **endpoint.config(),
                                "kube": {"kubeconfig": str(kubeconfig)}}))
    started = client.run("worker", "start", "--worker-config", path, "--durability", "journal",
                         env=environment())
    assert started.returncode == 0, started.stderr
    try:
        use(client, spool, spec, folder)
        before = found_in(spool)
    finally:
        assert client.run("worker", "stop").returncode == 0
    known = [pattern_of(name) for name in paths_of_table()]
    folders = directories_of(paths_of_table())
    seen = before | found_in(spool)
    assert {"runs/latest", "worker/launch.json", "worker/log", "client/state.db"} < seen
    assert any(name.startswith("eval/") for name in seen)
    assert any(name.startswith("events/") for name in seen)
    assert any(name.startswith("failed/") for name in seen)
    assert [name for name in sorted(seen) if name not in folders
            and not any(one.fullmatch(name) for one in known)] == []


def found_in(spool: Spool) -> set:
    return {str(path.relative_to(spool.root)) for path in spool.root.rglob("*")}


def use(client, spool, spec, folder):
    batch = folder / "batch.jsonl"
    batch.write_text("\n".join(json.dumps(one) for one in [
        {"request_id": "said", "command": "llm.chat", "stream": True,
         "params": {"model": "m", "messages": [{"role": "user", "content": "say Paris"}]}},
        {"request_id": "ran", "command": "tool.run", "params": {"tool": "greet",
                                                                "args": {"name": "you"}}},
        {"request_id": "read", "command": "kube.getResource",
         "params": {"kind": "Deployment", "name": "web", "namespace": "shop"}},
        {"request_id": "wrong", "command": "no.such", "params": {}}]) + "\n")
    cache = ("--cache", folder / "cache", "--cache-all")
    done = client.run("run", batch, "--json", *cache)
    assert done.returncode == 1, done.stderr
    line = json.dumps({"command": "system.echo", "params": {}})
    done = client.run("run", "-", "--json", stdin=line + "\n")
    assert done.returncode == 0, done.stderr
    done = client.run("run", batch, "--fresh", "--json", *cache)
    assert done.returncode == 1, done.stderr
    done = client.run("eval", "--mix", spec({"kind": "contains", "expected": "Paris"}))
    assert done.returncode in (0, 1), done.stderr
    assert spool.response("said")["status"] == "success", spool.response("said")
    assert client.run("watch", "--until-idle").returncode in (0, 1)
    assert client.run("status", "--read").returncode == 0


@pytest.mark.parametrize("depth", ["the root", "above it"])
def test_a_root_behind_a_link_is_used_as_one(spool, client, folder, depth):
    """The client could not open its database there."""
    link = folder / "link"
    link.symlink_to(spool.root if depth == "the root" else spool.root.parent)
    root = link if depth == "the root" else link / spool.root.name
    assert client.run("call", "system.echo", "--id", "a", "--root", root).returncode == 0
    for command in (("status",), ("show", "a"), ("report",), ("gc", "--older-than", "0s"),
                    ("worker", "restart"), ("worker", "stop")):
        done = client.run(*command, "--root", root)
        assert done.returncode == 0, (command, done.stderr)
