import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Email } from '../emails/email.entity.js';
import { Contact } from './contact.entity.js';

@Entity('contact_emails')
export class ContactEmail {
  @ForeignKey(() => Contact, { name: 'contact_emails_contact_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'bigint', name: 'contact_id' })
  contactId!: string;

  @Index('contact_emails_email_id')
  @ForeignKey(() => Email, { name: 'contact_emails_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
