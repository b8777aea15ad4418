import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

@Entity('campaigns')
@Index('campaigns_organization_name', ['organizationId', 'name'], { unique: true })
@Index('campaigns_active', ['organizationId', 'id'], { where: 'archived_at is null' })
@Index('campaigns_archived', ['organizationId', 'id'], { where: 'archived_at is not null' })
export class Campaign {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'campaigns_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'archived_at', precision: 3, nullable: true })
  archivedAt!: Date | null;
}
