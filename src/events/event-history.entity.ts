import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The one row that says how far events were forgotten. */
@Entity('event_history')
@Check('event_history_one_row', 'id = 1')
export class EventHistoryState {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** The first month that the last run kept; null until one has run. */
  @Column({ type: 'timestamptz', name: 'kept_from', precision: 3, nullable: true })
  keptFrom!: Date | null;

  /** When it last moved. */
  @Column({ type: 'timestamptz', name: 'moved_at', precision: 3, nullable: true })
  movedAt!: Date | null;
}
