#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""json_syntax.py FILE: fails when the file is not JSON, and says where."""

import json
import sys

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        json.load(file)
except ValueError as error:
    print(f"{sys.argv[1]}: {error}")
    sys.exit(1)
