# SPDX-License-Identifier: MIT
"""eval/grades.jsonl: one line an evaluation of one answer; nothing is lost, nothing made twice."""

import json
import signal

import pytest

from evaluation import answered, of, outcomes, records
from harness import wait_until

EVAL = ["--no-start-worker"]
IS_PARIS = {"kind": "exact", "expected": "Paris"}


@pytest.fixture
def store(spool):
    return spool.root / "eval" / "grades.jsonl"


def summary_of(client, path):
    done = client.run("eval", *EVAL, "--json", path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_what_the_last_line_of_a_request_says_counts(spool, client, spec, store):
    answered(spool, "a", "Paris")
    summary_of(client, spec(IS_PARIS))
    summary_of(client, spec({"kind": "exact", "expected": "Rome"}))
    assert len(store.read_text().splitlines()) == 2
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["all"]["score"]["value"] == 0
    shown = json.loads(client.run("show", "a", "--json").stdout)
    assert shown["eval"]["evaluations"]["quality"]["score"] == 0 and str(store) in shown["files"]
    done = client.run("gc", "--older-than", "100d")  # Keeps what counts alone.
    assert done.returncode == 0 and len(store.read_text().splitlines()) == 1
    assert of(spool, "a")["score"] == 0


def test_a_grade_is_taken_from_any_evaluation_that_has_the_same_grader(spool, client, spec, store):
    answered(spool, "a", "Paris")
    summary_of(client, spec(IS_PARIS))
    # By hand, so that it shows whether the grader judged again.
    store.write_text(store.read_text().replace('"score":1.0', '"score":0.25'))
    other = {"kind": "contains", "any": ["aris"]}
    summary_of(client, spec({**IS_PARIS, "name": "right", "weight": 3}, other, name="more"))
    grades = {grade["name"]: grade for grade in of(spool, "a", "more")["grades"]}
    assert grades["right"]["score"] == 0.25 and grades["right"]["weight"] == 3
    assert grades["contains"]["score"] == 1 and of(spool, "a", "more")["score"] == 0.4375
    summary_of(client, spec({**IS_PARIS, "ignore_case": True}, name="less"))
    assert of(spool, "a", "less")["score"] == 1, "another grader"
    answered(spool, "a", "Rome")
    summary_of(client, spec(IS_PARIS, name="again"))
    assert of(spool, "a", "again")["score"] == 0, "another answer"


def test_a_torn_last_line_is_set_aside_and_named(spool, client, spec, store):
    for stem in "ab":
        answered(spool, stem, "Paris")
    path = spec(IS_PARIS)
    summary_of(client, path)
    whole = store.read_bytes()
    first = whole.index(b"\n") + 1
    for number, cut in enumerate((first + 1, first + 40, len(whole) - 1), 1):
        store.write_bytes(whole[:cut])
        assert client.run("report").returncode == 0 and store.read_bytes() == whole[:cut]
        summary, said = summary_of(client, path)
        kept = store.with_name(f"grades.jsonl.torn-{number}")
        assert kept.read_bytes() == whole[first:cut] and str(kept) in said
        assert summary["reused"] == 1 and set(outcomes(spool)) == {"a", "b"}
        assert summary_of(client, path)[0]["reused"] == 2


def test_a_broken_line_stays_and_is_named(spool, client, spec, store):
    for stem in "abc":
        answered(spool, stem, "Paris")
    path = spec(IS_PARIS)
    summary_of(client, path)
    lines = store.read_text().splitlines(keepends=True)
    broken = lines[1][:30] + "\0" * 20 + "\n"  # What a power cut leaves.
    store.write_text(lines[0] + broken + lines[2])
    done = client.run("report")
    assert done.returncode == 0 and "1 line cannot be read" in done.stderr
    summary, said = summary_of(client, path)
    assert summary["reused"] == 2 and f"byte {len(lines[0])}" in said
    assert store.read_text().startswith(lines[0] + broken + lines[2])


def test_files_of_the_older_form_are_read(spool, client, spec, store):
    for stem in "ab":
        answered(spool, stem, "Paris")
    path = spec(IS_PARIS)
    summary_of(client, path)
    for line in store.read_text().splitlines():  # One file a request, as it was.
        (store.parent / f"{json.loads(line)['request_id']}.json").write_text(line + "\n")
    store.unlink()
    assert summary_of(client, path)[0]["reused"] == 2 and not store.exists()
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["evaluation"] == "quality" and report["all"]["score"]["value"] == 1
    summary_of(client, spec({"kind": "exact", "expected": "Rome"}))
    old = json.loads((store.parent / "a.json").read_text())
    assert old["evaluations"]["quality"]["score"] == 1, "nobody changes an older file"
    report = json.loads(client.run("report", "--format", "json").stdout)
    assert report["all"]["score"]["value"] == 0, "a line tells more than an older file"
    (store.parent / "b.json").write_text('{"request_id": "b", "eval')
    assert summary_of(client, path)[0]["counts"]["graded"] == 2


def test_killed_evaluations_lose_no_line_that_was_written(spool, client, spec, store):
    stems = {f"a{n:03}" for n in range(300)}
    for stem in stems:
        answered(spool, stem, "Paris")
    path = spec(IS_PARIS)
    seen = {}
    for least in (1, 60, 120):
        started = client.start("eval", *EVAL, path)
        wait_until(lambda: len(records(spool.root)) >= least, "some are evaluated")
        started.send_signal(signal.SIGKILL)
        started.wait()
        now = records(spool.root)
        assert {stem: now[stem] for stem in seen} == seen, "a line was made again"
        seen = now
    assert summary_of(client, path)[0]["reused"] >= len(seen)
    assert set(outcomes(spool)) == stems
    assert len(store.read_text().splitlines()) == len(stems)


def test_collecting_garbage_while_evaluations_write_loses_nothing(spool, client, spec, folder):
    stems = {f"a{n:03}" for n in range(200)}
    for stem in stems:
        answered(spool, stem, "Paris")
    summary_of(client, spec(IS_PARIS, name="one"))
    paths = []
    for name in ("one", "two"):
        paths.append(folder / f"{name}.yaml")
        paths[-1].write_text(json.dumps(
            {"name": name, "graders": [{"kind": "exact", "expected": "Rome"}]}))
    started = [client.start("eval", *EVAL, path) for path in paths]
    for _ in range(3):
        assert client.run("gc", "--older-than", "100d").returncode == 0
    assert [one.wait(60) for one in started] == [0, 0]
    for name in ("one", "two"):
        found = records(spool.root, name)
        assert set(found) == stems and {one["score"] for one in found.values()} == {0}
