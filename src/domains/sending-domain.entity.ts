import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';
import { isOneOf } from '../platform/database/one-of.js';
import type { DomainRecord } from './domain-record.js';
import { DOMAIN_STATUSES, type DomainStatus } from './domain-row.js';

@Entity('sending_domains')
@Index('sending_domains_organization_domain', ['organizationId', 'domain'], { unique: true })
@Index('sending_domains_one_owner', ['domain'], { unique: true, where: "status = 'verified'" })
@Index('sending_domains_due', ['recheckAt'], { where: "status = 'verified'" })
@Check('sending_domains_status', isOneOf('status', DOMAIN_STATUSES))
export class SendingDomain {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'sending_domains_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'text', default: 'pending' })
  status!: DomainStatus;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'verified_at', precision: 3, nullable: true })
  verifiedAt!: Date | null;

  /** Random value that the owner publishes, unique to this organization and domain. */
  @Column({ type: 'text', name: 'ownership_token', nullable: true })
  ownershipToken!: string | null;

  @Column({ type: 'text', name: 'dkim_selector', nullable: true })
  dkimSelector!: string | null;

  @Column({ type: 'text', name: 'dkim_public_key', nullable: true })
  dkimPublicKey!: string | null;

  @Column({ type: 'text', name: 'sealed_dkim_key', nullable: true })
  sealedDkimKey!: string | null;

  /** Result of the last check. */
  @Column({ type: 'jsonb', default: [] })
  records!: DomainRecord[];

  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true })
  checkedAt!: Date | null;

  /** Since when a verified domain lacks its ownership record. */
  @Column({ type: 'timestamptz', name: 'missing_since', precision: 3, nullable: true })
  missingSince!: Date | null;

  /** Since when DNS does not respond for a verified domain. */
  @Column({ type: 'timestamptz', name: 'unanswered_since', precision: 3, nullable: true })
  unansweredSince!: Date | null;

  @Column({ type: 'timestamptz', name: 'recheck_at', precision: 3, nullable: true })
  recheckAt!: Date | null;

  /** True when the provider signs and reported at the last check that it can sign for the domain. */
  @Column({ type: 'boolean', name: 'provider_signs', default: false })
  providerSigns!: boolean;

  /** ID of the domain at the provider, if this row created it there. */
  @Column({ type: 'text', name: 'provider_domain_id', nullable: true })
  providerDomainId!: string | null;

  @Column({ type: 'timestamptz', name: 'sender_refused_at', precision: 3, nullable: true })
  senderRefusedAt!: Date | null;

  /** The provider's error text. */
  @Column({ type: 'text', name: 'sender_refusal', nullable: true })
  senderRefusal!: string | null;
}
