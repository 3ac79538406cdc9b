# SPDX-License-Identifier: MIT
"""Which calls that name files a source file makes, and the table that says how each path is bound.

The table is file_calls.txt: a row is `path | calls | binding | how`. A new call, or a call that is
gone, needs a new reading of the file.
"""

import re
from typing import Iterator

from rules import strip_comments

# How a path is bound. A file that has several of them names the weakest of those that others than
# the owner could use, and says the others in words.
BINDINGS = {
    "descriptor": "a name in a directory that is open, or a descriptor alone",
    "root": "below a root (or a cache directory) whose owner and mode were checked when it was "
            "opened; names in it are checked stems or constants",
    "user": "the owner's own words: the command line, the configuration, the environment",
    "constant": "a constant of /proc, /sys, /dev or /etc",
    "install": "a program that was installed beside this one, or that the owner's PATH names",
    "sandbox": "in a run's own mount namespace, whose tree the guard made itself",
    "wrapper": "the caller's path: the callers have rows of their own",
}

# Of libc: written with `::` before them.
_LIBC = frozenset("""
    access bind chdir chmod chown chroot connect creat execv execve execveat execvp faccessat fchdir
    fchmod fchmodat fchown fchownat fdopendir fexecve fopen freopen fstatat ftruncate futimens
    getxattr fgetxattr inotify_add_watch lchown link linkat lstat lstat64 mkdir mkdirat mkdtemp
    mkfifo mkfifoat mknod mknodat mkostemp mkstemp mount mount_setattr nftw open openat openat2
    opendir posix_spawn posix_spawnp readlink readlinkat realpath removexattr remove rename renameat
    renameat2 rmdir scandir setxattr shm_open stat statfs statvfs statx symlink symlinkat tmpfile
    truncate umount2 unlink unlinkat utimensat""".split())
# Of our own, of std and of libraries.
_OTHERS = frozenset("""
    open_file open_regular open_regular_at open_regular_file_at read_named_file read_regular_file
    read_file make_directories open_in call_program program_output posix_spawn sqlite3_open
    sqlite3_open_v2 sqlite3_open16""".split())
_STD = frozenset("rename remove fopen freopen tmpfile".split())
_CALLS = [
    (re.compile(r"(?<![\w.>:])::(\w+)\s*\("), lambda name: name if name in _LIBC else None),
    (re.compile(r"(?<![\w.>:])(?:(?:filecall|spool|guard)::)?(\w+)\("),
     lambda name: name if name in _OTHERS else None),
    (re.compile(r"\bstd::(\w+)\s*\("), lambda name: name if name in _STD else None),
    (re.compile(r"\b(?:std::filesystem|fs)::(\w+)"),
     lambda name: None if name == "path" else f"filesystem::{name}"),
    (re.compile(r"\bstd::(i?o?fstream)\b"), lambda name: name),
    (re.compile(r"\b(uv_fs_\w+)\s*\("), lambda name: name),
    (re.compile(r"\bsyscall\s*\(\s*SYS_(openat2|open_tree|move_mount|pivot_root|mount_setattr|"
                r"execveat|openat|open)\b"), lambda name: f"SYS_{name}"),
    (re.compile(r"\b(CURLOPT_(?:CAINFO|CAPATH|SSLCERT|SSLKEY|COOKIEFILE|NETRC_FILE|"
                r"UNIX_SOCKET_PATH))\b"), lambda name: name),
]


def calls_of(path: str, text: str) -> set[str]:
    """What a header declares is no call."""
    found = set()
    for pattern, name_of in _CALLS:
        for match in pattern.finditer(strip_comments(text)):
            name = name_of(match.group(1))
            if name and not (path.endswith(".h") and name in _OTHERS):
                found.add(name)
    return found


def parse(table: str) -> Iterator[tuple[str, list[str], str, str]]:
    for line in table.splitlines():
        if line and not line.startswith("#"):
            words = [word.strip() for word in line.split("|")]
            path, calls, binding, how = (words + [""] * 4)[:4]
            yield path, calls.split(), binding, how


def disagreements(table: str, sources: dict[str, str]) -> Iterator[str]:
    """`sources`: path -> text."""
    rows = list(parse(table))
    paths = [row[0] for row in rows]
    if paths != sorted(set(paths)):
        yield "the rows are not sorted by path, one a file"
    for path, calls, binding, how in rows:
        if binding not in BINDINGS:
            yield f"{path}: '{binding}' is no binding: {', '.join(BINDINGS)}"
        if not how:
            yield f"{path}: says not how its paths are bound"
        if path not in sources:
            yield f"{path}: is not there (any more)"
        elif sorted(calls_of(path, sources[path])) != calls:
            yield (f"{path}: makes the calls '{' '.join(sorted(calls_of(path, sources[path])))}', "
                   f"the row says '{' '.join(calls)}'; read it again")
    for path in sorted(set(sources) - set(paths)):
        if calls := calls_of(path, sources[path]):
            yield f"{path}: makes the calls '{' '.join(sorted(calls))}' and has no row"
