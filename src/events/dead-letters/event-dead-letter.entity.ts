import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('event_dead_letters')
@Index('event_dead_letters_created_at', ['createdAt', 'id'])
export class EventDeadLetter {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text', name: 'stream_entry_id' })
  streamEntryId!: string;

  @Column({ type: 'bytea' })
  payload!: Buffer;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
