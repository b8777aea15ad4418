import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fetch } from 'undici';
import { openInstallation } from './installation.mjs';
import { questions } from './questions.mjs';

// npm run bench -- size [SCALE]: the same questions to a small and a large database, which take turns.
const SMALL = 0.001;
const LARGE = Number(process.argv[3] ?? 1);
const WARM_UP = 20;
const ROUNDS = 150;
const MOST_MS = 50;
const MOST_TIMES = 2;

const installation = await openInstallation();
try {
  const small = await prepare('small', SMALL);
  const large = await prepare('large', LARGE);
  console.log(`Emails, contacts and events: ${sizesOf(small)} and ${sizesOf(large)}; seeded in ${large.seconds} s\n`);
  console.log('| question | answer | small p50 | small p95 | large p50 | large p95 | p95 ratio | |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const question of questions) console.log(await row(question, small, large));
} finally {
  await installation.close();
}

async function prepare(name, scale) {
  const service = await installation.openService(name);
  console.error(`Seeding: ${name}`);
  const seeded = await service.cli('seed', '--yes', '--scale', String(scale));
  const answer = await ask(service.address, seeded.apiKey, '/api/contacts?limit=1000');
  return { ...service, ...seeded, contacts: JSON.parse(answer.text).map(({ email }) => email) };
}

async function row(question, small, large) {
  const times = { small: [], large: [] };
  const bytes = { small: 0, large: 0 };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, target] of Object.entries({ small, large })) {
      const path = question.path(target, round + WARM_UP);
      const answer = await ask(target.address, target.apiKey, path);
      bytes[name] = Math.max(bytes[name], answer.text.length);
      if (round >= 0) times[name].push(answer.ms);
    }
  }
  const [slow, quick] = [quantile(times.large, 0.95), quantile(times.small, 0.95)];
  const reached = slow <= MOST_MS && (question.uneven || slow <= MOST_TIMES * quick);
  const answers = [bytes.small, bytes.large].map((size) => `${(size / 1024).toFixed(size < 10240 ? 1 : 0)} KB`);
  const cells = [
    question.name,
    question.uneven ? answers.join(', ') : answers[1],
    ...[quantile(times.small, 0.5), quick, quantile(times.large, 0.5), slow].map((ms) => `${ms.toFixed(1)} ms`),
    `${(slow / quick).toFixed(2)}×`,
    reached ? 'reached' : 'MISSED',
  ];
  return `| ${cells.join(' | ')} |`;
}

async function ask(address, apiKey, path) {
  const startedAt = performance.now();
  const answer = await fetch(address + path, { headers: { 'x-api-key': apiKey } });
  const text = await answer.text();
  const ms = performance.now() - startedAt;
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return { text, ms };
}

function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function sizesOf({ sizes: { emails, regularEmails, contacts, events } }) {
  return [emails + regularEmails, contacts, events].map((size) => size.toLocaleString('en')).join(' / ');
}
