# SPDX-License-Identifier: MIT
"""What a tool in a sandbox may leave for the git of those who work in its roots: no repository
whose settings start programs, where they would run git."""

import shutil
import subprocess

import pytest

from sandbox_place import place, pytestmark

PLANT = ("mkdir -p {0}/objects {0}/refs && echo 'ref: refs/heads/x' >{0}/HEAD && "
         "printf '[core]\\n repositoryformatversion = 0\\n fsmonitor = \"touch {1}\"\\n "
         "worktree = .\\n' >{0}/config")


def git(folder, *words):
    return subprocess.run(["git", "-c", "safe.directory=*", *words], cwd=folder, check=False,
                          capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})


def plant(place, *folders, after="true"):
    script = " && ".join(PLANT.format(place.work / folder, place.work / "ran")
                         for folder in folders)
    return place.shell(f"{script} && {after}", cwd="deep/er")


@pytest.mark.core
def test_a_bare_repository_in_the_way_to_where_a_tool_started_is_set_aside(place):
    shutil.rmtree(place.work / ".git")
    place.start(sandbox="workspace-write")
    data = plant(place, "deep/er", ".", after="chmod 555 .")
    assert data["bare_repositories_count"] == 2
    assert data["bare_repositories"] == [
        {"path": str(place.work), "set_aside": f"{place.work}/HEAD.set-aside"},
        {"path": f"{place.work}/deep/er", "set_aside": f"{place.work}/deep/er/HEAD.set-aside"}]
    assert "left a bare repository in" in place.worker.output()
    for folder in (place.work, place.work / "deep" / "er"):
        assert "not a git repository" in git(folder, "status").stderr
        assert not (folder / "HEAD").exists() and (folder / "HEAD.set-aside").exists()
    assert not (place.work / "ran").exists()
    again = plant(place, ".")
    assert again["bare_repositories"][0]["set_aside"] == f"{place.work}/HEAD.set-aside-2"


def test_the_directory_of_a_worktree_is_one_too(place):
    place.start(sandbox="workspace-write")
    data = place.shell("ln -s refs/heads/x HEAD && echo /tmp >commondir", cwd="deep")
    assert [found["path"] for found in data["bare_repositories"]] == [str(place.work / "deep")]


def test_a_repository_that_was_there_stays_and_others_are_none(place):
    shutil.rmtree(place.work / "deep")
    assert git(place.work, "init", "-q", "--bare", "deep").returncode == 0
    (place.work / "deep" / "er").mkdir()
    place.start(sandbox="workspace-write")
    data = place.shell("git --git-dir=.. symbolic-ref HEAD refs/heads/other; mkdir objects refs",
                       cwd="deep/er")
    assert "bare_repositories" not in data
    assert (place.work / "deep" / "HEAD").exists()


def test_who_protects_no_git_directory_keeps_what_tools_make(place):
    place.start(sandbox="workspace-write", protect=[])
    assert "bare_repositories" not in plant(place, "deep/er")
    assert (place.work / "deep" / "er" / "HEAD").exists()
