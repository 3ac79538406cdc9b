# SPDX-License-Identifier: MIT
"""A machine within the machine: systemd as process 1 of namespaces of its own, on an overlay of the
root of this machine. Only as root, with a cgroup2 hierarchy.

When its process 1 is killed the kernel ends all others with it."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from harness import DEADLINE, SLOW, wait_until

SYSTEMD = Path("/lib/systemd/systemd")
# In the new namespaces: a root of its own, then systemd. $1: folder, $2: what is put into the root.
BOOT = r"""
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=0755 tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
cp -a "$2/." "$1/upper/"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
cd "$1/root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=0755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=0755 tmpfs dev
mkdir dev/pts dev/shm
for name in null zero full random urandom tty; do
  : >"dev/$name"; mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
rm -f etc/machine-id && : >etc/machine-id
mkdir -p .old && pivot_root . .old && cd /
umount -l /.old
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other \
  /lib/systemd/systemd --system --unit=filecall-test.target --show-status=0 --log-target=journal
"""
TARGET = """[Unit]
Description=What the tests of the units need
Requires=systemd-journald.socket
After=systemd-journald.socket
"""


def hierarchy():
    """Where cgroup2 is mounted, or None."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        words = line.split()
        if words[words.index("-") + 1] == "cgroup2" and words[3] == "/":
            return Path(words[4])
    return None


def what_is_missing():
    """Why no such machine can be started here; empty when it can."""
    if os.getuid() != 0:
        return "only root can make the namespaces of a machine"
    if not SYSTEMD.exists():
        return "systemd is not installed"
    top = hierarchy()
    if top is None or not os.access(top, os.W_OK):
        return "there is no cgroup2 hierarchy to write to"
    return ""


class Machine:
    """A machine that has booted. `files`: path in it -> text, or the file that is copied there."""

    def __init__(self, files):
        self.folder = Path(tempfile.mkdtemp(prefix="filecall-machine-"))
        content = self.folder / "content"
        place = self.folder / "place"
        place.mkdir()
        files = {"etc/systemd/system/filecall-test.target": TARGET, **files}
        for name, what in files.items():
            path = content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(what, path) if isinstance(what, Path) else path.write_text(what)
        self.group = hierarchy() / f"filecall-machine-{os.getpid()}-{self.folder.name[-8:]}"
        self.group.mkdir()
        self.console = open(self.folder / "console", "wb")
        # The shell joins the group before its cgroup namespace is made: that group is its root.
        self.outer = subprocess.Popen(
            ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec unshare --mount --pid --fork '
             '--kill-child --cgroup --uts --ipc --net sh -c "$@"',
             self.group, BOOT, "sh", place, content],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT)
        try:
            wait_until(self._has_booted, "systemd has started", DEADLINE * 2)
        except BaseException:
            print((self.folder / "console").read_text(errors="replace")[-4000:])
            self.close()
            raise

    def _has_booted(self):
        assert self.outer.poll() is None, "systemd has ended"
        children = Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text()
        if not children.strip():
            return False
        self.init = int(children.split()[0])
        if Path(f"/proc/{self.init}/comm").read_text().strip() != "systemd":
            return False
        state = self.run("systemctl", "is-active", "filecall-test.target")
        return state.stdout.strip() == "active"

    def run(self, *command, input=None):
        """Runs a command in the machine, to its end."""
        return subprocess.run(
            ["nsenter", f"--target={self.init}", "--all", "--root", "--wd", "--",
             *map(str, command)], capture_output=True, text=True, timeout=DEADLINE * SLOW,
            check=False, input=input)

    def good(self, *command, input=None):
        done = self.run(*command, input=input)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def property(self, unit, name):
        return self.good("systemctl", "show", "--value", "--property", name, unit).strip()

    def journal(self, unit):
        return self.good("journalctl", "--unit", unit, "--output", "cat", "--no-pager")

    def close(self):
        """Kills process 1, and with it everything in the machine."""
        if self.outer.poll() is None:
            self.outer.send_signal(signal.SIGKILL)
        self.outer.wait()
        self.console.close()
        (self.group / "cgroup.kill").write_text("1")
        wait_until(lambda: "populated 0" in (self.group / "cgroup.events").read_text(),
                   "all processes of the machine have ended")
        for folder, _, _ in os.walk(self.group, topdown=False):
            os.rmdir(folder)
        shutil.rmtree(self.folder)
