import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The single row that records how far earlier emails are among the figures by the hour. */
@Entity('stats_walk')
@Check('stats_walk_one_row', 'id = 1')
export class StatsWalk {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** The last email of this round that was looked at. */
  @Column({ type: 'uuid', name: 'after_id' })
  afterId!: string;

  @Column({ type: 'smallint', name: 'rounds_left' })
  roundsLeft!: number;

  @Column({ type: 'timestamptz', name: 'due_at', precision: 3, default: () => 'now()' })
  dueAt!: Date;
}
