# SPDX-License-Identifier: MIT
"""A small batch for the client, a worker that counts, and the oracle over what they leave."""

import json
import shutil
from pathlib import Path

import fake_worker
import harness

# Stem's first word -> attempts that it must take, final state.
ENDS = {"good": (1, "SUCCESS"), "flaky": (2, "SUCCESS"), "failing": (3, "GAVE_UP"),
        "fatal": (1, "GAVE_UP")}


def answer(request: dict, attempt: int) -> dict:
    kind = request["request_id"].split("-")[0]
    if kind == "good" or (kind == "flaky" and attempt > 1):
        return fake_worker.success({"attempt": attempt})
    if kind == "fatal":
        return fake_worker.error(f"attempt {attempt}", retryable=False)
    return fake_worker.error(f"attempt {attempt}")


class ClientScenario:
    """One root and one batch; the worker lives for one round."""

    def __init__(self, folder, stems):
        self.folder = Path(folder)
        self.stems = list(stems)
        self.batch = self.folder / "batch.jsonl"
        self.batch.write_text("".join(json.dumps(
            {"request_id": stem, "command": "system.echo", "params": {}}) + "\n"
            for stem in self.stems))
        self.spool = None
        self.worker = None

    def __enter__(self):
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(mode=0o700)
        self.spool = harness.Spool(root)
        self.worker = fake_worker.FakeWorker(self.spool, answer)
        return self

    def __exit__(self, *_):
        self.worker.stop()

    def command(self) -> list:
        return [harness.client_program(), "run", "--root", self.spool.root, "--no-start-worker",
                "--backoff", "1ms", "--backoff-max", "5ms", self.batch]

    def check_failed_copies(self) -> None:
        """True at every moment: a copy is whole, and a request of that name was given up."""
        for path in (self.spool.root / "failed").glob("*.json"):
            copy = harness.read_json(path)
            assert copy, f"failed/{path.name}: torn: {path.read_bytes()!r}"
            assert copy["request_id"] == path.name[:-5] and copy["status"] == "error", copy

    def check_final(self, has_failures: bool = False, leftovers_max: int = 0) -> None:
        """`leftovers_max`: temporary files that a killed client, or a failing unlink, may leave:
        another client cannot know whose they are. They are swept when they are old."""
        client = harness.Client(self.spool, self.folder)
        rows = {row["request_id"]: row for row in client.status()["requests"]}
        for stem in self.stems:
            attempts, state = ENDS[stem.split("-")[0]]
            row = rows.get(stem)
            story = f"{stem}: executed {self.worker.attempts.get(stem)} times, {row}"
            assert row is not None and row["state"] == state, story
            assert self.worker.attempts.get(stem) == attempts, story
            assert row["attempt"] == attempts, story
            final = self.spool.response(stem)
            assert final["status"] == ("success" if state == "SUCCESS" else "error"), final
            copy = harness.read_json(self.spool.failed_path(stem))
            if copy is None or "written_by" not in copy.get("error_details", {}):
                assert copy == (final if state == "GAVE_UP" else None), f"{story}: copy {copy}"
            else:  # The client's own, when the response could not be read for once.
                assert has_failures and copy["error_message"] == final["error_message"], story
            assert self.spool.request(stem).exists(), story
        self.check_failed_copies()
        left = [path for name in ("requests", "responses", "failed", "client/tmp")
                for path in (self.spool.root / name).iterdir() if path.name.startswith(".")]
        assert len(left) <= leftovers_max, f"left behind: {left}"
