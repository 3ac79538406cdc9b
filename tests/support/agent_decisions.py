# SPDX-License-Identifier: MIT
"""Decisions on approvals as a person's program would write them: signed with the root's key."""

import hashlib
import hmac
import json
import os

from harness import read_json


def signed(file: dict, key: bytes) -> dict:
    text = json.dumps(file, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    mac = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return {**file, "signature": "hmac-sha256:" + mac}


def key_of(spool) -> bytes:
    path = spool.root / "client/approval.key"
    if not path.exists():
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(os.urandom(32).hex() + "\n")
    return path.read_text().strip().encode()


def decide(spool, approval: str, calls: list, key: bytes | None = None, **members) -> dict:
    """Publishes a decision: `calls` are {"n": N, "approved": ...}. Returns what was written."""
    request = read_json(spool.root / "approvals/requests" / f"{approval}.json")
    if key is None:
        key = key_of(spool)
    file = {"id": approval, "digest": request["digest"], "policyDigest": request["policyDigest"],
            "approved": all(call["approved"] for call in calls), "scope": "once", "source": "cli",
            "by": "a test", "decidedAt": request["createdAt"], "calls": calls, **members}
    file = signed(file, key)
    path = spool.root / "approvals/responses" / f"{approval}.json"
    part = path.with_name(f".{approval}.part")
    part.write_text(json.dumps(file))
    os.link(part, path)
    part.unlink()
    return file


def approve_all(spool, approval: str, **members) -> dict:
    request = read_json(spool.root / "approvals/requests" / f"{approval}.json")
    return decide(spool, approval,
                  [{"n": call["n"], "approved": True} for call in request["calls"]], **members)
