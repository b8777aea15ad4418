import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';
import { isOneOf } from '../../platform/database/one-of.js';
import type { DomainRecord } from '../domain-record.js';
import { DOMAIN_STATUSES, type DomainStatus } from '../domain-row.js';

@Entity('tracking_domains')
@Index('tracking_domains_organization_domain', ['organizationId', 'domain'], { unique: true })
@Index('tracking_domains_one_owner', ['domain'], { unique: true, where: "status = 'verified'" })
@Index('tracking_domains_due', ['recheckAt'], { where: "status = 'verified'" })
@Check('tracking_domains_status', isOneOf('status', DOMAIN_STATUSES))
export class TrackingDomain {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'tracking_domains_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'text', default: 'pending' })
  status!: DomainStatus;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'verified_at', precision: 3, nullable: true })
  verifiedAt!: Date | null;

  /** Random value that the owner publishes, unique to this organization and domain. */
  @Column({ type: 'text', name: 'ownership_token' })
  ownershipToken!: string;

  /** Result of the last check. */
  @Column({ type: 'jsonb' })
  records!: DomainRecord[];

  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true })
  checkedAt!: Date | null;

  /** Since when a verified domain lacks a record. */
  @Column({ type: 'timestamptz', name: 'missing_since', precision: 3, nullable: true })
  missingSince!: Date | null;

  /** Since when DNS does not respond for a verified domain. */
  @Column({ type: 'timestamptz', name: 'unanswered_since', precision: 3, nullable: true })
  unansweredSince!: Date | null;

  @Column({ type: 'timestamptz', name: 'recheck_at', precision: 3, nullable: true })
  recheckAt!: Date | null;
}
