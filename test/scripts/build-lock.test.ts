import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';

let directory: string;
let lock: string;
const programs: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  lock = join(directory, 'lock');
});
afterEach(async () => {
  for (const program of programs) program.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** Runs the work, as a body of an async function, in a process of its own while no other builds. */
function build(work: string) {
  const module = join(import.meta.dirname, '..', '..', 'scripts', 'build-lock.mjs');
  const source = `
    import { whileNoOtherBuilds } from ${JSON.stringify(module)};
    await whileNoOtherBuilds(${JSON.stringify(lock)}, async () => { ${work} }, (line) => console.log(line));`;
  const program = spawn(process.execPath, ['--input-type=module', '--eval', source]);
  programs.push(program);
  const result = { program, output: '', ended: once(program, 'exit') };
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (result.output += String(text)));
  return result;
}

const forever = `console.log('building'); await new Promise((resolve) => setInterval(resolve, 1e9));`;

it('waits for another build, and says so once', async () => {
  const first = build(forever);
  await eventually(() => first.output.includes('building'));
  const second = build(`console.log('second');`);
  await eventually(() => second.output !== '');
  expect(second.output).toBe(`Another build is running (process ${first.program.pid}); waiting …\n`);
  first.program.kill('SIGKILL');
  await second.ended;
  expect(second.output).toMatch(/waiting …\nsecond\n$/);
  expect(existsSync(lock)).toBe(false);
});

it('removes the lock when the work ends the process', async () => {
  const failing = build('process.exit(1);');
  await failing.ended;
  expect([failing.program.exitCode, existsSync(lock)]).toEqual([1, false]);
});

it('takes the lock of a killed process, even if another process has its ID by now', async () => {
  const killed = build(forever);
  await eventually(() => killed.output.includes('building'));
  killed.program.kill('SIGKILL');
  await killed.ended;
  const [, start] = (await readFile(lock, 'utf8')).split(' ');
  await writeFile(lock, `${process.pid} ${start}`);
  const next = build('');
  await next.ended;
  expect([next.output, next.program.exitCode]).toEqual(['', 0]);
});

it('lets one of many take the lock of a killed process', async () => {
  const rounds = 60;
  for (let round = 0; round < rounds; round++) await writeFile(join(directory, `lock-${round}`), '999999999 1');
  const module = join(import.meta.dirname, '..', '..', 'scripts', 'build-lock.mjs');
  // All begin a round at the same moment, and a second one inside would find the folder of the first.
  const source = `
    import { mkdirSync, rmdirSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    import { whileNoOtherBuilds } from ${JSON.stringify(module)};
    const inside = async (round) => {
      const folder = ${JSON.stringify(directory)} + '/inside-' + round;
      mkdirSync(folder);
      await setTimeout(2);
      rmdirSync(folder);
    };
    const startsAt = ${Date.now() + 1_500};
    await Promise.all(Array.from({ length: ${rounds} }, async (_, round) => {
      await setTimeout(startsAt + round * 20 - Date.now());
      await whileNoOtherBuilds(${JSON.stringify(directory)} + '/lock-' + round, () => inside(round), () => {});
    }));`;
  const contenders = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', source]),
  );
  programs.push(...contenders);
  await Promise.all(contenders.map((contender) => once(contender, 'exit')));
  expect(contenders.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
});
