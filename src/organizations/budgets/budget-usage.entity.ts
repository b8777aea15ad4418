import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Organization } from '../organization.entity.js';

/** What an organization has used of a budget in one period. */
@Entity('budget_usage')
export class BudgetUsage {
  @ForeignKey(() => Organization, { name: 'budget_usage_organization_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** A name among `BUDGETS`. */
  @PrimaryColumn({ type: 'text' })
  budget!: string;

  /** Start of the period; 1970 for a budget that does not renew. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  period!: Date;

  /** Includes the shares that processes hold. */
  @Column({ type: 'bigint', default: 0 })
  used!: string;

  /** When the organization was warned about this period. */
  @Column({ type: 'timestamptz', name: 'warned_at', precision: 3, nullable: true })
  warnedAt!: Date | null;

  /** When the stored bytes were last measured. */
  @Column({ type: 'timestamptz', name: 'measured_at', precision: 3, nullable: true })
  measuredAt!: Date | null;
}
