import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ERASED_SUPPRESSION_REASONS } from '../events/recipient-event.js';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';

/** An opt-out kept for an erased person: no mail, or no marketing mail. Found by the hash of the address. */
@Entity('erased_suppressions')
@Check('erased_suppressions_reason', isOneOf('reason', ERASED_SUPPRESSION_REASONS))
export class ErasedSuppression {
  @ForeignKey(() => Organization, { name: 'erased_suppressions_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** From the SQL function `person_hash`. */
  @PrimaryColumn({ type: 'bytea', name: 'address_hash' })
  addressHash!: Buffer;

  @PrimaryColumn({ type: 'text' })
  reason!: (typeof ERASED_SUPPRESSION_REASONS)[number];

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
