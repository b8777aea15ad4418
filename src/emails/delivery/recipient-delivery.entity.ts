import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../platform/database/one-of.js';
import { HAND_OVER_RESULTS, type HandOverResult } from '../../providers/hand-over-result.js';
import { Email } from '../email.entity.js';
import { UNKNOWN_OUTCOME } from './unknown-outcome-reason.js';

@Entity('recipient_deliveries')
@Check('recipient_deliveries_state', isOneOf('state', HAND_OVER_RESULTS))
@Index('recipient_deliveries_doubtful', ['emailId'], {
  where: `state = 'refused' and reason like '${UNKNOWN_OUTCOME}%'`,
})
export class RecipientDelivery {
  @ForeignKey(() => Email, { name: 'recipient_deliveries_email_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;

  @PrimaryColumn({ type: 'text' })
  address!: string;

  /** Result of the hand-over to the provider. What was reported later is in `facts`. */
  @Column({ type: 'text' })
  state!: HandOverResult;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** Bits of the facts that were ever reported, see `FACT_RULES` and `own-facts.ts`. */
  @Column({ type: 'integer', default: 0 })
  facts!: number;

  /** Enhanced status code of the strongest fact, such as 5.1.1 (RFC 3463). */
  @Column({ type: 'text', name: 'smtp_status', nullable: true })
  smtpStatus!: string | null;

  /** Time of the strongest fact, by its source. */
  @Column({ type: 'timestamptz', name: 'fact_at', precision: 3, nullable: true })
  factAt!: Date | null;

  /** Time of the unsubscription that is in effect, in whose hour it counts. */
  @Column({ type: 'timestamptz', name: 'unsubscribed_at', precision: 3, nullable: true })
  unsubscribedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
