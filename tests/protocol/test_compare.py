# SPDX-License-Identifier: MIT
"""filecall compare over roots, batches' answers, evaluations and saved reports."""

import csv
import html
import io
import json

import jsonschema
import pytest

from evaluated_root import EvaluatedRoot
from harness import TOP

SCHEMA = json.loads((TOP / "ipc-schema/schema/comparison.schema.json").read_text())


@pytest.fixture
def runs(spool, folder):
    """Two roots with twenty items each; B loses six of them and wins one."""
    made = EvaluatedRoot(spool.root), EvaluatedRoot(folder / "b")
    (folder / "b").chmod(0o700)
    for i in range(20):
        made[0].graded(f"q{i}", float(i != 0), model="m", text=f"A{i}", run_ms=100)
        made[1].graded(f"q{i}", float(i < 14), model="m", text=f"B{i}", run_ms=150)
    return made


def compare_json(client, *arguments):
    done = client.run("compare", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    comparison = json.loads(done.stdout)
    jsonschema.validate(comparison, SCHEMA)
    return comparison


def check_runs(comparison):
    score = comparison["groups"][0]["score"]
    # By SciPy: ttest_rel, its confidence interval, and binomtest(1, 7).
    assert score["difference"] == pytest.approx(-0.25)
    assert score["p_value"] == pytest.approx(0.05637, abs=1e-4)
    assert score["low"] == pytest.approx(-0.50746, abs=1e-4)
    assert score["sign_test_p"] == pytest.approx(0.125)
    assert (score["wins"], score["ties"], score["losses"]) == (1, 13, 6)
    changes = comparison["changes"]
    assert [c["item"] for c in changes[-1:]] == ["q0"], "improvements come last"
    assert {c["item"] for c in changes[:6]} == {f"q{i}" for i in range(14, 20)}
    assert changes[0]["answer_a"].startswith("A") and changes[0]["answer_b"].startswith("B")
    assert comparison["groups"][0]["b"]["run_ms"]["p50"] in (149, 150, 151)


def test_two_roots(client, runs, folder):
    check_runs(compare_json(client, runs[0].root, folder / "b"))


def test_saved_reports_say_the_same(client, runs, folder):
    for name, root in (("a", runs[0].root), ("b", folder / "b")):
        done = client.run("report", "--format", "json", "--out", folder / f"{name}.json",
                          "--root", root)
        assert done.returncode == 0, done.stderr
    check_runs(compare_json(client, folder / "a.json", folder / "b.json"))
    check_runs(compare_json(client, "@", folder / "b.json"))


def test_groups_of_one_run_alone_are_named(client, runs, folder):
    runs[0].graded("x0", 1.0, model="retired", item="q0")
    comparison = compare_json(client, runs[0].root, folder / "b", "--limit", "2")
    assert comparison["only_a"] == [{"model": "retired", "prompt_name": ""}]
    assert comparison["only_b"] == [] and len(comparison["groups"]) == 1
    assert len(comparison["changes"]) == 2 and comparison["regressions"] == 6
    for form in ("terminal", "html", "markdown"):
        shown = client.run("compare", runs[0].root, folder / "b", "--format", form).stdout
        assert "Only in A" in shown and "retired" in shown, form


def test_the_name_of_the_file_chooses_the_format(client, runs, folder):
    for name, form in (("c.json", "json"), ("c.html", "html"), ("c.md", "markdown"),
                       ("c.txt", "terminal"), ("c", "terminal")):
        done = client.run("compare", runs[0].root, folder / "b", "--out", folder / name)
        assert done.returncode == 0, done.stderr
        shown = client.run("compare", runs[0].root, folder / "b", "--format", form).stdout
        assert (folder / name).read_text() == shown, name
    done = client.run("compare", runs[0].root, folder / "b", "--out", folder / "c.csv")
    assert done.returncode == 2 and "csv" in done.stderr and not (folder / "c.csv").exists()


def test_the_terminal_names_what_changed(client, runs, folder):
    done = client.run("compare", runs[0].root, folder / "b", "--limit", "3")
    assert done.returncode == 0, done.stderr
    for text in ("-0.250", "0.056", "6 items are worse, 1 better", "... and 4 more", "+50.0 %"):
        assert text in done.stdout, text + "\n" + done.stdout


@pytest.mark.parametrize("arguments, code", [
    ((), 0), (("--fail-on-regression",), 0), (("--max-drop", "0.2"), 4),
    (("--max-drop", "30%"), 0)])
def test_thresholds(client, runs, folder, arguments, code):
    assert client.run("compare", runs[0].root, folder / "b", *arguments).returncode == code
    reverse = client.run("compare", folder / "b", runs[0].root, *arguments)
    assert reverse.returncode == 0, "what is better misses nothing"


def test_a_clear_regression_fails(client, spool, folder):
    made = EvaluatedRoot(spool.root)
    for i in range(30):
        made.graded(f"a{i}", 1.0, model="old", item=f"q{i}")
        made.graded(f"b{i}", float(i < 15), model="new", item=f"q{i}")
    done = client.run("compare", "@model=old", "@model=new", "--fail-on-regression")
    assert done.returncode == 4 and "fell by 0.5" in done.stderr


def test_an_item_of_two_models_is_not_called_two_items(client, spool):
    made = EvaluatedRoot(spool.root)
    for i in range(4):
        for model in ("m", "n"):
            answer = made.answer(f"{model}{i}", model=model, item=f"q{i}")
            made.evaluate(f"{model}{i}", answer, 1.0, name="lenient", item=f"q{i}")
            made.evaluate(f"{model}{i}", answer, 0.5, name="strict", item=f"q{i}")
    shown = client.run("compare", "@eval=lenient", "@eval=strict").stdout
    assert "8 scores of items are worse, 0 better" in shown
    shown = client.run("compare", "@eval=lenient,model=m", "@eval=strict,model=m").stdout
    assert "4 items are worse, 0 better" in shown


def test_two_evaluations_of_the_same_answers(client, spool):
    made = EvaluatedRoot(spool.root)
    for i in range(5):
        answer = made.answer(f"q{i}", model="m")
        made.evaluate(f"q{i}", answer, 1.0, name="lenient")
        made.evaluate(f"q{i}", answer, 0.5, name="strict")
    score = compare_json(client, "@eval=lenient", "@eval=strict")["groups"][0]["score"]
    assert score["difference"] == -0.5 and score["low"] is None, "there is no spread"


def test_bootstrapped_intervals_are_the_same_every_time(client, runs, folder):
    once, again, other = (
        compare_json(client, runs[0].root, folder / "b", "--bootstrap-seed", seed)["all"]
        for seed in ("1", "1", "2"))
    assert once == again and once["low"] == pytest.approx(-0.5, abs=0.051)
    assert other["p_value"] == once["p_value"]


@pytest.mark.parametrize("a, b", [("@", "no-such"), ("@nonsense=1", "@"), ("@", "@model=none"),
                                  ("@eval=none", "@"), ("@", "broken.json"), ("@", "other.json")])
def test_what_cannot_be_compared_is_said(client, runs, folder, a, b):
    (folder / "broken.json").write_text("{")
    (folder / "other.json").write_text("{}")
    if b.endswith(".json"):
        b = folder / b
    done = client.run("compare", a, b)
    assert done.returncode == 2 and done.stderr and not done.stdout


def test_what_b_lacks_is_named_and_fails_a_gate(client, runs, folder):
    """B is as good on what it has: it left out the hard ones."""
    for i in range(14, 20):
        for part in ("requests", "responses"):
            (folder / "b" / part / f"q{i}.json").unlink()
    pair = (runs[0].root, folder / "b")
    comparison = compare_json(client, *pair)
    assert comparison["missing"]["count"] == 6 and comparison["groups"][0]["score"]["losses"] == 0
    assert {m["item"] for m in comparison["missing"]["items"]} == {f"q{i}" for i in range(14, 20)}
    assert comparison["groups"][0]["gated"]["difference"] == pytest.approx(-0.25)
    shown = client.run("compare", *pair)
    assert shown.returncode == 0 and "q14 of m (not asked)" in shown.stdout
    for form in ("html", "markdown"):
        text = html.unescape(client.run("compare", *pair, "--format", form).stdout)
        assert "Not compared: 6 items that only A has graded" in text, form
        assert "q14 of m (not asked)" in text, form
    assert client.run("compare", *pair, "--max-drop", "20%").returncode == 4
    assert client.run("compare", *pair, "--max-drop", "30%").returncode == 0


@pytest.mark.parametrize("late", [0, 1])
def test_requests_that_have_not_ended_fail_a_gate(client, runs, folder, late):
    """A repeat of an item that both have."""
    runs[late].ask("q0-2", model="m", item="q0")
    pair = (runs[0].root, folder / "b")
    assert client.run("compare", *pair).returncode == 0
    done = client.run("compare", *pair, "--max-drop", "30%")
    assert done.returncode == 4, done.stderr
    assert f"{'AB'[late]}: 1 of 21 requests has not ended" in done.stderr
    assert client.run("compare", *pair, "--max-drop", "30%", "--allow-pending").returncode == 0


@pytest.mark.parametrize("lacks", [0, 1])
@pytest.mark.parametrize("flags", [("--max-drop", "30%"), ("--fail-on-regression",)])
def test_responses_that_were_never_graded_fail_a_gate(client, runs, folder, lacks, flags):
    runs[lacks].answer("q0-2", model="m", item="q0")
    pair = (runs[0].root, folder / "b")
    assert client.run("compare", *pair).returncode == 0
    done = client.run("compare", *pair, *flags)
    assert done.returncode == 4, done.stderr
    says = f"{'AB'[lacks]}: 1 of 21 responses was never graded"
    assert says in done.stderr and "'filecall eval'" in done.stderr
    assert client.run("compare", *pair, *flags, "--allow-pending").returncode == 0
    for name, root in zip("ab", pair):
        client.run("report", "--format", "json", "--out", folder / f"{name}.json", "--root", root)
    done = client.run("compare", folder / "a.json", folder / "b.json", *flags)
    assert done.returncode == 4 and says in done.stderr, "a saved report says the same"


def test_two_prompts_are_paired_over_models(client, spool):
    made = EvaluatedRoot(spool.root)
    for model in ("m1", "m2"):
        for i in range(5):
            made.graded(f"{model}-a{i}", 0.0, model=model, prompt_name="long", item=f"q{i}")
            made.graded(f"{model}-b{i}", 1.0, model=model, prompt_name="short", item=f"q{i}")
    comparison = compare_json(client, "@prompt=long", "@prompt=short")
    assert len(comparison["groups"]) == 2 and comparison["only_a"] == []
    assert all(group["score"]["difference"] == 1 for group in comparison["groups"])


def test_a_difference_of_all_is_of_what_both_sides_have(client, spool, folder):
    """A lacks the easy model's answer to an item, and is as good as B on the rest."""
    (folder / "b").mkdir(mode=0o700)
    for made, lacks in ((EvaluatedRoot(spool.root), 0), (EvaluatedRoot(folder / "b"), 9)):
        for i in range(4):
            made.graded(f"hard-{i}", 0.0, model="hard", item=f"q{i}")
            if i != lacks:
                made.graded(f"easy-{i}", 1.0, model="easy", item=f"q{i}")
    comparison = compare_json(client, spool.root, folder / "b")
    found = comparison["all"]
    assert (found["items"], found["difference"], found["wins"]) == (4, 0, 0)
    assert (found["only_a"], found["only_b"]) == (0, 1)
    shown = client.run("compare", spool.root, folder / "b").stdout
    assert "Not compared: 0 items that only A has graded, 1 that only B has." in shown


def test_the_advice_can_be_taken(client, spool):
    made = EvaluatedRoot(spool.root)
    answer = made.answer("q", model="m")
    for name in ("one", "two"):
        made.evaluate("q", answer, 1.0, name=name)
    done = client.run("compare", "@", "@")
    assert done.returncode == 2 and "@eval=NAME" in done.stderr
    assert client.run("compare", "@eval=one", "@eval=two").returncode == 0


def unlisted(value, schema, whole, path=""):
    """Members that a schema does not list, wherever it lists any."""
    while "$ref" in schema:
        schema = whole["definitions"][schema["$ref"].split("/")[-1]]
    if isinstance(value, list):
        return [found for one in value for found in unlisted(one, schema.get("items", {}), whole,
                                                             path + "/*")]
    parts = [schema, *schema.get("allOf", [])]
    parts = [whole["definitions"][part["$ref"].split("/")[-1]] if "$ref" in part else part
             for part in parts]
    listed = {name: one for part in parts for name, one in part.get("properties", {}).items()}
    if not isinstance(value, dict) or not listed:
        return []
    found = [f"{path}/{name}" for name in value if name not in listed]
    return found + [each for name, one in value.items() if name in listed
                    for each in unlisted(one, listed[name], whole, f"{path}/{name}")]


def test_whatever_is_exported_stands_in_its_published_schema(client, runs, folder):
    answer = runs[0].answer("q0", model="m", vars={"city": "Paris"}, data={
        "usage": {"input_tokens": 1, "output_tokens": 2}, "time_to_first_token_ms": 3})
    runs[0].evaluate("q0", answer, 1.0, grades=[{
        "name": "exact", "kind": "exact", "score": 1.0, "passed": True, "weight": 1,
        "reason": "equal", "expected": "Paris"}])
    runs[0].give_up("lost", model="m")
    done = client.run("report", "--format", "json")
    for text, name in ((done.stdout, "report"),
                       (client.run("compare", "@", folder / "b", "--json").stdout, "comparison")):
        schema = json.loads(client.run("schema", name).stdout)
        jsonschema.validate(json.loads(text), schema)
        assert not unlisted(json.loads(text), schema, schema), name
    table = list(csv.DictReader(io.StringIO(client.run("report", "--format", "csv").stdout)))
    schema = json.loads(client.run("schema", "report_csv").stdout)
    for row in table:
        assert list(row) == list(schema["properties"])
        kinds = {"integer": int, "number": float, "boolean": lambda text: text == "true"}
        typed = {name: text if schema["properties"][name]["type"] == "string" else
                 kinds[schema["properties"][name]["type"][0]](text) if text else None
                 for name, text in row.items()}
        jsonschema.validate(typed, schema)


def test_markdown_for_a_pull_request(client, runs, folder):
    attack = "</code>|\n# @octocat <img src=x> `x` [a](javascript:b) --> ~~~"
    runs[1].graded("q19", 0.0, model="m", text=attack, run_ms=150)
    arguments = [runs[0].root, folder / "b", "--format", "markdown", "--max-drop", "10%"]
    done = client.run("compare", *arguments, "--out", folder / "comment.md")
    assert done.returncode == 4 and not done.stdout
    text = (folder / "comment.md").read_text()
    assert "**Missed:**" in text and "6 items are worse, 1 better" in text
    assert "| <code>m</code> | score |" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {9, 12, 13}, "no text adds a column"
    for part in ("@octocat", "<img", "`x`", "](", "~~~", "\n# "):
        assert part not in text, part
    assert html.unescape(text).count("@octocat") == 1, "it is there, as a text"


def test_a_page_compares_answers_side_by_side(client, runs, folder):
    runs[1].graded("q19", 0.0, model="m", text="<script>alert(1)</script>", run_ms=150)
    done = client.run("compare", runs[0].root, folder / "b", "--format", "html",
                      "--out", folder / "b.html")
    assert done.returncode == 0 and not done.stdout, done.stderr
    text = (folder / "b.html").read_text()
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text
    assert text.count("<details class=\"change bad\">") == 6
    assert text.count("<details class=\"change good\">") == 1
    assert client.run("compare", "@", folder / "b", "--format", "html", "--json").returncode == 2
    as_json = client.run("compare", "@", folder / "b", "--format", "json").stdout
    assert as_json == client.run("compare", "@", folder / "b", "--json").stdout


@pytest.mark.parametrize("flags", [("--max-drop", "30%"), ("--fail-on-regression",)])
def test_a_gate_without_any_grade_is_missed(client, spool, folder, flags):
    """It was wrong usage, for a gate that the page says ends with 4."""
    (folder / "b").mkdir(mode=0o700)
    for root in (spool.root, folder / "b"):
        EvaluatedRoot(root).answer("q", model="m", item="q")
    done = client.run("compare", spool.root, folder / "b", *flags)
    assert done.returncode == 4 and "no item is graded in both" in done.stderr, done.stderr
    assert client.run("compare", spool.root, folder / "b").returncode == 2
