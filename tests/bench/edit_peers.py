#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Applies the same patches with the edit engine, git apply, GNU patch and Codex's apply_patch, and
counts what came out: right, refused, or a wrong file with success."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import edit_cases
import record

TOP = Path(__file__).resolve().parents[2]
CODEX = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
LANGUAGES = {
    "C++": (["/usr/include/c++"], (".h", ".tcc", ".hpp", ""), "\n"),
    "C with tabs": (["/usr/include/linux", "/usr/include/rdma"], (".h",), "\n"),
    "C++, CR LF": (["/usr/include/c++"], (".h", ".tcc", ".hpp", ""), "\r\n"),
    "YAML": (["/usr/share", "/usr/lib"], (".yaml", ".yml"), "\n"),
    "Markdown": (["/usr/share", "/usr/lib"], (".md",), "\n"),
}


class Probe:
    """Our engine in a process; one case after another."""

    def __init__(self, program, form):
        self.form = form
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.refusals = Counter()

    def __call__(self, case, end):
        patch = self.form(case.hunk).encode()
        file = case.file.encode()
        self.process.stdin.write(b"%d %d\n" % (len(patch), len(file)) + patch + file)
        self.process.stdin.flush()
        words = self.process.stdout.readline().decode().split()
        if words[0] == "no":
            self.refusals[case.row, words[1]] += 1
            return None
        return self.process.stdout.read(int(words[1])).decode()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run_in_folder(words, patch_of, takes_argument=False):
    """A program that changes the file `f` of the folder where it runs."""
    def apply(case, end):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            file = Path(folder) / "f"
            file.write_bytes(case.file.encode())
            patch = patch_of(case.hunk, end).encode()
            told = subprocess.run([*words, patch] if takes_argument else words, cwd=folder,
                                  input=b"" if takes_argument else patch, check=False,
                                  env={"PATH": os.environ["PATH"], "HOME": folder},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = file.read_bytes().decode()
        if told.returncode == 0 or after != case.file:
            return after
        return None
    return apply


def score(apply, cases, end, jobs=1):
    counts = Counter()

    def one(case):
        after = apply(case, end)
        return "refused" if after is None else "right" if after == case.right else "wrong"
    with ThreadPoolExecutor(jobs) as pool:
        for case, verdict in zip(cases, pool.map(one, cases)):
            counts[case.row, verdict] += 1
    return counts


def peers(folder):
    def as_unified(hunk, end):
        return hunk.unified(end)

    def as_envelope(hunk, end):
        return hunk.enveloped()
    found = {"git apply": run_in_folder(["git", "apply", "-"], as_unified),
             "git apply --recount --ignore-whitespace": run_in_folder(
                 ["git", "apply", "--recount", "--ignore-whitespace", "-"], as_unified),
             "GNU patch": run_in_folder(
                 ["patch", "-s", "-N", "-p1", "--no-backup-if-mismatch", "-r", "-"], as_unified)}
    codex = Path(folder) / CODEX
    if codex.exists():
        link = Path(tempfile.mkdtemp()) / "apply_patch"
        link.symlink_to(codex)
        found["Codex apply_patch"] = run_in_folder([link], as_envelope, takes_argument=True)
    else:
        print(f"Codex is left out: there is no {codex}", file=sys.stderr)
    return found


def cell(counts, row):
    return "/".join(str(counts[row, kind]) for kind in ("right", "refused", "wrong"))


def table(columns, rows):
    names = list(columns)
    lines = ["| the patch or the file | " + " | ".join(names) + " |",
             "|---|" + "--:|" * len(names)]
    for row in rows:
        lines.append(f"| {row} | " + " | ".join(cell(columns[name], row) for name in names) + " |")
    totals = {name: Counter() for name in names}
    for name in names:
        for (_, kind), count in columns[name].items():
            totals[name]["all", kind] += count
    lines.append("| **all** | " + " | ".join(cell(totals[name], "all") for name in names) + " |")
    return "\n".join(lines)


def ours(program, cases, end):
    """Both formats. A unified diff's lines end as the file's; the other one's with LF."""
    columns = {}
    for name, form in (("filecall", lambda hunk: hunk.unified(end)),
                       ("filecall, Begin Patch", lambda hunk: hunk.enveloped())):
        probe = Probe(program, form)
        columns[name] = score(probe, cases, end)
        probe.close()
        print(name, dict(sorted(probe.refusals.items())), file=sys.stderr)
    return columns


def files_below(roots, suffixes, most=3000):
    found = []
    for root in roots:
        for path in sorted(Path(root).rglob("*")):
            if path.suffix in suffixes and path.is_file() and not path.is_symlink():
                found.append(path)
                if len(found) >= most:
                    return found
    return found


def languages(program, edits):
    rows = {}
    for name, (roots, suffixes, end) in LANGUAGES.items():
        files = edit_cases.sources(files_below(roots, suffixes))
        if len(files) < 20:
            print(f"{name} is left out: {len(files)} files", file=sys.stderr)
            continue
        cases = list(edit_cases.all_cases(files, edits, seed=2, end=end))
        rows[f"{name} ({len(files)} files)"] = ours(program, cases, end)["filecall"]
    return table(rows, edit_cases.ROWS)


def library_files():
    """The sources of Python's own library."""
    library = Path(os.__file__).parent
    return edit_cases.sources(path for path in library.rglob("*.py")
                              if not {"dist-packages", "site-packages"} & {*path.parts})


def compared(cases, rows, probe, others):
    columns = ours(probe, cases, "\n")
    for name, apply in others.items():
        columns[name] = score(apply, cases, "\n", jobs=2)
        print(name, "done", file=sys.stderr, flush=True)
    return columns, table(columns, rows)


def measured(probe, edits, others, seed=1):
    """The counts of ours, and the texts of RESULTS.md by section."""
    files = library_files()
    texts, counts = {}, []
    for section, rows_of, rows in (
            ("edits", edit_cases.cases, edit_cases.ROWS),
            ("further-edits", edit_cases.further_cases, edit_cases.FURTHER_ROWS)):
        cases = list(edit_cases.all_cases(files, edits, seed, rows_of=rows_of))
        columns, text = compared(cases, rows, probe, others)
        counts += [columns["filecall"], columns["filecall, Begin Patch"]]
        texts[section] = (f"{len(cases):,} cases, {edits:,} edits of {len(files)} files of Python"
                          f" {sys.version.split()[0]}'s library: right/refused/wrong.\n\n{text}")
    texts["edit-languages"] = (f"{edits:,} edits of each: right/refused/wrong.\n\n"
                               + languages(probe, edits))
    return counts, texts


def measure(rig, quick):
    """For scripts/bench."""
    folder = os.environ.get("FILECALL_PEERS_DIR", "/nonexistent")
    return measured(rig.edit_program, 50 if quick else 1000, peers(folder))[1]


def options_of():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1000, help="each has twenty cases")
    parser.add_argument("--peers", metavar="DIR",
                        help="run the other programs, too; where npm installed Codex")
    parser.add_argument("--probe", default=TOP / "build/release/bench/edit_probe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write tests/bench/RESULTS.md")
    return parser.parse_args()


def main():
    options = options_of()
    others = peers(options.peers) if options.peers else {}
    counts, texts = measured(options.probe, options.edits, others, options.seed)
    for section, text in texts.items():
        print(text + "\n")
        if options.record:
            record.replace(section, text)
    return 1 if any(n for found in counts for (_, kind), n in found.items()
                    if kind == "wrong") else 0


if __name__ == "__main__":
    sys.exit(main())
