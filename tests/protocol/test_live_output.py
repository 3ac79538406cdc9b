# SPDX-License-Identifier: MIT
"""What a tool writes, seen in events/{id}.jsonl while it runs."""

import base64
import json
from pathlib import Path

import jsonschema
import pytest

from harness import TOOLS, shell, wait_until, with_tool

EVENTS_MAX = 16 * 1024 * 1024
SCHEMA = jsonschema.Draft7Validator(json.loads(
    (Path(__file__).parents[2] / "ipc-schema/schema/event.schema.json").read_text()))


def path_of(spool, stem):
    return spool.root / "events" / f"{stem}.jsonl"


def events(spool, stem):
    """The whole lines that are there by now."""
    path = path_of(spool, stem)
    text = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in text[:text.rfind(b"\n") + 1].splitlines()]


def output(lines, stream="stdout"):
    """Its bytes; offsets must say where they stood."""
    seen = b""
    for line in lines:
        if line["event"] == "output" and line["stream"] == stream:
            assert line["offset"] == len(seen)
            seen += (base64.b64decode(line["text"]) if line.get("text_base64")
                     else line["text"].encode())
    return seen


def wait_output(spool, stem, text, stream="stdout"):
    wait_until(lambda: text in output(events(spool, stem), stream), f"{text} in the events")


@pytest.mark.core
def test_output_is_there_while_the_tool_runs(spool, worker, folder):
    go = folder / "go"
    spool.drop("a", "tool.run", shell(
        f"echo one; echo two >&2; while [ ! -e {go} ]; do sleep 0.02; done; echo three; exit 4"),
        stream=True)
    wait_output(spool, "a", b"one\n")
    wait_output(spool, "a", b"two\n", "stderr")
    assert not spool.response_path("a").exists()
    go.touch()
    data = spool.wait_response("a")["data"]
    lines = events(spool, "a")
    assert output(lines).decode() == data["stdout"] == "one\nthree\n"
    assert output(lines, "stderr").decode() == data["stderr"]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    for line in lines:
        SCHEMA.validate(line)
    assert lines[0]["event"] == "started"
    assert lines[-2]["event"] == "exited" and lines[-2]["exit_code"] == 4
    assert lines[-2]["stdout_bytes"] == 10 and lines[-2]["stdout_omitted_bytes"] == 0
    assert lines[-1]["event"] == "finished" and lines[-1]["status"] == "success"


def test_nothing_is_written_unless_it_is_asked_for(spool, worker):
    spool.call("a", "tool.run", shell("echo x"))
    assert not path_of(spool, "a").exists()
    spool.call("b", "tool.run", shell("echo x", stream=False), stream=True)
    assert not path_of(spool, "b").exists()
    spool.call("c", "tool.run", shell("echo x", stream=True))
    assert output(events(spool, "c")) == b"x\n"


@pytest.mark.core
def test_bytes_that_are_no_text_and_characters_cut_in_two(spool, worker, folder):
    go = folder / "go"
    script = (f"printf 'a\\342\\202'; while [ ! -e {go} ]; do sleep 0.02; done; "
              "printf '\\254b'; sleep 0.1; printf '\\377\\000z'; printf '\\360' >&2")
    spool.drop("a", "tool.run", shell(script), stream=True)
    wait_output(spool, "a", b"a")
    go.touch()
    data = spool.wait_response("a")["data"]
    lines = events(spool, "a")
    assert output(lines) == base64.b64decode(data["stdout"]) == b"a\xe2\x82\xacb\xff\x00z"
    assert output(lines, "stderr") == b"\xf0"
    texts = [line["text"] for line in lines if line["event"] == "output"]
    assert not any("\ufffd" in text for text in texts)


def test_a_bound_says_what_is_left_out(spool, worker):
    spool.drop("a", "tool.run", shell("head -c 30000000 /dev/zero | tr '\\0' x; echo end >&2"),
               stream=True)
    spool.wait_response("a")
    lines = events(spool, "a")
    assert path_of(spool, "a").stat().st_size <= EVENTS_MAX
    assert [line["event"] for line in lines[-3:]] == ["truncated", "exited", "finished"]
    seen = len(output(lines))
    exited = lines[-2]
    assert seen > EVENTS_MAX // 2 and exited["stdout_bytes"] == 30000000
    assert exited["stdout_omitted_bytes"] == 30000000 - seen
    assert exited["stderr_omitted_bytes"] == 4


@pytest.mark.core
@pytest.mark.parametrize("end", ["cancel", "timeout"])
def test_an_end_from_outside_is_told(spool, worker, end):
    limit = {"timeout_ms": 300} if end == "timeout" else {}
    spool.drop("a", "tool.run", shell("echo one; exec sleep 60"), stream=True, **limit)
    wait_output(spool, "a", b"one\n")
    if end == "cancel":
        spool.call("c", "system.cancel", {"request_id": "a"})
    answer = spool.wait_response("a")
    lines = events(spool, "a")
    assert lines[-2]["event"] == "exited" and lines[-2]["signal"] == 15
    assert lines[-1]["event"] == "finished"
    assert lines[-1]["error_code"] == answer["error_code"]


def test_sandboxed_tools_stream_too(spool, start_worker, folder):
    work = folder / "work"
    work.mkdir()
    start_worker(config=with_tool(roots=[str(work)], sandbox="read-only", network=False))
    spool.drop("a", "tool.run", shell("echo one; exec sleep 60"), stream=True)
    wait_output(spool, "a", b"one\n")
    spool.call("c", "system.cancel", {"request_id": "a"})
    spool.wait_response("a")
    assert events(spool, "a")[-1]["event"] == "finished"


@pytest.mark.core
def test_a_killed_worker_leaves_whole_lines_and_the_next_one_tells_the_end(spool, start_worker):
    worker = start_worker(config=TOOLS)
    spool.drop("a", "tool.run", shell("while echo word word word; do sleep 0.001; done"),
               stream=True)
    wait_until(lambda: len(output(events(spool, "a"))) > 1000, "output")
    worker.kill()
    with open(path_of(spool, "a"), "ab") as file:
        file.write(b'{"event": "outp')
    start_worker(config=TOOLS)
    assert spool.wait_response("a")["error_code"] == "aborted"
    lines = [json.loads(line) for line in path_of(spool, "a").read_bytes().splitlines()]
    assert lines[-1]["event"] == "finished" and lines[-1]["error_code"] == "aborted"


def test_another_attempt_is_appended(spool, worker):
    for text in ("one", "two"):
        spool.drop("a", "tool.run", shell(f"echo {text}"), stream=True)
        spool.wait_response("a")
        spool.request("a").unlink()  # First: without its response it would be pending again.
        spool.response_path("a").unlink()
    starts = [i for i, line in enumerate(events(spool, "a")) if line["event"] == "started"]
    assert len(starts) >= 2
    assert output(events(spool, "a")[starts[-1]:]) == b"two\n"


def test_a_reader_sees_whole_lines_while_it_is_written(spool, worker):
    spool.drop("a", "tool.run", shell("for i in 1 2 3 4; do seq 1 30000; done"), stream=True)
    while not spool.response_path("a").exists():
        events(spool, "a")
    assert output(events(spool, "a")).count(b"\n") == 120000
