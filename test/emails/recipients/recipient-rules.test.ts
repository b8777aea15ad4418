import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readReported,
  readWebhooks,
  reportOf,
  RECIPIENTS,
  type ReportedMail,
} from './reported-mail.js';

let open: OpenTestDatabase;
let mail: ReportedMail;
beforeAll(async () => (open = await openTestDatabase(4)));
beforeEach(async () => void (mail = await mailToReportOn(open.database, 7)));
afterAll(() => open.close());

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20);
const [ann, bob] = RECIPIENTS;

const flush = (...events: RecipientEvent[]) => flushReported(open.database, events);
const suppressions = async () => (await readReported(open.database, mail)).suppressions;
const soft = (email: number, hour: number) =>
  reportOf(mail.emails[email]!.id, 0, 'bounced', { bounce: 'soft', at: START + hour * HOUR });
const delivered = (email: number, hour: number) =>
  reportOf(mail.emails[email]!.id, 0, 'delivered', { at: START + hour * HOUR });

describe('suppressions caused by reports', () => {
  it('five soft bounces in a row without a delivery between them suppress the address', async () => {
    for (const hour of [0, 1, 2, 3]) await flush(soft(hour, hour));
    expect(await suppressions()).toEqual([]);
    await flush(soft(4, 4));
    expect(await suppressions()).toEqual([`${ann} bounce`]);
  });

  it('a delivery starts a new series, by time of the event and not of its arrival', async () => {
    await flush(soft(0, 0), soft(1, 1), delivered(2, 2), soft(3, 3), soft(4, 4), soft(5, 5), soft(6, 6));
    expect(await suppressions()).toEqual([]);
    // A late report about the time before the delivery does not count.
    await flush(soft(6, 1.5));
    expect(await suppressions()).toEqual([]);
    await flush(soft(0, 7));
    expect(await suppressions()).toEqual([`${ann} bounce`]);
  });

  it('removing a suppression starts a new series', async () => {
    const at = Date.now() - HOUR;
    const recent = () => reportOf(mail.emails[0]!.id, 0, 'bounced', { bounce: 'soft', at });
    await open.database.query(
      'insert into soft_bounce_resets (organization_id, address_key, reset_at) values ($1, $2, now())',
      [mail.organizationId, ann],
    );
    for (let count = 0; count < 6; count++) await flush(recent());
    expect(await suppressions()).toEqual([]);
  });

  it('a hard bounce, a complaint, an unsubscription and a drop suppress at once, each with its reason', async () => {
    const [first, second] = mail.emails;
    await flush(
      reportOf(first!.id, 0, 'bounced', { bounce: 'hard', smtpStatus: '5.1.1' }),
      reportOf(first!.id, 1, 'complained'),
      reportOf(second!.id, 1, 'unsubscribed'),
      reportOf(first!.id, 2, 'suppressed', { suppression: 'complaint', reason: 'Spam Reporting Address' }),
      reportOf(second!.id, 2, 'failed', { reason: 'Too large' }),
    );
    expect(await suppressions()).toEqual([
      `${ann} bounce`,
      ...[`${bob.toLowerCase()} complaint`, `${bob.toLowerCase()} unsubscribe`],
      'carol@example.com complaint',
    ]);
    expect(
      await open.database.query('select address from suppressions where address_key = $1 limit 1', ['bob@example.com']),
    ).toEqual([{ address: bob }]);
  });

  it("undoing an unsubscription removes it, and lowers the campaign's count", async () => {
    const { id } = mail.emails[0]!;
    await flush(reportOf(id, 1, 'unsubscribed', { at: START }), reportOf(id, 1, 'complained'));
    await flush(reportOf(id, 1, 'resubscribed', { at: START + HOUR }));
    expect(await suppressions()).toEqual(['bob@example.com complaint']);
    expect((await readReported(open.database, mail)).campaign).toMatchObject({ unsubscribed: 0, complained: 1 });
    const types = (await readWebhooks(open.database, mail)).map(({ type }) => type);
    expect(types.sort()).toEqual(['EMAIL_COMPLAINED', 'EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED']);
  });
});

it('a report about an address that is no recipient of the email, or about an unknown email, is dropped and suppresses no address', async () => {
  const hard = { bounce: 'hard' as const };
  const { reports, deadLetters } = await flush(
    reportOf(mail.emails[0]!.id, 'stranger@example.com', 'bounced', hard),
    reportOf(mail.emails[0]!.id, 3, 'bounced', hard),
    reportOf(uuidV7(Date.now()), ann, 'bounced', hard),
    reportOf('no-such-email', ann, 'complained'),
    reportOf(mail.emails[0]!.trackingId, ann.toUpperCase(), 'delivered'),
  );
  expect(deadLetters).toEqual([]);
  expect(reports.flatMap(({ dropped }) => dropped.map(({ reason }) => reason)).sort()).toEqual([
    ...['unknown-email', 'unknown-email', 'unknown-recipient', 'unknown-recipient'],
  ]);
  const after = await readReported(open.database, mail);
  expect(after).toMatchObject({ suppressions: [], records: [{ address: ann, facts: 2 }] });
  expect(after.events).toHaveLength(1);
});

it('one bad event does not affect its batch', async () => {
  const good = reportOf(mail.emails[0]!.id, 0, 'delivered', { reason: 'nul \0 inside', smtpStatus: '2.0.0' });
  await flush(good, good, reportOf(mail.emails[0]!.id, 'x'.repeat(300) + '\0', 'bounced'));
  const { records, events } = await readReported(open.database, mail);
  expect(events).toEqual([good.id]);
  expect(records).toMatchObject([{ reason: 'nul  inside', smtp_status: '2.0.0' }]);
});

it('a soft bounce with status 5.1.7 or 5.1.8 puts a notice on the domain of the sender', async () => {
  await open.database.query(
    `insert into sending_domains (id, organization_id, domain, status)
     values ($1, $2, 'shop.example', 'verified')`,
    [uuidV7(Date.now()), mail.organizationId],
  );
  const reason = '550 5.1.8 Domain of sender address does not exist';
  await flush(reportOf(mail.emails[0]!.id, 0, 'bounced', { bounce: 'soft', smtpStatus: '5.1.8', reason }));
  const noticed =
    'select sender_refusal as reason from sending_domains where organization_id = $1 and sender_refused_at > $2';
  expect(await open.database.query(noticed, [mail.organizationId, new Date(START - HOUR)])).toEqual([{ reason }]);
  expect(await suppressions()).toEqual([]);
});

it('a soft bounce followed by a hard one posts both webhooks, and a weaker or repeated report none', async () => {
  const { id } = mail.emails[0]!;
  const bounce = (kind: 'hard' | 'soft') => reportOf(id, 0, 'bounced', { bounce: kind });
  const hard = bounce('hard');
  for (const event of [bounce('soft'), hard, hard, bounce('soft'), reportOf(id, 0, 'delivered')]) await flush(event);
  const webhooks = await readWebhooks(open.database, mail);
  expect(webhooks.map(({ type, data }) => `${type} ${String(data['bounce'])}`).sort()).toEqual([
    ...['EMAIL_BOUNCED hard', 'EMAIL_BOUNCED soft'],
  ]);
  expect((await readReported(open.database, mail)).contacts).toContainEqual({
    address_key: ann,
    bounces: 1,
    complaints: 0,
  });
});
