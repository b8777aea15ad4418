import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/* Requests paths in turn, repeatedly, in a separate thread, so that the attack does not slow it down. */
const { address, paths, everyMs, headers } = workerData;
let probing = true;
const times = [];
parentPort.on('message', () => (probing = false));
while (probing) {
  const startedAt = performance.now();
  const status = await probe(paths[times.length % paths.length]).catch(() => 0);
  times.push({ at: startedAt + performance.timeOrigin, ms: performance.now() - startedAt, status });
  await setTimeout(everyMs);
}
parentPort.postMessage(times);
parentPort.close();

function probe(path) {
  return new Promise((resolve, reject) => {
    const outgoing = request(address + path, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    outgoing.on('error', reject).end();
  });
}
