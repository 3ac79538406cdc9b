# SPDX-License-Identifier: MIT
"""A run with three writes and two approvals, whose worker, client or both are killed at each record
of its thread: the same command goes on, and ends as if nothing had happened. The normal mode takes
some of the records, FILECALL_TEST_MODE=long all of them."""

import json
import os
import signal

import pytest

from agent_story import APPEND_AND_WAIT, Story
from harness import DEADLINE, is_alive, wait_until

LONG = os.environ.get("FILECALL_TEST_MODE") == "long"
RECORDS = 30  # Of a run that nobody kills; test_nothing_is_killed holds it against one.


def points(first):
    return range(1, RECORDS + 1) if LONG else range(first, RECORDS + 1, 6)


@pytest.fixture
def tell(client, folder):
    """tell(append=None) -> a Story that ends with the test."""
    told = []

    def start(append=None):
        scenario = folder / "trial.yaml"
        scenario.write_text(json.dumps({"name": "trial", "description": "A trial.",
                                        "instructions": "You are careful.",
                                        "tools": ["file.*", "tool.run"]}))
        told.append(Story(client, folder, str(scenario), append))
        return told[-1]

    yield start
    for one in told:
        one.stop()


@pytest.fixture
def story(tell):
    return tell()


def begin(story):
    return story.client.start(*story.arguments, env=story.environment)


def end(story):
    return story.client.run(*story.arguments, env=story.environment)


def kill_worker(story):
    """False: none was there."""
    pid = story.spool.status().get("pid")
    if not pid or not is_alive(pid):
        return False
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid), "the worker is gone")
    return True


def test_nothing_is_killed(story):
    done = end(story)
    story.check(done, worker_kills=0)
    assert story.lines() == RECORDS
    assert story.effects() == {"r1.1.1": 1, "r1.1.2": 1, "r1.2.1": 1}


@pytest.mark.parametrize("at", points(1))
def test_a_client_that_is_killed_at_a_record_goes_on(story, at):
    running = begin(story)
    story.wait_for_record(at, lambda: running.poll() is not None, DEADLINE)
    running.kill()
    running.wait()
    done = end(story)
    story.check(done, worker_kills=0)


@pytest.mark.parametrize("at", points(3))
def test_a_worker_that_is_killed_at_a_record_is_started_again(story, at):
    running = begin(story)
    kills = 0
    if story.wait_for_record(at, lambda: running.poll() is not None, DEADLINE):
        kills += kill_worker(story)
    running.wait(4 * DEADLINE)
    done = end(story)
    story.check(done, kills)


@pytest.mark.parametrize("at", points(5))
def test_both_that_are_killed_at_a_record_go_on(story, at):
    running = begin(story)
    story.wait_for_record(at, lambda: running.poll() is not None, DEADLINE)
    running.kill()
    kills = kill_worker(story)
    running.wait()
    done = end(story)
    story.check(done, kills)


@pytest.mark.parametrize("kills_client", [False, True])
def test_a_write_that_is_interrupted_is_told_and_not_repeated(tell, kills_client):
    story = tell(APPEND_AND_WAIT)
    running = begin(story)
    wait_until(lambda: story.effects()["r1.1.2"] == 1, "the write has begun")
    if kills_client:
        running.kill()
    assert kill_worker(story)
    running.wait(4 * DEADLINE)
    (story.work / "go").touch()
    story.check(end(story), worker_kills=1)
    assert story.statuses() == {"r1.1.1": "success", "r1.1.2": "aborted", "r1.2.1": "success"}
    told = json.dumps(story.talk.bodies[-1])
    assert "tool.run: aborted" in told and "effects unknown" in told


def test_a_client_that_is_killed_at_every_record_of_one_run_goes_on(story):
    for at in range(1, RECORDS + 1):
        running = begin(story)
        story.wait_for_record(max(at, story.lines() + 1), lambda: running.poll() is not None,
                              DEADLINE)
        running.kill()
        running.wait()
    done = end(story)
    story.check(done, worker_kills=0)
