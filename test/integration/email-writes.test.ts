import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';

const EMAILS = 40;
/** Accepted all at once, the emails would fill their pages before the first of them is sent. */
const AT_ONCE = 4;

interface Writes {
  relname: string;
  inserted: number;
  updated: number;
  updated_without_indexes: number;
  deleted: number;
}

it('delivering an email writes the indexes of its tables once each, when it is accepted', async () => {
  const service = await TestService.start({ environment: AWAIT_RESULT });
  try {
    const client = await service.organization();
    const send = (n: number) =>
      client.post('/api/send', {
        from: 'ada@acme.example',
        to: `reader${n}@example.com`,
        subject: 'S',
        campaignId: 'Writes',
        htmlContent: '<p>x <a href="https://example.com">y</a></p>',
      });
    for (let sent = 0; sent < EMAILS; sent += AT_ONCE) {
      const responses = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => send(sent + n)));
      expect(responses.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    }
    // Postgres publishes the statistics of a connection within seconds.
    const writes = await eventually(async () => {
      const rows = await service.database.query<Writes>(
        `select relname, n_tup_ins::integer as inserted, n_tup_upd::integer as updated,
                n_tup_hot_upd::integer as updated_without_indexes, n_tup_del::integer as deleted
           from pg_stat_user_tables where relname in ('emails', 'pending_emails') order by relname`,
      );
      const isCounted = rows.every(({ inserted, updated }) => inserted >= EMAILS && updated === EMAILS);
      return isCounted && rows[1]!.deleted === EMAILS && rows;
    }, 20_000);
    for (const { relname, inserted, updated_without_indexes } of writes) {
      expect([relname, inserted]).toEqual([relname, EMAILS]);
      // Updates need an index write only where the page was full.
      expect([relname, updated_without_indexes >= 0.8 * EMAILS]).toEqual([relname, true]);
    }
  } finally {
    await service.stop();
  }
});
