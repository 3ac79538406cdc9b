// SPDX-License-Identifier: MIT
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const { Queue, Worker } = createRequire(`${process.env.MODULES}/`)('bullmq');
const connection = { host: '127.0.0.1', port: Number(process.env.PORT), maxRetriesPerRequest: null };
const queue = new Queue('jobs', { connection });
const run = promisify(execFile);

async function wait() {
  const worker = new Worker(
    'jobs', (job) => run(process.env.COMMAND, [process.env.LOG, String(job.data.n)]),
    { connection, concurrency: Number(process.env.SLOTS) });
  worker.on('error', console.error);
  for (;;) {
    const { completed, failed } = await queue.getJobCounts('completed', 'failed');
    if (completed + failed >= Number(process.env.COUNT)) break;
    await new Promise((done) => setTimeout(done, 200));
  }
  await worker.close();
}

if (process.argv[2] === 'submit') {
  const opts = { attempts: 3, backoff: { type: 'exponential', delay: 1000 } };
  const count = Number(process.env.COUNT);
  await queue.addBulk(Array.from({ length: count }, (_, i) => (
    { name: 'job', data: { n: i + 1 }, opts: { ...opts, jobId: `job-${i + 1}` } })));
} else if (process.argv[2] === 'wait') {
  await wait();
} else {
  for (const job of await queue.getFailed()) console.log(job.data.n);
}
await queue.close();
