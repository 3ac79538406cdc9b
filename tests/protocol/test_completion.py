# SPDX-License-Identifier: MIT
"""What a shell offers: names of the root, in a bounded time."""

import os
import subprocess

from harness import client_program, wait_until


def offered(client, *words, root=True):
    """What bash offers for the last word of a command line."""
    line = ["filecall", words[0], *(["--root", str(client.spool.root)] if root else []), *words[1:]]
    array = " ".join(f"'{word}'" for word in line)
    script = (f". <(filecall completion bash); COMP_WORDS=({array}); COMP_CWORD={len(line) - 1}; "
              "_filecall; printf '%s\\n' \"${COMPREPLY[@]}\"")
    path = f"{client_program().parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True,
                          timeout=60, env={**os.environ, "PATH": path})
    assert not done.stderr, done.stderr
    return set(done.stdout.split("\n")) - {""}


def test_names_of_the_root_are_offered(spool, worker, client):
    batch = client.batch(("order-1", "system.echo"), ("order-2", "system.echo"))
    assert client.run("run", batch).returncode == 0
    for stem in ("order-3", "order 4", "other", "or:der"):
        spool.call(stem)
    assert offered(client, "show", "order") == {"order-1", "order-2", "order-3"}
    assert offered(client, "edit", "order-1") == {"order-1"}
    assert offered(client, "follow", "none") == set()
    assert offered(client, "cancel", "--batch", "b") == {batch.name}
    runs = offered(client, "runs", "show", "")
    assert {"latest", "previous", "show", "diff"} < runs
    run = client.run("runs", "list", "--json").stdout.split('"run_id":')[1].split('"')[1]
    assert run in runs and offered(client, "runs", "diff", run[:12]) == {run}
    assert offered(client, "pause", "tool") == {"tool", "tool.run"}
    assert offered(client, "pause", "system") == set()
    assert client.run("pause", "tool.run").returncode == 0
    assert offered(client, "resume", "t") == {"tool.run"}
    # What the client asks for itself is nobody's to show.
    wait_until(lambda: spool.status().get("paused_count"), "the worker has seen the pause")
    spool.drop("held", "tool.run", {"argv": ["true"]})
    assert client.run("cancel", "held").returncode == 0
    assert spool.wait_response("held.cancel-1")["status"] == "success"
    assert offered(client, "show", "held") == {"held"}
    assert offered(client, "schema", "result.tool", root=False) == {"result.tool.run"}
    assert "--batch" in offered(client, "retry", "--b")
    missing = client.run("completion", "ids", "x", "--root", spool.root / "none")
    assert (missing.returncode, missing.stdout, missing.stderr) == (0, "", "")


def test_a_root_of_very_many_requests_offers_some(spool, client):
    for i in range(1500):
        (spool.root / f"requests/r{i}.json").touch()
    done = client.run("completion", "ids", "r")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 300
    assert client.run("completion", "ids", "r1499").stdout == "r1499\n"
