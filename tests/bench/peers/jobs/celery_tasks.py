# SPDX-License-Identifier: MIT
# The task, set up for work that may run again but may not be lost.

import os
import subprocess

from celery import Celery

URL = f"redis://127.0.0.1:{os.environ['PORT']}/0"
app = Celery("celery_tasks", broker=URL, backend=URL)
app.conf.task_acks_late = True
app.conf.task_reject_on_worker_lost = True
app.conf.worker_prefetch_multiplier = 1
app.conf.worker_deduplicate_successful_tasks = True
app.conf.task_track_started = True
app.conf.broker_transport_options = {"visibility_timeout": 30}
app.conf.result_expires = None


@app.task(autoretry_for=(subprocess.CalledProcessError,), max_retries=2, retry_backoff=1)
def job(n):
    subprocess.run([os.environ["COMMAND"], os.environ["LOG"], str(n)], check=True)
