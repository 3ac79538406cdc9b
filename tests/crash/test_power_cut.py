# SPDX-License-Identifier: MIT
"""A real file system loses power: ext4 on a loop device whose backing file is copied while the
worker writes. The copy holds what the file system has issued so far, so it is what a disk would
hold; it is mounted, and a new worker goes on. (Not reproduced: reordering within the device, torn
sectors.)
"""

import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import harness
import injection
import mounts
from harness import SLOW, Spool, read_json, wait_until
from worker_scenario import CONFIG

CUTS = 40 if injection.LONG else 2
REBOOT = 'mount --bind "$1" /proc/sys/kernel/random/boot_id && shift && exec "$@"'


def start(spool, folder, name, *flags, boot=None):
    """`boot`: another boot id than the kernel's; only root may say so, as only root may mount."""
    config = folder / "worker.yaml"
    config.write_text(json.dumps(CONFIG))
    log = folder / f"{name}.log"
    with open(log, "wb") as out:
        command = [harness.worker_program(), "--root", spool.root, "--config", config, *flags]
        if boot:
            (folder / "boot-id").write_text(boot + "\n")
            command = ["unshare", "-m", "sh", "-c", REBOOT, "sh", folder / "boot-id", *command]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


def answers(spool) -> dict:
    return {p.name[:-5]: p.read_bytes() for p in (spool.root / "responses").glob("*.json")}


def drop(spool, ledger, stems) -> None:
    for stem in stems:
        kind = stem.split("-")[0]
        if kind == "echo":
            spool.drop(stem, params={"stem": stem})
        else:
            spool.drop(stem, "tool.run", {"tool": kind, "args": {"id": stem,
                                                                 "ledger": str(ledger)}})
    subprocess.run(["sync", "-f", str(spool.root)], check=True)


def copy_image(image: Path, to: Path) -> None:
    """Sparse, and as quick as can be: a cut is an instant."""
    subprocess.run(["cp", "--sparse=always", str(image), str(to)], check=True)


def check_answers(spool, seen_early) -> None:
    """`seen_early`: answers that were given well before the copy began."""
    for stem, data in answers(spool).items():
        assert data, f"{stem}: 0 bytes after the power cut"
        assert json.loads(data)["request_id"] == stem
    for stem, data in seen_early.items():
        assert answers(spool).get(stem) == data, f"{stem}: an answer that was given is lost"


def check_after(spool, ledger, stems, seen_early, durability) -> None:
    # With a journal the promise holds from the next start on.
    if durability != "journal":
        check_answers(spool, seen_early)
    worker = start(spool, ledger.parent, "after", "--drain", boot="after-the-cut")
    assert worker.wait(60 * SLOW) == 0, (ledger.parent / "after.log").read_text()
    check_answers(spool, seen_early)
    starts = Counter(ledger.read_text().split())
    for stem in stems:
        if not spool.request(stem).exists():
            continue
        answer = spool.response(stem)
        story = f"{stem}: started {starts[stem]} times, {answer}"
        assert answer is not None, story
        if stem.startswith("external"):
            assert starts[stem] <= 1, story
            assert answer["status"] == "success" or answer["error_code"] == "aborted", story
        else:
            assert answer["status"] == "success", story


@pytest.mark.parametrize("durability", ["full", "journal"])
def test_an_answer_that_was_given_survives(folder, durability):
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    shape = ("echo", "external", "pure")
    disk = Path(os.environ.get("FILECALL_TEST_TMP", "/tmp")) / f"filecall-cut-{os.getpid()}"
    disk.mkdir()
    try:
        for cut in range(CUTS):
            stems = [f"{rng.choice(shape)}-{cut}-{i}" for i in range(150)]
            one_cut(disk, folder, stems, rng, durability)
    finally:
        shutil.rmtree(disk, ignore_errors=True)


def one_cut(disk, folder, stems, rng, durability) -> None:
    image, copy, ledger = disk / "image", disk / "copy", folder / "ledger"
    ledger.write_text("")
    mounts.make_ext4(image, 48)
    with mounts.ext4(image, folder / "before") as mounted:
        spool = Spool(mounted / "root")
        spool.root.chmod(0o700)
        drop(spool, ledger, stems)
        worker = start(spool, folder, "before", "--durability", durability)
        try:
            time.sleep(rng.uniform(0.2, 1.5) * SLOW)
            # Two looks apart in time: what the first one saw was synced before the second.
            early = answers(spool)
            wait_until(lambda: harness.is_alive(worker.pid), "it works")
            time.sleep(0.3)
            copy_image(image, copy)
        finally:
            worker.kill()
            worker.wait()
    with mounts.ext4(copy, folder / "after") as mounted:
        after = Spool(mounted / "root")
        check_after(after, ledger, stems, early, durability)
    print(f"{len(early)} answers given before the cut, {len(stems)} requests")


def test_the_method_can_fail(folder):
    """Without its syncs the same worker loses or tears answers, so the test above means something.
    """
    disk = Path(os.environ.get("FILECALL_TEST_TMP", "/tmp")) / f"filecall-cut-{os.getpid()}-none"
    disk.mkdir()
    try:
        image, copy = disk / "image", disk / "copy"
        mounts.make_ext4(image, 48)
        with mounts.ext4(image, folder / "before") as mounted:
            spool = Spool(mounted / "root")
            spool.root.chmod(0o700)
            drop(spool, folder / "ledger", [f"echo-{i}" for i in range(200)])
            worker = start(spool, folder, "none", "--durability", "none")
            try:
                wait_until(lambda: len(answers(spool)) == 200, "all are answered", tick=0.001)
                copy_image(image, copy)
            finally:
                worker.kill()
                worker.wait()
        with mounts.ext4(copy, folder / "after") as mounted:
            whole = [s for s in range(200)
                     if read_json(mounted / "root" / "responses" / f"echo-{s}.json")]
            if len(whole) == 200:
                pytest.skip("the file system was too quick: everything was written by then")
    finally:
        shutil.rmtree(disk, ignore_errors=True)
