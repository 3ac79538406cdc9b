# SPDX-License-Identifier: MIT
"""What a program in the sandbox tries, with the result on each level: the table of
docs/sandbox-probes.md. FILECALL_WRITE_PAGE=1 writes the page; a test compares it."""

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness import TOP
from sandbox_place import USERS, Place, is_refused, pytestmark

PAGE = TOP / "docs" / "sandbox-probes.md"
LEVELS = list(itertools.product(("none", "read-only", "workspace-write"), (True, False)))
HELD = "EEXIST"  # What a place holder of a protected name answers.
LACKING = ("EOPNOTSUPP", "ENOTTY")
NAMES = {"work": "ROOT", "out": "OUTSIDE", "spool": "SPOOL", "config": "CONFIG",
         "worker": "WORKER", "abstract": "NAME", "tcp": "PORT", "udp": "PORT", "memory": "ID",
         "mine": "NAME"}

# Those that change something that others look at come last.
PROBES = {
    "What it is for": [
        "read {work}/file", "list {work}", "read {work}/.git/config", "list /usr/bin",
        "read /etc/passwd", "read /etc/resolv.conf", "mkdir /tmp/{mine}", "create /tmp/{mine}/file",
        "mkfifo /tmp/{mine}/queue", "symlink x /tmp/{mine}/link", "nameless /tmp",
        "create /dev/shm/{mine}",
        "write /dev/null", "read /dev/urandom", "socket-unix", "execute /usr/bin/env",
        "run-from-memory /usr/bin/true",
        "write {work}/file", "create {work}/new", "mkdir {work}/folder",
        "rename {work}/new {work}/folder/newer", "link {work}/file {work}/twin",
        "chmod {work}/file", "utime {work}/file", "mkfifo {work}/queue", "symlink x {work}/link",
        "nameless {work}", "attribute {work}/file", "watch {work}", "unlink {work}/twin",
        "truncate {work}/file"],
    "Files of others": [
        "read {out}/secret", "list {out}", "stat {out}", "read {work}/../outside/secret",
        "read /proc/self/root/{out}/secret", "read /proc/self/cwd/../../../outside/secret",
        "read /proc/{worker}/root/{out}/secret", "list /proc/{worker}/cwd",
        "list /proc/{worker}/fd", "read {config}", "read {spool}/worker/status.json",
        "list {spool}/requests", "list {spool}/responses", "list /var", "list /sys", "list /run",
        "list /home", "list /boot", "watch {out}/other", "handle {out}/other",
        "open-handle {out}/other", "open-handle {work}/file", "access-list {out}/other",
        "write /dev/kvm", "write /dev/fuse", "write /dev/net/tun", "write /dev/kmsg",
        "write /dev/tty",
        "write {out}/other", "write {config}", "write {spool}/worker/status.json",
        "create {out}/new", "create {spool}/requests/forged.json",
        "create {spool}/responses/forged.json", "mkdir {out}/folder", "mkfifo {out}/queue",
        "symlink x {out}/link", "nameless {out}", "open-again {out}/other", "chmod {out}/other",
        "chown {out}/other", "utime {out}/other", "attribute {out}/other", "flags {out}/other",
        "link {out}/other {work}/hard", "write-through-link {work}/soft {out}/other",
        "truncate {out}/other", "rename {out}/secret {work}/stolen", "unlink {out}/other"],
    "Protected names": [
        "write {work}/.git/config", "create {work}/.git/hook", "nameless {work}/.git",
        "open-again {work}/.git/config", "chmod {work}/.git/config", "utime {work}/.git",
        "attribute {work}/.git/config", "link {work}/.git/config {work}/hard-config",
        "access-list {work}/.git/config", "mkdir {work}/deep/er/.git",
        "rmdir {work}/deep/er/.git", "rename {work}/deep {work}/moved",
        "rename {work}/moved {work}/deep", "rename {work}/.git/config {work}/config",
        "exchange {work}/.git {work}/deep"],
    "The owner's rights by a file's mode": [
        "set-id 4755 {work}/mode", "set-id 2755 {work}/mode", "set-id 2777 {work}/mnt",
        "create-set-id 4755 {work}/new-1", "create-set-id 2755 {work}/new-2",
        "fchmod-set-id {work}/mode", "mknod-set-id {work}/new-3", "lease {work}/mode",
        "mkdir-set-id {work}/new-4", "file-capability {work}/mode"],
    "Other processes": [
        "signal {worker}", "queue-signal {worker}", "priority {worker}", "processors {worker}",
        "session-of {worker}", "process-descriptor {worker}", "stat /proc/{worker}",
        "read /proc/{worker}/cmdline", "write /proc/{worker}/oom_score_adj",
        "shared-memory {memory}", "environment {worker}", "ptrace {worker}", "memory {worker}",
        "write-memory {worker}", "descriptor-of {worker}", "compare {worker}", "limits {worker}",
        "write /proc/{worker}/mem", "read /proc/{worker}/maps", "setns /proc/{worker}/ns/mnt",
        "list /proc/1/root", "descriptors 1", "write /proc/1/mem", "descriptor-of 1", "ptrace 1",
        "setns /proc/1/ns/mnt"],
    "Sockets": [
        "tcp {tcp}", "udp {udp}", "fast-open {tcp}", "listen", "socket-inet", "socket 10 1",
        "socket-netlink", "abstract {abstract}", "unix {out}/daemon", "unix-datagram {out}/daemon",
        "socket-raw", "socket 40 1", "socket 38 5", "socket 2 3 1", "socket 44 3", "socket 30 5",
        "socket 15 3", "listen 80", "bind-abstract {mine}", "message-queue"],
    "Privileges": [
        "new-user-namespace", "clone-user-namespace", "clone3-user-namespace",
        "new-namespace 20000", "new-namespace 40000000", "new-namespace 20000000", "capability",
        "capset", "mknod {work}/device", "variable SECRET", "descriptor",
        "write /proc/sys/kernel/domainname", "write /proc/sysrq-trigger",
        "write /sys/kernel/uevent_helper", "write /proc/self/oom_score_adj", "own-memory",
        "read /proc/kcore"],
    "The kernel": [
        "keyctl", "io-uring", "userfaultfd", "tiocsti", "paste", "foreign-call", "x32-call",
        *("reach " + name for name in (
            "mount umount2 pivot_root open_tree move_mount fsopen fsconfig fsmount fspick "
            "mount_setattr quotactl quotactl_fd swapon swapoff acct name_to_handle_at "
            "open_by_handle_at fanotify_init fanotify_mark unshare setns process_vm_readv "
            "process_vm_writev process_madvise kcmp pidfd_getfd bpf perf_event_open add_key "
            "request_key io_uring_enter io_uring_register kexec_load init_module finit_module "
            "delete_module settimeofday clock_settime clock_adjtime adjtimex sethostname "
            "setdomainname syslog vhangup iopl ioperm modify_ldt personality mbind migrate_pages "
            "move_pages vmsplice io_setup mq_open memfd_secret statmount "
            "open_tree_attr chroot reboot kexec_file_load ptrace").split())],
}
LINES = [line for lines in PROBES.values() for line in lines]


def results_of(place, memory, level, network):
    """{line: "open", "refused" or "not there"}: a file system may lack what is attempted."""
    (place.work / "mode").write_text("x")
    place.start(sandbox=level, network=network)
    mine = f"filecall-{os.getpid()}"
    said = place.attempt([line.replace("{memory}", memory).replace("{mine}", mine)
                          for line in LINES], cwd="deep/er")
    shutil.rmtree(f"/tmp/{mine}", ignore_errors=True)
    Path(f"/dev/shm/{mine}").unlink(missing_ok=True)
    if any("landlock-scopes" in name for name in place.spool.status()["missing_protections"]):
        said["abstract {abstract}"] = "EPERM"
    assert place.worker.stop() == 0
    place.close()
    said = dict(zip(LINES, said.values()))
    odd = {line: result for line, result in said.items()
           if level != "none" and result not in ("ok", HELD, *LACKING) and not is_refused(result)}
    assert odd == {}, (level, network)
    names = {"ok": "open", **{result: "not there" for result in LACKING}}
    return {line: names.get(result, "refused") for line, result in said.items()}


def page_of(columns):
    text = PAGE.read_text().split("\n## ")[0].rstrip() + "\n"
    for title, lines in PROBES.items():
        text += (f"\n## {title}\n\n| attempt | none | no network | read-only | no network | "
                 "workspace-write | no network |\n|---|---|---|---|---|---|---|\n")
        for line in lines:
            cells = " | ".join(columns[level][line] for level in LEVELS)
            text += f"| `{re.sub('{(.*?)}', lambda found: NAMES[found[1]], line)}` | {cells} |\n"
    return text


@pytest.fixture(name="memory")
def shared_memory():
    said = subprocess.run(["ipcmk", "-M", "64", "-p", "0666"], check=True, capture_output=True,
                          text=True).stdout
    number = re.search("[0-9]+", said)[0]
    yield number
    subprocess.run(["ipcrm", "-m", number], check=True)


@pytest.mark.core
@pytest.mark.parametrize("user", USERS)
def test_each_probe_has_the_result_that_the_page_says(folder, start_worker, memory, user):
    folder.chmod(0o755)
    columns = {}
    levels = LEVELS if user != "root" else [pair for pair in LEVELS if pair[0] != "none"]
    for number, (level, network) in enumerate(levels):
        (folder / str(number)).mkdir()
        place = Place(folder / str(number), user, start_worker)
        columns[level, network] = results_of(place, memory, level, network)
    if user != "root" and os.environ.get("FILECALL_WRITE_PAGE"):
        PAGE.write_text(page_of(columns))
    told = dict(zip(LINES, (row for row in PAGE.read_text().splitlines() if row.startswith("| `"))))
    assert len(told) == len(LINES) and len(LINES) >= 210
    different = []
    for column, pair in enumerate(LEVELS):
        for line in LINES if pair in columns and pair[0] != "none" else []:
            here, there = columns[pair][line], told[line].split(" | ")[column + 1].strip(" |")
            # The superuser may be refused more, and nobody less.
            if here != there and (here == "open" or (here == "refused" and user != "root")):
                different.append((pair, line, f"is {here}, the page says {there}"))
    assert different == [], "FILECALL_WRITE_PAGE=1 writes the page"
