import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';

@Entity('idempotency_keys')
@Index('idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKey {
  @ForeignKey(() => Organization, { name: 'idempotency_keys_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'bytea', name: 'request_hash' })
  requestHash!: Buffer;

  @Column({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  /** HTTP status of the response, once decided. */
  @Column({ type: 'smallint', nullable: true })
  status!: number | null;

  /** Why delivery failed, if the response reported a failure. */
  @Column({ type: 'text', nullable: true })
  failure!: string | null;

  /** The response of a batch, which cannot be derived from one email. */
  @Column({ type: 'json', nullable: true })
  response!: object | null;

  @Column({ type: 'timestamptz', name: 'running_until', precision: 3 })
  runningUntil!: Date;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
