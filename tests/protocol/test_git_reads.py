# SPDX-License-Identifier: MIT
"""git.status, git.diff and git.log beside the program git, on files that make trouble."""

import os
import random
import subprocess

import pytest

import git_tree
from git_tree import done, refused


@pytest.fixture
def tree(folder):
    top = git_tree.GitTree(folder / "checkout")
    top.put("src/a.cc", "int main() {\n  return 7;\n}\n")
    top.put("src/b c.txt", "one\ntwo\nthree\n")
    top.put("gone.txt", "gone\n")
    top.put("moved.txt", "this one moves\n")
    top.put(".env", "SECRET=hunter2\n")
    top.put(".gitignore", "*.log\n")
    top.put("run.sh", "true\n")
    top.commit("Begin")
    return top


@pytest.fixture
def serve(start_worker, tree):
    def start(**members):
        return start_worker(config={"file": {"roots": [str(tree.path)], **members}})
    return start


def change_everything(tree):
    tree.put("src/a.cc", "int main() {\n  return 8;\n}\n")
    tree.put("staged.txt", "new\n")
    tree.git("mv", "moved.txt", "here.txt")
    tree.git("add", "staged.txt")
    (tree.path / "gone.txt").unlink()
    (tree.path / "run.sh").chmod(0o755)
    tree.put(".env", "SECRET=other\n")
    tree.put("dir/new one.txt", "untracked\n")
    tree.put("dir/key.pem", "hidden\n")
    tree.put("x.log", "ignored\n")
    (tree.path / "link").symlink_to("/etc/passwd")


@pytest.mark.core
def test_status_is_that_of_git_without_what_is_hidden(spool, serve, tree):
    serve()
    assert done(spool, "clean", "git.status")["entries"] == []
    change_everything(tree)
    index = (tree.path / ".git/index").read_bytes()
    data = done(spool, "s", "git.status")
    expected = tree.porcelain()
    assert expected.pop(".env") == " M" and expected.pop("dir/key.pem") == "??"
    assert git_tree.porcelain_of(data) == expected
    assert (data["branch"], data["head"], data["state"]) == ("main", tree.head(), "none")
    assert data["complete"] and data["repository"] == "."
    [moved] = [e for e in data["entries"] if e["path"] == "here.txt"]
    assert moved == {"path": "here.txt", "old_path": "moved.txt", "staged": "renamed"}
    below = done(spool, "p", "git.status", paths=["dir"], untracked=True)
    assert [e["path"] for e in below["entries"]] == ["dir/new one.txt"]
    known = done(spool, "u", "git.status", untracked=False, max=2)
    assert (len(known["entries"]), known["left_out"], known["complete"]) == (2, 3, False)
    assert (tree.path / ".git/index").read_bytes() == index


@pytest.mark.core
def test_a_diff_is_that_of_git_and_never_shows_what_is_hidden(spool, serve, tree):
    serve()
    first = tree.head()
    change_everything(tree)

    def diff(stem, **params):
        data = done(spool, stem, "git.diff", **params)
        assert data["complete"], data
        return "".join(f.get("diff", "") for f in data["files"])

    def peer(*arguments):
        return tree.diff(*arguments, "--", ".", ":!.env", ":!*.pem")

    assert diff("files") == peer()
    assert diff("staged", staged=True) == peer("--cached")
    second = tree.commit("More", "--no-verify")
    assert diff("commits", **{"from": first, "to": "main"}) == peer(first, second)
    assert diff("back", **{"from": "HEAD", "to": "HEAD~1"}) == peer(second, first)
    data = done(spool, "p", "git.diff", paths=["src"], **{"from": first, "to": second})
    assert [f["path"] for f in data["files"]] == ["src/a.cc"]
    assert (data["from"], data["to"], data["additions"]) == (first, second, 1)
    everything = str(done(spool, "all", "git.diff", **{"from": first, "to": second}))
    assert "hunter2" not in everything and ".env" not in everything
    assert refused(spool, "h", "git.diff", paths=[".env"])[0] == "not_found"
    assert refused(spool, "l", "git.log", path=".env")[0] == "not_found"


def test_a_hidden_file_that_was_renamed_stays_hidden(spool, serve, tree):
    serve()
    tree.git("mv", ".env", "settings.txt")
    second = tree.commit("Rename the secret away")
    tree.git("mv", "settings.txt", "id_key")
    tree.commit("And back")
    data = done(spool, "a", "git.diff", **{"from": "HEAD~2", "to": second})
    assert [(f["path"], f["status"]) for f in data["files"]] == [("settings.txt", "added")]
    data = done(spool, "b", "git.diff", **{"from": second, "to": "HEAD"})
    assert [(f["path"], f["status"]) for f in data["files"]] == [("settings.txt", "deleted")]
    assert ".env" not in str(data) and "id_key" not in str(data)


def test_what_is_no_text_or_too_large_is_named_and_not_shown(spool, serve, tree):
    serve(limits={"file_bytes": 1000, "read_bytes": 300})
    tree.put("src/a.cc", b"\0binary")
    tree.put("latin.txt", b"caf\xe9\n")
    tree.put("large.txt", "x" * 2000)
    tree.put("long.txt", "".join(f"line {i}\n" for i in range(90)))
    tree.put(os.fsdecode(b"n\xff"), "strange name\n")
    tree.git("add", "-A")
    data = done(spool, "d", "git.diff", staged=True)
    files = {f["path"]: f for f in data["files"]}
    assert files["src/a.cc"]["encoding"] == "binary" and "diff" not in files["src/a.cc"]
    assert files["latin.txt"]["encoding"] == "unknown"
    assert files["large.txt"]["too_large"] and files["long.txt"]["cut"]
    assert (data["names_not_utf8"], data["complete"]) == (1, False)
    assert files["long.txt"]["diff"].endswith("\n") and len(files["long.txt"]["diff"]) <= 300
    status = done(spool, "s", "git.status")
    assert (status["names_not_utf8"], status["complete"]) == (1, False)


def test_what_is_no_repository_says_what_to_name(spool, serve, tree, folder):
    serve()
    assert refused(spool, "a", "git.status", repository="src")[0] == "failed_precondition"
    assert "has no .git" in refused(spool, "b", "git.log", repository="src")[1]
    assert refused(spool, "c", "git.status", repository=".git")[0] == "failed_precondition"
    assert refused(spool, "d", "git.status", repository="none")[0] == "not_found"
    assert refused(spool, "e", "git.status", repository=str(folder))[0] == "permission_denied"
    assert refused(spool, "f", "git.log", **{"from": "HEAD^{/x}"})[0] == "invalid_argument"
    assert refused(spool, "g", "git.log", **{"from": "none"})[0] == "not_found"
    assert refused(spool, "h", "git.diff", **{"from": "HEAD"})[0] == "invalid_argument"
    assert refused(spool, "i", "git.diff", paths=["../x"])[0] == "invalid_argument"
    bare = folder / "checkout/bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", tree.path, bare], check=True,
                   env=git_tree.ENVIRONMENT)
    assert len(done(spool, "j", "git.log", repository="bare.git")["commits"]) == 1
    assert refused(spool, "k", "git.status", repository="bare.git")[0] == "failed_precondition"
    empty = git_tree.GitTree(folder / "checkout/empty")
    empty.put("new", "")
    data = done(spool, "l", "git.status", repository="empty")
    assert (data["head"], git_tree.porcelain_of(data)) == (None, {"new": "??"})
    assert done(spool, "m", "git.log", repository="empty")["commits"] == []


def test_log_is_that_of_git(spool, serve, tree):
    serve(limits={"results": 5})
    for i in range(4):
        tree.put("src/a.cc", f"{i}\n")
        tree.commit(f"Change a\n\nfor the {i}. time: schön\n")
        tree.put("src/b c.txt", f"{i}\n")
        tree.commit(f"Change b {i}")
    data = done(spool, "all", "git.log")
    assert [c["id"] for c in data["commits"]] == tree.lines("rev-list", "-5", "HEAD")
    assert data["complete"] is False
    assert data["commits"][1]["message"] == "Change a\n\nfor the 3. time: schön\n"
    assert data["commits"][0]["author"] == {"name": "A", "email": "a@b",
                                            "time": "2023-11-14T22:13:29.000Z"}
    some = done(spool, "a", "git.log", path="src/a.cc")
    assert [c["id"] for c in some["commits"]] == tree.lines("rev-list", "HEAD", "--", "src/a.cc")
    assert some["complete"] is True
    last = done(spool, "f", "git.log", max=1, **{"from": tree.head()[:9] + "~2"})
    assert [c["id"] for c in last["commits"]] == [tree.head("HEAD~2")]


def random_step(rng, tree, names):
    name = rng.choice(names)
    path = tree.path / name
    what = rng.randrange(7)
    if what == 0 and path.is_file():
        path.unlink()
    elif what == 1 and path.is_file():
        path.chmod(rng.choice([0o644, 0o755]))
    elif what == 2:
        tree.git("add", "-A", "--", rng.choice(["d", ".", "e"]), check=False)
    elif what == 3:
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(rng.choice(["a", "nowhere", "/etc"]))
    else:
        if path.is_symlink():
            path.unlink()
        lines = [f"{rng.randrange(6)}\n" for _ in range(rng.randrange(1, 12))]
        tree.put(name, "".join(lines)[:rng.choice([-1, None])])


def test_random_histories_read_as_git_reads_them(spool, start_worker, folder):
    start_worker(config={"file": {"roots": [str(folder / "trees")]}})
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    names = ["a", "b.txt", "d/c", "d/x y", "d/sub/deep", "e/f"]
    for turn in range(3):
        tree = git_tree.GitTree(folder / f"trees/{turn}")
        tree.put("a", "start\n")
        tree.commit("Begin")
        for step in range(12):
            for _ in range(rng.randrange(1, 4)):
                random_step(rng, tree, names)
            if rng.random() < 0.6:
                tree.commit(f"Step {step}")
            if rng.random() < 0.15:
                tree.git("branch", f"b{step}", f"HEAD~{rng.randrange(0, 2)}", check=False)
        other = tree.head("HEAD~1")
        say = f"seed {seed}, tree {turn}"
        data = done(spool, f"s{turn}", "git.status", repository=f"{turn}")
        assert git_tree.porcelain_of(data) == tree.porcelain(), say
        for stem, arguments, params in (("f", [], {}), ("i", ["--cached"], {"staged": True}),
                                        ("c", [other, "HEAD"], {"from": other, "to": "HEAD"})):
            data = done(spool, f"{stem}{turn}", "git.diff", repository=f"{turn}", **params)
            mine = "".join(f["diff"] for f in data["files"])
            assert mine == tree.diff(*arguments), say
        for name in ("", "a", "d"):
            params = {"path": name} if name else {}
            data = done(spool, f"l{turn}{name}", "git.log", repository=f"{turn}", **params)
            assert [c["id"] for c in data["commits"]] == tree.lines(
                "rev-list", "HEAD", "--", *([name] if name else [])), say
