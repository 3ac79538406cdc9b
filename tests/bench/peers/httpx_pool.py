#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Usage: httpx_pool.py URL PROMPTS IN_FLIGHT

What one writes with httpx for a batch: a task a prompt behind a semaphore, three attempts, a 429
waited for as its Retry-After says. Prints how many were answered and how many given up.
"""

import asyncio
import json
import sys

import httpx

ATTEMPTS = 3


async def ask(client, semaphore, url, prompt):
    async with semaphore:
        for attempt in range(ATTEMPTS):
            answer = await client.post(url, json={
                "model": "m", "messages": [{"role": "user", "content": prompt}]})
            if answer.status_code == 200:
                return bool(answer.json()["choices"][0]["message"]["content"])
            if attempt + 1 < ATTEMPTS:
                await asyncio.sleep(float(answer.headers.get("retry-after", "1")))
        return False


async def main(url, file, in_flight):
    with open(file, encoding="utf-8") as lines:
        prompts = [json.loads(line) for line in lines]
    semaphore = asyncio.Semaphore(in_flight)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=in_flight)
    async with httpx.AsyncClient(limits=limits, timeout=600) as client:
        answered = sum(await asyncio.gather(
            *(ask(client, semaphore, url + "/chat/completions", prompt) for prompt in prompts)))
    print(json.dumps({"answered": answered, "failed": len(prompts) - answered}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
