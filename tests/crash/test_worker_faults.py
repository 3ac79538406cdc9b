# SPDX-License-Identifier: MIT
"""Each file operation of the worker fails, falls short, or is its last; then it runs once more.

The short form tries a sample (its seed is printed; FILECALL_SEED replays it), the long form
(FILECALL_TEST_MODE=long) every operation with every error and every way to forget.
"""

import random

import pytest

import injection
from injection import LONG, Fault
from worker_scenario import WorkerScenario

STEMS = ("echo-1", "external-1", "pure-1", "failing-1", "bad-1", "foreign-1", "echo-2")
CRASHES = 60  # Rounds of the short form.
FAILURES = 8  # The same, for each error.


@pytest.fixture
def scenario(folder):
    return WorkerScenario(folder, STEMS)


def run(scenario, fault: Fault, durability: str = "full"):
    return injection.run(fault, scenario.command(durability), scenario.spool.root,
                         scenario.folder)


def settle(scenario) -> None:
    ended = run(scenario, Fault())
    assert ended.code == 0, ended.output


def count(scenario, **fault) -> int:
    scenario.fill()
    ended = run(scenario, Fault(**fault))
    assert ended.code == 0, ended.output
    scenario.check_final(crashes=0)
    assert ended.seen > 5, "the library sees the worker's operations"
    return ended.seen


def crash_round(scenario, fault: Fault) -> bool:
    """False: the fault's operation was never reached."""
    scenario.fill()
    ended = run(scenario, fault)
    try:
        scenario.check_whole()
        before = scenario.answers()
        settle(scenario)
        scenario.check_final(crashes=1 if ended.injected else 0)
        after = scenario.answers()
        assert all(after[stem] == data for stem, data in before.items()), "an answer was replaced"
    except AssertionError as error:
        raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}") from None
    return ended.injected > 0


def fail_round(scenario, fault: Fault) -> bool:
    scenario.fill()
    ended = run(scenario, fault)
    try:
        scenario.check_whole()
        before = scenario.answers()
        if ended.code == 0 and fault.error != "ENOENT":
            # It claims to be done, so it is. (A name that is not there was withdrawn: believed.)
            assert set(before) >= set(STEMS), f"drained without {set(STEMS) - set(before)}"
        settle(scenario)
        scenario.check_final(crashes=0, may_refuse=True)
        after = scenario.answers()
        assert all(after[stem] == data for stem, data in before.items()), "an answer was replaced"
    except AssertionError as error:
        raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}") from None
    return ended.injected > 0


def test_a_crash_at_every_operation(scenario):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario)
    reached = 0
    for at in injection.points(total, CRASHES, rng):
        for mode in ("crash-before", "crash-torn") if LONG else [rng.choice(
                ("crash-before", "crash-before", "crash-torn"))]:
            reached += crash_round(scenario, Fault(mode, at))
    assert reached > 0


def test_a_power_cut_at_every_operation(scenario):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, forget="all")
    reached = 0
    for at in injection.points(total, CRASHES, rng):
        some = f"some:{rng.randrange(1000)}"
        kinds = (*injection.FORGETTING, some) if LONG else [
            rng.choice(("all", "all", "data", "both", some))]
        for forget in kinds:
            mode = rng.choice(("crash-before", "crash-before", "crash-torn"))
            reached += crash_round(scenario, Fault(mode, at, forget=forget))
    assert reached > 0


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_error_at_every_operation(scenario, error):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, ops=injection.SUITED[error])
    reached = sum(fail_round(scenario, Fault("fail", at, error))
                  for at in injection.points(total, FAILURES, rng))
    assert reached > 0


def test_short_writes(scenario):
    total = count(scenario, ops="write")
    for at in injection.points(total, FAILURES, random.Random(1)):
        fail_round(scenario, Fault("short", at, ops="write"))
    fail_round(scenario, Fault("short", 1, ops="write", times=10000))
