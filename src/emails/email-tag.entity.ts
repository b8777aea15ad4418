import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

/** The emails of a tag, in the order of lists. */
@Entity('email_tags')
@Index('email_tags_email_id', ['emailId'])
export class EmailTag {
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'text' })
  tag!: string;

  @ForeignKey(() => Email, { name: 'email_tags_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
