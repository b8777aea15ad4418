import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

@Entity('email_links')
export class EmailLinks {
  @ForeignKey(() => Email, { name: 'email_links_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  /** Destinations of the tracked links, in email order. */
  @Column({ type: 'text', array: true })
  urls!: string[];
}
