import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The single row that records how far events have been deleted. */
@Entity('event_history')
@Check('event_history_one_row', 'id = 1')
export class EventHistoryState {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** Events before it are deleted, although a longer retention was set later; null before the first run. */
  @Column({ type: 'timestamptz', name: 'kept_from', precision: 3, nullable: true })
  keptFrom!: Date | null;

  /** When `kept_from` last moved. */
  @Column({ type: 'timestamptz', name: 'moved_at', precision: 3, nullable: true })
  movedAt!: Date | null;
}
