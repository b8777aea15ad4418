import type { RecipientEvent } from '../../../src/events/recipient-event.js';
import type { Database } from '../../../src/platform/database/database.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readWebhooks,
  RECIPIENTS,
  reportOf,
  type ReportedMail,
} from './reported-mail.js';

const [ANN, BOB, CAROL] = RECIPIENTS;

let opened: OpenTestDatabase;
let database: Database;
let mail: ReportedMail;
beforeAll(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
});
beforeEach(async () => {
  mail = await mailToReportOn(database, 1);
});
afterAll(() => opened.close());

const email = () => mail.emails[0]!;
const flush = (...events: RecipientEvent[]) => flushReported(database, events);
const bounce = (address: string, kind: 'hard' | 'soft' = 'hard') =>
  reportOf(email().id, address, 'bounced', { bounce: kind });

/** The email is with the organization's own provider, or with one of the service. */
const withOwn = (isOwn: boolean) =>
  database.query('update emails set own_provider = $2 where id = $1', [email().id, isOwn]);

async function guarded(): Promise<Record<string, number>> {
  const [row] = await database.query<Record<string, number>>(
    `select coalesce(sum(bounced), 0)::int as bounced, coalesce(sum(complained), 0)::int as complained
       from sending_rates where organization_id = $1`,
    [mail.organizationId],
  );
  return row!;
}

it('the service counts a bounce once, although an own provider had reported it', async () => {
  await withOwn(true);
  await flush(bounce(ANN));
  await flush(bounce(ANN), bounce(BOB, 'soft'));
  expect(await guarded()).toEqual({ bounced: 0, complained: 0 });
  const told = await readWebhooks(database, mail);
  await withOwn(false);
  await flush(bounce(ANN), bounce(ANN), bounce(BOB));
  await flush(bounce(ANN), bounce(BOB));
  expect(await guarded()).toEqual({ bounced: 2, complained: 0 });
  // Only the bounce that is now hard is news.
  expect((await readWebhooks(database, mail)).length).toBe(told.length + 1);
});

it('the service counts a complaint once, although an own provider had reported it', async () => {
  await withOwn(true);
  await flush(reportOf(email().id, ANN, 'complained'));
  await withOwn(false);
  await flush(reportOf(email().id, ANN, 'complained'));
  await flush(reportOf(email().id, ANN, 'complained'));
  expect(await guarded()).toEqual({ bounced: 0, complained: 1 });
});

it('counts nothing again when an own provider reports what the service has counted', async () => {
  await flush(bounce(ANN));
  await withOwn(true);
  await flush(bounce(ANN));
  await withOwn(false);
  await flush(bounce(ANN));
  expect(await guarded()).toEqual({ bounced: 1, complained: 0 });
});

it('counts the bounce although the own provider has used up the reports of the email', async () => {
  await withOwn(true);
  await flush(bounce(ANN), ...Array.from({ length: 400 }, () => reportOf(email().id, BOB, 'deferred')));
  await withOwn(false);
  await flush(bounce(ANN));
  expect(await guarded()).toEqual({ bounced: 1, complained: 0 });
});

it.each(['hard', 'soft'] as const)(
  'a %s bounce of an own provider weakens no bounce of another recipient',
  async (kind) => {
    const shared = (address: string) => reportOf(email().trackingId, address, 'bounced', { bounce: 'hard' });
    await withOwn(true);
    await flush(bounce(ANN, kind));
    await withOwn(false);
    await flush(shared(BOB));
    expect(await guarded()).toEqual({ bounced: 1, complained: 0 });
    await flush(shared(CAROL));
    expect(await guarded()).toEqual({ bounced: 1, complained: 0 });
  },
);
