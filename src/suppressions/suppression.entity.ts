import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../events/recipient-event.js';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';

/** A reason why an organization must not write to an address. An address can have several. */
@Entity('suppressions')
@Index('suppressions_newest', ['organizationId', 'createdAt', 'addressKey'])
@Index('suppressions_by_reason', ['organizationId', 'reason', 'createdAt', 'addressKey'])
@Check('suppressions_reason', isOneOf('reason', SUPPRESSION_REASONS))
export class Suppression {
  @ForeignKey(() => Organization, { name: 'suppressions_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** The address in lower case, as contacts have it. */
  @PrimaryColumn({ type: 'text', name: 'address_key' })
  addressKey!: string;

  @PrimaryColumn({ type: 'text' })
  reason!: SuppressionReason;

  /** The address in its original spelling, for display. */
  @Column({ type: 'text' })
  address!: string;

  /** The email that caused the suppression, if any. */
  @Column({ type: 'uuid', name: 'email_id', nullable: true })
  emailId!: string | null;

  @Column({ type: 'text', nullable: true })
  note!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
