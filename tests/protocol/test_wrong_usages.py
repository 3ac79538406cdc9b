# SPDX-License-Identifier: MIT
"""Wrong usages: the message names the thing, says why, and says what to do; the exit code is as
documented, nothing is printed as a result, and nothing is asked of anybody."""

import json
import os
import re
import shlex
import subprocess

import pytest

from harness import SLOW, client_program, worker_program

OK = '{"request_id": "a", "command": "system.echo", "params": {}}\n'
FILES = {
    "ok.jsonl": OK,
    "broken.jsonl": '{"command": "system.echo", "params": {}\n',
    "text.txt": "not json\n",
    "member.jsonl": '{"command": "system.echo", "params": {}, "timeout": 5}\n',
    "bare.jsonl": '{"command": "system.echo"}\n',
    "id.jsonl": '{"request_id": "a/b", "command": "system.echo", "params": {}}\n',
    "twice.jsonl": OK + '{"request_id": "a", "command": "system.echo", "params": {"b": 1}}\n',
    "nameless.csv": "a,b\n1,2\n",
    "ask.txt": "say {{nope}}",
    "bad.yaml": "x: [",
    "unknown.yaml": "colour: red\n",
    "ungraded.json": '{"graders": []}',
}
# What is typed; what the message must say, besides what is typed wrongly.
HELP = "--help"
ROWS = [
    ("filecall nosuch", "filecall --help"),
    ("filecall statu", "did you mean 'status'"),
    ("filecall --nosuch", "after the command"),
    ("filecall status --nosuch", HELP),
    ("filecall status --stat done", "did you mean --state"),
    ("filecall status extra", HELP),
    ("filecall status --root", HELP),
    ("filecall status --state nosuch", HELP),
    ("filecall status --limit -1", HELP),
    ("filecall status --root nosuch", "worker start"),
    ("filecall status --root ok.jsonl", "directory"),
    ("filecall status --batch nosuch", "runs list"),
    ("filecall call", "COMMAND is missing"),
    ("filecall call system.echo --params", HELP),
    ("filecall call system.echo --params {", "line 1, column 2"),
    ("filecall call system.echo --params []", '{"name": "value"}'),
    ("filecall call system.echo --params @nosuch.json", "No such file"),
    ("filecall call system.echo --prams {}", "did you mean --params"),
    ("filecall call system.echo --timeout abc", "10s"),
    ("filecall call system.echo --timeout -1s", "10s"),
    ("filecall call system.echo --id a/b", "use 1 to 200"),
    ("filecall call system.echo --request-id x", HELP),
    ("filecall worker start --grace 5s", "an option of worker stop, restart"),
    ("filecall worker status --follow", "an option of worker logs"),
    ("filecall run", "BATCH... is missing"),
    ("filecall run nosuch.jsonl", "No such file"),
    ("filecall run broken.jsonl", "nothing was dropped"),
    ("filecall run text.txt", "nothing was dropped"),
    ("filecall run member.jsonl --strict", "timeout"),
    ("filecall run bare.jsonl", "write {}"),
    ("filecall run id.jsonl", "a/b"),
    ("filecall run twice.jsonl", "twice.jsonl:2"),
    ("filecall run nameless.csv", "--prompt or --template"),
    ("filecall run nameless.csv --prompt ask.txt --model m", "there are: a, b"),
    ("filecall run nameless.csv --prompt nosuch.txt --model m", "No such file"),
    ("filecall run ok.jsonl --attempts 0", "from 1 to 1000"),
    ("filecall run ok.jsonl --attempts many", "from 1 to 1000"),
    ("filecall run ok.jsonl --window 0", "whole number"),
    ("filecall run ok.jsonl --max-cost free", "number from 0"),
    ("filecall run ok.jsonl --durability some", "journal"),
    ("filecall run ok.jsonl --report", HELP),
    ("filecall run ok.jsonl --out nosuch/out.jsonl", "No such file"),
    ("filecall run ok.jsonl --worker-config nosuch.yaml", "No such file"),
    ("filecall run ok.jsonl --worker-config bad.yaml", "bad.yaml:"),
    ("filecall run ok.jsonl --run-id a/b", "letters, digits"),
    ("filecall show", "ID is missing"),
    ("filecall show nosuch", "filecall status"),
    ("filecall show ../nosuch", "filecall status"),
    ("filecall show a b", HELP),
    ("filecall retry", "--failed"),
    ("filecall retry --failed a", "--failed"),
    ("filecall retry --failed --batch nosuch", "runs list"),
    ("filecall retry --failed --code nosuch", "unavailable"),
    ("filecall retry a --command tool.run", "--failed"),
    ("filecall cancel", "--batch NAME"),
    ("filecall cancel --all --batch b", "--batch NAME"),
    ("filecall cancel --batch nosuch", "runs list"),
    ("filecall gc", "--older-than"),
    ("filecall gc --older-than abc", "10s"),
    ("filecall gc --older-than -5d", "10s"),
    ("filecall runs", "ACTION"),
    ("filecall runs lst", "list, show"),
    ("filecall runs show nosuch", "runs list"),
    ("filecall runs diff one", "diff RUN RUN"),
    ("filecall runs delete nosuch", "runs list"),
    ("filecall eval", "SPEC is missing"),
    ("filecall eval nosuch.yaml", "No such file"),
    ("filecall eval bad.yaml", "bad.yaml:"),
    ("filecall eval unknown.yaml", "colour"),
    ("filecall eval ungraded.json", "ungraded.json:1:1"),
    ("filecall report --run nosuch", "runs list"),
    ("filecall report --format nosuch", "terminal csv"),
    ("filecall compare", "A B is missing"),
    ("filecall compare a", "A B is missing"),
    ("filecall compare ok.jsonl nosuch", "runs list"),
    ("filecall compare ok.jsonl nosuch/", "neither a root"),
    ("filecall compare nosuch/summary.json ok.jsonl", "neither a root"),
    ("filecall compare ok.jsonl ok.jsonl@colour=red", "keys are"),
    ("filecall doctor extra", HELP),
    ("filecall worker", "ACTION is missing"),
    ("filecall worker logz", "did you mean logs"),
    ("filecall schema nosuch", "filecall schema"),
    ("filecall completion", "bash|zsh is missing"),
    ("filecall completion fish", "neither bash nor zsh"),
    ("filecall help nosuch", "filecall --help"),
    ("filecall version extra", HELP),
    ("filecall-worker --nosuch", HELP),
    ("filecall-worker --root", HELP),
    ("filecall-worker --root . --durability some", "journal"),
    ("filecall-worker --root . --config nosuch.yaml", "No such file"),
    ("filecall-worker --root . --config unknown.yaml", "colour"),
    ("filecall-worker --check-config nosuch.yaml", "--config"),
    ("filecall-worker --json", "--check-config"),
]
WRONG = ("nosuch", "abc", "many", "free", "some", "fish", "statu", "logz", "lst", "colour")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of inputs and a root in which one batch was run."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    env = dict(os.environ, FILECALL_ROOT=str(folder / "root"))
    ran = subprocess.run([client_program(), "run", "ok.jsonl"], cwd=folder, env=env, check=False,
                         capture_output=True, text=True, timeout=60 * SLOW)
    assert ran.returncode == 0, ran.stderr
    subprocess.run([client_program(), "worker", "stop"], cwd=folder, env=env, check=True,
                   capture_output=True, timeout=60 * SLOW)
    yield folder, env


def typed(place, line):
    folder, env = place
    words = shlex.split(line)
    words[0] = str({"filecall": client_program(), "filecall-worker": worker_program()}[words[0]])
    before = sorted(os.listdir(folder / "root/requests"))
    done = subprocess.run(words, cwd=folder, env=env, check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60 * SLOW)
    assert sorted(os.listdir(folder / "root/requests")) == before, "something was asked"
    return done


@pytest.mark.parametrize("line,says", ROWS, ids=[line for line, _ in ROWS])
def test_a_wrong_usage_is_named_with_what_to_do(place, line, says):
    done = typed(place, line)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) <= 4, "the usage of everything hides what is wrong"
    wrong = set(WRONG) & set(re.split(r"[ ./=-]", line))
    assert not wrong or any(word in done.stderr for word in wrong), done.stderr


def test_an_error_is_json_where_json_is_asked_for(place):
    more = ["filecall show nosuch", "filecall compare x y", "filecall schema nosuch",
            "filecall retry --failed --batch x", "filecall completion fish x"]
    for line in [*(line for line, _ in ROWS if line.startswith("filecall ")), *more]:
        words = line.split(" ")
        # Behind the command: at the end it may be what an option lacks.
        done = typed(place, " ".join([*words[:2], "--json", *words[2:]]))
        assert done.returncode == 2, line
        error = json.loads(done.stdout)
        assert {"error_code", "error_message"} == set(error), line
        assert error["error_message"].splitlines()[0] in done.stderr, line


def test_a_misspelt_folder_is_not_compared_as_the_latest_run_of_the_root(place):
    """It was taken for a batch without a name, which is any: the latest run against itself."""
    done = typed(place, "filecall compare nosuch/ ok.jsonl --fail-on-regression")
    assert done.returncode == 2 and "nosuch/" in done.stderr
