import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Broadcast } from '../broadcast.entity.js';

/** A recipient that has no email yet. The row is deleted in the transaction that stores the email. */
@Entity('broadcast_recipients')
@Index('broadcast_recipients_place', ['broadcastId', 'place'], { where: 'place is not null' })
export class BroadcastRecipient {
  @ForeignKey(() => Broadcast, { name: 'broadcast_recipients_broadcast_id_fkey', onDelete: 'CASCADE' })
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
