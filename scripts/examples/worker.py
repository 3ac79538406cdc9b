#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A worker in one page (docs/protocol.md): worker.py ROOT [PROGRAM...]. It serves system.echo,
system.cancel of what waits, and tool.run {"argv": [...]} of the PROGRAMs, one at a time."""
import fcntl, json, os, signal, stat, subprocess, sys, time

FOLDERS = ".", "requests", "responses", "worker", "worker/started", "worker/tmp", "worker/late"
MOST, settling, left, stopping = sys.float_info.max, {}, {}, []
class Broken(Exception): pass  # Whole JSON that breaks a rule.
def refusal(message, code="invalid_argument"):
    return {"status": "error", "error_message": message, "error_code": code, "retryable": False}
def is_stem(name):
    return (isinstance(name, str) and 0 < len(os.fsencode(name)) <= 200 and name[0] != "."
            and not any(c < " " or c in "/\x7f" or "\ud800" <= c <= "\udfff" for c in name))
def is_there(folder, stem): return os.path.lexists(f"{folder}/{stem}.json")
def need(holds, rule, value=None):
    if not holds: raise Broken(rule)
    return value
RULES = {"command": lambda v: isinstance(v, str) and 0 < len(v.encode()) <= 200,
         "params": lambda v: type(v) is dict, "metadata": lambda v: type(v) is dict,
         "timeout_ms": lambda v: type(v) is int and 1 <= v <= 604800000,
         "priority": lambda v: type(v) is int and -10 <= v <= 10,
         "stream": lambda v: type(v) is bool,
         "after": lambda v: False, "after_any": lambda v: False}  # A file asks for now.
def parse(text, stem):
    """The request. ValueError: it may still be being written; Broken: it never is one."""
    value = json.loads(text.decode(), parse_constant=int,
                       object_pairs_hook=lambda p: need(len(dict(p)) == len(p), "twice", dict(p)),
                       parse_int=lambda t: need(-2**63 <= int(t) < 2**64, "64 bits", int(t)),
                       parse_float=lambda t: need(-MOST <= float(t) <= MOST, "range", float(t)))
    need(not any("\ud800" <= c <= "\udfff" for c in json.dumps(value, ensure_ascii=False)), "half")
    need(type(value) is dict and value.get("request_id") == stem, f"/request_id: must be {stem}")
    for name in {"command", "params"} | RULES.keys() & value.keys():
        need(name in value and RULES[name](value[name]), f"/{name}: is missing or not allowed")
    return value
def look(stem):
    """The request, its refusal, or None: it is no request, or not yet."""
    try: fd = os.open(f"requests/{stem}.json", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError: return None
    before = os.fstat(fd)
    if not stat.S_ISREG(before.st_mode): return os.close(fd)
    with open(fd, "rb") as file:
        try: return parse(need(before.st_size <= 1 << 24, "16 MiB") or file.read(), stem)
        except (ValueError, RecursionError, Broken) as fault: why = fault
        try: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)  # Refused while a writer has it.
        except BlockingIOError: return settling.pop(stem, None) and None
        except OSError: pass  # No leases here: size and time must do.
        was, seen = [(s.st_size, s.st_mtime_ns) for s in (before, os.fstat(fd))]
        if settling.get(stem, [None])[0] != seen: settling[stem] = seen, time.monotonic()
        waits = 0 if isinstance(why, Broken) else 0.25 if seen[0] else 2
        is_settled = was == seen and time.monotonic() >= settling[stem][1] + waits
        return refusal(f"request: {why!r}") if is_settled else None
def sync(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd), os.close(fd)
def publish(path, stem):
    """Gives a whole file its name by a link, which takes no name that is taken."""
    for name in f"responses/{stem}.json", *(f"worker/late/{stem}.{n}.json" for n in range(999)):
        try: os.link(path, name)
        except FileExistsError: continue
        return sync(os.path.dirname(name)), os.unlink(path)
def save(path, **members):
    with open(path, "w") as file: print(json.dumps(members), file=file)
    sync(path)
def recover():
    for name in [name for name in os.listdir("worker/started") if name.count(".") > 1]:
        path, (stem, starts, effects) = f"worker/started/{name}", name.rsplit(".", 2)
        try: is_whole = json.load(open(path)).get("status") in ("success", "error")
        except (ValueError, AttributeError): is_whole = False
        if is_there("responses", stem): os.unlink(path)
        elif is_whole: publish(path, stem)
        elif (starts, effects) != ("1", "none"): left[stem] = path, False
        else:
            left[stem] = f"worker/started/{stem}.2.none", True
            os.rename(path, left[stem][0])
def cancel(own, target):
    if not is_stem(target) or target == own: return refusal("/params/request_id: another one's")
    state = "answered" if is_there("responses", target) else "queued"
    if state == "queued" and not is_there("requests", target): return refusal(target, "not_found")
    if state == "queued": answer(target, refusal("cancelled by a request", "cancelled"))
    data = {"request_id": target, "cancelled": state == "queued", "state": state}
    return {"status": "success", "data": data}
def is_allowed(argv, programs):
    return type(argv) is list and argv and argv[0] in programs and all(type(a) is str for a in argv)
def run(argv, timeout_ms):
    try: done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", timeout=timeout_ms / 1000)
    except subprocess.TimeoutExpired: return refusal("not finished in time", "deadline_exceeded")
    except (OSError, ValueError) as fault: return refusal(str(fault), "failed_precondition")
    return {"status": "success", "data": {"exit_code": done.returncode, "stdout": done.stdout}}
def answer(stem, outcome, record=None):
    path = record or f"worker/tmp/{stem}"
    save(path, request_id=stem, **outcome)
    publish(path, stem)
def serve(stem, request, programs):
    command, params, outcome = request.get("command"), request.get("params"), None
    record, may_run = left.pop(stem, (None, True))
    if not may_run: outcome = refusal("interrupted; effects unknown", "aborted")
    elif "command" not in request: outcome = request  # A refusal.
    elif command == "system.echo": outcome = {"status": "success", "data": params}
    elif command == "system.cancel": outcome = cancel(stem, params.get("request_id"))
    elif command != "tool.run": outcome = refusal(f"{command}: not served", "unimplemented")
    elif not is_allowed(params.get("argv"), programs): outcome = refusal("/params/argv: no")
    else:
        record = record or f"worker/started/{stem}.1.external"
        save(record, request_id=stem, command=command), sync("worker/started")
        outcome = run(params["argv"], request.get("timeout_ms", 600000))
    answer(stem, {**outcome, **{k: v for k, v in request.items() if k == "metadata"}}, record)
def turn(programs):
    """Answers all that takes no time, cancels too, and runs one program."""
    names = (name[:-5] for name in os.listdir("requests") if name.endswith(".json"))
    stems = [s for s in names if is_stem(s) and not is_there("responses", s)]
    found = [(stem, request) for stem in stems if (request := look(stem))]
    for stem, request in sorted(found, key=lambda f: f[1].get("command") == "tool.run"):
        if is_there("responses", stem) or not is_there("requests", stem): continue
        serve(stem, request, programs)
        if request.get("command") == "tool.run": return
def main(root, *programs):
    os.umask(0o077), os.makedirs(root, exist_ok=True), os.chdir(root)
    for name in FOLDERS:
        os.makedirs(name, exist_ok=True)
        info = os.lstat(name)
        if info.st_uid != os.geteuid() or info.st_mode & 0o022 or stat.S_ISLNK(info.st_mode):
            sys.exit(f"worker.py: {root}/{name}: not a folder that only you can write to")
    lock = open("worker/lock", "a")
    for _ in range(20):  # Who asks whether a worker lives holds it for an instant.
        try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: time.sleep(0.05)
        else: break
    else: sys.exit(75)
    signal.signal(signal.SIGIO, signal.SIG_IGN)  # A writer came while a lease was asked for.
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))
    recover()
    while not stopping: turn(programs), time.sleep(0.02)
if __name__ == "__main__": main(*sys.argv[1:])
