# SPDX-License-Identifier: MIT
"""Drives the program `filecall`: its options are keyword arguments, with _ for -."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, TypeVar, Union

from . import spool
from .objects import (EXIT_SOME_GAVE_UP, EXIT_THRESHOLD, Comparison, Evaluation, FilecallError,
                      Report, RunResult)

PathLike = Union[str, "os.PathLike[str]"]
_R = TypeVar("_R", Evaluation, Report, Comparison)
# What still has a result; for the rest, the message on standard error is all there is.
_RESULTS = (0, EXIT_SOME_GAVE_UP, EXIT_THRESHOLD)


def _words(options: dict[str, Any]) -> list[str]:
    """window=8 is --window=8, fresh=True is --fresh; None and False are left out, and a dictionary
    is JSON. A list is the option again for each of its values; models stand in one."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "model" and isinstance(value, (list, tuple)):
            value = ",".join(value)
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is None or one is False:
                continue
            if one is True:
                words.append(option)
            else:
                words.append(f"{option}={json.dumps(one) if isinstance(one, dict) else one}")
    return words


class _Program:
    def __init__(self, root: Optional[PathLike], program: Optional[PathLike],
                 env: Optional[dict[str, str]]):
        self.root = os.fspath(root) if root is not None else spool.choose_root()
        found = os.fspath(program) if program is not None else os.environ.get("FILECALL_BIN")
        self._program = found or shutil.which("filecall") or "filecall"
        self._env = {**os.environ, **env} if env is not None else None

    def command(self, name: str, words: Iterable[PathLike], options: dict[str, Any]) -> list[str]:
        return [self._program, name, *(os.fspath(word) for word in words),
                *_words({"root": self.root, **options})]

    def execute(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, env=self._env, check=False,
                              stdin=subprocess.DEVNULL)

    async def execute_async(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env=self._env)
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()  # It gives back what waits, and says how to go on.
            await process.wait()
            raise
        return subprocess.CompletedProcess(command, process.returncode or 0, out.decode(),
                                           err.decode())


def _json_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    lines = done.stdout.splitlines()
    if done.returncode not in _RESULTS or not lines:
        raise FilecallError(done.returncode, done.stderr.strip())
    try:
        data: dict[str, Any] = json.loads(lines[-1])  # Lines before it tell of progress.
    except ValueError:
        data = json.loads(done.stdout)
    if "error_code" in data and "error_message" in data:
        raise FilecallError(done.returncode, str(data["error_message"]))
    return data


def _result(kind: Callable[[dict[str, Any], int, str], _R],
            done: subprocess.CompletedProcess[str]) -> _R:
    return kind(_json_of(done), done.returncode, done.stderr.strip())


def _run_result(done: subprocess.CompletedProcess[str], out: Path) -> RunResult:
    data = _json_of(done)
    with open(out, encoding="utf-8") as lines:
        results = [json.loads(line) for line in lines]
    return RunResult(data, done.returncode, done.stderr.strip(), results)


class Client(_Program):
    """`root`: the directory of requests and responses. `program`: the path of filecall, else
    $FILECALL_BIN, else what stands in $PATH. `env`: added to the environment of the program, and
    of a worker that it starts. Its methods raise FilecallError when there is no result."""

    def __init__(self, root: Optional[PathLike] = None, *, program: Optional[PathLike] = None,
                 env: Optional[dict[str, str]] = None):
        super().__init__(root, program, env)

    def submit(self, command: str, params: Optional[dict[str, Any]] = None,
               **request: Any) -> str:
        """Drops one request; see filecall.submit()."""
        return spool.submit(command, params, root=self.root, **request)

    def wait(self, id: str, timeout: Optional[float] = None) -> dict[str, Any]:
        return spool.wait(id, timeout, self.root)

    def call(self, command: str, params: Optional[dict[str, Any]] = None,
             timeout: Optional[float] = None) -> Any:
        return spool.call(command, params, timeout, self.root)

    def run(self, *inputs: PathLike, out: Optional[PathLike] = None, **options: Any) -> RunResult:
        """`filecall run INPUT...`. Requests that were given up are results, too."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(out) if out is not None else Path(folder) / "results.jsonl"
            done = self.execute(self.command("run", inputs, {**options, "out": path, "json": True}))
            return _run_result(done, path)

    def eval(self, spec: PathLike, **options: Any) -> Evaluation:
        """`filecall eval SPEC`."""
        return _result(Evaluation, self.execute(
            self.command("eval", [spec], {**options, "json": True})))

    def report(self, **options: Any) -> Report:
        """`filecall report`, with all items."""
        return _result(Report, self.execute(
            self.command("report", [], {**options, "format": "json"})))

    def compare(self, a: PathLike, b: PathLike, **options: Any) -> Comparison:
        """`filecall compare A B`."""
        return _result(Comparison, self.execute(
            self.command("compare", [a, b], {**options, "json": True})))


class AsyncClient(_Program):
    """Client, as coroutines. A cancelled run ends the program, which then says how to go on."""

    def __init__(self, root: Optional[PathLike] = None, *, program: Optional[PathLike] = None,
                 env: Optional[dict[str, str]] = None):
        super().__init__(root, program, env)

    async def submit(self, command: str, params: Optional[dict[str, Any]] = None,
                     **request: Any) -> str:
        return await asyncio.to_thread(spool.submit, command, params, root=self.root, **request)

    async def wait(self, id: str, timeout: Optional[float] = None) -> dict[str, Any]:
        """Polls; raises TimeoutError. Many of them wait without a thread each."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        tick = 0.002
        while True:
            answer = spool.response(id, self.root)
            if answer is not None:
                return answer
            if deadline is not None and loop.time() >= deadline:
                raise TimeoutError(f"{id}: no response; is a worker running on {self.root}?")
            await asyncio.sleep(tick)
            tick = min(tick * 1.5, 0.1)

    async def call(self, command: str, params: Optional[dict[str, Any]] = None,
                   timeout: Optional[float] = None) -> Any:
        answer = await self.wait(await self.submit(command, params), timeout)
        if answer.get("status") != "success":
            raise spool.RequestFailed(answer)
        return answer.get("data")

    async def run(self, *inputs: PathLike, out: Optional[PathLike] = None,
                  **options: Any) -> RunResult:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(out) if out is not None else Path(folder) / "results.jsonl"
            done = await self.execute_async(
                self.command("run", inputs, {**options, "out": path, "json": True}))
            return _run_result(done, path)

    async def eval(self, spec: PathLike, **options: Any) -> Evaluation:
        return _result(Evaluation, await self.execute_async(
            self.command("eval", [spec], {**options, "json": True})))

    async def report(self, **options: Any) -> Report:
        return _result(Report, await self.execute_async(
            self.command("report", [], {**options, "format": "json"})))

    async def compare(self, a: PathLike, b: PathLike, **options: Any) -> Comparison:
        return _result(Comparison, await self.execute_async(
            self.command("compare", [a, b], {**options, "json": True})))
