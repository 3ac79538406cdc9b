# SPDX-License-Identifier: MIT
"""Configuration and command line of the worker."""

import json
import re

import pytest

from harness import TOOLS, wait_until
from test_one_worker import run_worker


def check(folder, text):
    path = folder / "worker.yaml"
    path.write_text(text)
    return run_worker("--check-config", "--config", path)


def test_a_good_configuration_passes(folder):
    assert check(folder, json.dumps(TOOLS)).returncode == 0
    done = check(folder, "durability: file\ngrace: 5s\nsettle: 100ms\nlog: {level: debug}\n"
                         "destinations:\n  tool: {concurrency: 2, rate: 5, burst: 10}\n")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text,line,words", [
    ("durabilty: full\n", 1, ["durabilty"]),
    ("grace: 5s\ndurability: most\n", 2, ["durability", "full"]),
    ("grace: soon\n", 1, ["grace"]),
    ("limits:\n  request_bytes: lots\n", 2, ["request_bytes"]),
    ("limits:\n  depth: 100000\n", 2, ["depth"]),
    ("tool:\n  allow: [git\n", 3, []),
    ("tool:\n  tools:\n    t:\n      effects: none\n", 4, ["argv"]),
    ("tool:\n  tools:\n    t:\n      argv: [ls]\n      effects: some\n", 5, ["effects"]),
    ("tool:\n  sandbox: paper\n", 2, ["sandbox"]),
    ("log:\n  level: shout\n", 2, ["level"]),
    ("grace: 1s\ngrace: 2s\n", 2, ["grace"]),
    ("- a\n- b\n", 1, []),
])
def test_an_error_has_line_and_column(folder, text, line, words):
    done = check(folder, text)
    assert done.returncode == 2
    found = re.search(r"worker\.yaml:(\d+):(\d+)", done.stderr) or re.search(
        r"line (\d+),? column (\d+)", done.stderr)
    assert found, done.stderr
    assert abs(int(found.group(1)) - line) <= 1, done.stderr
    for word in words:
        assert word in done.stderr


def test_a_configuration_that_is_not_there(folder):
    done = run_worker("--check-config", "--config", folder / "no.yaml")
    assert done.returncode == 2 and "no.yaml" in done.stderr


def test_a_check_as_json_has_what_was_found_as_values(folder):
    path = folder / "worker.yaml"
    path.write_text(json.dumps({"llm": {"providers": {"dead": {
        "base_url": "http://127.0.0.1:1/v1", "profile": "generic", "api_key_env": "NO_SUCH"}}}}))
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "gone", "context": {"cluster": "c", "user": "u"}}]}))
    done = run_worker("--check-config", "--json", "--config", path,
                      env={"KUBECONFIG": str(kubeconfig)})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["valid"] is True and found["problems"] == [] and found["tools"] is None
    provider, = found["providers"]
    assert provider.pop("problem")
    assert provider == {"name": "dead", "kind": "openai", "profile": "generic", "answers": False,
                        "base_url": "http://127.0.0.1:1/v1", "models": None,
                        "key": {"env": "NO_SUCH"}}
    context, = found["contexts"]
    assert context.pop("problem")
    assert context == {"name": "gone", "server": "https://127.0.0.1:1", "answers": False,
                       "version": None, "exec": []}


def test_a_log_in_a_directory_that_is_not_there_is_refused(folder, spool):
    """It was valid, and then the worker did not start."""
    path = folder / "worker.yaml"
    path.write_text(json.dumps({"log": {"file": str(folder / "logs/worker.log")}}))
    for options in (("--check-config",), ("--root", spool.root, "--drain")):
        done = run_worker("--config", path, *options)
        assert done.returncode == 2, done.stderr
        assert f"there is no directory {folder}/logs; make it" in done.stderr
    (folder / "logs").mkdir()
    assert run_worker("--config", path, "--root", spool.root, "--drain").returncode == 0


def test_a_refused_configuration_is_a_problem_in_json_too(folder):
    path = folder / "worker.yaml"
    path.write_text("grace: soon\n")
    done = run_worker("--check-config", "--json", "--config", path)
    assert done.returncode == 2 and "grace" in done.stderr
    found = json.loads(done.stdout)
    assert found["valid"] is False
    assert "worker.yaml:1:" in found["problems"][0] and "grace" in found["problems"][0]


@pytest.mark.parametrize("sandbox", ["none", "read-only"])
def test_a_check_says_what_ends_a_tools_processes(folder, sandbox):
    path = folder / "worker.yaml"
    path.write_text(json.dumps({"tool": {"allow": ["date"], "sandbox": sandbox}}))
    done = run_worker("--check-config", "--json", "--config", path)
    ended_by = {"none": "worker", "read-only": "process-namespace"}[sandbox]
    tools = json.loads(done.stdout)["tools"]
    assert {**tools, "control_group": None} == {"sandbox": sandbox, "ended_by": ended_by,
                                                "control_group": None}
    assert f"tools: sandbox {sandbox}; " in run_worker("--check-config", "--config", path).stdout


def test_json_goes_with_the_check_alone():
    done = run_worker("--json")
    assert done.returncode == 2 and "--check-config" in done.stderr


def test_roots_may_stand_in_the_configuration(spool, start_worker, folder):
    (folder / "c.yaml").write_text(json.dumps({"roots": [str(spool.root)]}))
    spool.drop("a")
    assert run_worker("--config", folder / "c.yaml", "--drain").returncode == 0
    assert spool.response("a")["status"] == "success"


def test_a_root_may_be_named_from_the_current_directory(spool):
    spool.drop("a")
    done = run_worker("--root", spool.root.name, "--drain", cwd=spool.root.parent)
    assert done.returncode == 0, done.stderr
    assert spool.response("a")["status"] == "success"


def test_help_and_version():
    done = run_worker("--help")
    assert done.returncode == 0
    for flag in ("--root", "--config", "--check-config", "--json", "--drain", "--durability",
                 "--grace", "--allow-shared-root", "--log-file", "--log-format", "--log-level"):
        assert flag in done.stdout
    assert "then exit with 0." in " ".join(done.stdout.split())  # A layout once lost the 0.
    done = run_worker("--version")
    assert done.returncode == 0 and re.search(r"\d+\.\d+", done.stdout)


@pytest.mark.parametrize("arguments", [["--no-such"], ["--durability", "most"], ["--grace", "x"],
                                       ["--config"], ["stray"]])
def test_bad_usage(arguments):
    done = run_worker(*arguments)
    assert done.returncode == 2 and done.stderr


def test_the_log_goes_to_a_file_and_as_json(spool, folder, start_worker):
    path = folder / "log"
    start_worker("--log-file", path, "--log-format", "json", "--log-level", "debug")
    spool.call("a")
    lines = wait_until(lambda: path.exists() and path.read_text().splitlines(), "a log")
    for line in lines:
        assert isinstance(json.loads(line), dict)


def test_the_log_is_rotated(spool, folder, start_worker):
    path = folder / "log"
    config = {"log": {"level": "debug", "file": str(path), "rotate_bytes": 20000,
                      "rotated_files": 2}}
    start_worker(config=config)
    for i in range(400):
        spool.drop(f"r{i}", "no.such")
    wait_until(lambda: len(spool.responses()) == 400, "all are answered")
    files = [p for p in folder.iterdir() if p.name.startswith("log")]
    assert 1 <= len(files) <= 3 and all(p.stat().st_size < 60000 for p in files)


def test_a_check_refuses_what_the_worker_refuses(folder, spool):
    """The home directory as tool.roots was `valid`, with exit code 0."""
    path = folder / "worker.yaml"
    (folder / "file").touch()
    for config, word in (({"tool": {"allow": ["ls"], "roots": [str(folder)]}}, "home directory"),
                         ({"log": {"file": str(folder)}}, "is a directory"),
                         ({"roots": [str(folder / "file")]}, "is not a directory")):
        path.write_text(json.dumps(config))
        env = {"HOME": str(folder)}
        done = run_worker("--check-config", "--config", path, env=env)
        assert done.returncode == 2 and word in done.stderr, (word, done.stderr)
        assert "valid" not in done.stdout
        done = run_worker("--check-config", "--json", "--config", path, env=env)
        assert done.returncode == 2 and json.loads(done.stdout)["valid"] is False
        root = () if "roots" in config else ("--root", spool.root)
        started = run_worker("--config", path, "--drain", *root, env=env)
        assert started.returncode == 2 and word in started.stderr, started.stderr
