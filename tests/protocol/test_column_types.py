# SPDX-License-Identifier: MIT
"""Types of a table's columns: what a cell is none of is named before anything is asked."""

import json

import jsonschema
import pytest

from experiment import Experiment
from harness import TOP

ROWS = "country,city,year,open,tags\nFrance,Paris,1900,TRUE,\"[\"\"a\"\"]\"\nItaly,Rome,,false,\n"
TYPES = "year=integer,open=boolean,tags=json"


@pytest.fixture
def experiment(folder, client, endpoint, llm_worker):
    made = Experiment(folder, client, endpoint)
    made.rows.write_text(ROWS)
    return made


def rows_of(experiment):
    return {item["vars"]["country"]: item["vars"] for item in experiment.json("report")["items"]}


@pytest.mark.core
def test_cells_are_values_where_their_column_has_a_type(experiment, spool, folder):
    run_id = experiment.run("--types", TYPES)
    assert rows_of(experiment) == {
        "France": {"country": "France", "city": "Paris", "year": 1900, "open": True, "tags": ["a"]},
        "Italy": {"country": "Italy", "city": "Rome", "year": None, "open": False, "tags": None}}
    record = json.loads((spool.root / f"runs/{run_id}.json").read_text())
    jsonschema.validate(record, json.loads((TOP / "ipc-schema/schema/run.schema.json").read_text()))
    assert record["setup"]["types"] == {"year": "integer", "open": "boolean", "tags": "json"}
    (folder / "types.yaml").write_text("year: integer\nopen: boolean\ntags: json\n")
    assert experiment.run("--types", f"@{folder}/types.yaml") == run_id


def test_a_type_asks_nothing_again(experiment):
    """Of a column beside the prompt, and of one in it, as long as the prompt stays what it is."""
    experiment.prompt.write_text("say {{country}} {{city}}")
    first = experiment.run()
    assert experiment.run("--types", TYPES) != first, "other values of the columns are another run"
    experiment.prompt.write_text("say {{country}} {{year}}")
    experiment.rows.write_text(ROWS.replace(",,false", ",50,false"))
    asked = experiment.calls()
    experiment.run()
    experiment.run("--types", TYPES)
    assert experiment.calls() - asked == 2


def test_values_can_be_conditions_and_expected(experiment, spec):
    experiment.prompt.write_text("say 1900 {{country}}")
    experiment.run("--types", TYPES)
    path = spec({"kind": "numeric", "name": "year", "expected_var": "year", "when": {"open": True}},
                {"kind": "contains", "name": "tag", "expected_var": "tags", "when": {"tags": "a"}})
    summary = experiment.json("eval", path, "--no-start-worker")
    assert {one["grader"]: one["counts"]["graded"] for one in summary["graders"]} == {
        "year": 1, "tag": 1}


@pytest.mark.parametrize("types, rows, says", [
    (TYPES, ROWS.replace("1900", "19OO"), ["rows.csv:2: column 'year': '19OO' is no integer"]),
    (TYPES, ROWS.replace("false", "no").replace("1900", "x"),
     ["rows.csv:2: column 'year'", "rows.csv:3: column 'open': 'no' is neither true nor false"]),
    ("yeer=integer", ROWS, ["there is no column 'yeer'", "year"]),
    ("year=int", ROWS, ["year: 'int' is no type", "integer"]),
    ("year", ROWS, ["COLUMN=TYPE"]),
    ("@no-such.yaml", ROWS, ["no-such.yaml"]),
])
def test_what_does_not_fit_is_named_and_nothing_is_asked(experiment, client, types, rows, says):
    experiment.rows.write_text(rows)
    done = client.run("run", experiment.rows, "--prompt", experiment.prompt, "--model", "m",
                      "--no-start-worker", "--types", types)
    assert done.returncode == 2 and all(text in done.stderr for text in says), done.stderr
    assert experiment.calls() == 0 and not client.spool.requests()


def test_json_lines_keep_their_types(experiment, client, folder):
    experiment.rows = folder / "rows.jsonl"
    row = {"country": "France", "year": 1900, "open": True, "tags": ["a", {"b": None}]}
    experiment.rows.write_text(json.dumps(row) + "\n")
    experiment.run()
    assert rows_of(experiment) == {"France": row}
    done = client.run("run", experiment.rows, "--prompt", experiment.prompt, "--types", TYPES)
    assert done.returncode == 2 and "JSON has types of its own" in done.stderr


def test_parquet_is_refused_with_what_converts_it(experiment, client, folder):
    for name in ("rows.parquet", "rows.csv"):
        (folder / name).write_bytes(b"PAR1\x15\x04\x15" + bytes(range(256)) + b"PAR1")
        done = client.run("run", folder / name, "--prompt", experiment.prompt, "--model", "m")
        assert done.returncode == 2 and "is Parquet" in done.stderr
        assert "read_parquet" in done.stderr and "Traceback" not in done.stderr
