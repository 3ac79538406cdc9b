# SPDX-License-Identifier: MIT
"""What a batch of model calls costs in HTTP calls, counted at the endpoint, never time."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

import batch_peers
from rig import Rig

TOP = Path(__file__).resolve().parents[2]
PROGRAMS = [Path(os.environ.get("FILECALL_BIN_DIR", "/nonexistent")), TOP / "build/release/bench",
            TOP / "build/dev/bin"]
ENDPOINT = next((p / "llm-endpoint" for p in PROGRAMS if (p / "llm-endpoint").exists()), None)

pytestmark = pytest.mark.skipif(not os.environ.get("FILECALL_WORKER_BIN") or not ENDPOINT,
                                reason="FILECALL_WORKER_BIN names no worker, or no llm-endpoint")


class Place(Rig):
    """The programs and a folder; nothing that measures."""

    def __init__(self, folder):
        self._folder = folder
        self.endpoint_program = ENDPOINT
        self.worker_program = Path(os.environ["FILECALL_WORKER_BIN"])
        self.filecall_program = self.worker_program.parent / "filecall"

    @contextmanager
    def root(self, _medium):
        yield self._folder


def batch(folder, *options):
    place = Place(folder)
    return batch_peers.measure_one(place, batch_peers.ours(place), 100, 300, 20, *options)


def test_a_batch_makes_one_call_a_request(tmp_path):
    found = batch(tmp_path)
    assert found["answered"] == 300 and found["attempts"] == 1 and found["refused"] == 0


def test_a_limited_batch_comes_again_when_it_was_told(tmp_path):
    found = batch(tmp_path, "--limit", 50, "--retry-after", 1)
    print(found)
    assert found["refused"] > 0, "nothing was limited"
    assert found["early"] == 0
    # Being told when to come back uses up no attempt, however often.
    assert found["answered"] == 300
    # Pools that do not slow down make two.
    assert found["attempts"] < 1.8
