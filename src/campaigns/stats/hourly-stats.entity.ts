import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';

/** What was counted in one hour: of a campaign, or of all emails of the organization. `StatDelta` says what counts when. */
@Entity('hourly_stats')
export class HourlyStats {
  @ForeignKey(() => Organization, { name: 'hourly_stats_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** `ALL_CAMPAIGNS` for all emails. */
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** Begin of the hour in UTC. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour!: Date;

  @Column({ type: 'bigint', default: 0 })
  emails!: string;

  @Column({ type: 'bigint', default: 0 })
  sent!: string;

  @Column({ type: 'bigint', default: 0 })
  failed!: string;

  @Column({ type: 'bigint', default: 0 })
  delivered!: string;

  @Column({ type: 'bigint', default: 0 })
  deferred!: string;

  @Column({ type: 'bigint', default: 0 })
  bounced!: string;

  @Column({ type: 'bigint', default: 0 })
  complained!: string;

  @Column({ type: 'bigint', default: 0 })
  unsubscribed!: string;

  @Column({ type: 'bigint', default: 0 })
  opens!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  @Column({ type: 'bigint', name: 'machine_opens', default: 0 })
  machineOpens!: string;

  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;

  @Column({ type: 'bigint', name: 'unique_opens', default: 0 })
  uniqueOpens!: string;

  @Column({ type: 'bigint', name: 'unique_clicks', default: 0 })
  uniqueClicks!: string;
}
