import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { EmailContent } from '../email-content.entity.js';
import { AttachmentContent } from './attachment-content.entity.js';

/** The attachments of an email, which live as long as its body. */
@Entity('email_attachments')
@ForeignKey(() => AttachmentContent, ['organizationId', 'sha256'], ['organizationId', 'sha256'], {
  name: 'email_attachments_content_fkey',
})
@Index('email_attachments_content', ['organizationId', 'sha256'])
export class EmailAttachment {
  @ForeignKey(() => EmailContent, { name: 'email_attachments_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  /** From 0. */
  @PrimaryColumn({ type: 'smallint' })
  position!: number;

  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'bytea' })
  sha256!: Buffer;

  /** Size in bytes. */
  @Column({ type: 'integer' })
  size!: number;

  @Column({ type: 'text' })
  filename!: string;

  @Column({ type: 'text', name: 'content_type' })
  contentType!: string;

  /** For an inline image: the HTML refers to it by this ID. */
  @Column({ type: 'text', name: 'content_id', nullable: true })
  contentId!: string | null;
}
