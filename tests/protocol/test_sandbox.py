# SPDX-License-Identifier: MIT
"""The sandbox of tool.run, proven from inside: a program tries what it must not be able to do, and
tries the same without a sandbox, where it can. Runs for the superuser (if the tests have it) and
for an ordinary user, because their sandboxes are built differently."""

import contextlib
import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness import SLOW, shell, wait_until
from sandbox_place import (ATTEMPTS, LESSER, NOBODY, assert_only_open, is_refused, place,
                           pytestmark)

MINE = f"mine-{os.getpid()}"  # Another's file of a plain name is no leak.
READING = ["read {out}/secret", "list {out}", "read ../outside/secret", "read {config}",
           "read {spool}/requests/run-1.json", "list {spool}/responses", "list {spool}/worker",
           "list /var", "list /sys", "list /work/.."]
WRITING = ["write {out}/other", "create {out}/new", "mkdir {out}/new-too", "chmod {out}/other",
           "chown {out}/other", "utime {out}/other", "truncate {out}/other",
           "link {out}/other {work}/hard", "write-through-link {work}/soft {out}/other",
           "create {spool}/responses/forged.json", "create {spool}/requests/forged.json",
           "write {spool}/worker/status.json", "write {config}",
           "rename {out}/secret {work}/stolen"]
GIT = ["write {work}/.git/config", "create {work}/.git/hook", "chmod {work}/.git/config",
       "utime {work}/.git", "link {work}/.git/config {work}/hard-config",
       "rename {work}/.git/config {work}/config", "exchange {work}/.git {work}/deep",
       "rename {work}/deep {work}/moved"]


@pytest.mark.core
def test_nothing_outside_of_the_roots_can_be_read(place):
    lines = [line for line in READING if line != "list /work/.."]
    if place.is_root:
        lines += ["read /etc/shadow", "list /root"]
    assert_only_open(place, lines)


@pytest.mark.core
def test_nothing_outside_of_the_roots_can_be_changed(place):
    assert_only_open(place, WRITING)
    assert (place.outside / "other").stat().st_size == 0  # By the free one.


@pytest.mark.core
def test_a_protected_name_stays_as_it_is(place):
    assert_only_open(place, GIT[:-1])


def test_what_is_inside_can_be_worked_on(place):
    place.start(sandbox="workspace-write")
    lines = ["read {work}/file", "write {work}/file", "create {work}/new", "mkdir {work}/folder",
             "rename {work}/new {work}/folder/newer", "link {work}/file {work}/twin",
             "chmod {work}/file", "utime {work}/file", "read {work}/.git/config", "list /usr/bin",
             "read /etc/passwd", f"create /tmp/{MINE}", "write /dev/null", "read /dev/urandom",
             "create /dev/shm/mine", "socket-unix", "unlink {work}/twin"]
    assert {k: v for k, v in place.attempt(lines).items() if v != "ok"} == {}
    assert (place.work / "folder" / "newer").exists()
    again = f"create /tmp/{MINE}"
    assert place.attempt([again]) == {again: "ok"}, "/tmp is a run's own"
    assert not os.path.exists(f"/tmp/{MINE}")
    data = place.shell("python3 -c 'print(sum(range(10)))'; echo $HOME; pwd; umask", cwd="deep/er")
    assert data["stdout"].splitlines()[:3] == ["45", "/tmp", str(place.work / "deep" / "er")]


@pytest.mark.core
def test_read_only_can_change_nothing_but_its_own_tmp(place):
    place.start(sandbox="read-only")
    lines = ["write {work}/file", "create {work}/new", "chmod {work}/file", "unlink {work}/file",
             "utime {work}/file", "mkdir {work}/.hg", "truncate {work}/file", "write {out}/other"]
    assert {k: v for k, v in place.attempt(lines).items() if not is_refused(v)} == {}
    fine = ["read {work}/file", f"create /tmp/{MINE}", "read {work}/.git/config"]
    assert set(place.attempt(fine).values()) == {"ok"}
    assert (place.work / "file").read_text() == "x"


def test_tmp_has_a_size(place):
    place.start(sandbox="read-only", tmp_bytes="1MiB")
    data = place.shell("head -c 4000000 /dev/zero >/tmp/large")
    assert data["exit_code"] != 0 and "space" in data["stderr"]


@pytest.mark.core
def test_a_protected_name_that_is_missing_cannot_be_made(place):
    shutil.rmtree(place.work / ".git")
    lines = ["mkdir {work}/.git", "create {work}/.git", "create {work}/.git/config",
             "rename {work}/deep {work}/.git", "exchange {work}/deep {work}/.git",
             "rmdir {work}/.git", "rename {work}/.git {work}/x", "mkdir {work}/deep/.git",
             "mkdir {work}/deep/er/.git", "rename {work}/deep {work}/moved"]
    place.start(sandbox="workspace-write")
    results = place.attempt(lines, cwd="deep/er")
    assert set(results.values()) <= {"EEXIST", "EROFS", "EBUSY", "EISDIR", "ENOTEMPTY"}, results
    assert not list(place.folder.rglob(".git")), "place holders are removed"
    assert place.worker.stop() == 0
    place.start(sandbox="workspace-write", protect=[])
    assert place.attempt(["mkdir {work}/.git"]) == {"mkdir {work}/.git": "ok"}


def test_parallel_runs_hold_a_missing_name_together(place):
    shutil.rmtree(place.work / ".git")
    place.start(sandbox="workspace-write")
    place.spool.drop("long", "tool.run", shell(
        f"touch started; while [ ! -e {place.work}/go ]; do sleep 0.02; done; mkdir .git"))
    wait_until(lambda: (place.work / "started").exists(), "the long one runs")
    place.shell("true")
    (place.work / "go").touch()
    data = place.spool.wait_response("long")["data"]
    assert data["exit_code"] != 0 and ".git" in data["stderr"]
    assert not (place.work / ".git").exists()


def test_what_a_killed_guard_left_is_removed_by_the_next_run(place):
    shutil.rmtree(place.work / ".git")
    (place.work / ".git").mkdir()
    (place.work / ".git").chmod(0o1555)
    place.start(sandbox="workspace-write")
    place.shell("true")
    assert not (place.work / ".git").exists()


def test_a_linked_git_directory_is_protected_too(place):
    shutil.rmtree(place.work / ".git")
    (place.work / "real" / "hooks").mkdir(parents=True)
    (place.work / ".git").write_text("gitdir: real\n")
    lines = ["create {work}/real/hooks/post-checkout", "rename {work}/real {work}/unreal"]
    assert_only_open(place, lines)


def test_a_symbolic_link_under_a_protected_name_is_refused(place):
    (place.work / ".git").rename(place.work / "git")
    (place.work / ".git").symlink_to("git")
    place.start(sandbox="workspace-write")
    answer = place.run({"argv": ["true"]})
    assert answer["error_code"] == "failed_precondition"
    assert "tool.protect" in answer["error_message"]


@pytest.mark.core
def test_no_file_can_be_made_to_run_as_its_owner(place):
    lines = ["set-id 4755 {work}/file", "set-id 2755 {work}/file", "set-id 2777 {work}/deep",
             "create-set-id 4755 {work}/new-1", "create-set-id 2755 {work}/new-2",
             "fchmod-set-id {work}/file", "mknod-set-id {work}/new-3"]
    assert_only_open(place, lines)
    for path in place.work.rglob("*"):
        path.chmod(0o755)
    assert place.worker.stop() == 0
    place.start(sandbox="workspace-write")
    assert place.shell("chmod 1777 deep && install -m 755 file copy && tar -cf t.tar file && "
                       "tar -xf t.tar && cp -a file other")["exit_code"] == 0


@pytest.mark.core
def test_the_hosts_devices_stay_as_they_are(place):
    for level in ("read-only", "workspace-write"):
        worker = place.start(sandbox=level)
        results = place.attempt(["chmod /dev/full", "utime /dev/full", "chown /dev/full"])
        assert {k: v for k, v in results.items() if not is_refused(v)} == {}
        assert place.shell("echo x >/dev/null && head -c 3 /dev/zero")["stdout"] == "\0\0\0"
        assert worker.stop() == 0


@pytest.mark.core
def test_nobody_is_made_to_wait_by_a_lease_or_a_lock(place):
    assert_only_open(place, ["lease {work}/file"])
    assert place.worker.stop() == 0
    place.start(sandbox="workspace-write")
    (place.work / "sub").mkdir()
    os.chmod(place.work / "sub", 0o777)
    place.spool.drop("holder", "tool.run", {"argv": ["/usr/bin/python3", "-c", (
        "import os, fcntl, time; os.umask(0); os.mkdir('sub/.git', 0o1555); "
        "fd = os.open('sub/.git', 0); fcntl.flock(fd, fcntl.LOCK_EX); open('locked', 'w'); "
        "time.sleep(300)")]})
    wait_until((place.work / "locked").exists, "the lock is held")
    answer = place.run({"argv": ["true"], "cwd": str(place.work / "sub")})
    assert answer["status"] == "error" and ".git" in answer["error_message"]
    assert place.spool.response("holder") is None, "it was not waited for"


@pytest.mark.core
def test_without_network_there_is_none(place):
    lines = ["tcp {tcp}", "udp {udp}", "abstract {abstract}", "socket-inet", "socket-netlink"]
    assert_only_open(place, lines + ["unix {out}/daemon"], network=False)


def test_without_network_but_with_no_sandbox_either(place):
    place.start(network=False)
    results = place.attempt(["tcp {tcp}", "udp {udp}", "abstract {abstract}", "io-uring",
                             "read {out}/secret", "write {work}/.git/config", "socket-unix"])
    assert list(results.values())[3:] == ["EPERM", "ok", "ok", "ok"]
    assert all(is_refused(v) for v in list(results.values())[:3]), results


def test_with_network_local_sockets_of_others_are_still_out_of_reach(place):
    assert_only_open(place, ["unix {out}/daemon", "abstract {abstract}"])
    place.worker.stop()
    place.start(sandbox="workspace-write")
    assert set(place.attempt(["tcp {tcp}", "udp {udp}"]).values()) == {"ok"}


@pytest.mark.core
def test_the_worker_is_out_of_reach(place):
    lines = ["environment {worker}", "signal {worker}", "ptrace {worker}", "memory {worker}"]
    if not place.is_root:
        # Yama may refuse the others anyway, and who is not dumpable shows no environment.
        lines = ["signal {worker}"]
    assert_only_open(place, lines)


def test_what_the_host_mounts_and_unmounts_is_seen_by_the_next_run(place):
    mounts = ["unshare", "--mount", "--propagation=private"]
    if not place.is_root:
        mounts += ["--user", "--map-root-user"]
    place.start(prefix=mounts, sandbox="workspace-write")
    enter = ["nsenter", "--mount", f"--target={place.worker.pid}"]
    if not place.is_root:
        enter += ["--user"]
    assert place.shell("ls mnt")["stdout"] == ""
    subprocess.run([*enter, "sh", "-c", f"mount -t tmpfs none {place.work}/mnt && "
                    f"touch {place.work}/mnt/inside"], check=True)
    assert place.shell("ls mnt")["stdout"] == "inside\n"
    subprocess.run([*enter, "umount", f"{place.work}/mnt"], check=True)
    assert place.shell("ls mnt")["stdout"] == ""


def test_nothing_is_inherited(place):
    for sandbox in ("none", "workspace-write"):
        place.start(sandbox=sandbox)
        assert place.attempt(["descriptor", "variable SECRET"]) == {
            "descriptor": "ENOENT", "variable SECRET": "ENOENT"}
        assert place.attempt(["variable HOME"]) == {"variable HOME": "ok"}
        place.worker.stop()


@pytest.mark.core
def test_no_privilege_can_be_gained(place):
    everyone = ["new-user-namespace", "clone-user-namespace", "clone3-user-namespace"]
    superuser = ["capability", "write /proc/sys/kernel/domainname", "setns /proc/{worker}/ns/net",
                 "mknod {work}/device", "socket-raw"]
    assert_only_open(place, everyone + (superuser if place.is_root else []))
    place.worker.stop()
    place.start(sandbox="workspace-write")
    assert place.attempt(["capset", "capability"]) == {"capset": "EPERM", "capability": "EPERM"}


def test_a_set_user_id_program_gains_nothing(place):
    copy = place.work / "other-user"
    shutil.copy(ATTEMPTS, copy)
    place.start(sandbox="workspace-write")
    if os.getuid() == 0:
        os.chown(copy, 0 if place.user == "nobody" else NOBODY, -1)
    copy.chmod(0o4755)
    assert place.attempt([f"setuid-program {copy}"]) == {f"setuid-program {copy}": "EPERM"}
    if place.is_root and not os.statvfs(place.work).f_flag & os.ST_NOSUID:
        done = subprocess.run([copy, "--is-somebody-else"], check=False)
        assert done.returncode == 0, "outside it is somebody else"


@pytest.mark.core
def test_the_kernel_s_surface_is_small(place):
    movers = ["mount {work}/mnt", "umount {work}/mnt", "open-tree /", "chroot {work}", "hostname"]
    others = ["tiocsti", "keyctl", "io-uring", "userfaultfd", "remount {work}/.git",
              "umount {work}/.git", "foreign-call"]
    place.start(sandbox="workspace-write")
    confined = place.attempt(movers + others)
    if confined["foreign-call"] == "EOPNOTSUPP":
        del confined["foreign-call"]  # This kernel has none, for anybody.
    assert {k: v for k, v in confined.items() if v not in ("EPERM", "SIGSYS")} == {}
    place.worker.stop()
    place.start()
    # In namespaces of its own, so that the machine is left alone.
    free = place.attempt(movers, prefix=["unshare", "--map-root-user", "--mount", "--uts"])
    assert set(free.values()) == {"ok"}, free
    assert "EPERM" not in place.attempt(["keyctl", "foreign-call", "tiocsti"]).values()


@pytest.mark.core
def test_nothing_outlives_its_request(place):
    place.start(sandbox="workspace-write")
    assert place.attempt(["daemon {work}/lock"]) == {"daemon {work}/lock": "ok"}
    with open(place.work / "lock", "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    place.spool.drop("late", "tool.run", {
        "argv": [str(ATTEMPTS)], "timeout_ms": int(500 * SLOW),
        "stdin": f"daemon {place.work}/late\nread /dev/tty\n"})
    assert place.shell("kill -9 1; kill -9 -1; echo alive")["stdout"] == "alive\n"
    place.spool.wait_response("late")
    with open(place.work / "late", "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def strays(pid: int) -> list[str]:
    """What this process has for children, beside its guards."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{child}/comm").read_text().strip() != "filecall-guard":
                status = Path(f"/proc/{child}/status").read_text().splitlines()
                found.append("; ".join(status[:7]))
    return found


@pytest.mark.core
@pytest.mark.parametrize("prefix", [(), ("setpriv", "--no-new-privs")])
def test_a_tool_without_a_sandbox_that_ends_its_guard_is_ended(place, prefix):
    place.start(prefix=prefix)
    place.spool.drop("beside", "tool.run", shell(
        "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo fine"))
    wait_until((place.work / "begun").exists, "another tool runs")
    answer = place.run({"argv": [str(ATTEMPTS), "--outlive", str(place.work / "lock")]})
    assert answer["status"] == "error" and "signal 9" in answer["error_message"], answer
    with open(place.work / "lock", "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # Nobody is left who holds it.
    # One that has ended counts until the worker, which inherits it, has asked for its end.
    try:
        wait_until(lambda: not strays(place.worker.pid), "no stray is a child")
    except AssertionError:
        raise AssertionError(f"strays: {strays(place.worker.pid)}") from None
    (place.work / "go").touch()
    assert place.spool.wait_response("beside")["data"]["stdout"] == "fine\n"


def test_it_dies_with_the_worker(place):
    place.start(sandbox="workspace-write")
    place.spool.drop("a", "tool.run", {"argv": ["/bin/sh", "-c",
                                                "trap '' TERM; exec 9>held; flock 9; touch begun; "
                                                "while :; do sleep 1; done"]})
    wait_until(lambda: (place.work / "begun").exists(), "the tool runs")
    place.worker.kill()

    def is_free():
        with open(place.work / "held", "rb+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                return False
    wait_until(is_free, "the tool has ended")


def test_figures_and_ends_are_as_without_a_sandbox(place):
    place.start(sandbox="workspace-write", kill_delay="200ms")
    data = place.shell("python3 -c 'sum(range(3000000))'; exit 7")
    assert data["exit_code"] == 7 and data["user_ms"] > 0 and data["max_rss_bytes"] > 1 << 20
    assert place.shell("kill -TERM $$")["signal"] == 15
    answer = place.run({"argv": ["/bin/sh", "-c", "trap 'echo asked; exit 3' TERM; echo on; "
                                 "while :; do sleep 0.02; done"], "timeout_ms": 400})
    assert answer["error_code"] == "deadline_exceeded"
    assert "asked" in answer["error_details"]["stdout"]
    missing = place.run({"argv": [str(place.outside / "secret")]})
    assert missing["error_code"] == "not_found" and "tool.readable" in missing["error_message"]


@pytest.mark.core
@pytest.mark.parametrize("lack,name", [("no-namespaces", "namespaces"), ("no-landlock", "landlock"),
                                       ("no-seccomp", "seccomp")])
def test_a_missing_protection_is_told_and_refused_when_required(place, client, lack, name):
    worker = place.start(prefix=[LESSER, lack, "--"], sandbox="workspace-write", network=False,
                         require_sandbox=False)
    assert any(text.startswith(name + ":") for text in place.spool.status()["missing_protections"])
    assert name + ":" in worker.output()
    assert f"missing protection: {name}" in client.run("doctor", "--allow-shared-root").stdout
    # What is left still holds.
    assert is_refused(place.attempt(["write {out}/other"])["write {out}/other"])
    assert place.attempt(["write {work}/file"]) == {"write {work}/file": "ok"}
    if lack == "no-namespaces":
        results = place.attempt(["unix {out}/daemon", "chmod {out}/other", "utime {out}/other",
                                 "chmod {work}/file"])
        assert {k: v for k, v in results.items() if not is_refused(v)} == {}
    worker.stop()
    for arguments, advice in ((["--require-sandbox"], "--require-sandbox"),
                              ([], "tool.require_sandbox: false")):
        worker = place.start(prefix=[LESSER, lack, "--"], sandbox="workspace-write", wait=False,
                             arguments=arguments)
        assert worker.wait() == 69
        assert name + ":" in worker.output() and advice in worker.output()


def test_nothing_is_missing_here_or_the_status_says_so(place):
    place.start(sandbox="workspace-write", network=False, require_sandbox=True)
    assert place.spool.status()["missing_protections"] == []


@pytest.mark.core
def test_what_fails_at_run_time_is_an_error_and_not_a_free_run(place):
    # The worker asks what there is; then its user namespace loses it.
    place.start(prefix=["unshare", "--user", "--map-root-user"], sandbox="workspace-write")
    assert place.spool.status()["missing_protections"] == []
    place.shell(f"touch {place.work}/before")
    subprocess.run(["nsenter", "--user", f"--target={place.worker.pid}",
                    "sh", "-c", "echo 0 >/proc/sys/user/max_mnt_namespaces"], check=True)
    answers = [place.run(shell(f"touch {place.work}/after")) for _ in range(2)]
    assert [answer["status"] for answer in answers] == ["error", "error"]
    # The first finds a process that was made ahead, with namespaces but without the last mounts.
    assert "namespaces" in answers[1]["error_message"], answers
    assert (place.work / "before").exists() and not (place.work / "after").exists()
