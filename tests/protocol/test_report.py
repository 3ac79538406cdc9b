# SPDX-License-Identifier: MIT
"""filecall report over roots that were written as files, and over one real run."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree

import jsonschema
import pytest

from evaluated_root import EvaluatedRoot
from harness import QUICK_RETRIES, TOP

HOSTILE = "</script><script>alert(1)</script>]]>&\"'\x01\x1b[2J\u2028=1+1"
SCHEMA = json.loads((TOP / "ipc-schema/schema/report.schema.json").read_text())


@pytest.fixture
def made(spool):
    return EvaluatedRoot(spool.root)


def report_json(client, *arguments):
    done = client.run("report", "--format", "json", *arguments)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report


def group(report, model):
    return next(g for g in report["groups"] if g["model"] == model)


@pytest.fixture
def two_models(made):
    """Ten items; model a gets 7 right, b 4; b also has a failure and a refusal."""
    for i in range(10):
        made.graded(f"a-{i}", float(i < 7), model="a", item=f"q{i}", run_ms=100 + i,
                    data={"cost": 0.25, "time_to_first_token_ms": 30,
                          "usage": {"input_tokens": 10, "output_tokens": 2}})
        made.graded(f"b-{i}", float(i < 4), model="b", item=f"q{i}")
    refused = made.answer("b-x", model="b", item="q10", data={"finish_reason": "refusal"})
    made.evaluate("b-x", refused, outcome="refusal", grades=[])
    made.evaluate("b-y", made.give_up("b-y", model="b", item="q11"), outcome="error", grades=[])
    return made


def test_scores_have_intervals_and_failures_are_no_zeros(client, two_models):
    report = report_json(client)
    a, b = group(report, "a"), group(report, "b")
    # Wilson's interval of 7 of 10, by SciPy's binomtest(7, 10).proportion_ci(method="wilson").
    assert a["score"]["value"] == pytest.approx(0.7)
    assert a["score"]["low"] == pytest.approx(0.39677815, abs=1e-6)
    assert a["score"]["high"] == pytest.approx(0.89220873, abs=1e-6)
    assert a["score"]["method"] == "wilson"
    assert b["score"]["value"] == pytest.approx(0.4), "the refusal and the failure are left out"
    assert b["counts"]["refusal"] == 1 and b["counts"]["error"] == 1
    assert b["error_rate"] == pytest.approx(1 / 12)
    assert b["errors"] == {"rate_limited": 1}
    assert a["usage"]["cost"] == pytest.approx(2.5) and a["usage"]["input_tokens"] == 100
    assert a["first_token_ms"]["p50"] == 30 and a["run_ms"]["max"] == 109
    item = next(i for i in report["items"] if i["request_id"] == "a-0")
    assert item["prompt"] == "why?" and item["answer"] == "because" and item["score"] == 1


def test_the_terminal_shows_all_of_it(client, two_models):
    done = client.run("report")
    assert done.returncode == 1, "one was given up"
    for text in ("0.700", "0.397 to 0.892", "70.0 %", "rate_limited 1", "$2.50", "b-y", "a-9",
                 "Fewer than 20 items"):
        assert text in done.stdout, text + "\n" + done.stdout


def test_repeats_are_reported_and_clustered(client, made):
    for item, passes in enumerate((0, 1, 2, 4)):
        for repeat in range(4):
            made.graded(f"{item}-{repeat}", float(repeat < passes), model="m", item=f"q{item}",
                        repeat=repeat + 1)
    found = group(report_json(client), "m")
    assert found["score"]["items"] == 4 and found["score"]["answers"] == 16
    assert found["score"]["method"] == "student-t"
    assert found["repeats"]["k"] == 4
    assert found["repeats"]["pass_at_k"]["value"] == pytest.approx(0.75)
    assert found["repeats"]["pass_hat_k"]["value"] == pytest.approx(0.25)


@pytest.mark.parametrize("arguments, code", [
    (("--min-score", "0.65", "--model", "a"), 0), (("--min-score", "71%", "--model", "a"), 4),
    (("--min-score", "0.5"), 4), (("--max-error-rate", "0.1"), 0),
    (("--max-error-rate", "5%"), 4), ((), 1), (("--model", "a"), 0),
    (("--min-score", "2"), 2), (("--model", "no-such"), 2), (("--eval", "no-such"), 2)])
def test_thresholds_and_exit_codes(client, two_models, arguments, code):
    done = client.run("report", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr or code in (0, 1)


@pytest.mark.parametrize("flags", [("--min-score", "0"), ("--max-error-rate", "5%")])
def test_a_threshold_is_missed_while_requests_have_not_ended(client, made, flags):
    made.graded("a", 1.0, model="m")
    made.ask("b", model="m")
    done = client.run("report", *flags)
    assert done.returncode == 4 and "1 of 2 requests has not ended" in done.stderr, done.stderr
    assert client.run("report", *flags, "--allow-pending").returncode == 0
    assert client.run("report").returncode == 0, "no threshold, no gate"


@pytest.mark.parametrize("flags", [("--min-score", "0"), ("--max-error-rate", "5%")])
def test_a_threshold_is_missed_while_responses_were_never_graded(client, made, flags):
    made.graded("a", 1.0, model="m")
    made.answer("b", model="m")
    made.answer("c", model="m", data={"finish_reason": "refusal"})
    done = client.run("report", *flags)
    assert done.returncode == 4 and "2 of 3 responses were never graded" in done.stderr, done.stderr
    assert "'filecall eval'" in done.stderr
    assert client.run("report", *flags, "--allow-pending").returncode == 0
    assert client.run("report").returncode == 0, "no threshold, no gate"


def test_a_row_that_no_grader_is_for_was_looked_at(client, made):
    made.graded("a", 1.0, model="m")
    made.evaluate("b", made.answer("b", model="m"), outcome="ungraded", grades=[])
    assert client.run("report", "--min-score", "0").returncode == 0


def test_an_error_rate_of_what_nobody_grades_needs_no_grade(client, made):
    made.answer("a", model="m")
    assert client.run("report", "--max-error-rate", "5%").returncode == 0


def test_several_evaluations_ask_for_a_name(client, two_models):
    answer = two_models.answer("c", model="a")
    two_models.evaluate("c", answer, 1, name="quality")
    two_models.evaluate("c", answer, 0, name="strict")
    done = client.run("report")
    assert done.returncode == 2 and "quality" in done.stderr and "strict" in done.stderr
    report = report_json(client, "--eval", "strict")
    assert report["all"]["counts"]["graded"] == 1


def test_an_evaluation_of_a_replaced_answer_does_not_count(client, made):
    made.graded("a", 1.0, model="m")
    made.answer("a", text="another", model="m")
    made.answer("b", model="m")
    (made.root / "eval" / "b.json").write_text("{")
    made.graded("c", 1.0, model="m")
    report = report_json(client)
    assert report["evaluation_problems"] == 2
    assert report["all"]["counts"]["graded"] == 1 and report["all"]["counts"]["answered"] == 2
    assert "2 evaluations do not count" in client.run("report").stdout
    assert "again: a, b\n" in client.run("report").stdout
    named = {item["request_id"] for item in report["items"] if item.get("evaluation_problem")}
    assert named == {"a", "b"}
    done = client.run("report", "--min-score", "0")
    assert done.returncode == 4 and "2 responses have no grade that counts" in done.stderr


def test_a_root_without_evaluations_has_the_rest(client, made):
    made.answer("a", model="m")
    made.ask("b", model="m")
    report = report_json(client)
    assert report["evaluation"] == ""
    assert report["all"]["counts"]["answered"] == 1 and report["all"]["counts"]["pending"] == 1
    assert report["all"]["score"]["value"] is None
    assert client.run("report").returncode == 0


def hostile_root(made):
    made.graded(HOSTILE.replace("/", "").replace("\x01", "").replace("\x1b", ""), 0.0,
                model="@" + HOSTILE, prompt=HOSTILE, text=HOSTILE, item=HOSTILE)
    made.give_up("=cmd", error_class=HOSTILE, message=HOSTILE, model="m")


def test_hostile_texts_stay_texts_in_csv(client, made):
    hostile_root(made)
    rows = list(csv.DictReader(io.StringIO(client.run("report", "--format", "csv").stdout,
                                           newline="")))
    assert len(rows) == 2
    for row in rows:
        assert None not in row and None not in row.values(), "every row has every column"
        for value in row.values():
            assert not value.startswith(("=", "+", "-", "@", "\t", "\r")), value
    by_id = {row["request_id"]: row for row in rows}
    by_id.pop("'=cmd")
    shown = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", HOSTILE)
    assert [row["prompt"] for row in by_id.values()] == [shown]


def test_hostile_texts_stay_texts_on_the_terminal(client, made):
    hostile_root(made)
    assert "\x1b" not in client.run("report").stdout


def check_junit(text):
    """What the schemas of Ant's and Jenkins's JUnit files have in common, and Ant's demands."""
    suites = ElementTree.fromstring(text)
    assert suites.tag == "testsuites"
    (suite,) = suites
    assert suite.tag == "testsuite" and not set(
        "name package id timestamp hostname tests failures errors time".split()) - set(suite.attrib)
    children = [child.tag for child in suite]
    cases = suite.findall("testcase")
    assert children == ["properties"] + ["testcase"] * len(cases) + ["system-out", "system-err"]
    for case in cases:
        assert {"name", "classname", "time"} <= set(case.attrib) and float(case.get("time")) >= 0
        assert len(case) <= 1
        for end in case:
            assert end.tag in ("failure", "error", "skipped") and end.get("type")
    for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert int(suite.get(count)) == sum(case.find(tag) is not None for case in cases)
    assert int(suite.get("tests")) == len(cases)
    return cases


def test_junit_is_valid_whatever_stands_in_an_answer(client, made):
    hostile_root(made)
    refused = made.answer("refused", model="m", data={"finish_reason": "refusal"})
    made.evaluate("refused", refused, outcome="refusal", grades=[])
    cases = check_junit(client.run("report", "--format", "junit").stdout)
    ends = sorted(case[0].tag for case in cases)
    assert ends == ["error", "failure", "skipped"]


def test_all_formats_go_into_a_folder(client, two_models, folder):
    done = client.run("report", "--format", "all", "--out", folder / "out")
    assert done.returncode == 1 and done.stdout == "", "the files are there instead"
    jsonschema.validate(json.loads((folder / "out/summary.json").read_text()), SCHEMA)
    assert len((folder / "out/results.csv").read_text().splitlines()) == 23
    check_junit((folder / "out/junit.xml").read_text())
    assert not list((folder / "out").glob("*.part"))
    assert client.run("report", "--format", "all").returncode == 2, "it needs a folder"


def test_the_name_of_the_file_chooses_the_format(client, two_models, folder):
    for name, begin in (("a.html", "<!DOCTYPE html>"), ("a.JSON", "{"), ("a.csv", "request_id,"),
                        ("a.xml", "<?xml"), ("a.txt", ""), ("dir.csv/report", "")):
        (folder / name).parent.mkdir(exist_ok=True)
        done = client.run("report", "--out", folder / name)
        assert done.returncode == 1, done.stderr
        text = (folder / name).read_text()
        assert text.lower().startswith(begin.lower()), (name, text[:80])
        assert begin or "0.397 to 0.892" in text, text
    client.run("report", "--out", folder / "b.html", "--format", "csv")
    assert (folder / "b.html").read_text() == (folder / "a.csv").read_text()
    done = client.run("report", "--out", folder / "a.md")
    assert done.returncode == 2 and "markdown" in done.stderr and "--format" in done.stderr
    assert not (folder / "a.md").exists()


def test_a_real_run_is_reported_with_its_attempts(client, worker):
    batch = client.batch(("good", "system.echo", {"x": 1}),
                         ("bad", "tool.run", {"argv": ["no-such-program"]}))
    assert client.run("run", batch, *QUICK_RETRIES, "--no-start-worker").returncode == 1
    report = report_json(client, "--batch", batch.name)
    assert report["counts"] == {"SUCCESS": 1, "GAVE_UP": 1}
    items = {item["request_id"]: item for item in report["items"]}
    assert json.loads(items["good"]["answer"]) == {"x": 1} and items["good"]["attempts"] == 1
    assert items["bad"]["error_message"] and items["bad"]["outcome"] == "error"
    assert client.run("report", "--batch", "no-such").returncode == 2
