// SPDX-License-Identifier: MIT
// Reads one ConfigMap with @kubernetes/client-node: one after the other, then many at once.
// Usage: kube_get.mjs KUBECONFIG ROUND_TRIPS READS IN_FLIGHT; prints seconds as JSON.
import { createRequire } from "node:module";

const require = createRequire(process.env.FILECALL_PEERS_DIR + "/x.js");
const k8s = await import(require.resolve("@kubernetes/client-node"));
const [kubeconfig, roundTrips, reads, inFlight] = process.argv.slice(2);

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
const read = () => core.readNamespacedConfigMap({ name: "bench", namespace: "default" });

await read();
const times = [];
for (let i = 0; i < Number(roundTrips); i++) {
  const begin = performance.now();
  await read();
  times.push(performance.now() - begin);
}
times.sort((a, b) => a - b);

let left = Number(reads);
const begin = performance.now();
await Promise.all(
  Array.from({ length: Number(inFlight) }, async () => {
    while (left-- > 0) await read();
  }),
);
const all = performance.now() - begin;
console.log(JSON.stringify({ round_trip_s: times[times.length >> 1] / 1000, reads_s: all / 1000 }));
