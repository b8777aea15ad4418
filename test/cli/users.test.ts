import { runCommand } from '../support/command-line.js';
import { Browser } from '../support/browser.js';
import { PASSWORD } from '../support/people.js';
import { TestService } from '../support/service.js';

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
  expect(JSON.parse((await run('reset', ...person)).output).link).toContain('#token=');
  expect((await browser.post('/api/session', signIn)).status).toBe(401);
  expect((await run('remove', ...person, ...inOrganization)).code).toBe(0);
  expect(await run('reset', ...person)).toEqual({ code: 1, output: 'User not found\n' });
});
