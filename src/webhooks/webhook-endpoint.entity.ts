import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';
import { LISTENS_TO_ENGAGEMENT, LISTENS_TO_RECIPIENTS } from './listens-to.sql.js';
import { DISABLED_REASONS, type DisabledReason } from './webhook-view.js';

@Entity('webhook_endpoints')
@Index('webhook_endpoints_engagement', ['organizationId'], {
  where: LISTENS_TO_ENGAGEMENT,
})
@Index('webhook_endpoints_recipients', ['organizationId'], {
  where: LISTENS_TO_RECIPIENTS,
})
@Check('webhook_endpoints_disabled_reason', isOneOf('disabled_reason', DISABLED_REASONS))
export class WebhookEndpoint {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Index('webhook_endpoints_organization_id')
  @ForeignKey(() => Organization, { name: 'webhook_endpoints_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'text', array: true, default: ['EMAIL_SENT'] })
  events!: string[];

  @Column({ type: 'boolean', default: true })
  enabled!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** Null when the endpoint was deleted or never had a secret. */
  @Column({ type: 'text', name: 'sealed_secret', nullable: true })
  sealedSecret!: string | null;

  /** The secret before the last rotation. It also signs until `previousSecretUntil`. */
  @Column({ type: 'text', name: 'sealed_previous_secret', nullable: true })
  sealedPreviousSecret!: string | null;

  @Column({ type: 'timestamptz', name: 'previous_secret_until', precision: 3, nullable: true })
  previousSecretUntil!: Date | null;

  /** True when it receives only opens and clicks by people. */
  @Column({ type: 'boolean', default: false })
  people!: boolean;

  /** Consecutive failures. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** The first failure since the last success, or since the last long time without attempts. */
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;

  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, nullable: true })
  failedAt!: Date | null;

  /** No attempts until then, because the endpoint failed too often or sent a Retry-After. */
  @Column({ type: 'timestamptz', name: 'paused_until', precision: 3, nullable: true })
  pausedUntil!: Date | null;

  /** End of the pause that the receiver asked for. Neither successes nor failures shorten it. */
  @Column({ type: 'timestamptz', name: 'asked_until', precision: 3, nullable: true })
  askedUntil!: Date | null;

  @Column({ type: 'timestamptz', name: 'disabled_at', precision: 3, nullable: true })
  disabledAt!: Date | null;

  @Column({ type: 'text', name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** Set when the endpoint is deleted. A background job removes its rows. */
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
