import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';

@Entity('templates')
@Index('templates_organization', ['organizationId', 'id'])
export class Template {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'templates_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  name!: string;

  /** The newest version: every change creates one. */
  @Column({ type: 'integer', default: 1 })
  version!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
