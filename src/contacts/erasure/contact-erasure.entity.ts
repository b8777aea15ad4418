import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';

/** An erasure that continues in the background. Its row is deleted with its last step. */
@Entity('contact_erasures')
@Index('contact_erasures_address', ['organizationId', 'addressKey'])
@Index('contact_erasures_organization_step_at', ['organizationId', 'stepAt'])
export class ContactErasure {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'contact_erasures_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** Null for an address that was not a contact: it only got copies, or was only on a suppression list. */
  @Column({ type: 'bigint', name: 'contact_id', nullable: true })
  contactId!: string | null;

  /** The address in lower case, as contacts have it. */
  @Column({ type: 'text', name: 'address_key' })
  addressKey!: string;

  /** The last idempotency key that was searched for the address; null before the first. */
  @Column({ type: 'text', name: 'swept_key', nullable: true })
  sweptKey!: string | null;

  /** The position of the last dead letter that was searched for the address; null before the first. */
  @Column({ type: 'text', name: 'swept_letter', nullable: true })
  sweptLetter!: string | null;

  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3, default: () => 'now()' })
  requestedAt!: Date;

  /** When a worker takes the next step. */
  @Index('contact_erasures_step_at')
  @Column({ type: 'timestamptz', name: 'step_at', precision: 3, default: () => 'now()' })
  stepAt!: Date;
}
