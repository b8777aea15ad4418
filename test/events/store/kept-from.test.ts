import { pino } from 'pino';
import { EventHistory } from '../../../src/events/event-retention.js';
import { readSettings, type RunSettings } from '../../../src/platform/config/settings.js';
import { openTestDatabase } from '../../support/test-database.js';
import { silentPace } from '../../support/silent-pace.js';

/** The first instant of the month this many months ago, in UTC. */
function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}

it('reads the months from the event store that Postgres has deleted, also after a longer retention is set', async () => {
  const { database, close } = await openTestDatabase(2);
  try {
    const keep = (months: number) => {
      const settings = readSettings({ EVENT_RETENTION_MONTHS: String(months) }) as RunSettings;
      return new EventHistory(database, settings, silentPace(), pino({ level: 'silent' })).maintain();
    };
    const keptFrom = async () =>
      (await database.query<{ at: Date }>('select kept_from as at from event_history'))[0]!.at;
    await keep(2);
    expect(await keptFrom()).toEqual(monthsAgo(2));
    await keep(12);
    expect(await keptFrom()).toEqual(monthsAgo(2));
    await keep(1);
    await database.query(`update event_history set moved_at = moved_at - interval '1 hour'`);
    await keep(1);
    expect(await keptFrom()).toEqual(monthsAgo(1));
  } finally {
    await close();
  }
});
