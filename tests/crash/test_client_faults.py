# SPDX-License-Identifier: MIT
"""Each file operation of the client, its database's included, fails, falls short, or is its last;
then the same command is given again. Forms as in test_worker_faults.py."""

import random

import pytest

import injection
from client_scenario import ClientScenario
from injection import LONG, Fault

STEMS = ("good-1", "flaky-1", "failing-1", "fatal-1")
CRASHES = 40  # Rounds of the short form.
FAILURES = 6  # The same, for each error.
SOME_GIVEN_UP = 1


@pytest.fixture
def scenario(folder):
    return ClientScenario(folder, STEMS)


def run(scenario, fault: Fault):
    return injection.run(fault, scenario.command(), scenario.spool.root, scenario.folder)


def count(scenario, **fault) -> int:
    with scenario:
        ended = run(scenario, Fault(**fault))
        assert ended.code == SOME_GIVEN_UP, ended.output
        scenario.check_final()
        assert ended.seen > 5, "the library sees the client's operations"
        return ended.seen


def fault_round(scenario, fault: Fault) -> bool:
    """False: the fault's operation was never reached."""
    with scenario:
        first = run(scenario, fault)
        try:
            scenario.check_failed_copies()
            again = run(scenario, Fault())
            assert again.code == SOME_GIVEN_UP, f"exit {again.code}: {again.output}"
            scenario.check_final(has_failures=not fault.is_crash, leftovers_max=len(STEMS))
        except AssertionError as error:
            raise AssertionError(
                f"[{fault}] {error}\n--- first run ({first.code}):\n{first.output[-3000:]}"
            ) from None
        return first.injected > 0


def test_a_crash_at_every_operation(scenario):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    reached = 0
    for at in injection.points(count(scenario), CRASHES, rng):
        for mode in ("crash-before", "crash-torn") if LONG else [rng.choice(
                ("crash-before", "crash-before", "crash-torn"))]:
            reached += fault_round(scenario, Fault(mode, at))
    assert reached > 0


def test_a_power_cut_at_every_operation(scenario):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    reached = 0
    for at in injection.points(count(scenario, forget="all"), CRASHES, rng):
        some = f"some:{rng.randrange(1000)}"
        kinds = ("all", "data", "names", some) if LONG else [rng.choice(("all", "all", "data",
                                                                         some))]
        for forget in kinds:
            reached += fault_round(scenario, Fault("crash-before", at, forget=forget))
    assert reached > 0


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_error_at_every_operation(scenario, error):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    total = count(scenario, ops=injection.SUITED[error])
    reached = sum(fault_round(scenario, Fault("fail", at, error))
                  for at in injection.points(total, FAILURES, rng))
    assert reached > 0


def test_short_writes(scenario):
    total = count(scenario, ops="write")
    for at in injection.points(total, FAILURES, random.Random(1)):
        fault_round(scenario, Fault("short", at, ops="write"))


def test_a_read_that_fails_once_is_no_damage(scenario):
    """The database is opened once more at the end, when its files hold something."""
    total = count(scenario, ops="read")
    for at in range(max(1, total - 20), total + 1):
        with scenario:
            run(scenario, Fault("fail", at, "EIO", ops="read"))
            left = list((scenario.spool.root / "client").glob("state.db.damaged-*"))
            assert not left, f"read {at} of {total}: {left}"
            scenario.check_final(has_failures=True, leftovers_max=len(STEMS))
