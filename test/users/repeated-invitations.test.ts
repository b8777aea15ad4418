import type { InvitedUser } from '../../src/users/user-view.js';
import { newUser, signedIn } from '../support/people.js';
import { TestService } from '../support/service.js';

const POSTMASTER = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e78';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', USER_MAIL_ORGANIZATION: POSTMASTER } });
  await service.database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [
    POSTMASTER,
  ]);
});
afterAll(() => service?.stop());

it('one address gets mail about five invitations a day, of all organizations together', async () => {
  const owners = await Promise.all(
    ['Acme', 'Other'].map(async (name) => {
      const { organizationId } = await service.organization('pro', name);
      return signedIn(service, await newUser(service, organizationId, 'owner'));
    }),
  );
  const mailed: boolean[] = [];
  for (let turn = 0; turn < 7; turn++) {
    const owner = owners[turn % 2]!;
    const { status, body } = await owner.post<InvitedUser>('/api/users', {
      ...{ email: 'stranger@example.com', role: 'member' },
    });
    expect(status).toBe(201);
    mailed.push(body.mailed);
    expect((await owner.request('DELETE', `/api/users/${body.id}`)).status).toBe(204);
  }
  expect(mailed).toEqual([true, true, true, true, true, false, false]);
  const [row] = await service.database.query<{ emails: number }>(
    'select count(*)::integer as emails from emails where organization_id = $1',
    [POSTMASTER],
  );
  expect(row).toEqual({ emails: 5 });
  const { body } = await owners[0]!.post<InvitedUser>('/api/users', { email: 'other@example.com', role: 'member' });
  expect(body.mailed).toBe(true);
});
