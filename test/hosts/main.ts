import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Balancer } from './balancer.js';
import { isConsistent, reconcile, emailReader, type Reconciliation } from './reconciliation.js';
import { copyBuild, Installation } from './installation.js';
import { Network } from './network.js';
import { Traffic } from './traffic.js';

/**
 * Runs every role on several hosts under load, cuts one off, slows one down, adds one, rolls all of them to another
 * build, and compares all records at the end. Prints one line per step; exits with 1 if a guarantee was broken.
 */
const project = join(import.meta.dirname, '..', '..');
const STEP_MS = 10_000;
const DRAIN_DEADLINE_MS = 120_000;

const startedAt = Date.now();
const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-hosts-'));
const network = await Network.create();
const installation = new Installation(network, project, directory);
let succeeded = false;
try {
  succeeded = await runScenario();
} finally {
  await installation.stop();
  await network.remove();
  if (succeeded) await rm(directory, { recursive: true, force: true });
  else print(`Logs of the hosts: ${directory}`);
}
process.exit(succeeded ? 0 : 1);

async function runScenario(): Promise<boolean> {
  await installation.startServices();
  const [apis, edges, workers] = [await start('api', 2), await start('tracking', 2), await start('worker', 3)];
  await start('flusher', 2);
  const [apiBalancer, edgeBalancer] = [new Balancer(apis), new Balancer(edges)];
  await Promise.all([apiBalancer.check(), edgeBalancer.check()]);
  const apiKey = await installation.makeOrganization();
  print(`${installation.roles.length} hosts run their roles, beside Postgres, Redis and a mail server`);

  const traffic = new Traffic(apiBalancer, edgeBalancer, apiKey);
  traffic.start();
  await pass(STEP_MS, `Traffic: 25 emails a second, each opened and clicked`, traffic);

  const [cut, slow] = workers;
  await network.cutOff(cut!.host);
  await pass(STEP_MS, `${cut!.host.name} is cut off`, traffic);
  await network.connect(cut!.host);
  slow!.slowDown();
  await pass(STEP_MS, `${cut!.host.name} is back; ${slow!.host.name} runs at a fifth of its speed`, traffic);
  slow!.speedUp();
  await installation.addRole('worker', 'worker-4');
  await pass(STEP_MS, 'worker-4 has joined', traffic);

  const rollingSince = Date.now();
  const exitCodes = await rollAll(await copyBuild(project, join(directory, 'next')));
  await pass(STEP_MS / 2, 'Every host runs the next build', traffic);
  await traffic.stop();
  const errors = traffic.errorsSince(rollingSince);

  const totals = await whenDrained(traffic, emailReader(apiBalancer, apiKey));
  apiBalancer.stop();
  edgeBalancer.stop();
  return report(totals, errors, exitCodes);
}

async function start(role: string, count: number) {
  const hosts = Array.from({ length: count }, (_, index) => installation.addRole(role, `${role}-${index + 1}`));
  return Promise.all(hosts);
}

async function rollAll(build: string): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  for (const role of installation.roles) {
    codes.push(await role.stop());
    await role.start(build);
  }
  return codes;
}

/** Waits until no work is in progress, with the same check as at the end. */
async function whenDrained(traffic: Traffic, read: ReturnType<typeof emailReader>): Promise<Reconciliation> {
  const since = Date.now();
  for (;;) {
    const totals = await reconcile(traffic.accepted, await installation.received(), read);
    const isOver = isConsistent(totals) || Date.now() - since > DRAIN_DEADLINE_MS;
    if (isOver) return totals;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function pass(milliseconds: number, what: string, traffic: Traffic): Promise<void> {
  const before = traffic.errors.length;
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const failures = traffic.errors.slice(before).length;
  print(`${what}: ${traffic.accepted.length} emails accepted so far, ${failures} requests failed`);
}

function report(totals: Reconciliation, errors: readonly string[], exitCodes: readonly (number | null)[]): boolean {
  print(
    `Totals: ${Object.entries(totals)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  );
  print(
    `Rolled ${exitCodes.length} hosts: exit codes ${[...new Set(exitCodes)].join(', ')}; ${errors.length} client errors`,
  );
  for (const error of new Set(errors)) print(`  ${error}`);
  const kept = isConsistent(totals) && errors.length === 0 && exitCodes.every((code) => code === 0);
  print(
    kept ? 'Nothing lost, nothing doubled, no client saw an error while hosts were replaced' : 'A promise was broken',
  );
  return kept;
}

function print(line: string): void {
  process.stdout.write(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
}
