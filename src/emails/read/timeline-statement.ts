import { EVENT_CLOCK_SKEW_MS } from '../../events/clock-skew.js';
import { isHit } from '../../events/is-hit.sql.js';
import type { BounceKind } from '../../events/recipient-event.js';
import type { VerdictCode } from '../../events/verdict.js';
import { isoTime } from '../../platform/database/iso-time.sql.js';

/** A row of `TIMELINE`, with the fields of its type. */
export interface TimelineRow {
  readonly type: string;
  readonly at: Date;
  /** Orders entries with equal times; together with `at` it is unique within the email. */
  readonly key: string;
  readonly recipient: string | null;
  readonly reason: string | null;
  readonly smtp_status: string | null;
  readonly bounce: BounceKind | null;
  readonly link: string | null;
  readonly webhook: object | null;
  /** Of opens and clicks. */
  readonly verdict: VerdictCode | null;
}

const COLUMNS = 'type, at, key, recipient, reason, smtp_status, bounce, link, webhook, verdict';
const NO_DETAILS = 'null::text, null::text, null::text, null::text, null::text, null::json, null::smallint';

/**
 * Everything about one email, oldest first. Each part is limited on its own, so that none reads more than a page.
 * $1 email, $2 and $3 the last entry of the previous page, $4 limit, $5 its first contact, whose rows cover every open
 * and click, $6 its creation, $7 the number of its opens and clicks, $8 its sending, $9 the time of the first report
 * that can belong to the page.
 */
export const TIMELINE = `
with accepted as (
  select 'accepted', created_at, 'a', ${NO_DETAILS} from emails where id = $1
  union all
  select 'scheduled', created_at, 'a s', null, 'To be sent at ' || ${isoTime('send_at')}, null, null, null, null::json, null::smallint
    from emails where id = $1 and send_at is not null
), outcome as (
  select 'sent', sent_at, 'd', null, provider_response, null, null, null, null::json, null::smallint
    from emails where id = $1 and sent_at is not null
  union all
  select 'failed', failed_at, 'd', null, last_error, null, null, null, null::json, null::smallint
    from emails where id = $1 and failed_at is not null
  union all
  select 'canceled', greatest(canceled_at, created_at), 'd', ${NO_DETAILS} from emails where id = $1 and canceled_at is not null
), attempt as (
  select 'attempted', at, 'b ' || lpad(number::text, 10, '0'), null, reason, null, null, null, null::json, null::smallint
    from email_attempts where email_id = $1
), hand_over as (
  select state, updated_at, 'c ' || address, address, reason, smtp_status, null, null, null::json, null::smallint
    from recipient_deliveries where email_id = $1 and state <> 'accepted' and facts = 0
), reported as (
  -- Reports with times in whole seconds can seem to precede the acceptance or sending of the email. This moves none
  -- past another, so the order of the index is the order of the page.
  select d.type, moved.at, moved.key, d.address_key, d.reason, d.smtp_status, d.bounce, null, null::json, null::smallint
    from delivery_events d cross join lateral (
      select 'e ' || d.id, greatest(d.occurred_at,
        case when d.occurred_at >= date_trunc('second', $8::timestamptz) then $8 else $6::timestamptz end)
    ) moved (key, at)
   where d.email_id = $1 and d.occurred_at >= coalesce($9::timestamptz, '-infinity')
     and ($2::timestamptz is null or (moved.at, moved.key collate "C") > ($2, $3))
   order by d.occurred_at, d.id limit $4
), engaged as (
  select type, occurred_at, 'f ' || id, null, null, null, null, url, null::json, verdict
    from events
   where contact_id = $5 and email_id = $1 and ordinal = 1 and ${isHit('type')}
     and occurred_at >= coalesce($2::timestamptz, $6::timestamptz - interval '${EVENT_CLOCK_SKEW_MS} ms')
     -- Several of one time may be on the page before.
     and ($2::timestamptz is null or (occurred_at, ('f ' || id) collate "C") > ($2, $3))
   order by occurred_at, id limit least($4, $7::bigint)
), webhook as (
  -- By their creation, which no attempt changes, so that an index has the order of the page.
  select 'webhook', d.created_at, 'g ' || d.id, null, null, null, null, null,
    json_build_object('webhookId', d.endpoint_id, 'deliveryId', d.id, 'event', d.type, 'status', d.status,
      'attempts', d.attempts, 'responseStatus', last.status, 'error', last.error, 'answer', last.answer), null::smallint
    from (
      select id, endpoint_id, type, status, attempts, created_at from webhook_deliveries
       where email_id = $1 and created_at >= coalesce($2::timestamptz, '-infinity')
         and ($2::timestamptz is null or (created_at, ('g ' || id) collate "C") > ($2, $3))
       order by created_at, id limit $4) d
    left join lateral (
      select status, error, answer from webhook_attempts
       where delivery_id = d.id order by number desc limit 1) last on true
)
select * from (
  select * from accepted union all select * from outcome union all select * from attempt
  union all select * from hand_over union all select * from reported union all select * from engaged
  union all select * from webhook
) happened (${COLUMNS})
where $2::timestamptz is null or (at, key collate "C") > ($2, $3)
order by at, key collate "C" limit $4`;
