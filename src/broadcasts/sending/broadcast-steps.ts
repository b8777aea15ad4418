import { Inject, Injectable } from '@nestjs/common';
import { LivePublisher } from '../../events/live/live-publisher.js';
import { Database } from '../../platform/database/database.js';
import { postponeStep } from '../../platform/database/postpone-step.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { OrganizationTurns } from '../../platform/database/organization-turns.js';
import { BroadcastMetrics, RECIPIENT_OUTCOMES } from './broadcast-metrics.js';
import { BroadcastStep, type StepCounts, type StepRow } from './broadcast-step.js';
import { BroadcastSubjects, type RenderedSubjects } from './broadcast-subjects.js';
import {
  END_STEP,
  LOCK_BROADCAST,
  LOCK_BROADCAST_AGAIN,
  NEXT_STEP,
  POSTPONE_STEP,
  READ_BROADCAST,
} from './step-statements.js';

/** Milliseconds until the next step while another worker takes it. */
const TAKEN = 250;

interface DoneStep {
  /** Milliseconds until a broadcast needs the next step; Infinity when none does. */
  readonly nextInMs: number;
  /** True after a step that made emails, or whose emails are due again after a pause. */
  readonly hasDueEmails: boolean;
}

/**
 * Does what a broadcast needs next, in one transaction, or in two if its emails need subjects that have to be rendered:
 * those wait for a thread without a lock or a connection. Any number of workers may run steps.
 */
@Injectable()
export class BroadcastSteps {
  private readonly turns = new OrganizationTurns();

  constructor(
    private readonly database: Database,
    private readonly step: BroadcastStep,
    private readonly subjects: BroadcastSubjects,
    private readonly metrics: BroadcastMetrics,
    private readonly live: LivePublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async next(): Promise<DoneStep> {
    const [next] = await this.database.prepared<{ inMs: number | null }>('find-next-broadcast', NEXT_STEP, []);
    const inMs = next?.inMs ?? Infinity;
    if (inMs > 0) return { nextInMs: inMs, hasDueEmails: false };
    const counts: StepCounts = { email: 0, suppressed: 0, canceled: 0 };
    let wasDue: boolean;
    try {
      wasDue = await this.stepDue(counts);
      const subjects = counts.wanted && (await this.subjects.render(counts.wanted));
      if (subjects) await this.stepDue(counts, subjects);
    } catch (error) {
      counts.spending?.correct(0);
      await postponeStep(this.database, POSTPONE_STEP, counts.broadcastId, error);
      this.logger.warn({ err: error, broadcastId: counts.broadcastId }, 'Could not continue a broadcast; retrying');
      return { nextInMs: 0, hasDueEmails: false };
    }
    for (const outcome of RECIPIENT_OUTCOMES) this.metrics.count(outcome, counts[outcome]);
    const { changed } = counts;
    if (changed) {
      const { id: broadcastId, organization_id: organizationId, campaign_id: campaignId } = changed;
      this.live.report({ type: 'broadcast.changed', organizationId, broadcastId, campaignId });
    }
    const hasDueEmails = counts.email > 0 || (counts.unparked ?? 0) > 0;
    return { nextInMs: wasDue ? 0 : TAKEN, hasDueEmails };
  }

  private stepDue(counts: StepCounts, subjects?: RenderedSubjects): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const [lock, value] = subjects
        ? [LOCK_BROADCAST_AGAIN, subjects.broadcastId]
        : [LOCK_BROADCAST, this.turns.latest];
      const [due] = await sql.query<{ id: string; organization_id: string }>(lock, [value]);
      if (!due) return false;
      this.turns.took(due.organization_id);
      counts.broadcastId = due.id;
      const [broadcast] = await sql.query<StepRow>(READ_BROADCAST, [due.id]);
      counts.changed = broadcast!;
      const waitMs = await this.step.take(sql, broadcast!, counts, subjects);
      // What the broadcast waits for is known once its subjects are there.
      const isUnfinished = counts.wanted !== undefined && !subjects;
      await sql.query(END_STEP, [due.id, waitMs ?? null, counts.waitsUntil ?? null, isUnfinished]);
      return true;
    });
  }
}
