import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { whileNoOtherBuilds } from './build-lock.mjs';

/**
 * Ensures everything that our programs need: a new enough Node, the dependencies of the lock file and a build of the
 * current sources. Uses only built-in modules, since node_modules may be missing.
 */

export const project = dirname(dirname(fileURLToPath(import.meta.url)));
/** Not in node_modules, which an installation empties first. */
const LOCK = join('.mailbeacon', 'build.lock');

/** @param {(line: string) => void} report called with a line when a step takes a while */
export async function prepare(report = (line) => console.error(line)) {
  process.chdir(project);
  requireNode();
  if (dependenciesMatch() && builtFrom() === fingerprintOfSources()) return;
  mkdirSync(dirname(LOCK), { recursive: true });
  const work = async () => {
    await install(report);
    await build(report);
  };
  await whileNoOtherBuilds(LOCK, work, report);
}

/** Downloads Redis once if this machine has none. Needs the build. @returns the path of a redis-server */
export async function prepareRedis() {
  const { provideRedisBinary } = await import('../dist/embedded/provide-redis.js');
  return provideRedisBinary(join(project, '.mailbeacon'), { report: console.log });
}

async function install(report) {
  if (dependenciesMatch()) return;
  report('Installing dependencies (once, about a minute) …');
  await runQuietly(npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']), 'npm ci');
}

async function build(report) {
  const sources = fingerprintOfSources();
  if (builtFrom() === sources) return;
  report('Building …');
  await runQuietly([process.execPath, 'node_modules/@nestjs/cli/bin/nest.js', 'build'], 'The build');
  await runQuietly([process.execPath, 'scripts/bundle.mjs'], 'The bundling of the programs');
  await runQuietly([process.execPath, 'scripts/bundle-inbox.mjs'], 'The bundling of the inbox');
  const dashboard = ['node_modules/vite/bin/vite.js', 'build', '--config', 'packages/dashboard/vite.config.mjs'];
  await runQuietly([process.execPath, ...dashboard], 'The build of the dashboard');
  writeFileSync(fingerprintFile, sources);
}

/** Ends the program unless `engines` in package.json allows this Node. */
function requireNode() {
  const ranges = readJson('package.json').engines.node;
  const own = process.versions.node.split('.').map(Number);
  const isAllowed = ranges.split('||').some((range) => {
    const [operator, wanted] = /^(\D+)(.+)$/.exec(range.trim()).slice(1);
    const [major, minor] = wanted.split('.').map(Number);
    return own[0] === major ? own[1] >= minor : operator === '>=' && own[0] > major;
  });
  if (!isAllowed) fail(`Mailbeacon needs Node ${ranges}; this is ${process.versions.node}.`);
}

/**
 * npm records installed packages in node_modules/.package-lock.json. Optional packages of other platforms are missing
 * there.
 */
function dependenciesMatch() {
  const installedFile = join('node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson(installedFile).packages;
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true;
    const found = installed[path];
    if (!found) return optional === true;
    return found.version === version && found.integrity === integrity && existsSync(path);
  });
}

const fingerprintFile = join('dist', '.sources');
const BUILD_FILES = [
  ...['bundle', 'bundle-inbox', 'bundling', 'inbox', 'mailbox-simulator'].map((name) => `scripts/${name}.mjs`),
  ...['.swcrc', 'nest-cli.json', 'package-lock.json'],
];

function builtFrom() {
  return existsSync(fingerprintFile) ? readFileSync(fingerprintFile, 'utf8') : undefined;
}

/** Compares content and not times, because git changes times even if the content is the same. */
function fingerprintOfSources() {
  const hash = createHash('sha256');
  const sources = ['src', 'packages/client/src', 'packages/dashboard']
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  for (const file of [...sources, ...BUILD_FILES]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string[]} arguments_ */
export function npm(arguments_) {
  // The npm that runs this script, if any: the PATH may have another one.
  const program = process.env.npm_execpath;
  return program?.endsWith('.js') ? [process.execPath, program, ...arguments_] : ['npm', ...arguments_];
}

/**
 * Shows the output of a command only when it fails. A signal that ends us ends it first: it writes into our folders.
 */
async function runQuietly([program, ...arguments_], name) {
  const child = spawn(program, arguments_, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  let received;
  const release = passSignalsTo(child, (signal) => (received = signal));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  release();
  if (received) process.exit(128 + constants.signals[received]);
  if (code !== 0) fail(`${printed.trimEnd()}\n${name} failed.`);
}

/**
 * Runs a command with our terminal; resolves with its exit code. Signals that reach only us are passed on.
 * @param niceness the scheduling priority that it yields, from 0 to 19 @param isLate true to show its output only after
 * it has ended, so that two concurrent commands do not mix their lines
 */
export async function run([program, ...arguments_], environment = {}, { niceness = 0, isLate = false } = {}) {
  const stdio = isLate ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(program, arguments_, { stdio, env: { ...process.env, ...environment } });
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  const printed = [];
  if (isLate) for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const release = passSignalsTo(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once('close', (code) => resolve(code ?? 1)).once('error', reject);
    });
  } finally {
    release();
    process.stdout.write(Buffer.concat(printed));
  }
}

/** Until the returned function is called, we stay until the child has ended. */
function passSignalsTo(child, report = () => undefined) {
  const passOn = (signal) => {
    report(signal);
    // Ctrl-C reaches the child from the terminal.
    if (signal !== 'SIGINT') child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, passOn);
  return () => signals.forEach((signal) => process.off(signal, passOn));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
