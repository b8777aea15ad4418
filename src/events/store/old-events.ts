import { DomainError } from '../../platform/errors/domain-error.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { PageRequest } from '../../platform/http/paging.js';
import type { Logger } from '../../platform/logging/logger.js';
import { EVENT_CLOCK_SKEW_MS } from '../clock-skew.js';
import type { EventStore, HitPage, StoredHit } from './event-store.js';

const KEPT_FROM = `select kept_from as "keptFrom" from event_history`;
/** One link for each click, because all links of an email can have megabytes. $1 tracking IDs, $2 positions from 0 */
const LINKS = `
select c.tracking_id as "trackingId", c.position, l.urls[c.position + 1] as url
  from unnest($1::text[], $2::int[]) as c (tracking_id, position)
  join emails e on e.tracking_id = c.tracking_id join email_links l on l.email_id = e.id`;

/** An open or a click with its destination. */
export interface OldHit extends StoredHit {
  readonly url: string | null;
}

export interface OldEmail {
  readonly trackingId: string;
  readonly createdAt: Date;
}

/** An email whose opens and clicks are listed. */
export interface EngagedEmail {
  readonly tracking_id: string;
  readonly created_at: Date;
  /** Null after an erasure. */
  readonly first_contact: string | null;
  /** Opens and clicks, a number in digits. */
  readonly engagements: string;
}

/** The columns of an `EngagedEmail`, of `emails e`. */
export const ENGAGED_EMAIL =
  'e.tracking_id, e.created_at, e.contact_ids[1] as first_contact, e.opens + e.clicks as engagements';

/** Opens and clicks that Postgres no longer keeps. Without an event store there are none. */
export class OldEvents {
  constructor(
    private readonly store: EventStore | undefined,
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** The time since which Postgres has the events; undefined when it has all of them. */
  async keptFrom(sql: Sql): Promise<Date | undefined> {
    if (!this.store) return undefined;
    const [row] = await sql.query<{ keptFrom: Date | null }>(KEPT_FROM);
    return row?.keptFrom ?? undefined;
  }

  /** One email's events: a page plus one. @throws as `of` @param key the key of an entry in the page's cursor */
  ofEmail(
    { tracking_id, created_at, first_contact, engagements }: EngagedEmail,
    { limit, after: [at, last] = [] }: PageRequest,
    key: Pick<HitPage, 'order' | 'keyPrefix'>,
  ): Promise<OldHit[]> {
    const isErased = first_contact === null;
    const emails = isErased || engagements === '0' ? [] : [{ trackingId: tracking_id, createdAt: created_at }];
    const after = at !== undefined && last !== undefined && ([new Date(at), last] as const);
    return this.of(emails, { ...key, limit: limit + 1, ...(after && { after }) });
  }

  /** @throws DomainError `unavailable` when the store does not respond: a list without them would be wrong */
  async of(emails: readonly OldEmail[], page: Omit<HitPage, 'before'>): Promise<OldHit[]> {
    if (!this.store || emails.length === 0) return [];
    const before = await this.keptFrom(this.database);
    if (before === undefined) return [];
    const old = emails.filter(({ createdAt }) => createdAt.getTime() - EVENT_CLOCK_SKEW_MS < before.getTime());
    if (old.length === 0) return [];
    try {
      const hits = await this.store.hitsOf(
        old.map(({ trackingId }) => trackingId),
        { ...page, before },
      );
      return await this.withLinks(hits);
    } catch (error) {
      this.logger.warn({ reason: String(error) }, 'The event store does not respond to a read');
      throw new DomainError('unavailable', 'Events of earlier months are temporarily unavailable, please try again');
    }
  }

  private async withLinks(hits: readonly StoredHit[]): Promise<OldHit[]> {
    const clicks = new Map(hits.filter(({ type }) => type === 'clicked').map((hit) => [linkKey(hit), hit]));
    if (clicks.size === 0) return hits.map((hit) => ({ ...hit, url: null }));
    const clicked = [...clicks.values()];
    const rows = await this.database.query<{ trackingId: string; position: number; url: string | null }>(LINKS, [
      clicked.map(({ email }) => email),
      clicked.map(({ linkPosition }) => linkPosition),
    ]);
    const urls = new Map(
      rows.map(({ trackingId, position, url }) => [linkKey({ email: trackingId, linkPosition: position }), url]),
    );
    return hits.map((hit) => ({ ...hit, url: hit.type === 'clicked' ? (urls.get(linkKey(hit)) ?? null) : null }));
  }
}

function linkKey({ email, linkPosition }: Pick<StoredHit, 'email' | 'linkPosition'>): string {
  return `${email} ${linkPosition}`;
}
