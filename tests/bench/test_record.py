# SPDX-License-Identifier: MIT
"""What is recorded and how a soak is judged, without measuring anything."""

import pytest

import picture
import record
import soak

PAGE = "before\n<!-- a: measured -->\nold\n<!-- a: end -->\nafter\n"


def test_only_what_is_between_the_marks_is_replaced():
    once = record.replaced(PAGE, "a", "new\n")
    assert once == "before\n<!-- a: measured -->\n\nnew\n\n<!-- a: end -->\nafter\n"
    assert record.replaced(once, "a", "new") == once


def test_a_missing_section_is_refused():
    with pytest.raises(ValueError, match="no section b"):
        record.replaced(PAGE, "b", "new")


def test_the_results_have_every_section():
    page = record.RESULTS.read_text(encoding="utf-8")
    for section in ("targets", "information", "peers", "batch-peers", "evaluation",
                    "evaluation-peers", "job-peers", "kube", "status",
                    "soak"):
        assert "fresh" in record.replaced(page, section, "fresh")


def samples(memory):
    flat = {"pss_mib": 4.0, "descriptors": 30, "threads": 17}
    return [{"t": 5.0 * i, "worker": flat | {"rss_mib": memory(i)}, "watch": flat | {"rss_mib": 8}}
            for i in range(200)]


def figures(memory):
    taken = samples(memory)
    return {name: soak.summary(taken, name) for name in ("worker", "watch")}


def test_memory_that_jitters_is_flat():
    assert not list(soak.complaints(figures(lambda i: 6.0 + 1.5 * (i % 7 == 0))))


def test_memory_that_rises_slowly_is_a_leak():
    told = list(soak.complaints(figures(lambda i: 6.0 + 0.02 * i)))
    assert len(told) == 1 and told[0].startswith("worker: rss_mib grew by")


def test_memory_that_only_rises_in_the_first_half_is_flat():
    assert not list(soak.complaints(figures(lambda i: 6.0 + 0.05 * min(i, 90))))


def test_the_picture_names_what_it_draws():
    points = [{"files": 1000, "bare": 30_000.0, "ours": 25_000.0},
              {"files": 1_000_000, "bare": 29_000.0, "ours": 24_000.0}]
    drawn = picture.growth(points)
    assert drawn.startswith("<svg") and ">1k<" in drawn and ">1M<" in drawn
    assert "filecall" in drawn and "bare system calls" in drawn
