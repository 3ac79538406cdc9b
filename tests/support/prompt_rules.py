# SPDX-License-Identifier: MIT
"""What must hold of every prompt of an agent, whatever a test did: held against each root of a test
when it ends."""

import json
import re
from pathlib import Path

from harness import TOP, read_json

BYTES_PER_TOKEN = 4
_FORMATS = TOP / "ipc-schema/base/token_formats.h"
_ALPHABETS = {"kWord": "[A-Za-z0-9_-]", "kDotted": "[A-Za-z0-9_.-]", "kBase64": "[A-Za-z0-9+/=_-]"}


def token_pattern():
    """Texts that look like the tokens of well-known makers."""
    rows = re.findall(r'\{"[^"]+", "([^"]+)", TokenFormat::Alphabet::(\w+), (\d+)\}',
                      _FORMATS.read_text(encoding="utf-8"))
    assert len(rows) > 20, f"{_FORMATS}: not as this test reads it"
    tokens = (f"{re.escape(beginning)}{_ALPHABETS[kind]}{{{least},}}"
              for beginning, kind, least in rows)
    return re.compile(f"(?<![A-Za-z0-9])(?:{'|'.join(tokens)})")


def pairing_faults(messages):
    """Each call of a tool has its result right behind it, and no id comes twice."""
    open_calls, seen = [], set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield f"a result without a call: {message['tool_call_id']}"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield f"calls without a result: {open_calls}"
            open_calls = []
        for call in message.get("tool_calls", ()):
            if call["id"] in seen:
                yield f"two calls have the id {call['id']}"
            seen.add(call["id"])
            open_calls.append(call["id"])
    if open_calls:
        yield f"calls without a result: {open_calls}"


def faults(params, settings, secrets=(), pattern=None):
    """What is wrong with the params of one llm.chat of a run with these settings."""
    text = json.dumps(params, ensure_ascii=False, separators=(",", ":"))
    budget = settings["context_tokens"] * BYTES_PER_TOKEN
    if len(text.encode()) > budget:
        yield f"{len(text.encode())} bytes are more than the budget of {budget}"
    messages = params["messages"]
    if [n for n, message in enumerate(messages) if message["role"] == "system"] != [0]:
        yield "the first message and no other is the system's"
    elif not messages[0]["content"].startswith(settings["instructions"]):
        yield "the instructions are others"
    yield from pairing_faults(messages)
    for secret in secrets:
        if secret in text:
            yield "a secret stands in it"
    if pattern is not None and (found := pattern.search(text)):
        yield f"a token stands in it: {found.group()[:12]}..."


def _records(path):
    for line in path.read_bytes().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # A torn or damaged line is the test's.


def _whole(root, data):
    digest = data.get("spilled")
    return data if digest is None else read_json(root / f"threads/data/{digest}.json") or data


def root_faults(root, secrets=()):
    """The same of all prompts that lie in a root."""
    key = Path(root) / "client/approval.key"
    if key.is_file() and key.stat().st_mode & 0o400:
        secrets = (*secrets, key.read_text().strip() or "no key")
    pattern = token_pattern()
    begun, changed = {}, set()
    for log in Path(root).glob("threads/*.jsonl"):
        if not log.is_file():
            continue  # As above.
        for record in _records(log):
            if record.get("type") == "run.begun":
                begun[record["run"]] = _whole(Path(root), record["data"])
            elif record.get("type") == "run.policy_changed":
                changed.add(record["run"])
    systems = {}
    for path in Path(root).glob("requests/*.json"):
        request = read_json(path)
        if not isinstance(request, dict) or request.get("command") != "llm.chat":
            continue
        run = (request.get("metadata") or {}).get("agent_run")
        if run not in begun or "instructions" not in begun[run]:
            continue
        for fault in faults(request["params"], begun[run], secrets, pattern):
            yield f"{path.name}: {fault}"
        if ".plan" in path.name and run not in changed:
            system = systems.setdefault(run, request["params"]["messages"][0])
            if system != request["params"]["messages"][0]:
                yield f"{path.name}: another message of the system than in the run's other prompts"


def check_folder(folder):
    """Fails when a prompt in any root beneath a test's folder breaks a rule."""
    found = [fault for root in (folder, *Path(folder).glob("*")) if (root / "threads").is_dir()
             for fault in root_faults(root)]
    assert not found, "\n".join(found)
