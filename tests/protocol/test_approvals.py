# SPDX-License-Identifier: MIT
"""`filecall approvals`, `approve` and `deny`: decisions are files that are signed, and the first
counts."""

import hashlib
import hmac
import json
import os
import stat

import pytest

from harness import TOP
from pages import blocks


def text(value) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def with_digest(request: dict) -> dict:
    bare = {key: value for key, value in request.items() if key != "digest"}
    return {**bare, "digest": "sha256:" + hashlib.sha256(text(bare)).hexdigest()}


def call(n: int, tool: str, arguments: dict, **members) -> dict:
    return {"n": n, "id": f"run-a.1.{n}", "toolId": tool, "toolName": tool, "displayName": tool,
            "arguments": arguments, "riskLevel": "medium", "reasons": ["it changes something"],
            **members}


RULE = {"tool": "tool.run", "argv": ["make", "test"], "decision": "allow"}


class Asked:
    """A root in which an approval waits, and a configuration of the user's own."""

    def __init__(self, spool, folder):
        self.root = spool.root
        self.requests = self.root / "approvals/requests"
        self.responses = self.root / "approvals/responses"
        self.refused = self.root / "approvals/refused"
        self.requests.mkdir(parents=True, mode=0o700)
        self.project = folder / "shop"
        self.configuration = folder / "config"
        self.environment = {**os.environ, "XDG_CONFIG_HOME": str(self.configuration),
                            "USER": "ada"}
        self.ask("run-a.1", [
            call(1, "tool.run", {"argv": ["make", "test"]}, workingDirectory=str(self.project),
                 previewText="$ make test", storable={"rule": RULE, "examples": ["make test -j"]},
                 sandbox={"level": "workspace-write", "hidesRoot": True, "hasNetwork": False}),
            call(2, "file.edit", {"path": "a", "content": "b", "base_sha256": "0" * 64},
                 hunks=["4f1c", "9b02"], notStorable="no rule can be stored for it")])

    def ask(self, stem: str, calls: list, **members) -> dict:
        request = with_digest({
            "id": stem, "run": "run-a", "thread": "main", "scenario": "code",
            "policyDigest": "sha256:" + "0" * 64, "scenarioDigest": "",
            "createdAt": "2020-11-25T10:00:00.000Z", "calls": calls, **members})
        (self.requests / f"{stem}.json").write_text(json.dumps(request))
        return request

    def request(self, stem="run-a.1"):
        return json.loads((self.requests / f"{stem}.json").read_text())

    def decision(self, stem="run-a.1"):
        return json.loads((self.responses / f"{stem}.json").read_text())

    def policy(self, rules: str) -> None:
        place = self.configuration / "filecall/policy.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("policy:\n  rules:\n" + rules)


@pytest.fixture
def asked(spool, folder):
    return Asked(spool, folder)


@pytest.fixture
def run(client, asked):
    return lambda *arguments, **more: client.run(*arguments, env=asked.environment, **more)


def good(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def bad(done, *words):
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    for word in words:
        assert word in done.stderr, done.stderr


def test_what_waits_is_shown_with_everything_that_would_run(asked, run):
    shown = good(run("approvals"))
    for word in ("run-a.1", "tool.run", "medium", "$ make test", "it changes something",
                 "make test -j", "filecall approve run-a.1", "4f1c", "base_sha256"):
        assert word in shown
    listed = json.loads(good(run("approvals", "--json")))["approvals"]
    assert [(one["id"], one["state"]) for one in listed] == [("run-a.1", "waiting")]
    assert listed[0]["request"] == asked.request()
    assert "run-a.1" in good(run("completion", "approvals", "run"))
    bad(run("approvals", "run-b.1"), "no such approval")


def test_an_approval_is_a_signed_file_that_is_never_replaced(asked, run):
    assert "run-a.1 is approved" in good(run("approve", "run-a.1", "--reason", "go on"))
    decision = asked.decision()
    assert decision["approved"] and decision["by"] == "ada" and decision["source"] == "cli"
    key = asked.root / "client/approval.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    signature = decision.pop("signature")
    expected = hmac.new(key.read_text().strip().encode(), text(decision), hashlib.sha256)
    assert signature == "hmac-sha256:" + expected.hexdigest()
    assert decision["digest"] == asked.request()["digest"]
    bad(run("deny", "run-a.1", "--by", "bob"), "was already approved by ada", "go on")
    assert "Nothing waits" in good(run("approvals"))
    assert "approved by ada" in good(run("approvals", "--all"))


def test_calls_are_decided_one_by_one(asked, run):
    done = run("approve", "run-a.1", "--call", "2", "--hunks", "9b02", "--json")
    printed = json.loads(good(done))
    assert printed["outcome"] == "approved in part (1 of 2 calls)"
    assert [one["approved"] for one in asked.decision()["calls"]] == [False, True]
    assert asked.decision()["calls"][1]["hunks"] == ["9b02"]
    asked.ask("run-a.2", asked.request()["calls"])
    assert "call 1 approved, call 2 denied" in good(run("deny", "run-a.2", "--call", "2"))


def test_a_hunk_is_named_by_as_much_as_no_other_begins_with(asked, run):
    calls = asked.request()["calls"]
    calls[1]["hunks"] = ["4f1c0000", "4f1c1111", "9b020000"]
    asked.ask("run-a.2", calls)
    bad(run("approve", "run-a.2", "--call", "2", "--hunks", "4f1c"), "several hunks begin so")
    good(run("approve", "run-a.2", "--call", "2", "--hunks", "9b02,4f1c1"))
    assert asked.decision("run-a.2")["calls"][1]["hunks"] == ["9b020000", "4f1c1111"]


def test_what_was_not_asked_cannot_be_decided(asked, run):
    bad(run("approve", "run-a.1", "--call", "3"), "calls 1, 2")
    bad(run("approve", "run-a.1", "--hunks", "9b02"), "name it with --call")
    bad(run("approve", "run-a.1", "--call", "2", "--hunks", "ffff"), "no such hunk")
    # None is not all of them.
    for none in ("", ",", "9b02,"):
        bad(run("approve", "run-a.1", "--call", "2", "--hunks", none), "--hunks")
    bad(run("approve", "run-a.1", "--call", "1", "--hunks", "9b02"), "no hunks to choose from")
    bad(run("approve", "run-a.1", "--call", "2", "--hunks", "9b0"), "four characters")
    bad(run("approve", "run-a.1", "--scope", "thread"), "only once")
    bad(run("approve", "run-a.1", "--scope", "always"), "--scope")
    bad(run("approve", "run-b.9"), "no such approval")
    bad(run("approve", "../x"), "no id of an approval")
    assert not list(asked.responses.iterdir())


def test_changed_arguments_are_checked_by_schema_and_policy(asked, run):
    asked.policy("  - {tool: tool.run, argv: [git, push], decision: deny, reason: no pushes}\n")
    bad(run("approve", "run-a.1", "--call", "1", "--args", '{"argv": []}'), "argv")
    bad(run("approve", "run-a.1", "--call", "1", "--args", '{"argv": ["git", "-C", "x", "push"]}'),
        "no pushes")
    assert not list(asked.responses.iterdir())
    good(run("approve", "run-a.1", "--call", "1", "--args", '{"argv": ["make", "check"]}'))
    assert asked.decision()["calls"][0]["modifiedArguments"] == {"argv": ["make", "check"]}


def test_a_scope_stores_the_rule_that_was_shown_for_that_project(asked, run):
    done = run("approve", "run-a.1", "--call", "1", "--scope", "project")
    good(done)
    stored = list((asked.configuration / "filecall/policy.d").iterdir())
    assert len(stored) == 1 and str(stored[0]) in done.stderr and "make" in stored[0].read_text()
    assert asked.decision()["rules"] == [RULE]
    good(run("policy", "check", str(stored[0])))


@pytest.mark.core
@pytest.mark.parametrize("form", ["unsigned", "altered", "replayed", "link", "fifo", "torn"])
def test_a_decision_that_does_not_hold_is_set_aside_with_the_reason(asked, run, form):
    good(run("deny", "run-a.1"))
    path = asked.responses / "run-a.1.json"
    decision = asked.decision()
    path.unlink()
    if form == "link":
        path.symlink_to("/etc/passwd")
    elif form == "fifo":
        os.mkfifo(path)
    elif form == "torn":
        path.write_text(json.dumps(decision)[:40])
    elif form == "replayed":
        asked.ask("run-a.1", asked.request()["calls"][:1])
        path.write_text(json.dumps(decision))
    else:
        decision["approved"] = True
        for one in decision["calls"]:
            one["approved"] = True
        if form == "unsigned":
            del decision["signature"]
        path.write_text(json.dumps(decision))
    assert "run-a.1" in good(run("approvals"))  # It still waits.
    good(run("approve", "run-a.1"))
    assert asked.decision()["approved"]
    names = sorted(one.name for one in asked.refused.iterdir())
    assert len(names) == 2 and names[1].endswith(".reason.json")
    reason = json.loads((asked.refused / names[1]).read_text())["reason"]
    assert reason and "run-a.1" in names[0]


def test_of_two_who_decide_at_once_one_does_and_the_other_is_told(asked, run, client):
    children = [client.start("approve" if n % 2 else "deny", "run-a.1", "--by", f"user{n}")
                for n in range(8)]
    codes = [child.wait(60) for child in children]
    assert sorted(codes) == [0] + 7 * [2]
    assert asked.decision()["by"] == f"user{codes.index(0)}"
    assert not list(asked.refused.iterdir())


def test_a_request_that_was_changed_is_named_and_not_decided(asked, run):
    path = asked.requests / "run-a.1.json"
    path.write_text(path.read_text().replace("make", "rm"))
    assert "damaged" in good(run("approvals"))
    done = run("approve", "run-a.1")
    assert done.returncode == 1 and "not as it was written" in done.stderr
    assert not list(asked.responses.iterdir())


def test_a_decision_after_the_expiry_is_refused(asked, run):
    asked.ask("run-a.3", asked.request()["calls"], expiresAt="2026-01-01T00:00:00Z")
    bad(run("approve", "run-a.3"), "it came after")


def test_a_key_that_others_may_read_signs_nothing(asked, run):
    good(run("deny", "run-a.1"))
    (asked.root / "client/approval.key").chmod(0o644)
    asked.ask("run-a.4", asked.request()["calls"])
    bad(run("approve", "run-a.4"), "must be yours alone")


def test_values_of_a_secret_are_hidden_from_the_terminal_and_nothing_else(asked, run):
    asked.ask("run-a.5", [call(1, "kube.createResource", {
        "kind": "Secret", "name": "db", "values": {"stringData": {"password": "hunter2"}}})])
    shown = good(run("approvals", "run-a.5"))
    assert "hunter2" not in shown and "hidden: 7 bytes" in shown and "password" in shown


def test_the_program_of_the_page_decides(asked, run):
    page = (TOP / "docs/approvals.md").read_text(encoding="utf-8")
    source = [block.text for block in blocks(page) if "def decide" in block.text]
    assert len(source) == 1
    good(run("approvals"))  # Makes the key, as the client that asks does.
    asked.responses.mkdir(exist_ok=True)
    names = {}
    exec(source[0], names)  # pylint: disable=exec-used
    names["decide"](asked.root, asked.request(), True, "program")
    assert "approved by program" in good(run("approvals", "--all"))
    with pytest.raises(FileExistsError):
        names["decide"](asked.root, asked.request(), False, "program")
