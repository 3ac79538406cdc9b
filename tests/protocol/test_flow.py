# SPDX-License-Identifier: MIT
"""Worker rule 10: starts are delayed per destination, fairly, by priority, and never repeated."""

import pytest

from harness import Spool, shell, wait_until, with_tool


def order(folder):
    path = folder / "order"
    return path.read_text().split() if path.exists() else []


def blocked(spool, folder, start_worker, **options):
    """A worker whose only place is taken until (folder / "go") exists."""
    worker = start_worker(config=with_tool(concurrency=1), **options)
    spool.drop("blocker", "tool.run", shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the blocker runs")
    return worker


@pytest.mark.core
def test_larger_priority_goes_first(spool, folder, start_worker):
    blocked(spool, folder, start_worker)
    for stem, priority in [("low", -10), ("normal", 0), ("high", 10), ("middle", 5)]:
        spool.drop(stem, "tool.run", shell(f"echo {stem} >>{folder}/order"), priority=priority)
    spool.barrier()
    (folder / "go").touch()
    spool.wait_response("low")
    assert order(folder) == ["high", "middle", "normal", "low"]


def test_roots_take_turns(spool, folder, start_worker):
    other = Spool(folder / "other")
    blocked(spool, folder, start_worker, spools=[spool, other])
    for i in range(12):
        spool.drop(f"a{i:02}", "tool.run", shell(f"echo a >>{folder}/order"))
    spool.barrier()
    for i in range(4):
        other.drop(f"b{i:02}", "tool.run", shell(f"echo b >>{folder}/order"))
    other.barrier()
    (folder / "go").touch()
    wait_until(lambda: len(order(folder)) == 16, "all have run")
    assert "b" in order(folder)[:3] and order(folder)[:10].count("b") == 4, order(folder)


def test_a_place_that_is_free_is_taken_at_once(spool, start_worker):
    """Not with the next heartbeat, a second later: then these would take forty."""
    start_worker(config=with_tool(concurrency=1))
    for i in range(40):
        spool.drop(f"r{i}", "tool.run", {"argv": ["true"]})
    wait_until(lambda: len(spool.responses()) == 40, "all are answered")


def test_no_more_run_at_once_than_allowed(spool, folder, start_worker):
    start_worker(config=with_tool(concurrency=3))
    script = (f"mkdir {folder}/on-$$; ls {folder} | grep -c on- >>{folder}/order; sleep 0.05; "
              f"rmdir {folder}/on-$$")
    for i in range(20):
        spool.drop(f"r{i}", "tool.run", shell(script))
    wait_until(lambda: len(spool.responses()) == 20, "all are answered")
    assert max(map(int, order(folder))) == 3


def test_a_full_destination_does_not_hold_up_others(spool, folder, start_worker):
    blocked(spool, folder, start_worker)
    for i in range(50):
        spool.drop(f"waiting-{i}", "tool.run", {"argv": ["true"]})
    assert spool.call("echo")["status"] == "success"
    (folder / "go").touch()


def test_a_tools_own_limit(spool, folder, start_worker):
    config = with_tool(concurrency=4)
    config["tool"]["tools"] = {"one": {
        "description": "One at a time.", "effects": "none", "concurrency": 1,
        "argv": ["sh", "-c", f"mkdir {folder}/busy || echo clash >>{folder}/order; sleep 0.03; "
                             f"rmdir {folder}/busy"]}}
    start_worker(config=config)
    for i in range(10):
        spool.drop(f"r{i}", "tool.run", {"tool": "one"})
    wait_until(lambda: len(spool.responses()) == 10, "all are answered")
    assert order(folder) == []


def test_a_rate_spreads_starts(spool, folder, start_worker):
    config = with_tool(concurrency=8)
    config["destinations"] = {"tool": {"rate": 10, "burst": 1}}
    start_worker(config=config)
    for i in range(8):
        spool.drop(f"r{i}", "tool.run", shell(f"date +%s%N >>{folder}/order"))
    wait_until(lambda: len(spool.responses()) == 8, "all are answered")
    times = sorted(map(int, order(folder)))
    assert (times[-1] - times[0]) / 1e9 > 0.5, "eight starts at ten a second take 0.7 s"
