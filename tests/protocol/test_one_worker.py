# SPDX-License-Identifier: MIT
"""Worker rule 5 and who may own a root."""

import os
import shutil
import stat
import subprocess

import pytest

from harness import DEADLINE, Spool, shell, wait_until, with_tool, worker_program


def run_worker(*arguments, env=None, cwd=None):
    return subprocess.run([str(worker_program()), *map(str, arguments)], capture_output=True,
                          text=True, timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(env or {})}, cwd=cwd)


@pytest.mark.core
def test_a_second_worker_is_refused(spool, start_worker):
    first = start_worker()
    second = run_worker("--root", spool.root)
    assert second.returncode == 75
    assert str(spool.root) in second.stderr
    assert first.process.poll() is None
    assert spool.call("a")["worker"] == spool.status()["instance"]


def test_a_second_worker_with_one_free_root_is_refused_too(spool, folder, start_worker):
    start_worker()
    other = Spool(folder / "other")
    assert run_worker("--root", other.root, "--root", spool.root).returncode == 75


def test_the_same_root_twice_is_one_root_or_refused(spool):
    done = run_worker("--root", spool.root, "--root", f"{spool.root}/", "--drain")
    assert done.returncode in (0, 2, 75)


def test_death_frees_the_root_at_once(spool, start_worker):
    start_worker().kill()
    start_worker()
    assert spool.call("a")["status"] == "success"


def test_a_child_does_not_keep_the_root(spool, worker, start_worker):
    """A tool outlives a killed worker for a moment, but never holds its lock."""
    spool.drop("a", "tool.run", shell("sleep 60"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the tool runs")
    worker.kill()
    start_worker()
    assert spool.wait_response("a")["error_code"] == "aborted"


def test_a_root_that_others_may_write_is_refused(spool):
    os.chmod(spool.root, 0o777)
    done = run_worker("--root", spool.root, "--drain")
    assert done.returncode not in (0, 75)
    assert str(spool.root) in done.stderr and "--allow-shared-root" in done.stderr
    done = run_worker("--root", spool.root, "--drain", "--allow-shared-root")
    assert done.returncode not in (0, 75) and f"chmod +t {spool.root}" in done.stderr
    os.chmod(spool.root, 0o1777)
    assert run_worker("--root", spool.root, "--drain", "--allow-shared-root").returncode == 0


def test_a_root_of_another_user_is_refused(spool):
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(spool.root, 12345, 12345)
    done = run_worker("--root", spool.root, "--drain")
    assert done.returncode not in (0, 75) and "--allow-shared-root" in done.stderr


def test_a_root_that_is_a_file_is_refused(folder):
    path = folder / "file"
    path.touch()
    done = run_worker("--root", path, "--drain")
    assert done.returncode not in (0, 75) and str(path) in done.stderr


@pytest.mark.parametrize("name", ["requests", "responses", "failed", "events", "worker", "client",
                                  "runs", "eval", "worker/journal", "client/answers",
                                  "threads", "threads/data", "approvals", "approvals/responses",
                                  "proposals"])
@pytest.mark.parametrize("shared", [(), ("--allow-shared-root",)])
def test_a_symlink_in_place_of_a_directory_is_not_followed(spool, client, folder, name, shared):
    target = folder / "elsewhere"
    target.mkdir(mode=0o700)
    private = '{"request_id": "private", "command": "system.echo", "params": {"token": "mine"}}'
    (target / "private.json").write_text(private)
    run_worker("--root", spool.root, "--drain")
    path = spool.root / name
    if path.exists():
        shutil.rmtree(path)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.symlink_to(target)
    done = run_worker("--root", spool.root, "--drain", *shared)
    assert done.returncode not in (0, 75) and f"{path}: is a symbolic link" in done.stderr
    for words in (("worker", "start"), ("worker", "status"), ("worker", "stop"), ("status",),
                  ("gc", "--older-than", "0s"), ("call", "system.echo", "--no-start-worker"),
                  ("doctor",)):
        done = client.run(*words, *shared)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "symbolic link" in said, (words, said)
        assert "mine" not in said
    assert [p.name for p in target.iterdir()] == ["private.json"]
    assert (target / "private.json").read_text() == private


def test_the_root_comes_from_the_environment(spool):
    spool.drop("a")
    assert run_worker("--drain", env={"FILECALL_ROOT": str(spool.root)}).returncode == 0
    assert spool.response("a")["status"] == "success"


def test_the_lock_survives_nothing_and_is_not_removed(spool, start_worker):
    start_worker().stop()
    assert stat.S_ISREG((spool.root / "worker" / "lock").stat().st_mode)
    start_worker()


@pytest.mark.parametrize("take", [lambda root: (root / "worker").rename(root.parent / "away"),
                                  lambda root: (root / "worker/lock").unlink()])
def test_a_worker_whose_lock_was_taken_away_starts_nothing(spool, folder, start_worker, take):
    start_worker(config=with_tool())
    take(spool.root)
    start_worker(config=with_tool())
    for n in range(40):
        spool.drop(f"r{n}", "tool.run", shell(f"echo {n} >>{folder}/ran"))
    for n in range(40):
        assert spool.wait_response(f"r{n}")["status"] == "success"
    ran = (folder / "ran").read_text().split()
    assert sorted(ran, key=int) == [str(n) for n in range(40)]


def test_a_worker_whose_lock_was_taken_away_leaves_the_status_to_the_next(spool, start_worker):
    first = start_worker(config=with_tool())
    spool.drop("slow", "tool.run", shell("sleep 1.5"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")
    (spool.root / "worker").rename(spool.root.parent / "away")
    second = start_worker(config=with_tool())
    first.process.wait(DEADLINE)
    assert spool.status()["pid"] == second.pid and spool.status()["state"] == "ready"


def test_staging_that_was_removed_is_made_again(spool, worker):
    shutil.rmtree(spool.root / "worker/tmp")
    assert spool.call("a")["status"] == "success"


@pytest.mark.parametrize("option", ["--check-config", "--help", "--version"])
def test_output_that_cannot_be_written_is_said(option):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([str(worker_program()), option], stdout=full, timeout=DEADLINE,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 74 and "No space left on device" in done.stderr, done.stderr
