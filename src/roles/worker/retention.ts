import { Injectable } from '@nestjs/common';
import { AttachmentContents } from '../../emails/attachments/attachment-contents.js';
import { IdempotencyKeys } from '../../emails/idempotency/idempotency-keys.js';
import { AuditRetention } from '../../organizations/audit/audit-retention.js';
import { EarlierPeople } from '../../events/count-earlier-people.js';
import { EventHistory } from '../../events/event-retention.js';
import { WebhookHistory } from '../../webhooks/webhook-retention.js';

type RetentionJob =
  | 'forget-idempotency-keys'
  | 'forget-attachments'
  | 'forget-audit-entries'
  | 'forget-webhook-deliveries'
  | 'keep-events'
  | 'count-earlier-people';

/** The recurring jobs that keep stored data in order: they create partitions, delete what expired, and count history. */
@Injectable()
export class Retention {
  readonly handlers: Readonly<Record<RetentionJob, () => Promise<void>>>;

  constructor(
    idempotencyKeys: IdempotencyKeys,
    attachments: AttachmentContents,
    audit: AuditRetention,
    webhooks: WebhookHistory,
    events: EventHistory,
    people: EarlierPeople,
  ) {
    this.handlers = {
      'forget-idempotency-keys': () => idempotencyKeys.deleteExpired(),
      'forget-attachments': () => attachments.deleteUnused(),
      'forget-audit-entries': () => audit.deleteExpired(),
      'forget-webhook-deliveries': () => webhooks.deleteOld(),
      'keep-events': () => events.maintain(),
      'count-earlier-people': () => people.count(),
    };
  }
}
