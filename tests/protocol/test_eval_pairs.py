# SPDX-License-Identifier: MIT
"""Judges say which of two responses is better, in both orders."""

import html
import json

import jsonschema
import pytest

from evaluation import answered
from harness import QUICK_RETRIES, TOP

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
    assert "1 pair has no verdict" in done.stderr and "'filecall retry --failed'" in done.stderr
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
    assert done.returncode == 2 and "without a counterpart, 3 are in both" in done.stderr
    done = client.run("eval", *EVAL, path, "@model=small")
    assert done.returncode == 2 and "A and B" in done.stderr
    done = client.run("eval", *EVAL, path)
    assert done.returncode == 2 and "say what to compare" in done.stderr
    done = client.run("eval", *EVAL, path, "/elsewhere@model=small", "@model=large")
    assert done.returncode == 2 and "must be of this root" in done.stderr
    done, _ = run(client, spec({"kind": "exact", "expected": "x"}))
    assert done.returncode == 2 and "needs pairwise" in done.stderr
    assert not endpoint.calls()


REPORT_SCHEMA = json.loads((TOP / "ipc-schema/schema/report.schema.json").read_text())
COMPARISON_SCHEMA = json.loads((TOP / "ipc-schema/schema/comparison.schema.json").read_text())


def report(client, *more, code=0):
    done = client.run("report", "--json", *more)
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, REPORT_SCHEMA)
    return found, done.stderr


@pytest.mark.core
def test_a_report_shows_pairs_beside_scores_and_never_in_them(
        spool, client, write, sides, spec, folder):
    assert client.run("eval", *EVAL, spec({"kind": "contains", "any": ["small"]})).returncode == 0
    before, _ = report(client)
    assert before["pairs"] == []
    assert run(client, write({"main": judge("1")}))[0].returncode == 0
    found, _ = report(client)
    assert found["all"] == before["all"] and found["groups"] == before["groups"]
    [section] = found["pairs"]
    [group] = section["groups"]
    assert section["evaluation"] == "better" and section["lacking_replies"] == 0
    assert (group["a"], group["b"]) == ("small", "large")
    assert (group["wins_a"], group["ties"], group["wins_b"]) == (0, 3, 0)
    assert group["inconsistent"] == 3 and group["win_rate"]["value"] == 0.5
    assert group["win_rate"]["items"] == 3 and group["gaps"] == {"count": 0, "items": []}
    text = client.run("report").stdout
    assert "Pairs of evaluation better" in text and "large against small" in text
    client.run("report", "--format", "html", "--out", folder / "report.html")
    page = (folder / "report.html").read_text()
    assert "<h2>Pairs <small>better</small></h2>" in page and "large against small" in page
    # The other way round is the same two responses, and no second vote.
    done = client.run("eval", *EVAL, write({"main": judge("1")}), *reversed(SIDES))
    assert done.returncode == 0
    assert report(client)[0]["pairs"][0]["groups"] == section["groups"]


def test_what_judges_of_pairs_cost_stands_beside_their_verdicts(
        client, write, sides, folder):
    (folder / "prices.json").write_text('{"*": {"input": 1000}}')
    priced = ("--prices", folder / "prices.json")
    path = write({"main": judge("1"), "other": judge("what?")})
    # Where no price was there, nobody knows what it cost; a price that is there later tells.
    done, found = run(client, path)
    assert [(one["judge"], one["asked"], one["asked_again"], one["unreadable"], one["cost"],
             one["without_cost"]) for one in found["judges"]] == [
        ("main", 6, 0, 0, None, 6), ("other", 6, 6, 6, None, 6)], done.stderr
    assert report(client)[0]["pairs"][0]["judges"] == found["judges"]
    costs = {"main": 6 * 0.011, "other": 12 * 0.011}
    for shown in (report(client, *priced)[0], run(client, path, *priced)[1],
                  json.loads(client.run("compare", *SIDES, *priced, "--json").stdout)):
        judges = shown["judges"] if "judges" in shown else shown["pairs"][0]["judges"]
        assert {one["judge"]: one["cost"] for one in judges} == pytest.approx(costs)
        assert all(one["without_cost"] == 0 for one in judges)
    assert "unknown" in client.run("eval", *EVAL, path, *SIDES).stdout
    for command in (("report",), ("report", "--format", "html"), ("compare", *SIDES),
                    *(("compare", *SIDES, "--format", form) for form in ("html", "markdown"))):
        text = html.unescape(client.run(*command, *priced).stdout)
        assert "asked again" in text and "$0.066" in text and "$0.13" in text, command


def test_a_report_takes_the_pairs_of_the_evaluation_that_it_is_asked_for(
        client, write, sides, spec):
    assert client.run("eval", *EVAL, spec({"kind": "contains", "any": ["small"]},
                                          name="quality")).returncode == 0
    assert run(client, write({"main": judge("tie")}))[0].returncode == 0
    assert [one["evaluation"] for one in report(client)[0]["pairs"]] == ["better"]
    assert report(client, "--eval", "quality")[0]["pairs"] == []
    alone, _ = report(client, "--eval", "better")
    assert alone["evaluation"] == "" and alone["all"]["evaluated"] == 0
    assert alone["pairs"][0]["groups"][0]["ties"] == 3
    assert client.run("report", "--eval", "nothing").returncode == 2
    assert report(client, "--model", "small")[0]["pairs"] == [], "the other half is not in it"


def test_a_report_names_pairs_without_a_verdict_that_counts(
        spool, client, write, sides, llm_worker, folder):
    path = write({"main": judge("tie", "status=400;times=1;")})
    assert run(client, path)[0].returncode == 1
    found, said = report(client, code=1)
    [group] = found["pairs"][0]["groups"]
    assert group["ungraded"] == 1 and group["ties"] == 2 and group["gaps"]["count"] == 1
    assert "did not answer" in group["gaps"]["items"][0]["why"]
    assert found["pairs"][0]["lacking_replies"] == 1 and "'filecall retry --failed'" in said
    assert client.run("report", "--max-error-rate", "1").returncode == 0
    assert client.run("retry", "--failed").returncode == 0
    assert run(client, path)[0].returncode == 0
    assert report(client)[0]["pairs"][0]["groups"][0]["gaps"]["count"] == 0
    # A response that was replaced, one that nobody judged.
    response = spool.response_path("large-0")
    data = json.loads(response.read_text())
    data["data"]["text"] = "another"
    changed = folder / "changed.json"
    changed.write_text(json.dumps(data))
    changed.replace(response)
    for model in ("small", "large"):
        answered(spool, f"{model}-3", f"{model} 3", model=model, item="q3", vars={"city": "Rome"})
    answered(spool, "small-4", "small 4", model="small", item="q4", vars={"city": "Rome"})
    [group] = report(client)[0]["pairs"][0]["groups"]
    assert group["ties"] == 2
    assert {one["item"]: one["why"] for one in group["gaps"]["items"]} == {
        "q0": "a response was replaced after it was judged", "q3": "was not judged",
        "q4": "B: was not asked"}
    assert "q3: was not judged" in client.run("report").stdout


def test_a_comparison_shows_pairs_with_and_without_scores(
        client, write, sides, spec, folder):
    def compare(*more):
        done = client.run("compare", *SIDES, *more)
        return done
    assert compare("--json").returncode == 2, "neither grades nor pairs"
    assert run(client, write({"main": judge("1")}))[0].returncode == 0
    done = compare("--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, COMPARISON_SCHEMA)
    [group] = found["pairs"][0]["groups"]
    assert group["ties"] == 3 and group["inconsistent"] == 3 and found["all"]["items"] == 0
    done = compare("--max-drop", "0.1")
    assert done.returncode == 4 and "no item is graded" in done.stderr, "a threshold is of scores"
    assert client.run("eval", *EVAL, spec({"kind": "contains", "any": ["a"]})).returncode == 0
    scored = json.loads(compare("--json").stdout)
    assert scored["all"]["items"] == 3 and scored["pairs"] == found["pairs"]
    for form, mark in (("terminal", "Pairs of evaluation better"), ("html", "<h2>Pairs"),
                       ("markdown", "Pairs of evaluation <code>better</code>")):
        shown = compare("--format", form).stdout
        assert mark in shown and "large against small" in shown, form
    turned = json.loads(client.run("compare", *reversed(SIDES), "--json").stdout)
    assert turned["pairs"][0]["groups"][0]["a"] == "large"
    assert turned["pairs"][0]["groups"][0]["ties"] == 3


def test_a_comparison_names_the_lines_that_it_cannot_read(client, write, sides, spec, spool):
    """It left them out without a word, where a report names them."""
    assert run(client, write({"main": judge("1")}))[0].returncode == 0
    assert client.run("eval", *EVAL, spec({"kind": "contains", "any": ["a"]})).returncode == 0
    assert client.run("compare", *SIDES).stderr == ""
    for name in ("preferences.jsonl", "grades.jsonl"):
        with open(spool.root / "eval" / name, "ab") as file:
            file.write(b"{broken}\n")
        done = client.run("compare", *SIDES)
        assert f"{name}: 1 line cannot be read" in done.stderr, done.stderr
    assert done.stderr.count("cannot be read") == 2, "both sides are of one root"


def test_gc_takes_verdicts_with_their_responses(client, write, sides, spec, spool):
    path = write({"main": judge("tie")})
    for more in ((), ("--limit", "1")):
        assert run(client, path, *more)[0].returncode == 0
    assert client.run("eval", *EVAL, spec({"kind": "contains", "any": ["small"]})).returncode == 0
    files = [spool.root / "eval/preferences.jsonl", spool.root / "eval/grades.jsonl"]
    lines = [path.read_bytes() for path in files]
    # What is too young stays, and so does its verdict.
    assert client.run("gc", "--older-than", "1d").returncode == 0
    assert [path.read_bytes() for path in files] == lines
    plan = json.loads(client.run("gc", "--older-than", "0s", "--dry-run", "--json").stdout)
    assert [path.read_bytes() for path in files] == lines
    done = json.loads(client.run("gc", "--older-than", "0s", "--json").stdout)
    assert done["bytes"] == plan["bytes"] >= sum(map(len, lines))
    assert [path.read_bytes() for path in files] == [b"", b""]
    # A gc that was killed between the responses and their lines: the next one ends its work.
    for path, bytes_of in zip(files, lines):
        path.write_bytes(bytes_of)
    again = json.loads(client.run("gc", "--older-than", "1d", "--json").stdout)
    assert (again["requests"], again["bytes"]) == (0, sum(map(len, lines)))
    assert [path.read_bytes() for path in files] == [b"", b""]
