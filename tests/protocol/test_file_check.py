# SPDX-License-Identifier: MIT
"""What --check-config and doctor say of the section `file:`."""

import contextlib
import json
import os
import subprocess

import jsonschema
import pytest

import git_tree
import harness

SCHEMA = json.loads((harness.TOP / "ipc-schema/schema/config_check.schema.json").read_text())


@contextlib.contextmanager
def mounted(target, *arguments):
    target.mkdir(exist_ok=True)
    if subprocess.run(["mount", *arguments, target], capture_output=True, check=False).returncode:
        pytest.skip("this machine forbids mounting")
    try:
        yield target
    finally:
        subprocess.run(["umount", "-l", target], check=True)


def check(folder, roots, writable=(), *arguments, root=None):
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"file": {"roots": [str(p) for p in roots],
                                           "writable": [str(p) for p in writable]}}))
    place = ["--root", root] if root else []
    command = [harness.worker_program(), "--config", config, *place, "--check-config", *arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_json(folder, roots, writable=(), **options):
    found = json.loads(check(folder, roots, writable, "--json", **options))
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_root_without_a_repository_is_fine(folder):
    (folder / "work/plain").mkdir(parents=True)
    found = check_json(folder, [folder / "work"], [folder / "work/plain"])
    assert (found["problems"], found["files"]["notes"]) == ([], [])
    assert found["files"]["libgit2"].count(".") == 2
    text = check(folder, [folder / "work"])
    assert f"may be read in {folder / 'work'}; changed in none\ngit: libgit2 " in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_repository_of_another_user_is_named(folder):
    for name in ("mine", "theirs"):
        git_tree.GitTree(folder / "work" / name).commit("Begin")
    for path in [folder / "work/theirs/.git", *(folder / "work/theirs/.git").rglob("*")]:
        os.chown(path, 12345, 12345)
    found = check_json(folder, [folder / "work"], [folder / "work"])
    assert found["problems"] == []
    [note] = found["files"]["notes"]
    assert "work/theirs belongs to user 12345" in note and "safe.directory" in note
    assert check_json(folder, [folder / "work"])["files"]["notes"] == [], "nothing is written"
    assert f"note: {note}" in check(folder, [folder / "work"], [folder / "work"])


def test_a_repository_that_git_commands_refuse_is_named(folder):
    tree = git_tree.GitTree(folder / "work")
    tree.commit("Begin")
    tree.git("config", "include.path", "/etc/gitconfig")
    found = check_json(folder, [folder / "work"])
    [note] = found["files"]["notes"]
    assert note.startswith(f"git.* refuse the repository {folder / 'work'}: ")
    assert "/params" not in note


def test_directories_that_are_missing_or_read_only_are_problems(folder):
    (folder / "work").mkdir()
    found = check_json(folder, [folder / "work", folder / "none"], [folder / "none"])
    assert [text.split(":")[0] for text in found["problems"]] == ["file.roots", "file.writable"]
    with mounted(folder / "work", "-t", "tmpfs", "-o", "ro", "tmpfs"):
        found = check_json(folder, [folder / "work"], [folder / "work"])
        assert found["problems"] == [
            f"file.writable: {folder / 'work'}: its file system is mounted read-only"]


def test_a_record_in_memory_of_files_on_a_disk_is_noted(folder):
    (folder / "work").mkdir()
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True,
                          check=True).stdout.strip()
    if kind in ("tmpfs", "ramfs"):
        pytest.skip("the tests' own directory lies in memory")
    with mounted(folder / "memory", "-t", "tmpfs", "tmpfs") as memory:
        found = check_json(folder, [folder / "work"], [folder / "work"], root=memory)
        [note] = found["files"]["notes"]
        assert "lies in memory (tmpfs)" in note and "power cut" in note
        found = check_json(folder, [memory], [memory], root=memory)
        assert found["files"]["notes"] == [], "both are gone"


def test_doctor_says_the_same(folder, client):
    tree = git_tree.GitTree(folder / "work")
    tree.commit("Begin")
    tree.git("config", "include.path", "/etc/gitconfig")
    check(folder, [folder / "work"], [folder / "work"])
    done = client.run("doctor", "--worker-config", folder / "worker.yaml", "--json")
    findings = json.loads(done.stdout)["findings"]
    files = [f for f in findings if f["subject"] == "files"]
    assert [f["severity"] for f in files] == ["good", "note"], files
    assert "libgit2" in files[0]["text"] and "refuse the repository" in files[1]["text"]


# A section that is valid by itself -> what a worker says when it refuses to start with it.
REFUSED = {
    "writable beneath no root": ({"file": {"writable": ["work"]}}, "beneath none of file.roots"),
    "all of the machine": ({"file": {"roots": ["/"], "writable": ["/"]}}, "the root directory"),
    "a glob that fits nothing": ({"file": {"roots": ["work"], "hidden": ["/elsewhere/x"]}},
                                 "hidden"),
    "a tool of another name": ({"tool": {"tools": {"x": {"argv": ["no-such-program-here"]}}}},
                               "no-such-program-here"),
}


@pytest.mark.parametrize("config, why", REFUSED.values(), ids=REFUSED)
def test_what_a_worker_would_not_start_with_is_not_valid(folder, spool, config, why):
    (folder / "work").mkdir()
    path = folder / "worker.yaml"
    path.write_text(json.dumps(config))
    command = [str(harness.worker_program()), "--config", str(path), "--root", str(spool.root)]
    started = subprocess.run([*command, "--drain"], cwd=folder, capture_output=True, text=True,
                             check=False, timeout=60)
    text = subprocess.run([*command, "--check-config"], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=60)
    as_json = subprocess.run([*command, "--check-config", "--json"], cwd=folder, text=True,
                             capture_output=True, check=False, timeout=60)
    if started.returncode == 0:
        assert text.returncode == 0 and as_json.returncode == 0
        return
    assert why in started.stderr, started.stderr
    for done in (text, as_json):
        assert done.returncode == 2 and why in done.stderr, done.stdout + done.stderr
    assert "valid" not in text.stdout
    found = json.loads(as_json.stdout)
    jsonschema.validate(found, SCHEMA)
    assert found["valid"] is False and why in found["problems"][0]
