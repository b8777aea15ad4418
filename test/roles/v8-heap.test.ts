import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOADER = join(import.meta.dirname, '..', 'support', 'register-typescript.mjs');
const MODULE = join(import.meta.dirname, '..', '..', 'src', 'roles', 'v8-heap.ts');

/** What a process prints in which much is made that stays, while the young generation is held and afterwards. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { holdYoungGeneration, letYoungGenerationGrow } from '${MODULE}';
const megabytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20;
const stay = () => Array.from({ length: 300_000 }, (_, index) => ({ index, list: [index] }));
holdYoungGeneration();
const before = megabytes();
const first = stay();
const held = megabytes();
letYoungGenerationGrow();
const second = stay();
console.log(JSON.stringify({ before, held, grown: megabytes(), kept: first.length + second.length }));`;

it('holds the young generation while a process starts, and lets it grow with the work', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    LOADER,
    '--input-type=module',
    '-e',
    SCRIPT,
  ]);
  const { before, held, grown } = JSON.parse(stdout) as Record<string, number>;
  expect(held).toBeLessThanOrEqual(Math.max(2, before!));
  expect(grown).toBeGreaterThanOrEqual(8);
});
