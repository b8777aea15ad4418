import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

@Entity('sending_domains')
@Index('sending_domains_organization_domain', ['organizationId', 'domain'], { unique: true })
@Index('sending_domains_one_owner', ['domain'], { unique: true, where: "status = 'verified'" })
@Check('sending_domains_status', "status in ('pending', 'verified')")
export class SendingDomain {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'sending_domains_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'text', default: 'pending' })
  status!: 'pending' | 'verified';

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'verified_at', precision: 3, nullable: true })
  verifiedAt!: Date | null;
}
