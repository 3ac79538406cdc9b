# SPDX-License-Identifier: MIT
import os
import sys
import time

from celery_tasks import app, job

ids = {n: f"job-{n}" for n in range(1, int(os.environ["COUNT"]) + 1)}
if sys.argv[1] == "submit":
    for n, name in ids.items():
        job.apply_async((n,), task_id=name)
elif sys.argv[1] == "wait":
    while not all(app.AsyncResult(name).ready() for name in ids.values()):
        time.sleep(0.2)
else:
    for n, name in ids.items():
        if not app.AsyncResult(name).successful():
            print(n)
