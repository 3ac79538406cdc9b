# SPDX-License-Identifier: MIT
"""Control groups of tool runs, in a real hierarchy (cgroup v2), where this machine lets us make
groups: as root, who marks one as the service manager does."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from harness import wait_until, worker_program
from sandbox_place import NOBODY, Place


def hierarchy():
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words = line.split()
        if words[words.index("-") + 1] == "cgroup2" and words[3] == "/":
            return Path(words[4])
    return None


def remove(group):
    (group / "cgroup.kill").write_text("1")
    wait_until(lambda: "populated 0" in (group / "cgroup.events").read_text(), "the group is empty")
    for folder, _, _ in os.walk(group, topdown=False):
        os.rmdir(folder)


@pytest.fixture(name="group")
def delegated_group(request):
    top = hierarchy()
    if os.getuid() != 0 or top is None or not os.access(top, os.W_OK):
        pytest.skip("no hierarchy of control groups in which one can be made")
    group = top / f"filecall-test-{os.getpid()}-{abs(hash(request.node.name))}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    yield group
    remove(group)


@pytest.fixture(params=["root", "nobody"])
def place(request, folder, start_worker, group):
    if request.param == "root":
        os.setxattr(group, "user.delegate", b"1")
    else:
        for path in (group, group / "cgroup.procs", group / "cgroup.subtree_control"):
            os.chown(path, NOBODY, NOBODY)
    place = Place(folder, request.param, start_worker)
    yield place
    place.close()


def start_in(place, group, **options):
    """The worker begins in the group, as its service manager would have it. What `setpriv` does
    for an ordinary user comes after."""
    return place.start(joins=group, **options)


def groups_in(group):
    return sorted(path.name for path in group.iterdir() if path.name.startswith("filecall-"))


@pytest.mark.parametrize("sandbox", ["none", "workspace-write"])
def test_each_run_is_in_a_group_of_its_own_which_is_gone_afterwards(place, group, sandbox):
    start_in(place, group, sandbox=sandbox)
    seen = [place.shell("cat /proc/self/cgroup; sleep 0.01")["stdout"].splitlines()[-1]
            for _ in range(3)]
    names = [Path(line.partition("::")[2]) for line in seen]
    assert all(name.parent.name == group.name and name.name.startswith("filecall-")
               for name in names), seen
    assert len(set(names)) == 3
    wait_until(lambda: groups_in(group) == [], "no group is left")


@pytest.mark.parametrize("sandbox", ["none", "workspace-write"])
def test_a_run_that_is_cancelled_leaves_no_group(place, group, sandbox):
    start_in(place, group, sandbox=sandbox)
    place.spool.drop("long", "tool.run", {
        "argv": ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 1 & wait; done"]})
    wait_until(lambda: groups_in(group) != [], "the run has a group")
    place.spool.call("cancel", "system.cancel", {"request_id": "long"})
    assert place.spool.wait_response("long")["error_code"] == "cancelled"
    wait_until(lambda: groups_in(group) == [], "no group is left")


def daemon_of(place, ends):
    """A tool leaves a process that no parent ties to it, and ends what `ends` says ($g: its guard,
    $w: the worker). The process writes its number to a file."""
    return ("g=$PPID; w=$(awk '{print $4}' /proc/$g/stat); "
            "(setsid sh -c 'trap \"\" TERM HUP; echo $$ >daemon.new; mv daemon.new daemon; "
            "while :; do sleep 1; done' </dev/null >/dev/null 2>&1 &) ; "
            "while ! test -e daemon; do sleep 0.05; done; "
            f"kill -STOP {ends}; kill -9 {ends}; sleep 60"), place.work / "daemon"


def is_running(number):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


def test_what_a_tool_leaves_that_ends_its_guard_ends_with_its_group(place, group):
    start_in(place, group)
    script, file = daemon_of(place, "$g")
    answer = place.run({"argv": ["/bin/sh", "-c", script]})
    assert answer["status"] == "error", answer
    assert not is_running(int(file.read_text()))
    wait_until(lambda: groups_in(group) == [], "no group is left")


def test_what_a_tool_leaves_that_ends_the_worker_too_is_ended_by_the_next_worker(place, group):
    worker = start_in(place, group)
    script, file = daemon_of(place, "$w $g")
    place.spool.drop("last", "tool.run", {"argv": ["/bin/sh", "-c", script]})
    worker.wait()
    number = int(file.read_text())
    assert is_running(number) and len(groups_in(group)) == 1
    start_in(place, group)
    wait_until(lambda: not is_running(number), "the process ends")
    place.shell("true")
    wait_until(lambda: groups_in(group) == [], "no group is left")


def test_a_check_says_where_the_groups_are(place, group, folder):
    path = folder / "worker.yaml"
    path.write_text(json.dumps({"tool": {"allow": ["date"]}}))
    path.chmod(0o644)
    folder.chmod(0o755)
    user = [] if place.user == "root" else [
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    check = [*user, str(worker_program()), "--check-config", "--json", "--config", str(path)]
    inside = subprocess.run(
        ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh", *check],
        check=True, capture_output=True, text=True)
    assert json.loads(inside.stdout)["tools"]["control_group"] == str(group)
    assert groups_in(group) == []
    outside = subprocess.run(check, check=True, capture_output=True, text=True)
    assert json.loads(outside.stdout)["tools"]["control_group"] is None


def test_a_group_that_was_not_given_is_left_alone(folder, start_worker, group):
    """The superuser may write to all groups: that gives none away."""
    place = Place(folder, "root", start_worker)
    start_in(place, group)
    assert place.shell("cat /proc/self/cgroup")["stdout"].rstrip().endswith("/" + group.name)
    assert groups_in(group) == []
    place.close()


def test_the_limits_are_those_of_the_whole_run(place, group):
    if not {"memory", "pids"} <= set((group / "cgroup.controllers").read_text().split()):
        pytest.skip("the controllers of memory and processes are not in this hierarchy")
    start_in(place, group, limits={"memory": "1GiB", "processes": 500})
    said = place.shell(f"g={hierarchy()}$(cut -d: -f3- /proc/self/cgroup); "
                       "cat $g/memory.max $g/pids.max")
    assert said["stdout"].split() == [str(1 << 30), "500"]
