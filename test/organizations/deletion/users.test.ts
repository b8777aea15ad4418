import { markDeleted } from '../../../src/organizations/deletion/mark-deleted.js';
import type { SessionView } from '../../../src/users/sessions/session-view.js';
import { newUser, signedIn } from '../../support/people.js';
import { TestService } from '../../support/service.js';

let service: TestService;
beforeAll(async () => (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(() => service?.stop());

it('a deleted organization takes its users with it, except those who are in another one', async () => {
  const [deleted, other] = [await service.organization('pro', 'Deleted'), await service.organization('pro', 'Other')];
  const [alone, inBoth] = [
    await newUser(service, deleted.organizationId, 'owner'),
    await newUser(service, deleted.organizationId, 'owner'),
  ];
  await service.database.query("insert into memberships (user_id, organization_id, role) values ($1, $2, 'viewer')", [
    inBoth.id,
    other.organizationId,
  ]);
  await service.database.transaction((sql) => markDeleted(sql, deleted.organizationId));
  expect(await service.database.query('select id from users')).toEqual([{ id: inBoth.id }]);
  expect(alone.id).not.toBe(inBoth.id);
  const browser = await signedIn(service, inBoth);
  const { organizations } = (await browser.get<SessionView>('/api/session')).body;
  expect(organizations.map(({ name }) => name)).toEqual(['Other']);
});
