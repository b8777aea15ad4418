import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { ProcessorTimes, residentBytes } from '../framework/processor-time.mjs';
import { freePort } from '../framework/programs.mjs';
import { summary } from '../framework/rounds.mjs';

const ROLES = ['api', 'tracking', 'worker', 'flusher'];
const BUILD_FILES = ['package.json', 'package-lock.json', '.swcrc', 'nest-cli.json'];
/** Time until memory that is needed only for the start has been released. */
const IDLE_MS = 5_000;

/** Measures the time until each role, and all of them together, are ready, and their memory then. */
export async function run({ services, quick }) {
  const rounds = quick ? 1 : 3;
  const backend = await services.migratedBackend();
  const samples = Object.fromEntries([...ROLES, 'npm start, first', 'npm start'].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const role of ROLES) samples[role].push(await startRole(services, backend, role, quick ? 1_000 : IDLE_MS));
  }
  const project = await copyOfProject(services);
  samples['npm start, first'].push(await startAll(services, project));
  for (let round = 0; round < Math.ceil(rounds / 2); round++)
    samples['npm start'].push(await startAll(services, project));
  return { title: 'Start and memory', samples, tables: [table(samples)], figures: figures(samples) };
}

async function startRole(services, backend, role, idleMs) {
  const startedAt = performance.now();
  const { program, pid } = await services.ours(role, backend, { DATABASE_POOL_SIZE: '10' });
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = new ProcessorTimes().of(pid) / 1e6;
  await setTimeout(idleMs);
  const megabytes = residentBytes(pid) / 2 ** 20;
  await program.stop();
  return { seconds, cpuSeconds, megabytes, foreign: 0 };
}

/** With embedded services, in an empty folder. */
async function copyOfProject({ directory }) {
  const project = join(directory, 'project');
  await mkdir(project);
  for (const name of ['dist', 'src', 'packages', 'scripts', ...BUILD_FILES]) {
    await cp(name, join(project, name), { recursive: true });
  }
  await symlink(join(process.cwd(), 'node_modules'), join(project, 'node_modules'));
  return project;
}

async function startAll(services, project) {
  const port = String(await freePort());
  const startedAt = performance.now();
  const program = services.run([join(project, 'scripts/start.mjs')], { PORT: port, OPERATOR_PORT: '0' });
  await program.responds(`http://127.0.0.1:${port}/health/ready`);
  const seconds = (performance.now() - startedAt) / 1000;
  const megabytes = residentBytes(program.pid) / 2 ** 20;
  await program.stop();
  return { seconds, megabytes, foreign: 0 };
}

/** Processor time, which other work on the machine affects less than elapsed time. */
function table(samples) {
  const rows = ROLES.map((role) => [role, summary(samples[role], (sample) => sample.cpuSeconds).median.toFixed(2)]);
  return { header: ['', 'CPU seconds until ready'], rows };
}

function figures(samples) {
  const seconds = (name, atMost) => ({
    name: `${name}: ready after`,
    ...summary(samples[name], (sample) => sample.seconds),
    atMost,
    unit: ' s',
  });
  const memory = (name) => ({
    name: `${name}: resident when idle`,
    ...summary(samples[name], (sample) => sample.megabytes),
    atMost: 90,
    unit: ' MB',
  });
  return [
    seconds('npm start', 3),
    seconds('npm start, first', 10),
    ...ROLES.map((name) => seconds(name, 1.2)),
    ...ROLES.map(memory),
  ];
}
