// SPDX-License-Identifier: MIT
// A Node worker on chokidar (npm): an answer for every file that appears in requests/.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { createRequire } from "node:module";

const [, , root, modules] = process.argv;
const { watch } = createRequire(modules + "/")("chokidar");
mkdirSync(root + "/requests", { recursive: true });
mkdirSync(root + "/responses", { recursive: true });
watch(root + "/requests", { ignoreInitial: false, depth: 0 })
  .on("add", (path) => {
    const name = basename(path);
    if (!name.endsWith(".json")) return;
    const request = JSON.parse(readFileSync(path, "utf8"));
    const temp = `${root}/responses/.${name}.tmp`;
    writeFileSync(temp, JSON.stringify({
      request_id: request.request_id, status: "success", data: request.params }));
    renameSync(temp, `${root}/responses/${name}`);
  })
  .on("ready", () => writeFileSync(root + "/ready", ""));
