import { upToBytes } from '../../platform/database/up-to-bytes.sql.js';
import { EMAILS_PER_TURN } from './lock-batch.js';

/** What a webhook delivery takes beside its body, with its attempts. */
const DELIVERY_BYTES = 1_000;

/** Everything in an email that can be long. Postgres knows the lengths without reading the texts. @param id SQL */
const bytesOf = (id: string): string => `
  coalesce((select octet_length(c.html) + coalesce(octet_length(c.text), 0) + coalesce(pg_column_size(c.variables), 0)
              from email_contents c where c.email_id = ${id}), 0)
  + coalesce((select pg_column_size(k.urls) from email_links k where k.email_id = ${id}), 0)
  + coalesce((select sum(a.size) from email_attachments a where a.email_id = ${id}), 0)
  + coalesce((select sum(${DELIVERY_BYTES} + coalesce(octet_length(d.body), 0))
                from webhook_deliveries d where d.email_id = ${id}), 0)`;

/**
 * The first emails of a turn that no worker is delivering, as many as one statement may delete. $1 erasure, $2 turn.
 */
export const EMAILS_OF_TURN = upToBytes(
  'id',
  `select listed.id, ${bytesOf('listed.id')} as bytes
     from (
       select l.email_id as id from contact_erasure_emails l
        where l.erasure_id = $1 and l.turn = $2 and not exists (
          select from pending_emails p where p.email_id = l.email_id and p.lease_token is not null)
        order by l.email_id limit ${EMAILS_PER_TURN}) listed`,
);
