import { resumeSending } from '../../src/organizations/guard/guard-change.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let guards: TestGuards;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', GUARD_MIN_SENT: '10' } });
  guards = TestGuards.beside(service);
});
afterAll(async () => {
  await guards?.stop();
  await service?.stop();
});

/** Records 100 recipients and how many of them bounced. */
async function count({ organizationId }: TestClient, bounced: number, hoursAgo = 0): Promise<void> {
  await service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced)
     values ($1, date_trunc('hour', now() - $3 * interval '1 hour', 'UTC'), 'acme.example', 100, $2)`,
    [organizationId, bounced, hoursAgo],
  );
}

it('a guard pauses no organization that is resumed after it has read the rates', async () => {
  const client = await service.organization();
  const { organizationId } = client;
  await count(client, 12);
  await service.database.query(
    `insert into sending_guards (organization_id, state, changed_at) values ($1, 'slowed', now() - interval '1 hour')`,
    [organizationId],
  );
  let evaluated: Promise<void> | undefined;
  await whileLocked(
    service.database,
    (sql) => resumeSending(sql, organizationId),
    async () => {
      evaluated = guards.evaluate();
      await lockedOut(service.database, 1);
    },
  );
  await evaluated;
  expect(await guards.stateOf(client)).toBe('normal');
});

it('an organization stays warned until its bounces are seven days old, however often the rates are compared', async () => {
  const client = await service.organization();
  await count(client, 6, 24 * 7 - 1);
  for (let run = 0; run < 2; run++) {
    await guards.evaluate();
    expect(await guards.stateOf(client)).toBe('warned');
  }
});
