import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Email } from './email.entity.js';

/** The large, immutable part of an email. */
@Entity('email_contents')
@Index('email_contents_recipients', { synchronize: false }) // an index of an expression, which TypeORM cannot declare
export class EmailContent {
  @ForeignKey(() => Email, { name: 'email_contents_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @Column({ type: 'text' })
  sender!: string;

  @Column({ type: 'text', name: 'reply_to', nullable: true })
  replyTo!: string | null;

  @Column({ type: 'text', name: 'to_addresses', array: true })
  toAddresses!: string[];

  @Column({ type: 'text', name: 'cc_addresses', array: true, default: [] })
  ccAddresses!: string[];

  @Column({ type: 'text', name: 'bcc_addresses', array: true, default: [] })
  bccAddresses!: string[];

  @Column({ type: 'text' })
  subject!: string;

  /** Empty for an email that is only text. */
  @Column({ type: 'text' })
  html!: string;

  /** The text part; null to derive it from the HTML. */
  @Column({ type: 'text', nullable: true })
  text!: string | null;

  /** Custom headers of the sender. */
  @Column({ type: 'jsonb', nullable: true })
  headers!: Record<string, string> | null;

  @Column({ type: 'jsonb', nullable: true })
  metadata!: Record<string, unknown> | null;

  /** The recipient's variables, for an email of a broadcast; its HTML is that of the shared message. */
  @Column({ type: 'jsonb', nullable: true })
  variables!: Record<string, unknown> | null;
}
