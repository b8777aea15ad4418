import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A recipient that has no email yet. The row is deleted in the transaction that stores the email. */
@Entity('broadcast_recipients')
@Index('broadcast_recipients_place', ['broadcastId', 'place'], { where: 'place is not null' })
export class BroadcastRecipient {
  /**
   * There is no foreign key, because Postgres would check it for each row: the statement that adds rows locks their
   * broadcast, and a trigger deletes them with it.
   */
  @PrimaryColumn({ type: 'uuid', name: 'broadcast_id' })
  broadcastId!: string;

  /** The address in lower case: an address counts once per broadcast. */
  @PrimaryColumn({ type: 'text', name: 'address_key' })
  addressKey!: string;

  /** The mailbox as it goes into the header. */
  @Column({ type: 'text' })
  address!: string;

  /** Recipients get their emails in this order; null for one that was suppressed when it was added. */
  @Column({ type: 'bigint', nullable: true })
  place!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  variables!: Record<string, unknown> | null;

  @Column({ type: 'jsonb', nullable: true })
  metadata!: Record<string, unknown> | null;
}
