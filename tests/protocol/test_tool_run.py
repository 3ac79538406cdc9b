# SPDX-License-Identifier: MIT
"""tool.run: programs without a shell, with what they were given and nothing else."""

import base64
import os
from pathlib import Path

import pytest

from harness import TOOLS, is_alive, shell, wait_until, with_tool


def run(spool, params, stem="a", **members):
    answer = spool.call(stem, "tool.run", params, **members)
    assert answer["status"] == "success", answer
    return answer["data"]


@pytest.mark.core
def test_output_and_exit_code(spool, worker):
    data = run(spool, shell("echo out; echo err >&2; exit 3"))
    assert (data["exit_code"], data["stdout"], data["stderr"]) == (3, "out\n", "err\n")
    assert data["signal"] is None and not data["truncated"]


def test_arguments_are_not_seen_by_a_shell(spool, worker):
    text = "$(touch /tmp/owned); `id` && 'x' \"y\" *"
    assert run(spool, {"argv": ["echo", text]})["stdout"] == text + "\n"


def test_a_signal_is_told(spool, worker):
    data = run(spool, shell("kill -9 $$"))
    assert data["exit_code"] is None and data["signal"] in (9, "SIGKILL", "KILL")


def test_cpu_time_and_memory_are_told(spool, worker):
    data = run(spool, {"argv": ["python3", "-c", "x = bytearray(50_000_000); sum(range(10**6))"]})
    numbers = {k: v for k, v in data.items() if isinstance(v, (int, float))}
    assert any("cpu" in k or "user" in k for k in numbers), data
    assert any("rss" in k or "memory" in k for k in numbers), data


def test_stdin(spool, worker):
    assert run(spool, {"argv": ["cat"], "stdin": "hällo\n"})["stdout"] == "hällo\n"
    assert run(spool, {"argv": ["cat"]}, "b")["stdout"] == ""


def test_large_stdin_and_output_do_not_block_each_other(spool, worker):
    text = "0123456789abcdef" * 20000
    data = run(spool, {"argv": ["cat"], "stdin": text})
    assert data["stdout"] == text or data["truncated"]


def test_a_tool_that_never_reads_its_stdin(spool, worker):
    assert run(spool, {"argv": ["true"], "stdin": "x" * 1000000})["exit_code"] == 0


@pytest.mark.core
def test_what_is_not_allowed_is_refused_with_what_to_write_where(spool, start_worker):
    start_worker(config={"tool": {"allow": ["cat"]}})
    for stem, argv in [("a", ["ls"]), ("b", ["/bin/ls"]), ("c", ["./cat"]), ("d", ["../bin/cat"])]:
        answer = spool.call(stem, "tool.run", {"argv": argv})
        assert answer["error_code"] == "permission_denied" and answer["retryable"] is False
        assert "allow" in answer["error_message"] and "tool" in answer["error_message"]


def test_without_a_configuration_nothing_runs(spool, start_worker):
    start_worker()
    answer = spool.call("a", "tool.run", {"argv": ["true"]})
    assert answer["error_code"] == "permission_denied"
    assert "allow" in answer["error_message"] and "--config" in answer["error_message"]


def test_everything_allowed_on_purpose(spool, start_worker):
    start_worker(config={"tool": {"allow": "*"}})
    assert run(spool, {"argv": ["ls", "/"]})["exit_code"] == 0


def test_a_program_that_is_not_there(spool, start_worker):
    start_worker(config={"tool": {"allow": ["no-such-program"]}})
    answer = spool.call("a", "tool.run", {"argv": ["no-such-program"]})
    assert answer["error_code"] == "not_found" and answer["retryable"] is False
    assert "no-such-program" in answer["error_message"]


def test_declared_tools(spool, worker):
    assert run(spool, {"tool": "greet", "args": {"name": "a b; rm"}})["stdout"] == "hello a b; rm\n"
    wrong = spool.call("b", "tool.run", {"tool": "greet", "args": {"name": 7}})
    assert wrong["error_code"] == "invalid_argument"
    assert "/params/args/name" in wrong["error_message"]
    unknown = spool.call("c", "tool.run", {"tool": "nobody", "args": {}})
    assert unknown["error_code"] in ("not_found", "invalid_argument")
    assert "nobody" in unknown["error_message"]
    both = spool.call("d", "tool.run", {"tool": "greet", "argv": ["ls"]})
    assert both["error_code"] == "invalid_argument"


def test_check_makes_a_failure_an_error(spool, worker):
    answer = spool.call("a", "tool.run", shell("echo why; exit 4", check=True))
    assert answer["status"] == "error"
    assert (answer["error_code"], answer["retryable"]) == ("unknown", True)
    assert answer["error_details"]["exit_code"] == 4
    assert answer["error_details"]["stdout"] == "why\n"
    assert spool.call("b", "tool.run", shell("true", check=True))["status"] == "success"


def test_the_environment_is_cleared(spool, start_worker):
    start_worker(config=with_tool(env=["GIVEN"]), env={"SECRET": "s", "GIVEN": "from-worker"})
    names = {line.split("=")[0] for line in run(spool, {"argv": ["env"]})["stdout"].splitlines()}
    assert names <= {"PATH", "HOME", "LANG", "GIVEN", "PWD", "LC_ALL", "TMPDIR"}
    data = run(spool, {"argv": ["env"], "env": {"GIVEN": "1"}}, "b")
    assert "GIVEN=1" in data["stdout"].splitlines()
    refused = spool.call("c", "tool.run", {"argv": ["env"], "env": {"LD_PRELOAD": "/x.so"}})
    assert refused["status"] == "error" and "LD_PRELOAD" in refused["error_message"]


def test_the_working_directory_lies_beneath_the_allowed_roots(spool, folder, start_worker):
    inside = folder / "allowed" / "deep"
    inside.mkdir(parents=True)
    (folder / "allowed" / "out").symlink_to("/")
    start_worker(config=with_tool(roots=[str(folder / "allowed")]))
    assert run(spool, {"argv": ["pwd"], "cwd": str(inside)})["stdout"] == f"{inside}\n"
    for stem, cwd in [("b", "/"), ("c", f"{folder}/allowed/../.."), ("d", f"{folder}/allowed/out"),
                      ("e", f"{folder}/allowed/out/etc")]:
        answer = spool.call(stem, "tool.run", {"argv": ["pwd"], "cwd": cwd})
        assert answer["status"] == "error", answer
        assert answer["error_code"] in ("permission_denied", "invalid_argument", "not_found")


@pytest.mark.core
def test_time_out(spool, folder, worker):
    spool.drop("a", "tool.run", shell(f"echo $$ >{folder}/pid; echo begun; sleep 60",
                                      timeout_ms=400))
    answer = spool.wait_response("a")
    assert answer["error_code"] == "deadline_exceeded"
    pid = int((folder / "pid").read_text())
    wait_until(lambda: not is_alive(pid), "the tool has ended")


def test_a_background_child_does_not_hold_the_answer(spool, folder, worker):
    data = run(spool, shell(f"sleep 300 & echo $! >{folder}/pid; echo done"))
    assert data["stdout"] == "done\n"
    pid = int((folder / "pid").read_text())
    wait_until(lambda: not is_alive(pid), "the background child has ended too")


def test_head_and_tail_of_long_output_are_kept(spool, start_worker):
    start_worker(config=with_tool(output_bytes=10000))
    script = "print('head'); print('x' * 1000000); print('tail')"
    data = run(spool, {"argv": ["python3", "-c", script]})
    assert data["truncated"]
    assert data["stdout"].startswith("head\n") and data["stdout"].endswith("tail\n")
    assert len(data["stdout"]) < 12000


def test_output_that_is_not_text(spool, worker):
    data = run(spool, {"argv": ["python3", "-c", "import os; os.write(1, bytes(range(256)))"]})
    flags = [k for k, v in data.items() if "base64" in k and v or v == "base64"]
    assert flags, data
    assert base64.b64decode(data["stdout"]) == bytes(range(256))


def test_a_child_has_only_its_three_descriptors(spool, worker):
    script = "import os; print(sorted(int(n) for n in os.listdir('/proc/self/fd')))"
    numbers = eval(run(spool, {"argv": ["python3", "-c", script]})["stdout"])  # noqa: S307
    assert numbers[:3] == [0, 1, 2] and len(numbers) <= 4  # The fourth is the listing's own.


def test_no_new_privileges_and_own_process_group(spool, worker):
    script = ("import os; print(open('/proc/self/status').read()); "
              "print('group', os.getpgid(0) == os.getppid() or os.getpgid(0))")
    text = run(spool, {"argv": ["python3", "-c", script]})["stdout"]
    assert "NoNewPrivs:\t1" in text
    assert f"group {os.getpgid(0)}" not in text


def test_limits(spool, start_worker):
    start_worker(config=with_tool(limits={"memory": "200MiB", "files": 20, "processes": 4000}))
    data = run(spool, {"argv": ["python3", "-c", "x = bytearray(400_000_000)"]})
    assert data["exit_code"] != 0 or data["signal"]
    script = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE)[0])"
    data = run(spool, {"argv": ["python3", "-c", script]}, "b")
    assert data["stdout"] == "20\n"


def test_tools_that_are_declared_are_described(spool, worker):
    text = str(spool.call("a", "system.describe")["data"])
    assert "greet" in text and "Says hello." in text


def test_hundreds_of_tools_leave_nothing_behind(spool, worker):
    for i in range(200):
        spool.drop(f"r{i}", "tool.run", {"argv": ["true"]})
    wait_until(lambda: len(spool.responses()) == 200, "all are answered", deadline=60)
    assert len(os.listdir(f"/proc/{worker.pid}/fd")) < 64
    def children():
        return [int(p) for p in os.listdir("/proc") if p.isdigit()
                and _parent(int(p)) == worker.pid]

    wait_until(lambda: len(children()) == 2, "all guards have gone; their server and a spare stay")
    for child in children():
        assert "--serve=" in Path(f"/proc/{child}/cmdline").read_text()
    assert TOOLS


def _parent(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def test_a_time_out_at_the_workers_limit_does_not_ask_for_more_time(spool, start_worker):
    start_worker(config=with_tool(timeout_max="300ms"))
    answer = spool.call("a", "tool.run", {"argv": ["sleep", "60"], "timeout_ms": 60000})
    assert answer["error_code"] == "deadline_exceeded"
    assert "tool.timeout_max" in answer["error_message"], answer
    assert "raise timeout_ms" not in answer["error_message"], answer
    answer = spool.call("b", "tool.run", {"argv": ["sleep", "60"], "timeout_ms": 100})
    assert "raise timeout_ms" in answer["error_message"], answer
