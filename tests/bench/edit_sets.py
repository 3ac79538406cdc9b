#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the edits of other projects' tests with our engine, and says where what comes out is not
what they expect. Their tests are data: files written, patch or edit, files expected. They are
fetched by whoever measures, lie outside the tree, and nothing of them runs."""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import record
from edit_set_reasons import FORMS, READS_ONLY, REASONS
from edit_set_sources import BASE, Found, read_tests

TOP = Path(__file__).resolve().parents[2]
CODEX = "codex-rs/apply-patch"
CODEX_TESTS = ("src/lib.rs", "src/file_update_tests.rs", "src/invocation.rs", "src/parser.rs",
               "src/seek_sequence.rs", "src/streaming_parser.rs", "tests/suite/cli.rs",
               "tests/suite/tool.rs")
OPENCODE = "packages/opencode/test"
VERDICTS = ("same", "we refuse", "they refuse", "other content", "form")
HEADS = ("set", "cases", "the same", "we refuse what they apply", "we apply what they refuse",
         "other content", "form does not permit")
BLOCK = re.compile(r"<{5,9} SEARCH\n(.*?)={5,9}\n(.*?)>{5,9} REPLACE", re.S)


def texts_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes().decode()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def scenarios(folder):
    """Codex's: a folder a case, with input/, patch.txt and expected/, all that there is then."""
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = Found(case.name, texts_below(case / "input"))
        found.wanted.append({"patch": (case / "patch.txt").read_bytes().decode()})
        found.after = texts_below(case / "expected")
        found.is_refused = found.after == found.before
        found.after |= {path: None for path in found.before if path not in found.after}
        yield found


def constant(node):
    """A text of a source; what a format string fills in is the name of the file."""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "file.txt"
                       for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def fenced_diff(found, answer):
    """A unified diff of a model's answer, made of files that are just its old lines."""
    diff = re.search(r"```diff\n(.*?)```", answer, re.S)[1]
    found.wanted = [{"patch": diff}]
    for part in re.split(r"^(?=--- )", diff, flags=re.M)[1:]:
        head, new, _, *lines = part.splitlines(keepends=True)
        name = new[4:].strip()
        lines = [line for line in lines if line != "\n"]
        found.after[name] = "".join(line[1:] for line in lines if line[0] in " +")
        if "/dev/null" not in head:
            found.before[name] = "".join(line[1:] for line in lines if line[0] in " -")


def aider_test(function):
    found, texts = Found(function.name), {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            name = getattr(target, "id", getattr(target, "attr", ""))
            texts[name] = constant(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "write":
            found.before["file.txt"] = constant(node.args[0]) or texts.get("orig_content")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assertEqual":
            expected = constant(node.args[1])
            # What is said of two contents is of the old file first.
            if expected is not None and getattr(node.args[0], "id", "") == "content":
                found.after["newfile.txt" if found.after else "file.txt"] = expected
    if texts.get("expected_output") and "part" in texts:
        found.before, found.after = {"file.txt": texts["whole"]}, {
            "file.txt": texts["expected_output"]}
        found.wanted = [{"path": "file.txt", "old": texts["part"], "new": texts["replace"]}]
    elif block := BLOCK.search(texts.get("partial_response_content") or ""):
        found.wanted = [{"path": list(found.after or found.before)[-1], "old": block[1],
                         "new": block[2]}]
    elif "```diff" in (texts.get("content") or ""):
        fenced_diff(found, texts["content"])
    return found


def aider_tests(path):
    """Those that a test runner takes; some are switched off by their name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield aider_test(node)


def relative(texts):
    return {path.removeprefix(BASE + "/"): text for path, text in texts.items()}


class Engine:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def change(self, files, wanted):
        """The files then, or None and why it is refused."""
        said = {"files": files}
        if "patch" in wanted:
            said["patch"] = wanted["patch"].replace(BASE + "/", "")
        else:
            said["path"] = wanted["path"].removeprefix(BASE + "/")
            if wanted["old"] == "" and wanted["new"] and said["path"] not in files:
                said["content"] = wanted["new"]  # An empty old text means a new file.
            else:
                said["edits"] = [{"old": wanted["old"], "new": wanted["new"]}]
        text = json.dumps(said).encode()
        self.process.stdin.write(b"%d\n" % len(text) + text)
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.read(int(self.process.stdout.readline())))
        return answer.get("files"), answer.get("refused", "")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def verdict_of(case, engine):
    """One of VERDICTS, and what our engine says."""
    if case.name in FORMS:
        return "form", FORMS[case.name]
    if not case.wanted:
        return ("not understood", "") if case.before else ("form", READS_ONLY)
    if any(wanted.get("is_all") for wanted in case.wanted):
        return "form", "replaces all places: an edit of ours has one"
    before = files = relative(case.before)
    why = ""
    for wanted in case.wanted:
        files, why = engine.change(files, wanted)
        if files is None:
            break
    after = relative(case.after)
    if files is None and not case.is_refused:
        return "we refuse", why
    if files is not None and case.is_refused:
        return "they refuse", ""
    state = before if files is None else files
    is_same = all(state.get(path) == text for path, text in after.items())
    return ("same", "") if is_same else ("other content", why or json.dumps(state))


def sets_of(options):
    """(name, cases) of each set that is there."""
    if options.codex:
        root = options.codex / CODEX
        yield "Codex, scenarios", list(scenarios(root / "tests/fixtures/scenarios"))
        yield "Codex, unit tests", [case for name in CODEX_TESTS
                                    for case in read_tests((root / name).read_text("utf-8"))]
    if options.aider:
        for name, file in (("aider, edit blocks", "test_editblock.py"),
                           ("aider, unified diffs", "test_udiff.py")):
            yield name, list(aider_tests(options.aider / "tests/basic" / file))
    if options.opencode:
        for name in ("tool/edit", "tool/apply_patch", "patch/patch"):
            text = (options.opencode / OPENCODE / f"{name}.test.ts").read_text("utf-8")
            yield f"opencode, {name.partition('/')[2]}", read_tests(text)


def row_of(counts, name):
    return f"| {name} | {sum(counts.values())} | " + " | ".join(
        str(counts[verdict]) for verdict in VERDICTS) + " |"


def measured(program, options):
    """The text for RESULTS.md, and the differences that have no reason here."""
    engine, lines, unknown = Engine(program), [], []
    reasons, forms = {}, {}
    for name, cases in sets_of(options):
        counts = Counter()
        for case in cases:
            verdict, said = verdict_of(case, engine)
            counts[verdict] += 1
            if verdict == "form":
                forms.setdefault(said, []).append(case.name)
            elif verdict != "same":
                known = REASONS.get((verdict, case.name))
                if not known:
                    unknown.append(f"{name}: {verdict}: {case.name}: {said}")
                else:
                    reasons.setdefault((verdict, known), []).append(f"`{case.name}`")
            print(f"{name}: {case.name}: {verdict}: {said}", file=sys.stderr)
        lines.append(row_of(counts, name))
    engine.close()
    parts = ["| " + " | ".join(HEADS) + " |\n|---|" + "--:|" * len(VERDICTS) + "--:|\n"
             + "\n".join(lines)]
    parts.append("| we differ | why | cases |\n|---|---|---|\n" + "\n".join(
        f"| {verdict} | {why} | {', '.join(names)} |"
        for (verdict, why), names in sorted(reasons.items(), reverse=True)))
    parts.append("| the form does not permit | cases |\n|---|--:|\n" + "\n".join(
        f"| {why} | {len(names)} |" for why, names in forms.items()))
    return "\n\n".join(parts), unknown


def folders(options):
    """Leaves out what is not there, and says so."""
    found = False
    for name, inside in (("codex", CODEX), ("aider", "tests/basic"), ("opencode", OPENCODE)):
        folder = getattr(options, name)
        if folder and not (folder / inside).is_dir():
            print(f"{name} is left out: there is no {folder / inside}", file=sys.stderr)
            setattr(options, name, None)
        elif not folder:
            print(f"{name} is left out: no folder is given", file=sys.stderr)
        found |= getattr(options, name) is not None
    return found


def measure(rig):
    """For scripts/bench: FILECALL_EDIT_SETS_DIR holds codex/, aider/ and opencode/."""
    top = os.environ.get("FILECALL_EDIT_SETS_DIR")
    if not top:
        return {}
    options = argparse.Namespace(**{name: Path(top) / name
                                    for name in ("codex", "aider", "opencode")})
    if not folders(options):
        return {}
    text, unknown = measured(rig.edit_set_program, options)
    if unknown:
        raise RuntimeError("differences without a reason:\n" + "\n".join(unknown))
    return {"edit-sets": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("codex", "aider", "opencode"):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR",
                            help=f"a checkout of {name}, or its tests laid out as there")
    parser.add_argument("--probe", default=TOP / "build/release/bench/edit_set_probe")
    parser.add_argument("--record", action="store_true", help="write tests/bench/RESULTS.md")
    options = parser.parse_args()
    if not folders(options):
        return 2
    text, unknown = measured(options.probe, options)
    print(text)
    if options.record and not unknown:
        record.replace("edit-sets", text)
    for difference in unknown:
        print(f"no reason is known: {difference}", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
