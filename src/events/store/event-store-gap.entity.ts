import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An hour whose events are copied from Postgres to the event store. */
@Entity('event_store_gaps')
export class EventStoreGap {
  @PrimaryColumn({ type: 'timestamptz', precision: 0 })
  hour!: Date;

  /** The last event that was copied. */
  @Column({ type: 'uuid', nullable: true })
  after!: string | null;
}
