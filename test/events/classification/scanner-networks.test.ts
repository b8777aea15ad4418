import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readScannerNetworks } from '../../../src/events/classification/scanner-networks.js';
import { verdictOf } from '../../../src/events/verdict.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailbeacon-networks-'));
  file = join(folder, 'networks.csv');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (...lines: string[]) => writeFile(file, ['cidr,scope,certainty,name,source,date', ...lines].join('\n'));
const signOf = (address: string) => readScannerNetworks(file).find(address);

it('an operator replaces the networks by a file, which may contain networks under new names', async () => {
  await write('# ours', '192.0.2.0/24,clicks,certain,our-gateway,our network plan,2026-11-22');
  expect(verdictOf(signOf('192.0.2.9')!.code)).toEqual({
    class: 'scanner',
    reason: 'network:other',
    certainty: 'certain',
  });
  expect(signOf('192.0.2.9')!.only).toBe('click');
  expect(signOf('40.107.22.5')).toBeUndefined();
});

it('comments may also precede the names of the columns', async () => {
  const lines = ['# ours', 'cidr,scope,certainty,name,source,date', '192.0.2.0/24,both,certain,a,b,2026-11-22'];
  await writeFile(file, lines.join('\n'));
  expect(signOf('192.0.2.9')).toBeDefined();
});

it.each([
  ['no network', '192.0.2.300/24,both,certain,a,b,2026-11-22'],
  ['bits behind the prefix', '192.0.2.1/24,both,certain,a,b,2026-11-22'],
  ['an unknown scope', '192.0.2.0/24,all,certain,a,b,2026-11-22'],
  ['an unknown certainty', '192.0.2.0/24,both,sure,a,b,2026-11-22'],
  ['no source', '192.0.2.0/24,both,certain,a,,2026-11-22'],
  ['no date', '192.0.2.0/24,both,certain,a,b,'],
  ['a column too few', '192.0.2.0/24,both,certain'],
  ['a column too many', '192.0.2.0/24,both,certain,a,b,2026-11-22,c'],
])('a file with %s stops the start, and the message names the setting and the line', async (_what, line) => {
  await write('198.51.100.0/24,both,certain,a,b,2026-11-22', line);
  expect(() => readScannerNetworks(file)).toThrow(`SCANNER_NETWORKS_FILE: ${file} has an invalid line: ${line}`);
});

it('a file that is missing stops the start, and the message names the setting', () => {
  const missing = join(folder, 'missing.csv');
  expect(() => readScannerNetworks(missing)).toThrow(`SCANNER_NETWORKS_FILE: ${missing} cannot be read: ENOENT`);
});

it('the networks of this release take less than 5 MB', () => {
  const before = process.memoryUsage();
  const networks = Array.from({ length: 10 }, () => readScannerNetworks());
  const after = process.memoryUsage();
  const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(networks).toHaveLength(10);
  expect(used / 10).toBeLessThan(5_000_000);
});
