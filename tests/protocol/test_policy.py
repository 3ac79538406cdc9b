# SPDX-License-Identifier: MIT
"""`filecall policy check` and `explain`: which rule decides, and where it stands."""

import json
import os
import subprocess

import pytest


@pytest.fixture
def run(client, folder):
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    return lambda *arguments, **more: client.run(*arguments, env=environment, **more)


def write(folder, rules: str, name="config/filecall/policy.yaml", head="policy:\n  rules:\n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + rules)
    return path


def explain(run, tool, params, *more):
    done = run("policy", "explain", "--tool", tool, "--params", json.dumps(params), "--json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def program(run, *argv, more=()):
    return explain(run, "tool.run", {"argv": list(argv)}, *more)


def test_explain_names_the_rule_its_file_and_line(run, folder):
    path = write(folder, "  - {tool: tool.run, argv: [git], decision: prompt}\n"
                         "  - {tool: tool.run, argv: [git, push], decision: deny, reason: no}\n")
    said = program(run, "git", "--no-pager", "-C", "/x", "push")
    assert said["decision"] == "deny" and said["denyReason"] == "no"
    assert said["decidedBy"]["file"] == str(path) and said["decidedBy"]["line"] == 4
    assert [one["line"] for one in said["matched"]] == [3, 4]
    text = run("policy", "explain", "--tool", "tool.run", "--params", '{"argv": ["git", "push"]}')
    assert text.stdout.startswith("deny  tool.run  risk high\n")
    assert f"decided by {path}:4" in text.stdout and "assumed: " in text.stdout


def test_without_a_policy_only_what_has_no_effects_is_allowed(run, spool, worker):
    described = spool.call("describe", "system.describe")["data"]
    for command in described["commands"]:
        said = explain(run, command["name"], {})
        # They end requests of others, or cost money.
        reaches = command["name"] in ("system.cancel", "system.discard") or (
            command["name"].startswith("llm."))
        assert said["hasEffects"] == (reaches or command["effects"] != "none"), command["name"]
        if not said["hasEffects"]:
            assert said["decision"] == "allow", command["name"]
        else:
            assert said["decision"] == "prompt", command["name"]
    assert explain(run, "some.tool", {})["decision"] == "prompt"


def test_the_strictest_of_several_policies_wins(run, folder):
    write(folder, "  - {tool: tool.run, argv: [ls], decision: allow}\n")
    other = write(folder, "  - {tool: tool.run, argv: [ls, -l], decision: prompt}\n", "other.yaml")
    assert program(run, "ls", "-l")["decision"] == "allow"
    said = program(run, "ls", "-l", more=("--policy", str(other)))
    assert said["decision"] == "prompt" and said["decidedBy"]["file"] == str(other)


def test_a_program_without_a_sandbox_prompts_whatever_a_rule_allows(run, folder):
    write(folder, "  - {tool: tool.run, argv: [ls], decision: allow}\n")
    said = program(run, "ls", more=("--sandbox", "none"))
    assert (said["decision"], said["riskLevel"]) == ("prompt", "critical")
    assert "could forge decisions" in said["reasons"][0]


def test_a_call_of_the_root_is_explained_by_its_id(run, spool, folder):
    write(folder, "  - {tool: tool.run, argv: [shutdown], decision: deny}\n")
    spool.drop("late", "tool.run", {"argv": ["env", "shutdown", "now"]})
    done = run("policy", "explain", "late", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["decision"] == "deny"
    missing = run("policy", "explain", "nowhere")
    assert missing.returncode == 2 and "--tool NAME" in missing.stderr


@pytest.mark.parametrize("rules, place, words", [
    ("  - tool: tool.run\n    argv: [ls]\n    decision: allow\n    match: [[cat]]\n", ":6:12:",
     "does not match"),
    ("  - tool: tool.run\n    argv: [ls]\n    decision: deny\n    not_match: [[ls, -l]]\n",
     ":6:16:", "the example says that it does not"),
    ("  - {tool: tool.run, argv: [bash], decision: allow}\n", ":3:", "whatever it is given"),
    ("  - {tool: x, decision: maybe}\n", ":3:25:", "decision"),
    ("  - {tool: x, decision: deny, when: 1}\n", ":3:", "when"),
    ("  - {tool: [x, decision: deny}\n", ":3:", ""),
])
def test_a_policy_that_does_not_hold_is_refused_with_its_place(run, folder, rules, place, words):
    path = write(folder, rules)
    for arguments in (("policy", "check"), ("policy", "check", str(path)),
                      ("policy", "explain", "--tool", "file.read")):
        done = run(*arguments)
        assert done.returncode == 2, done.stdout
        assert f"{path}{place}" in done.stderr and words in done.stderr


def test_check_says_where_rules_belong(run, folder):
    path = write(folder, "- {tool: tool.run, decision: deny}\n", head="rules:\n")
    done = run("policy", "check", str(path))
    assert done.returncode == 2 and "rules: unknown key; known here: policy" in done.stderr


@pytest.mark.parametrize("rule, words", [
    ("{tool: tool.rnu, decision: deny}", "did you mean tool.run"),
    ("{tool: 'kubes.*', decision: deny}", "no command of this version is kubes.*"),
    ("{tool: 'kube.*', where: {/contexts: prod}, decision: deny}", "did you mean context"),
    ("{tool: file.edit, where: {/file: 'src/**'}, decision: allow}", "takes no /file"),
    ("{tool: file.apply, where: {'/changes/*/place': 'x'}, decision: deny}", "/changes/*/place"),
    ("{tool: tool.run, where: {/argv/zero: git}, decision: deny}", "/argv/zero"),
])
def test_check_names_tools_and_params_that_do_not_exist(run, folder, rule, words):
    path = write(folder, f"  - {rule}\n")
    done = run("policy", "check")
    assert done.returncode == 2 and words in done.stderr and f"{path}:3" in done.stderr
    assert run("policy", "explain", "--tool", "file.read").returncode == 0


@pytest.mark.parametrize("rule", [
    "{tool: 'kube.*', where: {/context: prod}, decision: deny}",
    "{tool: file.apply, where: {'/changes/*/path': 'x'}, decision: deny}",
    "{tool: tool.run, where: {/argv/0: git, /env/A: x, /args/any/thing: 1}, decision: deny}",
    "{tool: kube.createResource, where: {/values/spec/replicas: 3}, decision: deny}",
    "{tool: '*', where: {/path: x}, decision: deny}",
])
def test_check_takes_what_a_command_may_be_given(run, folder, rule):
    write(folder, f"  - {rule}\n")
    done = run("policy", "check")
    assert done.returncode == 0, done.stderr


def test_a_proposal_counts_as_its_changes_where_a_run_applies_it(run, folder):
    changes = {"changes": [{"path": ".git/config", "operation": "create", "new_content": "x"}]}
    said = explain(run, "file.propose", changes)
    assert said["decision"] == "allow"
    assert any("editing: proposal the decision is prompt (risk critical)" in one
               for one in said["assumed"])
    write(folder, "  - {tool: 'file.*', decision: allow}\n")
    said = explain(run, "file.propose", {"changes": [{"path": "a", "operation": "delete"}]})
    assert any("the decision is allow (risk high), and a proposal that is allowed is applied "
               "without a person" in one for one in said["assumed"])


def test_a_wrong_value_is_no_unknown_key(run, folder):
    write(folder, "  - {tool: tool.run, argv: [ls], decision: maybe, reason: x, match: [[ls]]}\n")
    done = run("policy", "check")
    assert done.returncode == 2 and "must be one of: allow, prompt, deny" in done.stderr
    assert "unknown key" not in done.stderr


def test_check_says_what_was_read(run, folder):
    path = write(folder, "  - {tool: llm.*, decision: deny}\n",
                 head="policy:\n  human_in_the_loop: false\n  rules:\n")
    done = json.loads(run("policy", "check", "--json").stdout)
    assert done["files"] == [str(path)] and done["rules"] == 1 and done["humanInTheLoop"] is False
    scenario = write(folder, "  - {tool: llm.chat, decision: deny}\n", "scenario.yaml",
                     "name: s\ninstructions: do it\npolicy:\n  rules:\n")
    assert "1 rule in 1 file" in run("policy", "check", str(scenario)).stdout
    assert run("policy", "check", str(folder / "none.yaml")).returncode == 2


def test_a_wrong_usage_says_what_to_write(run):
    for arguments, words in (((), "missing"), (("edit",), "explain or check"),
                             (("explain",), "--tool NAME"),
                             (("explain", "a", "--tool", "x"), "not both")):
        done = run("policy", *arguments)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_explain_says_that_a_call_is_none_that_a_worker_takes(run):
    done = run("policy", "explain", "--tool", "file.creat", "--params", "{}")
    assert "none of this version is named so" in done.stdout, done.stdout
    done = run("policy", "explain", "--tool", "file.create", "--params", '{"pth": "x"}')
    assert "it refuses them" in done.stdout, done.stdout
    done = run("policy", "explain", "--tool", "file.create",
               "--params", '{"path": "x", "content": "y"}')
    assert "refuses" not in done.stdout


def test_check_names_rules_whose_time_is_over(run, folder):
    write(folder, "  - {tool: file.read, decision: allow, expires: 2020-01-31T00:00:00Z}\n"
                  "  - {tool: file.list, decision: allow}\n")
    done = run("policy", "check")
    assert done.returncode == 0 and "all hold" not in done.stdout
    assert "1 rule has expired and allows nothing any more" in done.stderr
    assert json.loads(run("policy", "check", "--json").stdout)["expired"] == 1


def test_an_output_that_is_full_is_said_to_be(client):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(client.command("scenario", "list"), stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 74 and "No space left on device" in done.stderr, done.stderr


def test_doctor_names_a_policy_that_cannot_be_read(client, worker, folder):
    home = folder / "config/filecall"
    home.mkdir(parents=True)
    os.mkfifo(home / "policy.yaml")
    env = {"XDG_CONFIG_HOME": str(folder / "config")}
    done = client.run("doctor", env=env)
    assert done.returncode == 1 and f"{home}/policy.yaml" in done.stdout, done.stdout
    (home / "policy.yaml").unlink()
    assert client.run("doctor", env=env).returncode == 0
