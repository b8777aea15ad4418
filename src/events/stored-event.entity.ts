import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../platform/database/one-of.js';
import { EVENT_TYPES, type EventType } from './engagement-event.js';

/** An event for one contact, in a table partitioned by month. */
@Entity('events')
@Index('events_contact_email', ['contactId', 'occurredAt', 'emailId'])
@Check('events_type', isOneOf('type', EVENT_TYPES))
export class StoredEvent {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  /** Number of the contact within the email; the row with 1 stands for the email. */
  @PrimaryColumn({ type: 'smallint' })
  ordinal!: number;

  @PrimaryColumn({ type: 'timestamptz', name: 'occurred_at', precision: 3 })
  occurredAt!: Date;

  @Column({ type: 'text' })
  type!: EventType;

  @Column({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @Column({ type: 'bigint', name: 'contact_id' })
  contactId!: string;

  @Column({ type: 'smallint', name: 'link_position', nullable: true })
  linkPosition!: number | null;

  @Column({ type: 'text', nullable: true })
  url!: string | null;

  /** What caused it: a position in `VERDICTS`. */
  @Column({ type: 'smallint', default: 0 })
  verdict!: number;
}
