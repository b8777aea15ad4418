import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

/** An email whose body is past its retention and is deleted once the email is final. */
@Entity('late_bodies')
export class LateBody {
  @ForeignKey(() => Email, { name: 'late_bodies_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
