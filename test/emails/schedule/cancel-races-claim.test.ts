import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EmailNotCancelableError, EmailNotScheduledError } from '../../../src/emails/email-errors.js';
import { ScheduledEmails } from '../../../src/emails/schedule/scheduled-emails.js';
import type { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { testBudgets } from '../../support/budgets.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { NO_LISTENERS, NO_WORKERS } from '../../support/no-listeners.js';

const EMAILS = 300;

let opened: OpenTestDatabase;
let state: DeliveryState;
let scheduled: ScheduledEmails;
let organizationId: string;
let emailIds: string[];

beforeEach(async () => {
  opened = await openTestDatabase(8);
  state = new DeliveryState(opened.database, undefined as unknown as WebhookOutbox);
  const { budgets } = testBudgets(opened.database);
  scheduled = new ScheduledEmails(opened.database, budgets, systemClock, NO_LISTENERS, NO_WORKERS);
  organizationId = await insertOrganization(opened.database);
  await insertBacklog(opened.database, organizationId, EMAILS);
  emailIds = (await opened.database.query<{ id: string }>('select id from emails order by id')).map(({ id }) => id);
});
afterEach(() => opened.close());

const claim = async (emailId: string): Promise<boolean> =>
  (await state.claim({ emailId, token: randomUUID() }, 0)) !== undefined;

/** False when it was refused as expected. */
const succeeds = (call: Promise<void>, refusal: new (status: string) => Error): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (error instanceof refusal) return false;
      throw error;
    },
  );

/** Runs both for each email. They alternate in starting first, so that each wins sometimes. */
async function race(
  rival: (emailId: string) => Promise<boolean>,
): Promise<readonly (readonly [claimed: boolean, rivalWon: boolean])[]> {
  const outcomes: (readonly [boolean, boolean])[] = [];
  for (let from = 0; from < EMAILS; from += 4) {
    const some = emailIds.slice(from, from + 4).map(async (emailId, n) => {
      if ((from / 4 + n) % 2 === 0) return Promise.all([claim(emailId), rival(emailId)]);
      const won = rival(emailId);
      return [await claim(emailId), await won] as const;
    });
    outcomes.push(...(await Promise.all(some)));
  }
  return outcomes;
}

const owner = () => ({ organizationId, plan: 'pro' });
const author = () => ({ organizationId, actor: { kind: 'operator', id: 'test' }, requestId: null }) as const;

const statuses = async (): Promise<Record<string, string>> => {
  const rows = await opened.database.query<{ id: string; status: string }>(
    `select e.id, case when p.email_id is null then e.status when p.lease_token is null then 'waiting' else 'leased' end as status
       from emails e left join pending_emails p on p.email_id = e.id`,
  );
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
};

it('an email is either claimed or canceled, and never both', async () => {
  const outcomes = await race((id) => succeeds(scheduled.cancel(owner(), author(), id), EmailNotCancelableError));
  const found = await statuses();
  for (const [n, [claimed, canceled]] of outcomes.entries()) {
    expect({ n, claimed, canceled }).toEqual({ n, claimed, canceled: !claimed });
    expect(found[emailIds[n]!]).toBe(canceled ? 'canceled' : 'leased');
  }
  expect(new Set(outcomes.map(([claimed]) => claimed)).size).toBe(2);
});

it('an email that becomes due is either claimed or rescheduled: never both', async () => {
  // It is due so soon that a statement may start before and end after that time.
  const moveAll = `update pending_emails set queued_at = now() + $1 * interval '1 ms', due_at = now() + $1 * interval '1 ms'`;
  await opened.database.query(moveAll, [300]);
  // On a busy machine, the others may be due before the first request.
  await opened.database.query(`${moveAll} where email_id = $2`, [3_600_000, emailIds.at(-1)]);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const outcomes = await race((id) =>
    succeeds(scheduled.reschedule(owner(), author(), id, later), EmailNotScheduledError),
  );
  const found = await statuses();
  for (const [n, [claimed, moved]] of outcomes.entries()) {
    expect(claimed && moved).toBe(false);
    expect(found[emailIds[n]!]).toBe(claimed ? 'leased' : 'waiting');
  }
  expect(outcomes.filter(([, moved]) => moved).length).toBeGreaterThan(0);
});

it('an email that gets its job while a request to move it waits is not moved', async () => {
  const [id] = emailIds;
  const { database } = opened;
  const at = (milliseconds: number) => new Date(Date.now() + milliseconds);
  await database.query(
    'update pending_emails set queued_at = $2, due_at = $2, dispatched_at = null where email_id = $1',
    [id, at(60_000)],
  );
  let moved: Promise<boolean> | undefined;
  // As the feeder does, once the email is due.
  const dispatch = 'update pending_emails set dispatched_at = now() where email_id = $1';
  await whileLocked(
    database,
    (sql) => sql.query(dispatch, [id]),
    async () => {
      const move = scheduled.reschedule(owner(), author(), id!, at(3_600_000).toISOString());
      moved = succeeds(move, EmailNotScheduledError);
      await lockedOut(database, 1);
    },
  );
  expect(await moved).toBe(false);
});

it('one of two simultaneous cancellations succeeds', async () => {
  const [first] = emailIds;
  const both = await Promise.all(
    [1, 2, 3].map(() => succeeds(scheduled.cancel(owner(), author(), first!), EmailNotCancelableError)),
  );
  expect(both.filter((won) => won)).toHaveLength(1);
});
