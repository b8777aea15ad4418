import console from 'node:console';
import process from 'node:process';
import { contestant as flushing, flusher } from '../flush/scenario.mjs';
import { environment } from '../framework/report.mjs';
import { ratio, summary, takeTurns } from '../framework/rounds.mjs';
import { Services } from '../framework/services.mjs';
import { contestant as sending, ours, providerStub } from '../send/scenario.mjs';

// npm run bench -- growth [SCALE]: compares the cost of a send and an event on an empty database with the cost on one
// with 1,100,000 emails, 1,000,000 contacts and 10,000,000 events, in turn.
const SCALE = process.argv[3] ?? '1';
const ROUNDS = { rounds: 4, mostRounds: 5 };
const [EMPTY, LARGE] = ['empty', 'large'];
const MOST = 1.15;

const services = await Services.start();
try {
  console.log(environment());
  const backends = { [EMPTY]: await services.migratedBackend(), [LARGE]: await services.migratedBackend() };
  console.error('Seeding …');
  const { seconds } = await services.cli(backends[LARGE], 'seed', '--yes', '--scale', SCALE);
  console.log(`Seeded at scale ${SCALE} in ${seconds} s\n`);
  console.log('| processor time, µs | empty | large | ratio | least to most | required |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  report('a send', await sends(backends));
  report('an event', await events(backends));
} finally {
  await services.close();
}

async function sends(backends) {
  const provider = await providerStub(services, 0);
  const pairs = [];
  for (const [name, backend] of Object.entries(backends))
    pairs.push({ ...(await ours(services, provider, backend)), name });
  const contestants = pairs.map((one) => sending(services, one, provider, 8, 64));
  const samples = await measured(contestants);
  for (const { stop } of [...pairs, provider]) await stop();
  return samples;
}

async function events(backends) {
  const flushers = [];
  for (const [name, backend] of Object.entries(backends))
    flushers.push({ ...(await flusher(services, backend)), name });
  const samples = await measured(flushers.map((one) => flushing(services, one.name, one, 100_000)));
  for (const { program } of flushers) await program.stop();
  return samples;
}

async function measured(contestants) {
  for (const { work } of [...contestants, ...contestants]) await work();
  return takeTurns(contestants, ROUNDS);
}

function report(name, samples) {
  const processes = Object.keys(samples[EMPTY][0].cpuUs).filter((process) => process !== 'provider');
  for (const process of processes) line(`${name}: ${process}`, samples, ({ cpuUs }) => cpuUs[process]);
  const all = ({ cpuUs }) => processes.reduce((sum, process) => sum + cpuUs[process], 0);
  const { median } = line(name, samples, all, `≤ ${MOST.toFixed(2)}×`);
  if (median > MOST) console.log(`| ${name}: MISSED | | | | | |`);
}

function line(name, samples, read, required = '') {
  const [empty, large] = [EMPTY, LARGE].map((which) => summary(samples[which], read).median.toFixed(1));
  const grown = ratio(samples[LARGE], samples[EMPTY], read);
  const [middle, least, most] = [grown.median, grown.least, grown.most].map((value) => `${value.toFixed(2)}×`);
  console.log(`| ${name} | ${empty} | ${large} | ${middle} | ${least} to ${most} | ${required} |`);
  return grown;
}
