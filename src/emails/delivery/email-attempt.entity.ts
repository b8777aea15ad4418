import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from '../email.entity.js';

/** An attempt after which the email waits for another one. The result of the last attempt is in the email itself. */
@Entity('email_attempts')
export class EmailAttempt {
  @ForeignKey(() => Email, { name: 'email_attempts_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  /** When its outcome was stored. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at!: Date;

  /** From 1; a retry of a failed email begins again. */
  @Column({ type: 'integer' })
  number!: number;

  /** The provider's words. */
  @Column({ type: 'text' })
  reason!: string;
}
