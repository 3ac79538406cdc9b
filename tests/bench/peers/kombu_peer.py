# SPDX-License-Identifier: MIT
"""kombu's filesystem transport (what Celery uses without a broker): two queues, jobs and answers.

  kombu_peer.py ROOT worker | latency N | throughput N W

It polls; its default is once a second. Here it polls every 10 ms, which is kinder to it.
"""

import json
import os
import socket
import sys
import time

from kombu import Connection

ROOT, MODE, NUMBERS = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]
BODY = {"request_id": "r0123456789abcdef-0000000", "command": "system.echo",
        "params": {"text": "hello", "number": 42}}


class Peer:
    def __init__(self):
        folder = ROOT + "/queue"
        os.makedirs(folder, exist_ok=True)
        connection = Connection("filesystem://", transport_options={
            "data_folder_in": folder, "data_folder_out": folder, "polling_interval": 0.01})
        incoming, outgoing = ("jobs", "answers") if MODE == "worker" else ("answers", "jobs")
        self.incoming = connection.SimpleQueue(incoming, serializer="json")
        self.outgoing = connection.SimpleQueue(outgoing, serializer="json")

    def take(self):
        message = self.incoming.get(block=True, timeout=120)
        message.ack()
        return message.payload


def worker(peer):
    with open(ROOT + "/ready", "w", encoding="utf-8"):
        pass
    while True:
        try:
            peer.outgoing.put(peer.take())
        except (socket.timeout, peer.incoming.Empty):
            pass


def latency(peer, count):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        peer.outgoing.put(BODY)
        peer.take()
        times.append((time.perf_counter() - begin) * 1e6)
    times.sort()
    print(json.dumps({"p50_us": times[count // 2], "p99_us": times[count * 99 // 100]}))


def throughput(peer, count, window):
    begin = time.perf_counter()
    sent = answered = 0
    while answered < count:
        while sent < count and sent - answered < window:
            peer.outgoing.put(BODY)
            sent += 1
        peer.take()
        answered += 1
    print(json.dumps({"per_s": count / (time.perf_counter() - begin)}))


{"worker": worker, "latency": latency, "throughput": throughput}[MODE](Peer(), *NUMBERS)
