import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { toPage, type Page, type PageRequest } from '../http/paging.js';
import { sentEventId } from '../stream/sent-event.js';
import { EmailNotFoundError } from './email-errors.js';
import { idColumnOf } from './email-identity.js';

/** One thing that happened to an email. */
export interface EmailEvent {
  readonly id: string;
  readonly type: 'sent' | 'opened' | 'clicked';
  readonly timestamp: string;
  /** The destination, for clicks. */
  readonly link?: string;
}

interface EmailRow {
  id: string;
  sent_at: Date | null;
  first_contact: string;
}

interface EventRow {
  id: string;
  type: EmailEvent['type'];
  at: Date;
  url: string | null;
}

/** What happened to single emails, newest first. */
@Injectable()
export class EmailEvents {
  constructor(private readonly database: Database) {}

  /** By ID or tracking ID. @throws EmailNotFoundError */
  async list(organizationId: string, idOrTrackingId: string, page: PageRequest): Promise<Page<EmailEvent>> {
    const [email] = await this.database.query<EmailRow>(
      `select e.id, e.sent_at, e.contact_ids[1] as first_contact from emails e
        where e.organization_id = $1 and ${idColumnOf(idOrTrackingId)} = $2`,
      [organizationId, idOrTrackingId],
    );
    if (!email) throw new EmailNotFoundError();
    return toPage(await this.read(email, page), page.limit, toEvent, (row) => [row.at.toISOString(), row.id]);
  }

  /**
   * An event has a row per contact of its email, found by the contact's index; the first contact's rows are all.
   * When the email was sent is read from the email itself, so it shows with the answer of the send.
   */
  private read({ id, sent_at: sentAt, first_contact: contactId }: EmailRow, page: PageRequest): Promise<EventRow[]> {
    return this.database.query<EventRow>(
      `select id, type, at, url from (
         (select id, type, occurred_at as at, url from events
           where contact_id = $1 and email_id = $2 and ordinal = 1 and type <> 'sent'
             and ($5::timestamptz is null or (occurred_at, id) < ($5, $6::uuid))
           order by occurred_at desc, id desc limit $7)
         union all
         (select $3::uuid, 'sent', $4::timestamptz, null
           where $4 is not null and ($5::timestamptz is null or ($4, $3) < ($5, $6::uuid)))
       ) happened
       order by at desc, id desc limit $7`,
      [
        contactId,
        id,
        sentAt && sentEventId(id, sentAt),
        sentAt,
        page.after?.[0] ?? null,
        page.after?.[1] ?? null,
        page.limit + 1,
      ],
    );
  }
}

function toEvent({ id, type, at, url }: EventRow): EmailEvent {
  return { id, type, timestamp: at.toISOString(), ...(url !== null && { link: url }) };
}
