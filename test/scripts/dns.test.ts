import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DnsLookups } from '../../src/platform/dns/dns-lookups.js';
import { freePort } from '../../src/embedded/free-port.js';

let directory: string;
let program: ChildProcess;
let lookups: DnsLookups;
const file = (): string => join(directory, 'domain.json');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  const port = String(await freePort());
  program = spawn(process.execPath, ['scripts/dns.mjs', file(), port], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(program.stdout!, 'data');
  lookups = new DnsLookups([`127.0.0.1:${port}`]);
});
afterAll(async () => {
  program?.kill();
  if (program) await once(program, 'exit');
  await rm(directory, { recursive: true, force: true });
});

it('npm run dns publishes the current records of its file', async () => {
  const ask = () => lookups.query((dns) => dns.txt('_mailbeacon.acme.test'));
  expect(await ask()).toEqual({ kind: 'none' });
  const value = 'v'.repeat(600);
  await writeFile(file(), JSON.stringify({ records: [{ type: 'TXT', name: '_mailbeacon.acme.test', value }] }));
  expect(await ask()).toEqual({ kind: 'found', records: [value] });
  await rm(file());
  expect(await ask()).toEqual({ kind: 'none' });
});
