import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../platform/database/one-of.js';
import { BOUNCE_KINDS, SUBSCRIPTION_FACTS, type BounceKind } from './recipient-event.js';

/** A report about one recipient, in a table partitioned by month. */
@Entity('delivery_events')
@Index('delivery_events_email', ['emailId', 'occurredAt'])
@Index('delivery_events_address_type', ['organizationId', 'addressKey', 'type', 'occurredAt'])
@Index('delivery_events_soft', ['organizationId', 'addressKey', 'occurredAt'], { where: `bounce = 'soft'` })
@Index('delivery_events_subscription', ['emailId', 'addressKey', 'occurredAt', 'id'], {
  where: isOneOf('type', SUBSCRIPTION_FACTS),
})
@Check('delivery_events_bounce', isOneOf('bounce', BOUNCE_KINDS))
export class DeliveryEvent {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'occurred_at', precision: 3 })
  occurredAt!: Date;

  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @Column({ type: 'text', name: 'address_key' })
  addressKey!: string;

  /** The fact, see `RECIPIENT_FACTS`. */
  @Column({ type: 'text' })
  type!: string;

  @Column({ type: 'text', nullable: true })
  bounce!: BounceKind | null;

  @Column({ type: 'text', name: 'smtp_status', nullable: true })
  smtpStatus!: string | null;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** Orders reports with equal times: a sequence number, in the order in which they were stored. */
  @Column({ type: 'bigint', nullable: true })
  arrival!: string | null;
}
