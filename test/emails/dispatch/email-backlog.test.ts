import type { Database } from '../../../src/platform/database/database.js';
import { EmailBacklog } from '../../../src/emails/dispatch/email-backlog.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let database: Database;
let opened: OpenTestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
afterEach(() => opened.close());

const byPlan = (AMBIGUOUS_SEND: 'hold' | 'resend' = 'resend') =>
  new EmailBacklog(database, { AMBIGUOUS_SEND, AMBIGUOUS_RESEND_AFTER_MS: 900_000 }).byPlan();

async function backlog(plan: string, emails: number): Promise<string> {
  const organization = await insertOrganization(database);
  await database.query('update organizations set plan = $2 where id = $1', [organization, plan]);
  await insertBacklog(database, organization, emails);
  return organization;
}

describe('EmailBacklog', () => {
  it('is empty if nothing waits', async () => {
    expect(await byPlan()).toEqual([]);
  });

  it('counts due emails and finds the one that has waited longest, by plan', async () => {
    const startedAt = performance.now();
    await backlog('free', 30);
    await backlog('free', 5);
    const dispatched = await backlog('pro', 7);
    await database.query('update pending_emails set dispatched_at = now() where organization_id = $1', [dispatched]);
    const later = await backlog('unlimited', 3);
    await database.query(`update pending_emails set due_at = now() + interval '1 hour' where organization_id = $1`, [
      later,
    ]);
    const seen = new Map((await byPlan()).map(({ plan, ...rest }) => [plan, rest]));
    expect([...seen.keys()].sort()).toEqual(['free', 'pro']);
    expect(seen.get('free')!.emails).toBe(35);
    expect(seen.get('pro')!.emails).toBe(7);
    // The emails are one second apart in the past, and the test itself takes time.
    const passed = (performance.now() - startedAt) / 1_000;
    for (const [plan, oldest] of [
      ['free', 30],
      ['pro', 7],
    ] as const) {
      expect(seen.get(plan)!.oldestSeconds).toBeGreaterThanOrEqual(oldest);
      expect(seen.get(plan)!.oldestSeconds).toBeLessThan(oldest + passed + 1);
    }
  });

  it('counts the mail of organizations with their own providers apart from their plan', async () => {
    await backlog('free', 3);
    const own = await backlog('free', 4);
    await database.query(
      `insert into organization_providers (id, organization_id, name, type, sealed_credentials)
       values (gen_random_uuid(), $1, 'own', 'resend', 'x')`,
      [own],
    );
    const seen = (await byPlan()).map(({ plan, emails }) => [plan, emails]);
    expect(seen.sort()).toEqual([
      ['free', 3],
      ['own-providers', 4],
    ]);
  });

  it('leaves out emails of workers that no longer respond, while AMBIGUOUS_SEND=hold waits for their outcome', async () => {
    const organization = await backlog('pro', 3);
    const lease = (until: string) =>
      database.query(
        `update pending_emails set dispatched_at = now(), lease_token = gen_random_uuid(), lease_until = ${until}
          where organization_id = $1`,
        [organization],
      );
    await lease(`now() - interval '10 minutes'`);
    expect(await byPlan('hold')).toEqual([]);
    expect(await byPlan('resend')).toMatchObject([{ plan: 'pro', emails: 3 }]);
    // Nobody has failed them: recovery does not run.
    await lease(`now() - interval '16 minutes'`);
    expect(await byPlan('hold')).toMatchObject([{ plan: 'pro', emails: 3 }]);
    await lease(`now() + interval '30 seconds'`);
    expect(await byPlan('hold')).toMatchObject([{ plan: 'pro', emails: 3 }]);
  });

  it('continues after an organization without due emails', async () => {
    for (let index = 0; index < 5; index++) {
      const organization = await backlog('free', 2);
      if (index % 2 === 0) {
        await database.query(`update pending_emails set due_at = now() + interval '1 h' where organization_id = $1`, [
          organization,
        ]);
      }
    }
    expect(await byPlan()).toMatchObject([{ plan: 'free', emails: 4 }]);
  });
});
