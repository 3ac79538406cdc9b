# SPDX-License-Identifier: MIT
"""The rules that every prompt of an agent is held against find what breaks them: a check that
cannot fail checks nothing."""

import copy
import json

import pytest

import prompt_rules

SETTINGS = {"context_tokens": 100, "instructions": "You are careful."}
CALL = {"id": "s1_c1", "type": "function", "function": {"name": "file_read", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "s1_c1", "content": "one"}
GOOD = {"messages": [{"role": "system", "content": "You are careful.\nMore."},
                     {"role": "user", "content": "Goal: x"},
                     {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT]}


def broken(change):
    params = copy.deepcopy(GOOD)
    change(params["messages"])
    return params


def test_a_sound_prompt_breaks_no_rule():
    assert not list(prompt_rules.faults(GOOD, SETTINGS, ["key"], prompt_rules.token_pattern()))


@pytest.mark.parametrize("name, change, word", [
    ("no result", lambda m: m.pop(), "without a result"),
    ("no call", lambda m: m.pop(2), "without a call"),
    ("a result late", lambda m: m.insert(3, {"role": "user", "content": "x"}), "without a result"),
    ("twice the same id", lambda m: m[2]["tool_calls"].append(CALL), "two calls"),
    ("other instructions", lambda m: m[0].update(content="Be bold."), "instructions"),
    ("no system", lambda m: m.pop(0), "system"),
    ("two systems", lambda m: m.append({"role": "system", "content": "x"}), "system"),
    ("too large", lambda m: m[1].update(content="x" * 400), "budget"),
    ("a secret", lambda m: m[1].update(content="it is hunter2"), "secret"),
    ("a token", lambda m: m[1].update(content="ghp_" + 36 * "a"), "token"),
])
def test_each_rule_can_be_broken(name, change, word):
    found = list(prompt_rules.faults(broken(change), SETTINGS, ["hunter2"],
                                     prompt_rules.token_pattern()))
    assert any(word in fault for fault in found), (name, found)


def root_with(folder, *systems):
    for part in ("requests", "threads"):
        (folder / "bad" / part).mkdir(parents=True)
    begun = {"seq": 1, "type": "run.begun", "run": "r1", "data": SETTINGS}
    (folder / "bad/threads/default.jsonl").write_text(json.dumps(begun) + "\n")
    for step, system in enumerate(systems, 1):
        params = broken(lambda m, text=system: m[0].update(content=text))
        (folder / f"bad/requests/r1.{step}.plan.json").write_text(json.dumps(
            {"command": "llm.chat", "params": params, "metadata": {"agent_run": "r1"}}))
    return folder / "bad"


def test_a_system_message_that_changes_within_a_run_is_found(folder):
    root = root_with(folder, "You are careful.\n1", "You are careful.\n2")
    found = list(prompt_rules.root_faults(root))
    assert len(found) == 1 and "another" in found[0]
    with pytest.raises(AssertionError, match="another"):
        prompt_rules.check_folder(folder)
    (root / "requests/r1.2.plan.json").unlink()
    prompt_rules.check_folder(folder)
