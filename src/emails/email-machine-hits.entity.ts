import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

/** Opens and clicks of an email together, by the class of the machine that caused them. */
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
