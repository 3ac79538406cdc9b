# SPDX-License-Identifier: MIT
"""scripts/examples/evaluation against the scripted endpoint."""

import os
import subprocess

import evaluation
from endpoint import environment
from harness import SLOW, TOP, client_program

RUN = TOP / "scripts/examples/evaluation/run.sh"


def test_the_example_asks_grades_and_resumes_without_paying_twice(folder, endpoint):
    good = "good;text=Paris"
    judge = 'judge;text={"reason": "one city", "verdict": "pass"}'
    env = {**os.environ, **environment(), "OPENAI_BASE_URL": endpoint.url + "/v1",
           "OPENAI_API_KEY": "sk-test", "FILECALL_ROOT": str(folder / "root"), "REPEAT": "2",
           "FILECALL": str(client_program()), "JUDGE": judge}

    def run():
        return subprocess.run([RUN, good, "bad;status=400"], env=env, capture_output=True,
                              text=True, timeout=120 * SLOW, check=False)

    done = run()
    # Half of the requests are given up and most cities are wrong: both thresholds are missed.
    assert done.returncode == 4, done.stderr
    assert "invalid" in done.stderr and "good;text=Paris" in done.stdout
    records = list(evaluation.records(folder / "root", "capitals").values())
    assert len(records) == 32
    graded = [record for record in records if record["outcome"] == "graded"]
    assert len(graded) == 16 and {record["outcome"] for record in records} == {"graded", "error"}
    assert sorted({record["score"] for record in graded}) == [0.4, 1.0]
    assert {record["item"] for record in graded if record["passed"]} == {"france"}
    calls = len(endpoint.calls())
    assert calls == 16 + 16 + 8, "one a request, one judge for each question's equal answers"
    again = run()
    assert again.returncode == 4 and len(endpoint.calls()) == calls
