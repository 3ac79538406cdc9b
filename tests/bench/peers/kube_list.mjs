// SPDX-License-Identifier: MIT
// Lists the ConfigMaps of a namespace with @kubernetes/client-node, page by page.
// Usage: kube_list.mjs KUBECONFIG NAMESPACE OBJECTS PAGE; prints milliseconds as JSON. The first
// list does not count.
import { createRequire } from "node:module";

const require = createRequire(process.env.FILECALL_PEERS_DIR + "/x.js");
const k8s = await import(require.resolve("@kubernetes/client-node"));
const [kubeconfig, namespace, objects, page] = process.argv.slice(2);

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);

async function list() {
  const begin = performance.now();
  let found = 0;
  let token;
  do {
    const answer = await core.listNamespacedConfigMap({
      namespace,
      limit: Number(page),
      _continue: token,
    });
    found += answer.items.length;
    token = answer.metadata._continue;
  } while (token);
  if (found !== Number(objects)) throw new Error(`${found} objects`);
  return performance.now() - begin;
}

await list();
console.log(JSON.stringify({ list_ms: await list() }));
