import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The single row shared by all processes that queue emails. */
@Entity('dispatch_window')
@Check('dispatch_window_one_row', 'id = 1')
export class DispatchWindowState {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** Redis holds the same value: a different or missing one means that Redis lost the jobs. */
  @Column({ type: 'uuid' })
  epoch!: string;

  /** Emails that one organization may have in the queue at present. */
  @Column({ type: 'integer' })
  share!: number;

  /** Where a new organization enters the queue, see `FEED`. */
  @Column({ type: 'integer', default: 0 })
  front!: number;

  /** Lower bound of `dispatched_at` of all dispatched emails, where every scan starts; null for no bound. */
  @Column({ type: 'timestamptz', name: 'dispatched_since', precision: 3, nullable: true })
  dispatchedSince!: Date | null;

  /** Lower bound of `dispatched_at` of the unclaimed emails. */
  @Column({ type: 'timestamptz', name: 'unclaimed_since', precision: 3, nullable: true })
  unclaimedSince!: Date | null;

  /** Since when recovery has run without a long pause, and when it last ran. */
  @Column({ type: 'timestamptz', name: 'recovery_since', precision: 3, nullable: true })
  recoverySince!: Date | null;

  @Column({ type: 'timestamptz', name: 'recovery_at', precision: 3, nullable: true })
  recoveryAt!: Date | null;
}
