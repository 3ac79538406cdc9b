#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Takes docs/pictures/report.png of a real report: docs/pictures/report.py PROGRAMS

PROGRAMS is a folder with filecall and filecall-worker, such as build/dev/bin. A batch asks a
scripted provider, is graded, and Chromium shows its report page. Needs chromium and python3-pil.
"""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/support"))
from browser import Browser  # noqa: E402

WIDTH, HEIGHT, COLOURS = 1260, 930, 96
CITIES = dict(pair.split(":") for pair in (
    "France:Paris,Japan:Tokyo,Kenya:Nairobi,Peru:Lima,Nepal:Kathmandu,Ghana:Accra,Italy:Rome,"
    "Spain:Madrid,Norway:Oslo,Sweden:Stockholm,Finland:Helsinki,Austria:Vienna,Poland:Warsaw,"
    "Hungary:Budapest,Greece:Athens,Turkey:Ankara,Egypt:Cairo,Morocco:Rabat,Chile:Santiago,"
    "Cuba:Havana,Canada:Ottawa,Iceland:Reykjavik,Ireland:Dublin,Latvia:Riga").split(","))
SPEC = """name: capitals
graders:
  - {name: right city, kind: contains, expected_var: city, ignore_case: true, weight: 3}
  - {name: one word, kind: regex, pattern: '^\\S+$'}
"""
PRICES = {"gpt-4.1": {"input": 2, "output": 8}, "gpt-4.1-mini": {"input": 0.4, "output": 1.6}}


def share(*words):
    """0 to 1, the same for the same words."""
    return int(hashlib.sha256(repr(words).encode()).hexdigest()[:8], 16) / 0xffffffff


def answer(model, country, seed):
    is_small = model.endswith("mini")
    draw = share(model, country, seed)
    if draw < (0.2 if is_small else 0.03):
        return "Sydney"
    return f"It is {CITIES[country]}." if draw > (0.85 if is_small else 0.95) else CITIES[country]


class Provider(http.server.BaseHTTPRequestHandler):
    """Chat completions. A call in thirty fails at first, one row is refused always."""

    protocol_version = "HTTP/1.1"
    asked = set()

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        country = body["messages"][-1]["content"].split("Capital of ")[1].split("?")[0]
        call = (body["model"], country, body.get("seed"))
        time.sleep(0.2 + 1.2 * share("time", *call) ** 2 * (1 if "mini" in call[0] else 2))
        is_first = call not in self.asked
        self.asked.add(call)
        if call[:2] == ("gpt-4.1-mini", "Latvia"):
            return self.reply(400, {"error": {"message": "the prompt is not accepted"}})
        if is_first and share("error", *call) < 1 / 30:
            return self.reply(500, {"error": {"message": "overloaded"}})
        text = answer(*call)
        return self.reply(200, {
            "id": "c", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 14, "completion_tokens": 2, "total_tokens": 16}})

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def write_inputs(folder):
    rows = [f"{country.lower()},{country},{city}" for country, city in CITIES.items()]
    (folder / "questions.csv").write_text("\n".join(["id,country,city", *rows]) + "\n")
    (folder / "ask.txt").write_text("Capital of {{country}}? One word.\n")
    (folder / "quality.yaml").write_text(SPEC)
    (folder / "prices.json").write_text(json.dumps(PRICES))


def make_report(programs, folder, port):
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "FILECALL_ROOT": "calls",
           "OPENAI_API_KEY": "sk-picture", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}

    def filecall(*arguments, codes=(0,)):
        done = subprocess.run([programs / "filecall", *arguments], cwd=folder, env=env, text=True,
                              capture_output=True, check=False)
        if done.returncode not in codes:
            sys.exit(f"filecall {arguments[0]}: {done.returncode}\n{done.stderr}")

    try:
        filecall("run", "questions.csv", "--prompt", "ask.txt", "--model", "gpt-4.1,gpt-4.1-mini",
                 "--repeat", "3", "--seed", "1", "--window", "12", codes=(0, 1))
        filecall("eval", "quality.yaml", codes=(0, 1))
        filecall("report", "--prices", "prices.json", "--format", "html", "--out", "report.html",
                 codes=(0, 1))
    finally:
        filecall("worker", "stop")
    return folder / "report.html"


def make_smaller(path):
    """With a palette: a page has few colours."""
    picture = Image.open(path).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    programs = Path(sys.argv[1]).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    picture = Path(__file__).with_suffix(".png")
    with tempfile.TemporaryDirectory(prefix="filecall-") as name:
        folder = Path(name) / "evaluation"
        folder.mkdir()
        write_inputs(folder)
        page = make_report(programs, folder, server.server_address[1])
        with Browser(folder) as browser:
            browser.open(page.as_uri(), width=WIDTH, height=HEIGHT)
            browser.picture(picture, full=False)
    make_smaller(picture)


if __name__ == "__main__":
    main()
