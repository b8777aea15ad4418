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
}
