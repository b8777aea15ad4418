import { Injectable } from '@nestjs/common';
import { SingleSends } from '../../emails/delivery/single-sends.js';
import type { Spending } from '../../organizations/budgets/budgets.js';
import type { Sql } from '../../platform/database/database.js';
import type { BroadcastStatus } from '../broadcast-status.js';
import { deleteRecipients } from '../recipients/delete-recipients.js';
import { BroadcastBudget } from './broadcast-budget.js';
import type { RecipientOutcome } from './broadcast-metrics.js';
import { BroadcastSubjects, type RenderedSubjects, type WantedSubjects } from './broadcast-subjects.js';
import { cancelEmails, hasPendingEmails } from './cancel-emails.js';
import { sizeOfChunk } from './chunk-size.js';
import { BroadcastEmails, type BroadcastOfEmails } from './make-emails.js';
import { parkEmails, unparkEmails } from './parked-emails.js';
import { MEASURE_RATE } from './step-statements.js';

/** Milliseconds until the next step. */
const AT_ONCE = 0;
const FULL = 50;
/** While the emails ahead do not get any fewer, because the provider accepts none. */
const STALLED = 1_000;
/** While the sending of the organization is paused. */
const GUARDED = 5_000;
const LAST_EMAILS = 250;
/** Delay while the emails of the day are used up: a new plan may allow more before the next day. */
const OTHER_DAY = 60_000;
/** Unless its subjects are rendered first: while other work of the organization keeps the rendering threads busy. */
const SUBJECTS_MISSING = 5_000;

export interface StepRow extends BroadcastOfEmails {
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

/** What a step did; counted after its transactions have committed. */
export interface StepCounts extends Record<RecipientOutcome, number> {
  broadcastId?: string;
  /** Emails that are due again after a pause. */
  unparked?: number;
  /** Returned if the transaction does not commit. */
  spending?: Spending;
  waitsUntil?: Date;
  /** Subjects that it needs before it can make emails. */
  wanted?: WantedSubjects;
  changed?: Pick<StepRow, 'id' | 'organization_id' | 'campaign_id'>;
}

/** Does what one broadcast needs next. */
@Injectable()
export class BroadcastStep {
  constructor(
    private readonly emails: BroadcastEmails,
    private readonly subjects: BroadcastSubjects,
    private readonly budget: BroadcastBudget,
    private readonly sends: SingleSends,
  ) {}

  /**
   * @param sql a transaction that has locked the broadcast
   * @param subjects of its next emails, if an earlier transaction of the step wanted them
   * @returns milliseconds until the next step, or undefined when nothing is left to do
   */
  async take(
    sql: Sql,
    broadcast: StepRow,
    counts: StepCounts,
    subjects: RenderedSubjects | undefined,
  ): Promise<number | undefined> {
    switch (broadcast.status) {
      case 'scheduled':
        await sql.query(`update broadcasts set status = 'sending', started_at = now() where id = $1`, [broadcast.id]);
        return AT_ONCE;
      case 'sending':
        return this.send(sql, broadcast, counts, subjects);
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

  private async send(
    sql: Sql,
    broadcast: StepRow,
    counts: StepCounts,
    rendered: RenderedSubjects | undefined,
  ): Promise<number> {
    const { id, pace, pending, parked } = broadcast;
    if (parked > 0) {
      counts.unparked = await unparkEmails(sql, id);
      return counts.unparked > 0 ? AT_ONCE : FULL;
    }
    await sql.query(MEASURE_RATE, [id, Number(broadcast.emails) - pending]);
    const waiting = Number(broadcast.recipients) - Number(broadcast.suppressed) - Number(broadcast.emails);
    if (waiting === 0) return this.finish(sql, broadcast);
    // With subjects, the first transaction of the step has decided.
    const sendsNeedRoom = rendered === undefined && this.sends.needRoom;
    const most = sizeOfChunk({ ...broadcast, sendsNeedRoom }, waiting);
    const size = Math.min(broadcast.guarded ? 0 : most, waiting);
    if (size <= 0) return delayOf(broadcast, FULL);
    const needsSubjects = this.subjects.areNeeded(broadcast);
    // Another worker may have made emails of these recipients.
    if (needsSubjects && rendered?.after !== broadcast.next_place) {
      counts.wanted = wantedBy(broadcast, size);
      return SUBJECTS_MISSING;
    }
    const wanted = needsSubjects ? Math.min(size, rendered!.places.length) : size;
    const owner = { organizationId: broadcast.organization_id, plan: broadcast.plan };
    const { emails, spending, renewsAt } = await this.budget.take(owner, wanted);
    if (emails === 0) {
      counts.waitsUntil = renewsAt;
      return OTHER_DAY;
    }
    counts.spending = spending;
    const { settled, suppressed } = await this.emails.make(sql, broadcast, emails, rendered);
    spending.correct(settled - suppressed);
    counts.email += settled - suppressed;
    counts.suppressed += suppressed;
    // The recipients are gone: without this delay, the step would repeat at once, forever.
    if (settled === 0) return LAST_EMAILS;
    // After the last email, nothing is left that the pace could hold back.
    return pace === null || settled === waiting ? AT_ONCE : ((settled - suppressed) * 60_000) / pace;
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

function wantedBy({ id, organization_id, subject, next_place }: StepRow, size: number): WantedSubjects {
  return { broadcastId: id, organizationId: organization_id, subject, after: next_place, size };
}

/** Steps are rare while they would change nothing: a pause can last for days, and workers take all steps in turns. */
function delayOf({ guarded, stalled }: StepRow, usual: number): number {
  if (guarded) return GUARDED;
  return stalled ? STALLED : usual;
}
