import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ContactErasure } from './contact-erasure.entity.js';

/** An email from which a person is still to be erased. Later emails are not in the list. */
@Entity('contact_erasure_emails')
export class ContactErasureEmail {
  @ForeignKey(() => ContactErasure, { name: 'contact_erasure_emails_erasure_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'erasure_id' })
  erasureId!: string;

  /**
   * Emails go turn by turn, so that no batch reads those of later ones. 0 for an email that was not final: such emails go
   * first, so that few are still sent.
   */
  @PrimaryColumn({ type: 'smallint' })
  turn!: number;

  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
