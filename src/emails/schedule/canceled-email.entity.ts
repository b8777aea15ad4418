import { Entity, PrimaryColumn } from 'typeorm';

/**
 * The canceled emails of an organization, in the order of lists. A trigger adds them. They are in a table of their own,
 * because an index of `emails` would make each cancellation write every index of that table.
 */
@Entity('canceled_emails')
export class CanceledEmail {
  @PrimaryColumn({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn({ type: 'uuid', name: 'email_id' })
  emailId!: string;
}
