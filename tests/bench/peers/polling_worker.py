# SPDX-License-Identifier: MIT
"""What many would write: list both directories every 100 ms, answer the difference."""

import json
import os
import sys
import time

root = sys.argv[1]
os.makedirs(root + "/requests", exist_ok=True)
os.makedirs(root + "/responses", exist_ok=True)
while True:
    for name in set(os.listdir(root + "/requests")) - set(os.listdir(root + "/responses")):
        if not name.endswith(".json"):
            continue
        with open(f"{root}/requests/{name}", encoding="utf-8") as file:
            request = json.load(file)
        temp = f"{root}/responses/.{name}.tmp"
        with open(temp, "w", encoding="utf-8") as file:
            json.dump({"request_id": request["request_id"], "status": "success",
                       "data": request["params"]}, file)
        os.rename(temp, f"{root}/responses/{name}")
    time.sleep(0.1)
