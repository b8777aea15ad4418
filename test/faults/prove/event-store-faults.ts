import type { PlantedFault } from './planted-fault.js';
import { STORE_HUNG, STORE_KILLED, STORE_LATE } from './proof-setups.js';

const WRITER = 'events/store/store-writer.ts';

/** Mistakes in what is written to the event store. */
export const EVENT_STORE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'the event store: what Postgres had before is not copied',
    patches: [
      {
        file: 'events/store/store-gaps.ts',
        search: 'await sql.query(ADD_RANGE, [first - (first % HOUR_MS), last]);',
        replace: 'if (first > last) await sql.query(ADD_RANGE, [first, last]);',
      },
    ],
    setup: STORE_LATE,
  },
  {
    name: 'the event store: its table keeps every copy of an event',
    patches: [
      {
        file: 'events/store/event-store.ts',
        search: 'engine = ReplacingMergeTree(revision)',
        replace: 'engine = MergeTree',
      },
      { file: 'events/store/event-store.ts', search: 'from ${TABLE} final', replace: 'from ${TABLE}' },
    ],
    setup: STORE_LATE,
  },
  {
    name: 'the event store: entries are acknowledged before it has them',
    patches: [
      {
        file: WRITER,
        search: 'await this.store.insert(rows);',
        replace: 'await this.consumer.acknowledge(entries.map(({ id }) => id)); await this.store.insert(rows);',
      },
    ],
    setup: STORE_KILLED,
  },
  {
    name: 'the event store: it never learns of changed verdicts',
    patches: [
      {
        file: 'events/store/record-verdicts.ts',
        search: 'if (changes.length === 0) return;',
        replace: 'if (changes.length >= 0) return;',
      },
    ],
    setup: STORE_KILLED,
  },
  {
    name: 'the event store: its writer takes entries from the flushers',
    patches: [
      {
        file: 'events/store/store-writer.module.ts',
        search: '`${hostname()}-${uuidV7(this.clock.now())}`, STORE_GROUP)',
        replace: '`${hostname()}-${uuidV7(this.clock.now())}`)',
      },
    ],
    setup: STORE_HUNG,
  },
];
