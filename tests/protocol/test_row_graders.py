# SPDX-License-Identifier: MIT
"""One data set whose rows are graded in different ways, through the loops of every day: a prompt is
edited, a label corrected, a column added, a grader changed."""

import csv
import io
import json

import jsonschema
import pytest

from evaluation import answered, of, outcomes
from experiment import Experiment
from harness import QUICK_RETRIES, TOP

EVAL = ("--no-start-worker", *QUICK_RETRIES)
ROWS = """id,kind,country,expected
fr,city,France,Paris
it,city,Italy,Rome
sum,number,7,7
odd,poem,Sea,
"""
CITY = {"kind": "contains", "name": "city", "expected_var": "expected", "when": {"kind": "city"}}
NUMBER = {"kind": "numeric", "name": "number", "expected_var": "expected",
          "when": {"kind": "number"}}
SHORT = {"kind": "regex", "name": "short", "pattern": "(?s)^.{0,40}$",
         "unless": {"kind": ["poem", "number"]}}


def schema(name):
    return json.loads((TOP / f"ipc-schema/schema/{name}.schema.json").read_text())


@pytest.fixture
def experiment(folder, client, endpoint, llm_worker):
    made = Experiment(folder, client, endpoint)
    made.rows.write_text(ROWS)
    return made


def graded(experiment, spec, *graders, code=0, **members):
    path = spec(*graders, **members)
    summary = experiment.json("eval", path, *EVAL, code=code)
    report = experiment.json("report")
    jsonschema.validate(report, schema("report"))
    return summary, report


def counts(report):
    """By grader: how many answers it graded, and their mean."""
    return {name: (one["graded"], round(one["score"]["value"], 6))
            for name, one in report["all"]["graders"].items()}


@pytest.mark.core
def test_each_row_is_graded_by_the_graders_that_are_for_it(experiment, spec, client):
    experiment.run()
    summary, report = graded(experiment, spec, CITY, NUMBER, SHORT)
    assert counts(report) == {"city": (2, 0.5), "number": (1, 1), "short": (2, 1)}
    assert summary["counts"]["graded"] == 3 and summary["counts"]["ungraded"] == 1
    by_grader = {one["grader"]: one for one in summary["graders"]}
    assert {name: one["counts"]["graded"] for name, one in by_grader.items()} == {
        "city": 2, "number": 1, "short": 2}
    items = {item["item"]: item for item in report["items"]}
    assert [grade["name"] for grade in items["fr"]["grades"]] == ["city", "short"]
    assert [grade["name"] for grade in items["sum"]["grades"]] == ["number"]
    assert items["odd"]["outcome"] == "ungraded" and items["odd"]["grades"] == []
    assert "no grader is for this row" in items["odd"]["reason"]
    assert report["all"]["score"]["value"] == pytest.approx((1 + 0.5 + 1) / 3)
    text = client.run("eval", *EVAL, spec(CITY, NUMBER, SHORT)).stdout
    assert "No score, 1 time: no grader is for this row" in text
    junit = client.run("report", "--format", "junit").stdout
    assert "ungraded: no grader is for this row" in junit
    assert "no grader is for this row" in client.run("report", "--format", "html").stdout
    table = client.run("report", "--format", "csv").stdout
    by_item = {row["item"]: row for row in csv.DictReader(io.StringIO(table))}
    assert json.loads(by_item["sum"]["grades"]) == {"number": 1} and not by_item["odd"]["grades"]


def test_thresholds_count_what_no_grader_is_for(experiment, spec, client):
    experiment.run()
    graded(experiment, spec, CITY, NUMBER, SHORT)
    assert client.run("report", "--max-error-rate", "0.25").returncode == 0
    done = client.run("report", "--max-error-rate", "0.2")
    assert done.returncode == 4 and "25.00 %" in done.stderr
    assert client.run("report", "--min-score", "0.8").returncode == 0
    summary, _ = graded(experiment, spec, CITY, NUMBER, SHORT,
                        outcomes={"ungraded": "zero"}, code=0)
    assert summary["score"]["value"] == pytest.approx(2.5 / 4)
    assert client.run("report", "--min-score", "0.8").returncode == 4
    graded(experiment, spec, CITY, NUMBER, SHORT, max_error_rate=0.2, code=4)


def test_where_no_grader_is_for_anything_nothing_is_graded(experiment, spec, client):
    experiment.run()
    done = client.run("eval", *EVAL, spec({**CITY, "when": {"kind": "town"}}))
    assert done.returncode == 4 and "4 times: no grader is for this row" in done.stderr
    assert "Grader city was for none of the answers" in done.stdout


@pytest.mark.parametrize("grader, says", [
    ({**CITY, "when": {"knd": "city"}}, "grader 'city': when: no selected request has a column"),
    ({**CITY, "unless": {"knd": "city"}}, "grader 'city': unless: no selected request has"),
    ({**CITY, "when": {"kind": []}}, "graders[0].when"),
    ({**CITY, "when": "city"}, "graders[0].when"),
])
def test_a_condition_that_cannot_be_meant_is_refused(experiment, spec, client, grader, says):
    experiment.run()
    done = client.run("eval", *EVAL, spec(grader))
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert not (client.spool.root / "eval/grades.jsonl").exists()


def test_a_column_that_only_a_late_row_has_is_no_misspelling(spool, client, spec):
    for n in range(1100):
        answered(spool, f"a{n:04}", "Paris", vars={"kind": "plain"})
    answered(spool, "b", "Rome", vars={"city": "Rome"})
    done = client.run("eval", *EVAL, spec({"kind": "exact", "expected_var": "city",
                                           "when": {"city": "Rome"}}))
    assert done.returncode == 0, done.stderr
    assert of(spool, "b")["score"] == 1


def test_a_row_names_its_graders(spool, client, spec):
    answered(spool, "a", "Paris", vars={"by": "exact", "city": "Paris"})
    answered(spool, "b", "Paris!", vars={"by": ["exact", "polite"], "city": "Paris"})
    answered(spool, "c", "Paris", vars={"by": ""})
    answered(spool, "d", "Paris", vars={"by": "exakt", "city": "Paris"})
    path = spec({"kind": "exact", "expected_var": "city"},
                {"kind": "contains", "name": "polite", "any": ["!"]}, graders_var="by")
    shown = client.run("eval", "--check", path)
    assert "named in by" in shown.stdout
    done = client.run("eval", *EVAL, path)
    assert done.returncode == 0, done.stderr
    assert outcomes(spool) == {"a": "graded", "b": "graded", "c": "ungraded", "d": "ungraded"}
    assert [grade["name"] for grade in of(spool, "a")["grades"]] == ["exact"]
    assert of(spool, "b")["score"] == 0.5
    assert of(spool, "c")["reason"] == "the row names no grader in 'by'"
    assert "'exakt'" in of(spool, "d")["reason"] and "mean exact" in of(spool, "d")["reason"]
    done = client.run("eval", *EVAL, spec({"kind": "exact", "expected": "x"}, graders_var="bye"))
    assert done.returncode == 2 and "graders_var: no" in done.stderr
    assert "did you mean by" in done.stderr


def edit_prompt(experiment, graders):
    experiment.prompt.write_text("say Rome and Paris {{country}}")


def correct_label(experiment, graders):
    experiment.rows.write_text(ROWS.replace("Italy,Rome", "Italy,Italy"))


def add_column(experiment, graders):
    lines = ROWS.splitlines()
    lines = [lines[0] + ",level", *(line + ",easy" for line in lines[1:])]
    experiment.rows.write_text("\n".join(lines) + "\n")
    graders[0]["when"]["level"] = "easy"


def correct_kind(experiment, graders):
    """A label that a condition looks at: the row goes from one grader to another."""
    experiment.rows.write_text(ROWS.replace("sum,number", "sum,city"))


def change_grader(experiment, graders):
    graders[0]["expected_var"] = "country"


def add_grader(experiment, graders):
    graders.append({"kind": "contains", "name": "sea", "any": ["Sea"], "when": {"kind": "poem"}})


CITIES = {"city": (2, 0.5), "number": (1, 1), "short": (2, 1)}
LOOPS = {  # edit: calls that it costs, grades that are kept, graders afterwards
    edit_prompt: (4, 0, {**CITIES, "city": (2, 1)}),
    correct_label: (0, 2, {**CITIES, "city": (2, 1)}),
    add_column: (0, 0, CITIES),
    correct_kind: (0, 2, {"city": (3, 0.666667), "short": (3, 1)}),
    change_grader: (0, 0, {**CITIES, "city": (2, 1)}),
    add_grader: (0, 0, {**CITIES, "sea": (1, 1)}),
}


@pytest.mark.parametrize("edit", LOOPS, ids=lambda edit: edit.__name__)
def test_an_edit_changes_what_it_is_about_and_the_run_before_it_keeps_its_grades(
        experiment, spec, edit):
    calls, reused, after = LOOPS[edit]
    graders = [dict(one, **({"when": dict(one["when"])} if "when" in one else {}))
               for one in (CITY, NUMBER, SHORT)]
    first = experiment.run()
    _, before = graded(experiment, spec, *graders)
    assert counts(before) == CITIES
    asked = experiment.calls()
    edit(experiment, graders)
    second = experiment.run()
    assert experiment.calls() - asked == calls
    summary, report = graded(experiment, spec, *graders)
    # What no grader is for is looked at again each time, and is none of these.
    assert summary["reused"] == reused
    assert counts(report) == after
    assert report["evaluation_problems"] == 0
    if first != second:
        old = experiment.json("report", "--run", first)
        assert counts(old) == CITIES and old["evaluation_problems"] == 0
        assert old["all"]["score"]["value"] == before["all"]["score"]["value"]
        compared = experiment.json("compare", f"@run={first}", f"@run={second}")
        jsonschema.validate(compared, schema("comparison"))
        # In one of these edits a grader changes with the row, in two a value of the row, and in one
        # the prompt.
        assert len(compared["notes"]) == (
            edit in (add_column, correct_label, correct_kind, edit_prompt))
        pair = compared["groups"][0]
        assert pair["graders"]["city"]["items"] == 2
        assert ("number" in pair["graders"]) is ("number" in after)


def test_grades_by_several_versions_of_a_specification_are_named(
        experiment, spec, client, folder):
    first = experiment.run()
    graded(experiment, spec, CITY)
    experiment.rows.write_text(ROWS.replace("Italy,Rome", "Italy,Italy"))
    second = experiment.run()
    saved = folder / "saved.json"
    done = client.run("report", "--run", first, "--format", "json", "--out", saved)
    assert done.returncode == 0, done.stderr
    report = graded(experiment, spec, {**CITY, "ignore_case": True})[1]
    assert len(report["spec_digests"]) == 1
    compare = ("compare", f"@run={first}", f"@run={second}")
    for options in ([], ["--format", "markdown"], ["--format", "html"]):
        done = client.run(*compare, *options)
        assert "different versions of the specification" in done.stdout, options
    versions, rows = experiment.json(*compare)["notes"]
    assert "different versions" in versions and "in the rows of A" in rows
    assert experiment.json("compare", saved, f"@run={second}")["notes"] == [versions, rows]
    experiment.json("eval", spec({**CITY, "ignore_case": True}), *EVAL, "--run", first)
    assert experiment.json(*compare)["notes"] == [rows]
    experiment.json("eval", spec(CITY), *EVAL, "--limit", "1")
    assert len(experiment.json("report")["spec_digests"]) == 2
    for options in ([], ["--format", "html"]):
        assert "2 versions of the specification" in client.run("report", *options).stdout, options


@pytest.mark.core
def test_two_runs_that_share_answers_are_both_fully_graded(experiment, spec, client):
    """A label is corrected and taken back: each run shows the grades by its own labels."""
    rows = "id,country,city\nfr,France,Paris\nit,Italy,Rome\n"
    city = {"kind": "contains", "expected_var": "city"}
    experiment.rows.write_text(rows)
    first = experiment.run()
    graded(experiment, spec, city)
    experiment.rows.write_text(rows.replace("Italy,Rome", "Italy,Italy"))
    second = experiment.run()
    graded(experiment, spec, city)
    for _ in range(2):
        for run_id, score in ((first, 0.5), (second, 1)):
            report = experiment.json("report", "--run", run_id)
            assert report["all"]["score"]["value"] == score, run_id
            assert report["all"]["counts"]["graded"] == 2 and report["evaluation_problems"] == 0
        assert experiment.json("compare", f"@run={first}", f"@run={second}")[
            "all"]["difference"] == 0.5
        summary = experiment.json("eval", spec(city), *EVAL, "--run", first)
        assert summary["reused"] == 2, "the grades by the first labels are still there"
        assert client.run("gc", "--older-than", "1000d").returncode == 0
    assert experiment.calls() == 2
