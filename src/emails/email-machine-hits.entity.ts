import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

/** Sum of an email's opens and clicks by machines, per class. */
@Entity('email_machine_hits')
export class EmailMachineHits {
  @ForeignKey(() => Email, { name: 'email_machine_hits_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  /** A position in `ENGAGEMENT_CLASSES`. */
  @PrimaryColumn({ type: 'smallint' })
  class!: number;

  @Column({ type: 'bigint' })
  hits!: string;
}
