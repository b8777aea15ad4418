import type { Database, Sql } from '../../platform/database/database.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ensureEventPartitions } from '../../events/event-partitions.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { loadSigningKeys } from '../../links/signing-key-store.js';
import { bareAddress } from '../../emails/mailbox.js';
import { senderKey } from '../../emails/sender-key.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { generateTrackingIds } from './generate-tracking-ids.js';
import { otherSeedSender, seedHtml, seedSender, seedSubject, seedUrls } from './seed-content.js';
import { HOURLY_STATS } from './seed-hourly-stats.js';
import * as more from './seed-more-statements.js';
import { emailsOf, engagementsOf, monthsUntil, planEmails, planOf, planOthers, type SeedPlan } from './seed-plan.js';
import type { SeedSizes } from './seed-sizes.js';
import * as statements from './seed-statements.js';
import { clickVerdicts, openVerdicts } from './seed-verdicts.js';
import { withIndexesSuspended } from './suspended-indexes.js';

const BATCH_SIZE = 100_000;
const EMAIL_BATCH_SIZE = 20_000;

export type ShowProgress = (step: string, done: number, total: number) => void;

export interface Seeded {
  readonly campaignId: string;
  /** Address of the contact with the most emails. */
  readonly busiestContact: string;
}

/** Fills an empty organization with data. Seeds everything, or nothing if it is interrupted. */
export async function seed(
  database: Database,
  organizationId: string,
  sizes: SeedSizes,
  now: Date,
  show: ShowProgress,
): Promise<Seeded> {
  for (const month of monthsUntil(now)) await ensureEventPartitions(database, month);
  const keys = await loadSigningKeys(database);
  const seeded = await database.transaction(async (sql) => {
    const plan = planOf(sizes, organizationId, await reserveContactIds(sql, sizes.contacts), now.getTime());
    await sql.query(`set local work_mem = '128MB'; set local idle_in_transaction_session_timeout = 0`);
    await withIndexesSuspended(
      sql,
      statements.SEEDED_TABLES,
      () => new Seeding(sql, plan, keys, show).run(),
      (done, total) => show('indexes and keys', done, total),
    );
    return readSeeded(sql, plan);
  });
  for (const [index, table] of statements.SEEDED_TABLES.entries()) {
    // Use the pool directly: VACUUM cannot run inside a transaction.
    await database.pool.query(`vacuum (analyze) ${table}`);
    show('tidying up', index + 1, statements.SEEDED_TABLES.length);
  }
  return seeded;
}

class Seeding {
  private readonly contactIds: [number, number];
  private readonly broadcastId: string;

  constructor(
    private readonly sql: Sql,
    private readonly plan: SeedPlan,
    private readonly keys: SigningKeys,
    private readonly show: ShowProgress,
  ) {
    this.broadcastId = uuidV7(plan.endMs);
    this.contactIds = [plan.firstContactId, plan.firstContactId + plan.sizes.contacts - 1];
  }

  async run(): Promise<void> {
    const { sizes, organizationId, firstContactId } = this.plan;
    const emails = emailsOf(this.plan);
    await this.runAll('planning', [...planEmails(this.plan), ...planOthers(this.plan)]);
    await this.fill('campaigns', sizes.campaigns, statements.CAMPAIGNS, [organizationId]);
    await this.fill('events: sent', emails, statements.SENT_EVENTS);
    await this.fill('events: others', engagementsOf(this.plan), statements.engagements(this.plan), [
      seedUrls,
      this.plan.endMs,
      openVerdicts,
      clickVerdicts,
    ]);
    await this.runAll('counting events', [
      ...statements.COUNT_EVENTS.map((statement) => literal(statement, this.contactIds)),
      ...statements.INDEX_COUNTS,
    ]);
    await this.fill('contacts', sizes.contacts, statements.CONTACTS, [organizationId]);
    await this.fill('contact search', sizes.contacts, statements.SEARCHABLE, [], firstContactId - 1);
    await this.fillEmails(emails);
    await this.fill('contents', emails, statements.contents(this.plan), [seedSubject, seedHtml]);
    await this.fill('tags', emails, more.EMAIL_TAGS, [organizationId]);
    await this.sql.query(more.ATTACHMENT_CONTENT, [organizationId]);
    await this.fill('attachments', emails, more.EMAIL_ATTACHMENTS, [organizationId]);
    await this.fill('reports', emails, more.REPORTS);
    await this.fill('links', emails, statements.LINKS, [seedUrls]);
    await this.fill('contact emails', emails, statements.CONTACT_EMAILS);
    // In one statement: while its key is dropped, the table would accept a contact from several batches several times.
    await this.sql.query(statements.CONTACT_CAMPAIGNS, [1, emails]);
    this.show('memberships', 1, 1);
    await this.schedule();
    await this.countClicks();
    await this.runAll('counting reports', more.reportCounts(this.plan));
    await this.broadcast();
  }

  /** Runs a statement for batches from 1 to `total`, both shifted by `offset`. */
  private async fill(step: string, total: number, statement: string, values: unknown[] = [], offset = 0) {
    for (let done = 0; done < total;) {
      const next = Math.min(total, done + BATCH_SIZE);
      await this.sql.query(statement, [offset + done + 1, offset + next, ...values]);
      done = next;
      this.show(step, done, total);
    }
  }

  /** Generates valid tracking IDs, so that opens and clicks of seeded emails count like any other. */
  private async fillEmails(total: number): Promise<void> {
    const { organizationId } = this.plan;
    const senderKeys = [seedSender, otherSeedSender].map((sender) =>
      senderKey(organizationId, bareAddress(sender), ''),
    );
    for (let done = 0; done < total;) {
      const next = Math.min(total, done + EMAIL_BATCH_SIZE);
      const trackingIds = generateTrackingIds(this.keys, organizationId, next - done);
      await this.sql.query(statements.emails(this.plan), [
        ...[done + 1, next, organizationId, trackingIds, ...senderKeys, this.broadcastId],
      ]);
      done = next;
      this.show('emails', done, total);
    }
  }

  private async runAll(step: string, all: readonly string[]): Promise<void> {
    for (const [index, statement] of all.entries()) {
      await this.sql.query(statement);
      this.show(step, index + 1, all.length);
    }
  }

  private async schedule(): Promise<void> {
    const { organizationId } = this.plan;
    const trackingIds = generateTrackingIds(this.keys, organizationId, more.scheduledOf(this.plan));
    await this.sql.query(more.scheduled(this.plan), [organizationId, seedSender, seedSubject, seedHtml, trackingIds]);
    this.show('scheduled emails', 1, 1);
  }

  private async broadcast(): Promise<void> {
    const draftId = uuidV7(this.plan.endMs);
    const ids = [this.broadcastId, draftId];
    await this.sql.query(more.MESSAGES, [this.plan.organizationId, ids, seedSubject, seedHtml]);
    await this.runAll('broadcasts', more.broadcasts(this.plan, this.broadcastId, draftId));
  }

  private async countClicks(): Promise<void> {
    await this.sql.query(statements.LINK_CLICKS, this.contactIds);
    this.show('counting clicks', 1, 5);
    await this.sql.query(statements.MACHINE_HITS, this.contactIds);
    this.show('counting clicks', 2, 5);
    await this.sql.query(statements.CAMPAIGN_TOTALS, [this.plan.organizationId]);
    this.show('counting clicks', 3, 5);
    await this.sql.query(statements.CAMPAIGN_LINKS, [this.plan.organizationId]);
    this.show('counting clicks', 4, 5);
    await this.sql.query(HOURLY_STATS, [this.plan.organizationId, ...this.contactIds]);
    this.show('counting clicks', 5, 5);
  }
}

/** Inlines the parameters, because DDL statements accept none. */
function literal(statement: string, numbers: readonly number[]): string {
  return statement.replace(/\$(\d)/g, (_, index: string) => String(numbers[Number(index) - 1]));
}

/** Reserves IDs without gaps, so that an email's contact can be computed. */
async function reserveContactIds(sql: Sql, count: number): Promise<number> {
  const [ids] = await sql.query<{ first: string; last: string }>(
    `select min(id) as first, max(id) as last
       from (select nextval(pg_get_serial_sequence('contacts', 'id')) as id from generate_series(1, $1)) reserved`,
    [count],
  );
  const first = Number(ids!.first);
  if (Number(ids!.last) - first + 1 !== count)
    throw new DomainError(
      'conflict',
      'Other clients are creating contacts in this database: seed it while no emails are sent',
    );
  return first;
}

async function readSeeded(sql: Sql, { firstContactId }: SeedPlan): Promise<Seeded> {
  const [row] = await sql.query<{ campaign: string; address: string }>(
    `select (select id from planned_campaigns where number = 1) as campaign,
            (select address from planned_contacts where id = $1) as address`,
    [firstContactId],
  );
  return { campaignId: row!.campaign, busiestContact: row!.address };
}
