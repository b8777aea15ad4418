import { randomBytes } from 'node:crypto';
import type { Database, Sql } from '../../platform/database/database.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ensureEventPartitions } from '../../events/event-partitions.js';
import { mintEmailTrackingId } from '../../links/email-tracking-id.js';
import { withOrganizationTag } from '../../links/organization-tag.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { loadSigningKeys } from '../../links/signing-key-store.js';
import { seedHtml, seedSender, seedSubject, seedUrls } from './seed-content.js';
import { emailsOf, engagementsOf, monthsUntil, planEmails, planOf, planOthers, type SeedPlan } from './seed-plan.js';
import type { SeedSizes } from './seed-sizes.js';
import * as statements from './seed-statements.js';
import { clickVerdicts, openVerdicts } from './seed-verdicts.js';
import { withIndexesSuspended } from './suspended-indexes.js';

const BATCH_SIZE = 100_000;
const EMAIL_BATCH_SIZE = 20_000;
const TRACKING_ID_RANDOM_BYTES = 12;

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
    await sql.query(`set local work_mem = '128MB'`);
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

  constructor(
    private readonly sql: Sql,
    private readonly plan: SeedPlan,
    private readonly keys: SigningKeys,
    private readonly show: ShowProgress,
  ) {
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
    await this.fill('contents', emails, statements.CONTENTS, [seedSender, seedSubject, seedHtml]);
    await this.fill('links', emails, statements.LINKS, [seedUrls]);
    await this.fill('contact emails', emails, statements.CONTACT_EMAILS);
    await this.fill('memberships', emails, statements.CONTACT_CAMPAIGNS);
    await this.countClicks();
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

  /** Mints valid tracking IDs, so that opens and clicks of seeded emails count like any other. */
  private async fillEmails(total: number): Promise<void> {
    for (let done = 0; done < total;) {
      const next = Math.min(total, done + EMAIL_BATCH_SIZE);
      const trackingIds = mintMany(this.keys, this.plan.organizationId, next - done);
      await this.sql.query(statements.EMAILS, [done + 1, next, this.plan.organizationId, trackingIds]);
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

  private async countClicks(): Promise<void> {
    await this.sql.query(statements.LINK_CLICKS, this.contactIds);
    this.show('counting clicks', 1, 5);
    await this.sql.query(statements.MACHINE_HITS, this.contactIds);
    this.show('counting clicks', 2, 5);
    await this.sql.query(statements.CAMPAIGN_TOTALS, [this.plan.organizationId]);
    this.show('counting clicks', 3, 5);
    await this.sql.query(statements.CAMPAIGN_LINKS, [this.plan.organizationId]);
    this.show('counting clicks', 4, 5);
    await this.sql.query(statements.HOURLY_STATS, [this.plan.organizationId, ...this.contactIds]);
    this.show('counting clicks', 5, 5);
  }
}

/** Generates the random bytes in bulk, which costs a fraction of one call per ID. */
function mintMany(keys: SigningKeys, organizationId: string, count: number): string[] {
  const random = randomBytes(count * TRACKING_ID_RANDOM_BYTES);
  return Array.from({ length: count }, (_, index) =>
    mintEmailTrackingId(
      keys,
      withOrganizationTag(
        keys,
        organizationId,
        random.subarray(index * TRACKING_ID_RANDOM_BYTES, (index + 1) * TRACKING_ID_RANDOM_BYTES),
      ),
    ),
  );
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
