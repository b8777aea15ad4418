import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../../../src/platform/config/environment.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const NAME = 'MAILBEACON_TEST_ENVIRONMENT';
afterEach(() => {
  delete process.env[NAME];
});

describe('readEnvironment', () => {
  it('takes from .env what the environment does not set', async () => {
    await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, '.env'), `${NAME}="from the file" # a remark\n`);
      expect(readEnvironment(directory)[NAME]).toBe('from the file');
      process.env[NAME] = 'from the shell';
      expect(readEnvironment(directory)[NAME]).toBe('from the shell');
    });
  });

  it('needs no .env', async () => {
    await inTemporaryDirectory(async (directory) => {
      expect(readEnvironment(directory)).toEqual({ ...process.env });
    });
  });
});
