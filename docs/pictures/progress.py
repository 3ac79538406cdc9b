#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws docs/pictures/progress.svg from a real run: docs/pictures/progress.py PROGRAMS

PROGRAMS is a folder with filecall, filecall-worker and llm-endpoint, such as build/dev/bin. A batch
asks the scripted provider, on a terminal of 114 columns. The picture shows the line in the middle
of the run, and what stands there at the end, word for word.
"""

import html
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COLUMNS = 114
LINE_PX, CHARACTER_PX = 19, 7.83
COMMAND = ("filecall", "run", "questions.csv", "--prompt", "ask.txt", "--model", "m;latency=900",
           "--prices", "prices.json", "--repeat", "3", "--window", "16")
STYLE = ("rect{fill:#f6f8fa;stroke:#8c959f}text{fill:#1f2328}.dim{fill:#59636e}"
         "@media(prefers-color-scheme:dark){rect{fill:#161b22;stroke:#6e7681}"
         "text{fill:#e6edf3}.dim{fill:#9198a1}}")


def typed(data: bytes):
    """What the run wrote to its terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\x1b", data.decode())


def on_terminal(command, env, folder):
    out = bytearray()

    def read(descriptor):
        data = os.read(descriptor, 65536)
        out.extend(data)
        return data

    child = ["env", "-C", str(folder), *(f"{name}={value}" for name, value in env.items()),
             "sh", "-c", f'stty cols {COLUMNS}; exec "$@"', "sh", *command]
    status = os.waitstatus_to_exitcode(pty.spawn(child, read))
    if status != 0:
        sys.exit(f"{command[0]} ended with {status}")
    return bytes(out)


def write_inputs(folder):
    countries = ("France", "Japan", "Kenya", "Peru", "Nepal", "Ghana")
    rows = [f"q{number},{countries[number % 6]}" for number in range(48)]
    (folder / "questions.csv").write_text("\n".join(["id,country", *rows]) + "\n")
    (folder / "ask.txt").write_text("Capital of {{country}}? One word.\n")
    (folder / "prices.json").write_text(json.dumps({"m*": {"input": 0.4, "output": 1.6}}))


def recorded(programs, folder):
    write_inputs(folder)
    endpoint = subprocess.Popen([programs / "llm-endpoint", "--log", folder / "endpoint.jsonl"],
                                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    port = endpoint.stdout.readline().split()[1]
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "FILECALL_ROOT": str(folder / "root"),
           "OPENAI_API_KEY": "sk-picture", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
           "TERM": "xterm", "NO_COLOR": "1"}
    try:
        return on_terminal(COMMAND, env, folder)
    finally:
        subprocess.run([programs / "filecall", "worker", "stop", "--root", folder / "root"],
                       stdout=subprocess.DEVNULL, check=False)
        endpoint.kill()
        endpoint.wait()


def lines_to_show(text):
    """The command, the progress line at about half, and the end."""
    frames = [frame.strip("\x1b \n") for frame in re.split(r"[\r\n]", text) if "ETA" in frame]
    middle = min(frames, key=lambda frame: abs(50 - int(re.search(r"(\d+)%", frame)[1])))
    end = text[text.rindex("questions.csv: "):].replace("\r", "").replace("\x1b", "")
    shown = " ".join(f"'{word}'" if ";" in word else word for word in COMMAND)
    return [("", "$ " + shown.split(" --model")[0] + " \\"),
            ("", "    --model" + shown.split("--model")[1]), ("", middle), ("dim", "..."),
            *(("", line) for line in end.rstrip().splitlines())]


def svg(lines):
    width = round(max(len(line) for _, line in lines) * CHARACTER_PX) + 28
    height = len(lines) * LINE_PX + 20
    rows = [f'<text x="14" y="{26 + index * LINE_PX}"{f" class={kind!r}" if kind else ""}>'
            f"{html.escape(line, quote=False)}</text>" for index, (kind, line) in enumerate(lines)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        'role="img" aria-labelledby="t" font-family="ui-monospace,monospace" font-size="13">',
        '<title id="t">The progress line of filecall run, and its summary.</title>',
        f"<style>{STYLE}text{{white-space:pre}}</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>', *rows,
        "</svg>"]) + "\n"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    programs = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        text = typed(recorded(programs, Path(folder)))
    Path(__file__).with_suffix(".svg").write_text(svg(lines_to_show(text)), encoding="utf-8")


if __name__ == "__main__":
    main()
