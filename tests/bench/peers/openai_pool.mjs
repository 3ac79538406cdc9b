// SPDX-License-Identifier: MIT
// Usage: openai_pool.mjs NODE_MODULES URL PROMPTS IN_FLIGHT
// The openai SDK as one would use it for a batch: a pool of IN_FLIGHT loops over the lines of
// PROMPTS, the SDK's own retries. Prints how many were answered and how many given up.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, baseURL, file, inFlight] = process.argv.slice(2);
const { default: OpenAI } = await import(pathToFileURL(`${modules}/openai/index.mjs`));
const client = new OpenAI({ baseURL, apiKey: "sk-bench" });
const prompts = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const told = { answered: 0, failed: 0 };

async function loop() {
  for (let prompt = prompts.pop(); prompt !== undefined; prompt = prompts.pop()) {
    try {
      const answer = await client.chat.completions.create({
        model: "m", messages: [{ role: "user", content: prompt }] });
      if (answer.choices[0].message.content) told.answered += 1;
    } catch {
      told.failed += 1;
    }
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, loop));
console.log(JSON.stringify(told));
