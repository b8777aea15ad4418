import { pino } from 'pino';
import { EventStore } from '../../../src/events/store/event-store.js';
import { OldEvents } from '../../../src/events/store/old-events.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { StubStore } from './stub-store.js';

const KEPT_FROM = new Date('2026-05-01T00:00:00Z');
const PAGE = { order: 'newest', limit: 10 } as const;
const emailFrom = (day: string) => ({ trackingId: 'tracking-1', createdAt: new Date(`${day}T12:00:00Z`) });

let stub: StubStore;
let store: EventStore;
let oldEvents: OldEvents;
let open: OpenTestDatabase;

beforeEach(async () => {
  [stub, open] = await Promise.all([StubStore.start(), openTestDatabase(2)]);
  stub.mode = 'refuses';
  store = new EventStore(stub.url);
  oldEvents = new OldEvents(store, open.database, pino({ level: 'silent' }));
  await open.database.query('update event_history set kept_from = $1', [KEPT_FROM]);
});

afterEach(async () => {
  await store.close();
  await stub.stop();
  await open.close();
});

describe('old events', () => {
  it('are unavailable while the store does not respond', async () => {
    await expect(oldEvents.of([emailFrom('2026-04-30')], PAGE)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are not requested for an email of which nobody is left, or that nobody opened', async () => {
    const email = { tracking_id: 'tracking-1', created_at: new Date('2026-04-01T12:00:00Z') };
    const read = (first_contact: string | null, engagements: string) =>
      oldEvents.ofEmail({ ...email, first_contact, engagements }, { limit: 10 }, { order: 'newest' });
    expect([await read(null, '3'), await read('1', '0')]).toEqual([[], []]);
    expect(stub.unserved).toBe(0);
    await expect(read('1', '3')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are not requested if Postgres has all of them', async () => {
    expect(await oldEvents.of([emailFrom('2026-05-02')], PAGE)).toEqual([]);
    await open.database.query('update event_history set kept_from = null');
    expect(await oldEvents.of([emailFrom('2026-04-30')], PAGE)).toEqual([]);
    expect(stub.unserved).toBe(0);
  });
});
