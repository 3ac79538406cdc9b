# SPDX-License-Identifier: MIT
"""file.list, file.read, file.search, file.create, file.delete: what they answer, and what they must
not reach."""

import hashlib
import json
import os
import random
import resource
import subprocess
import threading

import pytest

import harness

HIDDEN = ["secret*"]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def tree(folder):
    """A checkout with what makes trouble, and something beside it that nobody may reach."""
    top = folder / "checkout"
    (top / "src/deep").mkdir(parents=True)
    (top / "src/a.cc").write_bytes(b"int main() {\r\n  return 7;\r\n}\r\n")
    (top / "src/deep/b.cc").write_bytes("// schön\nint seven = 7;".encode())
    (top / ".gitignore").write_text("*.log\n!keep.log\n/build/\n")
    for name in ("x.log", "keep.log", ".env", "key.pem", "id_rsa", "secrets.txt"):
        (top / name).write_text(f"seven 7 of {name}\n")
    (top / "build").mkdir()
    (top / "build/c.cc").write_text("7\n")
    (top / ".git").mkdir()
    (top / ".git/config").write_text("[core] 7\n")
    (top / "utf16.txt").write_bytes("7".encode("utf-16"))
    (top / "latin.txt").write_bytes(b"7 \xe9")
    outside = folder / "outside"
    outside.mkdir()
    (outside / "x").write_text("7 outside\n")
    (top / "out").symlink_to(outside)
    (top / "inside").symlink_to("src")
    (top / "env").symlink_to(".env")
    os.mkfifo(top / "pipe")
    return top


@pytest.fixture
def serve(start_worker, tree):
    def start(**members):
        return start_worker(config={"file": {"roots": [str(tree)], "writable": [str(tree / "src")],
                                             "hidden": HIDDEN, **members}})
    return start


def listed(spool, stem, **params):
    data = spool.call(stem, "file.list", params)["data"]
    return [entry["path"] for entry in data["entries"]]


def everything(folder):
    return sorted(str(path) for name in ("checkout", "outside")
                  for path in (folder / name).rglob("*"))


def refused(spool, stem, command, **params):
    answer = spool.call(stem, command, params)
    assert answer["status"] == "error", answer
    return answer["error_code"], answer["error_message"]


@pytest.mark.core
def test_lists_what_fits_and_not_what_is_ignored_or_hidden(spool, serve, tree):
    serve(limits={"results": 12})
    assert listed(spool, "all", glob="**") == [
        ".gitignore", "env", "inside", "keep.log", "latin.txt", "out", "pipe", "src", "src/a.cc",
        "src/deep", "src/deep/b.cc", "utf16.txt"]
    assert listed(spool, "top", path="src") == ["src/a.cc", "src/deep"]
    assert listed(spool, "glob", glob="*.cc", ignore="none") == [
        "build/c.cc", "src/a.cc", "src/deep/b.cc"]
    assert listed(spool, "below", path="src", glob="deep/*") == ["src/deep/b.cc"]
    types = {e["path"]: e for e in spool.call("types", "file.list", {})["data"]["entries"]}
    assert [types[n]["type"] for n in ("out", "pipe", "src", "latin.txt")] == [
        "link", "other", "directory", "file"]
    assert types["latin.txt"]["bytes"] == 3 and types["latin.txt"]["modified"].endswith("Z")
    cut = spool.call("cut", "file.list", {"glob": "**", "max": 5})["data"]
    assert (len(cut["entries"]), cut["left_out"], cut["complete"]) == (5, 7, False)
    (tree / os.fsdecode(b"n\xff")).write_text("")
    strange = spool.call("strange", "file.list", {"glob": "*.md"})["data"]
    assert (strange["names_not_utf8"], strange["complete"]) == (1, False)
    assert refused(spool, "no", "file.list", path="build/none")[0] == "not_found"
    assert refused(spool, "out", "file.list", path="out")[0] == "permission_denied"


@pytest.mark.core
def test_reads_files_with_their_hashes_and_names_the_rest(spool, serve, tree):
    serve()
    a = (tree / "src/a.cc").read_bytes()
    data = spool.call("read", "file.read", {"files": [
        "src/a.cc", {"path": "inside/a.cc", "offset": 2, "limit": 1}, "utf16.txt", "latin.txt",
        "env", ".env", "secrets.txt", "out/x", "../outside/x", "pipe", "src",
        str(tree / "src/a.cc"), "/etc/passwd"]})["data"]
    files = data["files"]
    assert files[0] == {"path": "src/a.cc", "bytes": len(a), "sha256": sha256(a),
                        "text": a.decode(), "lines": 3, "offset": 1, "lines_shown": 3,
                        "complete": True}
    assert (files[1]["path"], files[1]["text"], files[1]["sha256"], files[1]["complete"]) == (
        "src/a.cc", "  return 7;\r\n", sha256(a), False)
    assert [(f["encoding"], "text" in f) for f in files[2:4]] == [
        ("utf-16le", False), ("unknown", False)]
    assert [f.get("error_code") for f in files[4:]] == [
        "not_found", "not_found", "not_found", "permission_denied", "permission_denied",
        "failed_precondition", "failed_precondition", None, "permission_denied"]
    assert (data["failed"], data["complete"]) == (8, False)
    assert "seven" not in str(files[4:])
    assert refused(spool, "one", "file.read", files=["none"])[0] == "not_found"


def test_what_is_too_large_is_cut_where_it_says(spool, serve, tree):
    serve(limits={"read_bytes": 20, "file_bytes": 60})
    (tree / "lines").write_text("".join(f"line {i}\n" for i in range(8)))
    data = spool.call("a", "file.read", {"files": ["lines", "src/deep/b.cc"]})["data"]
    assert data["files"][0]["text"] == "line 0\nline 1\n" and "offset 3" in data["files"][0]["cut"]
    assert data["files"][1]["text"] == "// sch" and data["files"][1]["complete"] is False
    with open(tree / "huge", "wb") as file:
        file.truncate(2 << 30)
    code, text = refused(spool, "huge", "file.read", files=["huge"])
    assert code == "failed_precondition" and "2147483648 bytes" in text and "file_bytes" in text
    found = spool.call("s", "file.search", {"text": "line"})["data"]
    assert (len(found["matches"]), found["left_out"], found["not_searched"]["too_large"],
            found["complete"]) == (1, 7, 1, False)


def test_what_is_cut_says_where_it_goes_on(spool, serve, tree):
    serve(limits={"read_bytes": 20})
    (tree / "long").write_text("short\n" + "x" * 50 + "\nlast\n")
    (tree / "fits").write_text("y" * 16 + "\nz\n")

    def read(stem, *files):
        return spool.call(stem, "file.read", {"files": list(files)})["data"]["files"]

    [first] = read("a", "long")
    assert first["text"] == "short\n" and "offset 2 on" in first["cut"]
    [second] = read("b", {"path": "long", "offset": 2})
    assert second["text"] == "x" * 20
    assert "line 2 alone has 51 bytes" in second["cut"] and "offset 3" in second["cut"]
    # There would be room for the whole line in an answer of its own.
    last = read("c", {"path": "long", "offset": 3}, "fits")[1]
    assert last["text"] == "y" * 15 and "offset 1 on" in last["cut"]
    assert read("d", {"path": "fits", "offset": 1})[0]["complete"]


def test_a_directory_that_moves_while_it_is_walked_is_missed(spool, serve, tree):
    """Something is always being moved: what says `complete` has everything."""
    serve(limits={"results": 5000})
    for i in range(60):
        (tree / f"wide/{i}/deep/deeper").mkdir(parents=True)
        for j in range(20):
            (tree / f"wide/{i}/deep/deeper/{j}.txt").write_text("needle\n")
    stop = threading.Event()

    def move():
        while not stop.is_set():
            for i in (7, 31, 55):
                os.rename(tree / f"wide/{i}", tree / f"wide/m{i}")
                os.rename(tree / f"wide/m{i}", tree / f"wide/{i}")

    thread = threading.Thread(target=move)
    thread.start()
    try:
        for i in range(15):
            data = spool.call(f"w{i}", "file.list", {"path": "wide", "glob": "*.txt", "max": 5000})[
                "data"]
            whole = len(data["entries"]) >= 60 * 20
            assert whole or not data["complete"], data["left_out"]
            assert data["complete"] or "moved or removed" in data["problem"], data["problem"]
    finally:
        stop.set()
        thread.join()


def test_what_git_would_ignore_and_nobody_read_is_named(spool, serve, tree):
    (tree / ".gitignore").write_text("".join(f"ignored-{i}\n" for i in range(11_000)))
    (tree / "ignored-10500").write_text("")
    os.utime(tree / "latin.txt", (2**40, 2**40))
    serve()
    data = spool.call("a", "file.list", {})["data"]
    assert ".gitignore" in data["problem"]
    assert data["complete"], "nothing is missing"
    [far] = [e for e in data["entries"] if e["path"] == "latin.txt"]
    assert "modified" not in far or not far["modified"].startswith("1")


@pytest.mark.core
def test_finds_lines_where_they_are(spool, serve, tree):
    serve()
    data = spool.call("text", "file.search", {"text": "7", "context": 1})["data"]
    assert [(m["path"], m["line"], m["column"], m["text"]) for m in data["matches"]] == [
        ("keep.log", 1, 7, "seven 7 of keep.log"), ("src/a.cc", 2, 10, "  return 7;"),
        ("src/deep/b.cc", 2, 13, "int seven = 7;")]
    assert data["matches"][1]["before"] == ["int main() {"]
    assert data["matches"][1]["after"] == ["}"]
    assert data["complete"] and data["files_searched"] == 4
    assert data["not_searched"]["no_text"] == 2
    data = spool.call("re", "file.search", {"pattern": "(?i)SCHÖN|return", "glob": "*.cc"})["data"]
    assert [(m["path"], m["column"]) for m in data["matches"]] == [
        ("src/a.cc", 3), ("src/deep/b.cc", 4)]
    data = spool.call("cut", "file.search", {"text": "7", "max": 1, "ignore": "none"})["data"]
    assert (len(data["matches"]), data["left_out"], data["complete"]) == (1, 5, False)
    (tree / "long").write_text("x" * 5000 + "needle" + "y" * 5000)
    [match] = spool.call("long", "file.search", {"text": "needle"})["data"]["matches"]
    assert match["column"] == 5001 and match["cut"] and "needle" in match["text"]
    assert len(match["text"]) <= 500
    assert "missing )" in refused(spool, "bad", "file.search", pattern="(x")[1]
    assert refused(spool, "both", "file.search", pattern="x", text="x")[0] == "invalid_argument"


def test_a_too_large_file_slows_nobody_down(spool, serve, tree):
    serve(limits={"file_bytes": 60})
    (tree / "large").write_text("x" * 100)
    for i in range(8):
        answer = spool.call(f"l{i}", "file.read", {"files": ["large"]})
        assert answer["error_code"] == "failed_precondition" and not answer["retryable"]
    assert spool.call("next", "file.read", {"files": ["src/deep/b.cc"]})["status"] == "success"


def test_a_limit_of_file_sizes_ends_a_change_and_not_the_worker(spool, start_worker, tree):
    worker = start_worker(config={"file": {"roots": [str(tree)], "writable": [str(tree)]}})
    soft, hard = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (200_000, hard))
    answer = spool.call("large", "file.create", {"path": "large", "content": "x" * 300_000})
    assert answer["error_code"] == "resource_exhausted", answer
    assert not (tree / "large").exists()
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (soft, hard))
    assert spool.call("small", "file.create", {"path": "small", "content": "x"})[
        "status"] == "success"


@pytest.mark.core
def test_creates_whole_files_and_deletes_what_is_meant(spool, serve, tree):
    serve()
    data = spool.call("new", "file.create", {"path": "src/n/m/x.sh", "content": "a\n",
                                             "mode": "0750"})["data"]
    made = tree / "src/n/m/x.sh"
    assert made.read_bytes() == b"a\n" and made.stat().st_mode & 0o7777 == 0o750
    assert data == {"path": "src/n/m/x.sh", "bytes": 2, "sha256": sha256(b"a\n"),
                    "directories": ["src/n", "src/n/m"]}
    assert refused(spool, "again", "file.create", path="src/n/m/x.sh",
                   content="b")[0] == "already_exists"
    assert refused(spool, "other", "file.delete", path="src/n/m/x.sh",
                   base_sha256=sha256(b"b"))[0] == "failed_precondition"
    assert made.read_bytes() == b"a\n" and os.listdir(made.parent) == ["x.sh"]
    assert spool.call("gone", "file.delete", {"path": "src/n/m/x.sh",
                                              "base_sha256": sha256(b"a\n")})["status"] == "success"
    assert not made.exists()
    assert refused(spool, "twice", "file.delete", path="src/n/m/x.sh",
                   base_sha256=sha256(b"a\n"))[0] == "not_found"


@pytest.mark.core
def test_changes_nothing_where_it_may_not(spool, serve, tree, folder):
    serve()
    (tree / "src/link").symlink_to("a.cc")
    (tree / "src/up").symlink_to("..")
    (tree / "src/out").symlink_to(folder / "outside")
    before = everything(folder)
    for index, (path, code) in enumerate({
            "top.txt": "permission_denied", "src/.env": "permission_denied",
            "src/.git/hooks/x": "permission_denied", "src/secret1": "permission_denied",
            "src/up/top.txt": "permission_denied", "src/out/y": "permission_denied",
            "src/../y": "invalid_argument", "src/": "invalid_argument", "src": "permission_denied",
            "src/a.cc/y": "failed_precondition", "src/link": "already_exists",
            "/etc/y": "permission_denied", "src/pipe\0": "invalid_argument"}.items()):
        assert refused(spool, f"c{index}", "file.create", path=path, content="x")[0] == code, path
    a = sha256((tree / "src/a.cc").read_bytes())
    for index, path in enumerate(("src/link", "src/deep", "top", "inside/none")):
        code, _ = refused(spool, f"d{index}", "file.delete", path=path, base_sha256=a)
        assert code in ("failed_precondition", "permission_denied", "not_found"), path
    assert everything(folder) == before and (folder / "outside/x").read_text() == "7 outside\n"


def test_nothing_is_reached_unless_the_configuration_says_so(spool, start_worker, tree, folder):
    worker = start_worker()
    for command, params in (("file.list", {}), ("file.read", {"files": ["/etc/passwd"]}),
                            ("file.create", {"path": "x", "content": ""})):
        assert refused(spool, command, command, **params)[0] == "permission_denied"
    worker.stop()
    # The worker's own: its root and its configuration lie in what may be read and changed.
    start_worker(config={"file": {"roots": [str(folder)], "writable": [str(folder)]}})
    names = listed(spool, "own", glob="**", ignore="none")
    assert "outside/x" in names
    root = str(spool.root.relative_to(folder))
    assert not [n for n in names if n.startswith(root + "/") or n == root or n.endswith(".yaml")]
    assert refused(spool, "forge", "file.create", path=f"{root}/responses/forged.json",
                   content="{}")[0] == "permission_denied"
    assert refused(spool, "see", "file.read",
                   files=[f"{root}/requests/see.json"])[0] == "not_found"


@pytest.mark.core
def test_nobody_learns_whether_a_hidden_file_is_there(spool, serve, tree, folder):
    (tree / "id_dir").mkdir()
    (tree / "id_dir/plain").write_text("7\n")
    (tree / "id_dir/away").symlink_to(folder / "outside")
    (tree / "way").symlink_to("id_dir")
    (tree / "round").symlink_to("id_dir/../keep.log")
    (tree / "far").symlink_to("id_dir/away/x")
    (tree / "never").symlink_to("id_none/../keep.log")
    serve()
    for index, path in enumerate((
            ".env/", ".env/x", ".env/../keep.log", "id_dir/../keep.log", "id_none/../keep.log",
            "id_dir/plain/x", "id_dir/away/x", "id_dir/away", "way/plain/x", "way/away", "way/none",
            "round", "far", "never", "env/", "env/x", "./id_dir/.", "src/../id_dir/../keep.log")):
        for stem, command, params in (("r", "file.read", {"files": [path]}),
                                      ("l", "file.list", {"path": path})):
            code, text = refused(spool, f"{stem}{index}", command, **params)
            assert code == "not_found" and text.endswith(
                f"'{path}': no such file or directory"), (path, text)
    [file] = spool.call("dots", "file.read", {"files": ["src/./../inside/../keep.log"]})[
        "data"]["files"]
    assert file["path"] == "keep.log"


def test_the_worker_itself_is_not_there_by_other_names(spool, start_worker, folder):
    (folder / "checkout").mkdir()
    log = folder / "log/worker.log"
    log.parent.mkdir()
    for name in ("worker.1.log", "other.1.log"):
        (log.parent / name).write_text("7 old\n")
    worker = start_worker("--log-file", str(log),
                          config={"file": {"roots": [str(folder)], "writable": [str(folder)]}})
    assert listed(spool, "log", path="log") == ["log/other.1.log"]
    assert refused(spool, "old", "file.read", files=["log/worker.1.log"])[0] == "not_found"
    os.link(log, folder / "checkout/second")
    assert refused(spool, "link", "file.read", files=["checkout/second"])[0] == "not_found"
    found = spool.call("find", "file.search", {"pattern": "7 old|ready|listening|root"})["data"]
    assert {m["path"] for m in found["matches"]} <= {"log/other.1.log"}
    if os.geteuid() == 0:
        mount = folder / "checkout/again"
        mount.mkdir()
        if subprocess.run(["mount", "--bind", spool.root, mount], check=False).returncode == 0:
            try:
                assert refused(spool, "mount", "file.read",
                               files=["checkout/again/requests/mount.json"])[0] == "not_found"
                assert not [p for p in listed(spool, "mounts", glob="**", ignore="none")
                            if p.startswith("checkout/again/")]
            finally:
                subprocess.run(["umount", mount], check=True)
    worker.stop()
    start_worker(config={"file": {"roots": ["/"]}})
    assert refused(spool, "environ", "file.read", files=["proc/self/environ"])[0] == "not_found"
    assert refused(spool, "proc", "file.list", path="/proc/self")[0] == "not_found"


@pytest.mark.parametrize("glob,is_taken", [("secrets/", True), ("./x", True), ("/nowhere/x", False),
                                           ("a/../b", False), ("!x", False), ("", False)])
def test_a_name_that_would_hide_nothing_is_refused(folder, glob, is_taken):
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"file": {"roots": [str(folder)], "hidden": [glob]}}))
    done = subprocess.run([harness.worker_program(), "--config", config, "--check-config"],
                          capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    assert ("hidden" not in text) == is_taken, text


def test_ignores_what_git_ignores(spool, start_worker, folder):
    """The same random trees and rules, beside `git check-ignore`."""
    generator = random.Random(11)
    top = folder / "random"
    top.mkdir()
    subprocess.run(["git", "init", "-q", top], check=True)
    names = ["a", "b.c", "build", "x.log", "doc", "é", "a b", "[x]"]
    rules = ["*.log", "!x.log", "build/", "/doc", "doc/**/a", "**/b.c", "a/*", "!a/b.c", "?",
             "[a-c]*", "doc/*", "!doc/a/", "\\[x]", "a\\ b", "**/build/**", "é", "#c", "*/doc/*.c",
             "!*/", "b*c"]
    directories = [top]
    for _ in range(60):
        path = generator.choice(directories) / generator.choice(names)
        if generator.random() < 0.5 and not path.exists():
            path.mkdir()
            directories.append(path)
        elif not path.exists():
            path.write_text("")
    start_worker(config={"file": {"roots": [str(top)], "hidden": []}})
    for round_ in range(12):
        for directory in directories:
            chosen = [r for r in rules if generator.random() < (0.2 if directory == top else 0.05)]
            (directory / ".gitignore").write_text("\n".join(chosen) + "\n")
        paths = [str(p.relative_to(top)) for p in top.rglob("*") if ".git" not in p.parts]
        done = subprocess.run(["git", "-C", top, "-c", "core.quotePath=off",
                               "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index",
                               "-z", "--stdin"], input="\0".join(paths), capture_output=True,
                              text=True, check=False)
        ignored = set(done.stdout.split("\0"))
        expected = sorted((p for p in paths if p not in ignored), key=os.fsencode)
        assert listed(spool, f"r{round_}", glob="**") == expected
