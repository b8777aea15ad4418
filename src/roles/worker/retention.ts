import { Injectable } from '@nestjs/common';
import { EarlierStats } from '../../campaigns/stats/count-earlier-stats.js';
import { FoldedStats } from '../../campaigns/stats/fold-stats.js';
import { AttachmentContents } from '../../emails/attachments/attachment-contents.js';
import { ContentRetention } from '../../emails/content-retention.js';
import { IdempotencyKeys } from '../../emails/idempotency/idempotency-keys.js';
import { AuditRetention } from '../../organizations/audit/audit-retention.js';
import { EarlierPeople } from '../../events/count-earlier-people.js';
import { EventHistory } from '../../events/event-retention.js';
import { WebhookHistory } from '../../webhooks/webhook-retention.js';

type RetentionJob =
  | 'forget-idempotency-keys'
  | 'forget-attachments'
  | 'forget-audit-entries'
  | 'forget-bodies'
  | 'forget-webhook-deliveries'
  | 'keep-events'
  | 'count-earlier-people'
  | 'count-earlier-stats'
  | 'fold-stats';

/**
 * The recurring jobs that keep stored data in order: they create partitions, delete expired data, count history and
 * fold figures.
 */
@Injectable()
export class Retention {
  readonly handlers: Readonly<Record<RetentionJob, (stop: AbortSignal) => Promise<void>>>;

  constructor(
    idempotencyKeys: IdempotencyKeys,
    audit: AuditRetention,
    attachments: AttachmentContents,
    contents: ContentRetention,
    webhooks: WebhookHistory,
    events: EventHistory,
    people: EarlierPeople,
    earlierStats: EarlierStats,
    stats: FoldedStats,
  ) {
    this.handlers = {
      'forget-idempotency-keys': () => idempotencyKeys.deleteExpired(),
      'forget-audit-entries': (stop) => audit.deleteExpired(stop),
      'forget-attachments': () => attachments.deleteUnused(),
      'forget-bodies': (stop) => contents.dropOldBodies(stop),
      'forget-webhook-deliveries': (stop) => webhooks.deleteOld(stop),
      'keep-events': () => events.maintain(),
      'count-earlier-people': () => people.count(),
      'count-earlier-stats': () => earlierStats.count(),
      'fold-stats': () => stats.fold(),
    };
  }
}
