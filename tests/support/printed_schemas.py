# SPDX-License-Identifier: MIT
"""Holds what a test sees a subcommand print with --json against the schema of that.

The published schemas admit members that they do not list, for later versions. Here a member that is
not listed is an error: it is not documented."""

import functools
import json

import jsonschema

import harness

FOLDER = harness.TOP / "ipc-schema" / "schema"

#: By subcommand, when nothing below says otherwise.
BY_COMMAND = {"run": "run_summary", "status": "status", "show": "request_view",
              "cancel": "cancellations", "edit": "edits", "gc": "collection", "retry": "retries",
              "doctor": "findings", "pause": "pauses", "resume": "pauses",
              "eval": "eval_summary", "report": "report",
              "compare": "comparison", "import": "import", "version": "version",
              "approvals": "approvals", "approve": "approval_decision",
              "deny": "approval_decision", "proposal": "proposal_view"}
#: By the word after the subcommand.
BY_ACTION = {("worker", "start"): "worker_view", ("worker", "status"): "worker_view",
             ("worker", "restart"): "worker_view", ("worker", "stop"): "worker_stop",
             ("worker", "logs"): "worker_log",
             ("runs", "list"): "run_list", ("runs", "show"): "run",
             ("runs", "diff"): "run_difference", ("runs", "delete"): "run_deletion",
             ("scenario", "list"): "scenario_list", ("scenario", "show"): "scenario",
             ("thread", "list"): "thread_list", ("thread", "show"): "thread_view",
             ("thread", "export"): "conversation", ("thread", "new"): "thread_summary",
             ("thread", "rename"): "thread_summary", ("thread", "fork"): "thread_summary",
             ("thread", "delete"): "thread_summary",
             ("policy", "explain"): "policy_verdict", ("policy", "check"): "policy_check"}
#: Those that print one document a line.
LINES = {"watch": "outcome"}


def schema_of(arguments) -> str | None:
    """Its name; None: there is none, or the answer is a command's own."""
    name, *rest = (str(argument) for argument in arguments)
    if "--json" not in rest or "--help" in rest:
        return None
    if name == "run" and "--dry-run" in rest:
        return "run_plan"
    if name == "agent":
        if rest[0] in ("steer", "cancel", "script"):
            return None
        return {"list": "agent_runs", "batch": "agent_batch",
                "replay": "agent_replay", "undo": "proposal_view"}.get(rest[0], "agent_result")
    if name in ("worker", "runs", "scenario", "thread", "policy"):
        return BY_ACTION.get((name, rest[0]))
    if name == "schema":
        return "schema_list" if len(rest) == 1 else None
    if name == "eval" and rest[0] == "label":
        return "label_import" if "--import" in rest else "label_page"
    if name == "eval" and "--check" in rest:
        return "eval_check"
    if name == "eval" and "--dry-run" in rest:
        return "run_plan"
    return BY_COMMAND.get(name)


def closed(schema):
    """The same, which refuses members that it does not list."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


@functools.cache
def validator(name: str):
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(closed(schema) if name in STRICT else schema)


#: Those whose every member is listed.
STRICT = set(BY_COMMAND.values()) - {"report", "comparison", "import"} | {
    "run_plan", "pair_summary", "outcome", "result_line", "label", "preference", "label_page",
    "label_import", "eval_check"} | set(BY_ACTION.values()) - {"run", "run_list", "run_difference"}

#: What `eval` appends to, below a root, and the schema of each line.
APPENDED = {"eval/labels.jsonl": "label", "eval/preferences.jsonl": "preference"}


def check(name: str, document) -> None:
    members = set(document) if isinstance(document, dict) else set()
    if members == {"error_code", "error_message"}:
        name = "client_error"
    elif name == "eval_summary" and "pairs" in members:
        name = "pair_summary"
    validator(name).validate(document)


def check_followed(text: str) -> None:
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        is_answer = line.get("event") == "answer"
        check("follow_answer" if is_answer else "event", line)
        if is_answer:
            check("response", line["response"])


def check_appended(root) -> None:
    for path, name in APPENDED.items():
        file = root / path
        if not file.is_file():
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                document = json.loads(line)
            except ValueError:
                continue  # Damaged by the test, or not written to its end.
            check(name, document)


class CheckedClient(harness.Client):
    """The client on one root, which prints as its schemas say."""

    def run(self, *arguments, **options):
        done = super().run(*arguments, **options)
        name = schema_of(arguments)
        if name is not None and done.stdout:
            check(name, json.loads(done.stdout))
        if arguments[0] in LINES and "--json" in arguments:
            for line in done.stdout.splitlines():
                check(LINES[arguments[0]], json.loads(line))
        follows = arguments[0] == "follow" or (arguments[0] == "call" and "--follow" in arguments)
        if follows and "--json" in arguments:
            check_followed(done.stdout)
        if arguments[0] == "eval":
            check_appended(self.spool.root)
        if "--out" in arguments and done.returncode in (0, 1):
            out = self.folder / str(arguments[arguments.index("--out") + 1])
            if arguments[0] == "run" and out.is_file():
                for line in out.read_text(encoding="utf-8").splitlines()[:200]:
                    check("result_line", json.loads(line))
        return done
