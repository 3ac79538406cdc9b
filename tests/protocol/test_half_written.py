# SPDX-License-Identifier: MIT
"""Worker rule 3: writers need not rename, and what is no regular file is left alone."""

import os
import socket
import subprocess
import sys

import pytest

from harness import wait_until


@pytest.mark.core
def test_a_writer_that_stays_open_is_waited_for(spool, start_worker):
    start_worker()
    text = spool.text("slow", params={"x": "y" * 100})
    with open(spool.request("slow"), "w", encoding="utf-8") as file:
        file.write(text[:50])
        file.flush()
        # Much longer than the settle time: other requests come and go meanwhile.
        for i in range(5):
            spool.call(f"other-{i}")
            wait_until(lambda: True, "now")
        deadline = os.times().elapsed + 1.5
        wait_until(lambda: os.times().elapsed > deadline, "1.5 s have passed")
        assert spool.response("slow") is None
        file.write(text[50:])
    assert spool.wait_response("slow")["status"] == "success"


@pytest.mark.core
def test_a_killed_writers_half_is_answered_with_line_and_column(spool, start_worker):
    start_worker()
    script = ("import sys,os,signal; f=open(sys.argv[1],'w'); "
              "f.write('{\"request_id\": \"dead\",\\n  \"command\": \"sys'); f.flush(); "
              "os.kill(os.getpid(), signal.SIGKILL)")
    subprocess.run([sys.executable, "-c", script, str(spool.request("dead"))], check=False)
    answer = spool.wait_response("dead")
    assert answer["status"] == "error" and answer["error_code"] == "invalid_argument"
    assert answer["retryable"] is False
    assert "line 2" in answer["error_message"] and "column" in answer["error_message"]


def test_an_empty_file_gets_more_time_and_then_an_answer(spool, start_worker):
    start_worker()
    spool.request("empty").touch()
    answer = spool.wait_response("empty")
    assert answer["error_code"] == "invalid_argument"


def test_an_empty_file_that_is_filled_soon_is_a_request(spool, start_worker):
    start_worker()
    spool.request("a").touch()
    spool.barrier()
    spool.request("a").write_text(spool.text("a"))
    assert spool.wait_response("a")["status"] == "success"


def test_a_file_written_in_pieces_with_reopening_is_a_request(spool, start_worker):
    start_worker()
    text = spool.text("a", params={"x": "y" * 100})
    for i in range(0, len(text), 40):
        with open(spool.request("a"), "a", encoding="utf-8") as file:
            file.write(text[i:i + 40])
    assert spool.wait_response("a")["status"] == "success"


def test_what_is_no_regular_file_is_left_alone_and_counted(spool, folder, start_worker):
    requests = spool.root / "requests"
    target = folder / "target.json"
    target.write_text(spool.text("link"))
    (requests / "link.json").symlink_to(target)
    (requests / "dangling.json").symlink_to(folder / "nothing")
    os.mkfifo(requests / "fifo.json")
    (requests / "folder.json").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(requests / "socket.json"))
    expected = 5
    if os.getuid() == 0:
        try:
            os.mknod(requests / "device.json", 0o600 | 0o020000, os.makedev(1, 3))
            expected += 1
        except PermissionError:
            pass
    start_worker()
    spool.barrier()
    wait_until(lambda: spool.status()["counts"]["ignored"] >= expected, "all are counted")
    assert not [s for s in spool.responses() if not s.startswith("barrier")]
    assert (requests / "link.json").is_symlink() and target.exists()


def test_a_fifo_dropped_while_running_does_not_block(spool, worker):
    os.mkfifo(spool.root / "requests" / "fifo.json")
    spool.barrier()
    assert spool.response("fifo") is None


@pytest.mark.parametrize("name", [
    ".hidden.json", "a.txt", "b.json.tmp", "c.json~", ".json", "d.JSON", "4913",
    "x" * 201 + ".json", "tab\there.json"])
def test_foreign_names_are_left_alone(spool, start_worker, name):
    (spool.root / "requests" / name).write_text(spool.text("a"))
    start_worker()
    spool.barrier()
    assert not [s for s in spool.responses() if not s.startswith("barrier")]
    assert (spool.root / "requests" / name).exists()


def test_a_name_that_is_not_utf8_is_left_alone(spool, start_worker):
    path = os.fsencode(spool.root / "requests") + b"/\xff\xfe.json"
    with open(path, "wb") as file:
        file.write(b"{}")
    start_worker()
    spool.barrier()
    wait_until(lambda: spool.status()["counts"]["ignored"] >= 1, "it is counted")


def test_a_file_that_may_not_be_read_is_not_fatal(spool, start_worker):
    if os.getuid() == 0:
        pytest.skip("root may read everything")
    spool.drop("secret")
    spool.request("secret").chmod(0)
    start_worker()
    spool.barrier()


def test_a_request_that_vanishes_is_forgotten(spool, start_worker):
    worker = start_worker()
    with worker.stopped():
        spool.drop("gone")
        spool.request("gone").unlink()
    spool.barrier()
    wait_until(lambda: spool.status()["counts"]["pending"] == 0, "nothing is pending")
    assert spool.response("gone") is None
