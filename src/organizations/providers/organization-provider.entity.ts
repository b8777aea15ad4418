import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { ProviderType } from '../../platform/config/provider-credentials.js';
import { Organization } from '../organization.entity.js';

/** A provider that an organization uses instead of those of the service. */
@Entity('organization_providers')
@Index('organization_providers_name', ['organizationId', 'name'], { unique: true })
export class OrganizationProvider {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'organization_providers_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  type!: ProviderType;

  /** See `ProviderEntry`. */
  @Column({ type: 'integer', nullable: true })
  weight!: number | null;

  @Column({ type: 'double precision', name: 'per_second', nullable: true })
  perSecond!: number | null;

  /** The credentials as JSON, see `ProviderCredentials`. */
  @Column({ type: 'text', name: 'sealed_credentials' })
  sealedCredentials!: string;

  /** What verifies the calls with its events; null while it may not report events. */
  @Column({ type: 'text', name: 'sealed_event_key', nullable: true })
  sealedEventKey!: string | null;

  /** Raised by each change, so that workers notice it. */
  @Column({ type: 'integer', default: 1 })
  version!: number;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'changed_at', precision: 3, default: () => 'now()' })
  changedAt!: Date;
}
