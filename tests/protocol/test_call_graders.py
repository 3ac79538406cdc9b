# SPDX-License-Identifier: MIT
"""Graders of what a call took and cost: what came from a cache, or has no known price, has no
grade, and none of it counts as 0."""

import csv
import io
import json

import pytest

from evaluation import of
from experiment import Experiment
from harness import QUICK_RETRIES

EVAL = ("--no-start-worker", *QUICK_RETRIES)
FAST = {"kind": "latency", "name": "fast", "max": "10m"}
SLOW = {"kind": "latency", "name": "slow", "max": "10m", "negate": True}
CHEAP = {"kind": "cost", "name": "cheap", "max": 0.5}


@pytest.fixture
def experiment(folder, client, endpoint, llm_worker):
    return Experiment(folder, client, endpoint)


def grades_of(experiment):
    """By item and grader, of the report: score and reason."""
    report = experiment.json("report")
    return {item["item"]: {one["name"]: (one.get("score"), one["reason"]) for one in item["grades"]}
            for item in report["items"]}


def prices(experiment, **by_model):
    path = experiment.folder / "prices.json"
    path.write_text(json.dumps({model: {"input": dollars, "output": dollars}
                                for model, dollars in by_model.items()}))
    return ("--prices", path)


@pytest.mark.core
def test_a_cost_that_nobody_knows_is_no_grade_until_a_price_is_there(experiment, spec, client,
                                                                       spool):
    experiment.run()
    path = spec(FAST, SLOW, CHEAP)
    summary = experiment.json("eval", path, *EVAL, code=4)
    assert summary["counts"]["ungraded"] == 2 and summary["counts"]["graded"] == 0
    for grades in grades_of(experiment).values():
        assert grades["fast"][0] == 1 and "ms; at most 10m" in grades["fast"][1]
        assert grades["slow"][0] == 0
        assert grades["cheap"][0] is None and "there is no price" in grades["cheap"][1]
    asked = experiment.calls()
    # A price that is there later counts, one that changed as well, and one that is gone does not.
    for dollars, wanted in ((1, 1), (1e6, 0), (None, 0)):
        options = () if dollars is None else prices(experiment, m=dollars)
        summary = experiment.json("eval", path, *EVAL, *options)
        assert summary["counts"]["graded"] == 2 and summary["counts"]["ungraded"] == 0
        for grades in grades_of(experiment).values():
            assert grades["cheap"][0] == wanted, (dollars, grades)
    assert experiment.json("eval", path, *EVAL)["reused"] == 2
    lines = (spool.root / "eval/grades.jsonl").read_text().count("\n")
    experiment.json("eval", path, *EVAL)
    assert (spool.root / "eval/grades.jsonl").read_text().count("\n") == lines
    assert experiment.calls() == asked
    one = of(spool, next(iter(spool.root.glob("responses/*.json"))).stem)
    assert one["grades"][2]["details"]["cost"] > 0.5


def test_the_cost_is_the_one_that_the_run_reckoned(experiment, spec):
    experiment.run(*prices(experiment, m=1))
    report = experiment.json("report")
    experiment.json("eval", spec(CHEAP), *EVAL)
    items = experiment.json("report")["items"]
    assert [item["cost"] for item in items] == [item["cost"] for item in report["items"]]
    assert all(f"cost US$ {item['cost']:.6g};" in item["grades"][0]["reason"] for item in items)


def test_what_came_from_a_cache_has_no_grade_and_costs_nothing(experiment, spec, client, folder):
    cached = ("--cache", folder / "cache", "--cache-all")
    first = experiment.run(*cached)
    experiment.prompt.write_text("say Paris {{country}}, in short")
    experiment.run(*cached)
    experiment.prompt.write_text("say Paris {{country}}")
    # Another root, so that nothing but the cache has the responses.
    again = folder / "again"
    done = client.run("run", experiment.rows, "--prompt", experiment.prompt, "--model", "m",
                      "--no-start-worker", "--json", *cached, "--root", again)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["cached"] == 2 and first
    options = (*EVAL, "--root", again, *prices(experiment, m=1e6))
    summary = experiment.json("eval", spec(FAST, CHEAP), *options, code=4)
    assert summary["counts"]["ungraded"] == 2
    report = experiment.json("report", "--root", again)
    for item in report["items"]:
        assert [grade.get("score") for grade in item["grades"]] == [None, None]
        assert all("came from a cache" in grade["reason"] for grade in item["grades"])
        assert item["cost"] == 0
    assert report["all"]["usage"]["cost"] == 0
    page = client.run("report", "--root", again, "--prices", folder / "prices.json", "--format",
                      "csv").stdout
    assert [float(row["cost"]) for row in csv.DictReader(io.StringIO(page))] == [0, 0]


def test_a_model_that_does_not_say_what_it_used_has_an_unknown_cost(experiment, spec,
                                                                          client):
    # A price does not make nothing of it: nobody knows the tokens.
    done = client.run("run", experiment.rows, "--prompt", experiment.prompt, "--model",
                      "m;usage=none", "--no-start-worker", "--json",
                      *prices(experiment, **{"m*": 1}))
    summary = json.loads(done.stdout)["spend"]
    assert summary["calls_without_price"] == 2 and summary["cost"] is None
    experiment.json("eval", spec(FAST), *EVAL)
    report = experiment.json("report")
    assert [item["cost"] for item in report["items"]] == [None, None]
    assert report["all"]["usage"]["cost"] is None
    assert "unknown" in client.run("report").stdout
    table = client.run("report", "--format", "csv").stdout
    assert [row["cost"] for row in csv.DictReader(io.StringIO(table))] == ["unknown"] * 2
    saved = experiment.folder / "report.json"
    saved.write_text(json.dumps(report))
    assert "unknown" in client.run("compare", saved, saved).stdout
