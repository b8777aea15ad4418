import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The one row that everybody shares who puts emails into the queue. */
@Entity('dispatch_window')
@Check('dispatch_window_one_row', 'id = 1')
export class DispatchWindowState {
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  /** Redis holds the same: another one there, or none, means that it lost the jobs. */
  @Column({ type: 'uuid' })
  epoch!: string;

  /** Emails an organization may have in the queue at present. */
  @Column({ type: 'integer' })
  share!: number;

  /** The least place of those that still waited for a worker when the window was last filled. */
  @Column({ type: 'integer', default: 0 })
  front!: number;

  /** Emails that were dispatched before are not any more; null for no bound. Every look at them begins here. */
  @Column({ type: 'timestamptz', name: 'dispatched_since', precision: 3, nullable: true })
  dispatchedSince!: Date | null;

  /** Emails that were dispatched before have been claimed. */
  @Column({ type: 'timestamptz', name: 'unclaimed_since', precision: 3, nullable: true })
  unclaimedSince!: Date | null;

  /** Since when recovery has run without a long pause, and when it last ran. */
  @Column({ type: 'timestamptz', name: 'recovery_since', precision: 3, nullable: true })
  recoverySince!: Date | null;

  @Column({ type: 'timestamptz', name: 'recovery_at', precision: 3, nullable: true })
  recoveryAt!: Date | null;
}
