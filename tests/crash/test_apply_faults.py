# SPDX-License-Identifier: MIT
"""Each file operation of file.apply fails or is the worker's last; then a worker runs once more.

The files are as before or as after, all of them, and the response says which.
"""

import hashlib
import json
import random
import shutil

import pytest

import harness
import injection
from injection import LONG, Fault

CRASHES = 40  # Rounds of the short form.
CUTS = 12  # The same; each with every way to forget.
FAILURES = 8  # The same, for each error.
BEFORE = {"a.txt": "one\ntwo\n", "deep/b.txt": "b\n" * 50, "gone/c.txt": "c\n"}
AFTER = {"a.txt": "one\n2\n", "deep/b.txt": "b\n" * 25 + "x\n" + "b\n" * 24,
         "new/place/d.txt": "d\n", "e.txt": ""}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def change(path: str) -> dict:
    old, new = BEFORE.get(path), AFTER.get(path)
    made = {"path": path,
            "operation": "create" if old is None else "delete" if new is None else "update"}
    if old is not None:
        made["base_sha256"] = sha256(old)
    if new is not None:
        made["new_content"] = new
    if new is None:
        made["directories"] = [path.split("/", maxsplit=1)[0]]
    return made


class ApplyScenario:
    """A root, and beside it the files of one request."""

    def __init__(self, folder):
        self.folder = folder
        self.area = folder / "area"
        self.tree = self.area / "tree"
        self.config = folder / "worker.yaml"
        self.config.write_text(json.dumps({"file": {"roots": [str(self.tree)],
                                                    "writable": [str(self.tree)]}}))
        self.spool = None

    def fill(self) -> None:
        shutil.rmtree(self.area, ignore_errors=True)
        root = self.area / "root"
        root.mkdir(parents=True, mode=0o700)
        self.spool = harness.Spool(root)
        for path, text in BEFORE.items():
            file = self.tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.spool.drop("apply", "file.apply", {
            "changes": [change(path) for path in sorted(BEFORE | AFTER)]})

    def run(self, fault: Fault, **variables):
        command = [harness.worker_program(), "--root", self.spool.root, "--config", self.config,
                   "--drain", "--log-level", "info"]
        return injection.run(fault, command, self.area, self.folder, **variables)

    def files(self) -> dict:
        return {str(p.relative_to(self.tree)): p.read_text()
                for p in self.tree.rglob("*") if p.is_file() and not p.name.startswith(".")}

    def litter(self) -> list:
        found = [str(p) for p in self.tree.rglob(".*")]
        return found + [str(p) for p in (self.spool.root / "worker/changes").glob("*")]

    def check(self, may_leave: bool = False) -> str:
        """"made" or "undone"."""
        answer = self.spool.response("apply")
        story = json.dumps(answer)
        assert self.files() in (BEFORE, AFTER), f"{self.files()}\n{story}"
        is_made = answer["status"] == "success"
        assert self.files() == (AFTER if is_made else BEFORE), story
        if is_made:
            assert {e["path"] for e in answer["data"]["applied"]} == set(BEFORE | AFTER)
            assert not (self.tree / "gone").exists() or may_leave
        else:
            assert not (self.tree / "new").exists() or may_leave, story
        if not may_leave:
            assert not self.litter()
        return "made" if is_made else "undone"


@pytest.fixture
def scenario(folder):
    return ApplyScenario(folder)


def count(scenario, **fault) -> int:
    scenario.fill()
    ended = scenario.run(Fault(**fault))
    assert ended.code == 0, ended.output
    assert scenario.check() == "made"
    return ended.seen


@pytest.mark.parametrize("mode", ["crash-before", "crash-after"])
def test_a_crash_at_every_operation(scenario, mode):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario)
    ends = []
    for at in injection.points(total, CRASHES, random.Random(seed)):
        scenario.fill()
        fault = Fault(mode, at)
        ended = scenario.run(fault)
        if not ended.injected:
            continue
        again = scenario.run(Fault())
        assert again.code == 0, again.output
        try:
            ends.append(scenario.check())
            answer = scenario.spool.response("apply")
            if answer["status"] == "error":
                assert answer["error_code"] == "aborted" and answer["retryable"] is True
                assert answer["error_details"]["changes"] == "undone"
        except AssertionError as error:
            raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}\n"
                                 f"--- second run:\n{again.output[-3000:]}") from None
    assert {"made", "undone"} <= set(ends), "crashes on both sides of the first rename"


def test_a_power_cut_at_every_operation(scenario):
    """What was not synced is lost, all of it or some. The next worker settles the rest."""
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario, forget="all")
    ends = []
    for at in injection.points(total, CUTS, random.Random(seed)):
        for forget in (*injection.FORGETTING, f"some:{seed + at}"):
            scenario.fill()
            fault = Fault("crash-before", at, forget=forget)
            ended = scenario.run(fault)
            again = scenario.run(Fault())
            assert again.code == 0, again.output
            try:
                # A draft without a name of its own in the record may stay: it is in nobody's way.
                ends.append(scenario.check(may_leave=True))
            except AssertionError as error:
                raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}\n"
                                     f"--- second run:\n{again.output[-3000:]}") from None
    assert {"made", "undone"} <= set(ends), "cuts on both sides of the first rename"


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_error_at_every_operation(scenario, error):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario, ops=injection.SUITED[error])
    reached = 0
    for at in injection.points(total, FAILURES if not LONG else total, random.Random(seed)):
        scenario.fill()
        fault = Fault("fail", at, error)
        ended = scenario.run(fault)
        reached += ended.injected
        try:
            if "apply" in scenario.spool.responses():
                scenario.check(may_leave=True)
            again = scenario.run(Fault())
            assert again.code == 0, again.output
            scenario.check(may_leave=True)
        except AssertionError as failure:
            raise AssertionError(f"[{fault}] {failure}\n{ended.output[-3000:]}") from None
    assert reached > 0


def test_a_file_that_is_not_there_for_a_moment(scenario):
    """An editor that saves leaves its name empty for a moment. Such a file was not removed."""
    trace = scenario.folder / "trace"
    scenario.fill()
    assert scenario.run(Fault(ops="open"), FAULTS_TRACE=trace).code == 0
    looks = [int(line.split()[0]) for line in trace.read_text().splitlines()
             if line.endswith("/gone/c.txt")]
    assert len(looks) > 2, "before the first change, at the step, and behind the last one"
    for at in looks:
        scenario.fill()
        fault = Fault("fail", at, "ENOENT", ops="open")
        assert scenario.run(fault).injected == 1
        try:
            scenario.check()
        except AssertionError as failure:
            raise AssertionError(f"[{fault}] {failure}") from None
