import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from '../email.entity.js';

@Entity('recipient_deliveries')
@Check('recipient_deliveries_state', "state in ('accepted', 'deferred', 'refused')")
export class RecipientDelivery {
  @ForeignKey(() => Email, { name: 'recipient_deliveries_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @PrimaryColumn({ type: 'text' })
  address!: string;

  @Column({ type: 'text' })
  state!: 'accepted' | 'deferred' | 'refused';

  @Column({ type: 'text', nullable: true })
  reason!: string | null;
}
