# SPDX-License-Identifier: MIT
"""Conversations whose client or worker is killed at each of their turns: nothing that was answered
is asked again."""

import json
import signal
from collections import Counter

import pytest

from endpoint import environment
from harness import QUICK_RETRIES, wait_until
from llm_lines import read_lines, write_lines
from talk_endpoint import TalkEndpoint

CONFIG = {"tool": {"allow": ["sh"], "tools": {"look": {
    "description": "Looks up a city.", "argv": ["sh", "-c", "echo ran >> ran.txt; echo 18"],
    "effects": "none", "args": {"type": "object"}}}}}
ROWS = [{"id": "a", "turns": ["say One", "call look {}", "say Three"]},
        {"id": "b", "turns": ["say Uno", "say Due"]}]
# The model's calls: three turns and the one after the tool; two turns.
CALLS = 6


@pytest.fixture
def talk():
    started = TalkEndpoint()
    yield started
    started.stop()


@pytest.fixture
def conversation(folder, client):
    """The command that drives ROWS, one request after the other."""
    write_lines(folder / "rows.jsonl", ROWS)
    (folder / "talk.json").write_text(json.dumps(
        {"model": "m", "turns": "{{turns|json}}", "tools": ["look"]}))
    return ["run", folder / "rows.jsonl", "--template", folder / "talk.json", "--window", "1",
            "--out", folder / "out.jsonl", "--no-start-worker", *QUICK_RETRIES]


def config_of(talk, folder):
    members = json.loads(json.dumps(CONFIG))
    members["tool"]["roots"] = [str(folder)]
    return talk.config(**members)


def asked(talk):
    return Counter(json.dumps(call) for call in talk.calls)


def check_end(done, folder, talk, again):
    """`again`: how often the call that was in flight came once more, at most."""
    assert done.returncode == 0, done.stdout + done.stderr
    found = {line["metadata"]["item"]: line for line in read_lines(folder / "out.jsonl")}
    assert [turn["answer"] for turn in found["a"]["turns"]] == ["One", "got 18\n", "Three"]
    assert [turn["answer"] for turn in found["b"]["turns"]] == ["Uno", "Due"]
    counts = asked(talk)
    assert len(counts) == CALLS
    assert sum(counts.values()) <= CALLS + again
    assert (folder / "ran.txt").read_text() == "ran\n"


@pytest.mark.core
@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_a_client_that_is_killed_at_a_turn_continues_there(at, talk, start_worker, conversation,
                                                           client, folder):
    start_worker(config=config_of(talk, folder), env=environment())
    talk.hold_at(at)
    killed = client.start(*conversation)
    assert talk.reached.wait(60)
    killed.kill()
    killed.wait()
    talk.release()
    done = client.run(*conversation)
    # The worker goes on without its client: what was in flight is answered, and is not paid twice.
    check_end(done, folder, talk, again=0)


@pytest.mark.core
@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_a_worker_that_is_killed_at_a_turn_repeats_only_that_call(at, talk, start_worker,
                                                                  conversation, client, folder):
    first = start_worker(config=config_of(talk, folder), env=environment())
    talk.hold_at(at)
    running = client.start(*conversation)
    assert talk.reached.wait(60)
    first.kill()
    running.kill()
    running.wait()
    talk.release()
    start_worker(config=config_of(talk, folder), env=environment())
    done = client.run(*conversation)
    check_end(done, folder, talk, again=1)


def test_ctrl_c_waits_for_the_turn_in_flight_and_the_same_command_goes_on(
        talk, start_worker, conversation, client, folder):
    start_worker(config=config_of(talk, folder), env=environment())
    talk.hold_at(2)
    running = client.start(*conversation)
    assert talk.reached.wait(60)
    running.send_signal(signal.SIGINT)
    wait_until(lambda: any(b"waiting for" in log.read_bytes()
                           for log in folder.glob("client-*.log")), "the wait is said")
    talk.release()
    assert running.wait(60) == 130
    assert len(talk.calls) == 2
    done = client.run(*conversation)
    check_end(done, folder, talk, again=0)


def test_a_limit_ends_a_conversation_between_two_turns_and_a_higher_one_continues(
        talk, start_worker, conversation, client, folder):
    start_worker(config=config_of(talk, folder), env=environment())
    # A call uses 15 tokens; what one may use is known after the first.
    stopped = client.run(*conversation, "--max-tokens", "40")
    assert stopped.returncode == 5, stopped.stdout + stopped.stderr
    assert "at least" in stopped.stderr and 1 <= len(talk.calls) < CALLS
    before = len(talk.calls)
    # What the turns of the first run used counts.
    same = client.run(*conversation, "--max-tokens", "40")
    assert same.returncode == 5 and len(talk.calls) == before
    done = client.run(*conversation, "--max-tokens", "100000")
    check_end(done, folder, talk, again=0)


def test_a_failed_turn_is_asked_again_after_retry(talk, start_worker, client, folder):
    start_worker(config=config_of(talk, folder), env=environment())
    rows = write_lines(folder / "rows.jsonl", [{"id": "a", "turns": ["say One", "fail 400",
                                                                     "say Three"]}])
    command = ["run", rows, "--turns", "turns", "--model", "m", "--no-start-worker",
               "--out", folder / "out.jsonl", *QUICK_RETRIES]
    assert client.run(*command).returncode == 1
    assert len(talk.calls) == 2
    assert client.run(*command).returncode == 1
    assert len(talk.calls) == 2
    assert client.run("retry", "--failed").returncode == 0
    assert client.run(*command).returncode == 1
    assert len(talk.calls) == 3 and talk.calls[2] == talk.calls[1]


def test_a_dry_run_counts_turns_that_were_answered_and_those_to_come(talk, start_worker, client,
                                                                     conversation, folder):
    start_worker(config=config_of(talk, folder), env=environment())

    def plan():
        return json.loads(client.run(*conversation, "--dry-run", "--json").stdout)

    assert (plan()["requests"], plan()["ended"]) == (5, 0)
    assert talk.calls == []
    assert client.run(*conversation).returncode == 0
    after = plan()
    # With the tool's run, and the model's answer to it.
    assert (after["requests"], after["ended"], after["left"]) == (7, 7, 0)
