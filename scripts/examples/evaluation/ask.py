#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a batch for `filecall run -`: every question to every model, several times.

ask.py QUESTIONS.csv MODEL... [--repeat N]
"""

import argparse
import csv
import json


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("questions")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    with open(arguments.questions, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for model in arguments.models:
            for repeat in range(1, arguments.repeat + 1):
                print(json.dumps({
                    "command": "llm.chat",
                    "params": {"model": model, "max_tokens": 200,
                               "system": "Answer with the name of the city alone.",
                               "prompt": row["question"]},
                    # `item` is the question: its answers by all models and repeats belong together.
                    "metadata": {"suite": "capitals", "item": row["id"], "model": model,
                                 "repeat": repeat, "vars": row},
                }, ensure_ascii=False))


if __name__ == "__main__":
    main()
