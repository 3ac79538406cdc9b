# SPDX-License-Identifier: MIT
"""Judges say which of two responses is better, in both orders."""

import json

import pytest

from evaluation import answered
from harness import QUICK_RETRIES

EVAL = ("--no-start-worker", *QUICK_RETRIES)
SIDES = ("@model=small", "@model=large")


def judge(verdict, more=""):
    return {"provider": "chat", "model": f'j;{more}text={{"reason": "r", "verdict": "{verdict}"}}'}


@pytest.fixture
def write(folder):
    """write(judges, **members of pairwise) -> the path of a specification without graders."""
    def made(judges, **members):
        path = folder / "pairs.yaml"
        path.write_text(json.dumps({"name": "better", "judges": judges,
                                    "pairwise": {"criteria": "Which is right?", **members}}))
        return path
    return made


@pytest.fixture
def sides(spool, llm_worker):
    for n in range(3):
        for model in ("small", "large"):
            answered(spool, f"{model}-{n}", f"{model} {n}", model=model, item=f"q{n}",
                     vars={"city": "Rome"})


def run(client, path, *more):
    done = client.run("eval", *EVAL, path, *SIDES, "--json", *more)
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else None


def records(spool):
    return [json.loads(line) for line in
            (spool.root / "eval/preferences.jsonl").read_text().splitlines()]


def user_texts(spool):
    return [json.loads(spool.request(stem).read_text())["params"]["messages"][1]["content"]
            for stem in spool.requests() if stem.startswith("filecall-eval-")]


@pytest.mark.core
@pytest.mark.parametrize("verdict, inconsistent", [("1", 3), ("2", 3), ("tie", 0)])
def test_a_verdict_that_follows_the_order_is_a_tie(
        spool, client, write, sides, endpoint, verdict, inconsistent):
    done, found = run(client, write({"main": judge(verdict)}))
    assert done.returncode == 0, done.stderr
    assert (found["wins_a"], found["ties"], found["wins_b"]) == (0, 3, 0)
    assert found["inconsistent"] == inconsistent and found["win_rate"]["value"] == 0.5
    assert found["groups"][0]["a"] == "small" and found["groups"][0]["b"] == "large"
    assert len(endpoint.calls()) == 6
    again, found = run(client, write({"main": judge(verdict)}))
    assert again.returncode == 0 and found["reused"] == 3 and len(endpoint.calls()) == 6


def test_pairs_need_no_grades_however_many_evaluations_are_there(client, write, sides, spec):
    for name in ("quality", "strict"):
        path = spec({"kind": "contains", "any": ["small"]}, name=name)
        assert client.run("eval", *EVAL, path).returncode == 0
        done, found = run(client, write({"main": judge("tie")}))
        assert done.returncode == 0, done.stderr
        assert found["ties"] == 3


def test_a_judge_of_pairs_that_was_given_up_is_exit_code_1(client, write, sides):
    path = write({"main": judge("tie", "status=400;times=1;")})
    done, found = run(client, path)
    assert done.returncode == 1 and found["ungraded"] == 1 and found["ties"] == 2, done.stderr
    assert "1 pairs have no verdict" in done.stderr and "'filecall retry --failed'" in done.stderr
    assert client.run("retry", "--failed").returncode == 0
    done, found = run(client, path)
    assert done.returncode == 0 and found["ties"] == 3, done.stderr


def test_both_orders_show_the_same_texts_in_other_places(spool, client, write, sides):
    template = "C {{city}} {{prompt}} X {{answer_1}} Y {{answer_2}}"
    done, _ = run(client, write({"main": judge("1")}, template=template, criteria=""))
    assert done.returncode == 0, done.stderr
    texts = [text for text in user_texts(spool) if "small 0" in text]
    assert len(texts) == 2
    first = [text.split("<<ANSWER 1 ")[1].split("\n")[1] for text in texts]
    second = [text.split("<<ANSWER 2 ")[1].split("\n")[1] for text in texts]
    assert sorted(first) == sorted(second) == ["large 0", "small 0"]
    assert all("Which city?" in text and "Rome" in text for text in texts)


def test_a_judge_that_keeps_to_a_response_lets_it_win(
        spool, client, write, sides, endpoint, folder):
    """The endpoint cannot look at texts: its answers are put into the judges' responses by hand."""
    path = write({"main": judge("1")})
    run(client, path)
    for record in records(spool):
        for one in record["judges"]:
            response = spool.response_path(one["request_id"])
            data = json.loads(response.read_text())
            said = "2" if one["first"] == "a" else "1"
            data["data"]["text"] = json.dumps({"reason": "large is right", "verdict": said})
            changed = folder / "changed.json"
            changed.write_text(json.dumps(data))
            changed.replace(response)
    (spool.root / "eval/preferences.jsonl").unlink()
    done, found = run(client, path)
    assert done.returncode == 0, done.stderr
    assert (found["wins_a"], found["ties"], found["wins_b"]) == (0, 0, 3)
    assert found["inconsistent"] == 0 and len(endpoint.calls()) == 6
    rate = found["win_rate"]
    assert rate["value"] == 1 and rate["method"] == "wilson"
    assert rate["low"] == pytest.approx(0.4385030, abs=1e-6), "3 of 3 say little"
    done = client.run("eval", *EVAL, path, *reversed(SIDES), "--json")
    assert json.loads(done.stdout)["wins_a"] == 3, "the other way round is known, too"
    assert len(endpoint.calls()) == 6
    text = client.run("eval", *EVAL, path, *SIDES).stdout
    assert "large against small" in text and "100" in text


def test_most_of_several_judges_decide(spool, client, write, sides):
    judges = {"x": judge("tie"), "y": judge("tie"), "z": judge("1")}
    done, found = run(client, write(judges))
    assert done.returncode == 0 and found["ties"] == 3 and found["inconsistent"] == 3
    assert len(records(spool)[0]["judges"]) == 6
    judges = {"x": judge("tie"), "y": {"provider": "chat", "model": "j;text=hm"}}
    done, found = run(client, write(judges))
    assert done.returncode == 4 and "no pair has a verdict" in done.stderr
    assert found["ungraded"] == 3
    assert records(spool)[-1]["winner"] is None
    assert "asked twice" in records(spool)[-1]["reason"]


def test_pairs_keep_to_a_limit_and_a_dry_run_asks_nothing(
        spool, client, write, sides, endpoint, folder):
    path = write({"main": judge("1"), "other": judge("2")})
    (folder / "prices.json").write_text('{"*": {"input": 1000}}')
    priced = ("--prices", folder / "prices.json")
    done = client.run("eval", path, *SIDES, "--dry-run", "--json", *priced)
    assert done.returncode == 0, done.stderr
    assert sum(one["requests"] for one in json.loads(done.stdout)["asks"]) == 12
    assert not endpoint.calls() and not (spool.root / "eval/preferences.jsonl").exists()
    done, _ = run(client, path, *priced, "--max-cost", "0.03", "--window", "1")
    assert done.returncode == 5 and "--max-cost" in done.stderr
    assert 1 <= len(endpoint.calls()) <= 4
    done, found = run(client, path, *priced)
    assert done.returncode == 0 and found["pairs"] == 3 and len(endpoint.calls()) == 12


@pytest.mark.parametrize("more", ["", "finish=length;"])
def test_a_limit_counts_what_earlier_comparisons_have_paid(
        client, write, sides, endpoint, folder, more):
    path = write({"main": judge("1", more)})
    (folder / "prices.json").write_text('{"*": {"input": 1000}}')
    limited = ("--prices", folder / "prices.json", "--max-cost", "0.03", "--window", "1")
    done, _ = run(client, path, *limited)
    paid = len(endpoint.calls())
    assert done.returncode == 5 and paid == 2, done.stderr
    for _ in range(2):
        done, _ = run(client, path, *limited)
        assert done.returncode == 5 and len(endpoint.calls()) == paid, done.stderr
        assert f"US$ {paid * 0.011:.4f} were spent" in done.stderr, "a call is $0.011"
    # The other way round the same is asked.
    done = client.run("eval", *EVAL, path, *reversed(SIDES), *limited)
    assert done.returncode == 5 and len(endpoint.calls()) == paid
    done, _ = run(client, path, *limited[:2], "--max-tokens", "20")
    assert done.returncode == 5 and len(endpoint.calls()) == paid
    assert "tokens were used" in done.stderr


def test_a_pair_question_that_items_share_counts_once(
        spool, client, write, llm_worker, endpoint, folder):
    for n in range(6):
        for model in ("small", "large"):
            text = "Rome" if n < 5 else "Oslo"
            answered(spool, f"{model}-{n}", f"{model} {text}", model=model, item=f"q{n}")
    (folder / "prices.json").write_text('{"*": {"input": 1000}}')
    limited = ("--prices", folder / "prices.json", "--max-cost", "0.055", "--window", "1")
    done, found = run(client, write({"main": judge("1")}), *limited)
    assert done.returncode == 0 and found["pairs"] == 6, done.stderr
    assert len(endpoint.calls()) == 4


def test_what_cannot_be_compared_is_said(spool, client, write, sides, spec, endpoint):
    path = write({"main": judge("1")}, template="{{answer_1}} {{answer_2}} {{citty}}", criteria="")
    done, _ = run(client, path)
    assert done.returncode == 2 and "did you mean city?" in done.stderr and not endpoint.calls()
    path = write({"main": judge("1")})
    done = client.run("eval", *EVAL, path, "@model=small", "@model=small")
    assert done.returncode == 2 and "without a counterpart" in done.stderr
    done = client.run("eval", *EVAL, path, "@model=small")
    assert done.returncode == 2 and "A and B" in done.stderr
    done = client.run("eval", *EVAL, path)
    assert done.returncode == 2 and "say what to compare" in done.stderr
    done = client.run("eval", *EVAL, path, "/elsewhere@model=small", "@model=large")
    assert done.returncode == 2 and "must be of this root" in done.stderr
    done, _ = run(client, spec({"kind": "exact", "expected": "x"}))
    assert done.returncode == 2 and "needs pairwise" in done.stderr
    assert not endpoint.calls()
