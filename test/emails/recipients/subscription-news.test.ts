import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readReported,
  readWebhooks,
  reportOf,
  type ReportedMail,
} from './reported-mail.js';

const HOUR = 3_600_000;

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('an unsubscription after its undoing is reported once, although the organization had removed the entry', async () => {
  const { database } = open;
  const mail = await mailToReportOn(database, 1);
  const { id } = mail.emails[0]!;
  const start = Date.now() - 3 * HOUR;
  await flushReported(database, [reportOf(id, 0, 'unsubscribed', { at: start })]);
  await database.query('delete from suppressions where organization_id = $1', [mail.organizationId]);
  await flushReported(database, [
    reportOf(id, 0, 'resubscribed', { at: start + HOUR }),
    reportOf(id, 0, 'unsubscribed', { at: start + 2 * HOUR }),
  ]);
  const types = (await readWebhooks(database, mail)).map(({ type }) => type);
  expect(types.sort()).toEqual(['EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED', 'EMAIL_UNSUBSCRIBED']);
});

describe('about several emails to one recipient', () => {
  const start = Date.now() - 9 * HOUR;
  let mail: ReportedMail;
  let hours = 0;

  beforeEach(async () => {
    hours = 0;
    mail = await mailToReportOn(open.database, 2);
  });

  /** Reports that follow each other by an hour. */
  const flush = (...reports: readonly (readonly [email: number, fact: 'unsubscribed' | 'resubscribed'])[]) =>
    flushReported(
      open.database,
      reports.map(([email, fact]) => reportOf(mail.emails[email]!.id, 0, fact, { at: start + hours++ * HOUR })),
    );

  /** The webhooks in order of time, and whether the recipient is on the suppression list. */
  async function outcome(): Promise<{ told: string[]; isSuppressed: boolean }> {
    const webhooks = await readWebhooks(open.database, mail);
    const inOrder = webhooks.toSorted((one, other) =>
      String(one.data.occurredAt) < String(other.data.occurredAt) ? -1 : 1,
    );
    const { suppressions } = await readReported(open.database, mail);
    return { told: inOrder.map(({ type }) => type), isSuppressed: suppressions.length > 0 };
  }

  it('an unsubscription that the recipient takes back through another email is reported as taken back', async () => {
    await flush([0, 'unsubscribed']);
    await flush([1, 'resubscribed']);
    expect(await outcome()).toEqual({ told: ['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED'], isSuppressed: false });
  });

  it('so is one that arrives together with its undoing', async () => {
    await flush([0, 'unsubscribed'], [1, 'resubscribed']);
    expect(await outcome()).toEqual({ told: ['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED'], isSuppressed: false });
  });

  it('the last webhook shows whether the recipient is unsubscribed, although an email shows no change', async () => {
    await flush([0, 'unsubscribed'], [1, 'unsubscribed']);
    await flush([0, 'resubscribed'], [1, 'unsubscribed']);
    const { told, isSuppressed } = await outcome();
    expect(isSuppressed).toBe(true);
    expect(told.at(-1)).toBe('EMAIL_UNSUBSCRIBED');
  });

  it('a decision that arrives after a later one through another email is stored, and not reported', async () => {
    const later = hours + 2;
    await flush([0, 'unsubscribed']);
    hours = later;
    await flush([0, 'resubscribed']);
    hours = later - 1;
    await flush([1, 'unsubscribed']);
    expect(await outcome()).toEqual({ told: ['EMAIL_UNSUBSCRIBED', 'EMAIL_RESUBSCRIBED'], isSuppressed: false });
    expect((await readReported(open.database, mail)).campaign['unsubscribed']).toBe(1);
  });
});
