import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The single row that records how far bodies have been deleted. */
@Entity('body_retention')
@Check('body_retention_one_row', 'id = 1')
export class BodyRetentionState {
  @PrimaryColumn({ type: 'smallint', default: 1 })
  id!: number;

  /** The last email whose body was checked. */
  @Column({ type: 'uuid', name: 'after_id' })
  afterId!: string;
}
