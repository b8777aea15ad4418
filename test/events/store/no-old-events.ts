import { pino } from 'pino';
import { OldEvents } from '../../../src/events/store/old-events.js';
import type { Database } from '../../../src/platform/database/database.js';

/** As without an event store. */
export function noOldEvents(database: Database): OldEvents {
  return new OldEvents(undefined, database, pino({ level: 'silent' }));
}
