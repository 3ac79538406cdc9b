# SPDX-License-Identifier: MIT
"""filespooler: a queue of packets in a directory, a process to write one and one to run one.

  filespooler_peer.py ROOT worker | latency N | throughput N W

It has no daemon: the worker looks for packets every 2 ms and runs `fspl queue-process`.
"""

import json
import os
import subprocess
import sys
import time

ROOT, MODE, NUMBERS = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]
QUEUE, ANSWERS, SEQUENCE = ROOT + "/queue", ROOT + "/answers", ROOT + "/sequence"
BODY = b'{"command":"system.echo","params":{"text":"hello","number":42}}'
SCRIPT = ROOT + "/answer.sh"
ANSWER = f'#!/bin/sh\ncat > "{ANSWERS}/.t" && mv "{ANSWERS}/.t" "{ANSWERS}/$FSPL_SEQ"\n'


def worker():
    os.makedirs(ANSWERS, exist_ok=True)
    subprocess.run(["fspl", "queue-init", "-q", QUEUE], check=True)
    with open(SCRIPT, "w", encoding="utf-8") as file:
        file.write(ANSWER)
    os.chmod(SCRIPT, 0o700)
    with open(ROOT + "/ready", "w", encoding="utf-8"):
        pass
    while True:
        if any(name.endswith(".fspl") for name in os.listdir(QUEUE + "/jobs")):
            subprocess.run(["fspl", "queue-process", "-q", QUEUE, SCRIPT], check=False)
        else:
            time.sleep(0.002)


def send():
    packet = subprocess.run(["fspl", "prepare", "-s", SEQUENCE, "-i", "-"], input=BODY, check=True,
                            stdout=subprocess.PIPE).stdout
    subprocess.run(["fspl", "queue-write", "-q", QUEUE], input=packet, check=True)


def answered():
    return sum(not name.startswith(".") for name in os.listdir(ANSWERS))


def wait_for(count):
    limit = time.monotonic() + 120
    while answered() < count:
        if time.monotonic() > limit:
            sys.exit("no answer for two minutes")
        time.sleep(0.0005)


def latency(count):
    times, before = [], answered()
    for i in range(count):
        begin = time.perf_counter()
        send()
        wait_for(before + i + 1)
        times.append((time.perf_counter() - begin) * 1e6)
    times.sort()
    print(json.dumps({"p50_us": times[count // 2], "p99_us": times[count * 99 // 100]}))


def throughput(count, _window):
    begin, before = time.perf_counter(), answered()
    for _ in range(count):
        send()
    wait_for(before + count)
    print(json.dumps({"per_s": count / (time.perf_counter() - begin)}))


{"worker": worker, "latency": latency, "throughput": throughput}[MODE](*NUMBERS)
