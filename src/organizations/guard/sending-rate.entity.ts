import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../organization.entity.js';

/** Recipients of an organization's mail from one domain in one hour. */
@Entity('sending_rates')
@Index('sending_rates_hour', ['hour'])
export class SendingRate {
  @ForeignKey(() => Organization, { name: 'sending_rates_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour!: Date;

  /** Domain of the sender address. */
  @PrimaryColumn({ type: 'text' })
  domain!: string;

  @Column({ type: 'integer', default: 0 })
  sent!: number;

  /** Hard bounces. */
  @Column({ type: 'integer', default: 0 })
  bounced!: number;

  @Column({ type: 'integer', default: 0 })
  complained!: number;
}
