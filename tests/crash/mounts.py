# SPDX-License-Identifier: MIT
"""Small file systems for tests; where mounting is forbidden, the test is skipped and says so."""

import contextlib
import os
import subprocess
from pathlib import Path

import pytest


def _run(*command) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


@contextlib.contextmanager
def mounted(target, *arguments):
    """mount ARGUMENTS TARGET for the time of the block."""
    target = Path(target)
    target.mkdir(parents=True, exist_ok=True)
    done = _run("mount", *arguments, target)
    if done.returncode != 0:
        why = done.stderr.strip() or f"exit {done.returncode}"
        pytest.skip(f"this machine forbids mounting ({why}); run as root outside a container")
    try:
        yield target
    finally:
        if _run("umount", target).returncode != 0:
            _run("umount", "-l", target)


def small_tmpfs(target, size: str, inodes: int = 0):
    options = f"size={size},mode=0700" + (f",nr_inodes={inodes}" if inodes else "")
    return mounted(target, "-t", "tmpfs", "-o", options, "tmpfs")


def make_ext4(image, megabytes: int) -> None:
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    done = _run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
    if done.returncode != 0:
        pytest.skip(f"no ext4 can be made here: {done.stderr.strip()}")


def ext4(image, target):
    """`commit=1`: the file system issues what it has once a second, as a loaded one would."""
    return mounted(target, "-o", "loop,commit=1", image)


def remount(target, *flags) -> None:
    done = _run("mount", "-o", ",".join(["remount", *flags]), target)
    if done.returncode != 0:
        pytest.skip(f"this machine forbids remounting: {done.stderr.strip()}")


def is_root() -> bool:
    return os.geteuid() == 0
