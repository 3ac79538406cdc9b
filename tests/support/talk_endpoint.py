# SPDX-License-Identifier: MIT
"""A provider that holds conversations, for OpenAI's Chat Completions and Anthropic's Messages.

What the user says last tells what it answers: "say X" answers X, "call NAME {...}" calls a tool
(several lines: several at once), "fail CODE" answers with that HTTP status. After results of tools
it answers "got " and the results, or calls again while the user says "again".
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def _text(content):
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(part.get("text", f"[{part['type']}]") for part in content)


def _told(path, body):
    """The conversation as (role, text) pairs, whatever the provider's shape."""
    told = []
    if path.endswith("/messages"):
        if body.get("system"):
            told.append(("system", _text(body["system"])))
        for message in body["messages"]:
            for part in message["content"]:
                if part["type"] == "tool_result":
                    told.append(("tool", _text(part["content"])))
                elif part["type"] == "tool_use":
                    told.append(("call", f"{part['name']} {json.dumps(part['input'])}"))
                else:
                    told.append((message["role"], part.get("text", f"[{part['type']}]")))
        return told
    for message in body["messages"]:
        for call in message.get("tool_calls") or []:
            told.append(("call", f"{call['function']['name']} {call['function']['arguments']}"))
        if message.get("content"):
            told.append((message["role"], _text(message["content"])))
    return told


def _reply(told):
    """(status, text, calls)"""
    asked = [text for role, text in told if role == "user"][-1]
    after = told[max(i for i, (role, _) in enumerate(told) if role == "user") + 1:]
    results = [text for role, text in after if role == "tool"]
    calls = [line[5:].split(" ", 1) for line in asked.splitlines() if line.startswith("call ")]
    if calls and (not results or "again" in asked):
        return 200, "", [(name, arguments) for name, arguments in calls]
    if results:
        return 200, "got " + " | ".join(results), []
    if asked.startswith("fail "):
        return int(asked[5:]), "", []
    return 200, asked.removeprefix("say ").split("\n")[0], []


def _chat(model, text, calls):
    message = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{i}", "type": "function", "function": {"name": n, "arguments": a}}
            for i, (n, a) in enumerate(calls)]
    return {"id": "x", "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "message": message,
                         "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}


def _message(model, text, calls):
    content = [{"type": "text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": f"call_{i}", "name": n, "input": json.loads(a)}
                for i, (n, a) in enumerate(calls)]
    return {"id": "x", "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": "tool_use" if calls else "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 5}}


class TalkEndpoint:
    """`calls`: what was asked so far, (role, text) pairs each. hold_at(n): the call of that number
    waits for release(), and reached is set when it is there. `reply`: what answers in the place of
    the rules above, (role, text) pairs -> (status, text, calls)."""

    def __init__(self, reply=_reply):
        self.calls, self.bodies = [], []
        self._lock = threading.Lock()
        self._held, self._released = None, threading.Event()
        self.reached = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                told = _told(self.path, body)
                owner._take(told, body)
                status, text, calls = reply(told)
                shape = _message if self.path.endswith("/messages") else _chat
                answer = shape(body["model"], text, calls) if status == 200 else {
                    "type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    pass  # The worker was killed.

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def _take(self, told, body):
        with self._lock:
            self.calls.append(told)
            self.bodies.append(body)
            is_held = len(self.calls) == self._held
        if is_held:
            self.reached.set()
            self._released.wait(60)

    def hold_at(self, number):
        self._held = number
        self._released.clear()
        self.reached.clear()

    def release(self):
        self._held = None
        self._released.set()

    def stop(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def config(self, **members):
        common = {"base_url": self.url + "/v1", "profile": "generic",
                  "api_key_env": "TEST_LLM_KEY"}
        return {"llm": {"default": "chat", "providers": {
            "chat": {"kind": "openai", **common},
            "messages": {"kind": "anthropic", **common, "profile": "anthropic"}}}, **members}
