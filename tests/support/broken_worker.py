# SPDX-License-Identifier: MIT
"""scripts/examples/worker.py with one mistake: broken_worker.py MISTAKE ROOT [PROGRAM...]"""

import importlib.util
import os
import sys
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "scripts" / "examples" / "worker.py"
SPEC = importlib.util.spec_from_file_location("worker", PATH)
worker = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(worker)


def replacing(path, stem):
    os.replace(path, f"responses/{stem}.json")


def answers_twice():
    """Every scan answers everything again."""
    is_there = worker.is_there
    worker.is_there = lambda folder, stem: folder == "requests" and is_there(folder, stem)
    worker.publish = replacing


def overwrites():
    """A response that somebody published meanwhile is lost."""
    worker.publish = replacing


def reads_half():
    """What does not parse is refused at once, also while a writer has it open."""
    worker.fcntl.fcntl = lambda *_: 0
    worker.look = replaced_in_look("0.25 if seen[0] else 2", "0")


def follows_links():
    worker.os.O_NOFOLLOW = 0


def takes_no_lock():
    worker.fcntl.flock = lambda *_: None


def keeps_no_record():
    """Nothing tells the next worker what was started."""
    save, sync = worker.save, worker.sync

    def save_elsewhere(path, **members):
        save(path, **members)
        if "command" in members:
            os.unlink(path)

    worker.save, worker.sync = save_elsewhere, lambda path: os.path.exists(path) and sync(path)


def replaced_in_look(old, new):
    text = PATH.read_text(encoding="utf-8")
    assert old in text, f"{old} is not in {PATH}"
    scope = worker.__dict__.copy()
    exec(compile(text.replace(old, new), str(PATH), "exec"), scope)  # pylint: disable=exec-used
    return scope["look"]


if __name__ == "__main__":
    {name: mistake for name, mistake in list(globals().items()) if callable(mistake)}[
        sys.argv[1].replace("-", "_")]()
    worker.main(*sys.argv[2:])
