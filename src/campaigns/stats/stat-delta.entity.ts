import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { CounterColumns } from '../../platform/database/counter-columns.js';
import { STAT_COUNTERS } from './stat-counters.js';

/**
 * What one transaction adds to the figures of an hour; null adds nothing. A job folds these rows into `hourly_stats`.
 * Without a foreign key, whose check would cost every send: what is left of a deleted organization is dropped.
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

  /** Begin of the hour in UTC. */
  @Column({ type: 'timestamptz', precision: 3 })
  hour!: Date;
}
