import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import { millisecondsUntil } from '../../platform/database/milliseconds-until.js';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import { readContent } from '../attachments/attachment-contents.js';
import { ATTACHMENTS_OF_EMAIL, type StoredAttachment } from '../attachments/attachment.js';
import { BODY_IS_GONE } from '../content-retention.js';
import { ID_AMONG } from '../email-id.sql.js';
import { STATUS, type EmailStatus } from '../email-status.js';
import { bareAddress, ERASED_ADDRESS, requireStoredMailbox } from '../mailbox.js';
import type { LoadedEmail } from './loaded-email.js';
import { isLeftInDoubt, isReachedInDoubt, provesSharedMessage } from './reports-in-doubt.sql.js';
import { remainingRecipients, type KnownRecipients } from './reports-in-doubt.js';

interface EmailRow {
  id: string;
  organization_id: string;
  tracking_id: string;
  status: EmailStatus;
  created_at: Date;
  send_at: Date | null;
  queued_for_ms: number;
  tried_for_ms: number;
  sent_at: Date | null;
  due_in_ms: number | null;
  attempts: number | null;
  crashes: number | null;
  generation: number | null;
  place: number | null;
  possible_duplicate: boolean;
  reached: boolean;
  deferred: boolean;
  provider_id: string | null;
  doubtful_provider: string | null;
  provider_of_others: string | null;
  base_url: string | null;
  sender: string;
  reply_to: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  html: string;
  text: string | null;
  headers: Record<string, string> | null;
  attachments: StoredAttachment[] | null;
  message_id: string | null;
  variables: Record<string, unknown> | null;
  is_body_gone: boolean;
  unsubscribe: boolean;
  settled: string[];
  left_in_doubt: string[];
  reached_in_doubt: string[];
  proof: string[];
}

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
              coalesce(d.settled, '{}') as settled, coalesce(d.proof, '{}') as proof,
              coalesce(d.left_in_doubt, '{}') as left_in_doubt, coalesce(d.reached_in_doubt, '{}') as reached_in_doubt,
              coalesce(d.reached, false) as reached, coalesce(d.deferred, false) as deferred
         from emails e
         join email_contents c on c.email_id = e.id
         left join pending_emails p on p.email_id = e.id
         left join broadcasts b on b.id = e.broadcast_id
         left join sending_guards g on g.organization_id = e.organization_id
        cross join lateral (
          select array_agg(r.address) filter (where r.state <> 'deferred') as settled,
                 array_agg(r.address) filter (where ${isLeftInDoubt('p')}) as left_in_doubt,
                 array_agg(r.address) filter (where ${isReachedInDoubt('p')}) as reached_in_doubt,
                 array_agg(r.address) filter (where ${provesSharedMessage('p')}) as proof,
                 bool_or(r.state = 'accepted') as reached, bool_or(r.state = 'deferred') as deferred
            from recipient_deliveries r where r.email_id = e.id) d
        where ${ID_AMONG}`,
      [emailIds],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return emailIds.map((id) => found.get(id));
  }
}

function toLoadedEmail(row: EmailRow, database: Database): LoadedEmail {
  const stored = [row.to_addresses, row.cc_addresses, row.bcc_addresses];
  const [to, cc, bcc] = stored.map((list) =>
    list.filter((mailbox) => mailbox !== ERASED_ADDRESS).map(requireStoredMailbox),
  );
  const accepted = stored.flat().map(bareAddress);
  const everyone = { to: to!, cc: cc!, bcc: bcc! };
  // Recipients that an earlier attempt reached, or that were refused for good, are not tried again.
  const { addresses: envelopeRecipients, ...left } = remainingRecipients(knownRecipients(row), everyone);
  return {
    id: row.id,
    trackingId: row.tracking_id,
    baseUrl: row.base_url,
    status: row.status,
    createdAt: row.created_at,
    queuedForMs: row.queued_for_ms,
    triedForMs: row.tried_for_ms,
    sentAt: row.sent_at,
    attempts: row.attempts ?? 0,
    crashes: row.crashes ?? 0,
    generation: row.generation ?? 0,
    position: row.place ?? 0,
    dueInMs: row.due_in_ms ?? 0,
    possibleDuplicate: row.possible_duplicate,
    doubtfulProvider: row.doubtful_provider,
    providerOfOthers: row.provider_of_others,
    reached: left.isReached,
    deferred: row.deferred,
    proven: left.proven,
    reported: left.reported,
    areSeparate: left.areSeparate,
    providerId: row.provider_id,
    html: row.html,
    text: row.text,
    isBodyGone: row.is_body_gone,
    ...(row.message_id !== null && { shared: { messageId: row.message_id, variables: row.variables ?? {} } }),
    unsubscribe: row.unsubscribe,
    message: {
      emailId: row.id,
      organizationId: row.organization_id,
      trackingId: row.tracking_id,
      date: row.send_at ?? row.created_at,
      from: requireStoredMailbox(row.sender),
      ...(row.reply_to !== null && { replyTo: requireStoredMailbox(row.reply_to) }),
      ...everyone,
      subject: row.subject,
      ...(row.headers && { headers: row.headers }),
      ...(row.attachments && {
        attachments: row.attachments.map((attachment) => ({
          ...attachment,
          read: () => readContent(database, row.organization_id, attachment),
        })),
      }),
      ...(accepted.length > Object.values(everyone).flat().length && { acceptedAddresses: accepted }),
      envelopeRecipients,
    },
  };
}

function knownRecipients({ settled, proof, ...row }: EmailRow): KnownRecipients {
  return {
    isInDoubt: row.possible_duplicate || row.status === 'sending',
    providerId: row.provider_id,
    settled,
    leftInDoubt: row.left_in_doubt,
    reachedInDoubt: row.reached_in_doubt,
    proof,
    isReached: row.reached,
  };
}
