import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LogOutput } from '../../../src/platform/logging/log-output.js';
import { eventually } from '../../support/eventually.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const FULL = '/dev/full';
const source = join(import.meta.dirname, '..', '..', '..', 'src', 'platform', 'logging', 'log-output.ts');

/** Runs a program that has `LogOutput` with its log at `file`. Returns what it printed to standard error. */
function run(program: string, file: string): string {
  const loader = join(import.meta.dirname, '..', '..', 'support', 'register-typescript.mjs');
  const script = `
    import { openSync } from 'node:fs';
    import { LogOutput } from ${JSON.stringify(source)};
    const output = new LogOutput(openSync(${JSON.stringify(file)}, 'a'));
    ${program}`;
  const parameters = ['--import', loader, '--input-type=module', '--eval', script];
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
