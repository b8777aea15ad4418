import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon test '));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/**
 * Installs like `npm ci`: empties node_modules first and records the installed packages last, once the test lets it.
 */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
appendFileSync('npm.log', 'begin\\n');
rmSync('node_modules', { recursive: true, force: true });
const timer = setInterval(() => {
  if (!existsSync('go')) return;
  clearInterval(timer);
  for (const program of ['@nestjs/cli/bin/nest.js', 'vite/bin/vite.js']) {
    mkdirSync(dirname('node_modules/' + program), { recursive: true });
    writeFileSync('node_modules/' + program, '');
  }
  writeFileSync('node_modules/.package-lock.json', '{"packages":{}}');
  appendFileSync('npm.log', 'end\\n');
}, 20);`;

/** A fresh checkout whose build does nothing. */
async function makeCheckout(): Promise<void> {
  for (const folder of ['scripts', 'src', 'packages/client/src', 'packages/dashboard', 'dist'])
    await mkdir(join(directory, folder), { recursive: true });
  for (const name of ['prepare', 'build-lock'])
    await cp(`scripts/${name}.mjs`, join(directory, 'scripts', `${name}.mjs`));
  const empty = ['bundle', 'bundle-inbox', 'bundling', 'inbox', 'mailbox-simulator'];
  for (const name of empty) await writeFile(join(directory, 'scripts', `${name}.mjs`), '');
  for (const name of ['.swcrc', 'nest-cli.json', 'package.json']) await cp(name, join(directory, name));
  await writeFile(join(directory, 'package-lock.json'), '{"packages":{}}');
  await writeFile(join(directory, 'npm.js'), NPM);
}

/** One `npm start` or `npm test`, up to the build. */
function prepare() {
  const module = join(directory, 'scripts', 'prepare.mjs');
  const source = `
    import { prepare } from ${JSON.stringify(module)};
    await prepare((line) => console.log(line));`;
  const program = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    env: { PATH: process.env['PATH'], npm_execpath: join(directory, 'npm.js') },
  });
  const result = { program, output: '', ended: once(program, 'close') };
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (result.output += String(text)));
  return result;
}

it('two programs that start in a fresh checkout install its packages once', async () => {
  await makeCheckout();
  const log = join(directory, 'npm.log');
  const first = prepare();
  await eventually(() => existsSync(log));
  const second = prepare();
  await eventually(() => second.output !== '');
  await writeFile(join(directory, 'go'), '');
  expect([await first.ended, await second.ended]).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(await readFile(log, 'utf8')).toBe('begin\nend\n');
  expect(first.output).toBe('Installing dependencies (once, about a minute) …\nBuilding …\n');
  expect(second.output).toMatch(/^Another build is running \(process \d+\); waiting …\n$/);
});

it.each(['SIGTERM', 'SIGHUP'] as const)('an installation ends with the program that %s ends', async (signal) => {
  await makeCheckout();
  const log = join(directory, 'npm.log');
  const first = prepare();
  // The file exists before it has its first line, which a program that ends in between would not write.
  await eventually(async () => existsSync(log) && (await readFile(log, 'utf8')) === 'begin\n');
  first.program.kill(signal);
  await first.ended;
  expect(existsSync(join(directory, '.mailbeacon', 'build.lock'))).toBe(false);
  const second = prepare();
  await eventually(async () => (await readFile(log, 'utf8')) === 'begin\nbegin\n');
  await writeFile(join(directory, 'go'), '');
  expect(await second.ended).toEqual([0, null]);
  // The installation of the first would empty node_modules under that of the second.
  expect(await readFile(log, 'utf8')).toBe('begin\nbegin\nend\n');
});
