import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LogOutput } from '../../../src/platform/logging/log-output.js';
import { eventually } from '../../support/eventually.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const FULL = '/dev/full';
const source = join(import.meta.dirname, '..', '..', '..', 'src', 'platform', 'logging', 'log-output.ts');

/** Parameters of Node for a program that has `LogOutput` on the descriptor that an expression returns. */
function parametersOf(program: string, descriptor: string): string[] {
  const loader = join(import.meta.dirname, '..', '..', 'support', 'register-typescript.mjs');
  const script = `
    import { openSync, writeSync } from 'node:fs';
    import { LogOutput } from ${JSON.stringify(source)};
    const output = new LogOutput(${descriptor});
    ${program}`;
  return ['--import', loader, '--input-type=module', '--eval', script];
}

/** Runs a program that has `LogOutput` with its log at `file`. Returns what it printed to standard output. */
function run(program: string, file: string): string {
  const parameters = parametersOf(program, `openSync(${JSON.stringify(file)}, 'a')`);
  return execFileSync(process.execPath, parameters, { encoding: 'utf8', timeout: 60_000 });
}

describe('the output of the log', () => {
  it('has every line in order', async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = await open(join(directory, 'log'), 'a+');
      const output = new LogOutput(file.fd);
      const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} ü\n`);
      for (const [n, line] of lines.entries()) {
        output.write(line);
        if (n % 100 === 0) await new Promise(setImmediate);
      }
      const wanted = lines.join('');
      await eventually(async () => (await readFile(join(directory, 'log'), 'utf8')).length === wanted.length);
      expect(await readFile(join(directory, 'log'), 'utf8')).toBe(wanted);
      await file.close();
    });
  });

  it('has the last lines before the process ends', async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'log');
      run(`for (let n = 0; n < 100; n++) output.write(n + '\\n'); process.exit(0);`, file);
      expect((await readFile(file, 'utf8')).split('\n').sort()).toEqual(
        ['', ...Array.from({ length: 100 }, (_, n) => String(n))].sort(),
      );
    });
  });

  it('has the lines for which a slow reader had no room, before the process ends', async () => {
    const program = `
      process.stdout.on('error', () => undefined); // As in a role: a full pipe refuses a write instead of blocking it.
      for (let n = 0; n < 10_000; n++) output.write(String(n).padEnd(99) + '\\n');
      setTimeout(() => {
        output.write('last');
        writeSync(2, 'ends');
        process.exit(0);
      }, 500);`;
    const child = spawn(process.execPath, parametersOf(program, '1'), { timeout: 60_000 });
    await once(child.stderr, 'data');
    const lines = (await text(child.stdout)).split('\n');
    expect(lines.map((line) => line.trimEnd())).toEqual([
      ...Array.from({ length: 10_000 }, (_, n) => String(n)),
      'last',
    ]);
  });

  (existsSync(FULL) ? it : it.skip)('loses what a full disk does not take, and the process goes on and ends', () => {
    const printed = run(
      `for (let n = 0; n < 3; n++) {
         output.write(n + '\\n');
         await new Promise((resolve) => setTimeout(resolve, 20));
       }
       console.log('goes on');
       output.write('last\\n');
       process.exit(0);`,
      FULL,
    );
    expect(printed).toBe('goes on\n');
  });
});
