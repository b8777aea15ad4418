import { randomUUID } from 'node:crypto';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { retryInTransaction } from '../../../src/emails/read/email-retries.js';
import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { lockedOut } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readReported,
  reportOf,
  RECIPIENTS,
  type ReportedMail,
} from './reported-mail.js';

const [ann, bob, carol] = RECIPIENTS;

let open: OpenTestDatabase;
let mail: ReportedMail;
let emailId: string;
beforeEach(async () => {
  open = await openTestDatabase(8);
  mail = await mailToReportOn(open.database, 1, 'queued');
  emailId = mail.emails[0]!.id;
});
afterEach(() => open.close());

/** Gives a worker the lease of the email. */
async function lease() {
  const token = randomUUID();
  await open.database.query(
    `insert into pending_emails (email_id, organization_id, lease_token, lease_until)
     values ($1, $2, $3, now() + interval '1 minute')`,
    [emailId, mail.organizationId, token],
  );
  return { emailId, token };
}

const results = (...addresses: string[]) =>
  addresses.map((address) => ({ address, state: 'deferred' as const, reason: 'try again later' }));
const postponement = { reason: 'some were deferred', delayMs: 1_000, countsAsAttempt: true };

describe('a flush of reports beside a delivery of the same email', () => {
  it('does not deadlock with a worker that records its recipients in another order', async () => {
    const state = new DeliveryState(open.database, new WebhookOutbox());
    const held = await lease();
    await flushReported(open.database, [reportOf(emailId, ann, 'deferred')]);
    let flushing: Promise<unknown> | undefined;
    let postponing: Promise<unknown> | undefined;
    await open.database.transaction(async (sql) => {
      // The flush stores Bob, Ann and Carol in this order, and blocks at Ann.
      await sql.query('select from recipient_deliveries where email_id = $1 for update', [emailId]);
      flushing = flushReported(
        open.database,
        RECIPIENTS.map((address) => reportOf(emailId, address, 'delivered')),
      );
      await lockedOut(open.database, 1);
      postponing = state.postpone(held, { ...postponement, recipients: results(carol, bob) });
      await lockedOut(open.database, 2);
    });
    await expect(Promise.all([flushing, postponing])).resolves.toBeDefined();
    const { records } = await readReported(open.database, mail);
    expect(records.map(({ address, state: handOver, facts }) => [address, handOver, facts])).toEqual([
      [bob, 'deferred', 2],
      [ann, 'accepted', 3],
      [carol, 'deferred', 2],
    ]);
  });

  it('keeps the reason of a reported fact when the worker records a recipient afterwards', async () => {
    const state = new DeliveryState(open.database, new WebhookOutbox());
    const held = await lease();
    await flushReported(open.database, [reportOf(emailId, ann, 'bounced', { bounce: 'hard', reason: 'No such user' })]);
    await state.postpone(held, { ...postponement, recipients: results(ann, bob) });
    const { records } = await readReported(open.database, mail);
    expect(records.map(({ address, reason }) => [address, reason])).toEqual([
      [bob, 'try again later'],
      [ann, 'No such user'],
    ]);
  });

  it('counts a recipient once when its failed email is resent and the fact is reported again', async () => {
    await open.database.query(`update emails set status = 'failed', failed_at = now() where id = $1`, [emailId]);
    const bounce = () => reportOf(emailId, ann, 'bounced', { bounce: 'hard' });
    await flushReported(open.database, [bounce(), reportOf(emailId, bob, 'deferred')]);
    await open.database.query(`update recipient_deliveries set state = 'refused' where email_id = $1`, [emailId]);
    await open.database.transaction((sql) => retryInTransaction(sql, emailId, false));
    const retried = await readReported(open.database, mail);
    expect(retried.records.map(({ state, facts }) => [state, facts])).toEqual([
      ['deferred', 1],
      ['deferred', 132],
    ]);
    await flushReported(open.database, [bounce()]);
    const { campaign, contacts } = await readReported(open.database, mail);
    expect(campaign).toMatchObject({ bounced: 1, deferred: 1 });
    expect(contacts).toContainEqual({ address_key: ann, bounces: 1, complaints: 0 });
  });
});

it.each(['markSent', 'markFailed', 'postpone'] as const)(
  '%s stores a refusal with the time of its own clock',
  async (move) => {
    const now = Date.parse('2026-10-20T08:00:00.123Z');
    const state = new DeliveryState(open.database, new WebhookOutbox(), { now: () => now });
    const held = await lease();
    const recipients = [{ address: ann, state: 'refused' as const, smtpStatus: '5.1.1', reason: 'No such user' }];
    const moved = {
      markSent: () => state.markSent(held, { providerId: 'p', urls: [], sentAt: new Date(now), recipients }),
      markFailed: () => state.markFailed(held, 'refused', recipients),
      postpone: () => state.postpone(held, { ...postponement, recipients }),
    };
    await moved[move]();
    const { events } = await readReported(open.database, mail);
    expect(events.map((id) => timeOfUuidV7(id as string))).toEqual([now]);
  },
);
