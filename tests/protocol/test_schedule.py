# SPDX-License-Identifier: MIT
"""Priorities across batches."""

import json

import pytest

from harness import QUICK_RETRIES


@pytest.mark.core
def test_a_later_batch_with_a_higher_priority_overtakes_an_earlier_one(spool, client, line):
    early = client.batch(*[(f"early-{i}", "tool.run", line.note(f"early-{i}")) for i in range(8)])
    own = {"request_id": "own", "command": "tool.run", "params": line.note("own"), "priority": -1}
    late = client.batch(*[(f"late-{i}", "tool.run", line.note(f"late-{i}")) for i in range(3)], own)
    first = client.start("run", early, "--window", "5", *QUICK_RETRIES)
    line.wait(5)
    second = client.start("run", late, "--priority", "5", *QUICK_RETRIES)
    line.wait(9)
    assert json.loads(spool.request("late-0").read_text())["priority"] == 5
    line.go()
    assert first.wait(30) == 0 and second.wait(30) == 0
    order = line.noted()
    # What waits by the first run's window comes after it, too; a priority of its own counts.
    assert set(order[:3]) == {"late-0", "late-1", "late-2"} and order[-1] == "own", order
    # When it is asked is no part of what is asked.
    again = client.run("run", late, "--priority", "9", "--json")
    assert again.returncode == 0 and "answered earlier" in again.stderr
    assert line.noted() == order


def test_a_priority_is_no_part_of_a_derived_id(spool, client, folder, worker):
    ids = []
    for priority in (None, 3):
        request = {"command": "system.echo", "params": {"x": 1}}
        batch = client.batch({**request, **({"priority": priority} if priority else {})})
        assert client.run("run", batch, "--out", folder / "out.jsonl").returncode == 0
        ids.append(json.loads((folder / "out.jsonl").read_text())["request_id"])
    assert ids[0] == ids[1]


def test_retry_gives_another_priority(spool, client, line):
    spool.drop("failed", "tool.run", {"argv": ["no-such-program"]}, priority=-3)
    spool.wait_response("failed")
    spool.drop("other", "tool.run", line.note("other"))
    done = client.run("retry", "failed", "--priority", "7", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(spool.request("failed").read_text())["priority"] == 7
    assert spool.wait_response("failed")["status"] == "error"
    line.go()
    for wrong in ("11", "high"):
        assert client.run("retry", "failed", "--priority", wrong).returncode == 2
    spool.wait_response("other")
