import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { CounterColumns } from '../../platform/database/counter-columns.js';
import { STAT_COUNTERS } from './stat-counters.js';

/**
 * The figures that one transaction adds to an hour; null adds nothing. A job folds these rows into `hourly_stats`.
 * There is no foreign key, because every send would pay for its check; rows of a deleted organization are dropped.
 */
@Entity('stat_deltas')
@CounterColumns(STAT_COUNTERS, { nullable: true })
export class StatDelta {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id!: string;

  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'uuid', name: 'campaign_id', nullable: true })
  campaignId!: string | null;

  /** Start of the hour in UTC. */
  @Column({ type: 'timestamptz', precision: 3 })
  hour!: Date;
}
