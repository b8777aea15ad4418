import { Inject, Injectable } from '@nestjs/common';
import type { Spending } from '../../organizations/budgets/budgets.js';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { postponeStep } from '../../platform/database/postpone-step.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { BroadcastStatus } from '../broadcast-status.js';
import { deleteRecipients } from '../recipients/delete-recipients.js';
import { BroadcastBudget } from './broadcast-budget.js';
import { BroadcastMetrics, RECIPIENT_OUTCOMES, type RecipientOutcome } from './broadcast-metrics.js';
import { cancelEmails, hasPendingEmails } from './cancel-emails.js';
import { sizeOfChunk } from './chunk-size.js';
import { BroadcastTurns } from './broadcast-turns.js';
import { BroadcastEmails, type BroadcastOfEmails } from './make-emails.js';
import { parkEmails, unparkEmails } from './parked-emails.js';
import { NEXT_STEP, LOCK_BROADCAST, MEASURE_RATE, POSTPONE_STEP, READ_BROADCAST } from './step-statements.js';

/** Milliseconds until the next step. */
const AT_ONCE = 0;
/** While another worker takes it. */
const TAKEN = 250;
const FULL = 50;
/** While the emails ahead do not get any fewer, because the provider accepts none. */
const STALLED = 1_000;
/** While the sending of the organization is paused. */
const GUARDED = 5_000;
const LAST_EMAILS = 250;
/** Delay while the emails of the day are used up: a new plan may allow more before the next day. */
const OTHER_DAY = 60_000;

interface StepRow extends BroadcastOfEmails {
  status: BroadcastStatus;
  plan: string;
  pace: number | null;
  recipients: string;
  suppressed: string;
  emails: string;
  /** Emails that are not final; 0 once the broadcast is canceled. */
  pending: number;
  /** How many of them wait for their first attempt. */
  fresh: number;
  /** How many are due for another attempt within a minute. */
  dueAgain: number;
  parked: number;
  guarded: boolean;
  /** For a while, less than one of its emails a second has become final. */
  stalled: boolean;
}

interface DoneStep {
  /** Milliseconds until a broadcast needs the next step; Infinity when none does. */
  readonly nextInMs: number;
  readonly madeEmails: boolean;
}

/** What a step did; counted after its transaction has committed. */
interface StepCounts extends Record<RecipientOutcome, number> {
  broadcastId?: string;
  /** Returned if the transaction does not commit. */
  spending?: Spending;
  waitsUntil?: Date;
  changed?: Pick<StepRow, 'id' | 'organization_id' | 'campaign_id'>;
}

/** Does what a broadcast needs next, in one transaction. Any number of workers may run steps. */
@Injectable()
export class BroadcastSteps {
  private readonly turns = new BroadcastTurns();

  constructor(
    private readonly database: Database,
    private readonly emails: BroadcastEmails,
    private readonly budget: BroadcastBudget,
    private readonly metrics: BroadcastMetrics,
    private readonly live: LivePublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async next(): Promise<DoneStep> {
    const [next] = await this.database.prepared<{ inMs: number | null }>('find-next-broadcast', NEXT_STEP, []);
    const inMs = next?.inMs ?? Infinity;
    if (inMs > 0) return { nextInMs: inMs, madeEmails: false };
    const counts: StepCounts = { email: 0, suppressed: 0, canceled: 0 };
    let wasDue: boolean;
    try {
      wasDue = await this.stepDue(counts);
    } catch (error) {
      counts.spending?.correct(0);
      await postponeStep(this.database, POSTPONE_STEP, counts.broadcastId, error);
      this.logger.warn({ err: error, broadcastId: counts.broadcastId }, 'Could not continue a broadcast; retrying');
      return { nextInMs: 0, madeEmails: false };
    }
    for (const outcome of RECIPIENT_OUTCOMES) this.metrics.count(outcome, counts[outcome]);
    const { changed } = counts;
    if (changed) {
      const { id: broadcastId, organization_id: organizationId, campaign_id: campaignId } = changed;
      this.live.report({ type: 'broadcast.changed', organizationId, broadcastId, campaignId });
    }
    return { nextInMs: wasDue ? 0 : TAKEN, madeEmails: counts.email > 0 };
  }

  private stepDue(counts: StepCounts): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const [due] = await sql.query<{ id: string; organizationId: string }>(LOCK_BROADCAST, [this.turns.latest]);
      if (!due) return false;
      this.turns.took(due.organizationId);
      counts.broadcastId = due.id;
      const [broadcast] = await sql.query<StepRow>(READ_BROADCAST, [due.id]);
      counts.changed = broadcast!;
      const waitMs = await this.step(sql, broadcast!, counts);
      await sql.query(
        `update broadcasts set step_at = now() + $2::float8 * interval '1 ms', waits_until = $3 where id = $1`,
        [due.id, waitMs ?? null, counts.waitsUntil ?? null],
      );
      return true;
    });
  }

  /** @returns milliseconds until the next step, or undefined when nothing is left to do */
  private async step(sql: Sql, broadcast: StepRow, counts: StepCounts): Promise<number | undefined> {
    switch (broadcast.status) {
      case 'scheduled':
        await sql.query(`update broadcasts set status = 'sending', started_at = now() where id = $1`, [broadcast.id]);
        return AT_ONCE;
      case 'sending':
        return this.send(sql, broadcast, counts);
      case 'paused':
        return this.park(sql, broadcast);
      case 'canceled':
        return this.cancel(sql, broadcast.id, counts);
      case 'sent':
        return (await deleteRecipients(sql, broadcast.id)).deleted > 0 ? AT_ONCE : undefined;
      case 'draft':
        return undefined;
    }
  }

  private async send(sql: Sql, broadcast: StepRow, counts: StepCounts): Promise<number> {
    const { id, pace, pending, parked } = broadcast;
    if (parked > 0) return (await unparkEmails(sql, id)) > 0 ? AT_ONCE : FULL;
    await sql.query(MEASURE_RATE, [id, Number(broadcast.emails) - pending]);
    const waiting = Number(broadcast.recipients) - Number(broadcast.suppressed) - Number(broadcast.emails);
    if (waiting === 0) return this.finish(sql, broadcast);
    const size = broadcast.guarded ? 0 : sizeOfChunk(broadcast, waiting);
    if (size <= 0) return delayOf(broadcast, FULL);
    const owner = { organizationId: broadcast.organization_id, plan: broadcast.plan };
    const { emails, spending, renewsAt } = await this.budget.take(owner, Math.min(size, waiting));
    if (emails === 0) {
      counts.waitsUntil = renewsAt;
      return OTHER_DAY;
    }
    counts.spending = spending;
    const { settled, suppressed } = await this.emails.make(sql, broadcast, emails);
    spending.correct(settled - suppressed);
    counts.email += settled - suppressed;
    counts.suppressed += suppressed;
    // The subjects were not ready, or recipients are gone: without this delay, the step would repeat at once, forever.
    if (settled === 0) return LAST_EMAILS;
    return pace === null ? AT_ONCE : ((settled - suppressed) * 60_000) / pace;
  }

  private async finish(sql: Sql, broadcast: StepRow): Promise<number> {
    if (broadcast.pending > 0) return delayOf(broadcast, LAST_EMAILS);
    await sql.query(`update broadcasts set status = 'sent', ended_at = now() where id = $1`, [broadcast.id]);
    return AT_ONCE;
  }

  /** Emails that a worker is sending return to the queue if their attempt fails. */
  private async park(sql: Sql, { id, pending, parked }: StepRow): Promise<number | undefined> {
    if (pending === parked) return undefined;
    return (await parkEmails(sql, id)) > 0 ? AT_ONCE : LAST_EMAILS;
  }

  private async cancel(sql: Sql, id: string, counts: StepCounts): Promise<number | undefined> {
    const { ended, canceled } = await cancelEmails(sql, id);
    counts.canceled += canceled;
    if (ended > 0 || (await deleteRecipients(sql, id)).deleted > 0) return AT_ONCE;
    return (await hasPendingEmails(sql, id)) ? LAST_EMAILS : undefined;
  }
}

/** Steps are rare while they would change nothing: a pause can last for days, and workers take all steps in turns. */
function delayOf({ guarded, stalled }: StepRow, usual: number): number {
  if (guarded) return GUARDED;
  return stalled ? STALLED : usual;
}
