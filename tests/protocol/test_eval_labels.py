# SPDX-License-Identifier: MIT
"""People's labels: the page, the terminal, what is imported, and agreement with judges."""

import json
import re

import jsonschema
import pytest

from evaluation import answered, of
from harness import QUICK_RETRIES, TOP

EVAL = ("--no-start-worker", *QUICK_RETRIES)
SCALE = "correct=1|partly=0.5|wrong=0"
REPORT = json.loads((TOP / "ipc-schema/schema/report.schema.json").read_text())


def judge(label):
    return {"provider": "chat", "model": f'j;text={{"reason": "r", "verdict": "{label}"}}'}


@pytest.fixture
def judged(spool, client, spec, llm_worker):
    """Four responses that one judge called correct, and the specification."""
    for n, text in enumerate(["Paris", "Lyon", "Rome", "<b>\x1b[31mOslo"]):
        answered(spool, f"q{n}", text, model=f"secret-model-{n % 2}", vars={"city": "Paris"})
    path = spec({"kind": "judge", "name": "right", "criteria": "Is it right?",
                 "labels": {"correct": 1, "partly": 0.5, "wrong": 0}, "expected_var": "city"},
                judges={"main": judge("correct")})
    assert client.run("eval", *EVAL, path).returncode == 0
    return path


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])


def line(spool, stem, label, by="anna", **members):
    return json.dumps({"request_id": stem, "response_digest": of(spool, stem)["response_digest"],
                       "evaluation": "quality", "grader": "right", "scale": SCALE, "label": label,
                       "by": by, "at": "2026-01-02T03:04:05Z", **members}) + "\n"


def judging(client, path):
    done = client.run("eval", *EVAL, "--json", path)
    assert done.returncode == 0, done.stderr
    [found] = json.loads(done.stdout)["judging"]
    jsonschema.validate([found], {**REPORT["properties"]["judging"],
                                  "definitions": REPORT["definitions"]})
    return found


def test_the_page_shows_responses_and_hides_who_wrote_them(spool, client, judged, folder):
    page = folder / "label.html"
    done = client.run("eval", "label", judged, "--out", page, "--by", "anna")
    assert done.returncode == 0, done.stderr
    data = data_of(page)
    assert (data["grader"], data["scale"], data["by"]) == ("right", SCALE, "anna")
    assert data["choices"] == [["1", "correct"], ["2", "partly"], ["3", "wrong"]]
    assert {item["id"] for item in data["items"]} == {f"q{n}" for n in range(4)}
    assert all(item["expected"] == "Paris" and item["prompt"] == "Which city?"
               and item["digest"] == of(spool, item["id"])["response_digest"]
               for item in data["items"])
    text = page.read_text()
    assert "secret-model" not in text and "<b>" not in text.split('id="data">')[1].split("</b")[0]
    assert "Is it right?" in text
    again = folder / "again.html"
    client.run("eval", "label", judged, "--out", again, "--by", "anna")
    assert data_of(again) == data, "the same order each time"


def test_labels_are_taken_once_and_compared_with_the_grade(spool, client, judged, folder):
    file = folder / "labels.jsonl"
    said = ["correct", "partly", "wrong", "correct"]
    file.write_text("".join(line(spool, f"q{n}", label) for n, label in enumerate(said)))
    done = client.run("eval", "label", judged, "--import", file, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"labels": 4, "known": 0, "old": 0}
    done = client.run("eval", "label", judged, "--import", file, "--json")
    assert json.loads(done.stdout) == {"labels": 0, "known": 4, "old": 0}
    found = judging(client, judged)
    assert found["labels"] == 4 and found["judges"][0]["asked"] == 4
    [pair] = found["agreement"]
    assert (pair["a"], pair["b"]) == ({"kind": "grade"}, {"kind": "person", "name": "anna"})
    assert pair["answers"] == 4 and pair["share"]["value"] == 0.5
    # The grade says correct of all: 2 of 4 are equal, and 2 of 4 would be so by chance.
    assert pair["kappa"]["value"] == pytest.approx(0) and pair["weighted_kappa"]["value"] == 0
    report = json.loads(client.run("report", "--format", "json").stdout)
    jsonschema.validate(report, REPORT)
    assert report["judging"] == [found]
    assert "Agreement" in client.run("report", "--format", "html").stdout
    text = client.run("report").stdout
    assert re.search(r"right +the grade +anna +4 +50", text), text


def test_the_last_label_of_a_person_counts_and_may_be_withdrawn(spool, client, judged, folder):
    file = folder / "labels.jsonl"
    file.write_text(line(spool, "q0", "wrong") + line(spool, "q0", "correct")
                    + line(spool, "q1", "wrong") + line(spool, "q1", None)
                    + line(spool, "q2", "wrong", by="ben") + line(spool, "q0", "partly", by="ben"))
    assert client.run("eval", "label", judged, "--import", file).returncode == 0
    found = judging(client, judged)
    assert found["labels"] == 3
    pairs = {(pair["a"].get("name"), pair["b"].get("name")): pair for pair in found["agreement"]}
    assert pairs[None, "anna"]["share"]["value"] == 1 and pairs[None, "anna"]["answers"] == 1
    assert pairs[None, "ben"]["answers"] == 2 and pairs["anna", "ben"]["answers"] == 1


def test_a_label_of_another_response_or_scale_does_not_count(spool, client, judged, folder):
    file = folder / "labels.jsonl"
    file.write_text(line(spool, "q0", "correct") + line(spool, "q1", "4", scale="1..5")
                    + line(spool, "q2", "wrong", response_digest="sha256:" + "0" * 64))
    done = client.run("eval", "label", judged, "--import", file)
    assert done.returncode == 0 and "1 of them does not count" in done.stderr, done.stderr
    found = judging(client, judged)
    assert (found["labels"], found["old_labels"]) == (1, 2)
    answered(spool, "q0", "Changed", vars={"city": "Paris"})
    found = judging(client, judged)
    assert (found["labels"], found["old_labels"]) == (0, 3), "it was of the response before"
    done = client.run("report")
    assert "3 labels do not count" in done.stdout


@pytest.mark.parametrize("members, why", [
    ({"label": "perfect"}, "/label: 'perfect' is not one of"), ({"by": ""}, "/by: must be"),
    ({"evaluation": "other"}, "of the evaluation 'other'"), ({"at": "noon"}, "/at: must be"),
    ({"grader": "polite"}, "no grader 'polite'"), ({"request_id": "../x"}, "/request_id"),
    ({"scale": "x"}, "/scale: must be")])
def test_a_line_that_is_wrong_is_named_and_nothing_is_taken(
        spool, client, judged, folder, members, why):
    file = folder / "labels.jsonl"
    file.write_text(line(spool, "q0", "correct") + "\n"
                    + line(spool, "q1", "wrong").replace("}\n", "") + "}\n"
                    + json.dumps({**json.loads(line(spool, "q2", "wrong")), **members}) + "\n")
    done = client.run("eval", "label", judged, "--import", file)
    assert done.returncode == 2 and why in done.stderr and "labels.jsonl:4" in done.stderr, done
    assert not (spool.root / "eval/labels.jsonl").exists()


@pytest.mark.parametrize("grader, why", [("nope", "no grader 'nope'"),
                                         ("other", "is of the grader 'right', --grader is")])
def test_labels_of_another_grader_than_the_wanted_one_are_refused(
        spool, client, spec, judged, folder, grader, why):
    text = json.loads(judged.read_text())
    text["graders"].append({"kind": "contains", "any": ["Paris"], "name": "other"})
    judged.write_text(json.dumps(text))
    file = folder / "labels.jsonl"
    file.write_text(line(spool, "q0", "correct"))
    done = client.run("eval", "label", judged, "--import", file, "--grader", grader)
    assert done.returncode == 2 and why in done.stderr, done
    assert not (spool.root / "eval/labels.jsonl").exists()
    done = client.run("eval", "label", judged, "--import", file, "--grader", "right")
    assert done.returncode == 0 and "1 label was added" in done.stdout


def test_a_damaged_line_is_named_and_a_torn_one_is_set_aside(spool, client, judged, folder):
    labels = spool.root / "eval/labels.jsonl"
    labels.write_text("no JSON\n" + line(spool, "q1", "wrong") + '{"request_id": "q')
    done = client.run("eval", *EVAL, judged)
    assert "1 line cannot be read" in done.stderr
    file = folder / "new.jsonl"
    file.write_text(line(spool, "q0", "correct"))
    done = client.run("eval", "label", judged, "--import", file)
    assert done.returncode == 0 and "was cut off" in done.stderr
    assert judging(client, judged)["labels"] == 2
    assert (spool.root / "eval/labels.jsonl.torn-1").read_text() == '{"request_id": "q'


def test_the_terminal_labels_one_by_one_and_goes_on_later(spool, client, judged):
    label = ("eval", "label", judged, "--terminal", "--by", "anna")
    done = client.run(*label, stdin="9\n1\nwrong too far north\nq\n")
    assert done.returncode == 0 and "2 labelled" in done.stdout, done.stderr
    assert "none of the labels" in done.stdout and "\x1b[31m" not in done.stdout
    stored = [json.loads(one) for one in
              (spool.root / "eval/labels.jsonl").read_text().splitlines()]
    assert [(one["label"], one.get("note")) for one in stored] == [
        ("correct", None), ("wrong", "too far north")]
    done = client.run(*label, stdin="b\nu\n2\n3\n3\n")
    assert "---- 3 of 4 ----" in done.stdout.split("Response")[0], "it goes on where it was"
    found = judging(client, judged)
    assert found["labels"] == 4 and found["agreement"][0]["share"]["value"] == 0.25


def test_what_cannot_be_labelled_is_said(spool, client, judged, spec, folder):
    done = client.run("eval", "label", judged, "--grader", "x", "--out", folder / "p.html")
    assert done.returncode == 2 and "no grader 'x'; there are: right" in done.stderr
    done = client.run("eval", "label")
    assert done.returncode == 2 and "filecall eval label SPEC" in done.stderr
    other = spec({"kind": "exact", "expected": "x"}, name="other")
    done = client.run("eval", "label", other, "--out", folder / "p.html")
    assert done.returncode == 2 and "run 'filecall eval'" in done.stderr
    assert not (folder / "p.html").exists()
