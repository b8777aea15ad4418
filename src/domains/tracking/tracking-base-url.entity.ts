import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';

/**
 * A period in which an organization uses a tracking domain. The addresses in an email begin with the base URL of the
 * period in which it was created, or with BASE_URL outside of all periods.
 */
@Entity('tracking_base_urls')
@Index('tracking_base_urls_current', ['organizationId'], { unique: true, where: 'used_until is null' })
@Index('tracking_base_urls_domain', ['domain'])
@Index('tracking_base_urls_used_from', ['usedFrom'])
export class TrackingBaseUrl {
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  @ForeignKey(() => Organization, { name: 'tracking_base_urls_organization_id_fkey', onDelete: 'CASCADE' })
  organizationId!: string;

  @PrimaryColumn({ type: 'timestamptz', name: 'used_from', precision: 3 })
  usedFrom!: Date;

  /** The periods of an organization do not overlap. Null while it uses the domain. */
  @Column({ type: 'timestamptz', name: 'used_until', precision: 3, nullable: true })
  usedUntil!: Date | null;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'text', name: 'base_url' })
  baseUrl!: string;
}
