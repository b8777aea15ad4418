import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOADER = join(import.meta.dirname, '..', 'support', 'register-typescript.mjs');
const MODULE = join(import.meta.dirname, '..', '..', 'src', 'roles', 'v8-heap.ts');

/** Runs a module with access to v8-heap.ts and returns the JSON that it prints. */
async function outputOf(script: string): Promise<Record<string, number>> {
  const parameters = ['--import', LOADER, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as Record<string, number>;
}

/** Allocates many lasting objects, while the young generation is limited and afterwards, and prints its sizes. */
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

it('limits the young generation while a process starts, and lets it grow under load', async () => {
  const { before, held, grown } = await outputOf(SCRIPT);
  expect(held).toBeLessThanOrEqual(Math.max(2, before!));
  expect(grown).toBeGreaterThanOrEqual(8);
});

/** The bytes by which the heap grows when a thousand functions run, and those left after many collections. */
const codeAfter = (preparation: string): string => `
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { keepCompiledCode } from '${MODULE}';
${preparation}
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const bytes = () => (collect(), getHeapStatistics().used_heap_size);
const sums = Array.from({ length: 200 }, (_, n) => 'a += a * ' + n + ';').join('');
const makeFunction = (_, n) => (0, eval)('function f(a) { ' + sums + ' return a + ' + n + '; } f');
const functions = Array.from({ length: 1_000 }, makeFunction);
let kept;
const before = bytes();
for (const each of functions) each(1);
const compiled = bytes() - before;
// Collections that a program requests do not age compiled code.
setFlagsFromString('--gc-global');
for (let time = 0; time < 2_000_000; time++) kept = [time];
console.log(JSON.stringify({ compiled, kept: bytes() - before, functions: functions.length + kept.length }));`;

it('keeps compiled code that V8 would otherwise drop after some time', async () => {
  const [dropping, keeping] = await Promise.all([outputOf(codeAfter('')), outputOf(codeAfter('keepCompiledCode();'))]);
  expect(dropping.kept).toBeLessThan(dropping.compiled! / 2);
  expect(keeping.kept).toBeGreaterThan(keeping.compiled! * 0.9);
});
