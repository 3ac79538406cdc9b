# SPDX-License-Identifier: MIT
"""The same list of commands through `filecall run` and through what one might use instead: some
fail, each has three attempts, everything is killed at once in the middle, and the tool goes on."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from batch_peers import lines
from job_score import ended_well, lines_of_setup, score
from peers import free_port

HERE = Path(__file__).resolve().parent / "peers/jobs"
PYTHON = "/usr/bin/python3"
COUNT, QUICK_COUNT = 200, 40
SLOTS = 4
# Everything is killed when so much of what can end well has ended, and a moment later.
MIDDLES, MOMENT_S = (0.5, 0.25, 0.75), 0.05
PATIENCE_S = 240.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Tool:
    name: str
    how: str
    script: str
    files: tuple = ()          # more that its user writes
    programs: tuple = ()       # what has to be there
    env: dict = field(default_factory=dict)


def all_tools(rig):
    servers = Path(os.environ.get("FILECALL_PEERS_DIR", "/nonexistent"))
    redis = {"REDIS": servers / "usr/bin/redis-server", "REDIS_CLI": servers / "usr/bin/redis-cli"}
    modules = servers / "node_modules"
    ours = {"FILECALL": rig.filecall_program,
            "PATH": f"{rig.worker_program.parent}:{os.environ['PATH']}"}
    three = ("three_times.sh",)
    return [
        Tool("filecall", "effects: none; what was interrupted runs again", "filecall.sh",
             programs=("jq",), env={**ours, "EFFECTS": "none"}),
        Tool("filecall, effects", "effects: external; what was interrupted is reported instead",
             "filecall.sh", programs=("jq",), env={**ours, "EFFECTS": "external"}),
        Tool("task-spooler", "its list dies with it: all begins again", "task_spooler.sh",
             files=three, programs=("tsp",)),
        Tool("nq", "one at a time; jobs without an end are submitted again", "nq.sh", files=three,
             programs=("nq",)),
        Tool("GNU parallel", "--joblog --retries --resume", "gnu_parallel.sh",
             programs=("parallel",), env={"RESUME": "--resume"}),
        Tool("GNU parallel", "--joblog --retries --resume-failed", "gnu_parallel.sh",
             programs=("parallel",), env={"RESUME": "--resume-failed"}),
        Tool("Celery", "Redis with AOF; late acks, visible again after 30 s", "celery.sh",
             files=("redis.conf", "celery_tasks.py", "celery_jobs.py"),
             programs=(redis["REDIS"], Path("/usr/lib/python3/dist-packages/celery"),
                       Path("/usr/lib/python3/dist-packages/redis")), env=redis),
        Tool("BullMQ", "Redis with AOF; a lock of 30 s, as by default", "bullmq.sh",
             files=("redis.conf", "bullmq_jobs.mjs"),
             programs=(redis["REDIS"], "node", "jq", modules / "bullmq", modules / "ioredis"),
             env={**redis, "MODULES": modules})]


def missing(tool):
    return [str(p) for p in tool.programs
            if not (p.exists() if isinstance(p, Path) else shutil.which(p))]


def descendants(of):
    """Process ids of all that stem from a process, ended ones that nobody has waited for too."""
    children = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):  # It has just ended.
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found, waiting = set(), [of]
    while waiting:
        more = children.get(waiting.pop(), [])
        found.update(more)
        waiting += more
    return found


@contextmanager
def adopted():
    """While this holds, daemons become children of this process, so that none is missed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    try:
        yield descendants(os.getpid())
    finally:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def kill_everything(kept):
    """As a power cut: all stand still first, so that none sees another one die."""
    stopped = set()
    while fresh := descendants(os.getpid()) - kept - stopped:
        signal_all(fresh, signal.SIGSTOP)
        stopped |= fresh
    limit = time.monotonic() + 20
    while left := descendants(os.getpid()) - kept:
        signal_all(left, signal.SIGKILL)
        for pid in left:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
        if time.monotonic() > limit:
            raise RuntimeError(f"processes {sorted(left)} do not end")
        time.sleep(0.01)


def start(tool, what, folder, env, out):
    return subprocess.Popen([HERE / tool.script, what], cwd=folder / "work", env=env, stdout=out,
                            stderr=open(folder / "errors.log", "a", encoding="utf-8"),
                            stdin=subprocess.DEVNULL, start_new_session=True)


def await_middle(log, count, process):
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit and process.poll() is None:
        if ended_well(log.read_text().splitlines()) >= count:
            time.sleep(MOMENT_S)
            return
        time.sleep(0.005)
    raise RuntimeError(f"no {count} commands had ended, exit code {process.poll()}")


def environment(tool, folder, count):
    env = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    words = {"HOME": folder / "home", "COUNT": count, "SLOTS": SLOTS, "HERE": HERE,
             "PYTHON": PYTHON, "COMMAND": HERE / "command.sh", "LOG": folder / "log",
             "THREE_TIMES": HERE / "three_times.sh", "PORT": free_port(),
             "PYTHONDONTWRITEBYTECODE": 1, "C_FORCE_ROOT": 1, **tool.env}
    return env | {key: str(value) for key, value in words.items()}


def measure_one(tool, folder, count, middle):
    """One list, begun, killed, resumed and reported."""
    log, env = folder / "log", environment(tool, folder, count)
    log.touch()
    for name in ("home", "work"):
        (folder / name).mkdir()
    with adopted() as kept, open(folder / "output.log", "w", encoding="utf-8") as out:
        begin = time.monotonic()
        try:
            await_middle(log, int(count * 0.9 * middle), start(tool, "begin", folder, env, out))
            kill_everything(kept)
            resumed = start(tool, "resume", folder, env, out)
            try:
                resumed.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                print(f"{tool.name}: it does not end, the report is asked for", file=sys.stderr)
            asked = start(tool, "report", folder, env, subprocess.PIPE)
            told, _ = asked.communicate(timeout=60)
            seconds = time.monotonic() - begin
        finally:
            kill_everything(kept)
    found = score(log.read_text().splitlines(), [int(n) for n in told.split()], count)
    return {**asdict(found), "seconds": seconds}


def version(tool, folder):
    told = subprocess.run([HERE / tool.script, "version"], cwd=folder, timeout=60, check=True,
                          env=environment(tool, folder, 1), capture_output=True, text=True)
    first, *rest = told.stdout.splitlines()
    redis = re.search(r"v=(\S+)", rest[0]) if rest else None
    return first.strip() + (f", Redis {redis[1]}" if redis else "")


def rounds_of(rig, tool, count, middles):
    """One row; its counts are sums over the rounds."""
    samples = []
    for middle in middles:
        with tempfile.TemporaryDirectory(prefix="jobs-", dir=rig.media["disk"].path) as folder:
            folder = Path(folder)
            told = version(tool, folder)
            try:
                samples.append(measure_one(tool, folder, count, middle))
            except (RuntimeError, OSError, ValueError, subprocess.SubprocessError):
                errors = folder / "errors.log"
                if errors.exists():
                    print(errors.read_text()[-1000:], file=sys.stderr)
                raise
    texts = [(HERE / name).read_text() for name in (tool.script, *tool.files)]
    row = {key: sum(s[key] for s in samples) for key in ("lost", "twice", "wrong", "attempts")}
    return row | {"name": tool.name, "how": tool.how, "version": told, "count": count,
                  "setup": lines_of_setup(texts), "rounds": len(samples),
                  "seconds": median(s["seconds"] for s in samples)}


def measure(rig, quick):
    count, middles = (QUICK_COUNT, MIDDLES[:1]) if quick else (COUNT, MIDDLES)
    rows = []
    for tool in all_tools(rig):
        if absent := missing(tool):
            print(f"{tool.name} is left out: there is no {', '.join(absent)}", file=sys.stderr)
            continue
        try:
            rows.append(rounds_of(rig, tool, count, middles))
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"{tool.name} is left out: {error}", file=sys.stderr)
            continue
        print(f"{tool.name}, {tool.how}: {rows[-1]}", file=sys.stderr, flush=True)
    return rows


def table(rows):
    if not rows:
        return "nothing could be measured"
    heads = ["with", "version", "how", "lines of set-up", "lost", "done twice", "reported wrongly",
             "not three attempts", "seconds"]
    count, rounds = rows[0]["count"], rows[0]["rounds"]
    body = lines(3, heads, [[r["name"], r["version"], r["how"], str(r["setup"]), str(r["lost"]),
                             str(r["twice"]), str(r["wrong"]), str(r["attempts"]),
                             f"{r['seconds']:.1f}"] for r in rows])
    return (f"{count} commands, {rounds} {'round' if rounds == 1 else 'rounds'}; counts are sums of"
            f" the rounds, seconds their median.\n\n{body}")
