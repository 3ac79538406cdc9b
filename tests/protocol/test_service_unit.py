# SPDX-License-Identifier: MIT
"""The sandbox of tool.run within the shipped systemd unit: what the unit mounts for the worker must
leave what the guard mounts for a tool. The unit's directives are put in place as systemd.exec(5)
describes them, without systemd."""

import os
from pathlib import Path

import pytest

from sandbox_place import ATTEMPTS, NOBODY, Place

UNIT = Path(__file__).parents[2] / "packaging" / "systemd" / "filecall-worker.service.in"

READ_ONLY = 'if [ -e "{0}" ]; then mount --bind "{0}" "{0}" && mount -o remount,bind,ro "{0}"; fi'
HIDDEN_FILE = 'if [ -e "{0}" ]; then mount --bind /dev/null "{0}"; fi'
HIDDEN_DIRECTORY = 'if [ -d "{0}" ]; then mount -t tmpfs -o mode=000 none "{0}"; fi'
# Directive -> (how, where). None: system calls or resource limits, no mount.
MOUNTS = {
    "ProtectSystem=full": (READ_ONLY, ["/usr", "/boot", "/efi", "/etc"]),
    "ProtectKernelTunables=yes": (READ_ONLY, [
        "/proc/sys", "/proc/sysrq-trigger", "/proc/latency_stats", "/proc/mtrr", "/proc/apm",
        "/proc/acpi", "/proc/timer_stats", "/proc/fs", "/proc/irq", "/proc/bus", "/sys"]),
    "ProtectKernelModules=yes": (HIDDEN_DIRECTORY, ["/usr/lib/modules"]),
    "ProtectKernelLogs=yes": (HIDDEN_FILE, ["/proc/kmsg", "/dev/kmsg"]),
    "ProtectControlGroups=yes": (READ_ONLY, ["/sys/fs/cgroup"]),
    "NoNewPrivileges=yes": None, "ProtectClock=yes": None, "ProtectHostname=yes": None,
    "RestrictRealtime=yes": None, "LockPersonality=yes": None,
}


def directives():
    lines = [line.strip() for line in UNIT.read_text().splitlines()]
    return [line for line in lines
            if line.split("=")[0].startswith(("Protect", "Restrict", "Private", "Lock", "NoNew"))
            and not line.startswith("RestartPrevent")]


@pytest.fixture
def place(folder, start_worker):
    if os.getuid() != 0 or not ATTEMPTS.exists():
        pytest.skip("mounts as systemd does: only as root")
    place = Place(folder, "nobody", start_worker)
    yield place
    place.close()


@pytest.mark.parametrize("name", ["filecall-worker.service.in", "filecall-worker@.service.in"])
def test_a_unit_tries_again_when_another_worker_has_the_root(name):
    lines = (UNIT.parent / name).read_text().splitlines()
    assert "Restart=on-failure" in lines
    assert "RestartPreventExitStatus=2 69" in lines, "75 (busy) passes by itself"
    # Without a limit of starts, and not at once: the other worker may live for days.
    assert "StartLimitIntervalSec=0" in lines and "RestartSec=10" in lines


@pytest.mark.parametrize("name", ["filecall-worker.service.in", "filecall-worker@.service.in"])
def test_a_unit_gives_its_control_group_to_the_worker(name):
    """ProtectControlGroups= makes /sys/fs/cgroup read-only, also what Delegate= gives."""
    lines = (UNIT.parent / name).read_text().splitlines()
    assert "Delegate=memory pids" in lines
    assert not any(line.startswith("ProtectControlGroups") for line in lines)


def start(place, lines, **options):
    script = ["set -e"]
    for directive in lines:
        assert directive in MOUNTS, f"{directive}: say what it mounts"
        how, where = MOUNTS[directive] or ("", [])
        script += [how.format(path) for path in where]
    script.append('exec "$@"')
    for path in [place.folder, *place.folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    prefix = ["unshare", "--mount", "--propagation=private", "sh", "-c", "\n".join(script), "sh",
              "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
              "--no-new-privs"]
    place.user = "who the prefix says"
    return place.start(prefix=prefix, sandbox="workspace-write", network=False, **options)


def test_the_whole_sandbox_can_be_had_within_the_shipped_unit(place):
    start(place, directives(), require_sandbox=True)
    assert place.spool.status().get("missing_protections", []) == []
    said = place.shell("test -r /proc/self/status && touch made && id -u")
    assert said["exit_code"] == 0, said
    assert (place.work / "made").exists()


def test_a_unit_that_covers_parts_of_proc_leaves_tools_without_one(place):
    """Why the unit does not: the kernel gives a user namespace a /proc only where all of the one
    that is there can be seen (mount_too_revealing())."""
    start(place, ["ProtectKernelTunables=yes"], require_sandbox=False)
    assert "proc" in str(place.spool.status()["missing_protections"])
