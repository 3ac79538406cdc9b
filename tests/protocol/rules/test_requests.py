# SPDX-License-Identifier: MIT
"""What a worker takes for a request, what it refuses, and what it leaves alone."""

import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from bad_requests import BAD, object_with
from foreign import pass_time, worker_rule as rule
from harness import wait_until


IDS = ["a", "a b", "ä", "日本語", "x" * 200, "é" * 100, "a.b.c", "-n", "--help", "%s%n", "a'b\"c",
       "a\\b", "~", "*", "$(id)", "😀", "a.json", "a..", "\u00a0", "\u0085", "\u202e", "a.1.none"]


@rule("the-root")
@pytest.mark.core
def test_ids(spool, start):
    """An id is 1 to 200 bytes of UTF-8, C1 and everything else but controls, '/' and a first dot"""
    start()
    for stem in IDS:
        spool.drop(stem, params={"id": stem})
    wait_until(lambda: spool.responses() >= set(IDS), "every id has a response")
    for stem in IDS:
        answer = spool.response(stem)
        assert answer["request_id"] == stem and answer["data"] == {"id": stem}, stem


@rule("the-root")
@pytest.mark.core
def test_other_names(spool, start):
    """Other names in requests/ are left alone"""
    names = [".hidden.json", "a.txt", "b.json.tmp", "c.json~", ".json", "d.JSON", "4913",
             "x" * 201 + ".json", "tab\there.json", "del\x7f.json", "é" * 101 + ".json"]
    for name in names:
        (spool.root / "requests" / name).write_text(spool.text("a"))
    with open(os.fsencode(spool.root / "requests") + b"/\xff\xfe.json", "wb") as file:
        file.write(object_with().encode())
    start()
    pass_time(0.5)
    spool.barrier()
    assert not [s for s in spool.responses() if not s.startswith(("ready-", "barrier"))]
    assert {name for name in names if (spool.root / "requests" / name).exists()} == set(names)


@rule("the-root")
@pytest.mark.core
def test_no_regular_files(spool, folder, start):
    """Links, FIFOs, sockets and folders are left alone, never followed and never waited for"""
    requests = spool.root / "requests"
    (folder / "target.json").write_text(spool.text("link"))
    (requests / "link.json").symlink_to(folder / "target.json")
    (requests / "dangling.json").symlink_to(folder / "nothing")
    os.mkfifo(requests / "fifo.json")
    (requests / "folder.json").mkdir()
    before = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(requests)  # A socket's path is short.
        listener.bind("socket.json")
        os.chdir(before)
    start()
    os.mkfifo(requests / "later.json")
    pass_time(0.5)
    spool.barrier()
    assert not [s for s in spool.responses() if not s.startswith(("ready-", "barrier"))]
    assert (requests / "link.json").is_symlink() and (folder / "target.json").exists()


@rule("request-requestschemajson")
@pytest.mark.core
def test_strictness(spool, start):
    """What breaks a rule of a request is answered invalid_argument, and is never fatal"""
    start()
    # How deep a text may be is the worker's own limit, and so are the params of other commands.
    cases = [c for c in BAD if c[0] not in ("too deep", "params break the schema")]
    for number, (_, content, _, _) in enumerate(cases):
        stem = f"bad{number}"
        if isinstance(content, str):
            content = content.replace('"request_id": "a"', f'"request_id": "{stem}"').replace(
                '"request_id":"a"', f'"request_id":"{stem}"')
        spool.drop_bytes(stem, content)
    stems = {f"bad{number}" for number in range(len(cases))}
    pass_time(1)
    spool.barrier()
    wait_until(lambda: spool.responses() >= stems, "everything is answered")
    for number, (name, _, code, _) in enumerate(cases):
        answer = spool.response(f"bad{number}")
        assert answer["request_id"] == f"bad{number}", name
        assert answer["status"] == "error" and answer.get("error_code") == code, (name, answer)
        assert answer.get("retryable") is False, (name, answer)


@rule("numbers-texts-and-limits")
def test_bytes_and_numbers(spool, start):
    """Limits count bytes; integers go from -2^63 to 2^64-1, and beyond that a text is refused"""
    start()
    numbers = {"n": [-2**63, 2**63, 2**64 - 1, 0, -1]}
    assert spool.call("fits", params=numbers)["data"] == numbers
    for stem, value in ("large", 2**64), ("small", -2**63 - 1):
        assert spool.call(stem, params={"n": value})["error_code"] == "invalid_argument", stem
    assert spool.call("short", "é" * 100)["error_code"] == "unimplemented"
    assert spool.call("long", "é" * 101)["error_code"] == "invalid_argument"
    assert spool.call("low", priority=-10)["status"] == "success"
    assert spool.call("lower", priority=-11)["error_code"] == "invalid_argument"
    assert spool.call("most", timeout_ms=604800000)["status"] == "success"
    assert spool.call("zero", timeout_ms=0)["error_code"] == "invalid_argument"
    assert spool.call("real", timeout_ms=1000.0)["error_code"] == "invalid_argument"


@rule("request-requestschemajson")
def test_unknown_members(spool, start):
    """Unknown top-level members are ignored"""
    start()
    answer = spool.call("a", params={"x": 1}, later={"x": 1}, status="error", error_code="x")
    assert answer["status"] == "success" and answer["data"] == {"x": 1}


@rule("request-requestschemajson", required=False)
def test_metadata(spool, start):
    """metadata comes back unchanged"""
    start()
    assert spool.call("a", metadata={"m": [1, {"ü": None}]})["metadata"] == {"m": [1, {"ü": None}]}


@rule("request-requestschemajson", required=False)
def test_size(spool, start):
    """Up to 16 MiB are a request"""
    start()
    spool.drop("a", params={"x": "y" * (15 << 20)})
    assert spool.wait_response("a")["status"] == "success"


@rule("how-to-drop-a-request")
@pytest.mark.core
def test_an_open_writer(spool, start):
    """A file that does not parse is waited for while a writer has it open"""
    start()
    text = spool.text("slow", params={"x": "y" * 100})
    with open(spool.request("slow"), "w", encoding="utf-8") as file:
        file.write(text[:50])
        file.flush()
        for _ in range(3):
            pass_time(0.5)
            spool.barrier()
            assert spool.response("slow") is None, "a half-written file was answered"
        file.write(text[50:])
    assert spool.wait_response("slow")["status"] == "success"


@rule("how-to-drop-a-request")
def test_a_killed_writer(spool, start):
    """What a killed writer left is invalid_argument after the settle time"""
    start()
    script = ("import sys,os,signal; f=open(sys.argv[1],'w'); "
              "f.write('{\"request_id\": \"dead\",\\n  \"command\": \"sys'); f.flush(); "
              "os.kill(os.getpid(), signal.SIGKILL)")
    subprocess.run([sys.executable, "-c", script, str(spool.request("dead"))], check=False)
    assert spool.wait_response("dead")["error_code"] == "invalid_argument"


@rule("how-to-drop-a-request")
def test_pieces(spool, start):
    """A file that is opened and written several times within the settle time is one request"""
    start()
    text = spool.text("a", params={"x": "y" * 100})
    spool.request("a").touch()
    for i in range(0, len(text), 60):
        with open(spool.request("a"), "a", encoding="utf-8") as file:
            file.write(text[i:i + 60])
        pass_time(0.02)
    assert spool.wait_response("a")["status"] == "success"


@rule("how-to-drop-a-request")
def test_ways_to_drop(spool, folder, start):
    """rename, link, O_TMPFILE, a redirection and a copy all make a request"""
    start()
    source = folder / "source"
    for way, command in [("rename", 'mv "$1" "$2"'), ("link", 'ln "$1" "$2"'),
                         ("redirection", 'cat "$1" >"$2"'), ("copy", 'cp "$1" "$2"')]:
        source.write_text(spool.text(way))
        subprocess.run(["sh", "-c", command, "sh", source, spool.request(way)], check=True)
        assert spool.wait_response(way)["status"] == "success", way
        source.unlink(missing_ok=True)
    try:
        fd = os.open(spool.root / "requests", os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return  # Not on this file system.
    os.write(fd, spool.text("unnamed").encode())
    # A folder's descriptor makes it linkat(), which follows the link.
    os.link(f"/proc/self/fd/{fd}", spool.request("unnamed"), src_dir_fd=fd, follow_symlinks=True)
    os.close(fd)
    assert spool.wait_response("unnamed")["status"] == "success"


@rule("what-a-change-means")
@pytest.mark.core
def test_a_request_that_goes(spool, start):
    """A request that is deleted before a worker has looked is not run, and has no response"""
    worker = start()
    worker.signal(signal.SIGSTOP)
    spool.drop("gone")
    spool.request("gone").unlink()
    worker.signal(signal.SIGCONT)
    spool.barrier()
    assert spool.response("gone") is None


@rule("what-a-change-means")
def test_the_request_stays(spool, start):
    """A worker never moves, changes or deletes a request"""
    start()
    spool.drop("a")
    before, info = spool.request("a").read_bytes(), os.stat(spool.request("a"))
    spool.wait_response("a")
    after = os.stat(spool.request("a"))
    assert spool.request("a").read_bytes() == before
    assert (after.st_ino, after.st_mtime_ns) == (info.st_ino, info.st_mtime_ns)


@rule("errors")
def test_unknown_commands(spool, start):
    """An unknown command is unimplemented, its error a text and its details, if any, an object"""
    start()
    answer = spool.call("a", "no.such")
    assert answer["error_code"] == "unimplemented" and answer["retryable"] is False
    assert isinstance(answer["error_message"], str) and "data" not in answer
    assert isinstance(answer.get("error_details", {}), dict)
    assert json.loads(spool.response_path("a").read_bytes())["request_id"] == "a"
