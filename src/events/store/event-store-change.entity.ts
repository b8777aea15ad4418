import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A change to copy to the event store: the new verdict of an event; without an event, the deletion of an email. */
@Entity('event_store_changes')
export class EventStoreChange {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: string;

  /** Tracking ID. */
  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'uuid', name: 'event_id', nullable: true })
  eventId!: string | null;

  @Column({ type: 'text', nullable: true })
  type!: string | null;

  @Column({ type: 'integer', name: 'link_position', nullable: true })
  linkPosition!: number | null;

  @Column({ type: 'smallint', nullable: true })
  verdict!: number | null;

  @Column({ type: 'timestamptz', name: 'changed_at', precision: 3, default: () => 'now()' })
  changedAt!: Date;
}
