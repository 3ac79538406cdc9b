# SPDX-License-Identifier: MIT
"""filecall import promptfoo: prompts, models, rows and graders that run as they are, and a list of
all that was not taken. The configurations are written for these tests, in promptfoo's documented
form."""

import json
import os
import subprocess

import pytest

from foreign_config import Imported
from harness import client_program


@pytest.fixture
def imported(client, folder):
    return Imported(client, folder)


BASIC = """description: Capitals of countries
prompts:
  - 'say Paris {{country}}'
  - id: file://prompts/long.txt
    label: long
providers:
  - openai:gpt-4.1-mini
  - id: anthropic:messages:claude-sonnet-4
    label: sonnet
    config: {temperature: 0.2, max_tokens: 100}
defaultTest:
  vars: {language: English}
  assert:
    - type: not-icontains
      value: sorry
tests:
  - description: France
    vars: {country: France}
    assert:
      - {type: contains, value: Paris}
      - {type: regex, value: '^[A-Z]'}
  - vars: {country: Italy, city: Rome}
    assert:
      - {type: contains, value: '{{city}}', weight: 2}
      - {type: equals, value: Rome}
"""


def test_prompts_models_rows_and_graders(imported, client):
    imported.write("prompts/long.txt", "say {{ country }} in {{language}}\n---\nsay {{country}}\n")
    said = imported.take(BASIC)
    assert (said["prompts"], said["models"], said["rows"], said["not_taken"]) == (3, 2, 2, [])
    assert (imported.out / "prompts/long.txt").read_text() == "say {{country}} in {{language}}\n"
    assert imported.yaml("models.yaml")["models"] == [
        {"model": "gpt-4.1-mini", "provider": "openai"},
        {"model": "claude-sonnet-4", "provider": "anthropic", "name": "sonnet",
         "params": {"temperature": 0.2, "max_tokens": 100}}]
    graders = imported.yaml("graders.yaml")
    assert graders["name"] == "capitals-of-countries"
    by_name = {one.pop("name"): one for one in graders["graders"]}
    assert by_name == {
        "not-icontains": {"kind": "contains", "trim": False, "ignore_case": True,
                          "expected": "sorry", "negate": True},
        "contains": {"kind": "contains", "trim": False, "expected": "Paris"},
        "regex": {"kind": "regex", "trim": False, "pattern": "^[A-Z]"},
        "contains-2": {"kind": "contains", "trim": False, "expected": "Rome", "weight": 2},
        "equals": {"kind": "exact", "trim": False, "expected": "Rome"}}
    first, second = imported.rows()
    assert first == {"id": "france", "country": "France", "language": "English",
                     "graders": ["not-icontains", "contains", "regex"]}
    assert second["graders"] == ["not-icontains", "contains-2", "equals"]
    assert client.run("eval", "--check", imported.out / "graders.yaml").returncode == 0


def test_values_that_differ_are_a_column(imported):
    tests = [{"vars": {"n": n}, "assert": [{"type": "equals", "value": str(n)},
                                           {"type": "contains-any", "value": [f"a{n}", "b"]},
                                           {"type": "is-json"}]} for n in range(5)]
    said = imported.take({"prompts": ["say {{n}}"], "providers": ["openai:m"], "tests": tests})
    assert said["graders"] == 3
    assert "graders_var" not in imported.yaml("graders.yaml"), "all rows have the same"
    equals, any_of, is_json = imported.yaml("graders.yaml")["graders"]
    assert equals["expected_var"] == "expected_equals" and is_json["kind"] == "json_schema"
    assert imported.rows()[3] == {"n": 3, "expected_equals": "3",
                                  "expected_contains-any": ["a3", "b"]}
    assert any("code fence" in note["why"] for note in said["differs"])


def test_a_table_is_a_file(imported, client):
    """A FIFO held the import for ever."""
    imported.write("promptfooconfig.yaml", {"prompts": ["{{country}}"], "providers": "openai:m",
                                            "tests": "file://rows.csv"})
    os.mkfifo(imported.source / "rows.csv")
    done = client.run("import", "promptfoo", imported.source / "promptfooconfig.yaml",
                      "--out", imported.out)
    assert done.returncode != 0 and "rows.csv: not a regular file" in done.stderr, done.stderr


def test_tests_are_read_from_files(imported):
    imported.write("tests/a.csv",
                   "country,__expected,__expected2,__description,__metadata:level\n"
                   "France,Paris,contains: Par,first,easy\n"
                   "Italy,\"icontains-any: rome, roma\",,,hard\n")
    imported.write("tests/b.jsonl", '{"vars": {"country": "Spain"}}\n\n'
                                    '{"vars": {"country": "Peru"}, "assert": '
                                    '[{"type": "starts-with", "value": "L.ma"}]}\n')
    imported.write("tests/c.json", '[{"vars": {"country": "Kenya"}}]')
    imported.write("tests/d.yaml", "- vars: {country: [Chad, Togo], tone: [kind, curt]}\n")
    said = imported.take({"prompts": ["{{country}} {{tone}}"], "providers": "openai:m",
                          "tests": ["file://tests/*.csv", "file://tests/b.jsonl",
                                    "file://tests/c.json", "file://tests/d.yaml"]})
    assert said["not_taken"] == [] and said["rows"] == 9
    rows = imported.rows()
    assert [row["country"] for row in rows] == ["France", "Italy", "Spain", "Peru", "Kenya",
                                                "Chad", "Chad", "Togo", "Togo"]
    assert rows[0]["level"] == "easy" and rows[0]["id"] == "first" and rows[0]["tone"] == ""
    assert rows[0]["graders"] == ["equals", "contains"] and rows[2]["graders"] == []
    graders = {one["name"]: one for one in imported.yaml("graders.yaml")["graders"]}
    assert graders["starts-with"]["pattern"] == "^L\\.ma"
    assert graders["icontains-any"]["expected"] == ["rome", "roma"]


def test_variables_come_from_files_and_lists(imported):
    imported.write("vars/a.txt", "first {{tone}}\n")
    imported.write("vars/b.txt", "second\n")
    imported.write("facts.yaml", "a: [1, 2]\n")
    (imported.source / "picture.png").write_bytes(b"\x89PNG\xff")
    said = imported.take({"prompts": ["{{text}} {{facts}} {{tone}}"], "providers": ["openai:m"],
                          "defaultTest": {"vars": {"tone": "kind"}},
                          "tests": [{"vars": {"text": "file://vars/*.txt",
                                              "facts": "file://facts.yaml"}},
                                    {"vars": {"text": [{"a": 1}, {"b": 2}], "facts": ["x", "y"]},
                                     "options": {"disableVarExpansion": True}},
                                    {"vars": {"text": ["u", "v"]}},
                                    {"vars": {"text": "file://picture.png"}},
                                    {"vars": {"text": "file://vars/make.py"}},
                                    {"vars": {"text": "file://absent.txt"}}]}, code=1)
    assert [(row["text"], row["facts"]) for row in imported.rows()] == [
        ("first kind", '{"a":[1,2]}'), ("second", '{"a":[1,2]}'),
        ([{"a": 1}, {"b": 2}], ["x", "y"]), ("u", ""), ("v", "")]
    notes = [(note["path"], note["what"], note["why"]) for note in said["not_taken"]]
    assert [path for path, _, _ in notes] == [f"tests[{n}].vars.text" for n in (3, 4, 5)]
    assert all(what == "test with the variable text" for _, what, _ in notes)
    assert ["is no text" in notes[0][2], "is a program" in notes[1][2],
            "absent.txt" in notes[2][2]] == [True] * 3


def test_chats_become_messages(imported):
    imported.write("chat.json", json.dumps([{"role": "system", "content": "Be brief."},
                                            {"role": "user", "content": "{{ question }}"}]))
    said = imported.take({"prompts": ["file://chat.json", "- role: user\n  content: '{{question}}'",
                                      '{"a": "{{question}}"}'],
                          "providers": ["openai:chat:m"],
                          "tests": [{"vars": {"question": "Why?"}}]})
    assert said["prompts"] == 3 and said["not_taken"] == []
    chat = json.loads((imported.out / "prompts/chat.json").read_text())
    assert chat["messages"][1] == {"role": "user", "content": "{{question}}"}
    texts = [json.loads((imported.out / name).read_text()) for name in said["files"]
             if name.startswith("prompts/") and name != "prompts/chat.json"]
    assert {"prompt": '{"a": "{{question}}"}'} in texts


NOT_TAKEN = {
    "tests[0].assert[0]": ("assertion similar", "embeddings"),
    "tests[0].assert[1]": ("assertion javascript", "kind: tool"),
    "tests[0].assert[2]": ("assertion latency", "threshold"),
    "tests[0].assert[3]": ("assertion cost", "threshold"),
    "tests[0].assert[4]": ("assertion llm-rubric", "--judge"),
    "tests[0].assert[5]": ("assertion regex", "invalid"),
    "tests[0].assert[6]": ("assertion contains", "filter 'upper'"),
    "tests[0].assert[7]": ("assertion contains", "empty"),
    "tests[0].assert[8]": ("assertion equals", "weight"),
    "tests[0].assert[9]": ("assertion no-such", "no grader"),
    "tests[0].assert[10]": ("assertion contains", "transform"),
    "tests[1]": ("tests of make.py", "program"),
    "tests[2]": ("test with a prefix", "prompt"),
    "tests[3].options.transform": ("transform", "as it is"),
    "tests[3].assert[0]": ("assertion equals", "transform"),
    "prompts[1]": ("prompt", "blocks are not evaluated"),
    "prompts[2]": ("prompt prompt.js", "program"),
    "prompts[3]": ("prompt", "no plain variable"),
    "prompts[4]": ("prompt", "environment"),
    "providers[1]": ("provider bedrock:claude", "llm.providers"),
    "providers[2].config.apiKey": ("apiKey", "never copied"),
    "providers[2].config.guided_json": ("guided_json", "no such param"),
    "providers[2].config.temperature": ("temperature", "does not take"),
    "providers[2].prompts": ("prompts", "every model"),
    "scenarios": ("scenarios", "under tests"),
    "derivedMetrics": ("derivedMetrics", "nothing like it"),
    "evaluateOptions.delay": ("delay", "nothing like it"),
}
HARD = """prompts:
  - 'say {{a}}'
  - '{% if a %}x{% endif %}'
  - file://prompt.js
  - '{{ a.b }}'
  - '{{ env.KEY }}'
providers:
  - openai:m
  - bedrock:claude
  - id: openai:n
    prompts: [x]
    config: {apiKey: sk-secret, guided_json: {}, temperature: hot}
evaluateOptions: {delay: 10, maxConcurrency: 3, repeat: 2}
scenarios: []
derivedMetrics: [{name: x, value: y}]
tests:
  - vars: {a: 1}
    assert:
      - {type: similar, value: x, threshold: 0.8}
      - {type: javascript, value: output.length}
      - {type: latency, threshold: 0}
      - {type: cost}
      - {type: llm-rubric, value: is kind}
      - {type: regex, value: 'a(?=b)'}
      - {type: contains, value: '{{ a | upper }}'}
      - {type: contains, value: ''}
      - {type: equals, value: x, weight: 0}
      - {type: no-such}
      - {type: contains, value: x, transform: output.trim()}
      - {type: contains, value: x}
  - file://make.py
  - {vars: {a: 3}, options: {prefix: 'Hello '}}
  - {vars: {a: 4}, options: {transform: output.text}, assert: [{type: equals, value: y}]}
"""


def test_what_is_not_taken_is_listed_with_its_place(imported, client):
    said = imported.take(HARD, code=1)
    notes = {note["path"]: note for note in said["not_taken"]}
    assert set(notes) == set(NOT_TAKEN)
    for path, (what, why) in NOT_TAKEN.items():
        assert notes[path]["what"] == what and why in notes[path]["why"], notes[path]
    lines = HARD.splitlines()
    line = notes["tests[0].assert[0]"]["line"]
    assert "similar" in lines[line - 1]
    assert "bedrock" in lines[notes["providers[1]"]["line"] - 1]
    assert "sk-secret" not in "".join(path.read_text() for path in imported.out.rglob("*")
                                      if path.is_file())
    script = (imported.out / "run.sh").read_text()
    assert "--repeat 2" in script and "--window 3" in script
    rows = imported.rows()
    assert [row["a"] for row in rows] == [1, 4]
    assert rows[0]["graders"] == ["contains"] and rows[1]["graders"] == []
    text = client.run("import", "promptfoo", imported.source / "promptfooconfig.yaml", "--out",
                      imported.out.with_name("again"))
    assert text.returncode == 1
    assert f"yaml:{line}: tests[0].assert[0]: assertion similar" in text.stdout


def test_anchors_references_and_sets(imported):
    said = imported.take("""prompts: ['say {{a}}']
providers: [openai:m]
assertionTemplates:
  polite: {type: icontains, value: please, metric: polite}
shared: &shared {vars: {a: 1}}
defaultTest: {threshold: 0.5}
tests:
  - <<: *shared
    assert:
      - $ref: '#/assertionTemplates/polite'
      - type: assert-set
        assert: [{type: contains, value: x}, {type: not-equals, value: z}]
""", code=1)
    assert [note["path"] for note in said["not_taken"]] == ["shared"]
    spec = imported.yaml("graders.yaml")
    assert [one["name"] for one in spec["graders"]] == ["polite", "contains", "not-equals"]
    assert spec["threshold"] == 0.5 and imported.rows()[0]["a"] == 1
    assert [note["what"] for note in said["differs"]] == ["assertion assert-set"]


@pytest.mark.parametrize("config, code, says", [
    ("prompts: [", 2, "promptfooconfig.yaml:"), ("- a", 2, "must be a mapping"),
    ("prompts: [x]\n", 2, "nothing to run: 1 prompt, 0 models"),
    ("providers: [openai:m]\n", 2, "0 prompts"),
    ("a: &a [x, x]\nb: &b [*a, *a]\n" + "".join(
        f"{chr(99 + n)}: &{chr(99 + n)} [{', '.join(['*' + chr(98 + n)] * 9)}]\n"
        for n in range(8)), 74, "more than 1000000 values"),
])
def test_what_is_no_configuration_is_refused(imported, client, config, code, says):
    imported.write("promptfooconfig.yaml", config)
    done = client.run("import", "promptfoo", imported.source / "promptfooconfig.yaml", "--out",
                      imported.out)
    assert done.returncode == code and says in done.stderr, done.stderr
    assert not imported.out.exists()


@pytest.mark.parametrize("arguments, says", [
    (("promptfoo", "no-such.yaml", "--out", "x"), "no-such.yaml"),
    (("evals", "a.yaml", "--out", "x"), "there is: promptfoo"),
    (("promptfoo", "a.yaml"), "--out DIR"),
    (("promptfoo", "a.yaml", "--out", "x", "--judge", "gpt"), "PROVIDER/MODEL"),
])
def test_wrong_usage_is_said(client, arguments, says):
    done = client.run("import", *arguments)
    assert done.returncode == 2 and says in done.stderr, done.stderr


def test_a_directory_with_files_in_it_stays_as_it_is(imported, client):
    imported.write("promptfooconfig.yaml", BASIC.split("  - id: file")[0] + "providers: [openai:m]")
    imported.out.mkdir()
    (imported.out / "mine.txt").write_text("mine")
    done = client.run("import", "promptfoo", imported.source / "promptfooconfig.yaml", "--out",
                      imported.out)
    assert done.returncode == 2 and "not empty" in done.stderr
    assert [path.name for path in imported.out.iterdir()] == ["mine.txt"]


JUDGE = 'openai:chat:j;text={"reason": "r", "verdict": "pass"}'


@pytest.mark.core
def test_what_was_imported_runs_with_one_command(imported, client, endpoint, spool, folder):
    url = f"http://127.0.0.1:{endpoint.port}/v1"
    said = imported.take({
        "prompts": ["say Paris {{country}}", "say {{country}}"],
        "providers": [{"id": "openai:chat:m", "config": {"apiBaseUrl": url}},
                      {"id": "openai:chat:cold;text=Rome", "label": "cold",
                       "config": {"apiBaseUrl": url, "temperature": 0}}],
        "defaultTest": {"assert": [{"type": "llm-rubric", "value": "names {{city}}"}],
                        "options": {"provider": {"id": JUDGE,
                                                 "config": {"apiBaseUrl": url}}}},
        "tests": [{"vars": {"country": "France", "city": "Paris"},
                   "assert": [{"type": "contains", "value": "{{city}}"}]},
                  {"vars": {"country": "Italy", "city": "Rome"},
                   "assert": [{"type": "contains", "value": "{{city}}"},
                              {"type": "not-contains", "value": "Italy"}]}]})
    assert said["not_taken"] == [] and "worker.yaml" in said["files"]
    done = subprocess.run([imported.out / "run.sh"], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "FILECALL": str(client_program()),
                               "FILECALL_ROOT": str(spool.root)})
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        report = json.loads(client.run("report", "--json").stdout)
        assert report["requests"] == 8
        graders = report["all"]["graders"]
        assert graders["contains"]["graded"] == 8 and graders["not-contains"]["graded"] == 4
        groups = {(one["model"], one["prompt_name"]): one["graders"]["contains"]["score"]["value"]
                  for one in report["groups"]}
        assert groups[("cold", "say-country")] == 0.5 == groups[("m", "say-paris-country")]
        assert graders["llm-rubric"]["graded"] == 8, "one judge, with criteria for each row"
    finally:
        client.run("worker", "stop")
