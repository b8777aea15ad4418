import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import { ATTACHMENTS_OF_EMAIL } from '../attachments/attachment.js';
import { BODY_IS_GONE } from '../content-retention.js';
import { ID_AMONG } from '../email-id.sql.js';
import { STATUS } from '../email-status.js';
import { IS_REPORTED } from '../recipients/recipient-state.sql.js';
import { toLoadedEmail, type EmailRow, type LoadedEmail } from './loaded-email.js';

/** Kept low because emails can be large: a small one should not wait for many large ones. */
const MAX_BATCH = 16;

/**
 * Loads emails for delivery; concurrent deliveries share a statement. It checks no organization, because the ID comes
 * from our own queue.
 */
@Injectable()
export class EmailLoader {
  private readonly finds: Batcher<string, EmailRow | undefined>;

  constructor(private readonly database: Database) {
    this.finds = new Batcher((ids) => this.findAll(ids), { maxItems: MAX_BATCH });
  }

  async find(emailId: string): Promise<LoadedEmail | undefined> {
    const row = await this.finds.call(emailId);
    return row && toLoadedEmail(row, this.database);
  }

  /** Loads emails of a broadcast, which are small. Emails that no longer exist are left out. */
  async findBatch(emailIds: readonly string[]): Promise<LoadedEmail[]> {
    const rows = await this.findAll(emailIds);
    return rows.flatMap((row) => (row ? [toLoadedEmail(row, this.database)] : []));
  }

  private async findAll(emailIds: readonly string[]): Promise<(EmailRow | undefined)[]> {
    const rows = await this.database.prepared<EmailRow>(
      'find-deliverable',
      `select e.id, e.organization_id, e.tracking_id, ${STATUS} as status, e.created_at, e.send_at, e.sent_at, p.attempts, p.crashes,
              p.generation, p.place,
              coalesce(p.possible_duplicate, e.possible_duplicate) as possible_duplicate,
              coalesce(p.provider_id, e.provider_id) as provider_id,
              case when p.possible_duplicate then p.provider end as doubtful_provider,
              case when p.provider_id is not null then p.provider end as provider_of_others,
              greatest(0, ${millisecondsUntil('p.due_at')}) as due_in_ms,
              (extract(epoch from now() - coalesce(p.queued_at, e.created_at)) * 1000)::float8 as queued_for_ms,
              case when p.first_claimed_at is null then 0
                   else greatest(0, extract(epoch from least(p.due_at, now()) - greatest(p.first_claimed_at, g.resumed_at))) * 1000
                    end::float8 as tried_for_ms,
              c.sender, c.reply_to, c.to_addresses, c.cc_addresses, c.bcc_addresses, c.subject, c.html, c.text, c.headers,
              ${ATTACHMENTS_OF_EMAIL} as attachments,
              e.unsubscribe, ${TRACKING_BASE_URL} as base_url, b.message_id, c.variables, ${BODY_IS_GONE} as is_body_gone,
              coalesce(d.settled, '{}') as settled, coalesce(d.reached, false) as reached,
              coalesce(d.deferred, false) as deferred, d.deferred_reported,
              coalesce(d.reported, '{}') as reported, coalesce(d.refused, '{}') as refused
         from emails e
         join email_contents c on c.email_id = e.id
         left join pending_emails p on p.email_id = e.id
         left join broadcasts b on b.id = e.broadcast_id
         left join sending_guards g on g.organization_id = e.organization_id
        cross join lateral (
          select array_agg(r.address) filter (where r.state <> 'deferred') as settled,
                 bool_or(r.state = 'accepted') as reached, bool_or(r.state = 'deferred') as deferred,
                 bool_and(${IS_REPORTED}) filter (where r.state = 'deferred') as deferred_reported,
                 array_agg(r.address) filter (where r.state = 'deferred' and ${IS_REPORTED}) as reported,
                 array_agg(r.address) filter (where r.state = 'refused') as refused
            from recipient_deliveries r where r.email_id = e.id) d
        where ${ID_AMONG}`,
      [emailIds],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return emailIds.map((id) => found.get(id));
  }
}
