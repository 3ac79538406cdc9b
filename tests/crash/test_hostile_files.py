# SPDX-License-Identifier: MIT
"""Requests that nobody wishes for."""

import os
import random
import time

import pytest

import injection
from harness import SLOW, read_json, wait_until


def memory_kib(pid: int) -> int:
    for line in open(f"/proc/{pid}/status", encoding="ascii"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def peak_kib(pid: int) -> int:
    for line in open(f"/proc/{pid}/status", encoding="ascii"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise AssertionError("no VmHWM")


def malformed(rng: random.Random, stem: str) -> bytes:
    """Every kind of wrong, some random."""
    good = f'{{"request_id":"{stem}","command":"system.echo","params":{{"n":1}}}}'.encode()
    kinds = (
        lambda: b"", lambda: b"{", lambda: b"null", lambda: b"[]", lambda: b"\xff\xfe" + good,
        lambda: good[:rng.randrange(len(good))], lambda: good + good, lambda: good + b"\0",
        lambda: bytes(rng.randrange(256) for _ in range(rng.randrange(1, 80))),
        lambda: good.replace(b'"params"', b'"request_id":"x","params"'),
        lambda: good.replace(stem.encode(), b"other", 1),
        lambda: good.replace(b"system.echo", b"no.such"),
        lambda: good.replace(b"{\"n\":1}", b"[1]"),
        lambda: good.replace(b"{\"n\":1}", b"{},\"timeout_ms\":-5"),
        lambda: good.replace(b"{\"n\":1}", b"{},\"priority\":99"),
        lambda: b'{"a":' * 200 + b"1" + b"}" * 200,
    )
    return rng.choice(kinds)()


def test_ten_thousand_malformed_files_among_good_ones(spool, start_worker):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    worker = start_worker()
    good, bad = [], []
    for i in range(11000):
        stem = f"r{i:05}"
        if i % 11 == 0:
            good.append(stem)
            spool.drop(stem, params={"i": i})
        else:
            bad.append(stem)
            spool.request(stem).write_bytes(malformed(rng, stem))
    wait_until(lambda: len(spool.responses()) == 11000, "all are answered", 120 * SLOW, tick=0.2)
    for stem in good:
        assert spool.response(stem)["status"] == "success", stem
    for stem in bad:
        answer = spool.response(stem)
        if answer["status"] == "success":  # A cut that left all of it, or a comma that was no loss.
            continue
        assert answer["error_code"] in ("invalid_argument", "unimplemented"), answer
        assert answer["request_id"] == stem and answer["error_message"]
    assert worker.process.poll() is None


def test_a_gibibyte_of_nothing(spool, start_worker):
    """A sparse file: refused by its size, not read."""
    worker = start_worker()
    spool.call("warm")
    before = peak_kib(worker.pid)
    with open(spool.root / "requests" / ".big", "wb") as file:
        file.truncate(1 << 30)
    os.rename(spool.root / "requests" / ".big", spool.request("big"))
    answer = spool.wait_response("big")
    assert answer["error_code"] in ("invalid_argument", "resource_exhausted"), answer
    assert "1073741824" in answer["error_message"]
    assert peak_kib(worker.pid) - before < 8192, "it was read into memory"


@pytest.mark.parametrize("shape", ("[", '{"a":', '[{"a":'))
def test_a_hundred_thousand_levels(spool, start_worker, shape):
    worker = start_worker()
    deep = shape * 100_000
    spool.drop_bytes("deep", f'{{"request_id":"deep","command":"system.echo","params":{{"d":{deep}')
    answer = spool.wait_response("deep")
    assert answer["error_code"] == "invalid_argument" and "deep" in answer["error_message"], answer
    assert spool.call("after")["status"] == "success" and worker.process.poll() is None


HOSTILE_NAMES = [
    b"\xff\xfe.json", b"a\nb.json", b"a\x7f.json", b".json", b"..json", b"...json", b" .json",
    b"-rf.json", b"$(reboot).json", b"`id`.json", b";id.json", b"a.json.json", b"a.JSON",
    b"\xe2\x80\xae.json", b"x" * 250 + b".json", b"x" * 200 + b".json", b"x" * 201 + b".json",
    "é" .encode() * 100 + b".json", b"%s%n.json", b"con.json", b"\\.json", b"*.json", b"?.json",
]


def test_hostile_names(spool, start_worker):
    """Each is answered under its own name, or left alone; nothing appears anywhere else."""
    worker = start_worker()
    folder = os.fsencode(spool.root / "requests")
    for name in HOSTILE_NAMES:
        stem = name[:-5].decode(errors="replace")
        import json
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({"request_id": stem, "command": "system.echo", "params": {}}, file)
    spool.barrier("last")
    wait_until(lambda: (spool.root / "responses" / "$(reboot).json").exists(), "it is answered")
    time.sleep(0.5)
    names = set(os.listdir(os.fsencode(spool.root / "responses"))) - {b"last.json"}
    assert names <= set(HOSTILE_NAMES)
    ignored = set(HOSTILE_NAMES) - names
    assert ignored == {b"\xff\xfe.json", b"a\nb.json", b"a\x7f.json", b".json", b"..json",
                       b"...json", b"a.JSON", b"x" * 250 + b".json", b"x" * 201 + b".json"}, ignored
    for name in names:
        assert read_json(os.path.join(os.fsencode(spool.root / "responses"), name)
                         .decode())["status"] == "success"
    assert worker.process.poll() is None


def test_a_link_to_a_secret_is_not_read(spool, folder, start_worker):
    """Not by name, not by error message, not by log."""
    secret = "root:$6$very-secret"
    target = folder / "shadow"
    target.write_text(secret + ":19000::::::\n")
    target.chmod(0o600)
    worker = start_worker("--log-level", "debug")
    for stem, to in (("shadow", "/etc/shadow"), ("mine", target), ("gone", folder / "none"),
                     ("self", spool.request("self")), ("dir", "/etc"), ("zero", "/dev/zero")):
        os.symlink(to, spool.request(stem))
    os.mkfifo(spool.request("fifo"))
    os.mkdir(spool.request("folder"))
    os.mknod(spool.request("device"), 0o020600, os.makedev(1, 5)) if os.geteuid() == 0 else None
    spool.barrier("last")
    wait_until(lambda: spool.status()["counts"]["ignored"] >= 8, "they are counted")
    assert spool.responses() == {"last"}
    for path in (spool.root / "worker").rglob("*"):
        if path.is_file():
            assert secret not in path.read_bytes().decode(errors="replace"), path
    assert secret not in worker.output() and worker.process.poll() is None


def test_responses_is_full_of_traps(spool, folder, start_worker):
    """Links and folders under an answer's name: never written through, never fatal."""
    victim = folder / "victim"
    victim.write_text("mine")
    os.symlink(victim, spool.response_path("link"))
    os.symlink(folder / "nowhere", spool.response_path("dangling"))
    os.mkdir(spool.response_path("folder"))
    worker = start_worker()
    for stem in ("link", "dangling", "folder"):
        spool.drop(stem)
    spool.barrier("last")
    assert victim.read_text() == "mine" and not (folder / "nowhere").exists()
    assert spool.response_path("folder").is_dir() and worker.process.poll() is None
