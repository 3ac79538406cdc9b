# SPDX-License-Identifier: MIT
"""What has no grade: whether it counts as 0, and what is said when nothing has one."""

import json
import re
import signal

import jsonschema
import pytest

from evaluated_root import EvaluatedRoot
from evaluation import answered, given_up, of
from fake_worker import success
from harness import QUICK_RETRIES, TOP, wait_until

EVAL = ("--no-start-worker", *QUICK_RETRIES)
IS_PARIS = {"kind": "exact", "expected": "Paris"}
REPORT = json.loads((TOP / "ipc-schema/schema/report.schema.json").read_text())


def other_form(spool, stem):
    """A paid answer that has not the form that was asked for, in every attempt."""
    given_up(spool, stem)
    for path in (spool.response_path(stem), spool.failed_path(stem)):
        error = json.loads(path.read_text())
        error["error_details"] = {"class": "schema_invalid",
                                  "answer": {"text": "Paris!", "usage": {"output_tokens": 7}}}
        path.write_text(json.dumps(error))


@pytest.fixture
def mixed(spool):
    answered(spool, "good", "Paris")
    answered(spool, "refused", "", finish="refusal")
    answered(spool, "cut", "Par", finish="length")
    given_up(spool, "lost")
    other_form(spool, "form")


@pytest.mark.parametrize("outcomes, score", [
    ({}, 1 / 2), ({"schema_invalid": "exclude"}, 1), ({"refusals": "zero"}, 1 / 3),
    ({"errors": "zero", "refusals": "zero", "truncated": "zero"}, 1 / 5)])
def test_the_specification_says_what_counts_as_zero(client, spool, mixed, spec, outcomes, score):
    path = spec(IS_PARIS, **({"outcomes": outcomes} if outcomes else {}))
    summary = json.loads(client.run("eval", *EVAL, "--json", path).stdout)
    assert summary["score"]["value"] == pytest.approx(score)
    assert summary["counts"]["schema_invalid"] == 1 and summary["counts"]["error"] == 1
    report = json.loads(client.run("report", "--json").stdout)
    jsonschema.validate(report, REPORT)
    assert report["all"]["score"]["value"] == pytest.approx(score)
    assert report["all"]["counts"]["schema_invalid"] == 1
    zeros = report["all"]["counted_as_zero"]
    assert zeros.get("schema_invalid") == (None if "schema_invalid" in outcomes else 1)
    assert of(spool, "form").get("counts_as") == (None if "schema_invalid" in outcomes else "zero")
    item = next(i for i in report["items"] if i["request_id"] == "form")
    assert item["answer"] == "Paris!" and item["output_tokens"] == 7, "what was paid is kept"
    (client.spool.root / "saved.json").write_text(json.dumps(report))
    done = client.run("compare", client.spool.root / "saved.json", "@", "--json")
    assert json.loads(done.stdout)["all"]["mean_a"] == pytest.approx(score)


def test_every_table_shows_what_counts_as_zero(client, mixed, spec):
    shown = client.run("eval", *EVAL, spec(IS_PARIS)).stdout
    assert "1 as 0" in shown and "Count as 0: schema_invalid." in shown
    report = client.run("report").stdout
    assert "1 as 0" in report and "means over items" in report
    client.run("report", "--format", "html", "--out", client.spool.root / "page.html")
    assert "1 as 0" in (client.spool.root / "page.html").read_text()
    compared = client.run("compare", "@", "@").stdout
    assert "SCHEMA" in compared and "1 as 0" in compared, compared
    for form, head in (("html", ">schema<"), ("markdown", "| schema |")):
        compared = client.run("compare", "@", "@", "--format", form).stdout
        assert head in compared and "1 as 0" in compared, compared


def test_nothing_graded_is_no_success_and_says_why(client, spool, spec):
    answered(spool, "a", "Paris", vars={"city": None})
    done = client.run("eval", *EVAL, spec({"kind": "exact", "expected_var": "city"}))
    assert done.returncode == 4 and "nothing was graded: 1 ungraded" in done.stderr
    assert "1 time: " in done.stderr and "city" in done.stderr


def test_nothing_selected_says_what_there_is(client, spool, spec):
    stem = "echo"
    spool.request(stem).write_text(spool.text(stem, "system.echo", {"x": 1}))
    spool.response_path(stem).write_text(json.dumps(
        {"request_id": stem, "status": "success", "data": {}}))
    done = client.run("eval", *EVAL, spec(IS_PARIS))
    assert done.returncode == 4 and "or otherwise not selected: 1, removed" in done.stderr
    answered(spool, "a", "Paris")
    done = client.run("eval", *EVAL, spec(IS_PARIS))
    assert done.returncode == 0 and "1 is not selected (select: command llm.chat)" in done.stdout


def test_an_answer_that_was_removed_is_missing_and_no_success(client, spool, spec, fake, folder):
    worker = fake(lambda request, attempt: success({"text": "Paris", "finish_reason": "stop"}))
    ask = [(stem, "llm.chat", {"model": "m", "prompt": "Which city?"}) for stem in ("a", "b")]
    assert client.run("run", *EVAL, client.batch(*ask)).returncode == 0
    worker.stop()
    spool.response_path("b").unlink()
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS))
    said = json.loads(done.stdout)
    assert done.returncode == 1 and "not there any more" in done.stderr, done.stderr
    assert (said["missing"], said["unfinished"]) == (1, 0)


@pytest.mark.parametrize("folder_name", ["responses", "requests"])
def test_what_is_no_regular_file_is_missing_and_the_rest_is_graded(
        client, spool, spec, fake, folder, folder_name):
    worker = fake(lambda request, attempt: success({"text": "Paris", "finish_reason": "stop"}))
    ask = [(stem, "llm.chat", {"model": "m", "prompt": "Which city?"}) for stem in ("a", "b", "c")]
    assert client.run("run", *EVAL, client.batch(*ask)).returncode == 0
    worker.stop()
    for stem, replace in (("a", lambda path: path.symlink_to("/etc/hostname")),
                          ("b", lambda path: path.mkdir())):
        path = spool.root / folder_name / f"{stem}.json"
        path.unlink()
        replace(path)
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS))
    said = json.loads(done.stdout)
    assert done.returncode == 1 and "not there any more" in done.stderr, done.stderr
    assert said["missing"] == 2 and said["counts"]["graded"] == 1


def test_the_page_of_a_run_says_that_it_lacks_scores(client, spec, fake, folder):
    fake(lambda request, attempt: success({"text": "Paris", "finish_reason": "stop"}))
    batch = client.batch(("a", "llm.chat", {"model": "m", "prompt": "Which city?"}))
    run = ("run", *EVAL, batch, "--report", folder / "page")
    assert client.run(*run).returncode == 0
    assert client.run("eval", *EVAL, spec(IS_PARIS)).returncode == 0
    assert "has no scores" not in client.run(*run).stderr
    assert client.run("eval", *EVAL, spec(IS_PARIS, name="other")).returncode == 0
    done = client.run(*run)
    assert done.returncode == 0 and "has no scores, because several evaluations" in done.stderr
    [hint] = re.findall("'filecall (report [^']*)'", done.stderr)
    assert client.run(*hint.replace("NAME", "other").split()).returncode == 0
    summary = json.loads((folder / "page/summary.json").read_text())
    assert (summary["evaluation"], summary["all"]["score"]["value"]) == ("other", 1)


def test_what_is_no_request_is_not_missing(client, spool, spec):
    answered(spool, "good", "Paris")
    spool.response_path("bad").write_text(json.dumps({
        "request_id": "bad", "status": "error", "error_message": "no JSON",
        "error_code": "invalid_argument", "retryable": False}))
    spool.request("bad").write_text('{"request_id": "bad",')
    done = client.run("eval", *EVAL, "--json", spec(IS_PARIS))
    said = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (said["missing"], said["unfinished"]) == (0, 0)
    assert said["selection"]["not_selected"] == 1


def test_what_has_another_form_was_given_up_as_well(client, spool, spec):
    answered(spool, "good", "Paris")
    other_form(spool, "form")
    done = client.run("eval", *EVAL, spec(IS_PARIS))
    assert done.returncode == 1 and "1 request was given up" in done.stderr, done.stderr
    for said in (done, client.run("report")):
        assert "1 response of another form is not counted by it" in said.stderr, said.stderr
    assert client.run("eval", *EVAL, spec(IS_PARIS, max_error_rate=0)).returncode == 0


def test_a_failure_counts_to_the_model_that_it_names(client, spool, spec):
    """A request may leave the choice to the worker."""
    given_up(spool, "lost")
    request = json.loads(spool.request("lost").read_text())
    del request["params"]["model"]
    spool.request("lost").write_text(json.dumps(request))
    for path in (spool.response_path("lost"), spool.failed_path("lost")):
        path.write_text(json.dumps({**json.loads(path.read_text()),
                                    "error_details": {"model": "m"}}))
    answered(spool, "good", "Paris")
    said = json.loads(client.run("eval", *EVAL, "--json", spec(IS_PARIS)).stdout)
    assert [one["model"] for one in said["models"]] == ["m"]
    assert said["models"][0]["error_rate"] == 0.5


def test_a_misspelt_column_is_named_before_anything_is_asked(client, spool, spec):
    answered(spool, "a", "Paris", vars={"city": "Paris", "country": "France"})
    path = spec({"kind": "judge", "criteria": "Right?", "expected_var": "citty"},
                judges={"one": {"model": "m"}})
    done = client.run("eval", *EVAL, path)
    assert done.returncode == 2 and "'citty'" in done.stderr and "city" in done.stderr
    assert spool.requests() == {"a"} and of(spool, "a") is None


def test_a_score_is_a_mean_over_items_in_reports_and_comparisons(client, spool):
    made = EvaluatedRoot(spool.root)
    for repeat, score in enumerate((1.0, 1.0, 1.0)):
        made.graded(f"a{repeat}", score, item="easy", model="m", repeat=repeat + 1)
    made.graded("b0", 0.0, item="hard", model="m")
    report = json.loads(client.run("report", "--json").stdout)
    compared = json.loads(client.run("compare", "@", "@", "--json").stdout)
    assert report["groups"][0]["score"]["value"] == 0.5 == compared["all"]["mean_a"]
    assert report["groups"][0]["score"]["answers"] == 4
    assert report["score_is"] == compared["score_is"]


def test_pass_at_k_is_for_the_k_that_was_chosen(client, spool):
    made = EvaluatedRoot(spool.root)
    for repeat in range(4):
        made.graded(f"a{repeat}", float(repeat == 0), item="q", model="m", repeat=repeat + 1)
    found = {}
    for k in ("1", "2", "4"):
        report = json.loads(client.run("report", "--json", "--pass-k", k).stdout)
        found[k] = report["groups"][0]["repeats"]
    assert [found[k]["pass_at_k"]["value"] for k in ("1", "2", "4")] == [
        pytest.approx(0.25), pytest.approx(0.5), 1]
    done = client.run("report", "--pass-k", "5")
    assert "no item of m has so many answers" in done.stderr


def test_follow_does_not_wait_for_a_failure_that_is_not_selected(client, spool, spec):
    answered(spool, "a", "Paris", suite="mine")
    request = {"request_id": "b", "command": "llm.chat", "params": {"prompt": "x"},
               "metadata": {"suite": "other"}}
    spool.request("b").write_text(json.dumps(request))
    spool.response_path("b").write_text(json.dumps(
        {"request_id": "b", "status": "error", "error_message": "no", "error_code": "unavailable"}))
    path = spec(IS_PARIS, select={"metadata": {"suite": "mine"}})
    follower = client.start("eval", *EVAL, "--follow", path)
    try:
        assert follower.wait(60) == 0
    finally:
        follower.kill()
    assert of(spool, "a")["score"] == 1


def test_follow_says_that_nobody_works_on_what_it_waits_for(client, spool, spec):
    answered(spool, "a", "Paris")
    spool.request("b").write_text(json.dumps(
        {"request_id": "b", "command": "llm.chat", "params": {"prompt": "x"}}))
    follower = client.start("eval", *EVAL, "--follow", spec(IS_PARIS))
    try:
        wait_until(lambda: any(
            "1 request has not ended, and no run or watch drives it" in log.read_text()
            for log in client.folder.glob("client-*.log")), "a notice", 60)
        assert follower.poll() is None, "somebody may go on with it"
        follower.send_signal(signal.SIGINT)
        assert follower.wait(60) == 130
    finally:
        follower.kill()


def test_the_headline_counts_each_end_for_itself(client, mixed, spec):
    """A request that was given up was an answer, and one that was refused graded before."""
    path = spec(IS_PARIS)
    first = client.run("eval", *EVAL, path)
    assert first.stdout.startswith(
        "quality: 5 requests ended (1 answered, 1 refused, 1 cut, 1 of another form, 1 given up)")
    assert "graded before" not in first.stdout.splitlines()[0]
    assert first.returncode == 1 and "2 requests were given up" in first.stderr
    again = client.run("eval", *EVAL, path)
    assert "1 given up), 1 graded before" in again.stdout.splitlines()[0], again.stdout
    quiet = client.run("eval", *EVAL, path, "--quiet")
    assert (quiet.returncode, quiet.stdout) == (1, "") and "given up" in quiet.stderr
    report = client.run("report")
    assert report.returncode == 1 and "were given up" in report.stderr, report.stderr
    assert "\nNot passed: 4 of 5 requests\nREQUEST " in report.stdout, report.stdout
