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
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import targets  # noqa: E402
from rig import Rig  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
SECTIONS = ["round-trip", "throughput", "burst", "growth", "idle"]


def number(value, unit):
    if value is None:
        return "-"
    if unit == "/s" and value >= 100:
        return f"{value:,.0f}"
    if unit in ("x", "%", "/s"):
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


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.machine())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {"date": date.today().isoformat(), "kernel": platform.release().split("-")[0],
            "cpu": model, "cpus": os.cpu_count(), "memory_gib": round(pages),
            "load_at_start": os.getloadavg()[0]}


def measure(rig, scale, sections, report):
    for section in SECTIONS:
        if section not in sections:
            continue
        begin = time.monotonic()
        result = getattr(targets, section.replace("-", "_"))(rig, scale)
        rows, points = result if section == "growth" else (result, None)
        if points:
            report["growth"] = points
        report["rows"] += rows
        print(f"{section}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build = Path(os.environ.get("FILECALL_BUILD_DIR", TOP / "build/release"))
    parser.add_argument("--quick", action="store_true", help="about a minute, fewer rounds")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="repeatable")
    parser.add_argument("--peers", action="store_true", help="measure what else one might use")
    parser.add_argument("--json", metavar="FILE", help="write every sample")
    parser.add_argument("--picture", metavar="FILE", help="draw throughput against files (SVG)")
    parser.add_argument("--tmpfs", default="/dev/shm", metavar="DIR")
    parser.add_argument("--disk", default=TOP / "build/bench-disk", metavar="DIR")
    parser.add_argument("--bench-dir", default=build / "bench", metavar="DIR")
    parser.add_argument("--worker", default=build / "bin/filecall-worker", metavar="FILE")
    options = parser.parse_args()
    scale = targets.QUICK if options.quick else targets.FULL
    report = {"machine": machine(), "rows": []}
    rig = Rig(options.bench_dir, options.worker, options.tmpfs, options.disk,
              patience_s=20 if options.quick else 180)
    begin = time.monotonic()
    try:
        measure(rig, scale, options.only or SECTIONS, report)
        if options.peers:
            import peers
            report["peers"] = peers.measure(rig, options.quick)
    finally:
        rig.close()
    rows = report["rows"]
    facts = report["machine"]
    print(f"{facts['date']}, Linux {facts['kernel']}, {facts['cpus']} CPUs,"
          f" {facts['memory_gib']} GiB, {facts['cpu']}; {time.monotonic() - begin:.0f} s,"
          f" medians of {scale.rounds}\n")
    print(table(rows))
    report["rig"] = {"waited_for_quiet_s": round(rig.waited_s, 1), "moved_directories": rig.moved}
    print(f"\nWaited {rig.waited_s:.0f} s for a quiet machine; moved {rig.moved} directories off "
          "recently deleted inodes.")
    if options.peers:
        print("\n" + peers.table(report["peers"]))
    if options.json:
        report["rows"] = [row.as_dict() for row in rows]
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if options.picture and "growth" in report:
        import picture
        Path(options.picture).write_text(picture.growth(report["growth"]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
