import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Campaign } from '../campaigns/campaign.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';
import { BROADCAST_STATUSES, type BroadcastStatus } from './broadcast-status.js';
import { SharedMessage } from './shared-message.entity.js';

/** One message to many recipients. */
@Entity('broadcasts')
@Index('broadcasts_organization_id', ['organizationId', 'id'])
@Index('broadcasts_step_at', ['stepAt'], { where: 'step_at is not null' })
@Index('broadcasts_organization_step_at', ['organizationId', 'stepAt'], { where: 'step_at is not null' })
@Index('broadcasts_message_id', ['messageId'])
@Index('broadcasts_campaign_id', ['campaignId'], { where: 'campaign_id is not null' })
@Check('broadcasts_status', isOneOf('status', BROADCAST_STATUSES))
export class Broadcast {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'broadcasts_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** The campaign of its emails; null until it is sent, unless the request named one. */
  @ForeignKey(() => Campaign, { name: 'broadcasts_campaign_id_fkey' })
  @Column({ type: 'uuid', name: 'campaign_id', nullable: true })
  campaignId!: string | null;

  @ForeignKey(() => SharedMessage, { name: 'broadcasts_message_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'message_id' })
  messageId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', default: 'draft' })
  status!: BroadcastStatus;

  /** The requested sender. The actual sender is decided when an email is stored. */
  @Column({ type: 'text' })
  sender!: string;

  @Column({ type: 'text', name: 'reply_to', nullable: true })
  replyTo!: string | null;

  @Column({ type: 'text', array: true, nullable: true })
  tags!: string[] | null;

  /** Emails per minute; null for no limit. */
  @Column({ type: 'integer', nullable: true })
  pace!: number | null;

  @Column({ type: 'timestamptz', name: 'send_at', precision: 3, nullable: true })
  sendAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true })
  startedAt!: Date | null;

  /** When it was canceled, or when its last email was final. */
  @Column({ type: 'timestamptz', name: 'ended_at', precision: 3, nullable: true })
  endedAt!: Date | null;

  /** All its recipients, including suppressed ones. */
  @Column({ type: 'bigint', default: 0 })
  recipients!: string;

  /**
   * Recipients that get no email because they were suppressed when they were added or when their turn came. Recipients
   * that were suppressed later have an email, which failed.
   */
  @Column({ type: 'bigint', default: 0 })
  suppressed!: string;

  /** Recipients that became emails. */
  @Column({ type: 'bigint', default: 0 })
  emails!: string;

  /** Emails that were canceled before a worker claimed them. */
  @Column({ type: 'bigint', default: 0 })
  canceled!: string;

  /** The highest position of a recipient. */
  @Column({ type: 'bigint', name: 'last_place', default: 0 })
  lastPlace!: string;

  /** Recipients up to this position are done. */
  @Column({ type: 'bigint', name: 'next_place', default: 0 })
  nextPlace!: string;

  /** When a worker takes its next step; null when there is nothing to do. */
  @Column({ type: 'timestamptz', name: 'step_at', precision: 3, nullable: true })
  stepAt!: Date | null;

  /** The time until which it waits because the emails of the day are used up. */
  @Column({ type: 'timestamptz', name: 'waits_until', precision: 3, nullable: true })
  waitsUntil!: Date | null;

  /** When the rate was last measured, and how many emails were final by then. */
  @Column({ type: 'timestamptz', name: 'measured_at', precision: 3, nullable: true })
  measuredAt!: Date | null;

  @Column({ type: 'bigint', name: 'measured_emails', default: 0 })
  measuredEmails!: string;

  @Column({ type: 'double precision', name: 'per_second', default: 0 })
  perSecond!: number;
}
