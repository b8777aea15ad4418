import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../platform/database/one-of.js';
import { WEBHOOK_DELIVERY_STATUSES, type WebhookDeliveryStatus } from './webhook-delivery-status.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

@Entity('webhook_deliveries')
@Index('webhook_deliveries_endpoint_id', ['endpointId', 'id'])
@Index('webhook_deliveries_due', ['endpointId', 'nextAttemptAt'], { where: "status = 'pending'" })
@Index('webhook_deliveries_first', ['endpointId', 'nextAttemptAt'], {
  where: "status = 'pending' and event_id is null",
})
@Index('webhook_deliveries_failed', ['endpointId', 'id'], { where: "status = 'failed'" })
@Index('webhook_deliveries_tests', ['endpointId', 'nextAttemptAt'], {
  where: "status = 'pending' and type = 'WEBHOOK_TEST'",
})
@Index('webhook_deliveries_of_email', ['emailId', 'createdAt', 'id'], { where: 'email_id is not null' })
@Check('webhook_deliveries_status', isOneOf('status', WEBHOOK_DELIVERY_STATUSES))
export class WebhookDelivery {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => WebhookEndpoint, { name: 'webhook_deliveries_endpoint_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'endpoint_id' })
  endpointId!: string;

  @Column({ type: 'text' })
  type!: string;

  /** Null for an open or a click, whose body is built from the email and the event when it is claimed. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  @Column({ type: 'uuid', name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column({ type: 'uuid', name: 'event_id', nullable: true })
  eventId!: string | null;

  @Column({ type: 'smallint', name: 'link_position', nullable: true })
  linkPosition!: number | null;

  /** What caused the open or click: a position in `VERDICTS`, stored so that every attempt sends the same body. */
  @Column({ type: 'smallint', nullable: true })
  verdict!: number | null;

  @Column({ type: 'text', default: 'pending' })
  status!: WebhookDeliveryStatus;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  /** Position in the retry schedule. A manual retry resets it. */
  @Column({ type: 'integer', default: 0 })
  retries!: number;

  /** Set while an attempt is in flight. Only the worker that holds it may record the result. */
  @Column({ type: 'uuid', name: 'lease_token', nullable: true })
  leaseToken!: string | null;

  /** While an attempt is in flight, the end of its lease. */
  @Column({
    type: 'timestamptz',
    name: 'next_attempt_at',
    precision: 3,
    default: () => `date_trunc('milliseconds', now())`,
  })
  nextAttemptAt!: Date;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
