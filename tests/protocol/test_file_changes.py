# SPDX-License-Identifier: MIT
"""file.edit and file.delete beside others who change the same files, and what of a file stays."""

import fcntl
import hashlib
import os
import stat
import struct
import threading

import pytest

DIGITS = "0123456789abcdef"
ACCESS_LIST = "system.posix_acl_access"
DEFAULT_LIST = "system.posix_acl_default"
NOBODY = 65534


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def access_list(user_bits: int) -> bytes:
    """Owner and mask may all, the user NOBODY what is given, nobody else anything (acl(5))."""
    rows = [(0x01, 7, 0xFFFFFFFF), (0x02, user_bits, NOBODY), (0x04, 0, 0xFFFFFFFF),
            (0x10, 7, 0xFFFFFFFF), (0x20, 0, 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


@pytest.fixture
def files(folder, start_worker):
    top = folder / "checkout"
    top.mkdir()
    (top / "a.txt").write_text("one\ntwo\n")
    start_worker(config={"file": {"roots": [str(top)], "writable": [str(top)]}})
    return top


def edit(spool, stem, path, present, **change):
    return spool.call(stem, "file.edit", {"path": path, "base_sha256": sha256(present), **change})


@pytest.mark.core
def test_of_many_changes_of_one_content_one_is_made(spool, files):
    # Long names that begin alike, too: what they are written to first must not be one file.
    long = ["n" * 240 + end for end in ("a", "b")]
    for name in long:
        (files / name).write_text("one\ntwo\n")
    base = sha256(b"one\ntwo\n")
    for round_ in range(10):
        for name in ("a.txt", *long):
            (files / name).write_text("one\ntwo\n")
        sent = {}
        for i in range(12):
            name = ("a.txt", *long)[i % 3]
            stem = f"r{round_}-{i}"
            sent[stem] = (name, f"text {i}\n")
            spool.drop(stem, "file.edit", {"path": name, "base_sha256": base,
                                           "content": f"text {i}\n"})
        made = {}
        for stem, (name, text) in sent.items():
            answer = spool.wait_response(stem)
            if answer["status"] == "success":
                assert name not in made, "two changes of one content were made"
                made[name] = text
            else:
                assert answer["error_code"] == "failed_precondition", answer
        assert {name: (files / name).read_text() for name in made} == made and len(made) == 3
    assert sorted(os.listdir(files)) == sorted(["a.txt", *long]), "nothing is left behind"


@pytest.mark.core
def test_rights_do_not_become_more(spool, files):
    path = files / "a.txt"
    for index, (before, after) in enumerate({0o4755: 0o755, 0o2775: 0o775, 0o640: 0o640,
                                             0o1600: 0o1600}.items()):
        path.write_text("one\n")
        os.chmod(path, before)
        assert edit(spool, f"m{index}", "a.txt", b"one\n", content="two\n")["status"] == "success"
        assert stat.S_IMODE(path.stat().st_mode) == after


@pytest.mark.core
def test_lists_of_access_and_attributes_stay(spool, files):
    path = files / "a.txt"
    path.chmod(0o640)
    try:
        os.setxattr(path, ACCESS_LIST, access_list(4))
        os.setxattr(path, "user.origin", b"https://example.com")
    except OSError:
        pytest.skip("this file system has no access control lists")
    before = os.getxattr(path, ACCESS_LIST)
    assert edit(spool, "a", "a.txt", b"one\ntwo\n", content="x\n")["status"] == "success"
    assert os.getxattr(path, ACCESS_LIST) == before
    assert os.getxattr(path, "user.origin") == b"https://example.com"
    # A list that the directory gives to new files is none of a file that has none.
    os.setxattr(files, DEFAULT_LIST, access_list(7))
    plain = files / "plain.txt"
    plain.write_text("1\n")
    os.removexattr(plain, ACCESS_LIST)
    plain.chmod(0o600)
    assert edit(spool, "b", "plain.txt", b"1\n", content="2\n")["status"] == "success"
    assert ACCESS_LIST not in os.listxattr(plain) and stat.S_IMODE(plain.stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a file away")
def test_the_owner_stays(spool, files):
    os.chown(files / "a.txt", NOBODY, NOBODY)
    assert edit(spool, "a", "a.txt", b"one\ntwo\n", content="x\n")["status"] == "success"
    info = (files / "a.txt").stat()
    assert (info.st_uid, info.st_gid) == (NOBODY, NOBODY)


def test_what_a_killed_worker_left_goes_and_nothing_else(spool, files):
    left = files / f".b.txt.filecall-new-{DIGITS}"
    left.write_text("half")
    others = [files / name for name in (".a.txt.filecall-new", ".a.txt.filecall-new-1",
                                        f"a.txt.filecall-new-{DIGITS}",
                                        f".a.txt.filecall-new-{DIGITS}.md",
                                        f".a.txt.filecall-new-{'x' * 16}")]
    for path in others:
        path.write_text("mine")
    directory = files / f".a.txt.filecall-new-{DIGITS[::-1]}"
    directory.mkdir()
    held = files / f".a.txt.filecall-new-{DIGITS}"
    held.write_text("another worker writes it")
    with open(held, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert edit(spool, "a", "a.txt", b"one\ntwo\n", content="x\n")["status"] == "success"
    assert not left.exists() and held.exists() and directory.is_dir()
    assert [path.read_text() for path in others] == ["mine"] * len(others)
    assert (files / "a.txt").read_text() == "x\n"


@pytest.mark.core
def test_a_file_that_is_replaced_all_the_time_is_there(spool, files):
    (files / "of another (deleted)").write_text("still here\n")
    stop = threading.Event()

    def replace():
        while not stop.is_set():
            (files / "next").write_text("one\ntwo\n")
            os.replace(files / "next", files / "a.txt")

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for i in range(30):
            answer = spool.call(f"r{i}", "file.read", {"files": ["a.txt"] * 20})
            assert answer["status"] == "success" and answer["data"]["failed"] == 0, answer
            assert {f["path"] for f in answer["data"]["files"]} <= {"a.txt", "next"}
    finally:
        stop.set()
        thread.join()
    [file] = spool.call("d", "file.read", {"files": ["of another (deleted)"]})["data"]["files"]
    assert file["text"] == "still here\n"
