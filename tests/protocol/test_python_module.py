# SPDX-License-Identifier: MIT
"""scripts/filecall.py, the shell example, and the README's proof that neither is needed."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
import time

import pytest

from harness import TOP, wait_until


@pytest.fixture(scope="module")
def filecall():
    spec = importlib.util.spec_from_file_location("filecall", TOP / "scripts" / "filecall.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_call(spool, worker, filecall):
    assert filecall.call("system.echo", {"x": "ä"}, 10, spool.root) == {"x": "ä"}
    with pytest.raises(filecall.RequestFailed) as caught:
        filecall.call("no.such", {}, 10, spool.root)
    assert caught.value.code == "unimplemented" and caught.value.retryable is False


def test_results_come_as_they_are_ready(spool, worker, filecall):
    ids = [filecall.submit("system.echo", {"n": n}, f"r{n}", spool.root, durable=False)
           for n in range(200)]
    answers = dict(filecall.results(ids, 20, spool.root))
    assert {r["data"]["n"] for r in answers.values()} == set(range(200))


def test_submit_is_atomic_and_never_overwrites(spool, filecall):
    assert filecall.submit("system.echo", {"n": 1}, "a", spool.root) == "a"
    assert filecall.submit("system.echo", {"n": 1}, "a", spool.root) == "a"
    with pytest.raises(FileExistsError):
        filecall.submit("system.echo", {"n": 2}, "a", spool.root)
    assert json.loads(spool.request("a").read_text())["params"] == {"n": 1}
    assert os.listdir(spool.root / "requests") == ["a.json"]


def test_submit_is_never_seen_half_written(spool, filecall):
    done = threading.Event()
    torn = []

    def look():
        while not done.is_set():
            for path in (spool.root / "requests").glob("*.json"):
                try:
                    json.loads(path.read_bytes())
                except ValueError:
                    torn.append(path)

    reader = threading.Thread(target=look)
    reader.start()
    for n in range(200):
        filecall.submit("system.echo", {"pad": "x" * 20000}, f"r{n}", spool.root, durable=False)
    done.set()
    reader.join()
    assert not torn


@pytest.mark.parametrize("stem", ["", ".a", "a/b", "x" * 201, "a\nb", "\ud800"])
def test_bad_ids_are_refused(spool, filecall, stem):
    if not stem:
        pytest.skip("an empty id means: make one")
    with pytest.raises(ValueError):
        filecall.submit("system.echo", {}, stem, spool.root)


def test_wait_gives_up_at_its_deadline(spool, filecall):
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        filecall.wait("nobody", 0.2, spool.root)
    assert time.monotonic() - began < 2


def test_final_waits_past_an_error_that_is_retried(spool, filecall):
    spool.response_path("a").write_text('{"request_id":"a","status":"error","error_message":"x"}')
    assert filecall.response("a", spool.root)["status"] == "error"
    assert filecall.response("a", spool.root, final=True) is None
    (spool.root / "failed").mkdir()
    spool.failed_path("a").write_text('{"request_id":"a","status":"error","error_message":"y"}')
    assert filecall.response("a", spool.root, final=True)["error_message"] == "y"


def test_the_command_line(spool, worker):
    done = subprocess.run([sys.executable, TOP / "scripts" / "filecall.py", "system.echo",
                           '{"x": 1}', "--root", spool.root], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and json.loads(done.stdout) == {"x": 1}


def test_the_shell_example(spool, worker):
    script = TOP / "scripts" / "examples" / "drop.sh"
    done = subprocess.run(["sh", script, "system.echo", '{"x":1}'],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "FILECALL_ROOT": str(spool.root)})
    assert done.returncode == 0 and json.loads(done.stdout)["data"] == {"x": 1}


def test_five_lines_without_any_library(spool, worker):
    """The program of the README, as it stands there."""
    readme = (TOP / "README.md").read_text()
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    assert len([line for line in program.splitlines() if line.strip()]) <= 6
    program = program.replace("/tmp/copilot-evaluation", str(spool.root))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    assert "hello" in done.stdout
    wait_until(lambda: len(spool.responses()) == 1, "one response")


@pytest.mark.parametrize("name", ["", "requests", "responses"])
def test_a_root_that_others_may_write_to_is_not_used(spool, worker, filecall, name):
    folder = spool.root / name
    folder.chmod(0o777)
    for use in (lambda: filecall.submit("system.echo", {}, "a", spool.root),
                lambda: filecall.response("a", spool.root),
                lambda: filecall.call("system.echo", {}, 10, spool.root)):
        with pytest.raises(PermissionError, match="chmod 0700"):
            use()
    script = TOP / "scripts" / "examples" / "drop.sh"
    done = subprocess.run([script, "system.echo"], capture_output=True, text=True, check=False,
                          env={**os.environ, "FILECALL_ROOT": str(spool.root)}, timeout=20)
    assert done.returncode == 2 and "others may write" in done.stderr
    assert spool.requests() == set()
    data = filecall.call("system.echo", {"x": 1}, 10, spool.root, allow_shared_root=True)
    assert data == {"x": 1}
    folder.chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_root_of_another_user_is_not_used(tmp_path, filecall):
    os.chown(tmp_path, 12345, 12345)
    with pytest.raises(PermissionError, match="12345"):
        filecall.submit("system.echo", {}, "a", tmp_path)
    assert os.listdir(tmp_path) == []


def test_what_is_no_file_is_no_answer(spool, filecall):
    (spool.root / "responses").mkdir(parents=True, exist_ok=True)
    os.mkfifo(spool.response_path("fifo"))
    spool.response_path("folder").mkdir()
    spool.response_path("link").symlink_to("/dev/zero")
    for stem in ("fifo", "folder", "link"):
        assert filecall.response(stem, spool.root) is None
    with pytest.raises(ValueError):
        filecall.response("../outside", spool.root)
