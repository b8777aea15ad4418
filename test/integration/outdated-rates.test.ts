import { resumeSending } from '../../src/organizations/guard/guard-change.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestGuards } from '../support/sending-guards.js';
import { TestService } from '../support/service.js';

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

it('a guard pauses no organization that is resumed after it has read the rates', async () => {
  const client = await service.organization();
  const { organizationId } = client;
  await service.database.query(
    `insert into sending_rates (organization_id, hour, domain, sent, bounced)
     values ($1, date_trunc('hour', now(), 'UTC'), 'acme.example', 100, 12)`,
    [organizationId],
  );
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
