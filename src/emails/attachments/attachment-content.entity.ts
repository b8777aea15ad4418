import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Organization } from '../../organizations/organization.entity.js';

/** The bytes of attachments, stored once per content and organization, uncompressed and outside of the row. */
@Entity('attachment_contents')
@Index('attachment_contents_used_at', ['usedAt'])
export class AttachmentContent {
  @ForeignKey(() => Organization, { name: 'attachment_contents_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'bytea' })
  sha256!: Buffer;

  @Column({ type: 'bytea' })
  bytes!: Buffer;

  /** Time of the last request with this content. */
  @Column({ type: 'timestamptz', name: 'used_at', precision: 3, default: () => 'now()' })
  usedAt!: Date;
}
