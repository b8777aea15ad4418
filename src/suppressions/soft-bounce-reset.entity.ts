import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

/** Soft bounces of the address before this time no longer count: its suppression was removed. */
@Entity('soft_bounce_resets')
export class SoftBounceReset {
  @ForeignKey(() => Organization, { name: 'soft_bounce_resets_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'text', name: 'address_key' })
  addressKey!: string;

  @Column({ type: 'timestamptz', name: 'reset_at', precision: 3, default: () => 'now()' })
  resetAt!: Date;
}
