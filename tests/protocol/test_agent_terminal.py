# SPDX-License-Identifier: MIT
"""`filecall agent` on a terminal: what the model writes appears while it writes, the report as
Markdown; and nothing of that elsewhere."""

import errno
import json
import os
import pty
import subprocess

import pytest

import harness
from agent_place import scenario  # noqa: F401
from test_agent import place, plan, read, turn  # pylint: disable=unused-import

TEXT = "# Cause\n\n- **a.txt** has `two` lines\n\x1b]0;owned\x07\x1b[2J\n```\n# code\n```\n"
REPORT = {"when": {"last": "write the report"}, "reply": TEXT}
LINES = (REPORT, turn(1, plan(read("a.txt"))), turn(2, plan(done=True, finalSummary="Two.")))


def on_terminal(client, *words, **environment):
    """What a terminal gets of the command, and its exit code."""
    mine, its = pty.openpty()
    command = [harness.client_program(), *words, "--root", str(client.spool.root),
               "--durability", "none"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=its, stderr=its, cwd=client.folder,
        env={**os.environ, "HOME": str(client.folder), "TERM": "xterm", **environment,
             "XDG_CONFIG_HOME": str(client.folder / "config")})
    os.close(its)
    shown = b""
    try:
        while piece := os.read(mine, 65536):
            shown += piece
    except OSError as error:
        assert error.errno == errno.EIO  # The other side is closed.
    os.close(mine)
    return shown.decode().replace("\r\n", "\n"), process.wait(timeout=30)


@pytest.mark.core
def test_a_terminal_sees_the_answer_and_the_report_once_as_markdown(place, spool):
    client = place(*LINES)
    shown, code = on_terminal(client, "agent", "What is it?", "--run", "r1")
    assert code == 0, shown
    assert json.loads(spool.request("r1.1.plan").read_text())["stream"] is True
    # The plan as it was written, then what it means.
    assert '"commentary": "next"' in shown and "step 1: next" in shown
    assert "1. file.read" in shown and "1. success" in shown
    assert shown.count("\x1b[1mCause\x1b[0m") == 1, shown
    assert "\u2022 \x1b[1ma.txt\x1b[0m has \x1b[36mtwo\x1b[0m lines" in shown
    assert "\x1b[36m# code\x1b[0m" in shown
    assert "\x1b]" not in shown and "\x1b[2J" not in shown and "\x07" not in shown


def test_without_colours_the_text_stays_as_it_is(place):
    client = place(*LINES)
    shown, code = on_terminal(client, "agent", "What is it?", "--run", "r1", NO_COLOR="1")
    assert code == 0 and "\x1b" not in shown, shown
    assert shown.count("# Cause\n") == 1 and "- **a.txt** has" in shown


def test_elsewhere_nothing_is_streamed_or_styled(place, spool):
    client = place(*LINES)
    plain = client.agent("What is it?", "--run", "r1")
    assert plain.returncode == 0, plain.stderr
    assert "stream" not in json.loads(spool.request("r1.1.plan").read_text())
    assert "\x1b" not in plain.stdout and "# Cause" in plain.stdout
    assert '"commentary"' not in plain.stdout
    as_json, code = on_terminal(client, "agent", "What is it?", "--run", "r2", "--json")
    assert code == 0 and '"commentary"' not in as_json
    assert "stream" not in json.loads(spool.request("r2.1.plan").read_text())


def test_what_was_typed_before_the_question_is_no_answer(place, scenario):
    """Two questions; "y" is typed ahead twice, before the first one is there."""
    makes = [turn(n, plan(("file.create", {"path": f"{n}.txt", "content": "x"}))) for n in (1, 2)]
    makes[0]["delay_ms"] = 700
    client = place(REPORT, *makes, turn(3, plan(done=True, finalSummary="Done.")))
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [harness.client_program(), "agent", "Make", "--run", "r1", "--scenario", scenario(),
         "--root", str(client.spool.root), "--durability", "none"], stdin=its, stdout=its,
        stderr=its, cwd=client.folder, env={**os.environ, **client.environment, "TERM": "xterm"})
    os.close(its)
    shown = b""
    try:
        os.write(mine, b"y\ny\n")
        for question in (1, 2):
            while shown.count(b"show this again > ") < question:
                shown += os.read(mine, 65536)
            assert not (client.work / f"{question}.txt").exists(), shown.decode()
            os.write(mine, b"y\ny\n")
        while piece := os.read(mine, 65536):
            shown += piece
    except OSError as error:
        assert error.errno == errno.EIO  # The other side is closed.
    os.close(mine)
    assert process.wait(timeout=30) == 0, shown.decode()
    assert (client.work / "2.txt").exists()
