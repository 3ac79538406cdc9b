# SPDX-License-Identifier: MIT
"""filecall from Python: single requests, batches, evaluations, reports and comparisons.

    import filecall

    print(filecall.call("system.echo", {"hello": "world"}))       # a worker is running

    client = filecall.Client()                                    # needs the program `filecall`
    client.run("questions.csv", prompt="ask.txt", model="gpt-4.1-mini")
    client.eval("quality.yaml")
    print(client.report().score)

`AsyncClient` has the same methods as coroutines. `filecall.grader` makes a program of a Python
function that grades responses.
"""

from .client import AsyncClient, Client
from .grading import Subject, grader
from .objects import (Comparison, Estimate, Evaluation, FilecallError, Item, Report, RunResult,
                      ThresholdMissed)
from .spool import (RequestFailed, call, choose_root, new_id, response, results, submit, wait)

__all__ = ["AsyncClient", "Client", "Comparison", "Estimate", "Evaluation", "FilecallError", "Item",
           "Report", "RequestFailed", "RunResult", "Subject", "ThresholdMissed", "call",
           "choose_root", "grader", "new_id", "response", "results", "submit", "wait"]
