# SPDX-License-Identifier: MIT
"""A decision on files is for the directory in which they were shown, also when another worker lives
by the time that it is made."""

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, result_of, scenario, turn  # noqa: F401
from harness import read_json, wait_until

MAKE = plan(("file.create", {"path": "b.txt", "content": "new\n"}))
LINES = (REPORT, turn(1, MAKE), turn(2, MAKE), turn(3, plan(done=True, finalSummary="Done.")))


@pytest.fixture
def elsewhere(place, folder, start_worker):
    """A client, and what ends its worker and starts one that works on the files of `other`."""
    other = folder / "other"
    other.mkdir()
    client = place(*LINES)
    config = read_json(client.worker.config)
    config["file"] = {"roots": [str(other)], "writable": [str(other)]}

    def restart():
        client.worker.stop()
        client.worker = start_worker(config=config)

    client.other = other
    client.restart = restart
    return client


def nothing_was_written(client):
    return not (client.work / "b.txt").exists() and not (client.other / "b.txt").exists()


def asked(client, approval):
    return read_json(client.spool.root / f"approvals/requests/{approval}.json")["calls"][0]


def test_a_decision_is_not_for_files_of_another_directory(elsewhere, scenario):
    client = elsewhere
    assert client.agent("Make", "--run", "r1", "--scenario", scenario()).returncode == 6
    assert asked(client, "r1.1")["workingDirectory"] == str(client.work)
    client.restart()
    approve_all(client.spool, "r1.1")
    again = client.agent("resume", "r1", "--json")
    assert again.returncode == 6 and result_of(again)["approval"] == "r1.1-2", again.stderr
    assert asked(client, "r1.1-2")["workingDirectory"] == str(client.other)
    assert nothing_was_written(client)
    approve_all(client.spool, "r1.1-2")
    assert client.agent("resume", "r1", "--json").returncode == 6
    assert (client.other / "b.txt").read_text() == "new\n"
    assert not (client.work / "b.txt").exists()
    replayed = client.agent("replay", "r1", "--json")
    assert replayed.returncode == 0, replayed.stdout


def test_a_client_that_waits_hears_of_another_worker(elsewhere, scenario, spool):
    client = elsewhere
    process = client.begin("Make", "--run", "r1", "--scenario", scenario(), "--wait", "1m")
    requests = spool.root / "approvals/requests"
    wait_until(lambda: (requests / "r1.1.json").exists(), "it waits")
    client.restart()
    approve_all(spool, "r1.1")
    wait_until(lambda: (requests / "r1.1-2.json").exists(), "it asks again")
    assert asked(client, "r1.1-2")["workingDirectory"] == str(client.other)
    assert nothing_was_written(client)
    process.terminate()
    process.wait(timeout=60)
