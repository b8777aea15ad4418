import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

@Entity('email_link_clicks')
export class EmailLinkClicks {
  @ForeignKey(() => Email, { name: 'email_link_clicks_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @PrimaryColumn({ type: 'smallint' })
  position!: number;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  /** How many of the clicks machines caused. */
  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;
}
