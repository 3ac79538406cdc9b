# SPDX-License-Identifier: MIT
"""The house rules as functions: each takes a path and a text and yields what breaks the rule.

They know nothing of git or of the disk, so that test_rules.py can show that each of them fails.
"""

import re
from typing import Iterator

LINES_MAX = 400
COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70

# Room -> what it links, beside itself; what those link it may include as well. The same stands in
# the CMake files, as what makes it so; one of the two alone would change by accident.
EDGES = {
    "ipc-schema/base": [],
    "ipc-schema/edit": ["ipc-schema/base"],
    "ipc-schema/ipc": ["ipc-schema/base"],
    "ipc-schema/os": ["ipc-schema/base"],
    "ipc-schema/loop": ["ipc-schema/base"],
    "ipc-schema/yaml": ["ipc-schema/ipc"],
    "ipc-schema/spool": ["ipc-schema/ipc", "ipc-schema/os"],
    "worker/core": ["ipc-schema/ipc"],
    "worker/proc": ["ipc-schema/os"],
    "worker/net": ["ipc-schema/os", "ipc-schema/ipc", "ipc-schema/loop"],
    "worker/changes": ["ipc-schema/ipc", "ipc-schema/os"],
    "worker/exec": ["ipc-schema/ipc"],
    "worker/exec/system": ["worker/exec"],
    "worker/exec/tool": ["worker/exec", "worker/proc", "ipc-schema/loop"],
    "worker/exec/file": ["worker/exec", "worker/changes", "ipc-schema/edit", "ipc-schema/os",
                         "ipc-schema/loop", "ipc-schema/spool"],
    "worker/exec/git": ["worker/changes", "worker/exec", "worker/exec/file", "ipc-schema/edit",
                        "ipc-schema/os"],
    "worker/exec/llm/script": ["worker/exec", "worker/net"],
    "worker/exec/llm": ["worker/exec", "worker/exec/llm/script", "worker/net"],
    "worker/exec/kube/model": ["worker/exec"],
    "worker/exec/kube/client": ["worker/exec", "worker/exec/kube/model", "worker/net",
                                "worker/proc"],
    "worker/exec/kube": ["worker/exec/kube/client"],
    "worker/exec/registry": ["worker/exec/system", "worker/exec/tool", "worker/exec/llm",
                             "worker/exec/kube", "worker/exec/file", "worker/exec/git"],
    "worker/engine": ["worker/exec", "worker/changes", "worker/core", "ipc-schema/spool",
                      "ipc-schema/loop"],
    "worker/jobs": ["worker/engine", "worker/exec/registry"],
    "worker/config": ["worker/engine", "worker/core", "worker/exec/tool", "worker/exec/llm",
                      "worker/exec/kube", "worker/exec/file", "ipc-schema/spool",
                      "ipc-schema/yaml"],
    "worker": ["worker/jobs", "worker/config"],
    "client/core": ["ipc-schema/ipc"],
    "client/approval/core": ["client/core", "ipc-schema/yaml"],
    "client/approval": ["client/approval/core", "ipc-schema/spool"],
    "client/store": ["client/core", "ipc-schema/spool"],
    "client/runs": ["client/core", "ipc-schema/spool"],
    "client/threads": ["client/core", "ipc-schema/spool"],
    "client/agent/plan": ["client/core", "ipc-schema/yaml"],
    "client/agent/scenarios": ["client/agent/plan", "ipc-schema/spool"],
    "client/channel": ["client/core", "ipc-schema/spool"],
    "client/engine": ["client/channel", "client/store", "ipc-schema/spool", "ipc-schema/loop"],
    "client/openai": ["client/core"],
    "client/report": ["client/openai", "client/service"],
    "client/report/items": ["client/service", "client/eval", "client/grades", "client/report"],
    "client/batch": ["client/engine", "client/openai", "client/turns", "ipc-schema/spool",
                     "ipc-schema/yaml"],
    "client/turns": ["client/core"],
    "client/turns/runner": ["client/batch", "client/service", "client/turns"],
    "client/promptfoo": ["client/batch", "client/eval", "ipc-schema/yaml"],
    "client/agent/core": ["client/agent/plan"],
    "client/agent": ["client/agent/core", "client/approval", "client/threads",
                     "client/proposals", "client/service"],
    "client/doctor": ["client/approval", "client/engine", "ipc-schema/spool"],
    "client/eval": ["client/core", "client/eval/statistics", "client/turns", "ipc-schema/yaml"],
    "client/eval/runner": ["client/eval", "client/grades", "client/service"],
    "client/grades": ["client/eval", "ipc-schema/spool"],
    "client/eval/statistics": ["ipc-schema/base"],
    "client/service": ["client/engine", "client/grades", "client/runs", "client/threads",
                       "client/turns", "ipc-schema/yaml"],
    "client/ending": ["client/core", "ipc-schema/os"],
    "client/proposals": ["client/report", "client/service", "ipc-schema/edit",
                         "ipc-schema/spool"],
    "client/cli": ["client/approval",
                   "client/batch", "client/promptfoo", "client/doctor", "client/service",
                   "client/report", "client/report/items", "client/eval/runner", "client/runs",
                   "client/turns/runner", "client/ending", "client/agent",
                   "client/agent/scenarios", "client/threads", "client/proposals"],
    "client": ["client/cli"],
}
SHARED = ("base", "edit", "ipc", "loop", "os", "spool", "yaml")
OWN = ("..", *SHARED, "client", "embedded", "tests", "worker")
PURE = ("ipc-schema/base", "ipc-schema/edit", "ipc-schema/ipc", "ipc-schema/yaml", "worker/core",
        "client/approval/core", "client/core",
        "client/openai", "client/eval", "client/eval/statistics", "client/turns",
        "client/agent/core", "client/agent/plan", "worker/exec/kube/model")

# Header -> the only places that may include it.
EXPENSIVE = {
    r"spdlog/.*": r"ipc-schema/os/log_sink\.cc",
    r"cxxopts\.hpp": r"worker/options.*\.cc|client/cli/options.*\.(cc|h)",
    r"tinyxml2\.h": r"client/report/items/junit_format\.cc",
    r"boost/.*": r"client/eval/statistics/distributions\.cc",
    r"re2/.*": (r"ipc-schema/ipc/schema_pattern\.cc|client/eval/pattern\.cc"
                r"|worker/exec/kube/model/redaction_rules\.cc"
                r"|worker/exec/file/(path_glob|line_search)\.cc"
                r"|worker/exec/llm/script/script_pattern\.cc"),
    r"nlohmann/.*": r"ipc-schema/ipc/json\.h",
    r"curl/.*": r"(worker/net/(curl_.*|http_client|web_socket)|client/ending/end_notice)\.(cc|h)",
    r"wslay/.*": r"worker/net/web_socket_frames\.cc",
    r"http_parser\.h": r"worker/net/web_socket_handshake\.h",
    r"sqlite3\.h": (r"client/store/.*\.cc|client/batch/id_index\.cc|tests/unit/client/store/.*"
                     r"|tests/fuzz/state_db_fuzz\.cc"),
    r"yaml-cpp/.*": r"ipc-schema/yaml/.*|worker/exec/.*config.*\.(cc|h)|"
                     r"worker/exec/kube/model/yaml_reader\.cc",
    r"iostream|regex|format": r"nowhere",
}
IMPURE_HEADERS = re.compile(
    r"<(thread|mutex|shared_mutex|condition_variable|future|fstream|filesystem|iostream|"
    r"unistd\.h|fcntl\.h|sys/.*|poll\.h|signal\.h|csignal|dirent\.h|netinet/.*|arpa/.*|uv\.h|"
    r"sqlite3\.h|curl/.*|pthread\.h|ctime|time\.h|spawn\.h)>")
IMPURE_CALLS = re.compile(
    r"_clock::now\s*\(|\b(getenv|secure_getenv|clock_gettime|gettimeofday|fopen|"
    r"std::random_device)\b|\btime\s*\(\s*(NULL|0|nullptr)\s*\)")
BANNED = [
    (re.compile(r"(?<![\w.>:])(std::)?system\s*\("), "system(): no shell, ever"),
    (re.compile(r"(?<![\w.>:])popen\s*\("), "popen(): no shell, ever"),
    (re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b"), "sleeping: wait for events"),
    (re.compile(r"(?<![\w.>:_])sleep\s*\("), "sleeping: wait for a condition"),
    (re.compile(r"(?<![\w.>:])(std::)?s?rand\s*\("), "rand(): use base/random.h"),
    (re.compile(r"\bstd::regex\b"), "std::regex: slow, recursive, throws"),
    (re.compile(r"\bstd::(cout|cerr|clog|endl)\b"), "iostream: use fmt"),
    (re.compile(r"(?<![\w.>:])(sprintf|strcpy|strcat|gets|strtok)\s*\("), "unbounded C string"),
    (re.compile(r"\busing namespace (std|fmt)\s*;"), "using namespace"),
    (re.compile(r"\bsyscall\s*\(\s*SYS_(openat|renameat2|getdents64|close_range|getrandom|statx|"
                r"memfd_create|linkat|fsync|write|read|gettid)\b"),
     "raw system call: libc has a wrapper"),
    (re.compile(r"\bfor \(.* : [\w:]+\([^;]*\)->\w+\) "),
     "the loop reads a part of a value that ended before it: give the value a name"),
]
# systemd's own word for itself (sd_notify(3)).
NAMES_ALLOWED = {"ServiceManager", "service_manager"}
NAMES = re.compile(r"\b(?:class|struct)\s+(\w*(?:Manager|Helper|Util|Utils|Utilities))\b")
WORDS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
DEAD_CODE = re.compile(
    r"^\s*//\s*(?:(?:if|for|while|switch) \(.*[;{]|return [^,]*;|[\w:.>-]+\([^)]*\);|"
    r"#include .*)\s*$")
# "{} requests" is "1 requests" some day.
PLURALS = re.compile(
    r'(?<!than )(?<!at most )(?<!all )\{\} (?:answers|conversations|evaluations|graders|items'
    r'|labels|pairs|problems|prompts|pods|replicas|requests|responses|rows|turns|verdicts)\b')


def room_of(path: str) -> str:
    """The longest room that holds the path; empty for tests and scripts."""
    folder = path.rsplit("/", 1)[0]
    found = [room for room in EDGES if folder == room or folder.startswith(room + "/")]
    return max(found, key=len, default="")


def reachable(room: str) -> set[str]:
    seen = {room}
    todo = [room]
    while todo:
        for below in EDGES.get(todo.pop(), []):
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def linked_rooms(cmake_files: dict[str, str]) -> dict[str, list[str]]:
    """The rooms of the CMake files (folder -> text) with those that each links, as EDGES has them:
    the libraries that filecall_room() makes, and the programs of folders that have no library."""
    call = re.compile(r"\b(filecall_room|target_link_libraries)\(\s*(\w+)([^)]*)\)")
    found = [(folder, match) for folder, text in cmake_files.items()
             for match in call.finditer(re.sub(r"#[^\n]*", "", text))]
    folders = {match.group(2): folder for folder, match in found
               if match.group(1) == "filecall_room"}
    rooms = {}
    for folder, match in found:
        own = folders.get(match.group(2)) or folder
        linked = [folders[word] for word in match.group(3).split() if word in folders]
        if linked or match.group(1) == "filecall_room":  # Not filecall-guard, which stands alone.
            rooms.setdefault(own, []).extend(room for room in linked if room != own)
    return rooms


def room_disagreements(edges: dict[str, list[str]], linked: dict[str, list[str]]) -> Iterator[str]:
    for room in sorted(set(edges) | set(linked)):
        for other in sorted(set(linked.get(room, ())) - set(edges.get(room, ()))):
            yield f"{room}: CMake links {other}, which EDGES has not"
        for other in sorted(set(edges.get(room, ())) - set(linked.get(room, ()))):
            yield f"{room}: EDGES has {other}, which CMake does not link"
        if room not in edges:
            yield f"{room}: a room of CMake that EDGES has not"


def room_cycles(edges: dict[str, list[str]]) -> Iterator[str]:
    """Rooms that need each other, each cycle as its way round."""
    done = set()

    def visit(room: str, way: list[str]) -> Iterator[str]:
        if room in way:
            yield " -> ".join([*way[way.index(room):], room])
        elif room not in done:
            for below in edges.get(room, ()):
                yield from visit(below, [*way, room])
            done.add(room)

    for room in edges:
        yield from visit(room, [])


def strip_comments(text: str) -> str:
    """C++ text with comments and the insides of strings blanked; line breaks are kept."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match: re.Match) -> str:
        found = match.group(0)
        kept = found[0] + found[-1] if found[0] in "\"'" else ""
        return kept + "\n" * found.count("\n")

    return pattern.sub(blank, text)


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, '<' or '"', name)"""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1), match.group(2)


def length(path: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if len(lines) > LINES_MAX:
        yield f"{path}: {len(lines)} lines, more than {LINES_MAX}; split it by noun"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield f"{path}:{number}: {len(line)} columns, more than {COLUMNS_MAX}"


def spdx(path: str, text: str) -> Iterator[str]:
    head = text.splitlines()[:2]
    mark = "// SPDX-License-Identifier: MIT" if path.endswith((".cc", ".h")) else \
        "# SPDX-License-Identifier: MIT"
    if mark not in (head[:1] if mark.startswith("//") else head):
        yield f"{path}:1: the first line must be '{mark}'"


def pragma_once(path: str, text: str) -> Iterator[str]:
    if path.endswith(".h") and "\n#pragma once\n" not in text:
        yield f"{path}: no #pragma once"


def include_rules(path: str, text: str) -> Iterator[str]:
    room = room_of(path)
    allowed = reachable(room) if room else set()
    for number, kind, name in includes(text):
        where = f"{path}:{number}"
        for header, places in EXPENSIVE.items():
            if re.fullmatch(header, name) and not re.fullmatch(places, path):
                yield f"{where}: <{name}> belongs only in {places}"
        if kind == '"' and "/" in name and name.split("/", 1)[0] not in OWN:
            yield f"{where}: \"{name}\" is no header of this project: write <{name}>"
            continue
        if room in PURE and IMPURE_HEADERS.search(f"<{name}>") and kind == "<":
            yield f"{where}: <{name}> in the pure room {room}"
        if kind == "<" or not room:
            continue
        first = name.split("/", 1)[0]
        if first == "embedded":
            continue
        if first in SHARED:
            target = "ipc-schema/" + first
        elif first in ("worker", "client"):
            target = room_of(name)
        else:
            yield f"{where}: \"{name}\" is not a path from the repository's (or ipc-schema's) root"
            continue
        if target not in allowed:
            yield f"{where}: {room} must not include {target} (\"{name}\")"


def calls(path: str, text: str) -> Iterator[str]:
    bare = strip_comments(text)
    pure = room_of(path) in PURE
    for number, line in enumerate(bare.splitlines(), 1):
        for pattern, reason in BANNED:
            if pattern.search(line):
                yield f"{path}:{number}: {reason}"
        if pure and IMPURE_CALLS.search(line):
            yield f"{path}:{number}: clock, file or environment in a pure room: {line.strip()}"


def names(path: str, text: str) -> Iterator[str]:
    stem = path.rsplit("/", 1)[-1].split(".")[0]
    vague = r"(^|_)(manager|helpers?|utils?|utilities|misc|common)($|_)"
    if re.search(vague, stem) and stem not in NAMES_ALLOWED:
        yield f"{path}: a file is named after one noun, not '{stem}'"
    for match in NAMES.finditer(strip_comments(text)):
        if match.group(1) not in NAMES_ALLOWED:
            yield f"{path}: a type is named after what it is, not '{match.group(1)}'"


def words(path: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if WORDS.search(line):
            yield f"{path}:{number}: unfinished: {line.strip()}"
        if path.endswith((".cc", ".h")) and DEAD_CODE.match(line):
            yield f"{path}:{number}: commented-out code: {line.strip()}"
        if path.endswith(".cc") and room_of(path) and PLURALS.search(line):
            yield f"{path}:{number}: one of them is no plural; base/count_text.h counts nouns"


def function_lengths(tags: str) -> Iterator[str]:
    """Takes the output of `ctags --fields=+ne -f - --kinds-c++=f`."""
    for line in tags.splitlines():
        fields = line.split("\t")
        start = next((int(f[5:]) for f in fields if f.startswith("line:")), 0)
        end = next((int(f[4:]) for f in fields if f.startswith("end:")), 0)
        if end - start + 1 >= FUNCTION_LINES_MAX:
            yield f"{fields[1]}:{start}: {fields[0]} has {end - start + 1} lines"


def split_classes(tags: str) -> Iterator[str]:
    """A class lies in one file: one whose members are defined in several is two classes. Takes the
    output of `ctags --fields=+s -f - --kinds-c++=f`."""
    found = {}
    for line in tags.splitlines():
        _, path, _, *fields = line.split("\t")
        scope = next((f.split(":", 1)[1] for f in fields
                      if f.startswith(("class:", "struct:"))), "")
        if scope and "__anon" not in scope and path.endswith(".cc"):
            found.setdefault(scope.removeprefix("filecall::"), set()).add(path)
    for name, paths in sorted(found.items()):
        if len(paths) > 1:
            yield f"{name}: its members stand in {', '.join(sorted(paths))}"


def room_names(tags: str, room_of) -> Iterator[str]:
    """Names at the top of anonymous namespaces are one in their room: it is also compiled as one
    unit, where a second one would be refused or, worse, quietly overload the first. (The same alias
    may be written twice.) Takes the output of `ctags --fields=+ns -f - --kinds-c++=fcsgtv` and what
    says which room a file belongs to."""
    found = {}
    for line in tags.splitlines():
        name, path, pattern, *fields = line.split("\t")
        scope = next((f for f in fields if f.startswith("namespace:")), "")
        if not path.endswith(".cc") or not scope.rsplit("::", 1)[-1].startswith("__anon"):
            continue
        if not name.isupper() and not name.startswith("__anon"):
            alias = pattern if "t" in fields else path
            found.setdefault((room_of(path), name), {}).setdefault(alias, path)
    for (room, name), places in sorted(found.items()):
        paths = set(places.values())
        if len(paths) > 1:
            yield f"{room}: {name} stands in {', '.join(sorted(paths))}"


def hidden_types(tags: str) -> Iterator[str]:
    """A type of an anonymous namespace is no other type that its namespaces declare in a header: in
    a room that is compiled as one unit, the files after it would mean the wrong one. Takes the
    output of `ctags --fields=+ns -f - --kinds-c++=csgtu`."""
    declared, own = {}, []
    for line in tags.splitlines():
        name, path, _, *fields = line.split("\t")
        scope = next((f.partition(":")[2] for f in fields if f.startswith("namespace:")), "")
        parts = [part for part in scope.split("::") if not part.startswith("__anon")]
        if path.endswith(".cc") and scope.rsplit("::", 1)[-1].startswith("__anon"):
            own.append((name, path, "::".join(parts) + "::"))
        elif scope and path.endswith(".h"):
            declared.setdefault(name, []).append((scope + "::", path))
    for name, path, scope in own:
        for outer, header in declared.get(name, ()):
            if scope.startswith(outer):
                yield f"{path}: {name} hides that of {header}"


CPP_RULES = [length, spdx, pragma_once, include_rules, calls, names, words]
SCRIPT_RULES = [length, spdx, words]
