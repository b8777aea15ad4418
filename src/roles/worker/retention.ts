import { Injectable } from '@nestjs/common';
import { AttachmentContents } from '../../emails/attachments/attachment-contents.js';
import { IdempotencyKeys } from '../../emails/idempotency/idempotency-keys.js';
import { EventHistory } from '../../events/event-retention.js';
import { WebhookHistory } from '../../webhooks/webhook-retention.js';

type RetentionJob = 'forget-idempotency-keys' | 'forget-attachments' | 'forget-webhook-deliveries' | 'keep-events';

/** The recurring jobs that create upcoming partitions and delete expired data. */
@Injectable()
export class Retention {
  readonly handlers: Readonly<Record<RetentionJob, () => Promise<void>>>;

  constructor(
    idempotencyKeys: IdempotencyKeys,
    attachments: AttachmentContents,
    webhooks: WebhookHistory,
    events: EventHistory,
  ) {
    this.handlers = {
      'forget-idempotency-keys': () => idempotencyKeys.deleteExpired(),
      'forget-attachments': () => attachments.deleteUnused(),
      'forget-webhook-deliveries': () => webhooks.deleteOld(),
      'keep-events': () => events.maintain(),
    };
  }
}
