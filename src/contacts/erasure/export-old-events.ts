import type { OldEvents, OldHit } from '../../events/store/old-events.js';
import type { Sql } from '../../platform/database/database.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import { exportedEvent } from './exported-event.js';

const EMAILS = 100;
const HITS = 5_000;

/** Emails to contact $1 that were opened or clicked, after email $2; $3 how many. */
const OPENED_EMAILS = `
select e.id, e.tracking_id as "trackingId", e.created_at as "createdAt"
  from contact_emails m join emails e on e.id = m.email_id
 where m.contact_id = $1 and m.email_id > $2::uuid and e.opens + e.clicks > 0
 order by m.email_id limit $3`;

interface EmailRow {
  readonly id: string;
  readonly trackingId: string;
  readonly createdAt: Date;
}

/** Pages of JSON items of opens and clicks that only the event store has, joined by commas. */
export async function* oldEventPages(sql: Sql, oldEvents: OldEvents, contactId: string): AsyncGenerator<string> {
  if ((await oldEvents.keptFrom(sql)) === undefined) return;
  for (let last = NIL_UUID; ;) {
    const emails = await sql.query<EmailRow>(OPENED_EMAILS, [contactId, last, EMAILS]);
    const ids = new Map(emails.map(({ id, trackingId }) => [trackingId, id]));
    for await (const hits of pagesOf(oldEvents, emails)) {
      yield hits.map(({ email, url, ...hit }) => exportedEvent({ ...hit, emailId: ids.get(email), link: url })).join();
    }
    if (emails.length < EMAILS) return;
    last = emails.at(-1)!.id;
  }
}

async function* pagesOf(oldEvents: OldEvents, emails: readonly EmailRow[]): AsyncGenerator<OldHit[]> {
  for (let after: readonly [Date, string] | undefined; ;) {
    const hits = await oldEvents.of(emails, { order: 'oldest', limit: HITS, ...(after && { after }) });
    if (hits.length > 0) yield hits;
    if (hits.length < HITS) return;
    const { at, id } = hits.at(-1)!;
    after = [at, id];
  }
}
