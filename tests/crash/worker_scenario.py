# SPDX-License-Identifier: MIT
"""A small root for a worker, and the oracle over the files that it leaves."""

import json
import shutil
from collections import Counter
from pathlib import Path

import harness

# Every start of a tool appends its request's id to a ledger outside the root: what the world saw.
NOTE = 'echo "$1" >>"$2"'


def tool(script: str, effects: str) -> dict:
    return {"description": "Notes its start.", "effects": effects,
            "argv": ["sh", "-c", script, "sh", "{id}", "{ledger}"],
            "args": {"type": "object", "required": ["id", "ledger"],
                     "properties": {"id": {"type": "string"}, "ledger": {"type": "string"}}}}


CONFIG = {"tool": {"roots": ["/tmp", "/dev/shm"], "concurrency": 2, "tools": {
    "external": tool(NOTE, "external"),
    "pure": tool(NOTE, "none"),
    "failing": tool(NOTE + "; exit 3", "external"),
}}}
OUTCOMES = {  # By the stem's first word: status and error code when nothing goes wrong.
    "echo": ("success", None), "external": ("success", None), "pure": ("success", None),
    "failing": ("error", "unknown"), "bad": ("error", "invalid_argument"),
    "foreign": ("error", "unimplemented"),
}
HAS_TOOL = ("external", "pure", "failing")


class WorkerScenario:
    """One root that is filled again for every round."""

    def __init__(self, folder, stems):
        self.folder = Path(folder)
        self.stems = list(stems)
        self.ledger = self.folder / "ledger"
        self.config = self.folder / "worker.yaml"
        self.config.write_text(json.dumps(CONFIG))
        self.spool = None

    def fill(self) -> None:
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(mode=0o700)
        self.spool = harness.Spool(root)
        self.ledger.write_text("")
        for stem in self.stems:
            kind = stem.split("-")[0]
            if kind in HAS_TOOL:
                self.spool.drop(stem, "tool.run", {
                    "tool": kind, "check": True, "args": {"id": stem, "ledger": str(self.ledger)}})
            elif kind == "bad":
                self.spool.drop_bytes(stem, json.dumps({"request_id": stem, "command": 7}))
            elif kind == "foreign":
                self.spool.drop(stem, "nobody.knows")
            else:
                self.spool.drop(stem, "system.echo", {"stem": stem})

    def command(self, durability: str = "full") -> list:
        return [harness.worker_program(), "--root", self.spool.root, "--config", self.config,
                "--drain", "--durability", durability, "--log-level", "info"]

    def boot(self, number: int) -> str:
        """The path of a boot id: what was not synced is only lost with a boot."""
        path = self.folder / f"boot-{number}"
        path.write_text(f"boot-{number}\n")
        return str(path)

    def answers(self) -> dict:
        """stem -> bytes of every answer that a reader would see now."""
        return {path.name[:-5]: path.read_bytes()
                for path in (self.spool.root / "responses").glob("*.json")}

    def whole_answers(self) -> dict:
        def is_whole(data) -> bool:
            try:
                return isinstance(json.loads(data), dict)
            except ValueError:
                return False
        return {stem: data for stem, data in self.answers().items() if is_whole(data)}

    def check_whole(self) -> None:
        """True at every moment: what is visible is complete."""
        for stem, data in self.answers().items():
            assert data, f"{stem}: an answer of 0 bytes"
            try:
                answer = json.loads(data)
            except ValueError:
                raise AssertionError(f"{stem}: a torn answer: {data[:200]!r}") from None
            assert answer["request_id"] == stem and answer["status"] in ("success", "error")

    def check_final(self, crashes: int, may_refuse: bool = False) -> None:
        """After a run without faults: every request has the one outcome that it must have.
        `may_refuse`: an injected failure may have kept a tool from being started."""
        self.check_whole()
        starts = Counter(self.ledger.read_text().split())
        missing = set(self.stems) - self.spool.responses()
        assert not missing, f"never answered: {sorted(missing)}"
        for stem in self.stems:
            self._check_answer(stem, self.spool.response(stem), starts[stem], crashes, may_refuse)
        self.check_litter()

    @staticmethod
    def _check_answer(stem, answer, starts, crashes, may_refuse) -> None:
        kind = stem.split("-")[0]
        code = answer.get("error_code")
        story = f"{stem}: started {starts} times, answered {json.dumps(answer)}"
        if kind in ("external", "failing"):
            assert starts <= 1, story
        if may_refuse and kind in HAS_TOOL and code == "unavailable":
            assert starts == 0 and answer["retryable"] is True, story
            return
        if crashes and kind in ("external", "failing") and code == "aborted":
            assert answer["retryable"] is False and "unknown" in answer["error_message"], story
            return
        assert (answer["status"], code) == OUTCOMES[kind], story
        if kind in HAS_TOOL:
            assert 1 <= starts <= 1 + crashes, story
        if kind == "echo":
            assert answer["data"] == {"stem": stem}, story

    def check_litter(self) -> None:
        root = self.spool.root
        for name in ("worker/tmp", "worker/started", "worker/late", "worker/journal"):
            left = sorted(p.name for p in (root / name).glob("*"))
            assert not left, f"{name} still holds {left}"
        for name in ("requests", "responses", "worker"):
            left = sorted(p.name for p in (root / name).iterdir() if p.name.startswith("."))
            assert not left, f"{name} still holds {left}"
