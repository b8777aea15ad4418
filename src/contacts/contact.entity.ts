import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

@Entity('contacts')
@Index('contacts_organization_address', ['organizationId', 'addressKey'], { unique: true })
@Index('contacts_last_activity', { synchronize: false }) // includes the address, which TypeORM cannot declare
export class Contact {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'contacts_organization_id_fkey', onDelete: 'CASCADE' })
  /**
   * Null while the contact is being erased: it then belongs to no organization, and its address is free for a new
   * contact.
   */
  @Column({ type: 'uuid', name: 'organization_id', nullable: true })
  organizationId!: string | null;

  /** The address in lower case, for comparisons. */
  @Column({ type: 'text', name: 'address_key' })
  addressKey!: string;

  /** The address in its original spelling, for display. */
  @Column({ type: 'text' })
  address!: string;

  @Column({ type: 'bigint', default: 0 })
  emails!: string;

  @Column({ type: 'bigint', default: 0 })
  opens!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  /** How many of the opens machines caused; people caused the rest. */
  @Column({ type: 'bigint', name: 'machine_opens', default: 0 })
  machineOpens!: string;

  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;

  /** Emails that bounced, hard or soft. */
  @Column({ type: 'bigint', default: 0 })
  bounces!: string;

  @Column({ type: 'bigint', default: 0 })
  complaints!: string;

  @Column({ type: 'timestamptz', name: 'first_seen_at', precision: 3 })
  firstSeenAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_activity_at', precision: 3 })
  lastActivityAt!: Date;
}
