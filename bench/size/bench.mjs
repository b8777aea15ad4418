import console from 'node:console';
import process from 'node:process';
import { quantile } from '../framework/durations.mjs';
import { Services } from '../framework/services.mjs';
import { describeService, timedRequest } from './measure.mjs';
import { requests } from './requests.mjs';

// npm run bench -- size [SCALE [NAME]]: sends the same requests to a small and a large database, in turns; with a name,
// only requests whose names contain it.
const SMALL = 0.001;
const LARGE = Number(process.argv[3] ?? 1);
const NAME = process.argv[4] ?? '';
const WARM_UP = 20;
const ROUNDS = 200;
const MOST_MS = 50;
const MOST_TIMES = 2;

const services = await Services.start();
try {
  const small = await prepare('small', SMALL);
  const large = await prepare('large', LARGE);
  console.log(`Emails, contacts and events: ${sizesOf(small)} and ${sizesOf(large)}; seeded in ${large.seconds} s\n`);
  console.log('| request | response | small p50 | small p95 | large p50 | large p95 | p50 ratio | p95 ratio | |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const request of requests.filter(({ name }) => name.includes(NAME)))
    console.log(await row(request, small, large));
} finally {
  await services.close();
}

async function prepare(name, scale) {
  console.error(`Seeding: ${name}`);
  const backend = await services.migratedBackend();
  // Before a service uses the database, because seeding locks its tables.
  const seeded = await services.cli(backend, 'seed', '--yes', '--scale', String(scale));
  const { address } = await services.ours('api,tracking,worker,flusher', backend);
  return describeService({ address, seeded });
}

async function row(request, small, large) {
  const times = { small: [], large: [] };
  const bytes = { small: 0, large: 0 };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, target] of Object.entries({ small, large })) {
      const response = await timedRequest(target.address, target.apiKey, request.path(target, round + WARM_UP));
      bytes[name] = Math.max(bytes[name], response.text.length);
      if (round >= 0) times[name].push(response.ms);
    }
  }
  const [medians, tails] = [0.5, 0.95].map((share) => [quantile(times.small, share), quantile(times.large, share)]);
  const reached = tails[1] <= MOST_MS && (request.uneven || tails[1] <= MOST_TIMES * tails[0]);
  const sizes = [bytes.small, bytes.large].map((size) => `${(size / 1024).toFixed(size < 10240 ? 1 : 0)} KB`);
  const cells = [
    request.name,
    request.uneven ? sizes.join(', ') : sizes[1],
    ...[medians[0], tails[0], medians[1], tails[1]].map((ms) => `${ms.toFixed(1)} ms`),
    ...[medians, tails].map(([before, after]) => `${(after / before).toFixed(2)}×`),
    reached ? 'reached' : 'MISSED',
  ];
  return `| ${cells.join(' | ')} |`;
}

function sizesOf({ sizes: { emails, regularEmails, contacts, events } }) {
  return [emails + regularEmails, contacts, events].map((size) => size.toLocaleString('en')).join(' / ');
}
