# SPDX-License-Identifier: MIT
"""The Python package: built and installed without a network, typed, and driven for real."""

import asyncio
import importlib
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from endpoint import environment
from harness import TOOLS, TOP, client_program, worker_program

PYTHON = "/usr/bin/python3"
SOURCE = TOP / "packaging/python"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """pip install --target, from a copy: a build leaves files beside its source."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(SOURCE, folder / "source")
    done = subprocess.run(
        [PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--no-build-isolation", "--no-cache-dir", "--disable-pip-version-check",
         "--root-user-action=ignore", "--target", folder / "site", folder / "source"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PIP_CONFIG_FILE": os.devnull})
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def filecall(installed, monkeypatch):
    monkeypatch.syspath_prepend(str(installed))
    yield importlib.import_module("filecall")
    for name in [name for name in sys.modules if name.split(".")[0] == "filecall"]:
        del sys.modules[name]


@pytest.fixture
def client_of(spool, endpoint):
    env = {**environment(), "OPENAI_BASE_URL": endpoint.url + "/v1", "OPENAI_API_KEY": "sk-test",
           "FILECALL_WORKER_BIN": str(worker_program())}

    def make(kind):
        return kind(spool.root, program=client_program(), env=env)
    yield make
    subprocess.run([client_program(), "worker", "stop", "--root", spool.root], check=False,
                   capture_output=True, timeout=60)


@pytest.fixture
def questions(folder):
    rows = [("fr", "France", "Paris"), ("it", "Italy", "Rome"), ("ke", "Kenya", "Nairobi")]
    (folder / "q.csv").write_text("id,country,city\n" + "".join(
        ",".join(row) + "\n" for row in rows))
    (folder / "ask.txt").write_text("Capital of {{country}}?")
    (folder / "spec.yaml").write_text(json.dumps({
        "name": "capitals", "graders": [{"kind": "contains", "expected_var": "city"}]}))
    return folder


def test_the_wheel_has_the_single_file_client_and_its_types(installed):
    package = installed / "filecall"
    assert (package / "py.typed").exists()
    assert not (package / "spool.py").is_symlink()
    assert (package / "spool.py").read_bytes() == (TOP / "scripts/filecall.py").read_bytes()
    version = next(installed.glob("filecall-*.dist-info")).name
    cmake = (TOP / "CMakeLists.txt").read_text()
    assert version.removeprefix("filecall-").removesuffix(".dist-info") in cmake


def test_it_passes_mypy_strictly_as_do_those_who_use_it(installed, folder):
    mypy = shutil.which("mypy", path="/usr/bin")
    if not mypy:
        pytest.skip("no mypy")
    (folder / "user.py").write_text(
        "import filecall\n\n\ndef mean(client: filecall.Client) -> float:\n"
        "    value = client.report(min_score=0.5).score.value\n"
        "    reveal_type(client.run('a.jsonl').results)\n    return value or 0.0\n")
    done = subprocess.run([mypy, "--strict", f"--cache-dir={folder}/cache", "user.py"], cwd=folder,
                          env={**os.environ, "MYPYPATH": str(installed)}, capture_output=True,
                          text=True, timeout=300, check=False)
    assert "list[builtins.dict[builtins.str, Any]]" in done.stdout, done.stdout
    assert done.returncode == 0, done.stdout
    done = subprocess.run([mypy, "--strict", f"--cache-dir={folder}/cache", "-p", "filecall"],
                          cwd=installed, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout


def test_run_eval_report_and_compare(filecall, client_of, questions):
    client = client_of(filecall.Client)
    models = ["good;text=Paris Rome Nairobi", "bad;text=Paris"]
    ran = client.run(questions / "q.csv", prompt=questions / "ask.txt", model=models)
    assert ran.ok and ran.counts["SUCCESS"] == 6 and len(ran.results) == 6
    graded = client.eval(questions / "spec.yaml")
    assert graded.score.value == pytest.approx(2 / 3) and graded.reused == 0
    assert client.eval(questions / "spec.yaml").reused == 6
    report = client.report()
    assert report.score.items == 3 and len(report.items) == 6
    assert {item.score for item in report.items if item.model == models[0]} == {1.0}
    assert report.items[0].outcome == "graded" and report.items[0].answer
    missed = client.report(min_score=0.9)
    with pytest.raises(filecall.ThresholdMissed, match="--min-score"):
        missed.check()
    compared = client.compare(f"@model={models[0]}", f"@model={models[1]}")
    assert compared.difference == pytest.approx(-2 / 3) and compared.regressions == 2
    assert compared.ok
    gated = client.compare(f"@model={models[0]}", f"@model={models[1]}", max_drop=0.1)
    assert gated.exit_code == 4 and gated.regressions == 2
    with pytest.raises(filecall.FilecallError, match="no-such") as caught:
        client.compare("no-such", "@")
    assert caught.value.exit_code == 2


def test_coroutines(filecall, client_of, questions):
    client = client_of(filecall.AsyncClient)

    async def work():
        ran = await client.run(questions / "q.csv", prompt=questions / "ask.txt",
                               model="m;text=Rome")
        answers = await asyncio.gather(*(client.call("system.echo", {"n": n}, 30)
                                         for n in range(20)))
        assert answers == [{"n": n} for n in range(20)]
        with pytest.raises(filecall.RequestFailed):
            await client.call("no.such", {}, 30)
        graded = await client.eval(questions / "spec.yaml")
        report, compared = await asyncio.gather(client.report(), client.compare("@", "@"))
        return ran, graded, report, compared

    ran, graded, report, compared = asyncio.run(work())
    assert ran.ok and graded.score.value == pytest.approx(1 / 3)
    assert report.score.value == graded.score.value and compared.difference == 0


def test_results_are_data_frames_where_pandas_is(filecall, client_of, questions):
    pytest.importorskip("pandas")
    client = client_of(filecall.Client)
    ran = client.run(questions / "q.csv", prompt=questions / "ask.txt", model="m;text=Rome")
    assert len(ran.to_frame()) == 3
    models = client.eval(questions / "spec.yaml").to_frame()
    assert list(models["model"]) == ["m;text=Rome"]
    frame = client.report().to_frame()
    assert frame.groupby("model")["score"].mean()["m;text=Rome"] == pytest.approx(1 / 3)
    assert set(frame["vars.city"]) == {"Paris", "Rome", "Nairobi"}


def test_a_python_function_grades(filecall, installed, spool, client_of, questions):
    (questions / "judge.py").write_text(
        "import filecall\n\n@filecall.grader\ndef judge(subject):\n"
        "    if subject.vars['city'] == 'Nairobi':\n        raise ValueError('no idea')\n"
        "    return len(subject.answer) / 8, f'{subject.expected} of ' + subject.vars['country']\n")
    (questions / "worker.yaml").write_text(json.dumps(
        {"tool": {**TOOLS["tool"], "env": ["PYTHONPATH"]}}))
    (questions / "spec.yaml").write_text(json.dumps({"name": "own", "graders": [
        {"kind": "tool", "argv": ["python3", str(questions / "judge.py")], "verdict": "json",
         "env": {"PYTHONPATH": str(installed)}, "expected_var": "city"}]}))
    client = client_of(filecall.Client)
    options = {"worker_config": questions / "worker.yaml"}
    client.run(questions / "q.csv", prompt=questions / "ask.txt", model="m;text=Rome", **options)
    graded = client.eval(questions / "spec.yaml", **options)
    assert graded.data["counts"]["ungraded"] == 1
    assert graded.score.value == 0.5
    reasons = {grade["reason"] for item in client.report().data["items"]
               for grade in item["grades"]}
    assert {"Rome of Italy", "Paris of France"} <= reasons
    assert any("no idea" in reason or "exit code" in reason for reason in reasons)


def test_what_cannot_be_done_says_why(filecall, spool, folder):
    client = filecall.Client(spool.root, program=Path("/no/such/program"))
    with pytest.raises(FileNotFoundError):
        client.report()
    client = filecall.Client(spool.root, program=client_program())
    with pytest.raises(filecall.FilecallError, match="no-such.yaml") as caught:
        client.eval(folder / "no-such.yaml")
    assert caught.value.exit_code != 0
