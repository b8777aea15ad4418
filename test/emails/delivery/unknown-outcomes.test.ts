import { randomUUID } from 'node:crypto';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { listUnknownOutcomes } from '../../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome } from '../../../src/emails/delivery/settle-unknown-outcome.js';
import { retryInTransaction } from '../../../src/emails/read/email-retries.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { backlog, database, feed, useDispatchWindow } from '../dispatch/dispatch-window-fixture.js';

useDispatchWindow();

it('an email in doubt is neither listed nor settled while a worker resends it', async () => {
  const organization = await backlog(1);
  const { emailId } = (await feed(1)).fed[0]!;
  await database.query('update pending_emails set possible_duplicate = true');
  expect(await listUnknownOutcomes(database, organization, 10)).toHaveLength(1);
  const state = new DeliveryState(database, new WebhookOutbox());
  const lease = { emailId, token: randomUUID() };
  expect(await state.claim(lease, 0)).toBe(1);

  expect(await listUnknownOutcomes(database, organization, 10)).toEqual([]);
  for (const verdict of ['sent', 'resend', 'failed'] as const) {
    expect(await settleUnknownOutcome(database, emailId, verdict, () => [])).toBe(false);
  }
  const sent = { providerId: 'p1', urls: [], sentAt: new Date(), recipients: [] };
  expect(await state.markSent(lease, sent)).toEqual([]);
});

it('an email that was resent and then settled as failed may not exist twice', async () => {
  const organization = await backlog(1);
  const [{ id }] = (await database.query<{ id: string }>('select email_id as id from pending_emails')) as [
    { id: string },
  ];
  await database.query('update pending_emails set possible_duplicate = true, attempts = 1');
  await database.query('update emails set possible_duplicate = true');
  expect(await settleUnknownOutcome(database, id, 'failed', () => [])).toBe(true);
  expect(
    await database.query('select failed_at is not null as failed, possible_duplicate as twice from emails'),
  ).toEqual([{ failed: true, twice: false }]);
  expect(await listUnknownOutcomes(database, organization, 10)).toEqual([]);
});

it('an email that may exist twice stays flagged when it is retried after another failure', async () => {
  await backlog(1);
  const [{ id }] = (await database.query<{ id: string }>('delete from pending_emails returning email_id as id')) as [
    { id: string },
  ];
  await database.query(
    `update emails set status = 'failed', failed_at = now(), last_error = '550 No', possible_duplicate = true`,
  );
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html) values ($1, 'a@acme.example', '{b@example.com}', 'S', 'x')
     on conflict (email_id) do update set html = 'x'`,
    [id],
  );
  expect(await database.transaction((sql) => retryInTransaction(sql, id, false))).toBe(true);
  expect(await database.query('select possible_duplicate as twice from pending_emails')).toEqual([{ twice: true }]);
});
