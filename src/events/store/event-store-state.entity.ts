import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The single row that exists while an event store is in use. */
@Entity('event_store')
@Check('event_store_one_row', 'id = 1')
export class EventStoreState {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** When the store last had everything that was in the stream. */
  @Column({ type: 'timestamptz', name: 'caught_up_at', precision: 3, default: () => 'now()' })
  caughtUpAt!: Date;
}
