import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../platform/database/one-of.js';
import { Organization } from '../organization.entity.js';
import { GUARD_STATES, type GuardStatus } from './guard-status.js';

/** The state of an organization that was ever warned, slowed down or paused. */
@Entity('sending_guards')
@Check('sending_guards_state', isOneOf('state', GUARD_STATES))
export class SendingGuard {
  @ForeignKey(() => Organization, { name: 'sending_guards_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @Column({ type: 'text' })
  state!: GuardStatus;

  /** True when an operator stopped it: it is paused, and its keys are refused. */
  @Column({ type: 'boolean', default: false })
  suspended!: boolean;

  /** One sentence; null while the state is normal. */
  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ type: 'timestamptz', name: 'changed_at', precision: 3, default: () => 'now()' })
  changedAt!: Date;

  /** No email of a slowed-down organization is dispatched before this time. */
  @Column({ type: 'timestamptz', name: 'paced_until', precision: 3, nullable: true })
  pacedUntil!: Date | null;

  /** When an operator last resumed it. Earlier counts are ignored. */
  @Column({ type: 'timestamptz', name: 'resumed_at', precision: 3, nullable: true })
  resumedAt!: Date | null;

  /**
   * When workers continue to cancel its mail, unless the command that began the cancellation does; null when nothing is
   * left to cancel.
   */
  @Column({ type: 'timestamptz', name: 'cancel_step_at', precision: 3, nullable: true })
  cancelStepAt!: Date | null;
}
