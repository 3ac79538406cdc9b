# SPDX-License-Identifier: MIT
"""An evaluation of many answers, step by step as its user takes them: run, grade, grade again,
report, compare."""

import json

from batch_peers import endpoint
from information import finish
from rig import WORKER_CPU, end, spawn
from targets import Row, alone

CALLS, QUICK_CALLS = 50_000, 5_000
AGAIN_S_MAX = 15.0
IN_FLIGHT, LATENCY_MS = 1000, 100
MODELS = ("m;text=yes", "m;text=no")
GRADERS = [{"kind": "contains", "expected_var": "expected"},
           {"kind": "regex", "pattern": "^[a-z]+$"}]


def write_inputs(folder, calls):
    rows = calls // len(MODELS)
    with open(folder / "questions.csv", "w", encoding="utf-8") as out:
        out.write("id,question,expected\n")
        for i in range(rows):
            out.write(f"q{i:06},is {i} right? {'x' * 200},{'yes' if i % 3 else 'no'}\n")
    (folder / "ask.txt").write_text("{{question}}\n")
    (folder / "quality.yaml").write_text(json.dumps({"name": "bench", "graders": GRADERS}))


def worker(rig, folder, root, url):
    config = folder / "worker.yaml"
    config.write_text(json.dumps({"llm": {"providers": {"bench": {
        "base_url": url, "profile": "generic", "max_in_flight": IN_FLIGHT}}}}))
    process = spawn([*rig.command("ours", root, "none"), "--config", config], WORKER_CPU)
    rig.wait_ready(process, "ours", root)
    return process


def steps(rig, folder, root):
    """(what is done, what it took), in order. Both CPUs but for the run, whose provider and worker
    need theirs."""
    def do(*arguments, cpu=None):
        return finish(rig, arguments[0], "--root", root, *arguments[1:], cpu=cpu)

    models = [word for model in MODELS for word in ("--model", model)]
    yield "filecall run", do("run", folder / "questions.csv", "--prompt", folder / "ask.txt",
                             *models, "--window", IN_FLIGHT, "--durability", "none",
                             "--no-start-worker", "--quiet", cpu=0)
    yield "filecall eval", do("eval", folder / "quality.yaml")
    yield "filecall eval again", do("eval", folder / "quality.yaml")
    (folder / "quality.yaml").write_text(json.dumps({"name": "bench", "graders": GRADERS[:1]}))
    yield "filecall eval, a grader less", do("eval", folder / "quality.yaml")
    yield "filecall report --json", do("report", "--json")
    yield "filecall report --format html", do("report", "--format", "html", "--out",
                                              folder / "report.html")
    yield "filecall compare of two models", do("compare", *(f"@model={m}" for m in MODELS),
                                               "--json")


def evaluations(rig, scale):
    calls = CALLS if scale.rounds > 3 else QUICK_CALLS
    rows = []
    with rig.root("tmpfs") as folder, endpoint(rig, folder, "--latency", LATENCY_MS) as (url, _):
        root = folder / "root"
        root.mkdir(mode=0o700)
        write_inputs(folder, calls)
        process = worker(rig, folder, root, url)
        try:
            for what, took in steps(rig, folder, root):
                row = alone(f"{what}, {calls:,} answers", "s", [took], "seconds")
                limit = AGAIN_S_MAX if what == "filecall eval again" else None
                rows += [Row(row.what, row.unit, None, row.ours, limit, True, row.samples),
                         alone("  client memory at its peak", "MiB", [took], "mib")]
        finally:
            end(process)
    return rows
