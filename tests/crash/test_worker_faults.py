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


@pytest.fixture(params=["full", "journal"])
def durability(request):
    return request.param


def run(scenario, fault: Fault, durability: str = "full", boot: int = 1):
    return injection.run(fault, scenario.command(durability), scenario.spool.root,
                         scenario.folder, FAULTS_BOOT=scenario.boot(boot))


def settle(scenario, durability: str = "full", boot: int = 1) -> None:
    ended = run(scenario, Fault(), durability, boot)
    assert ended.code == 0, ended.output


def count(scenario, durability: str = "full", **fault) -> int:
    scenario.fill()
    ended = run(scenario, Fault(**fault), durability)
    assert ended.code == 0, ended.output
    scenario.check_final(crashes=0)
    assert ended.seen > 5, "the library sees the worker's operations"
    return ended.seen


def crash_round(scenario, fault: Fault, durability: str) -> bool:
    """False: the fault's operation was never reached."""
    scenario.fill()
    ended = run(scenario, fault, durability)
    try:
        # A journal makes answers whole again only when a worker starts.
        is_torn = fault.forget and durability == "journal"
        before = scenario.whole_answers() if is_torn else scenario.answers()
        if not is_torn:
            scenario.check_whole()
        # The next worker may be another one in every way; it repairs all the same.
        settle(scenario, ("full", "journal", "none")[fault.at % 3], 2 if fault.forget else 1)
        scenario.check_final(crashes=1 if ended.injected else 0)
        after = scenario.answers()
        assert all(after[stem] == data for stem, data in before.items()), "an answer was replaced"
    except AssertionError as error:
        raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}") from None
    return ended.injected > 0


def fail_round(scenario, fault: Fault, durability: str = "full") -> bool:
    scenario.fill()
    ended = run(scenario, fault, durability)
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


def test_a_crash_at_every_operation(scenario, durability):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, durability)
    reached = 0
    for at in injection.points(total, CRASHES, rng):
        for mode in ("crash-before", "crash-torn") if LONG else [rng.choice(
                ("crash-before", "crash-before", "crash-torn"))]:
            reached += crash_round(scenario, Fault(mode, at), durability)
    assert reached > 0


def test_a_power_cut_at_every_operation(scenario, durability):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, durability, forget="all")
    reached = 0
    for at in injection.points(total, CRASHES, rng):
        some = f"some:{rng.randrange(1000)}"
        kinds = (*injection.FORGETTING, some) if LONG else [
            rng.choice(("all", "all", "data", "both", some))]
        for forget in kinds:
            mode = rng.choice(("crash-before", "crash-before", "crash-torn"))
            reached += crash_round(scenario, Fault(mode, at, forget=forget), durability)
    assert reached > 0


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_error_at_every_operation(scenario, error, durability):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, durability, ops=injection.SUITED[error])
    reached = sum(fail_round(scenario, Fault("fail", at, error), durability)
                  for at in injection.points(total, FAILURES, rng))
    assert reached > 0


def test_short_writes(scenario, durability):
    total = count(scenario, durability, ops="write")
    for at in injection.points(total, FAILURES, random.Random(1)):
        fail_round(scenario, Fault("short", at, ops="write"), durability)
    fail_round(scenario, Fault("short", 1, ops="write", times=10000), durability)
