# SPDX-License-Identifier: MIT
"""The fault library itself: it does what it is told, and it catches publishers that are wrong."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

import injection
from injection import Fault

PYTHON = os.path.realpath("/usr/bin/python3")
TEXT = "x" * 1000


def run(folder, script, fault, check=True):
    root = folder / "root"
    (root / "d").mkdir(parents=True, exist_ok=True)
    code = "import os\n" + textwrap.dedent(script)
    ended = injection.run(fault, [PYTHON, "-I", "-S", "-c", code], root, folder,
                          PYTHONDONTWRITEBYTECODE="1", D=str(root / "d"), OUT=str(folder / "said"))
    if check:
        assert ended.code in (0, -signal.SIGKILL), ended.output
    return ended


# Each publishes d/final with TEXT, and says "done" in a file outside the root.
START = f'''
d = os.open(os.environ["D"], os.O_RDONLY)
def write(name, sync):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=d)
    assert os.write(fd, b"{TEXT}") == 1000
    if sync: os.fsync(fd)
    os.close(fd)
def say():
    with open(os.environ["OUT"], "w") as f: f.write("done")
'''
PUBLISHERS = {
    "right": "write('t', True); os.rename('t', 'final', src_dir_fd=d, dst_dir_fd=d); os.fsync(d)",
    "in place": "write('final', True); os.fsync(d)",
    "in place, no sync": "write('final', False)",
    "rename, no sync": "write('t', False); os.rename('t', 'final', src_dir_fd=d, dst_dir_fd=d)",
    "only the directory": "write('t', False); os.rename('t', 'final', src_dir_fd=d, dst_dir_fd=d);"
                          "os.fsync(d)",
    "no directory": "write('t', True); os.rename('t', 'final', src_dir_fd=d, dst_dir_fd=d)",
}


def flaws(folder, script, forget) -> set:
    """What a crash at each operation showed: torn, lost."""
    total = run(folder, script, Fault()).seen
    found = set()
    for at in range(1, total + 1):
        # After one operation is before the next; the last one is after all.
        for mode in ("crash-before", "crash-torn") + (("crash-after",) if at == total else ()):
            for path in (folder / "root" / "d").iterdir():
                path.unlink()
            (folder / "said").unlink(missing_ok=True)
            run(folder, script, Fault(mode, at, forget=forget))
            final = folder / "root" / "d" / "final"
            if final.exists() and final.read_text() != TEXT:
                found.add("torn")
            if (folder / "said").exists() and not final.exists():
                found.add("lost")
    return found


@pytest.mark.parametrize("name,expected", [
    ("right", set()), ("in place", {"torn"}), ("in place, no sync", {"torn", "lost"}),
    ("rename, no sync", {"torn", "lost"}), ("only the directory", {"torn"}),
    ("no directory", {"lost"})])
def test_a_wrong_publisher_is_caught(folder, name, expected):
    script = START + PUBLISHERS[name] + "\nsay()\nos.stat(d)\nos.close(d)\n"
    found = set()
    for forget in injection.FORGETTING + tuple(f"some:{seed}" for seed in range(2)):
        found |= flaws(folder, script, forget)
    assert found == expected


def test_without_forgetting_a_crash_loses_nothing(folder):
    script = START + PUBLISHERS["rename, no sync"] + "\nsay()\nos.close(d)\n"
    assert flaws(folder, script, "") == set()


def test_a_thread_with_a_lost_page_mapped_does_not_end_the_process(folder):
    script = START + '''
import mmap, threading
for n in range(200): write(f"other{n}", False)
write("mapped", False)
fd = os.open("mapped", os.O_RDONLY, dir_fd=d)
page = mmap.mmap(fd, 1000, prot=mmap.PROT_READ)
def read():
    while True: page[0]
threading.Thread(target=read, daemon=True).start()
os.stat("mapped", dir_fd=d)
os.mkdir("last", dir_fd=d)
'''
    total = run(folder, script + "os._exit(0)", Fault(forget="all")).seen
    for path in (folder / "root" / "d").iterdir():
        path.rmdir() if path.is_dir() else path.unlink()
    ended = run(folder, script, Fault("crash-before", total, forget="all"), check=False)
    assert ended.code == -signal.SIGKILL, ended.output


@pytest.mark.parametrize("synchronous,expected", [("FULL", 0), ("OFF", 1)])
def test_a_database_is_only_as_durable_as_it_syncs(folder, synchronous, expected):
    script = f'''
    import sqlite3
    db = sqlite3.connect(os.path.join(os.environ["D"], "state.db"), isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL"); db.execute("PRAGMA synchronous={synchronous}")
    db.execute("CREATE TABLE t (n)")
    for n in range(5):
        db.execute("INSERT INTO t VALUES (?)", (n,))
        with open(os.environ["OUT"], "w") as f: f.write(str(n))
    '''
    losses = 0
    total = run(folder, script, Fault()).seen
    for at in range(1, total + 1):
        for path in (folder / "root" / "d").iterdir():
            path.unlink()
        (folder / "said").unlink(missing_ok=True)
        run(folder, script, Fault("crash-before", at, forget="all"))
        if not (folder / "said").exists():
            continue
        said = int((folder / "said").read_text())
        count = subprocess.run([sys.executable, "-c", "import sqlite3, sys\n"
                                "print(sqlite3.connect(sys.argv[1]).execute("
                                "'SELECT count(*) FROM t').fetchone()[0])",
                                str(folder / "root" / "d" / "state.db")],
                               capture_output=True, text=True, check=False).stdout
        losses += not count or int(count) < said + 1
    assert (losses > 0) == bool(expected), f"{losses} of {total} crashes lost a committed row"


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_operation_fails_as_told(folder, error):
    script = '''
    try:
        os.close(os.open(os.path.join(os.environ["D"], "a"), os.O_WRONLY | os.O_CREAT))
        print("fine")
    except OSError as e:
        print(e.errno)
    '''
    import errno
    ended = run(folder, script, Fault("fail", 1, error, ops="create"))
    # Python repeats what was interrupted.
    assert ended.output.strip() == ("fine" if error == "EINTR" else str(getattr(errno, error)))
    assert ended.injected == 1


def test_short_writes_and_counts(folder):
    script = '''
    fd = os.open(os.path.join(os.environ["D"], "a"), os.O_WRONLY | os.O_CREAT)
    print(os.write(fd, b"12345678"), os.write(fd, b"12345678"), os.write(fd, b"12345678"))
    '''
    ended = run(folder, script, Fault("short", 2, ops="write"))
    assert ended.output.split() == ["8", "4", "8"] and (ended.seen, ended.injected) == (3, 1)


def test_a_failed_sync_stays_failed(folder):
    """The second call reports success and has written nothing: so does Linux."""
    script = START + '''
fd = os.open("final", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=d)
os.fsync(d)
os.write(fd, b"lost")
try: os.fsync(fd)
except OSError: pass
os.fsync(fd)
os.fsync(d)
'''
    root = folder / "root" / "d" / "final"
    for crash_at in (3, 4):
        root.unlink(missing_ok=True)
        fault = Fault("fail", 2, "EIO", ops="sync", forget="all", crash_at=crash_at)
        run(folder, script, fault)
        assert root.read_bytes() == b""


def test_other_places_and_programs_are_left_alone(folder):
    script = '''
    fd = os.open(os.environ["OUT"], os.O_WRONLY | os.O_CREAT); os.write(fd, b"x"); os.close(fd)
    print(os.spawnl(os.P_WAIT, "/bin/sh", "sh", "-c", "echo x >$D/from-child"))
    '''
    ended = run(folder, script, Fault("crash-before", 1))
    assert ended.output.split() == ["0"] and ended.seen == 0
