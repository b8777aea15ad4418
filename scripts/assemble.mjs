import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { PROGRAMS } from './bundling.mjs';

/**
 * node scripts/assemble.mjs FOLDER, after a build: copies everything that running processes need into FOLDER, a
 * twentieth of this checkout: the bundled programs with their maps, and the files that they load from node_modules.
 */

const OWN = [
  'package.json',
  'LICENSE',
  'dist/chunks',
  'dist/dashboard',
  'dist/events/classification/scanner-networks.csv',
];

/** Packages that start threads from their own files or are loaded by name: copied whole, with their dependencies. */
const PACKAGES = ['@fastify/view', 'ejs', 'msgpackr', 'pg', 'pino', 'piscina', 'thread-stream'];

/** Packages of which only files are served. Their code is bundled, or runs in browsers. */
const SERVED_PACKAGES = ['swagger-ui-dist', '@bull-board/ui'];

/** Files that only editors and debuggers read, and builds of Swagger UI that none of our pages loads. */
const NEEDLESS = /\.(map|md|markdown|flow|[cm]?tsx?)$|\/swagger-ui-es-bundle[^/]*$/;

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: node scripts/assemble.mjs FOLDER');
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
const installed = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;

for (const path of OWN) copy(path);
for (const program of PROGRAMS) for (const ending of ['.js', '.js.map']) copy(`dist/${program}${ending}`);
for (const name of SERVED_PACKAGES) copyPackage(locate('', name));
for (const path of packagesWithDependencies()) copyPackage(path);

function copy(path) {
  const to = join(target, path);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(path, to, { recursive: true });
}

function copyPackage(path) {
  // Nested packages are copied separately if something needs them.
  const isNeeded = (from) => !NEEDLESS.test(from) && !from.slice(path.length).includes('/node_modules');
  cpSync(path, join(target, path), { recursive: true, filter: isNeeded });
}

/** The production packages among them, by the dependencies in the lock file. */
function packagesWithDependencies() {
  const found = new Set();
  const add = (from, name) => {
    const path = locate(from, name);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, optionalDependencies = {} } = installed[path];
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) add(path, dependency);
  };
  for (const name of PACKAGES) add('', name);
  return found;
}

/** Finds a package like Node: in the node_modules of the nearest parent folder that has it. */
function locate(from, name) {
  const path = join(from, 'node_modules', name);
  if (installed[path] && existsSync(path)) return path;
  if (from === '') return undefined;
  return locate(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}
