#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drop filecall requests and read their answers, from Python, with nothing but this file.

    import filecall
    print(filecall.call("system.echo", {"hello": "world"}))

    ids = [filecall.submit("tool.run", {"argv": ["wc", "-l", name]}) for name in names]
    for request_id, response in filecall.results(ids, timeout=600):
        print(request_id, response["status"])

The root is `root=`, else $FILECALL_ROOT, else /tmp/copilot-evaluation. This module only writes
request files and reads answers: a worker (`filecall-worker`) must be running to answer them, and
retries are the orchestrator's (`filecall watch` or `filecall run`). Python 3.9 or newer, Linux.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import stat
import sys
import time
import uuid
from typing import Any, Iterable, Iterator, Optional

DEFAULT_ROOT = "/tmp/copilot-evaluation"
_TICK_MIN, _TICK_MAX = 0.001, 0.1  # Seconds between two looks at responses/.


class RequestFailed(Exception):
    """An error response. `code` and `retryable` are its members, `response` is all of it."""

    def __init__(self, response: dict[str, Any]):
        super().__init__(response.get("error_message", "no error_message"))
        self.response = response
        self.code = response.get("error_code", "unknown")
        self.retryable = bool(response.get("retryable", True))


def choose_root(root: Optional[str] = None) -> str:
    """The spool's root directory: the argument, $FILECALL_ROOT, or the default."""
    return root or os.environ.get("FILECALL_ROOT") or DEFAULT_ROOT


def _checked_root(root: Optional[str], allow_shared: bool) -> str:
    """The root, once nobody else can forge what lies in it: who may write there reads the requests,
    answers them, and has commands run in our name."""
    base = choose_root(root)
    if allow_shared:
        return base
    for path in (base, *(os.path.join(base, name) for name in ("requests", "responses", "failed"))):
        try:
            info = os.stat(path)
        except FileNotFoundError:
            continue
        if info.st_uid != os.geteuid():
            raise PermissionError(f"{path}: belongs to uid {info.st_uid}; choose another root, or "
                                  "accept it with allow_shared_root=True")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{path}: others may write to it; run 'chmod 0700 {path}', or "
                                  "accept it with allow_shared_root=True")
    return base


def _group_home(base: str) -> Optional[str]:
    """Where this user's failed/ lies in a root of a group; None: the root is no group's."""
    users = os.path.join(base, "users")
    try:
        mark, owner = os.lstat(users), os.stat(base).st_uid
    except OSError:
        return None
    bits = stat.S_ISVTX | stat.S_ISGID
    if not stat.S_ISDIR(mark.st_mode) or mark.st_mode & bits != bits or mark.st_uid != owner:
        return None
    # Another member may have taken the first name.
    names = [f"{os.geteuid()}{end}" for end in ("", *(f".{n}" for n in range(1, 10)))]
    for home in (os.path.join(users, name) for name in names):
        try:
            info = os.lstat(home)
        except OSError:
            continue
        if stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid():
            return home
    return os.path.join(users, names[0])


def new_id() -> str:
    """An id that nobody else has, sorting by time of creation."""
    return f"{int(time.time() * 1000):013d}-{uuid.uuid4().hex[:12]}"


def submit(command: str, params: Optional[dict[str, Any]] = None, id: Optional[str] = None,
           root: Optional[str] = None, *, timeout_ms: Optional[int] = None, priority: int = 0,
           metadata: Optional[dict[str, Any]] = None, durable: bool = True,
           allow_shared_root: bool = False) -> str:
    """Drops one request and returns its id. Atomic: no reader ever sees half of it.

    An existing request is never overwritten: the same request again is accepted silently (so a
    script may simply be run again), a different one under the same id raises FileExistsError.
    `durable=False` leaves out the fsync calls.
    """
    request: dict[str, Any] = {"request_id": id or new_id(), "command": command,
                               "params": params or {}}
    if timeout_ms is not None:
        request["timeout_ms"] = timeout_ms
    if priority:
        request["priority"] = priority
    if metadata is not None:
        request["metadata"] = metadata
    stem: str = request["request_id"]
    if not _is_stem(stem):
        raise ValueError(f"request id {stem!r}: it names a file, so 1..200 bytes of UTF-8 without "
                         "'/', control characters or a leading dot")
    base = choose_root(root)
    os.makedirs(base, mode=0o700, exist_ok=True)
    requests = os.path.join(_checked_root(base, allow_shared_root), "requests")
    os.makedirs(requests, mode=0o700, exist_ok=True)
    final = os.path.join(requests, stem + ".json")
    temp = os.path.join(requests, f".{uuid.uuid4().hex}.tmp")
    try:
        with open(temp, "x", encoding="utf-8") as file:
            json.dump(request, file, ensure_ascii=False, allow_nan=False)
            file.write("\n")
            file.flush()
            if _group_home(base):  # Its worker is another user, and reads by the group.
                os.fchmod(file.fileno(), 0o640)
            if durable:
                os.fsync(file.fileno())
        os.link(temp, final)  # Unlike a rename, it refuses to replace what is there.
        if durable:
            _sync_directory(requests)
    except FileExistsError:
        if _group_home(base) and not _is_own_request(final):
            raise FileExistsError(f"{final}: is another user's request; "
                                  "choose another id") from None
        if _read(final) != request:
            raise FileExistsError(f"{final}: another request has this id; "
                                  "choose another id") from None
    finally:
        if os.path.exists(temp):
            os.unlink(temp)
    return stem


def response(id: str, root: Optional[str] = None, *, final: bool = False,
             allow_shared_root: bool = False) -> Optional[dict[str, Any]]:
    """The answer, or None while there is none.

    `final=True` is for requests that an orchestrator retries: an error counts only when the
    request was given up (its copy is in failed/).
    """
    if not _is_stem(id):
        raise ValueError(f"{id!r} is not a request id")
    return _answer(_checked_root(root, allow_shared_root), id, final)


def _answer(base: str, id: str, final: bool) -> Optional[dict[str, Any]]:
    answer = _read(os.path.join(base, "responses", id + ".json"))
    if answer is not None:
        answer = _own(base, id, answer)
    if final and (answer is None or answer.get("status") != "success"):
        return _read(os.path.join(_group_home(base) or base, "failed", id + ".json"))
    return answer


def _own(base: str, id: str, answer: dict[str, Any]) -> dict[str, Any]:
    """In a group's root another user may have dropped this id before, and removed the request."""
    served = answer.get("user")
    if not isinstance(served, int) or not _group_home(base):
        return answer
    try:
        owner = os.lstat(os.path.join(base, "requests", id + ".json")).st_uid
    except OSError:
        owner = os.geteuid()
    if owner == served:
        return answer
    return {"request_id": id, "status": "error", "error_code": "data_loss", "retryable": True,
            "error_message": f"{id}: the response answers uid {served}, who dropped a request of "
                             "that id before; take an id that nobody else takes"}


def _is_own_request(path: str) -> bool:
    try:
        return os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return True


def wait(id: str, timeout: Optional[float] = None, root: Optional[str] = None, *,
         final: bool = False, allow_shared_root: bool = False) -> dict[str, Any]:
    """Waits for the answer and returns it, success or error. Raises TimeoutError."""
    for _, answer in results([id], timeout, root, final=final,
                             allow_shared_root=allow_shared_root):
        return answer
    raise AssertionError("results() yields or raises")


def results(ids: Iterable[str], timeout: Optional[float] = None, root: Optional[str] = None, *,
            final: bool = False,
            allow_shared_root: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (id, response) as answers come, in no order. Raises TimeoutError at the deadline."""
    base = _checked_root(root, allow_shared_root)
    waiting = set(ids)
    for id in waiting:
        if not _is_stem(id):
            raise ValueError(f"{id!r} is not a request id")
    deadline = None if timeout is None else time.monotonic() + timeout
    tick = _TICK_MIN
    while waiting:
        # One listing for many ids; a look per id for a few.
        seen = waiting if len(waiting) < 64 else waiting & _stems(base, final)
        answered = []
        for id in seen:
            answer = _answer(base, id, final)
            if answer is not None:
                answered.append((id, answer))
        waiting.difference_update(id for id, _ in answered)
        yield from answered
        if not waiting:
            return
        tick = _TICK_MIN if answered else min(tick * 1.5, _TICK_MAX)
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{len(waiting)} request(s) have no answer, for example "
                                   f"{min(waiting)!r}; is a worker running on {base}?")
            tick = min(tick, left)
        time.sleep(tick)


def call(command: str, params: Optional[dict[str, Any]] = None, timeout: Optional[float] = None,
         root: Optional[str] = None, *, allow_shared_root: bool = False, **request: Any) -> Any:
    """submit() and wait(): returns `data`, raises RequestFailed or TimeoutError."""
    id = submit(command, params, root=root, allow_shared_root=allow_shared_root, **request)
    answer = wait(id, timeout, root, allow_shared_root=allow_shared_root)
    if answer.get("status") != "success":
        raise RequestFailed(answer)
    return answer.get("data")


def _is_stem(stem: str) -> bool:
    try:
        size = len(stem.encode("utf-8"))
    except UnicodeEncodeError:
        return False
    return (0 < size <= 200 and not stem.startswith(".") and "/" not in stem
            and all(ord(c) >= 0x20 and ord(c) != 0x7F for c in stem))


def _read(path: str) -> Optional[dict[str, Any]]:
    try:
        # A FIFO or a link in its place is no answer, and is not waited for.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
            return None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with open(fd, encoding="utf-8") as file:
        try:
            answer: dict[str, Any] = json.load(file)
            return answer
        except ValueError:  # A writer that does not rename.
            return None


def _stems(base: str, final: bool) -> set[str]:
    found: set[str] = set()
    folders = [os.path.join(base, "responses")]
    if final:
        folders.append(os.path.join(_group_home(base) or base, "failed"))
    for folder in folders:
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            continue
        found.update(name[:-5] for name in names if name.endswith(".json"))
    return found


def _sync_directory(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _main() -> int:
    parser = argparse.ArgumentParser(
        description="Drop one request, wait for its answer, print its data.",
        epilog="example: filecall.py system.echo '{\"hello\": \"world\"}'")
    parser.add_argument("command")
    parser.add_argument("params", nargs="?", default="{}", help="a JSON object, or - for stdin")
    parser.add_argument("--root")
    parser.add_argument("--id")
    parser.add_argument("--timeout", type=float, help="seconds")
    parser.add_argument("--allow-shared-root", action="store_true",
                        help="use a root that others own or may write")
    parser.add_argument("--no-wait", action="store_true", help="print the id and leave")
    options = parser.parse_args()
    try:
        text = sys.stdin.read() if options.params == "-" else options.params
        params = json.loads(text)
        if options.no_wait:
            print(submit(options.command, params, options.id, options.root,
                         allow_shared_root=options.allow_shared_root))
            return 0
        print(json.dumps(call(options.command, params, options.timeout, options.root,
                              id=options.id,
                              allow_shared_root=options.allow_shared_root), ensure_ascii=False))
        return 0
    except RequestFailed as failure:
        print(f"{failure.code}: {failure}", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"filecall.py: {error}", file=sys.stderr)
        return 3 if isinstance(error, TimeoutError) else 2


if __name__ == "__main__":
    sys.exit(_main())
