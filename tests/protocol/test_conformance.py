# SPDX-License-Identifier: MIT
"""scripts/conformance: the programs of scripts/examples keep the rules, and mistakes are found."""

import json
import re
import subprocess
import sys

import pytest

import pages
from harness import TOP

WORKER = "scripts/examples/worker.py {root} sh"
CLIENT = "scripts/examples/client.sh {root} {id} {command} {params}"
EFFECTS = ("--effects", "tool.run")


def conformance(*arguments):
    return subprocess.run([sys.executable, TOP / "scripts" / "conformance", *arguments], cwd=TOP,
                          capture_output=True, text=True, timeout=300, check=False)


def results(*arguments):
    """(exit code, test's name -> result)"""
    done = conformance(*arguments, "--json")
    assert done.returncode in (0, 1), done.stderr
    rules = [rule for program in json.loads(done.stdout)["programs"] for rule in program["rules"]]
    return done.returncode, {rule["test"]: rule for rule in rules}


def failed(rules):
    return {name: rule["reason"] for name, rule in rules.items() if rule["result"] == "failed"}


def test_the_worker_in_one_page_keeps_the_rules():
    code, rules = results("--worker", WORKER, *EFFECTS)
    assert code == 0 and failed(rules) == {}
    left_out = {name for name, rule in rules.items() if rule["result"] == "not applicable"}
    assert left_out <= {"test_status"} and len(rules) > 35


def test_the_client_in_one_page_keeps_the_rules():
    code, rules = results("--client", CLIENT)
    assert code == 0 and failed(rules) == {}
    assert not any(rule["result"] == "not applicable" for rule in rules.values())


@pytest.mark.parametrize("mistake,rule", [
    ("answers-twice", "test_once"),
    ("overwrites", "test_a_late_response"),
    ("reads-half", "test_an_open_writer"),
    ("follows-links", "test_no_regular_files"),
    ("takes-no-lock", "test_a_second_worker"),
    ("keeps-no-record", "test_a_crash"),
])
def test_a_mistake_of_a_worker_is_found(mistake, rule):
    command = f"/usr/bin/python3 tests/support/broken_worker.py {mistake} {{root}} sh"
    code, rules = results("--worker", command, *EFFECTS, "--only", rule)
    assert code == 1 and rule in failed(rules), rules


@pytest.mark.parametrize("old,new,rule", [
    ("attempts=3", "attempts=4", "test_three_attempts"),
    ('[ "$retryable" = no ]', "false", "test_not_retryable"),
    ('[ "$(identity "$response")" != "$counted" ] || rm', "rm",
     "test_deleting_what_was_counted"),
    ("select(.request_id == $id) | ", "", "test_another_request"),
    ('&& [ ! -L "$response" ]', "", "test_a_link"),
    ("print s < least / 1000 ? least / 1000 : s", "print 0", "test_retry_after"),
])
def test_a_mistake_of_a_client_is_found(folder, old, new, rule):
    text = (TOP / "scripts/examples/client.sh").read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    script = folder / "client.sh"
    script.write_text(text.replace(old, new))
    code, rules = results("--client", f"sh {script} {{root}} {{id}} {{command}} {{params}}",
                          "--only", rule)
    assert code == 1 and rule in failed(rules), rules


def test_a_table_is_printed():
    done = conformance("--worker", WORKER, "--only", "test_metadata or test_a_crash")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^  passed +#request-requestschemajson +metadata .*\(recommended\)$",
                     done.stdout, re.MULTILINE), done.stdout
    assert "not applicable" in done.stdout and "--effects" in done.stdout
    assert "all required rules hold" in done.stdout


@pytest.mark.parametrize("arguments,words", [
    ((), "--worker COMMAND"), (("--worker", "x"), "{root}"),
    (("--worker", "x {root}", "--effects", "note {"), "no JSON")])
def test_wrong_usage_is_said(arguments, words):
    done = conformance(*arguments)
    assert done.returncode == 2 and words in done.stderr


def test_a_worker_that_does_not_start_keeps_no_rule():
    code, rules = results("--worker", "false {root}", "--only", "test_metadata or test_ids")
    assert code == 1 and len(failed(rules)) == 2
    assert "the worker ended (1)" in failed(rules)["test_ids"]


def test_sections_are_headings_of_the_protocol():
    text = (TOP / "docs" / "protocol.md").read_text(encoding="utf-8")
    used = set()
    for path in (TOP / "tests" / "protocol" / "rules").glob("test_*.py"):
        used |= set(re.findall(r'^@rule\("([^"]+)"', path.read_text(encoding="utf-8"), re.M))
    assert used and used <= pages.anchors(text), used - pages.anchors(text)
