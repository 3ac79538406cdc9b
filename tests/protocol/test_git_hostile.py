# SPDX-License-Identifier: MIT
"""Hostile repositories: nothing of theirs runs, and nothing outside of the roots is read or
written. Each trap would leave a marker. The program git springs some of them, so that they are
traps."""

import os
import subprocess
import threading

import pytest

import git_tree
import harness
from git_tree import AUTHOR


@pytest.fixture
def tree(folder):
    top = git_tree.GitTree(folder / "work/repo")
    top.put("a.txt", "one\n")
    top.put("b.bin", b"\0\1")
    top.commit("Begin")
    top.git("branch", "other")
    return top


@pytest.fixture
def serve(start_worker, folder):
    def start(**members):
        return start_worker(config={"file": {"roots": [str(folder / "work")],
                                             "writable": [str(folder / "work")], **members}})
    return start


def trap(folder, name):
    """A program that leaves a marker, and the path of that."""
    script, marker = folder / f"trap-{name}", folder / f"SPRUNG-{name}"
    script.write_text(f"#!/bin/sh\n: > '{marker}'\ncat 2>/dev/null\nexit 0\n")
    script.chmod(0o755)
    return script, marker


def sprung(folder):
    return sorted(path.name for path in folder.glob("SPRUNG-*"))


PROGRAMS = {
    "core.fsmonitor": "fsmonitor", "core.sshCommand": "ssh", "core.pager": "pager",
    "core.editor": "editor", "core.askPass": "askpass", "credential.helper": "credential",
    "diff.external": "external", "diff.trap.textconv": "textconv", "diff.trap.command": "command",
    "filter.trap.clean": "clean", "filter.trap.smudge": "smudge",
    "filter.trap.process": "process", "merge.trap.driver": "merge", "gpg.program": "gpg",
    "gpg.ssh.program": "gpgssh", "core.gitProxy": "proxy", "sequence.editor": "sequence",
    "interactive.diffFilter": "difffilter", "pager.log": "pagerlog", "alias.status": "alias"}
HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout",
         "post-index-change", "reference-transaction", "pre-auto-gc", "post-merge",
         "fsmonitor-watchman", "pre-merge-commit", "update", "post-rewrite"]


def set_traps(folder, tree, attributes):
    for setting, name in PROGRAMS.items():
        tree.git("config", setting, str(trap(folder, name)[0]))
    tree.git("config", "commit.gpgSign", "true")
    tree.git("config", "core.hooksPath", str(folder / "hooks"))
    tree.git("config", "filter.trap.required", "false")
    for directory in (folder / "hooks", tree.path / ".git/hooks"):
        directory.mkdir(exist_ok=True)
        for hook in HOOKS:
            (directory / hook).unlink(missing_ok=True)
            (directory / hook).symlink_to(trap(folder, f"hook-{hook}")[0])
    (tree.path / ".git/info").mkdir(exist_ok=True)
    (tree.path / ".git/info/attributes").write_text(attributes)


def all_commands(spool, stem):
    """Every command of the family on `repo`; {name: answer}."""
    answers = {}

    def call(label, command, **params):
        answers[label] = spool.call(f"{stem}-{label}", f"git.{command}",
                                    {"repository": "repo", **params})

    call("status", "status")
    call("diff", "diff")
    call("staged", "diff", staged=True)
    call("commits", "diff", **{"from": "HEAD", "to": "other"})
    call("log", "log", path="a.txt")
    call("branches", "branch", action="list")
    call("worktrees", "worktree", action="list")
    call("preview", "mergePreview", theirs="other")
    call("create", "branch", action="create", name=f"{stem}")
    call("add", "worktree", action="add", path=f"{stem}-tree", branch=f"{stem}")
    call("commit", "commit", message="Step", author=AUTHOR, paths=["."])
    call("switch", "branch", action="switch", name="other")
    call("remove", "worktree", action="remove", path=f"{stem}-tree", force=True)
    return answers


def threads_children(pid):
    """Processes that any thread of the worker has."""
    children = set()
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                children.update(file.read().split())
        except OSError:
            pass
    return children


@pytest.mark.core
def test_no_program_of_a_repository_runs(spool, serve, tree, folder):
    worker = serve()
    set_traps(folder, tree, "* diff=trap merge=trap\n")
    before = threads_children(worker.process.pid)
    spawned, is_over = set(), threading.Event()

    def watch():
        while not is_over.is_set():
            spawned.update(threads_children(worker.process.pid) - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    tree.put("a.txt", "two\n")
    answers = all_commands(spool, "t")
    is_over.set()
    watcher.join()
    assert {n for n, a in answers.items() if a["status"] != "success"} == set(), answers
    assert sprung(folder) == [] and spawned == set()
    # They are traps: git springs them.
    tree.put("a.txt", "three\n")
    tree.git("status", check=False)
    tree.git("diff", check=False)
    tree.git("commit", "-qam", "x", "--no-gpg-sign", check=False)
    assert {"SPRUNG-fsmonitor", "SPRUNG-command"} <= set(sprung(folder))
    assert any("hook" in name for name in sprung(folder))


@pytest.mark.core
def test_no_filter_runs_and_its_files_are_not_committed_or_switched(spool, serve, tree, folder):
    serve()
    tree.git("checkout", "-q", "other")
    tree.put("b.bin", b"\0\2")
    tree.commit("Other")
    tree.git("checkout", "-q", "main")
    set_traps(folder, tree, "*.bin filter=trap diff=trap\n")
    tree.put("b.bin", b"\0\3")
    answers = all_commands(spool, "t")
    assert sprung(folder) == []
    assert {n for n, a in answers.items() if a["status"] != "success"} == {"commit", "switch"}
    for name in ("commit", "switch"):
        assert "no program runs here" in answers[name]["error_message"]
    assert answers["add"]["data"]["unfiltered"] == ["b.bin"]


@pytest.mark.core
def test_parts_of_a_repository_outside_of_the_roots_are_refused(spool, serve, tree, folder):
    serve()
    outside = git_tree.GitTree(folder / "outside")
    outside.put("secret.txt", "hunter2\n")
    outside.commit("Secret")
    work = folder / "work"

    def check(name, prepare, code="permission_denied"):
        copy = work / name
        subprocess.run(["cp", "-a", tree.path, copy], check=True)
        prepare(git_tree.GitTree(copy))
        for command, params in (("status", {}), ("log", {}), ("diff", {}),
                                ("branch", {"action": "create", "name": "n"})):
            answer = spool.call(f"{name}-{command}", f"git.{command}",
                                {"repository": name, **params})
            assert answer["status"] == "error", (name, command, answer)
            assert answer["error_code"] == code, answer
            assert "hunter2" not in str(answer)

    def link(name, target):
        def prepare(copy):
            path = copy.path / ".git" / name
            subprocess.run(["rm", "-rf", path], check=True)
            path.symlink_to(target)
        return prepare

    def file(name, text):
        return lambda copy: copy.put(f".git/{name}", text)

    def gitfile(text):
        def prepare(copy):
            subprocess.run(["rm", "-rf", copy.path / ".git"], check=True)
            copy.put(".git", text)
        return prepare

    check("dotgit", lambda copy: (subprocess.run(["rm", "-rf", copy.path / ".git"], check=True),
                                  (copy.path / ".git").symlink_to(outside.path / ".git")))
    check("gitfile", gitfile(f"gitdir: {outside.path}/.git\n"))
    check("relative", gitfile("gitdir: ../../outside/.git\n"))
    check("objects", link("objects", outside.path / ".git/objects"))
    check("config", link("config", outside.path / ".git/config"))
    check("index", link("index", outside.path / ".git/index"))
    check("exclude", link("info/exclude", outside.path / "secret.txt"))
    check("heads", link("refs/heads/other", outside.path / "secret.txt"))
    check("logs", link("logs/HEAD", folder / "would-be-made"))
    check("alternates", file("objects/info/alternates", f"{outside.path}/.git/objects\n"))
    check("alternate", file("objects/info/alternates", "../../../../outside/.git/objects\n"))
    check("here", file("objects/info/alternates", "outside/.git/objects\n"))
    check("commondir", file("commondir", f"{outside.path}/.git\n"))
    check("worktree", lambda copy: copy.git("config", "core.worktree", str(outside.path)))
    check("include", lambda copy: copy.git("config", "include.path", "/etc/passwd"))
    check("if", lambda copy: copy.git("config", "includeIf.gitdir:/.path", "x"))
    check("one_line", file("config", "[core] bare = false [include] path = /etc/passwd\n"))
    check("form", lambda copy: copy.git("config", "core.repositoryFormatVersion", "7"),
          "unimplemented")
    check("sha256", lambda copy: (copy.git("config", "core.repositoryFormatVersion", "1"),
                                  copy.git("config", "extensions.objectFormat", "sha256")),
          "unimplemented")
    assert not (folder / "would-be-made").exists()


def test_what_would_wait_for_ever_is_refused(spool, serve, tree, folder):
    serve()
    for name in (".git/packed-refs", ".git/refs/heads/x", ".git/info/attributes", ".gitignore",
                 "dir/.gitattributes"):
        path = tree.path / name
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)
        stem = f"f-{path.name}"
        answer = spool.call(stem, "git.status", {"repository": "repo"})
        assert answer.get("error_code") == "failed_precondition", (name, answer)
        path.unlink()
    (tree.path / ".gitignore").symlink_to("/etc/passwd")
    assert spool.call("l", "git.status", {"repository": "repo"})["status"] == "error"
    (tree.path / ".gitignore").unlink()
    os.mkfifo(tree.path / "pipe")
    answer = spool.call("p", "git.status", {"repository": "repo"})
    assert answer["status"] == "success" and answer["data"]["entries"] == []


def test_settings_of_a_repository_that_name_files_count_for_nothing(spool, serve, tree, folder):
    serve()
    secret = folder / "excludes"
    secret.write_text("guess\n")
    tree.git("config", "core.excludesFile", str(secret))
    tree.git("config", "core.attributesFile", str(secret))
    tree.put("guess", "")
    data = spool.call("s", "git.status", {"repository": "repo"})["data"]
    assert [e["path"] for e in data["entries"]] == ["guess"]


def test_nobody_looks_into_a_submodule(spool, serve, tree, folder):
    serve()
    other = git_tree.GitTree(folder / "work/other")
    other.put("x", "1\n")
    other.commit("Other")
    tree.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(other.path), "sub")
    tree.commit("Submodule")
    module = git_tree.GitTree(tree.path / "sub")
    script, _ = trap(folder, "submodule")
    module.git("config", "core.fsmonitor", str(script))
    module.git("config", "core.worktree", str(folder))
    tree.put("a.txt", "two\n")
    data = spool.call("s", "git.status", {"repository": "repo"})["data"]
    assert [e["path"] for e in data["entries"]] == ["a.txt"]
    commit = spool.call("c", "git.commit", {"repository": "repo", "message": "x", "paths": ["."],
                                            "author": AUTHOR})
    assert [f["path"] for f in commit["data"]["files"]] == ["a.txt"]
    assert tree.git("ls-tree", "HEAD", "sub").startswith("160000")
    data = spool.call("d", "git.diff", {"repository": "repo", "from": "HEAD~2",
                                        "to": "HEAD"})["data"]
    [sub] = [f for f in data["files"] if f["path"] == "sub"]
    assert sub["diff"].endswith(f"+Subproject commit {other.head()}\n")
    assert sprung(folder) == []


def test_a_tree_that_names_git_or_leads_out_writes_nothing_there(spool, serve, tree, folder):
    serve()
    outside = folder / "outside"
    outside.mkdir()
    blob = tree.git("hash-object", "-w", "--stdin", input=b"evil\n").strip()
    target = tree.git("hash-object", "-w", "--stdin", input=os.fsencode(outside)).strip()

    def branch(name, entries):
        text = "".join(f"{mode} {kind} {id}\t{path}\n" for mode, kind, id, path in entries)
        made = tree.git("mktree", "--missing", input=text.encode()).strip()
        commit = tree.git("commit-tree", "-m", name, made).strip()
        tree.git("update-ref", f"refs/heads/{name}", commit)

    def subtree(path):
        return tree.git("mktree", input=f"100644 blob {blob}\t{path}\n".encode()).strip()

    branch("dotgit", [("040000", "tree", subtree("hooks"), ".git")])
    branch("dots", [("040000", "tree", subtree("x"), "..")])
    branch("both", [("120000", "blob", target, "d"), ("040000", "tree", subtree("x"), "d")])
    branch("hfs", [("040000", "tree", subtree("x"), ".GIT")])
    for name in ("dotgit", "dots", "both", "hfs"):
        answer = spool.call(name, "git.worktree", {"repository": "repo", "action": "add",
                                                   "path": f"t-{name}", "branch": name})
        if answer["status"] == "error":
            assert not (folder / f"work/t-{name}").exists(), answer
        assert list(outside.iterdir()) == []
        assert not (folder / "work/x").exists()
    assert (tree.path / ".git/hooks/hooks").exists() is False


def test_another_users_repository_is_no_reason_to_refuse(spool, start_worker, tree, folder):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in [tree.path, *tree.path.rglob("*")]:
        os.chown(path, 65534, 65534)
    start_worker(config={"file": {"roots": [str(folder / "work")]}})
    assert spool.call("s", "git.status", {"repository": "repo"})["status"] == "success"
    assert harness.wait_until(lambda: spool.response("s"), "a response")["data"]["entries"] == []
