import { Inject, Injectable } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { deleteDomain } from '../../domains/provider-domain-removals.js';
import { blockLinksByTag } from '../../links/blocking/block-links-by-tag.js';
import { sleep } from '../../platform/clock/sleep.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { isInterruption } from '../../platform/database/transient-error.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DELETION_STEPS, type DeletionStep } from './deletion-steps.js';

/** A run ends after this time, and the next one continues. */
const RUN_MS = 8_000;
/**
 * Pause after a batch, as a multiple of the time that it took: the deletion keeps one connection busy for a quarter of
 * the time.
 */
const REST = 3;
/** An organization whose batch failed waits for this long. A run lasts no longer than one statement may. */
const FAILED_REST_MS = 60_000;

/**
 * Requests of an organization that was just marked may still be running, because processes cache keys for a few
 * seconds. Other workers skip the organization while one works on it.
 */
const LOCK = `
select id from organizations where deleted_at < now() - interval '10 s' and not id = any($1::uuid[])
 order by deleted_at limit 1 for update skip locked`;

/**
 * A batch looks up few rows in large tables. The planner would otherwise read a whole table, such as the events of all
 * organizations, in each batch.
 */
const LOOK_UP = `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

/** The progress of this process with an organization. */
interface Progress {
  step: number;
  after: string;
  /** Batches since the first step. The organization is deleted when a whole pass finds nothing. */
  batches: number;
}

/** Deletes the data of marked organizations, in small batches with pauses between them. */
@Injectable()
export class OrganizationDeletion {
  private readonly progress = new Map<string, Progress>();
  /** When organizations whose batch failed are due again, on the monotonic clock of the process. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    registerScrapedGauge(
      registry,
      {
        name: 'mailbeacon_organizations_being_deleted',
        help: 'Deleted organizations whose data is not all deleted yet',
      },
      async () => {
        const [row] = await database.query<{ count: number }>(
          'select count(*)::integer as count from organizations where deleted_at is not null',
        );
        return [{ value: row!.count }];
      },
    );
  }

  /** Any number of workers may run this at the same time. */
  async run(stop: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const waiting: string[] = [];
    while (!stop.aborted && performance.now() < startedAt + RUN_MS) {
      const batchAt = performance.now();
      if (!(await this.batch(waiting))) return;
      await sleep((performance.now() - batchAt) * REST, stop);
    }
  }

  /**
   * @param waiting organizations that have to wait for others; this adds to them
   * @returns false when nothing is left to do now
   */
  private async batch(waiting: string[]): Promise<boolean> {
    const locked: { id?: string } = {};
    try {
      const found = await this.database.transaction(async (sql) => {
        const [organization] = await sql.query<{ id: string }>(LOCK, [[...waiting, ...this.atRest()]]);
        if (!organization) return undefined;
        locked.id = organization.id;
        await sql.query(LOOK_UP);
        return { id: organization.id, isGone: await this.deleteSome(sql, organization.id) };
      });
      if (found === undefined) return false;
      if (found.isGone === undefined) waiting.push(found.id);
      if (found.isGone === true) this.logger.info({ organizationId: found.id }, 'Organization deleted');
    } catch (error) {
      this.rest(locked.id, error);
    }
    return true;
  }

  /** @throws the error if the organization did not cause it */
  private rest(organizationId: string | undefined, error: unknown): void {
    if (organizationId === undefined) throw error;
    // The rows of the batch are back, and the progress is behind them: begin again.
    this.progress.delete(organizationId);
    if (isInterruption(error)) throw error;
    this.resting.set(organizationId, performance.now() + FAILED_REST_MS);
    this.logger.warn({ organizationId, err: error }, 'Could not continue the deletion of an organization; retrying');
  }

  /** The oldest organization comes first: one that fails each time would otherwise hold up all others. */
  private atRest(): string[] {
    for (const [id, until] of this.resting) if (performance.now() >= until) this.resting.delete(id);
    return [...this.resting.keys()];
  }

  /** @returns true when nothing of it is left, undefined when the rest has to wait for other processes */
  private async deleteSome(sql: Sql, organizationId: string): Promise<boolean | undefined> {
    const at = this.progressOf(organizationId);
    for (; at.step < DELETION_STEPS.length; at.step++, at.after = '') {
      const step = DELETION_STEPS[at.step]!;
      const last = await takeStep(sql, step, organizationId, at.after);
      if (last === null) {
        if (!(await leavesRows(sql, step, organizationId))) continue;
        at.after = '';
        return undefined;
      }
      at.after = last;
      if ('sql' in step) at.batches++;
      return false;
    }
    this.progress.delete(organizationId);
    if (at.batches > 0) return false;
    await this.finish(sql, organizationId);
    return true;
  }

  private progressOf(organizationId: string): Progress {
    let progress = this.progress.get(organizationId);
    if (!progress) this.progress.set(organizationId, (progress = { step: 0, after: '', batches: 0 }));
    return progress;
  }

  /** Deletes the row and the few rows that cascade from it. */
  private async finish(sql: Sql, organizationId: string): Promise<void> {
    const domains = await sql.query<{ id: string }>('select id from sending_domains where organization_id = $1', [
      organizationId,
    ]);
    for (const { id } of domains) await deleteDomain(sql, organizationId, id);
    await blockLinksByTag(sql, organizationId);
    await sql.query('delete from organizations where id = $1', [organizationId]);
  }
}

async function takeStep(sql: Sql, step: DeletionStep, organizationId: string, after: string): Promise<string | null> {
  if ('walk' in step) return step.walk(sql, organizationId, after);
  const [row] = await sql.query<{ last: string | null }>(step.sql, [organizationId, after]);
  return row?.last ?? null;
}

async function leavesRows(sql: Sql, step: DeletionStep, organizationId: string): Promise<boolean> {
  if (!('sql' in step) || step.left === undefined) return false;
  return (await sql.query(step.left, [organizationId])).length > 0;
}
