# SPDX-License-Identifier: MIT
"""The shipped units under a real systemd, which runs in namespaces of its own."""

import json
from pathlib import Path

import pytest

from harness import TOP, client_program, wait_until, worker_program
from systemd_machine import Machine, what_is_missing

PACKAGING = TOP / "packaging" / "systemd"
UNIT = "filecall-worker.service"
ROOT = "/var/spool/filecall"
CONFIG = {"tool": {"allow": ["cat", "sh"], "sandbox": "workspace-write", "network": False,
                   "roots": [f"{ROOT}-work"]}}

pytestmark = pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing())


def installed():
    """What the package installs, as paths of the machine."""
    files = {f"usr/lib/systemd/system/{path.name.removesuffix('.in')}":
             path.read_text().replace("@FILECALL_BINDIR@", "/usr/bin")
             for path in PACKAGING.iterdir() if path.name.startswith("filecall-")}
    programs = {f"usr/bin/{path.name}": path for path in (client_program(), worker_program())}
    return {**files, **programs,
            "usr/libexec/filecall/filecall-guard": worker_program().parent / "filecall-guard",
            "usr/lib/sysusers.d/filecall.conf": PACKAGING / "filecall.sysusers",
            "usr/lib/tmpfiles.d/filecall.conf": PACKAGING / "filecall.tmpfiles",
            "etc/default/filecall-worker": "FILECALL_WORKER_ARGS=--config /etc/filecall/w.yaml\n",
            "etc/filecall/w.yaml": json.dumps(CONFIG)}


@pytest.fixture(scope="module", name="machine")
def booted():
    machine = Machine(installed())
    try:
        machine.good("systemd-sysusers")
        machine.good("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/filecall.conf")
        machine.good("install", "-d", "-o", "filecall", "-g", "filecall", f"{ROOT}-work")
        yield machine
    finally:
        machine.close()


def call(machine, stem, command="system.echo", params=None):
    """Drops a request as the unit's user does, and waits for its response."""
    request = {"request_id": stem, "command": command, "params": params or {}}
    machine.good("setpriv", "--reuid=filecall", "--regid=filecall", "--clear-groups",
                 "sh", "-c", f"cat >{ROOT}/requests/.{stem}.tmp && "
                 f"mv {ROOT}/requests/.{stem}.tmp {ROOT}/requests/{stem}.json",
                 input=json.dumps(request))
    return answer(machine, stem)


def answer(machine, stem):
    def read():
        done = machine.run("cat", f"{ROOT}/responses/{stem}.json")
        return done.stdout if done.returncode == 0 else None
    return json.loads(wait_until(read, f"a response to {stem}"))


def test_the_unit_serves_restarts_and_survives_a_kill(machine):
    machine.good("systemctl", "start", UNIT)  # Type=notify: it returns when the worker is ready.
    assert machine.property(UNIT, "ActiveState") == "active"
    first = machine.property(UNIT, "MainPID")
    assert call(machine, "a", params={"x": 1})["data"] == {"x": 1}
    machine.good("systemctl", "restart", UNIT)
    second = machine.property(UNIT, "MainPID")
    assert second != first
    assert call(machine, "b")["status"] == "success"
    machine.good("systemctl", "kill", "--signal=KILL", "--kill-whom=main", UNIT)

    def has_restarted():
        return machine.property(UNIT, "ActiveState") == "active" and \
            machine.property(UNIT, "MainPID") not in ("0", second)
    wait_until(has_restarted, "systemd starts it again (RestartSec=10)", 40)
    assert machine.property(UNIT, "NRestarts") == "1"
    assert call(machine, "c")["status"] == "success"
    journal = machine.journal(UNIT)
    assert journal.count("serving") >= 3, journal
    machine.good("systemctl", "stop", UNIT)
    assert machine.property(UNIT, "Result") == "success"
    assert machine.property(UNIT, "ActiveState") == "inactive"


def test_a_tool_runs_in_a_group_of_its_own_within_the_units_limits(machine):
    """With all that the unit forbids, the sandbox is whole, and the group is delegated."""
    machine.good("systemctl", "restart", UNIT)
    ran = call(machine, "tool", "tool.run",
               {"argv": ["sh", "-c", "cat /proc/self/cgroup; echo done >out"]})
    assert ran["status"] == "success", ran
    assert ran["data"]["exit_code"] == 0, ran
    assert f"/{UNIT}/filecall-" in ran["data"]["stdout"], ran
    status = json.loads(machine.good("cat", f"{ROOT}/worker/status.json"))
    assert status["missing_protections"] == []
    machine.good("systemctl", "stop", UNIT)


def test_a_wrong_configuration_is_not_tried_again(machine):
    machine.good("systemctl", "stop", UNIT)
    path = "/etc/filecall/w.yaml"
    before = machine.good("cat", path)
    machine.good("sh", "-c", f"echo 'tool: 7' >{path}")
    assert machine.run("systemctl", "start", UNIT).returncode != 0
    wait_until(lambda: machine.property(UNIT, "ActiveState") == "failed", "it has failed")
    assert machine.property(UNIT, "NRestarts") == "0"
    assert machine.property(UNIT, "ExecMainStatus") == "2"
    assert path in machine.journal(UNIT), "the journal names the file"
    machine.good("sh", "-c", f"cat >{path}", input=before)
    machine.good("systemctl", "reset-failed", UNIT)


def test_the_drain_unit_answers_and_ends(machine):
    machine.good("setpriv", "--reuid=filecall", "--regid=filecall", "--clear-groups", "sh", "-c",
                 f"cat >{ROOT}/requests/drained.json",
                 input='{"request_id": "drained", "command": "system.echo", "params": {}}')
    machine.good("systemctl", "start", "filecall-drain.service")  # Type=oneshot: until it ends.
    assert machine.property("filecall-drain.service", "Result") == "success"
    assert answer(machine, "drained")["status"] == "success"


def test_systemd_finds_nothing_wrong_with_the_units(machine):
    for path in PACKAGING.iterdir():
        name = path.name.removesuffix(".in")
        if Path(name).suffix in (".service", ".timer"):
            name = name.replace("@.", "@x.")
            done = machine.run("systemd-analyze", "verify", "--man=no", name)
            assert (done.returncode, done.stderr) == (0, ""), name
