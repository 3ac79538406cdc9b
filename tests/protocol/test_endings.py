# SPDX-License-Identifier: MIT
"""--on-end and --notify: what is told, in every way that a run ends, and what a failure changes."""

import contextlib
import http.server
import json
import signal
import threading

import pytest

from harness import QUICK_RETRIES, read_json, shell, wait_until, with_tool
from llm_lines import write_lines


def line(stem, script="true", **members):
    return {"request_id": stem, "command": "tool.run",
            "params": shell(script, check=True), **members}


class Hook:
    """Answers POSTs with the codes that it is given, then with 200."""

    def __init__(self, codes):
        hook = self
        self.codes = list(codes)
        self.bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.bodies.append((self.path, self.headers["Content-Type"], json.loads(body)))
                self.send_response(hook.codes.pop(0) if hook.codes else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://user:secret@127.0.0.1:{self.server.server_port}/secret?key=secret"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def hook():
    made = []

    def make(*codes):
        made.append(Hook(codes))
        return made[-1]
    yield make
    for one in made:
        one.server.shutdown()
        one.server.server_close()


@pytest.fixture
def tools(start_worker):
    return start_worker(config=with_tool())


def run(client, folder, lines, *options):
    batch = write_lines(folder / "b.jsonl", lines)
    return client.run("run", batch, "--no-start-worker", "--attempts", "1", *QUICK_RETRIES,
                      *options)


@pytest.mark.core
def test_a_command_is_told_how_a_run_ended(tools, client, folder, spool):
    done = run(client, folder, [line("a"), line("b", "exit 1")], "--json", "--on-end",
               f'cat >{folder}/told; echo "$FILECALL_EXIT_CODE $FILECALL_BATCH $FILECALL_COMMAND '
               f'$FILECALL_ROOT $FILECALL_RUN_ID" >{folder}/env; echo said; exit 7')
    assert done.returncode == 1
    summary = json.loads(done.stdout)
    told = read_json(folder / "told")
    assert told == {"command": "run", "exit_code": 1, "root": str(spool.root), "summary": summary}
    assert summary["counts"] == {"SUCCESS": 1, "GAVE_UP": 1}
    assert (folder / "env").read_text().split() == [
        "1", "b.jsonl", "run", str(spool.root), summary["run_id"]]
    assert "said" in done.stderr and "exit code is 7; the exit code of this run stays 1" in (
        done.stderr)


@pytest.mark.core
def test_a_post_is_tried_again_and_shows_no_secret(tools, client, folder, hook):
    good = hook(503)
    done = run(client, folder, [line("a")], "--notify", good.url)
    assert done.returncode == 0 and "secret" not in done.stdout + done.stderr, done.stderr
    assert len(good.bodies) == 2 and good.bodies[0] == good.bodies[1]
    path, kind, body = good.bodies[0]
    assert path == "/secret?key=secret" and kind == "application/json"
    assert body["exit_code"] == 0 and body["summary"]["counts"]["SUCCESS"] == 1
    refused = hook(404)
    done = run(client, folder, [line("b")], "--notify", refused.url)
    assert done.returncode == 0 and "HTTP 404 after 1 attempt" in done.stderr
    assert "secret" not in done.stderr and len(refused.bodies) == 1


def test_an_answer_without_an_end_counts_by_its_status(tools, client, folder):
    """It was posted three times, and the run's end waited for a minute and a half."""
    posts = []

    class Endless(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posts.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 4096)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = run(client, folder, [line("a")], "--notify",
                   f"http://127.0.0.1:{server.server_port}/hook")
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0 and "--notify" not in done.stderr, done.stderr
    assert len(posts) == 1


def test_an_interrupted_run_ends_too_and_a_wrong_one_does_not(tools, client, folder):
    command = f"cat >{folder}/told"
    batch = write_lines(folder / "b.jsonl", [
        line("a", f"touch {folder}/runs; while [ ! -e {folder}/go ]; do sleep 0.02; done"),
        line("b", after=["a"])])
    running = client.start("run", batch, "--no-start-worker", "--on-end", command, "--notify",
                           "http://127.0.0.1:1/secret", "--attempts", "1", *QUICK_RETRIES)
    wait_until((folder / "runs").exists, "it runs")
    running.send_signal(signal.SIGINT)
    logs = lambda: b"".join(log.read_bytes() for log in folder.glob("client-*.log"))  # noqa: E731
    wait_until(lambda: b"waiting for" in logs(), "the wait is said")
    (folder / "go").touch()
    assert running.wait(60) == 130
    told = read_json(folder / "told")
    assert told["exit_code"] == 130 and told["summary"]["interrupted"] is True
    assert b"secret" not in logs() and b"--notify: http://127.0.0.1:1/..." in logs()
    (folder / "told").unlink()
    assert run(client, folder, [{"command": 1}], "--on-end", command).returncode == 2
    assert run(client, folder, [line("c")], "--dry-run", "--on-end", command).returncode == 0
    assert not (folder / "told").exists()


def test_a_watch_tells_when_it_is_idle(tools, client, folder, spool):
    spool.drop("x")
    done = client.run("watch", "--until-idle", "--on-end", f"cat >{folder}/told")
    assert done.returncode == 0, done.stderr
    assert read_json(folder / "told")["summary"] == {
        "ended": 1, "gave_up": 0, "interrupted": False}
    wrong = client.run("watch", "--on-end", "true")
    assert wrong.returncode == 2 and "--until-idle" in wrong.stderr


def test_a_url_that_is_none_and_an_empty_command_are_wrong_usage(client, folder):
    for option, value in [("--notify", "example.org"), ("--notify", "ftp://x/y"), ("--on-end", "")]:
        done = run(client, folder, [line("a")], option, value)
        assert done.returncode == 2 and option in done.stderr


def test_a_plan_and_a_report_say_what_waits(tools, client, folder):
    lines = [line("a", f"while [ ! -e {folder}/go ]; do sleep 0.02; done"), line("b", after=["a"]),
             line("c", after=["a", "b"], after_any="end")]
    plan = run(client, folder, lines, "--dry-run")
    assert "b waits for a\n" in plan.stdout and "c waits for b, a to end\n" in plan.stdout
    plan = json.loads(run(client, folder, lines, "--dry-run", "--json").stdout)
    assert plan["waits"] == [
        {"request_id": "b", "after": ["a"], "after_any": "success"},
        {"request_id": "c", "after": ["b", "a"], "after_any": "end"}]
    running = client.start("run", folder / "b.jsonl", "--no-start-worker", *QUICK_RETRIES)
    wait_until(lambda: client.state_of("a") == "POLLING", "it runs")
    items = json.loads(client.run("report", "--format", "json").stdout)["items"]
    assert {one["request_id"]: one.get("error_message") for one in items} == {
        "a": None, "b": "waits for a", "c": "waits for b, a to end"}
    (folder / "go").touch()
    assert running.wait(60) == 0
