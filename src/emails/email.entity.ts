import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Campaign } from '../campaigns/campaign.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';
import { STORED_STATUSES, type StoredStatus } from './email-status.js';

/** The small part of an email: the facts of its acceptance, its final status and its counters. */
@Entity('emails')
@Index('emails_tracking_id', ['trackingId'], { unique: true })
@Index('emails_organization_id', ['organizationId', 'id'])
@Index('emails_campaign_id', ['campaignId', 'id'], { where: 'campaign_id is not null' })
@Index('emails_sender', ['organizationId', 'senderKey', 'id'], { where: 'sender_key is not null' })
@Index('emails_failed', ['organizationId', 'id'], { where: 'failed_at is not null' })
@Index('emails_tracked', ['organizationId', 'id'], { where: 'tracked' })
@Index('emails_broadcast_failed', ['broadcastId'], { where: 'failed_at is not null and broadcast_id is not null' })
@Index('emails_broadcast_suppressed', ['broadcastId'], {
  where: `failed_at is not null and broadcast_id is not null and last_error like 'Every recipient is suppressed%'`,
})
@Check('emails_status', isOneOf('status', STORED_STATUSES))
export class Email {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text', name: 'tracking_id' })
  trackingId!: string;

  @ForeignKey(() => Organization, { name: 'emails_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @ForeignKey(() => Campaign, { name: 'emails_campaign_id_fkey' })
  @Column({ type: 'uuid', name: 'campaign_id', nullable: true })
  campaignId!: string | null;

  @Column({ type: 'bigint', name: 'contact_ids', array: true })
  contactIds!: string[];

  /** `queued` until the email is final; its pending row shows when a worker delivers it. */
  @Column({ type: 'text' })
  status!: StoredStatus;

  @Column({ type: 'integer', default: 0 })
  attempts!: number;

  @Column({ type: 'boolean', name: 'possible_duplicate', default: false })
  possibleDuplicate!: boolean;

  @Column({ type: 'bigint', default: 0 })
  opens!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  /** How many of the opens machines caused; people caused the rest. */
  @Column({ type: 'bigint', name: 'machine_opens', default: 0 })
  machineOpens!: string;

  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;

  /** True once the email counts among the unique opens of its campaign: it has an open by a person. */
  @Column({ type: 'boolean', name: 'person_opened', default: false })
  personOpened!: boolean;

  @Column({ type: 'boolean', name: 'person_clicked', default: false })
  personClicked!: boolean;

  /** The time of its latest single click. The flusher queries earlier ones only if they may be close to it. */
  @Column({ type: 'timestamptz', name: 'last_click_at', precision: 3, nullable: true })
  lastClickAt!: Date | null;

  /** True once its figures are among those by the hour; false for an email from before there were any. */
  @Column({ type: 'boolean', name: 'in_stats', default: false })
  inStats!: boolean;

  /** The time of its first open by a person, in whose hour it is a unique open. */
  @Column({ type: 'timestamptz', name: 'first_open_at', precision: 3, nullable: true })
  firstOpenAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'first_click_at', precision: 3, nullable: true })
  firstClickAt!: Date | null;

  /** True once hits of it were only counted, because their minute was over the limit: these are in `event_sums`. */
  @Column({ type: 'boolean', name: 'hits_summed', default: false })
  hitsSummed!: boolean;

  @Column({ type: 'text', name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** True if the provider that it last went to is the organization's own: the sending guard does not count it. */
  @Column({ type: 'boolean', name: 'own_provider', default: false })
  ownProvider!: boolean;

  /** The provider's response when it accepted the email; null if unknown. */
  @Column({ type: 'text', name: 'provider_response', nullable: true })
  providerResponse!: string | null;

  @Column({ type: 'text', name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3, nullable: true })
  sentAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, nullable: true })
  failedAt!: Date | null;

  /** True for an email that another provider sends; duplicates the status for a partial index. */
  @Column({ type: 'boolean', default: false })
  tracked!: boolean;

  /** True when the recipient may unsubscribe from mail like this: marketing suppressions apply. */
  @Column({ type: 'boolean', default: false })
  unsubscribe!: boolean;

  /** See `senderKey`; null without a sender. */
  @Column({ type: 'bigint', name: 'sender_key', nullable: true })
  senderKey!: string | null;

  /** Null when there are none; `email_tags` lists the emails of each tag. */
  @Column({ type: 'text', array: true, nullable: true })
  tags!: string[] | null;

  /** The broadcast that it belongs to, whose message it carries. */
  @Column({ type: 'uuid', name: 'broadcast_id', nullable: true })
  broadcastId!: string | null;

  /** When it is to be sent, if its sender chose a time in the future; its pending row is due then. */
  @Column({ type: 'timestamptz', name: 'send_at', precision: 3, nullable: true })
  sendAt!: Date | null;

  /** `canceled_emails` lists the emails that have one. */
  @Column({ type: 'timestamptz', name: 'canceled_at', precision: 3, nullable: true })
  canceledAt!: Date | null;
}
