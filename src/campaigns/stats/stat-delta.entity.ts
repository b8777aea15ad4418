import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * What one transaction adds to the figures of an hour; null adds nothing. A job folds these rows into `hourly_stats`.
 * Without a foreign key, whose check would cost every send: what is left of a deleted organization is dropped.
 */
@Entity('stat_deltas')
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

  @Column({ type: 'bigint', nullable: true })
  emails!: string | null;

  @Column({ type: 'bigint', nullable: true })
  sent!: string | null;

  @Column({ type: 'bigint', nullable: true })
  failed!: string | null;

  @Column({ type: 'bigint', nullable: true })
  delivered!: string | null;

  @Column({ type: 'bigint', nullable: true })
  deferred!: string | null;

  @Column({ type: 'bigint', nullable: true })
  bounced!: string | null;

  @Column({ type: 'bigint', nullable: true })
  complained!: string | null;

  @Column({ type: 'bigint', nullable: true })
  unsubscribed!: string | null;

  @Column({ type: 'bigint', nullable: true })
  opens!: string | null;

  @Column({ type: 'bigint', nullable: true })
  clicks!: string | null;

  @Column({ type: 'bigint', name: 'machine_opens', nullable: true })
  machineOpens!: string | null;

  @Column({ type: 'bigint', name: 'machine_clicks', nullable: true })
  machineClicks!: string | null;

  @Column({ type: 'bigint', name: 'unique_opens', nullable: true })
  uniqueOpens!: string | null;

  @Column({ type: 'bigint', name: 'unique_clicks', nullable: true })
  uniqueClicks!: string | null;
}
