import { Column, PrimaryColumn } from 'typeorm';

/** Columns of the single row that records how far a `Backfill` is. */
export abstract class BackfillProgress {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** The last row of this round that was checked. */
  @Column({ type: 'uuid', name: 'after_id' })
  afterId!: string;

  @Column({ type: 'smallint', name: 'rounds_left' })
  roundsLeft!: number;

  @Column({ type: 'timestamptz', name: 'due_at', precision: 3, default: () => 'now()' })
  dueAt!: Date;
}
