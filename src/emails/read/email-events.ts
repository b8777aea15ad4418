import { Injectable } from '@nestjs/common';
import { EVENT_CLOCK_SKEW_MS } from '../../events/clock-skew.js';
import { isHit } from '../../events/is-hit.sql.js';
import type { EventType } from '../../events/engagement-event.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { MAX_PAGE, toPage, type Page, type PageRequest } from '../../platform/http/paging.js';
import { verdictOf, type Verdict, type VerdictCode } from '../../events/verdict.js';
import { ENGAGED_EMAIL, OldEvents, type EngagedEmail, type OldHit } from '../../events/store/old-events.js';
import { sentEventId } from '../../events/sent-event.js';
import { findEmail } from '../find-email.js';

/** One event of an email; opens and clicks have a verdict. */
export interface EmailEvent extends Partial<Verdict> {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  /** The destination, for clicks. */
  readonly link?: string;
}

interface EmailRow extends EngagedEmail {
  readonly id: string;
  readonly sent_at: Date | null;
}

const EMAIL = `select e.id, e.sent_at, ${ENGAGED_EMAIL} from emails e`;

interface EventRow {
  id: string;
  type: EmailEvent['type'];
  at: Date;
  url: string | null;
  /** Null for the time of sending. */
  verdict: VerdictCode | null;
}

const BEFORE_CURSOR = '($5::timestamptz is null or (occurred_at, id) < ($5, $6::uuid))';

/** Lists the events of one email, newest first. */
@Injectable()
export class EmailEvents {
  constructor(
    private readonly database: Database,
    private readonly oldEvents: OldEvents,
  ) {}

  /** By ID or tracking ID. @throws EmailNotFoundError */
  async list(organizationId: string, idOrTrackingId: string, page: PageRequest): Promise<Page<EmailEvent>> {
    const { email, rows } = await this.database.snapshotOf(organizationId, async (sql) => {
      const email = await findEmail<EmailRow>(sql, organizationId, idOrTrackingId, EMAIL);
      return { email, rows: await this.read(sql, email, page) };
    });
    const old = await this.oldEvents.ofEmail(email, page, { order: 'newest' });
    return toPage(old.length === 0 ? rows : merged(rows, old, page.limit + 1), page.limit, toEvent, (row) => [
      row.at.toISOString(),
      row.id,
    ]);
  }

  /**
   * An event has one row per contact of its email; the rows of the first contact cover every event.
   * The query scans them from the email's time until it has found all counted events, because a busy contact has many
   * events before and after. For an email with very many events it scans the newest ones only.
   * The time of sending comes from the email itself, so it appears together with the send response.
   */
  private read(sql: Sql, email: EmailRow, page: PageRequest): Promise<EventRow[]> {
    const isShort = Number(email.engagements) <= MAX_PAGE;
    return sql.query<EventRow>(
      `select id, type, occurred_at as at, url, verdict from (
         (select id, type, occurred_at, url, verdict from events
           where contact_id = $1 and email_id = $2 and ordinal = 1 and ${isHit('type')}
             and occurred_at >= $8::timestamptz - interval '${EVENT_CLOCK_SKEW_MS} ms'
             ${isShort ? '' : `and ${BEFORE_CURSOR}`}
           order by ${isShort ? 'occurred_at limit $9' : 'occurred_at desc, id desc limit least($7::bigint, $9)'})
         union all
         (select $3::uuid, 'sent', $4::timestamptz, null, null where $4 is not null)
       ) happened (id, type, occurred_at, url, verdict)
       where ${BEFORE_CURSOR}
       order by at desc, id desc limit $7`,
      [
        email.first_contact,
        email.id,
        email.sent_at && sentEventId(email.id, email.sent_at),
        email.sent_at,
        page.after?.[0] ?? null,
        page.after?.[1] ?? null,
        page.limit + 1,
        email.created_at,
        email.engagements,
      ],
    );
  }
}

/** Postgres may still have some of the old events. */
function merged(rows: readonly EventRow[], old: readonly OldHit[], limit: number): EventRow[] {
  const seen = new Set(rows.map(({ id }) => id));
  return [...rows, ...old.filter(({ id }) => !seen.has(id))]
    .sort((one, other) => other.at.getTime() - one.at.getTime() || (other.id < one.id ? -1 : 1))
    .slice(0, limit);
}

function toEvent({ id, type, at, url, verdict }: EventRow): EmailEvent {
  return {
    ...{ id, type, timestamp: at.toISOString() },
    ...(url !== null && { link: url }),
    ...(verdict !== null && verdictOf(verdict)),
  };
}
