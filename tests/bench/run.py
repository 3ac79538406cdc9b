#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures the targets against the bare system calls, side by side in one run; prints one table.

Ours and the baseline take turns; medians are shown; client and worker have a CPU each. Ratios
mean something on any machine, absolute numbers only on yours.
"""

import argparse
import json
import os
import platform
import signal
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import evaluation  # noqa: E402
import files  # noqa: E402
import information  # noqa: E402
import kube  # noqa: E402
import llm  # noqa: E402
import picture  # noqa: E402
import record  # noqa: E402
import status  # noqa: E402
import targets  # noqa: E402
import tools  # noqa: E402
from rig import Rig  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
# Where RESULTS.md has what was measured; all others under "targets".
PLACES = {"client": "information", "many": "information", "kube": "kube",
          "evaluation": "evaluation", "status": "status", "files": "files"}
# Measured beside what else one might use, and not without.
PEERS_ALONE = ("jobs", "edits")
SECTIONS = {"round-trip": targets.round_trip, "throughput": targets.throughput,
            "burst": targets.burst, "growth": targets.growth, "idle": targets.idle,
            "tools": tools.tool_runs, "llm": llm.calls_in_flight,
            "kube": kube.reads,
            "status": status.looks,
            "files": files.files,
            "evaluation": evaluation.evaluations,
            "client": information.client, "many": information.many}


def number(value, unit):
    if value is None:
        return "-"
    if unit == "/s" and value >= 100:
        return f"{value:,.0f}"
    if unit in ("x", "%", "/s", "s"):
        return f"{value:.2f}" if unit != "%" else f"{value:.3f}"
    return f"{value:.1f}"


def verdict(row):
    if row.limit is None:
        return "", ""
    bound = f"{'<=' if row.lower else '>='} {row.limit:g}" + ("x" if row.baseline else "")
    return bound, "yes" if row.is_met else "NO"


def table(rows):
    lines = [("what", "unit", "baseline", "ours", "ratio", "target", "met")]
    for row in rows:
        bound, met = verdict(row)
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else "-"
        lines.append((row.what, row.unit, number(row.baseline, row.unit),
                      number(row.ours, row.unit), ratio, bound, met))
    width = [max(len(line[i]) for line in lines) for i in range(7)]
    text = []
    for i, line in enumerate(lines):
        cells = [line[0].ljust(width[0]), line[1].ljust(width[1])]
        cells += [line[j].rjust(width[j]) for j in range(2, 7)]
        text.append("| " + " | ".join(cells) + " |")
        if i == 0:
            text.append("|" + "|".join("-" * (w + 1) + (":" if j > 1 else "-")
                                       for j, w in enumerate(width)) + "|")
    return "\n".join(text)


def file_system(path):
    """Type of the file system that a path is on."""
    mounts = [line.split()[1:3] for line in open("/proc/mounts", encoding="utf-8")]
    inside = [(len(at), kind) for at, kind in mounts
              if Path(at) in (Path(path).resolve(), *Path(path).resolve().parents)]
    return max(inside, default=(0, "unknown"))[1]


def machine(disk):
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.machine())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {"date": date.today().isoformat(), "kernel": platform.release().split("-")[0],
            "cpu": model, "cpus": os.cpu_count(), "memory_gib": round(pages),
            "disk": file_system(disk),
            "load_at_start": os.getloadavg()[0]}


def measure(rig, scale, sections, report):
    for section in SECTIONS:
        if section not in sections:
            continue
        begin = time.monotonic()
        result = SECTIONS[section](rig, scale)
        rows, points = result if section == "growth" else (result, None)
        if points:
            report["growth"] = points
        for row in rows:
            row.section = section
        report["rows"] += rows
        print(f"{section}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build = Path(os.environ.get("FILECALL_BUILD_DIR", TOP / "build/release"))
    parser.add_argument("--quick", action="store_true", help="a few minutes, fewer rounds")
    parser.add_argument("--rounds", type=int, metavar="N", help="turns of each side (7; quick: 3)")
    parser.add_argument("--only", choices=[*SECTIONS, *PEERS_ALONE], action="append",
                        help="repeatable; jobs (lists of commands) and edits (patches) with "
                             "--peers alone")
    parser.add_argument("--peers", action="store_true", help="measure what else one might use")
    parser.add_argument("--record", action="store_true",
                        help="write tests/bench/RESULTS.md and growth.svg; text by hand is kept")
    parser.add_argument("--json", metavar="FILE", help="write every sample")
    parser.add_argument("--tmpfs", default="/dev/shm", metavar="DIR")
    parser.add_argument("--disk", default=TOP / "build/bench-disk", metavar="DIR")
    parser.add_argument("--bench-dir", default=build / "bench", metavar="DIR")
    parser.add_argument("--programs", default=build / "bin", metavar="DIR")
    options = parser.parse_args()
    if set(PEERS_ALONE) & set(options.only or []) and not options.peers:
        parser.error("--only jobs or edits measures what else one might use; give --peers too")
    return options


def headline(report, scale):
    facts, rig = report["machine"], report["rig"]
    return (f"{facts['date']}, Linux {facts['kernel']}, {facts['cpus']} CPUs,"
            f" {facts['memory_gib']} GiB, {facts['cpu']}, disk {facts['disk']}."
            f" Medians of {scale.rounds} rounds; the whole took {rig['seconds'] / 60:.0f} minutes."
            f" Load when it began {facts['load_at_start']:.1f}; waited {rig['waited_s']:.0f} s for"
            f" a quiet machine; moved {rig['moved']} directories off recently deleted inodes.")


def write_results(report, head):
    """Sections that were not measured stay as they are."""
    tables = {}
    for row in report["rows"]:
        tables.setdefault(PLACES.get(row.section, "targets"), []).append(row)
    for place, rows in tables.items():
        text = table(rows)
        record.replace(place, text if place == "information" else head + "\n\n" + text)
    for section, rows in peer_tables(report):
        record.replace(section, rows)
    if "growth" in report:
        record.PICTURE.write_text(picture.growth(report["growth"]), encoding="utf-8")


def measure_peers(rig, options, report):
    """With --only llm the batches alone, with --only evaluation the evaluations alone, with --only
    jobs the lists of commands alone, with --only edits the patches alone, with --only of others the
    echoes alone. The peers of kube are measured with it."""
    only = options.only or ["llm", "round-trip", "evaluation", "jobs", "edits"]
    if set(only) - {"llm", "kube", "evaluation", *PEERS_ALONE}:
        import peers
        report["peers"] = peers.measure(rig, options.quick)
    if "llm" in only:
        import batch_peers
        report["batch-peers"] = batch_peers.measure(rig, options.quick)
    if "evaluation" in only:
        import evaluation_peers
        report["evaluation-peers"] = evaluation_peers.measure(rig, options.quick)
    if "jobs" in only:
        import job_peers
        report["job-peers"] = job_peers.measure(rig, options.quick)
    if "edits" in only:
        import edit_peers
        import edit_sets
        report["edits"] = edit_peers.measure(rig, options.quick) | edit_sets.measure(rig)


def peer_tables(report):
    if "peers" in report:
        import peers
        yield "peers", peers.table(report["peers"])
    if "batch-peers" in report:
        import batch_peers
        yield "batch-peers", batch_peers.table(report["batch-peers"])
    if "evaluation-peers" in report:
        import evaluation_peers
        yield "evaluation-peers", evaluation_peers.table(report["evaluation-peers"])
    if "job-peers" in report:
        import job_peers
        yield "job-peers", job_peers.table(report["job-peers"])
    yield from report.get("edits", {}).items()


def tell(report, scale, options):
    head = headline(report, scale)
    print(head + ("\n\n" + table(report["rows"]) if report["rows"] else ""))
    for _, rows in peer_tables(report):
        print("\n" + rows)
    if options.record:
        write_results(report, head)
    if options.json:
        report["rows"] = [row.as_dict() for row in report["rows"]]
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.stdout.flush()


def main():
    options = options_of()
    scale = targets.QUICK if options.quick else targets.FULL
    scale.rounds = options.rounds or scale.rounds
    report = {"machine": machine(options.disk), "rows": []}
    rig = Rig(options.bench_dir, options.programs, options.tmpfs, options.disk,
              patience_s=20 if options.quick else 180)
    begin = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # Everything started is ended.
    try:
        measure(rig, scale, options.only or list(SECTIONS), report)
        if options.peers:
            measure_peers(rig, options, report)
        report["rig"] = {"waited_s": round(rig.waited_s, 1), "moved": rig.moved,
                         "seconds": round(time.monotonic() - begin)}
        tell(report, scale, options)
    finally:
        rig.close()  # Last: to remove some million files takes minutes.
    return 0


if __name__ == "__main__":
    sys.exit(main())
