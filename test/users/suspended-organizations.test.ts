import { suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { Browser } from '../support/browser.js';
import { newUser, PASSWORD, signedIn } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

/** Time of the API process, which the tests move on. */
let elapsedMs = 0;
let service: TestService;

beforeAll(async () => {
  const clock = { now: () => Date.now() + elapsedMs };
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
afterAll(() => service?.stop());

describe('Users of a suspended organization', () => {
  it('are refused as its keys are, but the session says why', async () => {
    const client = await service.organization();
    const browser = await signedIn(service, await newUser(service, client.organizationId, 'owner'));
    await suspendOrganization(service.database, client.organizationId, 'It sends spam');
    elapsedMs += 4_900;
    expect(await browser.get('/api/campaigns')).toMatchObject({
      status: 403,
      body: { error: 'This organization is suspended: It sends spam' },
    });
    expect(await browser.get('/api/session')).toMatchObject({ status: 200, body: { suspended: 'It sends spam' } });
  });

  it('the choice of an organization and a sign-in name its suspension, not that of another one', async () => {
    const [open, suspended] = [await service.organization(), await service.organization()];
    const user = await newUser(service, open.organizationId, 'owner');
    const ids = [user.id, suspended.organizationId];
    await service.database.query("insert into memberships values ($1, $2, 'owner', now() + interval '1 second')", ids);
    await suspendOrganization(service.database, suspended.organizationId, 'It sends spam');
    const browser = await signedIn(service, user);
    const choose = async ({ organizationId }: TestClient) =>
      (await browser.request('PATCH', '/api/session', { organizationId })).body;
    expect(await choose(suspended)).toMatchObject({ suspended: 'It sends spam' });
    expect(await choose(open)).toMatchObject({ suspended: null });
    const { organizationId } = open;
    await suspendOrganization(service.database, organizationId, 'So does this one');
    const { body } = await new Browser(service).post('/api/session', { email: user.email, password: PASSWORD });
    expect(body).toMatchObject({ organization: { id: organizationId }, suspended: 'So does this one' });
  });
});
