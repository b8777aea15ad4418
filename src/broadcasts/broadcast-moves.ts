import { Injectable } from '@nestjs/common';
import { CampaignArchivedError } from '../campaigns/campaign-errors.js';
import { Campaigns } from '../campaigns/campaigns.js';
import { recallEmails } from '../emails/dispatch/recall-emails.sql.js';
import { SendingPausedError } from '../emails/email-errors.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { requireNotSuspended } from '../organizations/guard/require-not-suspended.js';
import { recordBroadcast } from './record-broadcast.js';
import { LivePublisher } from '../events/live/live-publisher.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { WorkNotifier } from '../platform/queue/work-notifications.js';
import { MessageRendering } from '../templates/message-rendering.js';
import { CANCELLATION } from './cancel-broadcasts.js';
import { requireBroadcastSender } from './broadcast-sender.js';
import {
  BroadcastNotFoundError,
  BroadcastStatusError,
  DraftChangedError,
  NoRecipientsError,
} from './broadcast-errors.js';
import type { BroadcastStatus } from './broadcast-status.js';

interface Found {
  status: BroadcastStatus;
  name: string;
  campaign_id: string | null;
  /** The version: each change of a draft gives it another one. */
  message_id: string;
  subject: string;
  recipients: string;
}

type Move = 'pause' | 'resume' | 'cancel';

interface MoveRule {
  readonly verb: 'paused' | 'resumed' | 'canceled';
  readonly from: readonly BroadcastStatus[];
  /** Statuses that show that the change was already made: a repeated request changes nothing. */
  readonly done: readonly BroadcastStatus[];
  /** The new values. */
  readonly set: string;
}

const BEGIN = `status = case when send_at > now() then 'scheduled' else 'sending' end,
  started_at = case when send_at > now() then started_at else coalesce(started_at, now()) end,
  step_at = greatest(now(), send_at), measured_at = null`;

const RULES: Record<Move, MoveRule> = {
  pause: {
    verb: 'paused',
    from: ['scheduled', 'sending'],
    done: ['paused'],
    set: `status = 'paused', step_at = now()`,
  },
  resume: { verb: 'resumed', from: ['paused'], done: ['scheduled', 'sending'], set: BEGIN },
  cancel: {
    verb: 'canceled',
    ...CANCELLATION,
    done: ['canceled'],
  },
};

/** Of a broadcast that is resumed before a step has parked them. */
const RECALL = recallEmails('p.organization_id = $1 and p.broadcast_id = $2');

/**
 * Changes the status of a broadcast. A pause or cancellation does nothing else: from this commit on, workers refuse the
 * emails of a paused or canceled broadcast, and they do the rest.
 */
@Injectable()
export class BroadcastMoves {
  constructor(
    private readonly database: Database,
    private readonly campaigns: Campaigns,
    private readonly live: LivePublisher,
    private readonly workers: WorkNotifier,
    private readonly rendering: MessageRendering,
  ) {}

  /**
   * draft -> scheduled or sending. Creates the campaign if the draft has none.
   * @param version the version to send; undefined for any
   * @throws BroadcastNotFoundError, BroadcastStatusError, DraftChangedError, NoRecipientsError, SendingPausedError,
   *   SuspendedError, ForbiddenSenderError, CampaignArchivedError, CampaignLimitError, InvalidFieldError,
   *   TooManyRenderingsError
   */
  async send(caller: Caller, id: string, version?: string): Promise<void> {
    const { organizationId, pauseReason } = caller;
    for (;;) {
      const found = await find(this.database, organizationId, id);
      if (!['draft', 'scheduled', 'sending'].includes(found.status))
        throw new BroadcastStatusError('sent', found.status);
      if (version !== undefined && version !== found.message_id) throw new DraftChangedError();
      if (found.status !== 'draft') return;
      await requireBroadcastSender(this.database, caller, id);
      if (pauseReason !== null) throw new SendingPausedError(pauseReason);
      if (Number(found.recipients) === 0) throw new NoRecipientsError();
      // A draft may be older than this rule.
      await this.rendering.requireNoAddressIn(caller, found.subject);
      const campaignId = await this.begin(caller, id, found);
      if (campaignId !== undefined) {
        this.workers.notify('broadcasts');
        return this.live.report({ type: 'broadcast.changed', organizationId, broadcastId: id, campaignId });
      }
    }
  }

  /** @returns the campaign; undefined when the draft was changed since it was read: it must be checked again */
  private async begin(caller: Caller, id: string, found: Found): Promise<string | undefined> {
    try {
      return await this.database.transactionOf(caller.organizationId, (sql) =>
        this.beginWithin(sql, caller, id, found),
      );
    } catch (error) {
      if (error instanceof DraftChangedError) return undefined;
      throw error;
    }
  }

  /** @throws DraftChangedError or SuspendedError, so that the campaign is not created either */
  private async beginWithin(
    sql: Sql,
    caller: Caller,
    id: string,
    { name, campaign_id: chosen, message_id: messageId }: Found,
  ): Promise<string> {
    const campaignId = chosen ?? (await this.campaigns.findOrCreateWithin(sql, caller, name));
    // Emails that were accepted before their campaign was archived are still sent, and so is a broadcast.
    const open = await sql.query('select from campaigns where id = $1 and archived_at is null for key share', [
      campaignId,
    ]);
    if (open.length === 0) throw new CampaignArchivedError();
    // When the campaign is locked, because each of those locks may take seconds.
    await requireNotSuspended(sql, caller.organizationId);
    const started = await sql.query(
      `update broadcasts set campaign_id = $2, ${BEGIN} where id = $1 and message_id = $3 and status = 'draft' returning id`,
      [id, campaignId, messageId],
    );
    if (started.length === 0) throw new DraftChangedError();
    await recordBroadcast(sql, authorOf(caller), 'broadcast.sent', id);
    return campaignId;
  }

  /** @throws BroadcastNotFoundError, BroadcastStatusError, ForbiddenSenderError */
  async move(caller: Caller, id: string, move: Move): Promise<void> {
    const { organizationId } = caller;
    const { verb, from, done, set } = RULES[move];
    await find(this.database, organizationId, id);
    if (move === 'resume') await requireBroadcastSender(this.database, caller, id);
    const isMoved = await this.database.transactionOf(organizationId, async (sql) => {
      const moved = await sql.query(
        `update broadcasts set ${set} where organization_id = $1 and id = $2 and status = any($3::text[]) returning id`,
        [organizationId, id, from],
      );
      if (moved.length === 0) return false;
      if (move === 'resume') await sql.query(RECALL, [organizationId, id]);
      await recordBroadcast(sql, authorOf(caller), `broadcast.${verb}`, id);
      return true;
    });
    if (isMoved) {
      this.workers.notify('broadcasts');
      if (move === 'resume') this.workers.notify('emails');
      return this.live.report({ type: 'broadcast.changed', organizationId, broadcastId: id });
    }
    // Read after the update, which may have waited for an identical request.
    const { status } = await find(this.database, organizationId, id);
    if (!done.includes(status)) throw new BroadcastStatusError(verb, status);
  }
}

async function find(sql: Sql, organizationId: string, id: string): Promise<Found> {
  const [found] = isUuid(id)
    ? await sql.query<Found>(
        `select b.status, b.name, b.campaign_id, b.message_id, b.recipients, m.subject
           from broadcasts b join messages m on m.id = b.message_id where b.organization_id = $1 and b.id = $2`,
        [organizationId, id],
      )
    : [];
  if (!found) throw new BroadcastNotFoundError();
  return found;
}
