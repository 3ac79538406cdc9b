# SPDX-License-Identifier: MIT
"""A root with answers and evaluations, written as files alone: no worker, no client."""

import hashlib
import json


class EvaluatedRoot:
    def __init__(self, root):
        self.root = root
        for name in ("requests", "responses", "failed", "eval"):
            (root / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def _write(self, folder, stem, value) -> bytes:
        data = json.dumps(value).encode()
        (self.root / folder / f"{stem}.json").write_bytes(data)
        return data

    def ask(self, stem, prompt="why?", command="llm.chat", prompt_name=None, **metadata):
        if prompt_name:
            metadata["prompt"] = prompt_name
        params = {"prompt": prompt} if command == "llm.chat" else {"argv": [prompt]}
        self._write("requests", stem, {"request_id": stem, "command": command, "params": params,
                                       "metadata": metadata})

    def answer(self, stem, text="because", prompt="why?", run_ms=100, **more):
        """A success; `more`: metadata, or members of data by data={...}."""
        data = {"text": text, "finish_reason": "stop", "provider": "p", **more.pop("data", {})}
        self.ask(stem, prompt, **more)
        return self._write("responses", stem, {
            "request_id": stem, "status": "success", "data": data, "timing": {
                "received_at": "2026-01-01T00:00:00Z", "started_at": "2026-01-01T00:00:00Z",
                "finished_at": "2026-01-01T00:00:09Z", "queued_ms": 1, "run_ms": run_ms}})

    def give_up(self, stem, error_class="rate_limited", message="too many", **metadata):
        self.ask(stem, **metadata)
        error = {"request_id": stem, "status": "error", "error_message": message,
                 "error_code": "resource_exhausted", "error_details": {"class": error_class}}
        self._write("responses", stem, error)
        return self._write("failed", stem, error)

    def evaluate(self, stem, answer: bytes, score=None, outcome="graded", name="quality",
                 grades=None, item=None, reason=""):
        passed = None if score is None else score >= 0.5
        if grades is None:
            grades = [{"name": "exact", "kind": "exact", "score": score, "passed": passed,
                       "weight": 1, "reason": reason}]
        record = {
            "spec_digest": "sha256:" + "0" * 64,
            "response_digest": "sha256:" + hashlib.sha256(answer).hexdigest(),
            "evaluated_at": "2026-01-01T00:01:00Z", "item": item or stem, "repeat": 1,
            "outcome": outcome, "score": score, "passed": passed, "grades": grades}
        with (self.root / "eval" / "grades.jsonl").open("a") as log:
            log.write(json.dumps({"request_id": stem, "evaluations": {name: record}}) + "\n")

    def graded(self, stem, score, name="quality", **more):
        """An answer and its evaluation."""
        answer = self.answer(stem, **more)
        self.evaluate(stem, answer, score, name=name, item=more.get("item"))
