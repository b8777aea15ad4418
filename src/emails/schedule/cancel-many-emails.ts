import type { Database } from '../../platform/database/database.js';
import { uncountManyEmails } from '../delivery/uncount-many-emails.js';
import { reportSettled } from './report-settled.js';
import { canceledEmails } from './canceled-emails.sql.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

/** Emails per transaction. */
const BATCH = 2_000;
/**
 * Emails whose rows lie together are canceled in several batches, an eighth of them each. What one batch leaves behind
 * in a page is free when a later one comes to it: the new versions of its rows fit into the page, and no index is
 * written. All at once, they would go to other pages, with an entry in each index.
 */
const RANGE = 8 * BATCH;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** From the oldest email up, or from the newest down: two walks never read each other's rows. */
const WALKS = {
  up: { after: 'p.email_id > $2', order: 'asc' },
  down: { after: 'p.email_id < $2', order: 'desc' },
} as const;
type Walk = keyof typeof WALKS;

/** Emails of no broadcast, or of the one in $3, which the transaction has locked before. */
const SETS = { plain: '$3::uuid is null and p.broadcast_id is null', retried: 'p.broadcast_id = $3' } as const;
type EmailSet = keyof typeof SETS;

/** Emails that a worker is sending stay. */
const isFree = (set: EmailSet): string => `p.organization_id = $1 and ${SETS[set]} and p.lease_token is null`;

/** $1: organization, $2: where the range before ended. */
const nextRange = (set: EmailSet, { after, order }: (typeof WALKS)[Walk]): string => `
select min(id::text) as first, max(id::text) as last, count(*)::integer as emails
  from (select p.email_id as id from pending_emails p where ${isFree(set)} and ${after}
         order by p.email_id ${order} limit ${RANGE}) next`;

/**
 * A worker that claims an email and this statement never both get it. $1: organization, $2 and $4: first and last ID of
 * the range, $5 and $6: which of how many parts of it.
 */
const cancel = (set: EmailSet): string => `
with free as (
  select p.email_id from pending_emails p
   where ${isFree(set)} and p.email_id between $2 and $4 and get_byte(uuid_send(p.email_id), 15) % $6::integer = $5::integer
   order by p.email_id for update skip locked
), ${canceledEmails('e.id, e.contact_ids, e.campaign_id, e.broadcast_id, e.status')}, uncounted as (
  select id, contact_ids, campaign_id from email where status <> 'sent'
), recipient as (
  select c.id, e.campaign_id from uncounted e cross join unnest(e.contact_ids) as c (id)
), of_broadcast as (
  update broadcasts b set canceled = b.canceled + e.emails
    from (select broadcast_id, count(*) as emails from email where status = 'canceled' group by broadcast_id) as e
   where b.id = e.broadcast_id
)
select (select count(*)::integer from email where status = 'canceled') as emails,
       array(select id from email where status <> 'canceled') as "settledIds",
       array(select id from uncounted) as "emailIds",
       array(select id from recipient) as "contactIds",
       array(select id from recipient where campaign_id is not null) as "memberContactIds",
       array(select campaign_id from recipient where campaign_id is not null) as "memberCampaignIds",
       array(select campaign_id from uncounted where campaign_id is not null) as "campaignIds"`;

/** Broadcasts that were sent and whose failed emails were retried: few. The steps of all others cancel their emails. */
const RETRIED = `
select b.id from broadcasts b
 where b.organization_id = $1 and b.status = 'sent' and exists (
   select from pending_emails p where p.broadcast_id = b.id and p.lease_token is null)
 order by b.id`;
const LOCK_BROADCAST = 'select from broadcasts where id = $1 for no key update';

interface Range {
  readonly first: string | null;
  readonly last: string | null;
  readonly emails: number;
  readonly [column: string]: unknown;
}

interface Batch {
  readonly emails: number;
  /** Emails that may have reached somebody: they failed, or were sent. */
  readonly settledIds: string[];
  readonly emailIds: string[];
  readonly contactIds: string[];
  readonly memberContactIds: string[];
  readonly memberCampaignIds: string[];
  readonly campaignIds: string[];
  readonly [column: string]: unknown;
}

type CancelValues = readonly [
  ...[organizationId: string, first: string, broadcastId: string | null, last: string, part: number, parts: number],
];

export interface CancelPace {
  /** Connections at the same time: two make the best of two cores. */
  readonly streams: 1 | 2;
  /** Takes the number of emails that a batch has canceled. No other batch begins once this returns false. */
  readonly afterBatch: (emails: number) => Promise<boolean>;
}

/**
 * Cancels all queued and scheduled emails of an organization that no worker has claimed, except those of broadcasts
 * under way, which their steps cancel. They no longer count for campaigns and contacts. Those that may have reached
 * somebody fail, and those that have count as sent. A crash loses no count: each batch is a transaction.
 * @returns how many were canceled
 */
export function cancelManyEmails(database: Database, organizationId: string, pace: CancelPace): Promise<number> {
  return new ManyCancellations(database, organizationId, pace).run();
}

class ManyCancellations {
  private canceled = 0;
  private mayContinue = true;

  constructor(
    private readonly database: Database,
    private readonly organizationId: string,
    private readonly pace: CancelPace,
  ) {}

  async run(): Promise<number> {
    const reached = { up: NIL_UUID, down: LAST_ID };
    const walks: readonly Walk[] = this.pace.streams === 1 ? ['up'] : ['up', 'down'];
    await Promise.all(walks.map((walk) => this.walkOver(null, walk, reached)));
    const retried = await this.database.query<{ id: string }>(RETRIED, [this.organizationId]);
    for (const { id } of retried) await this.walkOver(id, 'up', { up: NIL_UUID, down: LAST_ID });
    return this.canceled;
  }

  /** @param reached where the walks over the same emails are: they end where they meet */
  private async walkOver(broadcastId: string | null, walk: Walk, reached: Record<Walk, string>): Promise<void> {
    while (this.mayContinue && reached.up < reached.down) {
      const values = [this.organizationId, reached[walk], broadcastId];
      const [range] = await this.database.query<Range>(nextRange(setOf(broadcastId), WALKS[walk]), values);
      const { first, last, emails } = range!;
      if (first === null || last === null) return;
      reached[walk] = walk === 'up' ? last : first;
      const parts = Math.ceil(emails / BATCH);
      for (let part = 0; part < parts && this.mayContinue; part++)
        await this.cancelPart([this.organizationId, first, broadcastId, last, part, parts]);
    }
  }

  private async cancelPart(values: CancelValues): Promise<void> {
    const { emails } = await cancelBatch(this.database, values);
    this.canceled += emails;
    this.mayContinue = (await this.pace.afterBatch(emails)) && this.mayContinue;
  }
}

const setOf = (broadcastId: string | null): EmailSet => (broadcastId === null ? 'plain' : 'retried');

function cancelBatch(database: Database, values: CancelValues): Promise<Batch> {
  return database.transaction(async (sql) => {
    const broadcastId = values[2];
    if (broadcastId !== null) await sql.query(LOCK_BROADCAST, [broadcastId]);
    const [batch] = await sql.query<Batch>(cancel(setOf(broadcastId)), values);
    if (batch!.emailIds.length > 0) await uncountManyEmails(sql, batch!);
    await reportSettled(sql, batch!.settledIds);
    return batch!;
  });
}
