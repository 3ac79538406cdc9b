# SPDX-License-Identifier: MIT
"""Runs the libFuzzer targets of a preset, two at once, and says what they reached.

A target starts from its corpus in the tree and from what earlier runs found, which stays in
build/fuzz/found/NAME. An input that breaks it is left in build/fuzz/broken/ and named. The figures
of a run are in build/fuzz/results.json; --record puts them into tests/fuzz/RESULTS.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / "tests" / "fuzz"
BUILD = TOP / "build" / "fuzz"
COVERAGE = TOP / "build" / "fuzz-coverage"
ROOTS = ("ipc-schema", "worker", "client")
# "#1234 DONE   cov: 12 ft: 34 corp: 5/678b lim: 4 exec/s: 9 rss: 10Mb"
DONE = re.compile(r"^#\d+\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)/(\S+)", re.MULTILINE)
STAT = re.compile(r"^stat::(\w+):\s*(\d+)", re.MULTILINE)
MARK = "<!-- coverage: measured -->"


def options():
    parser = argparse.ArgumentParser(prog="tests/fuzz/run", description=__doc__.split("\n\n")[0])
    parser.add_argument("what", nargs="*", metavar="SECONDS|NAME",
                        help="seconds for each target (default 20), and targets (default all)")
    parser.add_argument("--preset", default="fuzz",
                        help="whose targets: fuzz (default), asan-ubsan or asan-ubsan-all")
    parser.add_argument("--within", type=int, metavar="SECONDS",
                        help="seconds for all targets together, shared equally")
    parser.add_argument("--jobs", type=int, default=2, help="targets at once (default 2)")
    parser.add_argument("--lines", action="store_true",
                        help="measure the lines that the corpora reach as well, with a build of "
                             "its own (preset fuzz-coverage)")
    parser.add_argument("--record", action="store_true", help="write tests/fuzz/RESULTS.md")
    return parser.parse_intermixed_args()


def all_targets(programs):
    return sorted(path.name[len("fuzz_"):] for path in programs.glob("fuzz_*"))


def corpora(name):
    found = BUILD / "found" / name
    found.mkdir(parents=True, exist_ok=True)
    return [str(found), str(HERE / "corpus" / name)]


def command(program, name, seconds):
    dictionary = HERE / "dictionaries" / name
    return [str(program), f"-max_total_time={seconds}", "-timeout=25",
            "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1",
            f"-artifact_prefix={BUILD / 'broken' / name}-",
            *([f"-dict={dictionary}"] if dictionary.exists() else []), *corpora(name)]


def run_target(program, seconds):
    """Its figures; `is_broken` when an input broke it."""
    name = program.name[len("fuzz_"):]
    log = BUILD / f"{name}.log"
    begun = time.monotonic()
    with open(log, "wb") as out:
        ended = subprocess.run(command(program, name, seconds), stdin=subprocess.DEVNULL,
                               stdout=out, stderr=subprocess.STDOUT, check=False)
    text = log.read_text(errors="replace")
    stats = {key: int(value) for key, value in STAT.findall(text)}
    reached = DONE.findall(text)
    cov, features, inputs, size = reached[-1] if reached else (0, 0, 0, "0b")
    return {"target": name, "is_broken": ended.returncode != 0,
            "seconds": round(time.monotonic() - begun),
            "executions": stats.get("number_of_executed_units", 0),
            "edges": int(cov), "features": int(features), "inputs": int(inputs), "size": size,
            "seeds": len(list((HERE / "corpus" / name).iterdir())),
            "slowest_s": stats.get("slowest_unit_time_sec", 0),
            "memory_mib": stats.get("peak_rss_mb", 0)}


def build_coverage(names):
    programs = " ".join(f"fuzz_{name}" for name in names)
    script = f'. "{TOP}/scripts/lib.sh"; build fuzz-coverage {programs}'
    subprocess.run(["bash", "-c", script], check=True, stdout=subprocess.DEVNULL)


def add_lines(results):
    """Runs the corpora once through programs that count lines, and adds the share of each room."""
    build_coverage([result["target"] for result in results])
    profiles = COVERAGE / "profiles"
    profiles.mkdir(exist_ok=True)
    for result in results:
        name = result["target"]
        program = COVERAGE / "fuzz" / f"fuzz_{name}"
        raw, merged = profiles / f"{name}.raw", profiles / f"{name}.data"
        subprocess.run([str(program), "-runs=0", "-timeout=60", *corpora(name)], check=False,
                       env={**os.environ, "LLVM_PROFILE_FILE": str(raw)},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not raw.exists():
            continue
        subprocess.run(["llvm-profdata", "merge", "-o", str(merged), str(raw)], check=True)
        report = subprocess.run(
            ["llvm-cov", "export", "-summary-only", f"-instr-profile={merged}", str(program)],
            check=True, capture_output=True, text=True)
        result["lines"] = lines_of(json.loads(report.stdout))


def lines_of(report):
    """Of the files of our own that the target links and reaches at all: lines, and those run."""
    total = covered = 0
    for file in report["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        lines = file["summary"]["lines"]
        if not path.is_relative_to(TOP) or path.relative_to(TOP).parts[0] not in ROOTS:
            continue
        if lines["covered"] == 0:
            continue
        total += lines["count"]
        covered += lines["covered"]
    return {"covered": covered, "of": total}


def table(results, before):
    """`before`: the table as it was; rows of targets that were not run now stay."""
    day = datetime.date.today().isoformat()
    rows = {row.split("|")[1].strip(): row for row in before.splitlines()
            if row.startswith("| ") and not row.startswith("| target")}
    for result in results:
        lines = result.get("lines")
        share = f"{lines['covered']:,} of {lines['of']:,}" if lines and lines["of"] else ""
        rows[result["target"]] = (
            f"| {result['target']} | {day} | {result['seconds']} | {result['executions']:,} "
            f"| {result['edges']:,} | {result['features']:,} | {result['inputs']:,} "
            f"| {result['seeds']} | {share} |")
    return "\n".join([
        "| target | day | seconds | executions | edges | features | inputs kept | seeds | lines |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|", *(rows[name] for name in sorted(rows))])


def record(results):
    page = HERE / "RESULTS.md"
    head, _, rest = page.read_text().partition(MARK)
    before, _, after = rest.partition("\n## ")
    page.write_text(f"{head}{MARK}\n\n{os.cpu_count()} CPUs, two targets at once.\n\n"
                    f"{table(results, before)}\n" + (f"\n## {after}" if after else ""))


def say(result):
    print(f"{result['target']:<16} {result['executions']:>10,} inputs  {result['edges']:>7,} edges"
          f"  {result['features']:>8,} features{'  BROKEN' if result['is_broken'] else ''}")
    if result["is_broken"]:
        lines = (BUILD / f"{result['target']}.log").read_text(errors="replace").splitlines()
        print("\n".join([line for line in lines if not line.startswith(("#", "\t"))][-60:]))


def main():
    wanted = options()
    numbers = [int(word) for word in wanted.what if word.isdigit()]
    programs = TOP / "build" / wanted.preset / "fuzz"
    targets = [word for word in wanted.what if not word.isdigit()] or all_targets(programs)
    unknown = sorted(set(targets) - set(all_targets(programs)))
    if unknown or not targets:
        sys.exit(f"tests/fuzz/run: no target {', '.join(unknown) or 'is built'}; "
                 f"scripts/build {wanted.preset} makes them")
    seconds = numbers[0] if numbers else 20
    if wanted.within:
        seconds = max(1, wanted.within // -(-len(targets) // wanted.jobs))
    (BUILD / "broken").mkdir(parents=True, exist_ok=True)
    results = []
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for result in pool.map(
                lambda name: run_target(programs / f"fuzz_{name}", seconds), targets):
            say(result)
            results.append(result)
    if wanted.lines:
        add_lines(results)
    (BUILD / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if wanted.record:
        record(results)
    broken = sum(result["is_broken"] for result in results)
    print(f"{len(results) - broken} tests passed, {broken} tests failed, {seconds} s each")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
