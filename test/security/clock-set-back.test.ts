import { jest } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

const HOUR_MS = 3_600_000;
/** Far above the 5 seconds after which a revocation is effective, far below the step of the clock. */
const TIMEOUT_MS = 60_000;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service?.stop());

/** As an operator or an NTP client does. */
function setClockBack(): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() - HOUR_MS);
}

it('a revoked key is refused soon, although the clock of the host was set back after its last use', async () => {
  const owner = await service.organization();
  const { body } = await owner.post<{ id: string; key: string }>('/api/keys', { scopes: ['read'] });
  const revoked = service.client(owner.organizationId, body.key);
  expect((await revoked.get('/api/campaigns')).status).toBe(200);
  setClockBack();
  expect((await owner.delete(`/api/keys/${body.id}`)).status).toBe(204);
  await eventually(async () => (await revoked.get('/api/campaigns')).status === 401, TIMEOUT_MS);
});

it('an ended session is refused soon, although the clock of the host was set back after its last use', async () => {
  const { organizationId } = await service.organization();
  const browser = await signedIn(service, await newUser(service, organizationId, 'owner'));
  const copy = new Browser(service);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  expect((await copy.get('/api/campaigns')).status).toBe(200);
  setClockBack();
  expect((await browser.request('DELETE', '/api/session')).status).toBe(204);
  await eventually(async () => (await copy.get('/api/campaigns')).status === 401, TIMEOUT_MS);
});
