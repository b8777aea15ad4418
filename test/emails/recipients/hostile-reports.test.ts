import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { RECIPIENT_FACTS, recipientEventId, type RecipientEvent } from '../../../src/events/recipient-event.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { flushReported, mailToReportOn, readReported, readWebhooks, reportOf, RECIPIENTS } from './reported-mail.js';

const [ann, bob, carol] = RECIPIENTS;
const YEAR_MS = 366 * 24 * 60 * 60_000;
const LONE_SURROGATE = '\ud800';

let open: OpenTestDatabase;
beforeEach(async () => (open = await openTestDatabase(8)));
afterEach(() => open.close());

async function deadLetters(): Promise<number> {
  return (await open.database.query('select from event_dead_letters')).length;
}

describe('one bad event never affects its batch', () => {
  it('stores reasons without NUL characters and broken Unicode', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    await flushReported(open.database, [
      reportOf(id, ann, 'bounced', {
        bounce: 'hard',
        smtpStatus: '5.1.8',
        reason: `\0no${LONE_SURROGATE} such\0 user`,
      }),
      reportOf(id, carol, 'complained', { reason: `"}{\\", '${LONE_SURROGATE}` }),
      reportOf(id, bob, 'delivered'),
    ]);
    const { records, campaign } = await readReported(open.database, mail);
    expect(campaign).toMatchObject({ bounced: 1, complained: 1, delivered: 1 });
    expect(records.map(({ reason }) => reason)).toEqual([null, 'no\ufffd such user', `"}{\\", '\ufffd`]);
    expect(await readWebhooks(open.database, mail)).toHaveLength(3);
    expect(await deadLetters()).toBe(0);
  });

  it.each([
    ['a NUL character', `${ann}\0`],
    ['a lone surrogate', `${LONE_SURROGATE}@example.com`],
    ['nothing', ''],
    ['only spaces', '   '],
    ['no address of the email', 'dave@example.com'],
    ['a position beyond the last', 3],
    ['a line break', `${ann}\n${bob}`],
  ])('drops a report whose recipient is %s, and stores the others', async (_, recipient) => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    const bad = reportOf(id, recipient, 'complained');
    const { reports } = await flushReported(open.database, [bad, reportOf(id, ann, 'delivered')]);
    expect(reports[0]!.dropped).toEqual([expect.objectContaining({ reason: 'unknown-recipient' })]);
    const { campaign, suppressions } = await readReported(open.database, mail);
    expect(campaign).toMatchObject({ delivered: 1, complained: 0 });
    expect(suppressions).toEqual([]);
    expect(await deadLetters()).toBe(0);
  });

  it('drops reports of an email that was deleted meanwhile, or whose content was', async () => {
    const mail = await mailToReportOn(open.database, 3);
    const [deleted, emptied, kept] = mail.emails;
    await open.database.query('delete from email_contents where email_id = any($1)', [[deleted!.id, emptied!.id]]);
    await open.database.query('delete from emails where id = $1', [deleted!.id]);
    const { reports } = await flushReported(
      open.database,
      mail.emails.map(({ id }) => reportOf(id, ann, 'delivered')),
    );
    expect(reports[0]!.dropped.map(({ reason }) => reason)).toEqual(['unknown-email', 'unknown-recipient']);
    expect((await readReported(open.database, mail)).records.map((row) => row['email_id'])).toEqual([kept!.id]);
  });
});

describe('a report is stored and counted once', () => {
  it('even if no partition exists for its time, ten years ago or in the future', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    const times = [0, Date.now() - 10 * YEAR_MS, Date.now() + 10 * YEAR_MS, 2 ** 48 - 1];
    const reports = times.map((at, index) => reportOf(id, index % 3, 'bounced', { at, bounce: 'soft' }));
    await flushReported(open.database, [...reports, ...reports]);
    await flushReported(open.database, [reportOf(id, bob, 'delivered'), ...reports]);
    const { events, campaign, suppressions } = await readReported(open.database, mail);
    expect(events).toHaveLength(5);
    expect(campaign).toMatchObject({ bounced: 3, delivered: 1 });
    expect(suppressions).toEqual([]);
    expect(await deadLetters()).toBe(0);
  });

  it('even if 5,000 reports of one email share a batch, and two flushers store it at once', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id, trackingId } = mail.emails[0]!;
    const start = Date.now();
    const facts = RECIPIENT_FACTS.filter((fact) => !fact.endsWith('subscribed'));
    const reports = Array.from({ length: 5_000 }, (_, index): RecipientEvent => {
      const fact = facts[index % facts.length]!;
      const details = { at: start + index, ...(fact === 'bounced' && { bounce: 'soft' as const }) };
      return reportOf(index % 2 ? id : trackingId, index % 3, fact, details);
    });
    await Promise.all([flushReported(open.database, reports), flushReported(open.database, reports.toReversed())]);
    const { events, records, campaign, contacts } = await readReported(open.database, mail);
    expect(events).toHaveLength(300); // the limit of an email to three recipients
    expect(records).toHaveLength(3);
    expect(campaign).toEqual({
      ...{ delivered: 3, deferred: 3, bounced: 3, complained: 3, suppressed: 3, unsubscribed: 0 },
    });
    expect(contacts.map(({ bounces, complaints }) => [bounces, complaints])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('even if the email has more recipients than are allowed now', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    const addresses = Array.from({ length: 1_000 }, (_, index) => `reader${index}@example.com`);
    await open.database.query('update email_contents set to_addresses = $2 where email_id = $1', [id, addresses]);
    await flushReported(
      open.database,
      addresses.flatMap((address, place) => [reportOf(id, address, 'deferred'), reportOf(id, place, 'delivered')]),
    );
    const { records, campaign } = await readReported(open.database, mail);
    expect(records).toHaveLength(1_000);
    expect(campaign).toMatchObject({ deferred: 1_000, delivered: 1_000 });
  });

  it('for the recipient in any spelling of the address, with or without a contact', async () => {
    const mail = await mailToReportOn(open.database, 1);
    const { id } = mail.emails[0]!;
    await open.database.query('delete from contacts where organization_id = $1 and address_key = $2', [
      mail.organizationId,
      ann,
    ]);
    await flushReported(open.database, [
      reportOf(id, bob.toLowerCase(), 'bounced', { bounce: 'soft' }),
      reportOf(id, bob.toUpperCase(), 'bounced', { bounce: 'hard' }),
      reportOf(id.toUpperCase(), 1, 'complained'),
      reportOf(id, ann.toUpperCase(), 'complained'),
    ]);
    const { records, contacts, suppressions } = await readReported(open.database, mail);
    expect(records.map(({ address }) => address)).toEqual([bob, ann]);
    expect(contacts).toEqual([{ address_key: bob.toLowerCase(), bounces: 1, complaints: 1 }]);
    expect(suppressions).toEqual([`${ann} complaint`, `${bob.toLowerCase()} bounce`, `${bob.toLowerCase()} complaint`]);
  });

  it('even if its ID is repeated for another email', async () => {
    const mail = await mailToReportOn(open.database, 2);
    const id = recipientEventId(Date.now(), `stolen ${uuidV7(Date.now())}`);
    const [first, second] = mail.emails.map((email) => ({ ...reportOf(email.id, ann, 'delivered'), id }));
    await flushReported(open.database, [first!]);
    await flushReported(open.database, [second!, reportOf(mail.emails[1]!.id, bob, 'delivered')]);
    const { events, campaign } = await readReported(open.database, mail);
    expect(events).toHaveLength(2);
    expect(campaign).toMatchObject({ delivered: 2 });
    expect(await deadLetters()).toBe(0);
  });
});
