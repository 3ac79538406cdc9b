# SPDX-License-Identifier: MIT
"""git.branch and git.commit: what they change, and what of the user's they leave as it is."""

import os
import random

import pytest

import git_tree
from git_tree import AUTHOR, done, refused


@pytest.fixture
def tree(folder):
    top = git_tree.GitTree(folder / "checkout")
    for name in ("a", "b", "c", "src/d", "run.sh"):
        top.put(name, f"{name}\n")
    top.put(".gitignore", "*.log\n")
    top.commit("Begin")
    return top


@pytest.fixture
def serve(start_worker, tree):
    def start(**members):
        return start_worker(config={"file": {"roots": [str(tree.path)],
                                             "writable": [str(tree.path)], **members}})
    return start


def whole(tree):
    """What a refusal must not change."""
    return (tree.git("status", "--porcelain", "-uall", "--ignored"), tree.git("show-ref", "--head"),
            tree.git("diff"), tree.git("diff", "--cached"))


@pytest.mark.core
def test_a_commit_of_paths_leaves_what_else_is_staged(spool, serve, tree):
    serve()
    tree.put("a", "staged\n")
    tree.git("add", "a")
    tree.put("a", "staged and changed\n")
    tree.put("b", "mine\n")
    (tree.path / "c").unlink()
    tree.put("src/new", "new\n")
    tree.put("src/x.log", "ignored\n")
    tree.put("src/key.pem", "hidden\n")
    (tree.path / "run.sh").chmod(0o755)
    before = tree.head()
    data = done(spool, "c", "git.commit", message="\n\nStep 1  \n\nWhy.\n\n", author=AUTHOR,
                paths=["b", "c", "src", "run.sh"], trailers={"Thread": "t1", "Step": ["1", "2"]})
    assert (data["commit"], data["parent"], data["branch"]) == (tree.head(), before, "main")
    assert [f"{f['status']} {f['path']}" for f in data["files"]] == [
        "modified b", "deleted c", "modified run.sh", "added src/new"]
    assert (data["still_staged"], data["complete"]) == (["a"], True)
    assert tree.git("log", "-1", "--format=%an %ae|%cn|%B") == (
        "Agent agent@example.org|Agent|Step 1\n\nWhy.\n\nStep: 1\nStep: 2\nThread: t1\n\n")
    assert tree.git("show", "HEAD:b") == "mine\n"
    assert tree.git("ls-tree", "HEAD", "run.sh").startswith("100755")
    assert tree.porcelain() == {"a": "MM", "src/key.pem": "??"}
    assert tree.git("show", ":a") == "staged\n"
    assert "fsck" not in tree.git("fsck", "--strict")
    assert tree.git("reflog", "-1", "--format=%gs") == "commit: Step 1\n"


@pytest.mark.core
def test_a_commit_without_paths_takes_what_is_staged(spool, serve, tree):
    serve()
    tree.put("a", "staged\n")
    tree.git("add", "a")
    tree.put("a", "later\n")
    tree.put("b", "not staged\n")
    data = done(spool, "c", "git.commit", message="Staged\n\nReviewed-by: R <r@b>", author=AUTHOR,
                trailers={"Thread": "t"})
    assert [f["path"] for f in data["files"]] == ["a"]
    assert tree.git("show", "HEAD:a") == "staged\n"
    assert tree.porcelain() == {"a": " M", "b": " M"}
    assert data["message"].endswith("\n\nReviewed-by: R <r@b>\nThread: t\n")
    assert tree.git("interpret-trailers", "--parse", input=os.fsencode(data["message"])) == (
        "Reviewed-by: R <r@b>\nThread: t\n")


def test_a_commit_that_cannot_be_made_changes_nothing(spool, serve, tree):
    serve(limits={"file_bytes": 1000})
    same = whole(tree)
    commit = {"message": "x", "author": AUTHOR}
    assert refused(spool, "a", "git.commit", **commit)[0] == "failed_precondition"
    assert refused(spool, "b", "git.commit", **commit, paths=["a"])[0] == "failed_precondition"
    assert refused(spool, "c", "git.commit", **commit, paths=["none"])[0] == "not_found"
    assert refused(spool, "d", "git.commit", **commit, paths=[".env"])[0] == "not_found"
    assert refused(spool, "e", "git.commit", **commit, paths=["../a"])[0] == "invalid_argument"
    assert whole(tree) == same
    tree.put("a", "changed\n")
    same = whole(tree)
    assert "author" in refused(spool, "f", "git.commit", message="x", paths=["a"])[1]
    assert refused(spool, "g", "git.commit", message=" \n ", author=AUTHOR)[0] == "invalid_argument"
    assert refused(spool, "h", "git.commit", **commit, paths=["a"],
                   trailers={"T": "two\nlines"})[0] == "invalid_argument"
    (tree.path / ".git/index.lock").write_text("")
    assert refused(spool, "i", "git.commit", **commit, paths=["a"])[0] == "unavailable"
    (tree.path / ".git/index.lock").unlink()
    tree.put("a", "x" * 2000)
    assert "file_bytes" in refused(spool, "j", "git.commit", **commit, paths=["a"])[1]
    tree.put("a", "changed\n")
    (tree.path / ".git/MERGE_HEAD").write_text(tree.head() + "\n")
    assert "midst" in refused(spool, "k", "git.commit", **commit, paths=["a"])[1]
    (tree.path / ".git/MERGE_HEAD").unlink()
    assert whole(tree) == same


def test_the_first_commit_and_files_that_became_directories(spool, start_worker, folder):
    tree = git_tree.GitTree(folder / "new")
    start_worker(config={"file": {"roots": [str(folder)], "writable": [str(folder)]}})
    tree.put("a/b", "1\n")
    data = done(spool, "1", "git.commit", repository="new", message="First", author=AUTHOR,
                paths=["."])
    assert (data["parent"], data["commit"]) == (None, tree.head())
    (tree.path / "a/b").unlink()
    (tree.path / "a").rmdir()
    tree.put("a", "a file now\n")
    (tree.path / "l").symlink_to("a")
    done(spool, "2", "git.commit", repository="new", message="Second", author=AUTHOR, paths=["."])
    assert tree.git("ls-tree", "-r", "HEAD").split()[0::4] == ["100644", "120000"]
    assert tree.porcelain() == {}
    tree.put("crlf.txt", b"x\r\ny\r\n")
    tree.put(".gitattributes", "*.txt text\n")
    done(spool, "3", "git.commit", repository="new", message="Third", author=AUTHOR, paths=["."])
    assert tree.git("show", "HEAD:crlf.txt") == "x\ny\n" and tree.porcelain() == {}
    inner = git_tree.GitTree(folder / "new/inner")
    inner.put("x", "")
    inner.commit("Other")
    tree.put("a", "again\n")
    data = done(spool, "4", "git.commit", repository="new", message="Fourth", author=AUTHOR,
                paths=["."])
    assert (data["not_taken"], [f["path"] for f in data["files"]]) == (["inner/"], ["a"])


@pytest.mark.core
def test_branches_are_made_listed_and_switched(spool, serve, tree):
    serve()
    first = tree.head()
    tree.put("a", "second\n")
    second = tree.commit("Second")
    data = done(spool, "c", "git.branch", action="create", name="ai-agent/x", start="HEAD~1")
    assert data["commit"] == first == tree.head("ai-agent/x")
    assert refused(spool, "d", "git.branch", action="create", name="ai-agent/x")[
        0] == "already_exists"
    for stem, name in enumerate(("-x", "a..b", "a b", "x.lock", "HEAD", "/x", "é\x7f")):
        assert refused(spool, f"n{stem}", "git.branch", action="create", name=name)[
            0] == "invalid_argument", name
    listed = done(spool, "l", "git.branch", action="list")
    assert listed["branches"] == [
        {"name": "ai-agent/x", "commit": first, "current": False},
        {"name": "main", "commit": second, "current": True, "worktree": "."}]
    tree.put("b", "a change that stays\n")
    tree.git("add", "b")
    tree.put("c", "another\n")
    data = done(spool, "s", "git.branch", action="switch", name="ai-agent/x")
    assert data["changed_files"] == 1 and (tree.path / "a").read_text() == "a\n"
    assert tree.git("symbolic-ref", "HEAD") == "refs/heads/ai-agent/x\n"
    assert tree.porcelain() == {"b": "M ", "c": " M"}
    assert tree.git("reflog", "-1", "--format=%gs") == (
        "checkout: moving from main to ai-agent/x\n")
    assert refused(spool, "u", "git.branch", action="switch", name="none")[0] == "not_found"


@pytest.mark.core
def test_a_switch_that_would_lose_something_changes_nothing(spool, serve, tree):
    serve(hidden=["secret*"], protected=["kept"])
    tree.git("checkout", "-q", "-b", "other")
    tree.put("a", "of other\n")
    tree.put("new", "new\n")
    tree.put("x.log", "tracked there\n")
    tree.git("add", "-f", "x.log")
    tree.put("dir/deep/file", "file\n")
    tree.put("secret.txt", "hunter2\n")
    tree.commit("Other")
    tree.git("checkout", "-q", "main")

    def check(stem, path, text=None):
        same = whole(tree)
        code, message = refused(spool, stem, "git.branch", action="switch", name="other")
        assert (code, whole(tree)) == ("failed_precondition", same), message
        details = spool.response(stem)["error_details"]
        assert details["paths"] == ([path] if path else []) and "secret" not in str(details)

    tree.put("a", "mine\n")
    check("a", "a")
    tree.git("add", "a")
    check("b", "a")
    tree.git("checkout", "-q", "HEAD", "--", "a")
    for stem, name in (("c", "new"), ("d", "x.log"), ("e", "dir"), ("f", "dir/deep"),
                       ("g", "new/inner.log")):
        tree.put(name, "untracked or ignored\n")
        check(stem, name.split("/inner")[0] if "inner" in name else name)
        (tree.path / name).unlink()
        for parent in (tree.path / name).parents:
            if parent == tree.path:
                break
            parent.rmdir()
    tree.put("secret.txt", "of mine\n")
    check("h", None)
    (tree.path / "secret.txt").unlink()
    done(spool, "z", "git.branch", action="switch", name="other")
    assert tree.porcelain() == {} and (tree.path / "secret.txt").read_text() == "hunter2\n"
    tree.put("kept", "1\n")
    tree.commit("Kept")
    assert refused(spool, "y", "git.branch", action="switch", name="main")[
        0] == "permission_denied"


def test_a_commit_that_is_cancelled_is_made_or_not(spool, serve, tree):
    """Whenever a cancel comes: the response says whether the branch moved."""
    serve()
    for turn in range(8):
        old = tree.head()
        for number in range(150):
            tree.put(f"many/{number}", f"{turn} {number}\n")
        spool.drop(f"commit-{turn}", "git.commit",
                   {"message": f"{turn}", "author": AUTHOR, "paths": ["."]})
        for number in range(turn):
            spool.barrier(f"later-{turn}-{number}")
        spool.call(f"cancel-{turn}", "system.cancel", {"request_id": f"commit-{turn}"})
        answer = spool.wait_response(f"commit-{turn}")
        if answer["status"] == "success":
            assert (answer["data"]["commit"], answer["data"]["parent"]) == (tree.head(), old)
            assert tree.porcelain() == {}
        else:
            assert answer["error_code"] == "cancelled" and tree.head() == old
            assert set(tree.porcelain().values()) <= {"??", " M"}, "nothing is staged"
        assert not list((tree.path / ".git").rglob("*.lock"))
    tree.git("fsck", "--strict", "--no-dangling")


def test_nothing_is_written_where_it_may_not_be(spool, start_worker, tree):
    start_worker(config={"file": {"roots": [str(tree.path)],
                                  "writable": [str(tree.path / "src")]}})
    same = whole(tree)
    code, message = refused(spool, "a", "git.branch", action="create", name="x")
    assert code == "permission_denied" and "file.writable" in message
    tree.put("src/d", "changed\n")
    assert refused(spool, "b", "git.commit", message="x", author=AUTHOR, paths=["src"])[
        0] == "permission_denied"
    assert done(spool, "c", "git.branch", action="list")["branches"][0]["name"] == "main"
    assert tree.git("show-ref", "--head") == same[1]


def test_random_switches_are_those_of_git_or_refused(spool, serve, tree, folder):
    serve()
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    names = ["a", "b", "c/d", "c/e", "f", "f2/g", "h.log"]
    for branch in range(4):
        tree.git("checkout", "-q", "-B", f"b{branch}", f"HEAD~{rng.randrange(0, 1)}")
        for name in rng.sample(names, 4):
            if rng.random() < 0.4:
                tree.git("rm", "-rqf", "--ignore-unmatch", name)
            elif not any((tree.path / part).is_file() for part in [name.split("/")[0]] if
                         "/" in name) and not (tree.path / name).is_dir():
                tree.put(name, f"{rng.randrange(3)}\n")
                tree.git("add", "-f", name)
        tree.git("commit", "-q", "--allow-empty", "-m", f"{branch}")
    for turn in range(12):
        name = rng.choice(names)
        if rng.random() < 0.6 and not (tree.path / name).exists() and not any(
                (tree.path / part).is_file() for part in [name.split("/")[0]] if "/" in name):
            tree.put(name, "local\n")
        same = whole(tree)
        local = tree.porcelain()
        target = f"b{rng.randrange(4)}"
        answer = spool.call(f"s{turn}", "git.branch", {"action": "switch", "name": target})
        if answer["status"] == "error":
            assert whole(tree) == same, f"seed {seed}, turn {turn}"
            # Nothing that is in no commit: then a switch is never refused.
            ignored = tree.git("status", "--porcelain", "--ignored")
            assert local or "!!" in ignored, (seed, turn, answer)
        else:
            assert tree.porcelain() == local, (seed, turn)
            assert tree.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{target}"
        tree.git("clean", "-qfdx")
        tree.git("reset", "-q", "--hard")
