import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CounterColumns } from '../../platform/database/counter-columns.js';
import { Organization } from '../../organizations/organization.entity.js';
import { STAT_COUNTERS } from './stat-counters.js';

/** The figures of one hour: of a campaign, or of all emails of the organization. See `StatDelta`. */
@Entity('hourly_stats')
@CounterColumns(STAT_COUNTERS)
export class HourlyStats {
  @ForeignKey(() => Organization, { name: 'hourly_stats_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** `ALL_CAMPAIGNS` for all emails. */
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** Start of the hour in UTC. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour!: Date;
}
