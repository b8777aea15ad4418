import { plainArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import { IS_OWN_MAIL } from './own-mail.sql.js';

/** The amounts that one email adds to the rates of its organization and sender domain. */
export interface SendingDelta {
  readonly emailId: string;
  /** True when the caller has seen that it is no mail of an own provider. Absent: the statement checks that. */
  readonly isOurs?: true;
  /** Recipients; `all` of the addresses to which the email went, also those of cc and bcc. */
  readonly sent: number | 'all';
  /** Hard bounces, each recipient once. */
  readonly bounced: number;
  /** Complaints, each recipient once. */
  readonly complained: number;
}

/** Leaves out the recipients that were refused or left out. Most mail has one recipient and needs no lookup. */
const ALL_SENT = `
case when cardinality(c.to_addresses || c.cc_addresses || c.bcc_addresses) = 1 then 1
     else cardinality(c.to_addresses || c.cc_addresses || c.bcc_addresses) - (
       select count(*) from recipient_deliveries r where r.email_id = d.email_id and r.state = 'refused') end`;

/**
 * $1 to $5: IDs of emails, whether each is known to be none of an own provider, and their recipients that were sent to
 * (null for all), bounced and complained. Rows are locked in the order of their key, as everywhere.
 */
const COUNT_SENDING = `
insert into sending_rates (organization_id, domain, hour, sent, bounced, complained)
select e.organization_id, coalesce(lower(substring(c.sender from '@([^@>]+)>?$')), '') as domain,
       date_trunc('hour', now(), 'UTC'), sum(coalesce(d.sent, ${ALL_SENT})), sum(d.bounced), sum(d.complained)
  from unnest($1::uuid[], $2::boolean[], $3::integer[], $4::integer[], $5::integer[])
         as d (email_id, is_ours, sent, bounced, complained)
  join emails e on e.id = d.email_id
  join email_contents c on c.email_id = d.email_id
 where e.status <> 'tracked' and (d.is_ours or not ${IS_OWN_MAIL})
 group by 1, 2 order by 1, 2
on conflict (organization_id, hour, domain) do update
   set sent = sending_rates.sent + excluded.sent, bounced = sending_rates.bounced + excluded.bounced,
       complained = sending_rates.complained + excluded.complained`;

/** Counts for the current hour. Call it once per transaction, and last. */
export async function countSending(sql: Sql, deltas: readonly SendingDelta[]): Promise<void> {
  if (deltas.length === 0) return;
  const column = (pick: (delta: SendingDelta) => number | string | boolean): string =>
    plainArray(deltas.map(pick).map(String));
  await sql.prepared('count-sending', COUNT_SENDING, [
    column(({ emailId }) => emailId),
    column(({ isOurs = false }) => isOurs),
    column(({ sent }) => (sent === 'all' ? 'null' : sent)),
    column(({ bounced }) => bounced),
    column(({ complained }) => complained),
  ]);
}
