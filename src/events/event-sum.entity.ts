import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Opens and clicks of one email that were counted together; the ID holds the time of the tracking edge. */
@Entity('event_sums')
export class EventSumRow {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Index('event_sums_email_id')
  @Column({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @Column({ type: 'bigint' })
  opens!: string;

  @Column({ type: 'bigint' })
  clicks!: string;

  /** How many of the opens machines caused. */
  @Column({ type: 'bigint', name: 'machine_opens', default: 0 })
  machineOpens!: string;

  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;

  @Column({ type: 'timestamptz', name: 'counted_at', precision: 3, default: () => 'now()' })
  countedAt!: Date;
}
