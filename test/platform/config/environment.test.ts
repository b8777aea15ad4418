import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../../../src/platform/config/environment.js';
import { OperatorError } from '../../../src/platform/errors/operator-error.js';
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

it('a .env that cannot be read is named in one line', async () => {
  await inTemporaryDirectory(async (directory) => {
    await mkdir(join(directory, '.env'));
    expect(() => readEnvironment(directory)).toThrow(OperatorError);
    expect(() => readEnvironment(directory)).toThrow(/\.env cannot be read \(EISDIR\)/);
  });
});

it('a value of .env ends at a # only after a space, as in a shell and in Docker Compose', async () => {
  await inTemporaryDirectory(async (directory) => {
    const lines = [
      'OPERATOR_PASSWORD=correct#horse#battery',
      'SMTP_URL=smtp://mail.example # the relay',
      'export BOUNCE_INTAKE_SECRET = a#b  # and a comment\r',
      `SENDGRID_API_KEY='SG.a # b'#c`,
      'LOG_LEVEL=#debug',
      '#PORT=1#2',
    ];
    await writeFile(join(directory, '.env'), lines.join('\n'));
    expect(readEnvironment(directory)).toMatchObject({
      OPERATOR_PASSWORD: 'correct#horse#battery',
      SMTP_URL: 'smtp://mail.example',
      BOUNCE_INTAKE_SECRET: 'a#b',
      SENDGRID_API_KEY: 'SG.a # b',
      LOG_LEVEL: '',
    });
  });
});

it('the last value of a name counts, as in a shell and in Docker Compose', async () => {
  await inTemporaryDirectory(async (directory) => {
    const lines = [
      'OPERATOR_PASSWORD=old#password',
      'OPERATOR_PASSWORD=new-password',
      'SENDGRID_API_KEY=SG.old#key',
      'SENDGRID_API_KEY="SG.new"',
      'BOUNCE_INTAKE_SECRET="old"',
      'BOUNCE_INTAKE_SECRET=new#secret',
      'REDIS_SENTINEL_PASSWORD=old#secret',
      'REDIS_SENTINEL_PASSWORD=',
    ];
    await writeFile(join(directory, '.env'), lines.join('\n'));
    expect(readEnvironment(directory)).toMatchObject({
      OPERATOR_PASSWORD: 'new-password',
      SENDGRID_API_KEY: 'SG.new',
      BOUNCE_INTAKE_SECRET: 'new#secret',
      REDIS_SENTINEL_PASSWORD: '',
    });
  });
});
