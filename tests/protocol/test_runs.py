# SPDX-License-Identifier: MIT
"""Runs: what was asked is recorded, and nothing is mixed with what an earlier run asked."""

import json

import jsonschema
import pytest

from experiment import ROWS, Experiment
from harness import TOP, wait_until


def schema(name):
    return json.loads((TOP / f"ipc-schema/schema/{name}.schema.json").read_text())


@pytest.fixture
def experiment(folder, client, endpoint, llm_worker):
    return Experiment(folder, client, endpoint)


@pytest.mark.core
def test_a_run_is_recorded_before_it_asks_and_can_be_read_as_files(spool, experiment):
    run_id = experiment.run("--repeat", "2")
    record = json.loads((spool.root / "runs" / f"{run_id}.json").read_text())
    jsonschema.validate(record, schema("run"))
    assert record["requests"] == 4 and record["setup"]["repeat"] == 2
    assert record["setup"]["models"] == ["m"]
    assert record["setup"]["prompts"][0]["text"] == "say Paris {{country}}"
    lines = [json.loads(line) for line in
             (spool.root / "runs" / f"{run_id}.items.jsonl").read_text().splitlines()]
    assert {line["request_id"] for line in lines} == spool.requests()
    assert [line["metadata"]["item"] for line in lines] == ["fr", "fr", "it", "it"]
    assert (spool.root / "runs/latest").read_text() == run_id + "\n"
    shown = experiment.json("runs", "show", "latest")
    jsonschema.validate(shown, schema("run"))
    assert shown["states"]["SUCCESS"] == 4 and shown["goes_on"] is False


def test_the_same_again_is_the_same_run_and_anything_else_is_another(experiment):
    first = experiment.run()
    assert experiment.run() == first
    experiment.prompt.write_text("say {{country}}, please")
    second = experiment.run()
    listed = experiment.json("runs", "list")
    jsonschema.validate(listed, schema("run_list"))
    assert [run["run_id"] for run in listed["runs"]] == [first, second]
    assert listed["latest"] == second
    found = experiment.json("runs", "diff", first, "latest")
    jsonschema.validate(found, schema("run_difference"))
    assert found["in_both"] == 0 and found["only_b"]["count"] == 2
    assert any(change["path"].startswith("/prompts/0") for change in found["setup"])
    text = experiment.client.run("runs", "diff", first, second).stdout
    assert "say Paris {{country}}" in text and "please" in text
    assert experiment.json("runs", "delete", first) == {"deleted": [first]}
    assert len(experiment.json("runs", "list")["runs"]) == 1


def test_previous_is_what_began_before_the_latest(experiment):
    first = experiment.run()
    original = experiment.prompt.read_text()
    experiment.prompt.write_text("say {{country}}, please")
    second = experiment.run()
    listed = experiment.json("runs", "list")
    assert (listed["previous"], listed["latest"]) == (first, second)
    experiment.prompt.write_text(original)
    assert experiment.run() == first, "the edit is taken back"
    listed = experiment.json("runs", "list")
    jsonschema.validate(listed, schema("run_list"))
    assert (listed["previous"], listed["latest"]) == (None, first)
    experiment.prompt.write_text("say {{country}}, now")
    experiment.run()
    shown = experiment.client.run("runs", "list").stdout
    assert f"{second} (previous)" in shown and shown.count("(previous)") == 1


@pytest.mark.parametrize("arguments", [
    ("list", "x"), ("show",), ("show", "no-such"), ("diff", "latest"), ("delete", "no-such"),
    ("nonsense",)])
def test_what_cannot_be_shown_is_said(client, spool, arguments):
    done = client.run("runs", *arguments)
    assert done.returncode == 2 and done.stderr and not done.stdout


PARIS = {"kind": "contains", "expected_var": "city"}


def evaluate(experiment, spec, *options):
    return experiment.json("eval", spec(PARIS), "--no-start-worker", *options)


@pytest.mark.core
def test_an_edited_prompt_is_another_run_and_old_answers_do_not_count(experiment, spec):
    """The figure that was silently the mean of both prompts."""
    first = experiment.run()
    assert evaluate(experiment, spec)["score"]["value"] == 0.5, "Paris is half right"
    experiment.prompt.write_text("say Rome and Paris, {{country}}")
    second = experiment.run()
    assert evaluate(experiment, spec)["score"]["value"] == 1
    report = experiment.json("report")
    jsonschema.validate(report, schema("report"))
    assert report["run_id"] == second and report["requests"] == 2
    assert report["all"]["score"]["value"] == 1 and report["all"]["score"]["items"] == 2
    assert "repeats" not in report["groups"][0]
    assert experiment.json("report", "--run", first)["all"]["score"]["value"] == 0.5
    mixed = experiment.json("report", "--mix")
    assert mixed["requests"] == 4 and mixed["runs"] == [second, first]
    said = experiment.client.run("report")
    assert "--run" in said.stderr and "--mix" in said.stderr and second in said.stdout
    compared = experiment.json("compare", "@run=previous", "@")
    assert compared["all"]["difference"] == 0.5
    assert experiment.client.run("report", "--run", first, "--mix").returncode == 2
    assert experiment.client.run("report", "--run", "no-such").returncode == 2


def test_a_run_is_reported_by_the_evaluation_that_graded_it(experiment, spec):
    """However many others the root has."""
    def grade(name):
        experiment.json("eval", "--no-start-worker",
                        spec({"kind": "contains", "expected_var": "city"}, name=name))

    experiment.run()
    grade("one")
    experiment.prompt.write_text("say Rome and Paris, {{country}}")
    experiment.run()
    grade("two")
    assert experiment.json("report")["evaluation"] == "two"
    assert experiment.json("report", "--run", "previous")["evaluation"] == "one"
    done = experiment.client.run("compare", "@run=previous", "@")
    assert done.returncode == 2 and "A is graded by one and B by two" in done.stderr, done.stderr
    assert experiment.json("compare", "@run=previous,eval=one", "@")["all"]["difference"] == 0.5
    experiment.prompt.write_text("say Oslo, {{country}}")
    experiment.run()
    assert experiment.json("report")["evaluation"] in (None, ""), "nobody has graded it"
    experiment.json("report", "--min-score", "0.1", code=4)
    grade("one")
    grade("two")
    done = experiment.client.run("report")
    assert done.returncode == 2 and "one, two" in done.stderr


def test_a_row_belongs_to_every_run_that_lists_it(experiment, spec, folder):
    first = experiment.run()
    experiment.rows = folder / "more.csv"
    experiment.rows.write_text(ROWS + "es,Spain,Madrid\n")
    second = experiment.run()
    assert experiment.calls() == 3, "two of three rows were asked before"
    for name, run_id, requests in (("rows.csv", first, 2), ("more.csv", second, 3)):
        report = experiment.json("report", "--batch", name)
        assert report["run_id"] == run_id and report["requests"] == requests
        assert experiment.json("status", "--batch", name)["total"] == requests


def test_what_gc_or_somebody_removed_is_named_and_is_no_success(spool, experiment, client):
    experiment.run()
    assert client.run("worker", "stop").returncode == 0, "or it answers what lost its answer"
    lost, changed = sorted(spool.responses())
    spool.response_path(lost).unlink()
    report = experiment.json("report", code=1)
    assert report["counts"] == {"SUCCESS": 1, "GAVE_UP": 0}
    assert report["all"]["counts"]["missing"] == 1
    items = {item["request_id"]: item for item in report["items"]}
    assert "removed" in items[lost]["error_message"] and items[lost]["outcome"] == "missing"
    spool.response_path(changed).write_text("{")
    items = {i["request_id"]: i for i in experiment.json("report", code=1)["items"]}
    assert "changed" in items[changed]["error_message"]
    assert client.run("gc", "--older-than", "0s").returncode == 0
    done = client.run("report")
    assert done.returncode == 1 and "removed by gc" in done.stdout
    assert experiment.json("runs", "show", "latest")["states"]["removed_by_gc"] == 2
    # All runs together lack what each of them lacks.
    mixed = experiment.json("report", "--mix", code=1)
    assert mixed["all"]["counts"]["missing"] == 2 and mixed["requests"] == 2


def test_what_somebody_removed_or_damaged_is_missing_for_eval_too(spool, experiment, client, spec):
    experiment.rows.write_text("id,country,city\n" + "".join(
        f"q{i},Land {i},Paris\n" for i in range(5)))
    experiment.run()
    assert client.run("worker", "stop").returncode == 0, "or it answers what lost its answer"
    whole, request, both, damaged, answer = sorted(spool.responses())
    for lost in (request, both):
        spool.request(lost).unlink()
    for lost in (both, answer):
        spool.response_path(lost).unlink()
    spool.response_path(damaged).write_text("{")
    summary = experiment.json("eval", spec(PARIS), "--no-start-worker", code=1)
    assert summary["counts"]["total"] == 1 and summary["missing"] == 4
    assert summary["unfinished"] == 0, "one would be answered again, and had ended"
    done = client.run("eval", spec(PARIS), "--no-start-worker")
    assert "4 were changed or removed by somebody" in done.stdout
    assert "4 answers are not there any more" in done.stderr


def test_a_list_that_somebody_cut_is_no_smaller_run(spool, experiment, client, spec):
    """Its figures were those of the requests that were left, and all of them were there."""
    run_id = experiment.run()
    evaluate(experiment, spec)
    path = spool.root / "runs" / f"{run_id}.items.jsonl"
    whole = path.read_text()
    assert len(whole.splitlines()) == 2
    path.write_text(whole.splitlines(keepends=True)[0])
    for arguments in (["report"], ["report", "--json"], ["eval", spec(PARIS), "--no-start-worker"],
                      ["compare", "rows.csv", "rows.csv"], ["runs", "show", "latest"]):
        done = client.run(*arguments)
        assert done.returncode != 0, (arguments, done.stdout)
        assert "was changed after the run began" in done.stderr + done.stdout, done.stderr
    path.write_text(whole)
    assert client.run("report").returncode == 0


@pytest.mark.core
def test_a_response_that_somebody_changed_has_no_grade(spool, experiment, client, spec):
    experiment.run()
    evaluate(experiment, spec)
    assert client.run("report", "--min-score", "0").returncode == 0
    changed = sorted(spool.responses())[0]
    response = json.loads(spool.response_path(changed).read_text())
    response["data"]["text"] = "I do not know"
    spool.response_path(changed).write_text(json.dumps(response))
    report = experiment.json("report")
    items = {item["request_id"]: item for item in report["items"]}
    assert items[changed]["outcome"] == "answered" and items[changed]["score"] is None
    assert "another response" in items[changed]["evaluation_problem"]
    assert report["all"]["counts"]["graded"] == 1 and changed in client.run("report").stdout
    done = client.run("report", "--min-score", "0")
    assert done.returncode == 4 and changed in done.stderr
    evaluate(experiment, spec)
    assert client.run("report", "--min-score", "0").returncode == 0


def test_a_response_that_somebody_deleted_is_asked_again_by_a_worker(spool, experiment, client):
    experiment.run()
    calls = experiment.calls()
    deleted = sorted(spool.responses())[0]
    spool.response_path(deleted).unlink()
    wait_until(lambda: deleted in spool.responses(), "an answer again")
    assert experiment.calls() == calls + 1
    assert client.run("report").returncode == 0


@pytest.mark.core
def test_a_corrected_label_grades_again_and_asks_nothing(spool, experiment, spec):
    experiment.rows.write_text("country,city\nFrance,Pari\nItaly,Rome\n")  # No ids.
    first = experiment.run()
    assert evaluate(experiment, spec)["score"]["value"] == 0.5
    experiment.rows.write_text("country,city\nFrance,Pariss\nItaly,Rome\n")
    second = experiment.run()
    assert experiment.calls() == 2 and second != first
    # Not graded by the new labels yet: the old grades do not count.
    assert experiment.json("report")["evaluation_problems"] == 1
    summary = evaluate(experiment, spec)
    assert summary["score"]["value"] == 0 and summary["reused"] == 1
    report = experiment.json("report")
    assert report["all"]["score"]["value"] == 0 and report["requests"] == 2
    found = experiment.json("runs", "diff", first, second)
    assert found["other_metadata"]["count"] == 1 and found["in_both"] == 2
    # The run that has the old labels keeps its grades by them.
    old = experiment.json("report", "--run", first)
    assert old["all"]["counts"]["graded"] == 2 and old["evaluation_problems"] == 0
    assert old["all"]["score"]["value"] == 0.5
    for stem in spool.requests():
        assert "vars" not in json.loads(spool.request(stem).read_text())["metadata"]


def test_a_comparison_says_where_the_rows_differ(spool, experiment, spec, client, folder):
    first = experiment.run()
    evaluate(experiment, spec)
    saved = folder / "saved.json"
    done = client.run("report", "--format", "json", "--out", saved)
    assert done.returncode == 0, done.stderr
    experiment.rows.write_text("id,country,city,lang\nfr,France,Lyon,fr\nit,Italy,Rome,it\n")
    second = experiment.run()
    evaluate(experiment, spec)
    for a in (f"@run={first}", saved):
        found = experiment.json("compare", a, f"@run={second}")
        note, = found["notes"]
        assert "1 item has other values in the rows" in note and "fr (city)." in note
    # The way out that it names: the same rows for both, and nothing is asked again.
    experiment.prompt.write_text("say Paris  {{country}}")
    experiment.run()
    evaluate(experiment, spec)
    note, = experiment.json("compare", f"@run={second}", "@run=latest")["notes"]
    assert "2 items were asked with another text" in note
    assert experiment.calls() == 4


def test_lines_without_a_name_are_compared_with_those_of_another_night(
        client, folder, worker, spec):
    """--run-id ends each id with its name, which is no part of the question's."""
    batch = folder / "nightly.jsonl"
    select = {"command": "system.echo"}
    path = spec({"kind": "contains", "any": ["Rome"]}, select=select)

    def night(name, *texts):
        batch.write_text("".join(json.dumps({"command": "system.echo", "params": {"text": text}})
                                 + "\n" for text in texts))
        assert client.run("run", batch, "--run-id", name, "--no-start-worker").returncode == 0
        assert client.run("eval", "--no-start-worker", path).returncode == 0

    night("2026-11-23", "Rome", "Oslo")
    night("2026-11-24", "Rome", "Oslo")
    done = client.run("compare", "nightly.jsonl+2026-11-23", "nightly.jsonl+2026-11-24", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["all"]
    assert (found["items"], found["difference"], found["only_a"]) == (2, 0, 0)
    night("2026-11-25", "Bern")
    done = client.run("compare", "nightly.jsonl+2026-11-23", "@run=latest")
    assert done.returncode == 2 and "'item' in the metadata of requests" in done.stderr


def test_an_added_column_and_a_renamed_prompt_ask_nothing(experiment, folder, client):
    experiment.run("--repeat", "2", "--out", folder / "out.jsonl")
    experiment.rows.write_text("id,country,city,hint\nfr,France,Paris,west\nit,Italy,Rome,south\n")
    experiment.prompt = experiment.prompt.rename(folder / "other.txt")
    experiment.run("--repeat", "2", "--out", folder / "out.jsonl")
    assert experiment.calls() == 4
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert {line["metadata"]["vars"]["hint"] for line in lines} == {"west", "south"}
    assert {line["metadata"]["prompt"] for line in lines} == {"other"}
    assert {item["prompt_name"] for item in experiment.json("report")["items"]} == {"other"}


def test_labels_of_requests_that_are_written_out_are_corrected_too(client, folder, worker, spec):
    batch = folder / "batch.jsonl"
    line = {"command": "system.echo", "params": {"text": "Paris"}, "metadata": {"item": "fr"}}
    path = spec({"kind": "contains", "expected_var": "city"}, select={"command": "system.echo"})
    for with_id in ({}, {"request_id": "stated"}):
        for city, score in (("Rom", 0), ("Par", 1)):
            line["metadata"]["vars"] = {"city": city}
            batch.write_text(json.dumps({**line, **with_id}) + "\n")
            done = client.run("run", batch, "--no-start-worker", "--json")
            assert done.returncode == 0, done.stderr
            summary = json.loads(client.run("eval", "--no-start-worker", "--json", path).stdout)
            assert summary["score"]["value"] == score and summary["counts"]["total"] == 1
    assert len(client.spool.requests()) == 2


def test_two_runs_at_once_do_not_write_one_file(client, folder, worker, spool):
    batch = client.batch(*((f"r{n}", "tool.run", {"argv": ["sleep", "1000"]}) for n in range(2)))
    out = folder / "out.jsonl"
    first = client.start("run", batch, "--no-start-worker", "--out", out)
    try:
        wait_until(lambda: len(spool.requests()) == 2, "the first run has begun")
        second = client.run("run", batch, "--no-start-worker", "--out", out)
        assert second.returncode == 75 and "out.jsonl" in second.stderr
        assert "another filecall writes it" in second.stderr
        assert client.run("runs", "delete", "latest").returncode == 75
        follower = client.start("run", batch, "--no-start-worker", "--out", folder / "other.jsonl")
        client.run("cancel", "r0", "r1")
        assert first.wait(60) == 1 and follower.wait(60) == 1
    finally:
        first.kill()
    assert len(out.read_text().splitlines()) == 2
    assert len((folder / "other.jsonl").read_text().splitlines()) == 2


def test_results_of_what_gc_removed_say_so(client, folder, worker):
    batch = client.batch(("r0", "system.echo", {"x": 1}))
    out = folder / "out.jsonl"
    assert client.run("run", batch, "--no-start-worker").returncode == 0
    assert client.run("gc", "--older-than", "0s").returncode == 0
    assert client.run("run", batch, "--no-start-worker", "--out", out).returncode == 1
    line = json.loads(out.read_text())
    assert line["data"] is None and "removed by gc" in line["data_problem"]
