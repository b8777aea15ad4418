import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockInstance } from '../../src/embedded/instance-lock.js';
import { runCommand, runCommandWith } from '../support/command-line.js';
import { Browser } from '../support/browser.js';
import { PASSWORD } from '../support/people.js';
import { TestService } from '../support/service.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

let service: TestService;
let organizationId: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  ({ organizationId } = await service.organization());
});
afterAll(async () => service?.stop());

async function run(...words: string[]): Promise<{ code: number | null; output: string }> {
  const { DATABASE_URL } = service.settings;
  return runCommand({ DATABASE_URL, DASHBOARD_URL: 'https://dash.test' }, 'user', ...words);
}

it('user create prints a link that sets a password; list, reset and remove work', async () => {
  const person = ['--email', 'Ada@acme.example'];
  const inOrganization = ['--org', organizationId];
  const created = JSON.parse((await run('create', ...person, ...inOrganization, '--role', 'owner')).output);
  expect(created).toMatchObject({ email: 'ada@acme.example', role: 'owner' });
  const [, token] = /^https:\/\/dash\.test\/set-password#token=([\w-]{43})$/.exec(created.link) ?? [];
  const browser = new Browser(service);
  expect((await browser.post('/api/session/password', { token, password: PASSWORD })).status).toBe(204);
  const signIn = { email: 'ada@acme.example', password: PASSWORD };
  expect((await browser.post('/api/session', signIn)).status).toBe(201);
  expect(JSON.parse((await run('list', ...inOrganization)).output)).toMatchObject([{ isActive: true, role: 'owner' }]);
  await service.database.query(`update users set oidc_subject = 'taken over' where email = 'ada@acme.example'`);
  expect(JSON.parse((await run('reset', ...person)).output).link).toContain('#token=');
  const account = await service.database.query('select oidc_subject as subject from users');
  expect(account).toEqual([{ subject: null }]);
  expect((await browser.post('/api/session', signIn)).status).toBe(401);
  expect((await run('remove', ...person, ...inOrganization)).code).toBe(0);
  expect(await run('reset', ...person)).toEqual({ code: 1, output: 'User not found\n' });
});

it('its links lead to the process that runs in the folder, which has another port if the usual one was taken', async () => {
  await inTemporaryDirectory(async (directory) => {
    const { DATABASE_URL } = service.settings;
    const linkOf = async (environment: Record<string, string> = {}): Promise<string> => {
      const given = { environment: { DATABASE_URL, ...environment }, directory };
      const words = ['create', '--email', 'grace@acme.example', '--org', organizationId, '--role', 'member'];
      const { output } = await runCommandWith(given, 'user', ...words);
      await run('remove', '--email', 'grace@acme.example', '--org', organizationId);
      return new URL((JSON.parse(output) as { link: string }).link).origin;
    };
    expect(await linkOf()).toBe('http://localhost:3000');
    await mkdir(join(directory, '.mailbeacon'));
    const lock = await lockInstance(join(directory, '.mailbeacon'));
    await lock.recordAddress('http://localhost:3004');
    expect(await linkOf()).toBe('http://localhost:3004');
    expect(await linkOf({ BASE_URL: 'https://mail.test' })).toBe('https://mail.test');
    await lock.release();
  });
});
