# SPDX-License-Identifier: MIT
"""Threads: how long the last records of a large one take, and a list of many.

Each is one start of the program, beside what else one might start: tail(1) for the last lines, and
grep(1), which opens and counts the same files. Medians; they take turns. --record puts the table
into RESULTS.md.
"""
import argparse
import ctypes
import ctypes.util
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import record

TOP = Path(__file__).resolve().parents[2]
XXHASH = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
AT = "2026-11-20T22:31:27.104Z"


def line_of(seq, kind, data, run=""):
    part = (f'{{"seq":{seq},"at":"{AT}","type":"{kind}"' + (f',"run":"{run}"' if run else "") +
            f',"data":{data}').encode()
    return part + f',"check":"{XXHASH.XXH3_64bits(part, len(part)):016x}"}}\n'.encode()


def write_large(path, wanted):
    """Lines of some KiB each, as results of tools are."""
    with open(path, "wb") as file:
        file.write(line_of(1, "thread.created", '{"title":"Large"}'))
        written, seq = 0, 1
        while written < wanted:
            seq += 1
            text = "x" * (1000 + seq * 7919 % 15000)
            written += file.write(line_of(seq, "call.ended", f'{{"text":"{text}"}}', "run-a"))


def write_many(folder, count):
    for number in range(count):
        lines = [line_of(1, "thread.created", f'{{"title":"Thread {number}"}}')]
        for seq in range(2, 12):
            lines.append(line_of(seq, "message", '{"role":"user","text":"' + "y" * 200 + '"}'))
        (folder / f"thread-{number:05d}.jsonl").write_bytes(b"".join(lines))


def once(command):
    """(milliseconds, MiB at its peak)"""
    begun = time.perf_counter()
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        raise RuntimeError(f"{command}: status {status}")
    return (time.perf_counter() - begun) * 1000, usage.ru_maxrss / 1024


def measured(ours, other, rounds):
    rows = [(once(ours), once(other)) for _ in range(rounds + 1)][1:]
    columns = [[one[side][what] for one in rows] for side in (0, 1) for what in (0, 1)]
    return [statistics.median(column) for column in columns]


def table(rows):
    lines = ["| what | ours | memory | beside | ratio | target | met |",
             "|---|---:|---:|---|---:|---:|---:|"]
    for what, name, (ours, mib, other, _), ms_max, mib_max in rows:
        met = ours <= ms_max and (mib_max is None or mib <= mib_max)
        target = f"<= {ms_max} ms" + (f", <= {mib_max} MiB" if mib_max else "")
        lines.append(f"| {what} | {ours:.1f} ms | {mib:.1f} MiB | {name} {other:.1f} ms | "
                     f"{ours / other:.2f} | {target} | {'yes' if met else 'no'} |")
    return "\n".join(lines)


def measure(program, folder, options):
    root = folder / "large"
    for name in ("requests", "responses", "threads"):
        (root / name).mkdir(mode=0o700, parents=True)
    write_large(root / "threads/large.jsonl", options.bytes)
    client = [program, "thread"]
    last = measured([*client, "show", "large", "--last", "50", "--json", "--root", root],
                    ["tail", "-n", "50", root / "threads/large.jsonl"], options.rounds)
    shutil.rmtree(root)
    root = folder / "many"
    for name in ("requests", "responses", "threads"):
        (root / name).mkdir(mode=0o700, parents=True)
    write_many(root / "threads", options.threads)
    listed = measured([*client, "list", "--json", "--root", root],
                      ["grep", "-rc", "", root / "threads"], options.rounds)
    size = f"{options.bytes / 1e9:.1f} GB"
    return [(f"the last 50 records of a thread of {size}", "`tail -n 50`", last, 50, 64),
            (f"a list of {options.threads:,} threads of 11 records", "`grep -rc ''`", listed, 100,
             None)]


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/threads.py", description=__doc__)
    parser.add_argument("--program", default=TOP / "build/release/bin/filecall", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--bytes", type=int, default=10 ** 9)
    parser.add_argument("--threads", type=int, default=10_000)
    parser.add_argument("--folder", help="where the roots are made (default: a temporary folder)")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="filecall-threads-", dir=options.folder))
    try:
        text = table(measure(options.program, folder, options))
    finally:
        shutil.rmtree(folder)
    load = os.getloadavg()[0]
    text = (f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} CPUs, load {load:.1f}. Medians of "
            f"{options.rounds} starts each.\n\n{text}")
    print(text)
    if options.record:
        record.replace("threads", text)


if __name__ == "__main__":
    main()
