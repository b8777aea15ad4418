import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ContactErasure } from './contact-erasure.entity.js';

/** An email from which a person still has to be erased. Later emails are not in the list. */
@Entity('contact_erasure_emails')
export class ContactErasureEmail {
  @ForeignKey(() => ContactErasure, { name: 'contact_erasure_emails_erasure_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'erasure_id' })
  erasureId!: string;

  /**
   * Emails are erased turn by turn, so that no batch reads those of later turns. 0 for an email that was not final:
   * such emails come first, so that few are still sent.
   */
  @PrimaryColumn({ type: 'smallint' })
  turn!: number;

  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
