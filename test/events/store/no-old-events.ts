import { pino } from 'pino';
import { OldEvents } from '../../../src/events/store/old-events.js';
import type { Database } from '../../../src/platform/database/database.js';

/** Old events without an event store. */
export function noOldEvents(database: Database): OldEvents {
  return new OldEvents(undefined, database, pino({ level: 'silent' }));
}
