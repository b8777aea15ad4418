import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

/** A wish of a person whose address was erased: no mail, or no marketing mail. Found by the hash of the address. */
@Entity('erased_suppressions')
@Check('erased_suppressions_reason', "reason in ('complaint', 'unsubscribe')")
export class ErasedSuppression {
  @ForeignKey(() => Organization, { name: 'erased_suppressions_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** From the SQL function `person_hash`. */
  @PrimaryColumn({ type: 'bytea', name: 'address_hash' })
  addressHash!: Buffer;

  @PrimaryColumn({ type: 'text' })
  reason!: 'complaint' | 'unsubscribe';

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
