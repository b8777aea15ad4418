import { pino } from 'pino';
import { ContactTimelines } from '../../../src/contacts/contact-timeline.js';
import { EmailEvents } from '../../../src/emails/read/email-events.js';
import { EmailTimelines } from '../../../src/emails/read/email-timeline.js';
import { EventHistory } from '../../../src/events/event-retention.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { EventStore } from '../../../src/events/store/event-store.js';
import { OldEvents } from '../../../src/events/store/old-events.js';
import { FORGET_EMAILS } from '../../../src/events/store/forget-emails.js';
import { recordVerdicts } from '../../../src/events/store/record-verdicts.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import type { StoreWriter } from '../../../src/events/store/store-writer.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { readSettings, type RunSettings } from '../../../src/platform/config/settings.js';
import { EventPipeline } from '../../roles/flusher/event-pipeline.js';
import { readCounters, sendMail, type SentMail } from '../../roles/flusher/sent-mail.js';
import { ClickHouse } from '../../support/clickhouse.js';
import { eventually } from '../../support/eventually.js';
import { silentPace } from '../../support/silent-pace.js';
import { isFlushed, startWriter } from './writers.js';

const HOUR_MS = 3_600_000;
const silent = pino({ level: 'silent' });
const engine = new ClickHouse(process.env.CLICKHOUSE_ENGINE ?? '');
let pipeline: EventPipeline;
let mail: SentMail;
let email: string;
let store: EventStore;
const writers: StoreWriter[] = [];

/** In a month that a retention of one month deletes. */
const now = new Date();
const LONG_AGO = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 10);

beforeAll(() => engine.start());
afterAll(() => engine.remove());

beforeEach(async () => {
  pipeline = await EventPipeline.open();
  mail = await sendMail(pipeline.database, [1]);
  email = mail.emails[0]!.trackingId;
  store = new EventStore(engine.url);
  const { id, contactIds } = mail.emails[0]!;
  const { database } = pipeline;
  await database.query(`update emails set created_at = to_timestamp($2::float8 / 1000) where id = $1`, [id, LONG_AGO]);
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html) values ($1, 'a@a.example', '{b@b.example}', 'S', '')`,
    [id],
  );
  await database.query(`insert into email_links (email_id, urls) values ($1, '{https://a.test/0,https://a.test/1}')`, [
    id,
  ]);
  await database.query('insert into contact_emails (contact_id, email_id) values ($1, $2)', [contactIds[0], id]);
});

afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.stop()));
  await store.close();
  await pipeline.close();
});

const write = (): void => void writers.push(startWriter(pipeline, engine.url));
const hasStored = (count: number) =>
  eventually(async () => {
    const query = `select count() as count from mailbeacon_events final where email = '${email}' format JSONEachRow`;
    const [row] = await engine.query<{ count: number | string }>(query).catch(() => []);
    return Number(row?.count) === count;
  });

/** Opens and clicks in turn, an hour apart. */
function hits(count: number, from: number): EngagementEvent[] {
  return Array.from({ length: count }, (_, index): EngagementEvent => {
    const id = uuidV7(from + Math.floor(index / 2) * HOUR_MS);
    if (index % 2 === 0) return { type: 'opened', id, emailTrackingId: email };
    return { type: 'clicked', id, emailTrackingId: email, linkPosition: 1, url: 'https://a.test/1' };
  });
}

async function forgetOldMonths(): Promise<void> {
  await eventually(() => storeHasAll(pipeline.database));
  const settings = readSettings({ EVENT_RETENTION_MONTHS: '1' }) as RunSettings;
  await new EventHistory(pipeline.database, settings, silentPace(), silent).maintain();
}

/** Every page of a list, by its own cursors. */
async function allPages<Item>(
  list: (after: string[] | undefined) => Promise<{ items: readonly Item[]; next?: string[] }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string[] | undefined; ;) {
    const page = await list(after);
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = page.next;
  }
}

describe('the event store on ClickHouse', () => {
  it('keeps one row per event, and reads what Postgres has deleted', async () => {
    write();
    pipeline.startFlusher();
    const old = hits(12, LONG_AGO + HOUR_MS);
    const recent = hits(4, Date.now() - 4 * HOUR_MS);
    await pipeline.append(...old, ...recent);
    await pipeline.append(...old);
    await isFlushed(pipeline, 16);
    await hasStored(16);
    const changed = old[0]!;
    await pipeline.database.query(`update events set verdict = 3 where id = $1`, [changed.id]);
    const change = { id: changed.id, email, type: 'opened', linkPosition: null, verdict: 3 };
    await pipeline.database.transaction((sql) => recordVerdicts(sql, [change]));

    const oldEvents = new OldEvents(store, pipeline.database, silent);
    const { organizationId, emails } = mail;
    const read = async () => ({
      events: await readEvents(new EmailEvents(pipeline.database, oldEvents)),
      timeline: await readTimeline(new EmailTimelines(pipeline.database, oldEvents)),
      ofContact: await readContact(new ContactTimelines(pipeline.database, oldEvents)),
    });
    const before = await read();
    expect(before.events).toHaveLength(16);
    await eventually(async () => {
      const query = `select count() as count from mailbeacon_events final where verdict = 3 and email = '${email}'`;
      return Number((await engine.query<{ count: number }>(query))[0]?.count) === 1;
    });
    await forgetOldMonths();
    expect((await readCounters(pipeline.database))['events']).toBe(4);
    expect(await read()).toEqual(before);

    function readEvents(list: EmailEvents) {
      return allPages(async (after) => {
        const page = await list.list(organizationId, emails[0]!.id, { limit: 3, ...(after && { after }) });
        return { items: page.items, ...(page.next && { next: [...page.next] }) };
      });
    }
    function readTimeline(list: EmailTimelines) {
      return allPages(async (after) => {
        const page = await list.list(organizationId, emails[0]!.id, { limit: 3, ...(after && { after }) });
        return { items: page.items, ...(page.next && { next: [...page.next] }) };
      });
    }
    async function readContact(timelines: ContactTimelines) {
      const contactId = emails[0]!.contactIds[0]!;
      const events = await timelines.complete(
        organizationId,
        contactId,
        await timelines.read(pipeline.database, contactId),
      );
      return events.map((event) => JSON.stringify(event)).sort();
    }
  });

  it('continues after the engine was killed, and has every event once', async () => {
    write();
    pipeline.startFlusher();
    await pipeline.append(...hits(6, Date.now() - 3 * HOUR_MS));
    await hasStored(6);
    await engine.stop();
    await pipeline.append(...hits(6, Date.now() - 3 * HOUR_MS));
    await isFlushed(pipeline, 12);
    await engine.start();
    await hasStored(12);
  });

  it('deletes the events of a deleted email', async () => {
    write();
    await pipeline.append(...hits(6, Date.now() - 3 * HOUR_MS));
    await hasStored(6);
    await pipeline.database.transaction(async (sql) => {
      await sql.query(FORGET_EMAILS, [[mail.emails[0]!.id]]);
      await sql.query(`update emails set contact_ids = '{}' where id = $1`, [mail.emails[0]!.id]);
    });
    await hasStored(0);
  });
});
