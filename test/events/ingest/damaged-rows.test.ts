import { listDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { flushEntries } from '../../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { clicked, sendMail } from '../../roles/flusher/sent-mail.js';

let openDatabase: OpenTestDatabase;

beforeEach(async () => void (openDatabase = await openTestDatabase(2)));
afterEach(() => openDatabase.close());

// 21000: a row twice in one statement; 54000: a limit of Postgres; XX001 and XX002: a damaged table and
// a damaged index.
it.each(['21000', '54000', 'XX001', 'XX002'])(
  'stores all other events if Postgres refuses one with %s',
  async (code) => {
    const { database } = openDatabase;
    const { emails } = await sendMail(database, [1]);
    await database.query(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.link_position = 7 then raise 'refused' using errcode = '${code}'; end if; return new; end $$`);
    await database.query('create trigger refuse before insert on events for each row execute function refuse()');
    const packed = packEntry([1, 7, 3].map((position) => encodeEvent(clicked(emails[0]!.trackingId, position))));
    const result = await flushEntries(database, [{ id: '1-0', packed, raw: packed, deliveries: 1 }]);
    expect(result.stored).toBe(2);
    expect((await listDeadLetters(database, 10)).map(({ reason }) => reason)).toEqual([`data-error-${code}`]);
  },
);
