import { systemClock } from '../../src/platform/clock/clock.js';
import type { SessionView } from '../../src/users/sessions/session-view.js';
import { RESET_MS, UserTokens } from '../../src/users/user-tokens.js';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, PASSWORD, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

const POSTMASTER = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e78';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { USER_MAIL_ORGANIZATION: POSTMASTER } });
  await service.database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [
    POSTMASTER,
  ]);
});
afterAll(async () => service?.stop());

it('links for a forgotten password end no invitation, which lasts longer, however many a stranger requests', async () => {
  const email = 'invited@acme.example';
  const { organizationId } = await service.organization('pro', 'Acme');
  const owner = await signedIn(service, await newUser(service, organizationId, 'owner'));
  await owner.post('/api/users', { email, role: 'viewer' });
  const mails = () => service.mailServer.messages.filter(({ recipients }) => recipients.includes(email));
  await eventually(() => mails().length === 1);
  const text = mails()[0]!
    .content.toString()
    .replaceAll(/=\r?\n/g, '');
  const token = /#token=3?D?([\w-]+)/.exec(text)![1];
  for (let count = 1; count <= 3; count++) {
    await new Browser(service).post('/api/session/reset', { email });
    await eventually(() => mails().length === 1 + count);
  }
  expect((await new Browser(service).post('/api/session/password', { token, password: PASSWORD })).status).toBe(204);
});

it('links that set a password end no sign-in that a user has begun at the OpenID provider', async () => {
  const { organizationId } = await service.organization('pro', 'Acme');
  const { id, email } = await newUser(service, organizationId, 'viewer');
  const tokens = new UserTokens(service.database, systemClock);
  const token = await tokens.create(id, 'sign-in', 60_000);
  for (let count = 0; count < 3; count++) await tokens.create(id, 'password', RESET_MS);
  const { status, body } = await new Browser(service).post<SessionView>('/api/session', { token });
  expect([status, body.user.email]).toEqual([201, email]);
});
