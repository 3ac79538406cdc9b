# SPDX-License-Identifier: MIT
"""filecall eval: grades of answers that are there, by file in and file out."""

import hashlib
import json
import subprocess

import pytest

from evaluation import answered, given_up, of, outcomes, records
from harness import QUICK_RETRIES, TOOLS, wait_until

EVAL = ("--no-start-worker", *QUICK_RETRIES)


IS_PARIS = {"kind": "exact", "expected": "Paris"}


@pytest.mark.core
def test_answers_are_graded_and_recorded(spool, client, spec):
    answered(spool, "a", "Paris\n", item="row-1", repeat=2, prompt="short", model="m1")
    answered(spool, "b", "Rome")
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS))
    assert done.returncode == 0, done.stderr
    good = of(spool, "a")
    assert good["outcome"] == "graded" and good["score"] == 1 and good["passed"] is True
    assert (good["item"], good["repeat"], good["prompt"]) == ("row-1", 2, "short")
    digest = hashlib.sha256(spool.response_path("a").read_bytes()).hexdigest()
    assert good["response_digest"] == "sha256:" + digest
    bad = of(spool, "b")
    assert bad["score"] == 0 and bad["passed"] is False and bad["item"] == "b"
    assert "'Rome'" in bad["grades"][0]["reason"]
    summary = json.loads(done.stdout)
    assert summary["score"]["value"] == 0.5 and summary["counts"]["graded"] == 2
    assert [one["model"] for one in summary["models"]] == ["m", "m1"]
    assert spool.requests() == {"a", "b"} == spool.responses()


def test_failures_are_told_apart_and_never_zeros(spool, client, spec):
    answered(spool, "good", "Paris")
    answered(spool, "refused", "", finish="refusal")
    answered(spool, "filtered", "", finish="content_filter")
    answered(spool, "cut", "Par", finish="length")
    given_up(spool, "lost", item="row-9")
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS))
    assert done.returncode == 1, "one was given up"
    assert outcomes(spool) == {"good": "graded", "refused": "refusal", "filtered": "refusal",
                               "cut": "truncated", "lost": "error"}
    for stem in ("refused", "cut", "lost"):
        assert of(spool, stem)["score"] is None and of(spool, stem)["grades"] == []
    assert of(spool, "lost")["item"] == "row-9"
    assert json.loads(done.stdout)["score"]["value"] == 1


def test_refusals_and_cut_answers_are_graded_when_the_specification_says_so(spool, client, spec):
    answered(spool, "refused", "Paris", finish="refusal")
    answered(spool, "cut", "Par", finish="length")
    done = client.run("eval", *EVAL, spec(IS_PARIS, grade_refusals=True, grade_truncated=True))
    assert done.returncode == 0, done.stderr
    assert of(spool, "refused")["score"] == 1 and of(spool, "cut")["score"] == 0


def test_what_is_not_finished_or_not_selected_is_left_alone(spool, client, spec):
    answered(spool, "a-1", "Paris", suite="s")
    answered(spool, "a-2", "Paris", suite="t")
    answered(spool, "b-1", "Paris", suite="s")
    spool.request("a-3").write_text(spool.text("a-3", "llm.chat", {"prompt": "x"},
                                               metadata={"suite": "s"}))
    spool.request("a-4").write_text(spool.text("a-4", "system.echo", {}, metadata={"suite": "s"}))
    spool.response_path("a-4").write_text(json.dumps(
        {"request_id": "a-4", "status": "success", "data": {}}))
    path = spec(IS_PARIS, select={"ids": ["a-*"], "metadata": {"suite": "s"}})
    done = client.run("eval", *EVAL, "--json", path)
    assert done.returncode == 0, done.stderr
    assert outcomes(spool) == {"a-1": "graded"}
    assert json.loads(done.stdout)["unfinished"] == 1


def test_an_expected_value_that_is_missing_leaves_the_answer_ungraded(spool, client, spec):
    answered(spool, "a", "Paris", vars={"city": "Paris"})
    answered(spool, "b", "Paris", vars={})
    path = spec({"kind": "exact", "expected_var": "city"}, max_error_rate=0.4)
    done = client.run("eval", *EVAL, path)
    assert outcomes(spool) == {"a": "graded", "b": "ungraded"}
    assert "city" in of(spool, "b")["grades"][0]["reason"]
    assert done.returncode == 4 and "invalid" in done.stderr


@pytest.mark.parametrize("grader", [
    {"kind": "exact"}, {"kind": "contains"}, {"kind": "numeric"}, {"kind": "json_equal"},
    {"kind": "similarity", "metric": "edit"}, {"kind": "similarity", "metric": "token_f1"},
    {"kind": "tool", "argv": ["true"]}])
@pytest.mark.parametrize("cell", ["", "  ", None])
def test_an_empty_label_grades_nothing(spool, client, spec, grader, cell):
    answered(spool, "a", "Atlantis.", vars={"city": cell})
    done = client.run("eval", *EVAL, spec({**grader, "expected_var": "city"}))
    assert outcomes(spool) == {"a": "ungraded"}
    assert "city" in of(spool, "a")["grades"][0]["reason"]
    assert done.returncode == 4 and "'city'" in done.stderr
    assert spool.requests() == {"a"}, "no program is asked"


def test_an_empty_text_can_be_what_is_expected(spool, client, spec):
    answered(spool, "a", " ", vars={"city": ""})
    answered(spool, "b", "Rome", vars={"city": ""})
    path = spec({"kind": "exact", "expected_var": "city", "allow_empty": True})
    assert client.run("eval", *EVAL, path).returncode == 0
    assert [of(spool, stem)["score"] for stem in "ab"] == [1, 0]


def test_what_is_evaluated_is_not_evaluated_again(spool, client, spec):
    answered(spool, "a", "Paris")
    answered(spool, "b", "Rome")
    path = spec(IS_PARIS)
    assert client.run("eval", *EVAL, path).returncode == 0
    store = spool.root / "eval" / "grades.jsonl"
    before = store.read_bytes()
    summary = json.loads(client.run("eval", *EVAL, "--json", path).stdout)
    assert summary["reused"] == 2 and summary["score"]["value"] == 0.5
    assert store.read_bytes() == before
    answered(spool, "b", "Paris")  # The request was asked again, and answered otherwise.
    summary = json.loads(client.run("eval", *EVAL, "--json", path).stdout)
    assert summary["reused"] == 1 and summary["score"]["value"] == 1
    path = spec({"kind": "exact", "expected": "Rome"})
    summary = json.loads(client.run("eval", *EVAL, "--json", path).stdout)
    assert summary["reused"] == 0 and summary["score"]["value"] == 0


def test_evaluations_of_two_specifications_stand_beside_each_other(spool, client, spec):
    answered(spool, "a", "Paris")
    assert client.run("eval", *EVAL, spec(IS_PARIS)).returncode == 0
    path = spec({"kind": "contains", "any": ["aris"]}, name="loose")
    assert client.run("eval", *EVAL, path).returncode == 0
    assert of(spool, "a")["score"] == 1 and of(spool, "a", "loose")["score"] == 1


def test_evaluations_that_run_at_once_lose_nothing_of_each_other(spool, client, folder):
    stems = [f"a{n:02}" for n in range(40)]
    for stem in stems:
        answered(spool, stem, "Paris")
    names = ["one", "two", "three"]
    paths = []
    for name in names:
        paths.append(folder / f"{name}.yaml")
        paths[-1].write_text(json.dumps({"name": name, "graders": [IS_PARIS]}))
    started = [client.start("eval", *EVAL, path) for path in paths]
    assert [one.wait(60) for one in started] == [0, 0, 0]
    for name in names:
        found = records(spool.root, name)
        assert {stem: found[stem]["score"] for stem in stems} == dict.fromkeys(stems, 1), name


@pytest.mark.parametrize("members, flags, code, says", [
    ({"min_score": 0.5}, [], 0, ""),
    ({"min_score": 0.6}, [], 4, "below 0.6"),
    ({"min_score": 0.6}, ["--min-score", "0.4"], 0, ""),
    ({}, ["--min-score", "51%"], 4, "below 0.51"),
    ({}, ["--max-error-rate", "0"], 0, ""),
])
def test_a_missed_threshold_is_exit_code_4(spool, client, spec, members, flags, code, says):
    answered(spool, "a", "Paris")
    answered(spool, "b", "Rome")
    done = client.run("eval", *EVAL, *flags, spec(IS_PARIS, **members))
    assert done.returncode == code and says in done.stderr, done.stderr


@pytest.mark.parametrize("flags, members", [
    (["--min-score", "0"], {}), (["--max-error-rate", "5%"], {}),
    ([], {"min_score": 0}), ([], {"max_error_rate": 0.5})])
def test_a_threshold_is_missed_while_requests_have_not_ended(spool, client, spec, flags, members):
    answered(spool, "a", "Paris")
    for stem in ("b", "c"):
        spool.request(stem).write_text(spool.text(stem, "llm.chat", {"prompt": "x"}))
    path = spec(IS_PARIS, **members)
    done = client.run("eval", *EVAL, *flags, path)
    assert done.returncode == 4 and "2 of 3 requests have not ended" in done.stderr, done.stderr
    done = client.run("eval", *EVAL, *flags, "--allow-pending", path)
    assert done.returncode == 0, done.stderr


def test_too_many_given_up_make_the_run_invalid(spool, client, spec):
    answered(spool, "a", "Paris")
    given_up(spool, "b")
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS, max_error_rate=0.2))
    assert done.returncode == 4 and json.loads(done.stdout)["valid"] is False
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS, max_error_rate=0.5))
    assert done.returncode == 0, "as many failures as the specification allows"
    assert json.loads(done.stdout)["valid"] is True


def test_a_score_is_missed_where_nothing_could_be_graded(spool, client, spec):
    given_up(spool, "a")
    assert client.run("eval", *EVAL, "--min-score", "0", spec(IS_PARIS)).returncode == 4


@pytest.mark.parametrize("text, says", [
    ("name: q\ngraders:\n  - {kind: exakt}\n", "spec.yaml:3:12: graders[0].kind: must be one of"),
    ("name: q\ngraders:\n  - {kind: regex, pattern: '('}\n", "missing )"),
    ("name: [\n", "spec.yaml:2:1"),
    ("graders:\n  - {kind: judge, criteria: Is it right?}\n", "put a text with '?' into quotes"),
    ("", "name: must be a text"),
])
def test_a_wrong_specification_is_refused_with_its_place(spool, client, folder, text, says):
    (folder / "spec.yaml").write_text(text)
    answered(spool, "a", "Paris")
    done = client.run("eval", *EVAL, folder / "spec.yaml")
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert not (spool.root / "eval").exists()


def test_check_reads_the_specification_and_nothing_else(client, spec, folder):
    done = client.run("eval", "--check", spec(IS_PARIS))
    assert done.returncode == 0 and "exact" in done.stdout
    (folder / "criteria.txt").write_text("Is it kind?")
    path = spec({"kind": "judge", "criteria_file": "criteria.txt"}, judges={"one": {"model": "m"}})
    shown = json.loads(client.run("eval", "--check", "--json", path).stdout)
    assert shown["graders"][0]["kind"] == "judge" and "sha256:" in shown["prompts"][0]


def test_a_root_that_is_not_there_is_said_to_be_missing(client, spec):
    client.spool.root = client.spool.root.parent / "no-such"
    done = client.run("eval", *EVAL, spec(IS_PARIS))
    assert done.returncode == 2 and "no such directory" in done.stderr


@pytest.mark.parametrize("text", [
    "a" * 200_000, "{" * 100_000, "9" * 100_000, "\u0000\ud7ff\ufffe", "```json\n" * 10_000,
], ids=["backtracking", "deep", "huge number", "odd characters", "fences"])
def test_hostile_answers_are_graded_like_others(spool, client, spec, text):
    answered(spool, "a", text)
    path = spec({"kind": "regex", "pattern": "^(a+)+$b"}, {"kind": "numeric", "expected": 1},
                {"kind": "json_schema", "schema": {"type": "object"}},
                {"kind": "json_equal", "pointer": "/a", "expected": 1},
                {"kind": "similarity", "metric": "token_f1", "expected": "b c"}, IS_PARIS)
    assert client.run("eval", *EVAL, path).returncode == 0
    assert of(spool, "a")["score"] == 0


def test_a_program_grades_what_it_reads_from_standard_input(spool, client, spec, start_worker):
    start_worker(config=TOOLS)
    answered(spool, "a", "Paris")
    answered(spool, "b", "--version")
    path = spec({"kind": "tool", "argv": ["sh", "-c", "grep -q '\"answer\":\"Paris\"'"]})
    done = client.run("eval", *EVAL, path)
    assert done.returncode == 0, done.stderr
    assert of(spool, "a")["score"] == 1 and of(spool, "b")["score"] == 0
    script = ("import json,sys; a = json.load(sys.stdin); "
              "print(json.dumps({'score': len(a['answer']) / 10, 'reason': a['expected']}))")
    path = spec({"kind": "tool", "argv": ["python3", "-c", script], "verdict": "json",
                 "expected": "five of ten"})
    done = client.run("eval", *EVAL, path)
    assert of(spool, "a")["score"] == 0.5 and of(spool, "a")["passed"] is True
    assert of(spool, "a")["grades"][0]["reason"] == "five of ten"
    path = spec({"kind": "tool", "argv": ["sh", "-c", "exit 3"]})
    done = client.run("eval", *EVAL, path)
    assert outcomes(spool) == {"a": "ungraded", "b": "ungraded"}
    assert "exit code 3" in of(spool, "a")["grades"][0]["reason"]


def test_a_program_that_may_not_run_leaves_answers_ungraded(spool, client, spec, worker):
    answered(spool, "a", "Paris")
    done = client.run("eval", *EVAL, spec({"kind": "tool", "argv": ["no-such-program"]}))
    assert done.returncode == 4 and outcomes(spool) == {"a": "ungraded"}
    assert "not run" in done.stderr and "not run" in of(spool, "a")["grades"][0]["reason"]


def test_follow_evaluates_a_run_while_it_goes_on(spool, client, spec, worker):
    path = spec({"kind": "json_equal", "pointer": "/n", "expected": 1},
                select={"command": "system.echo"})
    follower = client.start("eval", *EVAL, "--follow", path)
    try:
        batch = client.batch(*((f"r{n}", "system.echo", {"n": n % 2}) for n in range(20)))
        assert client.run("run", "--no-start-worker", batch).returncode == 0
        assert follower.wait(60) == 0
    finally:
        follower.kill()
    assert set(outcomes(spool)) == {f"r{n}" for n in range(20)}
    assert of(spool, "r1")["score"] == 1 and of(spool, "r2")["score"] == 0


def test_what_follow_has_graded_itself_was_not_evaluated_before(spool, client, spec):
    answered(spool, "a", "Paris")
    spool.request("b").write_text(spool.text("b", "llm.chat", {"prompt": "x"}))
    follower = subprocess.Popen(client.command("eval", *EVAL, "--follow", "--json", spec(IS_PARIS)),
                                stdout=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: of(spool, "a"), "the first response is graded")
        answered(spool, "b", "Rome")
        said, _ = follower.communicate(timeout=60)
    finally:
        follower.kill()
    assert follower.returncode == 0 and of(spool, "b")["score"] == 0
    assert json.loads(said)["reused"] == 0


def test_two_that_follow_and_ask_do_not_wait_for_each_other(spool, folder, client, spec,
                                                               start_worker):
    start_worker(config=TOOLS)
    asks = {"kind": "tool", "argv": ["sh", "-c", "grep -q '\"n\":1'"]}
    paths = [spec(asks, name=name, select={"command": "system.echo"}).rename(folder / name)
             for name in ("one", "two")]
    followers = [client.start("eval", *EVAL, "--follow", path) for path in paths]
    try:
        batch = client.batch(*((f"r{n}", "system.echo", {"n": n % 2}) for n in range(6)))
        assert client.run("run", "--no-start-worker", batch).returncode == 0
        assert [follower.wait(60) for follower in followers] == [0, 0]
    finally:
        for follower in followers:
            follower.kill()
    for n in range(6):
        assert of(spool, f"r{n}", "one")["score"] == n % 2 == of(spool, f"r{n}", "two")["score"]


def test_follow_can_be_interrupted(spool, client, spec):
    answered(spool, "a", "Paris")
    spool.request("b").write_text(spool.text("b", "llm.chat", {"prompt": "x"}))
    follower = client.start("eval", *EVAL, "--follow", spec(IS_PARIS))
    try:
        wait_until(lambda: of(spool, "a"), "the answer is graded")
        follower.terminate()
        assert follower.wait(30) == 130
    finally:
        follower.kill()


def test_a_place_in_braces_is_no_expected_value(client, spool, spec):
    """It stands in prompts; compared as it stands it would fit nothing, and score 0."""
    answered(spool, "a", "Paris")
    done = client.run("eval", *EVAL, spec({"kind": "contains", "expected": "{{city}}"}))
    assert done.returncode == 2 and "expected_var: city" in done.stderr, done.stderr
    fine = client.run("eval", *EVAL, spec({"kind": "contains", "expected": "{{a}} and {{b}}"}))
    assert fine.returncode == 0, fine.stderr
