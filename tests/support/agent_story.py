# SPDX-License-Identifier: MIT
"""A run of an agent with three writes and two approvals, and what must hold of it whatever was
killed meanwhile. The model is an endpoint that counts what it is asked."""

import json
import re
import threading
import time
from collections import Counter

from agent_decisions import approve_all
from endpoint import environment
from harness import read_json
from talk_endpoint import TalkEndpoint

RUN = "r1"
GOAL = "Make a.txt and b.txt, and note it"
WRITES = ("r1.1.1", "r1.1.2", "r1.2.1")
MODEL_CALLS = 4  # Three plans and the report.


def _plan(*actions, **members):
    calls = [{"tool": tool, "args": args} for tool, args in actions]
    return json.dumps({"commentary": "next", "actions": calls, "done": False, **members})


APPEND = {"argv": ["tee", "-a", "noted.txt"], "stdin": "noted\n"}
# The same, and it does not end before there is a file `go`.
APPEND_AND_WAIT = {"argv": ["sh", "-c", "echo noted >> noted.txt; until [ -e go ]; do sleep 0.02; "
                            "done"]}


def _replies(append):
    """A model that knows how far the run is from the results that it is shown."""
    plans = [_plan(("file.create", {"path": "a.txt", "content": "a\n"}), ("tool.run", append)),
             _plan(("file.create", {"path": "b.txt", "content": "b\n"})),
             _plan(done=True, finalSummary="Both are there.")]

    def reply(told):
        if "write the report" in told[-1][1]:
            return 200, "It was done.", []
        steps = [int(number) for _, text in told
                 for number in re.findall(r"^Results of step (\d+):", text, re.M)]
        return 200, plans[max(steps, default=0)], []

    return reply


class Decider(threading.Thread):
    """Approves whatever waits, as soon as it waits."""

    def __init__(self, spool):
        super().__init__(daemon=True)
        self.spool, self.over, self.decided = spool, threading.Event(), []

    def run(self):
        waiting = self.spool.root / "approvals/requests"
        answers = self.spool.root / "approvals/responses"
        while not self.over.wait(0.002):
            for path in waiting.glob("*.json") if waiting.exists() else ():
                answered = (answers / path.name).exists()
                if answered or path.stem in self.decided or read_json(path) is None:
                    continue
                try:
                    approve_all(self.spool, path.stem)
                except (FileNotFoundError, FileExistsError, TypeError):
                    continue  # It was withdrawn, or the client has not made all folders yet.
                self.decided.append(path.stem)

    def stop(self):
        self.over.set()
        self.join()


class Story:
    """One root in which the run takes place."""

    def __init__(self, client, folder, scenario, append=None):
        self.client, self.spool, self.folder = client, client.spool, folder
        self.work = folder / "work"
        self.work.mkdir()
        self.talk = TalkEndpoint(_replies(append or APPEND))
        self.config = folder / "agent-worker.yaml"
        self.config.write_text(json.dumps(self.talk.config(
            file={"roots": [str(self.work)], "writable": [str(self.work)]},
            tool={"allow": ["tee", "sh"], "roots": [str(self.work)]})))
        self.environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                            **environment()}
        self.arguments = ["agent", GOAL, "--run", RUN, "--scenario", scenario, "--model", "chat/m",
                          "--wait", "60s", "--json", "--worker-config", str(self.config),
                          "--durability", "none", "--backoff", "1ms", "--backoff-max", "20ms"]
        self.decider = Decider(self.spool)
        self.decider.start()

    def stop(self):
        self.decider.stop()
        self.talk.stop()

    # What the files say.
    def log(self):
        return self.spool.root / "threads/default.jsonl"

    def lines(self):
        try:
            return self.log().read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def records(self):
        return [json.loads(line) for line in self.log().read_bytes().splitlines()]

    def statuses(self):
        """What became of each call, by its id."""
        found = {}
        for one in self.records():
            if one["type"] in ("call.ended", "call.skipped"):
                data = one["data"]
                found[f"{RUN}.{data['step']}.{data['n']}"] = data.get("status", data.get("kind"))
        return found

    def wait_for_record(self, number, is_over, deadline):
        """Spins, so that what follows the record has hardly begun. False: the run is over."""
        end = time.monotonic() + deadline
        while self.lines() < number:
            if is_over():
                return False
            assert time.monotonic() < end, f"record {number} is not written"
        return True

    def effects(self):
        noted = self.work / "noted.txt"
        return {"r1.1.1": int((self.work / "a.txt").exists()),
                "r1.1.2": noted.read_text().count("noted\n") if noted.exists() else 0,
                "r1.2.1": int((self.work / "b.txt").exists())}

    def check(self, done, worker_kills):
        """`worker_kills`: how often the worker was killed; each may cost one call of the model, and
        leave one write of which nobody knows whether it was done."""
        assert done.returncode == 0, done.stdout + done.stderr
        result = json.loads(done.stdout)
        assert result["status"] == "done" and result["report"] == "It was done.", result
        self.check_log()
        self.check_writes(worker_kills)
        self.check_model(worker_kills)

    def check_log(self):
        records = self.records()
        assert [one["seq"] for one in records] == list(range(1, len(records) + 1))
        asked = [one["data"]["approval"] for one in records if one["type"] == "approval.asked"]
        decided = [one["data"]["approval"] for one in records if one["type"] == "approval.decided"]
        assert asked == decided == ["r1.1", "r1.2"], "an approval is asked for and decided once"
        assert self.decider.decided == asked
        for one in records:
            for call in one["data"]["decisions"] if one["type"] == "approval.decided" else ():
                assert call["approved"], "what was approved is lost"
        assert not list((self.spool.root / "approvals/refused").iterdir())
        ended = Counter(one["data"]["request_id"] for one in records if one["type"] == "call.ended")
        assert set(ended.values()) <= {1}, "a call ends once"

    def check_writes(self, worker_kills):
        story = self.statuses()
        assert set(story) == set(WRITES), story
        for name, count in self.effects().items():
            assert count <= 1, f"{name}: {count} times"
            assert count == 1 or story[name] != "success", f"{name}: success without an effect"
            assert count == 0 or story[name] in ("success", "aborted"), f"{name}: {story[name]}"
        unknown = [name for name, status in story.items() if status != "success"]
        if not worker_kills:
            assert not unknown, story
        # The one that was interrupted, and the one that was planned after it.
        assert len(unknown) <= 2 * worker_kills, story

    def check_model(self, worker_kills):
        counts = Counter(json.dumps(body, sort_keys=True) for body in self.talk.bodies)
        assert len(counts) == MODEL_CALLS, f"{len(counts)} different calls"
        assert sum(counts.values()) <= MODEL_CALLS + worker_kills, sorted(counts.values())
