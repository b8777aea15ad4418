import { Buffer } from 'node:buffer';
import console from 'node:console';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { residentBytes } from '../framework/processor-time.mjs';
import { summaryOf, Probes } from './probes.mjs';

const OBJECTS = Buffer.from(`{"a":[${'{},'.repeat(3_400_000)}{}]}`.slice(0, 9_700_000));
const TEXT = Buffer.from(
  JSON.stringify({ to: 'a@example.com', subject: 'S', htmlContent: `<p>${'é'.repeat(2_500_000)}</p>` }),
);
const AT_ONCE = 6;
const SECONDS = 8;

/** Sends bodies of 10 MB, six at a time without a pause, to processes with the heap of a small container. */
export async function attackWithBodies(services) {
  const backend = await services.migratedBackend();
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Hostile', '--plan', 'unlimited');
  const tracking = await services.ours('tracking', backend, {}, ['--max-old-space-size=128']);
  await attack('tracking (128 MB heap), bodies without a key', tracking, [
    { path: '/nowhere', body: OBJECTS },
    { path: '/api/send', body: OBJECTS },
    { path: '/api/t/u/x', body: OBJECTS },
  ]);
  await tracking.program.stop();
  const api = await services.ours('api', backend, {}, ['--max-old-space-size=256']);
  await attack('api (256 MB heap), bodies without a key', api, [
    { path: '/nowhere', body: OBJECTS },
    { path: '/api/send', body: OBJECTS },
  ]);
  await attack('api (256 MB heap), 3 million objects with a key', api, [{ path: '/api/send', body: OBJECTS, apiKey }]);
  await attack('api (256 MB heap), emails of 5 MB with a key', api, [{ path: '/api/emails', body: TEXT, apiKey }]);
}

async function attack(name, { address, pid }, bodies) {
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 20);
  const probes = new Probes({ address, paths: ['/health/live'] });
  const statuses = new Map();
  const until = performance.now() + SECONDS * 1_000;
  const lane = async (number) => {
    for (let turn = number; performance.now() < until; turn++) {
      const status = await post(address, bodies[turn % bodies.length]);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => lane(number)));
  const probed = await probes.end();
  clearInterval(watch);
  const ends = [...statuses].map(([status, count]) => `${count} × ${status || 'cut'}`).join(', ');
  console.log(`${name}: ${ends} in ${SECONDS} s`);
  console.log(`  /health/live meanwhile: ${summaryOf(probed)}`);
  console.log(`  memory ${(before / 2 ** 20).toFixed(0)} MB before, at most ${(most / 2 ** 20).toFixed(0)} MB`);
}

/** Resolves with the status; 0 if the connection was closed. */
function post(address, { path, body, apiKey = '' }) {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': apiKey };
    const posted = request(address + path, { method: 'POST', headers, agent: false });
    posted.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
      posted.destroy();
    });
    posted.on('error', () => resolve(0));
    posted.end(body);
  });
}
