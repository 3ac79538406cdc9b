# SPDX-License-Identifier: MIT
"""How a list of commands is scored, without running any."""

import pytest

from job_score import Score, ended_well, lines_of_setup, score

FAILS = ["begin 3", "failed 3"]
WELL = ["begin 1", "ended 1", "begin 2", "ended 2", *FAILS * 3]
NOTHING = Score(lost=0, twice=0, wrong=0, attempts=0)


def test_a_list_that_was_done_as_asked_has_no_fault():
    assert score(WELL, [3], 3) == NOTHING


def test_what_never_began_is_lost_and_has_to_be_reported():
    assert score(WELL, [3], 4) == Score(lost=1, twice=0, wrong=1, attempts=0)
    assert score(WELL, [3, 4], 4) == Score(lost=1, twice=0, wrong=0, attempts=0)


def test_what_began_and_never_ended_is_lost():
    assert score([*WELL, "begin 4"], [3], 4).lost == 1


def test_what_failed_is_not_lost():
    assert score(["begin 1", "failed 1"], [1], 1).lost == 0


def test_what_was_interrupted_and_runs_again_is_not_done_twice():
    assert score(["begin 4", *WELL, "begin 4", "ended 4"], [3], 4) == NOTHING


def test_what_ended_well_and_begins_again_is_done_twice_even_if_it_does_not_end():
    assert score([*WELL, "begin 1"], [3], 3).twice == 1


def test_a_command_is_counted_once_however_often_it_runs_again():
    assert score([*WELL, *["begin 1", "ended 1"] * 5], [3], 3).twice == 1


def test_a_retry_that_ends_well_is_neither_twice_nor_wrong():
    assert score(["begin 1", "failed 1", "begin 1", "ended 1"], [], 1) == NOTHING


@pytest.mark.parametrize("reported, wrong", [([], 1), ([3], 0), ([1], 2), ([1, 3], 1), ([3, 3], 0)])
def test_a_report_is_wrong_by_each_command_it_misses_and_each_it_accuses(reported, wrong):
    assert score(WELL, reported, 3).wrong == wrong


@pytest.mark.parametrize("attempts, wrong", [(1, 1), (2, 1), (3, 0), (4, 1), (6, 1)])
def test_what_fails_has_three_attempts(attempts, wrong):
    assert score(FAILS * attempts, [3], 3).attempts == wrong


@pytest.mark.parametrize("whole, wrong", [(1, 1), (2, 0), (3, 0), (4, 1)])
def test_an_interrupted_attempt_counts_or_not(whole, wrong):
    assert score(["begin 3", *FAILS * whole], [3], 3).attempts == wrong


@pytest.mark.parametrize("line", ["", "begin", "begin x", "begin 0", "begin 4", "done 1",
                                  "begin -1"])
def test_a_line_that_no_command_wrote_is_refused(line):
    with pytest.raises(ValueError):
        score([*WELL, line], [3], 3)


def test_commands_that_ended_well_are_counted_once():
    assert ended_well([*WELL, "begin 1", "ended 1"]) == 2


def test_comments_empty_lines_and_the_version_are_no_setup():
    assert lines_of_setup(["#!/bin/sh\n# why\n\nrun it\n  version) run --version ;;\n",
                           "// why\nawait it();\n"]) == 2
