import { TestGuards } from '../support/sending-guards.js';
import { TestService } from '../support/service.js';

let service: TestService;
let guards: TestGuards;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', GUARD_MIN_SENT: '3' } });
  guards = TestGuards.beside(service);
});
afterAll(async () => {
  await guards?.stop();
  await service?.stop();
});

it('an organization whose change fails each time leaves no other one unguarded', async () => {
  // The middle one has another that fails before it, in either order.
  const [first, middle, last] = [
    await service.organization(),
    await service.organization(),
    await service.organization(),
  ];
  for (const { organizationId } of [first, middle, last]) {
    await service.database.query(
      `insert into sending_rates (organization_id, hour, domain, sent, bounced)
       values ($1, date_trunc('hour', now(), 'UTC'), 'acme.example', 100, 50)`,
      [organizationId],
    );
  }
  await service.database.query(`create function refuse_guard() returns trigger language plpgsql as
    $$ begin
      if new.organization_id <> '${middle.organizationId}' then raise exception 'refused by the test'; end if;
      return new;
    end $$;
    create trigger refuse_guard before update on sending_guards for each row execute function refuse_guard()`);

  await expect(guards.evaluate()).rejects.toThrow('refused by the test');
  expect(await guards.stateOf(middle)).toBe('paused');
  expect(await guards.stateOf(first)).toBe('normal');
});
