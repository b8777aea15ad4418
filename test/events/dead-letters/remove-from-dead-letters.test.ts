import type { Database } from '../../../src/platform/database/database.js';
import { deleteDeadLettersAbout } from '../../../src/contacts/erasure/delete-dead-letters.js';
import { personOf } from '../../../src/contacts/erasure/person.js';
import { listDeadLetters, storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { deleteDeadLettersOf } from '../../../src/events/dead-letters/dead-letters-of-organization.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { emailOf, type StreamEvent } from '../../../src/events/stream/stream-event.js';
import { removeFromDeadLetters } from '../../../src/events/dead-letters/remove-from-dead-letters.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { clicked, opened, sendMail, type SentMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const JANE = 'jane@example.com';
/** A name that Postgres refuses in a text. */
const NUL = 'a\0b';

let openDatabase: OpenTestDatabase;
let database: Database;
let own: SentMail;
let other: SentMail;

beforeEach(async () => {
  openDatabase = await openTestDatabase();
  ({ database } = openDatabase);
  [own, other] = [await sendMail(database, [1]), await sendMail(database, [1])];
});
afterEach(() => openDatabase.close());

const letterOf = (...records: (StreamEvent | Buffer)[]): Buffer =>
  packEntry(records.map((record) => (Buffer.isBuffer(record) ? record : encodeEvent(record))));
const undecodable = (text: string): Buffer => {
  const record = Buffer.concat([Buffer.alloc(4), Buffer.of(99), Buffer.alloc(16), Buffer.of(0), Buffer.from(text)]);
  record.writeUInt32BE(record.length - 4);
  return record;
};
const bury = (...payloads: Buffer[]) =>
  storeDeadLetters(
    database,
    payloads.map((payload, index) => ({ streamEntryId: `${index}-1`, payload, reason: 'too-many-deliveries' })),
  );
const payloads = async () => (await listDeadLetters(database, 10)).map(({ payload }) => payload.toString('hex')).sort();
const inHex = (...letters: Buffer[]) => letters.map((letter) => letter.toString('hex')).sort();

/** As a deletion of the organization calls it. */
async function deleteOrganization(): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    after = await deleteDeadLettersOf(database, own.organizationId, after);
  }
}

describe('the dead letters of a deleted organization', () => {
  it('are found by ID and by tracking ID, also beside letters whose emails no text in Postgres can name', async () => {
    const [{ id, trackingId }] = [own.emails[0]!];
    const kept = [letterOf(opened(NUL)), letterOf(opened('unknown')), letterOf(opened(other.emails[0]!.trackingId))];
    await bury(...kept, letterOf(opened(trackingId)), letterOf(reportOf(id, JANE, 'delivered')));
    await deleteOrganization();
    expect(await payloads()).toEqual(inHex(...kept));
  });

  it('keep the events of others that share a letter, byte for byte', async () => {
    const doomed = opened(own.emails[0]!.trackingId);
    const theirs = [opened(other.emails[0]!.trackingId), undecodable('newer'), opened(NUL)];
    const cut = encodeEvent(doomed).subarray(0, -3);
    const kept = Buffer.concat([letterOf(...theirs), cut]);
    await bury(letterOf(doomed, doomed), Buffer.concat([letterOf(doomed, ...theirs), cut]), Buffer.from('no version'));
    await deleteOrganization();
    expect(await payloads()).toEqual(inHex(kept, Buffer.from('no version')));
  });

  it('are looked up by the indexes, not by reading the emails of the organization', async () => {
    await database.query(
      `insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
       select gen_random_uuid(), 'bulk-' || n, $1, $2, '{}', 'sent', true from generate_series(1, 20000) n`,
      [own.organizationId, own.campaignId],
    );
    await database.query('analyze emails');
    await bury(letterOf(...Array.from({ length: 500 }, (_, index) => opened(`bulk-${index + 1}`))));
    const plans: string[] = [];
    const explained = {
      ...database,
      prepared: database.prepared.bind(database),
      query: async <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
        if (/from emails/.test(sql)) {
          const plan = await database.query<Record<'QUERY PLAN', string>>(`explain ${sql}`, values);
          plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
        }
        return database.query<Row>(sql, values);
      },
    };
    await deleteDeadLettersOf(explained, own.organizationId, '');
    expect(plans).toHaveLength(1);
    expect(plans[0]).toContain('emails_tracking_id');
    expect(plans[0]).not.toMatch(/Seq Scan|organization_id/);
    expect(await payloads()).toEqual([]);
  });
});

describe('the dead letters about an erased person', () => {
  const erase = async () => {
    for (let after: string | undefined = ''; after !== undefined;)
      after = await deleteDeadLettersAbout(database, personOf(own.organizationId, JANE), after);
  };

  it('are deleted beside letters whose emails no text in Postgres can name', async () => {
    const foreign = letterOf(reportOf(other.emails[0]!.id, JANE, 'delivered'));
    const unnamed = letterOf(clicked(NUL, 0, `https://shop.example/?reader=${JANE}`));
    await bury(foreign, unnamed, letterOf(reportOf(own.emails[0]!.id, JANE, 'delivered')));
    await erase();
    expect(await payloads()).toEqual(inHex(foreign));
  });

  it('lose what names the person, and keep what belongs to others', async () => {
    const [mine, theirs] = [own.emails[0]!.id, other.emails[0]!.id];
    const kept = [
      reportOf(theirs, JANE, 'delivered'),
      reportOf(mine, 'bob@example.com', 'delivered'),
      undecodable('newer'),
    ];
    await bury(letterOf(reportOf(mine, JANE, 'delivered'), ...kept, undecodable(`newer ${JANE}`)));
    await erase();
    expect(await payloads()).toEqual(inHex(letterOf(...kept)));
  });
});

it('removes records from a letter from which others have gone since it was found, and restores none', async () => {
  const [gone, doomed, kept] = [opened('gone'), opened('doomed'), opened('kept')];
  await bury(letterOf(gone, doomed, kept));
  const found = await listDeadLetters(database, 10);
  for (const name of ['gone', 'doomed']) {
    await removeFromDeadLetters(database, found, (record) => !Buffer.isBuffer(record) && emailOf(record) === name);
  }
  expect(await payloads()).toEqual(inHex(letterOf(kept)));
});

it('does not lock letters without records that go: there can be millions, and each lock writes to the disk', async () => {
  await bury(letterOf(opened(other.emails[0]!.trackingId)));
  const found = await listDeadLetters(database, 10);
  const xmax = async () => database.query('select xmax::text from event_dead_letters');
  await database.transaction((sql) => removeFromDeadLetters(sql, found, (_, owner) => owner === own.organizationId));
  expect(await xmax()).toEqual([{ xmax: '0' }]);
});
