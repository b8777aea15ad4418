import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { MessageHeaders } from '../emails/accept/message-headers.js';
import type { StoredAttachment } from '../emails/attachments/attachment.js';
import { Organization } from '../organizations/organization.entity.js';

/** The message of a broadcast, stored once for all its emails. It never changes. */
@Entity('messages')
@Index('messages_with_attachments', ['organizationId'], { where: 'attachments is not null' })
export class SharedMessage {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @ForeignKey(() => Organization, { name: 'messages_organization_id_fkey', onDelete: 'CASCADE' })
  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  subject!: string;

  /** With MJML already compiled; null for a message in plain text. */
  @Column({ type: 'text', nullable: true })
  html!: string | null;

  /** The text part; null if it is derived from the HTML. */
  @Column({ type: 'text', nullable: true })
  text!: string | null;

  /** The original MJML, for editing; null for HTML. */
  @Column({ type: 'text', nullable: true })
  mjml!: string | null;

  /** Custom headers for every email; null for none. */
  @Column({ type: 'jsonb', nullable: true })
  headers!: MessageHeaders | null;

  /** The attachments of every email, whose contents are stored under their digests; null for none. */
  @Column({ type: 'jsonb', nullable: true })
  attachments!: readonly StoredAttachment[] | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
