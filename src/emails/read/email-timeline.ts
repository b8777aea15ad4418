import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../platform/database/database.js';
import { toPage, type Page, type PageRequest } from '../../platform/http/paging.js';
import { ENGAGED_EMAIL, OldEvents, type EngagedEmail, type OldHit } from '../../events/store/old-events.js';
import { findEmail } from '../find-email.js';
import { addressKey, bareAddress } from '../mailbox.js';
import { TIMELINE, type TimelineRow } from './timeline-statement.js';
import { toTimelineEntry, type TimelineEntry } from './timeline-entry.js';

const SECOND_MS = 1_000;
/** Prefix of the keys of opens and clicks, see `TIMELINE`. */
const HIT_KEY = 'f ';

interface EmailRow extends EngagedEmail {
  readonly id: string;
  readonly sent_at: Date | null;
  readonly mailboxes: readonly string[];
}

const EMAIL = `
select e.id, e.sent_at, ${ENGAGED_EMAIL},
       c.to_addresses || c.cc_addresses || c.bcc_addresses as mailboxes
  from emails e join email_contents c on c.email_id = e.id`;

/** True for a valid key of a `TimelineRow`, which Postgres can compare. */
export function isTimelineKey(part: string): boolean {
  return /^[a-g]( [\x21-\x7e]{1,320})?$/.test(part);
}

/** Lists everything that happened to one email, oldest first. */
@Injectable()
export class EmailTimelines {
  constructor(
    private readonly database: Database,
    private readonly oldEvents: OldEvents,
  ) {}

  /** By ID or tracking ID. @throws EmailNotFoundError */
  async list(organizationId: string, idOrTrackingId: string, page: PageRequest): Promise<Page<TimelineEntry>> {
    const { rows, email } = await this.database.snapshotOf(organizationId, (sql) =>
      read(sql, organizationId, idOrTrackingId, page),
    );
    const old = await this.oldEvents.ofEmail(email, page, { order: 'oldest', keyPrefix: HIT_KEY });
    const spelling = new Map(email.mailboxes.map(bareAddress).map((address) => [addressKey(address), address]));
    return toPage(
      old.length === 0 ? rows : merged(rows, old, page.limit + 1),
      page.limit,
      (row) => toTimelineEntry(row, spelling),
      (row) => [row.at.toISOString(), row.key],
    );
  }
}

/** Sorted like the statement; Postgres may still have some of the old events. */
function merged(rows: readonly TimelineRow[], old: readonly OldHit[], limit: number): TimelineRow[] {
  const seen = new Set(rows.map(({ key }) => key));
  return [...rows, ...old.map(timelineRowOf).filter(({ key }) => !seen.has(key))]
    .sort((one, other) => one.at.getTime() - other.at.getTime() || (one.key < other.key ? -1 : 1))
    .slice(0, limit);
}

function timelineRowOf({ type, at, id, url, verdict }: OldHit): TimelineRow {
  const none = { recipient: null, reason: null, smtp_status: null, bounce: null, webhook: null };
  return { type, at, key: `${HIT_KEY}${id}`, link: url, verdict, ...none };
}

/** The time of the first report that the timeline may show at `at` or later; null for any. See `reported`. */
function firstReportAt(at: Date, createdAt: Date, sentAt: Date | null): Date | null {
  if (at <= createdAt) return null;
  if (sentAt === null || at > sentAt) return at;
  return new Date(Math.min(at.getTime(), Math.floor(sentAt.getTime() / SECOND_MS) * SECOND_MS));
}

/** @throws EmailNotFoundError */
async function read(
  sql: Sql,
  organizationId: string,
  idOrTrackingId: string,
  page: PageRequest,
): Promise<{ rows: TimelineRow[]; email: EmailRow }> {
  const email = await findEmail<EmailRow>(sql, organizationId, idOrTrackingId, EMAIL);
  // The clock of the worker may be behind the clock of the API.
  const sentAt = email.sent_at && new Date(Math.max(email.sent_at.getTime(), email.created_at.getTime()));
  const rows = await sql.query<TimelineRow>(TIMELINE, [
    email.id,
    page.after?.[0] ?? null,
    page.after?.[1] ?? null,
    page.limit + 1,
    email.first_contact,
    email.created_at,
    email.engagements,
    sentAt,
    page.after ? firstReportAt(new Date(page.after[0]!), email.created_at, sentAt) : null,
  ]);
  return { rows, email };
}
